"""The ways back from Top mean what TPU-MLIR means: the emulator computes the same, kind by kind.

Most of these kinds are none that our conversions make: TPU-MLIR's first step makes them of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import needs_toolchain
from sampled import sample
from xdsl.dialects.builtin import FunctionType, ModuleOp, NoneType, StringAttr, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, register, store_for
from autosplit.dialects.top import AttrValue, make_op
from autosplit.formats.onnx.writer import model_proto
from autosplit.formats.top_mlir.writer import write_top
from autosplit.lowering.convert_top_to_onnx import RETURNS, convert_back
from autosplit.runtime.bmodel.process import BmodelProcess
from autosplit.toolchains.bmodel_compile import compile_top

Array = np.ndarray[Any, Any]


def numbers(*shape: int, seed: int = 0, low: float = -3.0, high: float = 3.0) -> Array:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


@dataclass(frozen=True)
class Given:
    """An operand that is an input."""

    array: Array


@dataclass(frozen=True)
class One:
    """A module of one op: an array is a weight, None is left out."""

    kind: str
    operands: Sequence[Given | Array | None]
    shapes: Sequence[tuple[int, ...] | None]
    attrs: Mapping[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    chip: str = "bm1684"

    def feeds(self) -> dict[str, Array]:
        return {f"x{i}": o.array for i, o in enumerate(self.operands) if isinstance(o, Given)}


def module_of(one: One) -> ModuleOp:
    feeds, store = one.feeds(), WeightStore()
    block = Block(arg_types=[TensorType(f32, a.shape) for a in feeds.values()])
    values: dict[str, SSAValue] = {}

    def add(
        kind: str, operands: list[SSAValue], types: list[Any], names: list[str], **attrs: Any
    ) -> Any:
        op = make_op(kind, operands, types, names, attrs)
        block.add_op(op)
        return op.results

    for name, argument in zip(feeds, block.args, strict=True):
        (values[name],) = add("Input", [argument], [argument.type], [name])
    none: SSAValue | None = None
    operands: list[SSAValue] = []
    for i, operand in enumerate(one.operands):
        if isinstance(operand, Given):
            operands.append(values[f"x{i}"])
        elif operand is None:
            if none is None:
                (none,) = add("None", [], [NoneType()], ["none"])
            assert none is not None
            operands.append(none)
        else:
            store.add(f"w{i}", lambda array=operand: array)
            operands += add("Weight", [], [TensorType(f32, operand.shape)], [f"w{i}"])
    types = [NoneType() if s is None else TensorType(f32, s) for s in one.shapes]
    names = [f"y{i}" for i in range(len(types))]
    results = add(one.kind, operands, types, names, **one.attrs)
    wanted = [r for r in results if not isinstance(r.type, NoneType)]
    block.add_op(ReturnOp(*wanted))
    signature = FunctionType.from_lists([a.type for a in block.args], [v.type for v in wanted])
    module = ModuleOp(
        [FuncOp("main", signature, Region(block))],
        {
            "module.chip": StringAttr("ALL"),
            "module.platform": StringAttr("ONNX"),
            "module.state": StringAttr("TOP_F32"),
            "module.top_run_mode": StringAttr("STATIC"),
        },
        StringAttr("net"),
    )
    store.file_digest = f"{one.kind} {id(store)}"
    register(store, module)
    return module


def on_the_way_back(module: ModuleOp, feeds: dict[str, Array]) -> list[Array]:
    ort = pytest.importorskip("onnxruntime")
    back = convert_back(module)
    back.verify()
    options = ort.SessionOptions()
    options.log_severity_level = 4
    data = model_proto(back, store_for(back)).SerializeToString()
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def on_the_emulator(one: One, module: ModuleOp, folder: Path) -> list[Array]:
    write_top(module, folder, "model")
    compiled = compile_top(
        {
            "mlir": "model.mlir",
            "weights": "model_weights.npz",
            "chip": one.chip,
            "mode": "F32",
            "net": "net",
        },
        folder,
        say=lambda line: None,
    )
    with BmodelProcess(compiled.bmodel, one.chip, timeout=120) as process:
        return list(process.run(one.feeds()).values())


IMAGE = (1, 8, 6, 10)
X = Given(numbers(*IMAGE))
Y = Given(numbers(*IMAGE, seed=1))
POSITIVE = Given(numbers(*IMAGE, low=0.2))
BITS = Given((numbers(*IMAGE, seed=2) > 0).astype(np.float32))
WINDOW: dict[str, AttrValue] = {
    "kernel_shape": [3, 3],
    "strides": [1, 1],
    "pads": [1, 1, 1, 1],
}
LIMIT: dict[str, AttrValue] = {"do_relu": True, "relu_limit": 1.5}


def same(
    kind: str, *operands: Given | Array | None, chip: str = "bm1684", **attrs: AttrValue
) -> One:
    """An op whose result has the image's shape."""
    return One(kind, operands, [IMAGE], attrs, chip)


