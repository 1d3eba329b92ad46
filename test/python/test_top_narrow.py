"""Pairs of ops and random nets in F16, BF16 and INT8: what is right alone and wrong beside others there.

Operands are rounded to what the mode holds, and in INT8 it is calibrated on them, as `autosplit probe` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import helper
from random_top import RandomModel
from sampled import sample, sample_rows
from top_numbers import Array, many_ops, number, top_module

from autosplit.devices import get_chip
from autosplit.dialects.top import TopOp
from autosplit.lowering.top.f32_values import f32_values
from autosplit.probe.measure import Setup, measure_model
from autosplit.toolchains import tpu_mlir

RUNS = [("bm1684", "INT8")] + [
    (chip, mode) for chip in ("bm1684x", "bm1688") for mode in ("F16", "BF16", "INT8")
]
SHAPE = (1, 6, 8, 10)
RANDOM = np.random.default_rng(1)


def drawn(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


CONSTANTS: dict[str, Array] = {
    "minus": number(-1),
    "factor": number(0.7),
    "zero": number(0),
    "unit": number(1),
    "channels": drawn(1, 6, 1, 1),
    "points": drawn(6, 6, 1, 1),
    "planes": drawn(6, 1, 3, 3),
    "matrix": drawn(10, 10),
    "twice": np.array([1, 1, 2, 2], np.float32),
    "scale": RANDOM.uniform(0.5, 1.5, 6).astype(np.float32),
    "none": np.zeros(6, np.float32),
    "last": np.array([3]),
    "rows": np.array([12, -1]),
    "from": np.array([1]),
    "to": np.array([5]),
    "copies": np.array([1, 2, 1, 1]),
}

Step = tuple[str, str] | tuple[str, str, dict[str, Any]]
"""An op and its operands; `_` is the result before it, and an operand left out is `-`."""

NEAREST = {
    "mode": "nearest",
    "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor",
}

FRONTS: dict[str, Step] = {
    "Neg": ("Neg", "x"),
    "negated": ("Mul", "x minus"),
    "factor": ("Mul", "x factor"),
    "number": ("Add", "x minus"),
    "from a number": ("Sub", "minus x"),
    "number of each channel": ("Add", "x channels"),
    "factor of each channel": ("Mul", "x channels"),
    "divisor": ("Div", "x factor"),
    "quotient": ("Div", "x p"),
    "Reciprocal": ("Reciprocal", "p"),
    "from a number of each channel": ("Sub", "channels x"),
    "Add": ("Add", "x z"),
    "Sub": ("Sub", "x z"),
    "Mul": ("Mul", "x z"),
    "Conv": ("Conv", "x points"),
    "depthwise": ("Conv", "x planes", {"group": 6}),
    "ConvTranspose": ("ConvTranspose", "x points"),
    "MatMul": ("MatMul", "x matrix"),
    "MaxPool": ("MaxPool", "x", {"kernel_shape": [2, 2]}),
    "AveragePool": ("AveragePool", "x", {"kernel_shape": [2, 2]}),
    "Concat": ("Concat", "x z", {"axis": 1}),
    "LeakyRelu": ("LeakyRelu", "x", {"alpha": 0.3}),
    "Sigmoid": ("Sigmoid", "x"),
    "Gelu": ("Gelu", "x"),
    "Softmax": ("Softmax", "x"),
    "Transpose": ("Transpose", "x", {"perm": [0, 2, 3, 1]}),
    "ReduceMean": ("ReduceMean", "x last"),
    "Resize": ("Resize", "x - twice", NEAREST),
    "Resize in lines": ("Resize", "x - twice", {"mode": "linear"}),
    "GlobalAveragePool": ("GlobalAveragePool", "x"),
    "BatchNormalization": ("BatchNormalization", "x scale scale none scale"),
}

BEHIND: dict[str, tuple[Step, ...]] = {
    "Relu": (("Relu", "_"),),
    "Clip": (("Clip", "_ zero unit"),),
    "Neg, Relu": (("Neg", "_"), ("Relu", "_")),
    "factor": (("Mul", "_ factor"),),
    "number": (("Add", "_ factor"),),
    "Sigmoid": (("Sigmoid", "_"),),
    "LeakyRelu": (("LeakyRelu", "_"),),
}

MOVES: dict[str, Step] = {
    "Transpose": ("Transpose", "_", {"perm": [0, 2, 3, 1]}),
    "Reshape": ("Reshape", "_ rows"),
    "Flatten": ("Flatten", "_"),
    "Concat": ("Concat", "_ _", {"axis": 1}),
    "SpaceToDepth": ("SpaceToDepth", "_", {"blocksize": 2}),
    "Slice": ("Slice", "_ from to from"),
    "Tile": ("Tile", "_ copies"),
}

COARSE = [("Gelu", "Neg, Relu")]
"""Of Gelu's negative numbers 8 bits hold a few steps."""

