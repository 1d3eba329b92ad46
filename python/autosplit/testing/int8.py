"""Helpers for tests of the INT8 flow: compile a built model, look at its partitions, run it, compare.

    b = QdqBuilder()
    ...
    compiled = compile_builder(b, tmp_path)
    assert compiled.groups == ["dq dq conv relu q"]
    compiled.check(N=1)
    compiled.check(N=3)

A *group* is a partition that is more than lone casts, as the integration of oneDNN Graph in PyTorch counts
them. It is written as the kinds of its ops, dequantizes first (the order of independent ops means
nothing), in short names: see SHORT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from unittest import SkipTest

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, helper

from autosplit.core.dtypes import dtype_of
from autosplit.core.versions import DEFAULT_VERSION
from autosplit.dialects.device import FuncOp
from autosplit.dialects.dnnl import OrderLayout, PartitionOp, dense_strides, layout_of
from autosplit.dialects.dnnl.moves import moved_operands, reading_of
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.constants import constant_array
from autosplit.dialects.platform import value_name
from autosplit.flows.compile import CompileOptions, CompileResult, compile_model
from autosplit.interpret.module import moved
from autosplit.runtime.dnnl.build import LoadedPartition
from autosplit.runtime.dnnl.library import library
from autosplit.runtime.plan.partitions import Pointwise
from autosplit.runtime.plan.plan import Plan
from autosplit.testing import qdq
from autosplit.testing.qdq import QdqBuilder

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, OpResult, SSAValue

Array = NDArray[np.generic]

SHORT = {
    "Dequantize": "dq",
    "Quantize": "q",
    "TypeCast": "to",
    "Convolution": "conv",
    "ConvTranspose": "deconv",
    "MatMul": "matmul",
    "Divide": "div",
    "Multiply": "mul",
    "SoftMax": "softmax",
    "LayerNorm": "layernorm",
}
"""Kinds of ops whose name in tests is not just their own in lower case."""

CASTS = frozenset({"Quantize", "Dequantize", "TypeCast"})


def partitions_in(module: ModuleOp) -> list[Operation]:
    """All dnnl.partition ops of a module, in order."""
    return [op for op in module.walk() if op.name == "dnnl.partition"]


def kinds_of(partition: Operation) -> list[str]:
    """The library's names of the ops in a partition, in order."""
    ops = partition.regions[0].block.ops
    return [op.name.removeprefix("dnnl.") for op in ops if op.name != "dnnl.return"]


def shown(kinds: Sequence[str]) -> str:
    """The ops of a partition in short names; casts before its root are sorted by name."""
    names = [SHORT.get(kind, kind.lower()) for kind in kinds]
    # Dequantizes of operands that come in later may stand anywhere.
    names.sort(key=lambda name: name != "dq")
    root = next((i for i, name in enumerate(names) if name not in ("dq", "q", "to")), 0)
    return " ".join(sorted(names[:root]) + names[root:])


def groups_in(module: ModuleOp) -> list[str]:
    """The groups of a module: its partitions that are more than one lone cast, as `shown`."""
    groups = [kinds_of(p) for p in partitions_in(module)]
    return [shown(kinds) for kinds in groups if len(kinds) > 1 or kinds[0] not in CASTS]


def outside_in(module: ModuleOp) -> Counter[str]:
    """The kinds of the ONNX ops of a compiled module that run outside partitions, constants left out."""
    counts: Counter[str] = Counter()
    for op in module.walk():
        kind = getattr(op, "op_type", None)
        if isinstance(kind, str) and op.name.startswith("onnx.") and op.operands:
            counts[kind] += 1
    return counts


def host_isa() -> str:
    """The instruction set to quantize for if sums of 8-bit weights saturate on this processor; else empty."""
    return "" if library().has_vnni else library().isa


def expect_vnni() -> None:
    """Raises SkipTest where numbers saturate because the processor has no VNNI."""
    if not library().has_vnni:
        raise SkipTest("this processor has no VNNI: sums of products with 8-bit weights saturate")


