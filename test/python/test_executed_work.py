"""What plans count of loops, branches and sizes that only a run tells, against counting by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser

from autosplit.explain.plan import explain, explain_folder
from autosplit.runtime.frameworks import onnx as onnx_runtime
from autosplit.testing.split import split
from autosplit.tools.cli.report import show_op, summary

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
SQUARE = "float[8,8] w = {" + ",".join(["0.1"] * 64) + "}"

LOOP = f"""{HEAD} loop (float[1,8] x, int64 n) => (float[1,8] y) <{SQUARE}, bool go = {{1}}> {{
    [loop] y = Loop(n, go, x) <body = body (int64 i, bool c, float[1,8] s) => (bool d, float[1,8] t) {{
        d = Identity(c)
        t = MatMul(s, w)
    }}>
}}"""

NESTED = f"""{HEAD} nested (float[1,8] x, int64 n, bool p) => (float[1,8] y) <{SQUARE}, bool go = {{1}}> {{
    [loop] y = Loop(n, go, x) <body = body (int64 i, bool c, float[1,8] s) => (bool d, float[1,8] t) {{
        d = Identity(c)
        t = If(p) <then_branch = a () => (float[1,8] u) {{ u = MatMul(s, w) }},
                   else_branch = b () => (float[1,8] v) {{ m = MatMul(s, w)  v = MatMul(m, w) }}>
    }}>
}}"""

FOUND = f"""{HEAD} found (float[3,8] x) => (float[M,8] y) <{SQUARE}> {{
    [where] i = NonZero(x)
    [floats] f = Cast<to: int = 1>(i)
    [rows] r = Transpose(f)
    [ends] e = Transpose(f)
    [square] y = MatMul(r, e2)
}}""".replace("[ends] e = Transpose(f)", "[ends] e2 = MatMul(f, ones)").replace(
    f"<{SQUARE}>", "<float[24,8] ones = {" + ",".join(["1"] * 192) + "}>"
)


def total(text: str, feeds: dict[str, np.ndarray], folder: Path, **options: bool):
    """The work of the model's nodes by name, and the line that sums the plan up."""
    model = folder / "model.onnx"
    onnx.save(parser.parse_model(text), model)
    found = explain(split(model, folder / "out", feeds, force=True, **options).module)
    return {op.name: op.work for op in found.ops if op.work}, summary(found)


X = np.ones((1, 8), np.float32)


@pytest.mark.parametrize("trips", [0, 1, 5])
def test_a_loop_counts_as_often_as_it_runs(trips: int, tmp_path: Path):
    work, text = total(LOOP, {"x": X, "n": np.array(trips)}, tmp_path)
    assert work == ({"loop": trips * 64} if trips else {})
    assert "counted" not in text


def test_values_that_were_made_up_may_run_nothing(tmp_path: Path):
    """Of such a loop it is not said that it computes nothing; with values that were given it is."""
    text = LOOP.replace(
        "(float[1,8] x, int64 n) => (float[1,8] y)", "(float[1,8] x) => (float[1,8] y)"
    )
    text = text.replace(
        "[loop]", "least = ReduceMin<keepdims: int = 0>(x)\n n = Cast<to: int = 7>(least)\n [loop]"
    )
    work, said = total(text, {}, tmp_path)
    assert work == {}
    assert "1 op is not counted, as only a run tells the work of such ops" in said
    for most, expected in ((3, {"loop": 3 * 64}), (0, {})):
        work, said = total(text, {"x": X * most}, tmp_path)
        assert work == expected
        assert "counted" not in said


@pytest.mark.parametrize("taken", [True, False])
def test_of_a_branch_in_a_loop_what_was_taken(taken: bool, tmp_path: Path):
    work, _ = total(NESTED, {"x": X, "n": np.array(3), "p": np.array(taken)}, tmp_path)
    assert work == {"loop": 3 * 64 * (1 if taken else 2)}


PACKED = {
    "LSTM": ("r, t = LSTM <hidden_size: int = 4> (s, w16, w16)", 16 * 4 + 16 * 4),
    "GRU": ("r, t = GRU <hidden_size: int = 4> (s, w12, w12)", 12 * 4 + 12 * 4),
    "ConvTranspose": ("t = ConvTranspose(s, k)", 4),
    "QLinearConv": (
        "u = QuantizeLinear(s, one, zero)  q = QLinearConv(u, one, zero, b, one, zero, one, zero)"
        "  t = DequantizeLinear(q, one, zero)",
        4,
    ),
}
"""Ops whose weights ONNX Runtime packs when it loads a model, and what they compute in one turn."""


