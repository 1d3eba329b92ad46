"""The sizes of what ONNX's Loop and Scan give, against what ONNX Runtime computes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context

from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.lowering.infer_shapes import infer_types
from autosplit.platforms import load_model
from autosplit.runtime.frameworks.onnx import OnnxExecutor

N = None
X = np.random.default_rng(0).random((5, 3, 4), np.float32)
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs.split(" "), outputs.split(" "), **attributes)


def value(text: str) -> onnx.ValueInfoProto:
    """`x`, `i:int` or `c:bool`, of a shape that nobody declares; scalars for the last two."""
    name, _, kind = text.partition(":")
    type = {"": FLOAT, "int": INT, "bool": BOOL}[kind]
    return helper.make_tensor_value_info(name, type, [] if kind else None)


def body(inputs: str, outputs: str, *nodes: onnx.NodeProto) -> onnx.GraphProto:
    values = [[value(t) for t in text.split()] for text in (inputs, outputs)]
    return helper.make_graph(list(nodes), "body", values[0], values[1])


COUNT = [node("Shape", "x", "s", start=0, end=1), node("Squeeze", "s", "n")]
ROW = node("Gather", "x i", "row")
GOES_ON = node("Identity", "c", "d")
PADDED = node("Concat", "row row", "o", axis=0)
STACK = body("i:int c:bool", "d:bool o", ROW, GOES_ON, PADDED)
SAME = body("i:int c:bool a", "d:bool b", GOES_ON, node("Neg", "x", "b"))
CHANGE = body("i:int c:bool a", "d:bool o", ROW, GOES_ON, PADDED)

CASES: dict[str, tuple[Sequence[onnx.NodeProto], tuple[int | None, ...]]] = {
    "rows, stacked": (
        [*COUNT, node("Loop", "n true", "y", body=STACK)],
        (5, 6, 4),
    ),
    "as long as it counts": (
        [
            *COUNT,
            node(
                "Loop", "many true zero x", "_ z y",
                body=body(
                    "i:int c:bool k:int a", "d:bool l:int a o",
                    node("Gather", "a k", "row"), PADDED,
                    node("Add", "k one", "l"), node("Less", "l n", "e"), node("Less", "l four", "f"),
                    node("And", "e f", "d"),
                ),
            ),
        ],
        (4, 6, 4),
    ),
    "as tf2onnx counts": (
        [
            *COUNT,
            node(
                "Loop", "n true zero n", "_ m y",
                body=body(
                    "i:int c:bool k:int m:int", "d:bool l:int m:int o",
                    node("Gather", "x k", "row"), PADDED,
                    node("Add", "k one", "l"), node("Cast", "l", "lf", to=FLOAT),
                    node("Cast", "m", "mf", to=FLOAT), node("Less", "lf mf", "e"),
                    node("Cast", "i", "if", to=FLOAT), node("Less", "if mf", "f"),
                    node("And", "e f", "d"),
                ),
            ),
        ],
        (5, 6, 4),
    ),
    "as long as the data say": (
        [
            node("ReduceMax", "x", "m", keepdims=0), node("Cast", "m", "n", to=INT),
            node("Add", "n one", "t"),
            node("Loop", "t true", "y", body=STACK),
        ],
        (N, 6, 4),
    ),
    "until the data say": (
        [
            node(
                "Loop", "four true", "y",
                body=body(
                    "i:int c:bool", "d:bool o", ROW, PADDED,
                    node("ReduceMax", "row", "m", keepdims=0), node("Less", "m half", "d"),
                ),
            )
        ],
        (N, 6, 4),
    ),
    "a variable that stays": (
        [*COUNT, node("Loop", "n true x", "y", body=body("i:int c:bool a", "d:bool a", GOES_ON))],
        (5, 3, 4),
    ),
    "a variable of the same sizes": (
        [*COUNT, node("Loop", "n true x", "y", body=SAME)],
        (5, 3, 4),
    ),
    "a variable that grows": (
        [
            *COUNT,
            node(
                "Loop", "n true x", "y",
                body=body("i:int c:bool a", "d:bool b", GOES_ON, node("Concat", "a x", "b", axis=0)),
            ),
        ],
        (N, 3, 4),
    ),
    "a variable that changes once": (
        [*COUNT, node("Loop", "n true x", "y", body=CHANGE)],
        (N,),
    ),
    "no round": (
        [node("Loop", "zero true", "y", body=STACK)],
        (N,),
    ),
    "a scan along other axes": (
        [
            node(
                "Scan", "x x", "_ y", num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[-1],
                body=body("a e", "a o", node("Concat", "e e e", "o", axis=1)),
            )
        ],
        (5, 12, 3),
    ),
    "a scan in a loop": (
        [
            *COUNT,
            node(
                "Loop", "n true", "y",
                body=body(
                    "i:int c:bool", "d:bool z", GOES_ON,
                    node("Scan", "x", "z", num_scan_inputs=1, body=body("e", "o", node("Neg", "e", "o"))),
                ),
            ),
        ],
        (5, 5, 3, 4),
    ),
}  # fmt: skip


def model(nodes: Sequence[onnx.NodeProto]) -> onnx.ModelProto:
    constants = {"zero": 0, "one": 1, "four": 4, "many": (1 << 63) - 1, "true": True, "half": 0.5}
    types = {bool: np.bool_, int: np.int64, float: np.float32}
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [N, N, 4])],
        [value("y")],
        [numpy_helper.from_array(np.array(v, types[type(v)]), k) for k, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@pytest.mark.parametrize("case", CASES)
def test_sizes(tmp_path: Path, case: str):
    nodes, expected = CASES[case]
    path = tmp_path / "m.onnx"
    onnx.save(model(nodes), path)
    loaded = load_model(path)
    loaded.platform.prepare(loaded, {"x": X.shape}, ["y"])
    infer_types(Context(), loaded.module)
    ((_, found),) = platform_graph(loaded.module).graph_outputs()
    (y,) = OnnxExecutor(path).run({"x": X}, ["y"]).values()
    shape = shape_of(found.type)
    if expected == (N,):
        assert shape is None or min(shape) < 0
        return
    assert shape is not None
    assert tuple(d if d >= 0 else None for d in shape) == expected
    assert all(d is None or d == n for d, n in zip(expected, y.shape, strict=True))