PAIRS = [
    (front, behind, shared)
    for front in FRONTS
    for behind in BEHIND
    for shared in (0, 1)
    if (front, behind) not in COARSE
]
SOME_PAIRS = PAIRS[::61]
PRODUCTS = ["Conv", "ConvTranspose", "MatMul", "BatchNormalization"]
MOVED = [(front, move, behind) for behind in BEHIND for front in PRODUCTS for move in MOVES]
SEEDS = range(3000, 3007)
MORE_SEEDS = range(6000, 6126)


def pair(front: str, behind: str, shared: bool) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The ops in a row, and what to feed them; `shared`: the first one's result is an output too."""
    return row([FRONTS[front], *BEHIND[behind]], shared)


def row(steps: Sequence[Step], shared: bool = False) -> tuple[onnx.ModelProto, dict[str, Array]]:
    nodes: list[onnx.NodeProto] = []
    last = ""
    for i, (kind, operands, *attributes) in enumerate(steps):
        names = [{"_": last, "-": ""}.get(name, name) for name in operands.split()]
        last = f"v{i}"
        nodes.append(helper.make_node(kind, names, [last], **(attributes or [{}])[0]))
    read = {name for node in nodes for name in node.input}
    known = {
        "x": np.random.default_rng(2).standard_normal(SHAPE),
        "z": np.random.default_rng(3).standard_normal(SHAPE),
        "p": np.random.default_rng(4).uniform(0.5, 1.5, SHAPE),
    }
    feeds = {name: array.astype(np.float32) for name, array in known.items() if name in read}
    constants = {name: array for name, array in CONSTANTS.items() if name in read}
    return many_ops(nodes, feeds, [last, "v0"] if shared else [last], constants), feeds


def check(model: onnx.ModelProto, feeds: dict[str, Array], chip: str, mode: str) -> None:
    toolchain = tpu_mlir.discover()
    outputs = [value.name for value in model.graph.output]
    found = measure_model(model, feeds, outputs, Setup(get_chip(chip), mode, toolchain))
    if found.code:
        pytest.skip(f"refused: {found.text}")
    assert found.result == "correct", found


@needs_toolchain
@pytest.mark.parametrize(("chip", "mode"), [run for run in RUNS if run[1] == "INT8"])
@pytest.mark.parametrize(("front", "behind", "shared"), sample_rows(SOME_PAIRS, 4))
def test_pairs(front: str, behind: str, shared: bool, chip: str, mode: str):
    check(*pair(front, behind, shared), chip, mode)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize(("chip", "mode"), RUNS)
@pytest.mark.parametrize(("front", "behind", "shared"), PAIRS)
def test_all_pairs(front: str, behind: str, shared: bool, chip: str, mode: str):
    check(*pair(front, behind, shared), chip, mode)


@needs_toolchain
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x", "bm1688"])
@pytest.mark.parametrize(("front", "move", "behind"), sample_rows(MOVED, 38))
def test_moved_products(front: str, move: str, behind: str, chip: str):
    check(*row([FRONTS[front], MOVES[move], *BEHIND[behind]]), chip, "INT8")


@needs_toolchain
@pytest.mark.parametrize("front", sample(PRODUCTS, 4))
def test_moved_products_keep_their_relu(front: str):
    """Joined with the product, it was forgotten on BM1684."""
    for move in ("Transpose", "Reshape", "Concat", "SpaceToDepth"):
        check(*row([FRONTS[front], MOVES[move], *BEHIND["Relu"]]), "bm1684", "INT8")
    check(*row([FRONTS[front], MOVES["Reshape"], *BEHIND["Neg, Relu"]]), "bm1684", "INT8")


@needs_toolchain
@pytest.mark.parametrize(
    ("shape", "mode"),
    [((1, 28, 28, 16), "F16"), ((1, 14, 14, 24), "BF16"), ((3, 14, 14, 3), "F16")],
)
@pytest.mark.parametrize("chip", sample(["bm1684x", "bm1688"]))
def test_linear_layers_of_pictures(shape: tuple[int, ...], mode: str, chip: str):
    """Step 4 ended with an assertion."""
    channels = shape[-1]
    constants = {"wide": drawn(channels, 2 * channels), "narrow": drawn(2 * channels, channels)}
    nodes = [
        helper.make_node("MatMul", ["x", "wide"], ["product"]),
        helper.make_node("Gelu", ["product"], ["active"]),
        helper.make_node("MatMul", ["active", "narrow"], ["y"]),
    ]
    feeds = {"x": drawn(*shape)}
    check(many_ops(nodes, feeds, ["y"], constants), feeds, chip, mode)


@needs_toolchain
@pytest.mark.parametrize("seed", sample(SEEDS))
def test_random_nets(seed: int):
    check_net(seed)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_many_random_nets(seed: int):
    check_net(seed)


def check_net(seed: int) -> None:
    random = RandomModel(seed, 1 + seed % 6)
    chip, mode = RUNS[seed % len(RUNS)]
    check(random.model(), random.feeds(), chip, mode)