@pytest.mark.parametrize("kind", PACKED)
def test_packed_weights_count_in_a_loop(kind: str, tmp_path: Path):
    body, once = PACKED[kind]
    twelve, sixteen = (",".join(["0.1"] * size * 4) for size in (12, 16))
    weights = (
        f"float[1,12,4] w12 = {{{twelve}}}, float[1,16,4] w16 = {{{sixteen}}}, float[1,1,1] k = {{0.5}}, "
        "uint8[1,1,1] b = {1}, float one = {1}, uint8 zero = {0}, bool go = {1}"
    )
    text = f"""{HEAD} loop (float[1,1,4] x, int64 n) => (float[1,1,4] y) <{weights}> {{
        [loop] y = Loop(n, go, x) <body = body (int64 i, bool c, float[1,1,4] s)
            => (bool d, float[1,1,4] t) {{
            d = Identity(c)
            {body}
        }}>
    }}"""
    x = np.ones((1, 1, 4), np.float32)
    work, said = total(text, {"x": x, "n": np.array(3)}, tmp_path)
    assert work == {"loop": 3 * once}
    assert "counted" not in said


def test_a_map_over_a_sequence_counts_each_element(tmp_path: Path):
    text = f"""{HEAD} map (float[6,8] x) => (float[6,8] y) <{SQUARE}, int64 one = {{1}}> {{
        parts = SplitToSequence<axis: int = 0>(x, one)
        [map] mapped = SequenceMap<body = body (float[1,8] s) => (float[1,8] t) {{ t = MatMul(s, w) }}>(parts)
        y = ConcatFromSequence<axis: int = 0>(mapped)
    }}"""
    work, said = total(text, {"x": np.ones((6, 8), np.float32)}, tmp_path)
    assert work == {"map": 6 * 64}
    assert "counted" not in said


def test_where_sizes_vary_the_largest_count(tmp_path: Path):
    """Those of a loop too, which only a run tells; nothing is said to be uncounted because it is open."""
    text = LOOP.replace("float[1,8]", "float[N,8]")
    text = text.replace("=> (float[N,8] y) <", "=> (float[N,8] y, float[N,8] z) <", 1)
    text = text.removesuffix("}") + "    [after] z = MatMul(x, w)\n}"
    work, said = total(
        text, {"x": np.ones((3, 8), np.float32), "n": np.array(5)}, tmp_path, dynamic=True
    )
    assert work == {"loop": 5 * 3 * 64, "after": 3 * 64}
    assert "counted" not in said


def test_sizes_that_depend_on_data(tmp_path: Path):
    x = np.ones((3, 8), np.float32)
    work, _ = total(FOUND, {"x": x}, tmp_path)
    # The 24 places that are not zero are a [24, 2] and a [2, 24].
    assert work == {"ends": 2 * 8 * 24, "square": 24 * 8 * 2}


def test_what_no_run_tells_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: object, **__: object) -> None:
        from autosplit.core.errors import AutosplitError

        raise AutosplitError("no")

    monkeypatch.setattr(onnx_runtime, "measure_values", fail)
    text = LOOP.replace("(float[1,8] y)", "(float[1,8] y, float[1,8] z)").replace(
        "}>\n}", "}>\n    [once] z = MatMul(x, w)\n}"
    )
    work, line = total(text, {"x": X, "n": np.array(3)}, tmp_path)
    assert work == {"once": 64}
    assert "1 op is not counted, as only a run tells the work of such ops" in line
    explanation = explain_folder(tmp_path / "out")
    for op in (op for op in explanation.ops if op.name in ("loop", "once")):
        show_op(explanation, op)
        uncounted = "multiply-adds not counted, as only a run tells" in capsys.readouterr().out
        assert uncounted == (op.name == "loop")


