"""Numbers of a chip's emulator beside those of ONNX Runtime, for models of one or a few ops.

    y = model("Relu", [Given("x", x)])
    compare(y, {"x": x}, chip="bm1684")

A model goes the whole way: normalized, checked, converted, written, compiled, and run on the emulator.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Block, OpResult, Region, SSAValue

from autosplit.devices import get_chip
from autosplit.dialects.top import TopOp
from autosplit.formats.top_mlir.writer import write_top
from autosplit.lowering.convert_onnx_to_top.check import check_module
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.submodel.lower_submodel import chip_top
from autosplit.platforms import load_model
from autosplit.registry import make_context
from autosplit.runtime.bmodel.process import BmodelProcess
from autosplit.toolchains.bmodel_compile import Port, Settings, compile_top

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]

OPSET = 21
TOLERANCE = {"F32": 2e-5, "F16": 2e-2, "BF16": 8e-2}
"""How far results may be off, for each mode, measured against the largest number of the result."""


def one_op(
    kind: str,
    operands: Sequence[Array | str | None],
    feeds: Feeds,
    results: int = 1,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one op: an array is a constant, a name an input of `feeds`, None is left out."""
    names = [
        "" if o is None else (o if isinstance(o, str) else f"c{i}") for i, o in enumerate(operands)
    ]
    constants = {f"c{i}": o for i, o in enumerate(operands) if isinstance(o, np.ndarray)}
    outputs = [f"out{i}" for i in range(results)] if results > 1 else ["out"]
    node = helper.make_node(kind, names, outputs, name="node", **attributes)
    return many_ops([node], feeds, outputs, constants)