@pytest.mark.parametrize(
    ("front", "behind", "chips"),
    [
        ("factor", "Relu", {"bm1684x", "bm1688"}),
        ("factor", "factor", {"bm1684"}),
        ("Resize", "Relu", {"bm1684"}),
        ("Conv", "Relu", set()),
    ],
)
def test_copies(front: str, behind: str, chips: set[str]):
    """Where a chip gets a pair wrong in INT8, a copy is in between: a LeakyRelu whose slope is 1."""
    model, _ = pair(front, behind, False)
    for chip, mode in [("bm1684", "F32"), ("bm1684x", "F16"), *RUNS]:
        ops = [op for op in top_module(model, chip, mode).walk() if isinstance(op, TopOp)]
        copies = [op for op in ops if op.kind == "LeakyRelu" and op.number("alpha") == 1]
        assert len(copies) == (mode == "INT8" and chip in chips), (chip, mode)


# Nets that INT8 got wrong: what each op is given, and what is made of it.

EYE = np.eye(10, dtype=np.float32)
MASK = (np.arange(10) % 2).astype(np.float32).reshape(1, 1, 1, 10)

LAST = helper.make_node("MatMul", ["m", "eye"], ["y"])


def compared(kind: str) -> list[onnx.NodeProto]:
    """A product `a`, and a mask that is compared, `c`."""
    return [
        helper.make_node("MatMul", ["x", "matrix"], ["a"]),
        helper.make_node(kind, ["mask", "half"], ["g"]),
        helper.make_node("Cast", ["g"], ["c"], to=onnx.TensorProto.FLOAT),
    ]


NETS: dict[str, tuple[list[onnx.NodeProto], dict[str, Array]]] = {
    "a product with a comparison": (
        [*compared("Greater"), helper.make_node("Mul", ["a", "c"], ["m"]), LAST],
        {"mask": MASK},
    ),
    "what a comparison leaves": (
        [
            *compared("Less"),
            helper.make_node("Sub", ["unit", "c"], ["r"]),
            helper.make_node("Mul", ["a", "r"], ["m"]),
            LAST,
        ],
        {"mask": MASK},
    ),
    "masked by a choice": (
        [
            helper.make_node("MatMul", ["x", "matrix"], ["a"]),
            helper.make_node("Cast", ["mask"], ["c"], to=onnx.TensorProto.BOOL),
            helper.make_node("Where", ["c", "a", "large"], ["w"]),
            helper.make_node("Softmax", ["w"], ["s"]),
            helper.make_node("MatMul", ["s", "eye"], ["y"]),
        ],
        {"mask": MASK},
    ),
    "masked by a sum": (
        [
            helper.make_node("MatMul", ["x", "matrix"], ["a"]),
            helper.make_node("Sub", ["unit", "mask"], ["r"]),
            helper.make_node("Mul", ["r", "huge"], ["f"]),
            helper.make_node("Add", ["a", "f"], ["w"]),
            helper.make_node("Softmax", ["w"], ["s"]),
            helper.make_node("MatMul", ["s", "eye"], ["y"]),
        ],
        {"mask": MASK},
    ),
    "sums of positive numbers": (
        [helper.make_node("Conv", ["p", "scales"], ["y"])],
        {"p": np.random.default_rng(4).uniform(0.5, 1.5, SHAPE).astype(np.float32)},
    ),
    "parts as outputs": (
        [
            helper.make_node("MatMul", ["x", "matrix"], ["a"]),
            helper.make_node("Split", ["a", "sizes"], ["y", "z"], axis=3),
        ],
        {},
    ),
}


@needs_toolchain
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x", "bm1688"])
@pytest.mark.parametrize("name", sample(NETS, 6))
def test_nets_that_int8_got_wrong(name: str, chip: str):
    nodes, given = NETS[name]
    constants = {
        **CONSTANTS,
        "half": number(0.5),
        "large": number(-1e4),
        "huge": number(-1e9),
        "eye": EYE,
        "scales": np.full((6, 6, 1, 1), 0.2, np.float32),
        "sizes": np.array([8, 2]),
    }
    read = {value for node in nodes for value in node.input}
    x = np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32)
    feeds = {value: array for value, array in {"x": x, **given}.items() if value in read}
    made = {value for node in nodes for value in node.output}
    outputs = sorted(made & {"y", "z"})
    kept = {value: array for value, array in constants.items() if value in read}
    check(many_ops(nodes, feeds, outputs, kept), feeds, chip, "INT8")


def test_sizes_are_computed_in_f32():
    nodes = [helper.make_node("Abs", ["x"], ["a"]), helper.make_node("Sqrt", ["a"], ["y"])]
    model = many_ops(nodes, {"x": drawn(2, 6)}, ["y"])
    for chip, mode in [("bm1684", "F32"), ("bm1684x", "F16"), *RUNS]:
        wanted = ["a"] if mode == "INT8" and chip != "bm1684" else []
        assert f32_values(top_module(model, chip, mode)) == wanted