def test_tensorflow_loops(tmp_path: Path):
    tf = pytest.importorskip("tensorflow")
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [1, 8], name="x")
        w = tf.constant(np.ones((8, 8), np.float32), name="w")
        kept = v1.control_flow_v2_enabled()
        v1.disable_control_flow_v2()
        _, y = v1.while_loop(
            lambda i, s: i < 7,
            lambda i, s: (i + 1, tf.matmul(s, w, name="mm")),
            [0, x],
            name="loop",
        )
        if kept:
            v1.enable_control_flow_v2()
        tf.identity(tf.matmul(y, w, name="last"), "y")
    model = tmp_path / "model.pb"
    model.write_bytes(graph.as_graph_def().SerializeToString())
    found = explain(split(model, tmp_path / "out", {"x:0": X}, force=True).module)
    assert {op.name: op.work for op in found.ops if op.work} == {"loop/mm": 7 * 64, "last": 64}


@pytest.mark.parametrize("called", [False, True])
def test_tensorflow_loops_of_functions(called: bool, tmp_path: Path):
    """TensorFlow records of such a loop nothing, unless it is made one of nodes."""
    tf = pytest.importorskip("tensorflow")
    constants = pytest.importorskip("tensorflow.python.framework.convert_to_constants")
    w = np.ones((8, 8), np.float32)

    def step(s):
        return tf.cond(tf.reduce_sum(s) > 0, lambda: tf.matmul(s, w), lambda: s)

    body = tf.function(step) if called else step

    @tf.function(input_signature=[tf.TensorSpec([1, 8], tf.float32, name="x")])
    def loop(x):
        _, y = tf.while_loop(lambda i, _: i < 7, lambda i, s: (i + 1, body(s)), (0, x))
        return tf.matmul(y, w, name="last")

    frozen = constants.convert_variables_to_constants_v2(
        loop.get_concrete_function(), lower_control_flow=False
    )
    model = tmp_path / "model.pb"
    model.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    found = explain(split(model, tmp_path / "out", {"x:0": X}, force=True).module)
    assert {op.name: op.work for op in found.ops if op.work} == {"while": 7 * 64, "last": 64}


def test_tensorflow_nodes_of_large_results(tmp_path: Path):
    """What TensorFlow records of them begins with the memory that they took."""
    tf = pytest.importorskip("tensorflow")
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [64, 8], name="x")
        rows = tf.boolean_mask(x, tf.reduce_sum(x, 1) > 0)
        tf.matmul(rows, np.ones((8, 1024), np.float32), name="y")
    model = tmp_path / "model.pb"
    model.write_bytes(graph.as_graph_def().SerializeToString())
    x = np.ones((64, 8), np.float32)
    found = explain(split(model, tmp_path / "out", {"x:0": x}, force=True).module)
    assert {op.name: op.work for op in found.ops if op.work} == {"y": 64 * 8 * 1024}


def test_a_model_that_only_moves_data_stays_on_the_cpu(tmp_path: Path):
    text = f"{HEAD} moves (float[1,8] x) => (float[8,1] y) {{ a = Identity(x)  y = Transpose(a) }}"
    model = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(text), model)
    found = explain(split(model, tmp_path / "out", {"x": X}, force=True).module)
    assert [g.device for g in found.graphs] == ["cpu"]
    assert {r.code for op in found.ops for r in op.reasons} == {"no-work"}


@pytest.mark.parametrize("copied", [False, True])
def test_a_size_that_is_declared_wrongly_is_measured(copied: bool, tmp_path: Path):
    """Exporters declare labels of one row as [1], whatever the batch is; some copy them first."""
    from onnx import TensorProto, helper

    node = helper.make_node(
        "LinearClassifier",
        ["x"],
        ["made" if copied else "label", "scores"],
        "classifier",
        domain="ai.onnx.ml",
        coefficients=[0.5] * 6,
        intercepts=[0.0] * 2,
        classlabels_ints=[0, 1],
    )
    copy = helper.make_node("Identity", ["made"], ["label"], "copy")
    graph = helper.make_graph(
        [node, copy] if copied else [node],
        "labels",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 3])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [1]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, [8, 2]),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), model)
    feeds = {"x": np.ones((8, 3), np.float32)}
    found = explain(split(model, tmp_path / "out", feeds, force=True).module)
    assert {b.name: b.type for b in found.borders}["label"] == "tensor<8xi64>"
