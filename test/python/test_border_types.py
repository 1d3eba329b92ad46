"""Element types that no framework hands over, or that no chip holds, stay inside of one CPU sub-model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.explain.plan import explain
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

FEEDS = {"x": np.random.default_rng(0).standard_normal((2, 8)).astype(np.float32)}
WEIGHTS = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)


def _model(kind: int) -> onnx.ModelProto:
    """A value of some element type that is passed on, once in a body, between ops in float32."""
    inner = helper.make_graph(
        [helper.make_node("Cast", ["c"], ["i"], name="inner", to=TensorProto.FLOAT)],
        "then",
        [],
        [helper.make_tensor_value_info("i", TensorProto.FLOAT, [2, 8])],
    )
    other = helper.make_graph(
        [helper.make_node("Identity", ["r"], ["j"], name="other")],
        "else",
        [],
        [helper.make_tensor_value_info("j", TensorProto.FLOAT, [2, 8])],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["r"], name="first"),
        helper.make_node("Cast", ["r"], ["a"], name="to", to=kind),
        helper.make_node("Identity", ["a"], ["b"], name="pass"),
        helper.make_node("Dropout", ["b"], ["c"], name="again")
        if kind == TensorProto.DOUBLE
        else helper.make_node("Identity", ["b"], ["c"], name="again"),
        helper.make_node("ReduceSum", ["r"], ["s"], name="sum", keepdims=0),
        helper.make_node("Cast", ["s"], ["cond"], name="cond", to=TensorProto.BOOL),
        helper.make_node("If", ["cond"], ["f"], name="if", then_branch=inner, else_branch=other),
        helper.make_node("Cast", ["c"], ["d"], name="from", to=TensorProto.FLOAT),
        helper.make_node("Add", ["d", "f"], ["e"], name="add"),
        helper.make_node("MatMul", ["e", "w"], ["y"], name="last"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])],
        [numpy_helper.from_array(WEIGHTS, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


@pytest.mark.parametrize("pin", ["", "to", "pass", "from", "if"])
@pytest.mark.parametrize(
    "kind", ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "DOUBLE", "STRING", "FLOAT16"]
)
def test_no_border_has_what_nothing_can_hold(kind: str, pin: str, tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(_model(getattr(TensorProto, kind)), path)
    pins = [(pin, "cpu")] if pin else []
    result = split(path, tmp_path / "out", FEEDS, target="bm1684x", keep=1.0, pins=pins)
    assert_equal(run_folder(tmp_path / "out", FEEDS), run_whole(path, FEEDS, ["y"]))
    found = explain(result.module)
    types = {border.name: border.type for border in found.borders}
    ops = {op.name: op for op in found.ops}
    assert ops["first"].device == ops["last"].device == "tpu"
    if kind in ("BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2"):
        assert not any("bf16" in text or "f8" in text for text in types.values())
    if kind not in ("BFLOAT16", "FLOAT16"):
        assert ops["pass"].device == ops["again"].device == "cpu"
        assert "dtype" in {r.code for r in ops["pass"].reasons}