@dataclass
class Compiled:
    """A built model and its plan, to be compared with ONNX Runtime."""

    builder: QdqBuilder
    proto: ModelProto
    result: CompileResult
    _plan: Any = field(default=None)

    @property
    def groups(self) -> list[str]:
        """See `groups_in`; sorted, because the order of independent groups means nothing."""
        return sorted(groups_in(self.result.module))

    @property
    def partitions(self) -> list[list[str]]:
        """The kinds of the ops of every partition, lone casts too."""
        return [kinds_of(p) for p in partitions_in(self.result.module)]

    @property
    def outside(self) -> Counter[str]:
        return outside_in(self.result.module)

    def run(self, feeds: Mapping[str, Array]) -> list[Array]:
        """The plan's outputs."""
        if self._plan is None:
            self._plan = Plan.from_module(self.result.module, self.result.store)
        results = self._plan.run(dict(feeds))
        return [results[o.name] for o in self.proto.graph.output]

    def check(
        self, seed: int = 1, *, relative: float = 1e-5, quanta: float = 0.0, **sizes: int
    ) -> None:
        """Fails unless the plan's outputs equal ONNX Runtime's (without its optimizations).

        A value may be off by `relative` of the largest magnitude. Where it is rounded to integers on the way,
        one that lies on the edge between two may become either, so values may be off by `quanta` steps of
        1/255 of the range; without `quanta`, where only inputs are rounded, one in fifty by three of them.
        """
        feeds = self.builder.feeds(seed, **sizes)
        references = qdq.run(self.proto, feeds, optimize=False)
        for name, a, b in zip(
            [o.name for o in self.proto.graph.output], self.run(feeds), references, strict=True
        ):
            assert a.shape == b.shape, f"{name}: {a.shape}, expected {b.shape}"
            assert a.dtype == b.dtype, f"{name}: {a.dtype}, expected {b.dtype}"
            actual, expected = (v.astype(np.float64) for v in (a, b))
            error = np.abs(actual - expected)
            near = relative * float(np.abs(expected).max(initial=1e-6))
            quantum = float(np.ptp(expected)) / 255 if expected.size else 0.0
            limit = near + (quanta or 3.0) * quantum
            worst = float(error.max(initial=0.0))
            assert worst <= limit, f"{name}: off by {worst:.4g}, at most {limit:.4g} expected"
            if not quanta:
                share = float(np.mean(error > near)) if error.size else 0.0
                assert share <= 0.02, (
                    f"{name}: {share:.1%} of the values are off by over {near:.4g}"
                )


def compile_builder(
    builder: QdqBuilder,
    folder: Path,
    sizes: Mapping[str, int] | None = None,
    *,
    version: str = DEFAULT_VERSION,
    policy: str = "patterns",
    sums: str = "exact",
    rounding: str = "exact",
) -> Compiled:
    """Builds the model, calibrated on inputs of `sizes`, and compiles it. `folder` gets the model file.

    Unlike the compiler's default, `rounding` is exact unless set otherwise: integers are compared with ONNX
    Runtime's.
    """
    proto = builder.build(builder.feeds(**(sizes or {})))
    path = folder / f"{builder.name}.onnx"
    path.write_bytes(proto.SerializeToString())
    options = CompileOptions(path, version=version, policy=policy, sums=sums, rounding=rounding)
    return Compiled(builder, proto, compile_model(options))


def expect(
    builder: QdqBuilder,
    folder: Path,
    groups: Sequence[str],
    *sizes: Mapping[str, int],
    fused: Sequence[str] = (),
    relative: float = 1e-5,
    quanta: float = 0.0,
    version: str = DEFAULT_VERSION,
) -> Compiled:
    """Compiles the model and fails unless it has exactly these groups, the ONNX kinds `fused` are not found
    outside partitions, and the one plan computes what ONNX Runtime does, for inputs of all `sizes`.

    A plan for a newer library than the installed one is not run."""
    first = dict(sizes[0]) if sizes else dict[str, int]()
    compiled = compile_builder(builder, folder, first, version=version)
    assert compiled.groups == sorted(groups), f"{compiled.groups}, expected {sorted(groups)}"
    for kind in fused:
        assert not compiled.outside[kind], f"{kind} is outside: {dict(compiled.outside)}"
    if not _runs(version):
        return compiled
    for seed, input_sizes in enumerate(sizes or ({},), 1):
        compiled.check(seed, relative=relative, quanta=quanta, **input_sizes)
    return compiled


@dataclass(frozen=True)
class Layer:
    """One partition of a plan, run on what ONNX Runtime computed for its inputs."""

    name: str
    rule: str
    """The rule that made it."""
    dtype: str
    off: float
    """The largest difference from ONNX Runtime's result: in quanta where that is integers, else relative to
    its largest magnitude."""
    share: float
    """The share of values that differ at all; of floats, by more than 1e-5 of the largest magnitude."""