CASES: dict[str, One] = {
    "Abs": same("Abs", X),
    "Add": same("Add", X, Y, do_relu=True),
    "Add/limit": One("Add", [X, Y], [IMAGE], LIMIT),
    "AddConst": same("AddConst", X, const_val=1.25),
    "AddConst/relu": same("AddConst", X, const_val=1.25, do_relu=True),
    "Arg/max": One("Arg", [X], [(1, 8, 6, 1), None], {"axis": 3, "keepdims": True, "mode": "ArgMax"}),
    "Arg/min": One("Arg", [X], [(1, 6, 10), None], {"axis": 1, "keepdims": False, "mode": "ArgMin"}),
    "AvgPool/relu": One("AvgPool", [X], [IMAGE], WINDOW | {"do_relu": True}),
    "AvgPool/pads": One("AvgPool", [X], [IMAGE], WINDOW | {"count_include_pad": True}),
    "BatchNorm": same(
        "BatchNorm",
        X,
        numbers(8, seed=3),
        numbers(8, seed=4, low=0.5),
        numbers(8, seed=5),
        numbers(8, seed=6),
    ),
    "Ceil": same("Ceil", X, chip="bm1684x"),
    "Clip": same("Clip", X, min=-0.5, max=1.0),
    "Compare": same("Compare", X, Y, mode="Greater"),
    "CompareConst": same("CompareConst", X, mode="Less", const_val=0.5, inversed=False),
    "CompareConst/inversed": same("CompareConst", X, mode="Less", const_val=0.5, inversed=True),
    "CompareConst/not": same("CompareConst", BITS, mode="Not", const_val=0.0, inversed=False),
    "Concat": One("Concat", [X, Y], [(1, 16, 6, 10)], {"axis": 1}),
    "Conv/limit": One("Conv", [X, numbers(4, 8, 3, 3), None], [(1, 4, 6, 10)], WINDOW | LIMIT),
    "Deconv": One(
        "Deconv",
        [X, numbers(2, 8, 2, 2), numbers(4, seed=1)],
        [(1, 4, 12, 20)],
        {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0] * 4, "group": 2, "do_relu": True},
    ),
    "Depth2Space/crd": One(
        "Depth2Space",
        [X],
        [(1, 2, 12, 20)],
        {"block_h": 2, "block_w": 2, "is_CRD": True, "is_inversed": False},
    ),
    "Depth2Space/dcr": One(
        "Depth2Space",
        [X],
        [(1, 2, 12, 20)],
        {"block_h": 2, "block_w": 2, "is_CRD": False, "is_inversed": False},
    ),
    "Depth2Space/inverse": One(
        "Depth2Space",
        [X],
        [(1, 32, 3, 5)],
        {"block_h": 2, "block_w": 2, "is_CRD": False, "is_inversed": True},
    ),
    "Depth2Space/inverse-crd": One(
        "Depth2Space",
        [X],
        [(1, 32, 3, 5)],
        {"block_h": 2, "block_w": 2, "is_CRD": True, "is_inversed": True},
    ),
    "Div": same("Div", X, POSITIVE),
    "DivConst": same("DivConst", X, const_val=4.0, chip="bm1684x"),
    "Elu": same("Elu", X, alpha=0.7, chip="bm1684x"),
    "GELU": same("GELU", X, chip="bm1684x"),
    "GELU/tanh": same("GELU", X, approx_mode="tanh", chip="bm1684x"),
    "GELU/sigm": same("GELU", X, approx_mode="sigm", chip="bm1684x"),
    "GroupNorm/plain": same("GroupNorm", X, None, None, num_groups=2, eps=1e-5, chip="bm1684x"),
    "InstanceNorm/plain": same("InstanceNorm", X, None, None, eps=1e-5, chip="bm1684x"),
    "Interp/nearest": One(
        "Interp", [X, None], [(1, 8, 12, 20)],
        {"mode": "nearest", "coord_mode": "half_pixel", "scale_h": 2.0, "scale_w": 2.0},
    ),
    "LayerNorm/plain": same(
        "LayerNorm", X, None, None, normalized_shape=[10], axis=3, eps=1e-5, chip="bm1684x"
    ),
    "LeakyRelu": same("LeakyRelu", X, alpha=0.2),
    "MaskedFill": same("MaskedFill", BITS, X, inversed=True, const_val=7.0),
    "MaskedFill/bm1684x": same("MaskedFill", BITS, X, inversed=True, const_val=7.0, chip="bm1684x"),
    "MatMul/right": One(
        "MatMul", [Given(numbers(5, 9)), numbers(7, 9), numbers(7, seed=1)], [(5, 7)],
        {"right_transpose": True, "do_relu": True}, "bm1684x",
    ),
    "MaxConst": same("MaxConst", X, const_val=0.3),
    "MaxPool/limit": One("MaxPool", [X], [IMAGE], WINDOW | LIMIT, "bm1684x"),
    "MinConst": same("MinConst", X, const_val=0.3),
    "MulConst": same("MulConst", X, const_val=-2.5, do_relu=True),
    "Pow": same("Pow", POSITIVE, exponent=1.7),
    "Pow2": same("Pow2", X, const_val=2.0),
    "PRelu": same("PRelu", X, numbers(1, 8, 1, 1)),
    "Reciprocal": same("Reciprocal", POSITIVE, const_val=3.0),
    "Relu/limit": same("Relu", X, relu_limit=1.0),
    "Remainder": same("Remainder", POSITIVE, Given(numbers(*IMAGE, seed=9, low=0.3)), chip="bm1684x"),
    "Reverse": same("Reverse", X, axis=1, chip="bm1684x"),
    "RMSNorm": same("RMSNorm", X, numbers(10), eps=1e-5, chip="bm1684x"),
    "Rsqrt": same("Rsqrt", POSITIVE, chip="bm1684x"),
    "Scale": same("Scale", X, numbers(1, 8, 1, 1), numbers(1, 8, 1, 1, seed=1), do_relu=True),
    "Scale/list": same("Scale", X, numbers(1, 8), numbers(1, 8, seed=1)),
    "ShuffleChannel": same("ShuffleChannel", X, group=2),
    "Sigmoid/log": same("Sigmoid", X, log=True, chip="bm1684x"),
    "SiLU": same("SiLU", X),
    "Slice": One(
        "Slice",
        [X, None, None, None],
        [(1, 4, 6, 5)],
        {"offset": [0, 2, 0, 1], "steps": [1, 1, 1, 2], "ends": [1, 6, 6, 10]},
    ),
    "Slice/negative": One(
        "Slice",
        [X, None, None, None],
        [(1, 8, 6, 3)],
        {"offset": [0, 0, 0, -4], "steps": [1] * 4, "ends": [1, 8, 6, -1]},
    ),
    "Softmax/beta": same("Softmax", X, axis=1),
    "Split": One("Split", [X], [(1, 3, 6, 10), (1, 5, 6, 10)], {"axis": 1, "num": 2, "split_size": [3, 5]}),
    "SubConst": same("SubConst", X, const_val=1.5),
    "SubConst/reverse": same("SubConst", X, const_val=1.5, is_reverse=True),
    "SwapDimInner": same("SwapDimInner", X, offset=[0, 3, 0, 0], chip="bm1684x"),
    "Swish": same("Swish", X, beta=0.8, chip="bm1684x"),
    "Unpack": One("Unpack", [Given(numbers(1, 3, 6, 10))], [(1, 6, 10)] * 3, {"axis": 1}),
    "Upsample": One("Upsample", [X], [(1, 8, 12, 20)], {"scale_h": 2, "scale_w": 2}),
    "Where/constant": same("Where", BITS, X, None, y_is_const=True, y_const_val=-2.0, chip="bm1684x"),
    "Where/constants": same(
        "Where", BITS, None, Y, x_is_const=True, x_const_val=4.0, chip="bm1684x"
    ),
}  # fmt: skip


