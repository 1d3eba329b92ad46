"""Nodes that break the schema of their op are one line, whatever the op and whatever is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions

FLOAT = TensorProto.FLOAT


def model_of(node: onnx.NodeProto) -> onnx.ModelProto:
    """A model of one node that reads `x` and constants, and makes `y`."""
    constants = {
        "n": np.int64(3),
        "c": np.bool_(True),
        "s": np.array([2, 3]),
        "w": np.ones((2, 3, 1, 1)),
    }
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1, 3, 4, 4])],
        [onnx.ValueInfoProto(name="y")],
        [
            numpy_helper.from_array(np.asarray(a, np.float32 if a.ndim > 1 else None), k)
            for k, a in constants.items()
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def body(inputs: int, outputs: int) -> onnx.GraphProto:
    """A body with so many ends."""
    taken = [helper.make_tensor_value_info(f"i{k}", FLOAT, None) for k in range(inputs)]
    given = [helper.make_tensor_value_info(f"o{k}", FLOAT, None) for k in range(outputs)]
    nodes = [helper.make_node("Identity", ["x"], [f"o{k}"]) for k in range(outputs)]
    return helper.make_graph(nodes, "body", taken, given)


def node(kind: str, inputs: list[str], outputs: tuple[str, ...] = ("y",), **attributes: Any):
    return helper.make_node(kind, inputs, list(outputs), name="it", **attributes)


WRONG = [
    (node("Sub", ["x", "x", "x"]), "has 3 operands, expected 2"),
    (node("Sub", ["x"]), "has 1 operand, expected 2"),
    (node("Sub", []), "has 0 operands, expected 2"),
    (node("Clip", ["x"] * 4), "has 4 operands, expected 1 to 3"),
    (node("Concat", [], axis=0), "has 0 operands, expected at least 1"),
    (node("Where", ["c", "x"]), "has 2 operands, expected 3"),
    (node("Relu", ["x"], ("y", "z")), "has 2 results, expected 1"),
    (node("Shape", ["x"], start="q"), "the attribute 'start' is of type STRING, expected INT"),
    (node("Conv", ["x", "w"], pads=1), "the attribute 'pads' is of type INT, expected INTS"),
    (node("Conv", ["x", "w"], auto_pad=1.0), "'auto_pad' is of type FLOAT, expected STRING"),
    (node("Transpose", ["x"], perm=[0.5, 1.0]), "'perm' is of type FLOATS, expected INTS"),
    (node("Concat", ["x"]), "has no attribute 'axis', which the op needs"),
    (node("Cast", ["x"]), "has no attribute 'to', which the op needs"),
    (node("Loop", ["n", "", "x"]), "has no attribute 'body', which the op needs"),
    (node("If", ["c"], then_branch=body(0, 1)), "has no attribute 'else_branch'"),
    (node("Scan", ["x"], num_scan_inputs=1), "has no attribute 'body'"),
    (node("Loop", ["n", "", "x"], body=body(2, 2)), "its body takes 2 values, expected 3"),
    (node("Loop", ["n", "", "x"], body=body(3, 1)), "its body gives 1 value, expected 2"),
    (
        node("If", ["c"], then_branch=body(0, 1), else_branch=body(0, 2)),
        "its else_branch gives 2 values, expected 1",
    ),
    (node("If", ["c"], then_branch=body(1, 1), else_branch=body(0, 1)), "its then_branch takes 1"),
    (node("Scan", ["x"], num_scan_inputs=1, body=body(2, 1)), "its body takes 2 values, expected 1"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "said"), WRONG, ids=[said for _, said in WRONG])
def test_nodes_that_break_their_schema(made: onnx.NodeProto, said: str, tmp_path: Path):
    """ONNX Runtime does not take them either."""
    model = model_of(made)
    onnx.save(model, path := tmp_path / "model.onnx")
    with pytest.raises(AutosplitError, match=r"model.onnx: \w+ node 'it': ") as error:
        split_model(SplitOptions(path))
    assert said in str(error.value)
    with pytest.raises(Exception, match=r"INVALID_GRAPH|FAIL"):
        onnxruntime.InferenceSession(model.SerializeToString())


@pytest.mark.parametrize(
    "made",
    [
        node("Clip", ["x"]),
        node("Clip", ["x", "", ""]),
        node("Dropout", ["x"], ("y", "")),
        node("Loop", ["n", "", "x"], body=helper.make_graph(
            [helper.make_node("Identity", ["c"], ["o0"]), helper.make_node("Relu", ["i2"], ["o1"])],
            "body",
            [helper.make_tensor_value_info("i0", TensorProto.INT64, []),
             helper.make_tensor_value_info("i1", TensorProto.BOOL, []),
             helper.make_tensor_value_info("i2", FLOAT, [1, 3, 4, 4])],
            [helper.make_tensor_value_info("o0", TensorProto.BOOL, []),
             helper.make_tensor_value_info("o1", FLOAT, [1, 3, 4, 4])])),
    ],
    ids=lambda made: made.op_type,
)  # fmt: skip
def test_nodes_that_keep_it(made: onnx.NodeProto, tmp_path: Path):
    onnx.save(model_of(made), path := tmp_path / "model.onnx")
    split_model(SplitOptions(path))


def test_onnx_ops_without_an_opset(tmp_path: Path):
    """What their attributes must be is not known then, so that passes could not rely on it."""
    model = model_of(helper.make_node("Loop", ["n", "", "x"], ["y"], name="it"))
    model.opset_import[0].domain = "x"
    onnx.save(model, path := tmp_path / "model.onnx")
    with pytest.raises(AutosplitError, match="Loop node 'it': is an op of ONNX, and the model"):
        split_model(SplitOptions(path))
    with pytest.raises(Exception, match=r"INVALID_GRAPH|FAIL"):
        onnxruntime.InferenceSession(model.SerializeToString())