def layers(result: CompileResult, proto: ModelProto, feeds: Mapping[str, Array]) -> list[Layer]:
    """Every partition of a plan on its own, compared with the tensors of the model in ONNX Runtime, which
    runs without its optimizations.

    Fails if a partition reads or makes a value that the model does not have.
    """
    # Values inside a function may be named after their node; names of tensors take precedence.
    tensor_names = {node.name: node.output[0] for node in proto.graph.node}
    tensor_names |= {output: output for node in proto.graph.node for output in node.output}
    names: dict[SSAValue, str] = {}
    partitions: list[PartitionOp] = []
    for func in result.module.body.ops:
        if not isinstance(func, FuncOp) or not func.target.is_dnnl:
            continue
        for name, value in func.inputs:
            names[value] = name
        for op in func.body.block.ops:
            if op.name == "quant.scast":
                names[op.results[0]] = names[op.operands[0]]
            if isinstance(op, OnnxOp):
                node_values = {v: op.value_name(v.index) for v in op.results}
                names |= {v: name for v, name in node_values.items() if name in tensor_names}
            if isinstance(op, PartitionOp):
                partitions.append(op)
                names |= {v: value_name(v) or op.identity for v in op.outputs}
        names |= {value: name for name, value in func.outputs}
    for value, name in names.items():
        # A dequantize with several readers was copied.
        base = name.partition("__copy")[0]
        names[value] = tensor_names.get(base, base)
    tensors = _Tensors(result, names, dict(feeds))
    borders = {names[v] for p in partitions for v in (*p.inputs, *p.outputs) if v in names}
    tensors.by_name |= inner_tensors(
        proto, feeds, sorted((borders & set(tensor_names)) - set(feeds))
    )
    compared: list[Layer] = []
    for op in partitions:
        reads = [laid_out(v, tensors[v]) for v in op.inputs]
        ready = LoadedPartition(op, library()).compile(
            [tensor.shape for tensor in reads],
            [[step // tensor.itemsize for step in tensor.strides] for tensor in reads],
        )
        writes = [
            _strided(t.dims or (), t.strides, dtype_of(v.type) or np.dtype("f4"))
            for t, v in zip(ready.results, op.outputs, strict=True)
        ]
        ready.bind([t.ctypes.data for t in reads], [t.ctypes.data for t in writes])()
        for value, actual in zip(op.outputs, writes, strict=True):
            # A cast that was lifted over a view computes a value that the model does not have.
            expected = tensors.by_name.setdefault(names[value], actual)
            compared.append(_layer(op.identity, op.rule.data, actual, expected))
    return compared


@dataclass
class _Tensors:
    """The tensors of a plan: those of the model by name, constants, and moves of both."""

    result: CompileResult
    names: Mapping[SSAValue, str]
    by_name: dict[str, Array]

    def __getitem__(self, value: SSAValue) -> Array:
        if (name := self.names.get(value)) in self.by_name:
            return self.by_name[name or ""]
        constant = constant_array(value, self.result.store)
        return self._moved(value) if constant is None else constant

    def _moved(self, value: SSAValue) -> Array:
        op = value.owner
        move = reading_of(op, self.__getitem__) if isinstance(op, OnnxOp) else None
        assert move is not None, f"nobody knows {value}"
        results = moved(move, [self[v] for v in moved_operands(cast("OnnxOp", op))])
        return results[cast("OpResult", value).index]


def _layer(name: str, rule: str, actual: Array, expected: Array) -> Layer:
    error = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    if expected.dtype.kind == "f":
        error /= max(float(np.abs(expected.astype(np.float64)).max(initial=0.0)), 1e-30)
    share = (
        float(np.mean(error > (1e-5 if expected.dtype.kind == "f" else 0.0))) if error.size else 0.0
    )
    return Layer(name, rule, expected.dtype.name, float(error.max(initial=0.0)), share)


def laid_out(value: SSAValue, array: Array) -> Array:
    """The array, with the memory layout of the type of a value in the plan."""
    layout = layout_of(value.type)
    order = layout.order if isinstance(layout, OrderLayout) else tuple(range(array.ndim))
    strides = dense_strides(array.shape, order)
    tensor = _strided(array.shape, strides, array.dtype)
    tensor[...] = array
    return tensor


def _strided(shape: Sequence[int], strides: Sequence[int] | None, dtype: np.dtype[Any]) -> Array:
    steps = dense_strides(shape) if strides is None else strides
    extent = 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    # Some kernels write rows behind their result: see `runtime.plan.partitions.Pointwise`.
    room = Pointwise.ROWS * max(shape, default=1)
    flat: Array = np.zeros(max(extent, 1) + room, dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * flat.itemsize for s in steps])


def inner_tensors(
    proto: ModelProto, feeds: Mapping[str, Array], names: Sequence[str]
) -> dict[str, Array]:
    """Tensors of a model, inner ones too, in ONNX Runtime without its optimizations."""
    extended = ModelProto()
    extended.CopyFrom(proto)
    output_names = {o.name for o in extended.graph.output}
    results = {output for node in extended.graph.node for output in node.output}
    for name in names:
        assert name in results, f"{name} is not a tensor of the model"
        if name not in output_names:
            extended.graph.output.append(helper.make_empty_tensor_value_info(name))
    return dict(zip(names, qdq.run(extended, feeds, names, optimize=False), strict=True))


def _runs(version: str) -> bool:
    """Whether the installed library is at least of a version."""
    return library().version[:2] >= tuple(map(int, version.split(".")))
