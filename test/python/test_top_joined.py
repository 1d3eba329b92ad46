"""Ops that are right alone and wrong together: joined by TPU-MLIR, or masks before a Softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import NodeProto, helper
from sampled import sample
from top_numbers import compare, many_ops, module_of, top_module
from xdsl.context import Context
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block, SSAValue

from autosplit.core.weights import store_for
from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.top.divide_by_roots import TopDivideByRootsPass
from autosplit.lowering.top.finite_masks import LARGEST

N = helper.make_node
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2, 4, 6, 16)).astype(np.float32)
SCALE = RANDOM.normal(size=16).astype(np.float32)
COS, SIN = (f(RANDOM.random((6, 16)) * 6).astype(np.float32) for f in (np.cos, np.sin))

MEAN = [
    N("Mul", ["x", "x"], ["square"]),
    N("ReduceMean", ["square", "last"], ["mean"]),
    N("Add", ["mean", "tiny"], ["sum"]),
    N("Sqrt", ["sum"], ["root"]),
]
INVERSE = [*MEAN, N("Reciprocal", ["root"], ["inverse"])]
HALVES = [N("Split", ["x"], ["a", "b"], axis=-1, num_outputs=2), N("Neg", ["b"], ["minus"])]
EVEN_AND_ODD = [
    N("Slice", ["x", "zero", "end", "last", "two"], ["a"]),
    N("Slice", ["x", "one", "end", "last", "two"], ["b"]),
    N("Neg", ["b"], ["minus"]),
    N("Unsqueeze", ["minus", "last"], ["u"]),
    N("Unsqueeze", ["a", "last"], ["v"]),
]
TURNED = [
    N("Mul", ["x", "cos"], ["c"]),
    N("Mul", ["turned", "sin"], ["s"]),
    N("Add", ["c", "s"], ["y"]),
]

IDIOMS: dict[str, Sequence[NodeProto]] = {
    "rms norm": [
        *INVERSE,
        N("Mul", ["x", "inverse"], ["normal"]),
        N("Mul", ["normal", "scale"], ["y"]),
    ],
    "rms norm, the other way round": [
        *INVERSE,
        N("Mul", ["inverse", "x"], ["normal"]),
        N("Mul", ["scale", "normal"], ["y"]),
    ],
    "rms norm, divided": [
        *MEAN,
        N("Div", ["x", "root"], ["normal"]),
        N("Mul", ["normal", "scale"], ["y"]),
    ],
    "rms norm whose inverse is read by others": [
        *INVERSE,
        N("Mul", ["x", "inverse"], ["normal"]),
        N("Mul", ["normal", "scale"], ["scaled"]),
        N("Add", ["scaled", "inverse"], ["y"]),
    ],
    "rms norm without a scale": [*INVERSE, N("Mul", ["x", "inverse"], ["y"])],
    "rotary embedding of halves": [
        *HALVES,
        N("Concat", ["minus", "a"], ["turned"], axis=-1),
        *TURNED,
    ],
    "rotary embedding of pairs": [
        *EVEN_AND_ODD,
        N("Concat", ["u", "v"], ["pairs"], axis=-1),
        N("Reshape", ["pairs", "shape"], ["turned"]),
        *TURNED,
    ],
}

CONSTANTS = {
    "last": np.array([-1]),
    "tiny": np.array([1e-6], np.float32),
    "scale": SCALE,
    "cos": COS,
    "sin": SIN,
    "zero": np.array([0]),
    "one": np.array([1]),
    "two": np.array([2]),
    "end": np.array([16]),
    "shape": np.array(X.shape),
}


def check(idiom: str, chip: str, mode: str) -> None:
    nodes = IDIOMS[idiom]
    read = {name for node in nodes for name in node.input}
    constants = {name: array for name, array in CONSTANTS.items() if name in read}
    compare(many_ops(nodes, {"x": X}, ["y"], constants), {"x": X}, chip, mode)


@needs_toolchain
@pytest.mark.parametrize("idiom", IDIOMS)
def test_idioms(idiom: str):
    check(idiom, "bm1684", "F32")


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["F32", "F16"])
@pytest.mark.parametrize("chip", ["bm1684x", "bm1688"])
@pytest.mark.parametrize("idiom", IDIOMS)
def test_idioms_elsewhere(idiom: str, chip: str, mode: str):
    check(idiom, chip, mode)


ABOVE = np.triu(np.ones((6, 6), bool), 1)
SCORES = RANDOM.normal(size=(2, 6, 6)).astype(np.float32)
LOWEST = np.finfo(np.float32).min


def masked(kind: str, lowest: float) -> onnx.ModelProto:
    """Softmax of the scores, of which those above the diagonal are made as low as `lowest`."""
    low = np.array(lowest, np.float32)
    nodes, constants = {
        "added": (
            [N("Add", ["x", "m"], ["a"])],
            {"m": np.where(ABOVE, low, np.float32(0))},
        ),
        "added twice": (
            [N("Add", ["x", "m"], ["b"]), N("Add", ["b", "m"], ["a"])],
            {"m": np.where(ABOVE, low, np.float32(0))},
        ),
        "chosen": ([N("Where", ["m", "low", "x"], ["a"])], {"m": ABOVE, "low": low}),
        "computed": (
            [
                N("Abs", ["m"], ["abs"]),
                N("Mul", ["abs", "low"], ["b"]),
                N("Add", ["x", "b"], ["a"]),
            ],
            {"low": low},
        ),
    }[kind]
    feeds = {"x": SCORES} | ({"m": ABOVE.astype(np.float32)} if kind == "computed" else {})
    return many_ops([*nodes, N("Softmax", ["a"], ["y"])], feeds, ["y"], constants)


MASKS = [("added", -np.inf), ("added", LOWEST), ("added twice", LOWEST), ("chosen", -np.inf)]


@needs_toolchain
@pytest.mark.parametrize(("kind", "lowest"), [*MASKS, ("computed", LOWEST)])
@pytest.mark.parametrize("chip", sample(["bm1684x", "bm1688"]))
def test_masks_in_bf16(kind: str, lowest: float, chip: str):
    """What is -inf, or becomes it in bf16, would give NaN everywhere."""
    feeds = {"x": SCORES, "m": ABOVE.astype(np.float32)}
    given = {name: feeds[name] for name in (["x", "m"] if kind == "computed" else ["x"])}
    compare(masked(kind, lowest), given, chip, "BF16")


def constants_of(model: onnx.ModelProto, mode: str) -> list[float]:
    """The smallest numbers of the weights and fill values of a Top module."""
    module = top_module(model, "bm1688", mode)
    store = store_for(module)
    ops = [op for op in module.walk() if isinstance(op, TopOp)]
    weights = [op.names[0] for op in ops if op.kind == "Weight"]
    fills = [op.number("const_val") for op in ops if "const_val" in op.attributes]
    return [float(store.array(name).min()) for name in weights] + fills


def test_masks_are_finite_in_bf16_only():
    for kind, lowest in [("added", -np.inf), ("added twice", LOWEST), ("chosen", LOWEST)]:
        assert min(constants_of(masked(kind, lowest), "F16")) == lowest
        assert min(constants_of(masked(kind, lowest), "BF16")) == -LARGEST["BF16"]


def test_what_is_read_elsewhere_keeps_its_numbers():
    nodes = [N("Add", ["x", "m"], ["a"]), N("Softmax", ["a"], ["y"]), N("Relu", ["a"], ["z"])]
    model = many_ops(
        nodes, {"x": SCORES}, ["y", "z"], {"m": np.where(ABOVE, LOWEST, np.float32(0))}
    )
    assert min(constants_of(model, "BF16")) == LOWEST


T = TensorType(f32, [2, 3])


def block_of(*nodes: tuple[str, tuple[str, ...]]) -> Block:
    """Ops by kind, which are called so too, and operands; `x` is there."""
    block = Block(arg_types=[T])
    values: dict[str, SSAValue] = {"x": block.args[0]}
    for kind, operands in nodes:
        op = make_op(kind, [values[o] for o in operands], [T], [kind], {})
        block.add_op(op)
        values[kind] = op.outputs[0]
    return block


def kinds(block: Block) -> list[str]:
    return [op.kind for op in block.ops if isinstance(op, TopOp)]


INVERSE_ROOT = [("Sqrt", ("x",)), ("Reciprocal", ("Sqrt",)), ("Mul", ("x", "Reciprocal"))]


def test_a_product_with_the_inverse_of_a_root_is_a_division():
    block = block_of(*INVERSE_ROOT)
    TopDivideByRootsPass("bm1684").apply(Context(), module_of(block))
    assert kinds(block) == ["Sqrt", "Div"]
    last = block.last_op
    assert isinstance(last, TopOp)
    assert last.names == ("Mul",)


def test_an_inverse_that_others_read_stays():
    block = block_of(*INVERSE_ROOT, ("Add", ("Reciprocal", "Mul")))
    TopDivideByRootsPass("bm1684").apply(Context(), module_of(block))
    assert kinds(block) == ["Sqrt", "Reciprocal", "Div", "Add"]


def test_other_products_and_other_chips_stay():
    block = block_of(("Reciprocal", ("x",)), ("Mul", ("x", "Reciprocal")))
    TopDivideByRootsPass("bm1684").apply(Context(), module_of(block))
    assert kinds(block) == ["Reciprocal", "Mul"]
    block = block_of(*INVERSE_ROOT)
    TopDivideByRootsPass("bm1684x").apply(Context(), module_of(block))
    assert kinds(block) == ["Sqrt", "Reciprocal", "Mul"]