@needs_toolchain
@pytest.mark.parametrize("key", sample(CASES, 12))
def test_kind(key: str, tmp_path: Path) -> None:
    one = CASES[key]
    module = module_of(one)
    module.verify()
    wanted = on_the_way_back(module, one.feeds())
    found = on_the_emulator(one, module, tmp_path)
    assert len(found) == len(wanted)
    for f, w in zip(found, wanted, strict=True):
        assert f.shape == w.shape
        np.testing.assert_allclose(f, w, 2e-4, 2e-4 * np.abs(w).max())


# What has no way back says so


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (
            One("Conv", [X, numbers(8, 8, 3, 3), None], [IMAGE], WINDOW | {"inserts": [1, 1]}),
            "'y0' puts zeros",
        ),
        (One("AvgPool", [X], [(1, 8, 6, 10)], WINDOW | {"is_adaptive": True}), "varying sizes"),
        (same("Csc", X, pixel_format="rgb", aligned=False, y_align=1, w_align=1, channel_align=1),
         "top.Csc 'y0' has no way back to ONNX"),
        (same("Add", X, Y, coeff=[2.0, 1.0]), "has factors"),
        (same("Sub", X, Y, is_reverse=True), "has is_reverse"),
        (same("DivConst", X, const_val=2.0, is_reverse=True), "has is_reverse"),
        (same("MaskedFill", BITS, X, const_val=2.0, inversed=False), "is not inversed"),
        (same("Pad", X, paddings=[0] * 8, mode="symmetric"), "has mode 'symmetric'"),
    ],
)  # fmt: skip
def test_what_has_no_way_back(one: One, message: str) -> None:
    with pytest.raises(AutosplitError, match=message):
        convert_back(module_of(one))


def test_a_module_of_another_dialect() -> None:
    with pytest.raises(AutosplitError, match="has no function main"):
        convert_back(ModuleOp([]))


def test_cases_are_of_known_kinds() -> None:
    assert {one.kind for one in CASES.values()} <= set(RETURNS)
