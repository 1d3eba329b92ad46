"""Ops that are right alone and wrong beside others: what TPU-MLIR fuses or groups wrongly, reduced."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import helper
from sampled import sample
from top_numbers import Array, compare, many_ops, refusals, top_module

from autosplit.dialects.top import TopOp

RANDOM = np.random.default_rng(3)


def drawn(*shape: int) -> Array:
    return RANDOM.uniform(0.5, 2, shape).astype(np.float32)


def one(value: float) -> Array:
    return np.array(value, np.float32)


@dataclass(frozen=True)
class Net:
    """Ops in a row by kind, operands and result, beginning with `x`; the last result is the output."""

    x: tuple[int, ...]
    nodes: tuple[tuple[str, str, str], ...]
    constants: dict[str, Array] = field(default_factory=dict[str, Array])
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    copies: int = 0
    """How many copies the conversion makes on bm1684x, where none are needed for kernels that spoil."""


IMAGE = (1, 4, 6, 6)
CHANNELS = drawn(4, 1, 1)
SIX = {"low": one(0), "high": one(0.6)}
SCALES = {name: drawn(4) for name in ("scale", "bias", "mean", "variance")}


def exchanged(end: int, copies: int) -> Net:
    """The rows from 2 to `end`, then the two in front of them."""
    nodes = (
        ("Slice", "x two end rows", "s"),
        ("Slice", "x zero two rows", "t"),
        ("Concat", "s t", "y"),
    )
    places = {"zero": 0, "two": 2, "end": end, "rows": 2}
    constants = {name: np.array([place]) for name, place in places.items()}
    return Net(IMAGE, nodes, constants, {"y": {"axis": 2}}, copies)


NETS: dict[str, Net] = {
    "number, then channels": Net(
        IMAGE,
        (("Sin", "x", "s"), ("Add", "s n", "t"), ("Add", "t c", "y")),
        {"n": one(0.25), "c": CHANNELS},
        copies=1,
    ),
    "number taken, then channels": Net(
        IMAGE,
        (("Sin", "x", "s"), ("Sub", "s n", "t"), ("Add", "c t", "y")),
        {"n": one(0.25), "c": CHANNELS},
        copies=1,
    ),
    "copies, then a number": Net(
        IMAGE,
        (("Sin", "x", "s"), ("Tile", "s twice", "t"), ("Mul", "t n", "y")),
        {"n": one(0.25), "twice": np.array([1, 2, 1, 1])},
        copies=1,
    ),
    "copies by Expand, then less": Net(
        (1, 1, 6, 6),
        (("Sin", "x", "s"), ("Expand", "s wide", "t"), ("Neg", "t", "y")),
        {"wide": np.array([1, 4, 6, 6])},
        copies=1,
    ),
    "number, then norm": Net(
        IMAGE,
        (
            ("Sin", "x", "s"),
            ("Add", "s n", "t"),
            ("BatchNormalization", "t scale bias mean variance", "y"),
        ),
        {"n": one(0.25), **SCALES},
        copies=1,
    ),
    "two numbers, then channels": Net(
        IMAGE,
        (("Sin", "x", "s"), ("Add", "s n", "t"), ("Sub", "t m", "u"), ("Mul", "u c", "y")),
        {"n": one(0.25), "m": one(0.5), "c": CHANNELS},
        copies=1,
    ),
    "channels, then number": Net(
        IMAGE,
        (("Sin", "x", "s"), ("Add", "s c", "t"), ("Add", "t n", "y")),
        {"n": one(0.25), "c": CHANNELS},
    ),
    "product and column": Net(
        (2, 6, 10),
        (("MatMul", "x w", "t"), ("Add", "t c", "y")),
        {"w": drawn(10, 6), "c": drawn(6, 1)},
        copies=1,
    ),
    "product and stack": Net(
        (2, 6, 10),
        (("MatMul", "x w", "t"), ("Add", "t c", "y")),
        {"w": drawn(10, 2), "c": drawn(2, 1, 1)},
        copies=1,
    ),
    "product and row": Net(
        (2, 6, 10),
        (("MatMul", "x w", "t"), ("Add", "t c", "y")),
        {"w": drawn(10, 6), "c": drawn(6)},
    ),
    "limit, then factor": Net(
        IMAGE,
        (("Conv", "x w", "s"), ("Clip", "s low high", "t"), ("Mul", "t n", "y")),
        {"w": drawn(4, 4, 1, 1), "n": one(0.5), **SIX},
        copies=1,
    ),
    "limit, then division": Net(
        IMAGE,
        (("Conv", "x w", "s"), ("Clip", "s low high", "t"), ("Div", "t n", "y")),
        {"w": drawn(4, 4, 1, 1), "n": one(0.6), **SIX},
        copies=1,
    ),
    "limit, then relu": Net(
        IMAGE,
        (("Conv", "x w", "s"), ("Clip", "s low high", "t"), ("Relu", "t", "y")),
        {"w": drawn(4, 4, 1, 1), **SIX},
        copies=1,
    ),
    "relu, then factor": Net(
        IMAGE,
        (("Conv", "x w", "s"), ("Relu", "s", "t"), ("Mul", "t n", "y")),
        {"w": drawn(4, 4, 1, 1), "n": one(-0.5)},
    ),
    "two slices, exchanged": exchanged(3, copies=1),
    "all rows, exchanged": exchanged(6, copies=0),
    "in front of three dimensions": Net(
        (2, 4, 4, 5, 6),
        (("Mul", "x n", "s"), ("Conv", "s w", "t"), ("Mul", "s s", "u"), ("Sub", "t u", "y")),
        {"n": drawn(1, 4, 1, 1, 1), "w": drawn(4, 2, 3, 3, 3)},
        {"t": {"group": 2, "pads": [1] * 6}},
    ),
    "strides and dilations of three dimensions": Net(
        (2, 2, 5, 5, 7),
        (("Exp", "x", "s"), ("Conv", "s w", "y")),
        {"w": drawn(3, 2, 2, 3, 2)},
        {"y": {"pads": [1, 0, 0, 0, 1, 2], "strides": [2, 1, 2], "dilations": [2, 1, 3]}},
    ),
    "two that spoil": Net(
        IMAGE,
        (
            ("Abs", "x", "s"),
            ("Tanh", "s", "a"),
            ("Sigmoid", "s", "b"),
            ("Sqrt", "s", "c"),
            ("Sub", "a b", "d"),
            ("Sub", "d c", "e"),
            ("Mul", "e s", "y"),
        ),
    ),
    "two equal values, one spoiled": Net(
        IMAGE,
        (("Exp", "x", "s"), ("Exp", "x", "t"), ("Tanh", "s", "a"), ("Mul", "t a", "y")),
    ),
    "an input that is an output, and spoiled": Net(
        IMAGE, (("Identity", "x", "z"), ("Tanh", "x", "a"), ("Mul", "a a", "y"))
    ),
}


def model(nets: dict[str, Net]) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """One model of all, each with an input and outputs of its own, and what to feed it."""
    nodes: list[onnx.NodeProto] = []
    feeds: dict[str, Array] = {}
    constants: dict[str, Array] = {}
    outputs: list[str] = []
    for i, net in enumerate(nets.values()):
        feeds[f"n{i}_x"] = np.random.default_rng(i).uniform(0.5, 2, net.x).astype(np.float32)
        constants |= {f"n{i}_{name}": array for name, array in net.constants.items()}
        read = {name for _, operands, _ in net.nodes for name in operands.split()}
        for kind, operands, result in net.nodes:
            names = [f"n{i}_{name}" for name in operands.split()]
            given = net.attributes.get(result, {})
            nodes.append(helper.make_node(kind, names, [f"n{i}_{result}"], **given))
            outputs += [] if result in read else [f"n{i}_{result}"]
    return many_ops(nodes, feeds, outputs, constants), feeds


@needs_toolchain
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x"])
def test_numbers(chip: str):
    made, feeds = model(NETS)
    assert refusals(made, chip) == []
    compare(made, feeds, chip)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("chip", "mode"),
    [("bm1684x", "F16"), ("bm1684x", "BF16"), ("bm1688", "F32"), ("bm1688", "F16")],
)
def test_numbers_of_other_modes(chip: str, mode: str):
    made, feeds = model(NETS)
    compare(made, feeds, chip, mode)


@pytest.mark.parametrize("name", NETS)
def test_copies(name: str):
    made, _ = model({name: NETS[name]})
    ops = [op for op in top_module(made, "bm1684x").walk() if isinstance(op, TopOp)]
    copies = [op for op in ops if op.kind == "LeakyRelu" and op.names[0].endswith("/apart")]
    assert len(copies) == NETS[name].copies


@pytest.mark.parametrize("name", [n for n in NETS if "three dimensions" in n])
def test_planes(name: str):
    made, _ = model({name: NETS[name]})
    ranks = {
        chip: Counter(
            len(op.results[0].type.get_shape())  # pyright: ignore
            for op in top_module(made, chip).walk()
            if isinstance(op, TopOp) and op.kind == "Conv"
        )
        for chip in ("bm1684", "bm1684x")
    }
    assert ranks == {"bm1684": {4: 1}, "bm1684x": {5: 1}}


# Kernels that overwrite what others read.

ROWS = {
    "average": helper.make_node("GlobalAveragePool", ["q"], ["p"]),
    "average of all": helper.make_node("AveragePool", ["q"], ["p"], kernel_shape=[6]),
    "maximum of all": helper.make_node("MaxPool", ["q"], ["p"], kernel_shape=[6]),
}


def beside(
    nodes: list[onnx.NodeProto], shape: tuple[int, ...], ends: dict[str, Any]
) -> onnx.ModelProto:
    """A model with the input `x`, and outputs by name with their shapes."""
    values = {
        name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, sizes)
        for name, sizes in {"x": shape, **ends}.items()
    }
    graph = helper.make_graph(nodes, "g", [values.pop("x")], list(values.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@needs_toolchain
@pytest.mark.parametrize("chip", sample(["bm1684x", "bm1688"]))
@pytest.mark.parametrize("pool", ROWS)
def test_a_pooling_of_whole_rows_leaves_the_others_alone(chip: str, pool: str):
    nodes = [
        helper.make_node("Sin", ["x"], ["s"]),
        helper.make_node("Split", ["s"], ["a", "b"], axis=0, num_outputs=2),
        helper.make_node("HardSwish", ["b"], ["q"]),
        ROWS[pool],
    ]
    model = beside(nodes, (2, 4, 6), {"a": (1, 4, 6), "p": (1, 4, 1)})
    compare(model, {"x": drawn(2, 4, 6)}, chip)


@needs_toolchain
@pytest.mark.parametrize("kind", ["Cos", "Tan"])
def test_a_cosine_leaves_its_operand_alone(kind: str):
    nodes = [helper.make_node("Neg", ["x"], ["a"]), helper.make_node(kind, ["a"], ["y"])]
    model = beside(nodes, (3, 8), {"a": (3, 8), "y": (3, 8)})
    compare(model, {"x": drawn(3, 8) * np.float32(0.6)}, "bm1684")