def many_ops(
    nodes: Sequence[onnx.NodeProto],
    feeds: Feeds,
    outputs: Sequence[str],
    constants: Feeds | None = None,
) -> onnx.ModelProto:
    """A model of the nodes; its inputs are those of `feeds`, the types of its outputs are inferred."""
    graph = helper.make_graph(
        list(nodes),
        "g",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in feeds.items()
        ],
        [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in outputs],
        [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    known = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    types = {v.name: v for v in [*known.graph.value_info, *known.graph.output, *known.graph.input]}
    del model.graph.output[:]
    model.graph.output.extend(types[n] for n in outputs)
    return model


def normalized(model: onnx.ModelProto) -> ModuleOp:
    """The model in canonical form."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model, path)
        loaded = load_model(path)
        module = loaded.module
        normalize(module)
    return module


def refusals(
    model: onnx.ModelProto, chip: str = "bm1684", mode: str = "F32"
) -> list[tuple[str, str]]:
    """Code and text of why a chip does not run the model."""
    refused = check_module(normalized(model), get_chip(chip), mode=mode)
    return [(r.code.data, r.text.data) for r in refused.values()]


def module_of(block: Block) -> ModuleOp:
    """A Top module whose function has this body."""
    types = FunctionType.from_lists([a.type for a in block.args], [])
    return ModuleOp([func.FuncOp("main", types, Region(block))])


def top_module(
    model: onnx.ModelProto, chip: str = "bm1684", mode: str = "F32", dynamic: bool = False
) -> ModuleOp:
    """The model as a Top module."""
    ctx = make_context()
    return chip_top(ctx, normalized(model), get_chip(chip), dynamic, mode=mode)


def on_chip(
    model: onnx.ModelProto, feeds: Feeds, chip: str = "bm1684", mode: str = "F32"
) -> list[Array]:
    """What the chip's emulator computes, in the order of the model's outputs."""
    module = top_module(model, chip, mode)
    with tempfile.TemporaryDirectory() as folder:
        write_top(module, Path(folder), "model")
        compiled = compile_top(_settings(module, chip, mode), folder, say=lambda line: None)
        with BmodelProcess(compiled.bmodel, chip, timeout=60) as process:
            wanted = {t.name: np.dtype(t.dtype) for t in process.networks[0].inputs}
            given = {n: a.astype(wanted[n]) for n, a in feeds.items() if n in wanted}
            made = list(process.run({n: _shaped(a) for n, a in given.items()}).values())
    return made


def _shaped(array: Array) -> Array:
    return array.reshape(array.shape or (1,))


def _settings(module: ModuleOp, chip: str, mode: str) -> Settings:
    def ports(values: Iterable[SSAValue]) -> list[Port]:
        return [_port(value) for value in values]

    inputs = [o.results[0] for o in module.walk() if isinstance(o, TopOp) and o.kind == "Input"]
    (returned,) = [o for o in module.walk() if isinstance(o, func.ReturnOp)]
    return {
        "mlir": "model.mlir",
        "weights": "model_weights.npz",
        "chip": chip,
        "mode": mode,
        "net": "net",
        "inputs": ports(inputs),
        "outputs": ports(returned.operands),
    }


def _port(value: SSAValue) -> Port:
    assert isinstance(value, OpResult)
    assert isinstance(value.op, TopOp)
    assert isinstance(value.type, TensorType)
    name, shape = value.op.names[value.index], list(value.type.get_shape())
    return {"name": name, "shape": shape, "dtype": "float32"}


def reference(model: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    """What ONNX Runtime computes; between casts in float32, as its integers saturate without VNNI."""
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    if any(node.op_type == "DequantizeLinear" for node in model.graph.node):
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, dict(feeds))


def compare(
    model: onnx.ModelProto,
    feeds: Feeds,
    chip: str = "bm1684",
    mode: str = "F32",
    tolerance: float | None = None,
) -> None:
    """Asserts that the chip computes what ONNX Runtime does; integers and booleans exactly."""
    found, wanted = on_chip(model, feeds, chip, mode), reference(model, feeds)
    assert len(found) == len(wanted)
    for value, f, w in zip(model.graph.output, found, wanted, strict=True):
        close(f, w, TOLERANCE[mode] if tolerance is None else tolerance, value.name)


def close(found: Array, wanted: Array, tolerance: float, name: str = "") -> None:
    """Asserts that numbers are near: within `tolerance` of the largest finite one; infinite ones equal."""
    assert found.shape == (wanted.shape or (1,)), name
    if wanted.dtype.kind != "f":
        expected = wanted.reshape(found.shape).astype(found.dtype)
        np.testing.assert_array_equal(found, expected, name)
        return
    wanted = wanted.reshape(found.shape)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(np.where(finite, 0, found), np.where(finite, 0, wanted), name)
    largest = np.abs(wanted[finite]).max(initial=0)
    np.testing.assert_allclose(
        found[finite], wanted[finite], tolerance, tolerance * largest, err_msg=name
    )


# Models of many ops beside each other


RNG: Any = np.random.default_rng(7)


def restart() -> None:
    """Lets the numbers that follow be the same whatever was drawn before: called at a test file's start."""
    RNG.bit_generator.state = np.random.default_rng(7).bit_generator.state


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


def number(value: float) -> Array:
    return np.array(value, np.float32)


@dataclass(frozen=True)
class Given:
    """An operand that is an input of the model."""

    array: Array


@dataclass(frozen=True)
class Case:
    """One op: arrays are constants, a number is an earlier operand once more, None is left out."""

    kind: str
    operands: list[Any]
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    results: int = 1


def op(kind: str, *operands: Any, results: int = 1, **attributes: Any) -> Case:
    return Case(kind, list(operands), attributes, results)


def given(*shape: int) -> Given:
    return Given(normal(*shape))


def build(cases: Iterable[Case]) -> tuple[Any, dict[str, Array]]:
    """One model of all cases, and what to feed it."""
    nodes: list[onnx.NodeProto] = []
    outputs: list[str] = []
    feeds: dict[str, Array] = {}
    constants: dict[str, Array] = {}
    for i, case in enumerate(cases):
        names: list[str] = []
        for j, operand in enumerate(case.operands):
            name = "" if operand is None else f"{case.kind}{i}_{j}"
            if isinstance(operand, int):
                name = names[operand]
            elif isinstance(operand, Given):
                feeds[name] = operand.array
            elif operand is not None:
                constants[name] = operand
            names.append(name)
        results = [f"{case.kind}{i}_result{k}" for k in range(case.results)]
        nodes.append(
            helper.make_node(case.kind, names, results, f"{case.kind}{i}", **case.attributes)
        )
        outputs += results
    return many_ops(nodes, feeds, outputs, constants), feeds
