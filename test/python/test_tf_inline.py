"""Calls of functions become their nodes, and compute the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.dialects.platform import platform_graph
from autosplit.dialects.tf import TfOp
from autosplit.dialects.tf.attributes.proto import new_graph
from autosplit.dialects.tf.graphs import nodes_of
from autosplit.dialects.tf.outputs import output_names
from autosplit.formats.tensorflow.functions import FunctionLibrary
from autosplit.formats.tensorflow.writer import export_graph, write_graph
from autosplit.platforms import Model, load_model
from autosplit.runtime.frameworks.tensorflow import TensorFlowExecutor
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

tf: Any = pytest.importorskip("tensorflow", reason="the extra tensorflow is not installed")

X = np.random.default_rng(0).random((1, 8, 8, 3)).astype(np.float32)
KERNEL = np.random.default_rng(1).random((3, 3, 3, 4)).astype(np.float32)
SPEC = [[1, 8, 8, 3]]


def written(function: Callable[..., Any], path: Path) -> Path:
    """The graph of a function of one picture, with the functions that it calls."""
    traced = tf.function(function, input_signature=[tf.TensorSpec([1, 8, 8, 3], name="x")])
    graph = traced.get_concrete_function().graph.as_graph_def()
    path.write_bytes(graph.SerializeToString())
    return path


def prepared(path: Path, *outputs: str) -> Model:
    model = load_model(path)
    model.platform.prepare(model, {}, outputs)
    return model


def kinds(model: Model) -> list[str]:
    return [op.op_type for op in nodes_of(platform_graph(model.module))]


def check(path: Path, calls: int = 0) -> Model:
    """The inlined graph computes what the original does, and has as many calls left."""
    model = prepared(path)
    assert sum(kind.endswith("PartitionedCall") for kind in kinds(model)) == calls
    graph: Any = platform_graph(model.module)
    inlined = path.with_name("inlined.pb")
    write_graph(export_graph(model.module, graph, model.store), inlined)
    names = [name for name, _ in graph.graph_outputs()]
    feeds = {"x": X}
    assert_equal(
        TensorFlowExecutor(inlined).run(feeds, names), TensorFlowExecutor(path).run(feeds, names)
    )
    return model


@tf.function
def block(x: Any) -> Any:
    return tf.nn.relu(tf.nn.conv2d(x, KERNEL, 1, "SAME"))


@tf.function
def several(x: Any) -> Any:
    values, indices = tf.math.top_k(tf.reduce_mean(block(x), [1, 2]), 2)
    left, right = tf.split(tf.math.abs(x), [1, 2], axis=3)
    y, mean, *_ = tf.compat.v1.nn.fused_batch_norm(x, [1.0] * 3, [0.0] * 3)
    return values, indices, right, left, mean, y


def test_nested_calls(tmp_path: Path) -> None:
    """Results of ops with several outputs go to the right readers."""
    model = check(written(lambda x: [several(x)[::-1], several(x + 1)], tmp_path / "m.pb"))
    names = {op.identity for op in nodes_of(platform_graph(model.module))}
    assert "PartitionedCall/PartitionedCall/Conv2D" in names
    assert "PartitionedCall_1/TopKV2" in names


def test_the_same_loop_twice(tmp_path: Path) -> None:
    """Loops of the old kind, which go by the names of their frames, are told apart."""
    tf.compat.v1.disable_control_flow_v2()
    try:

        @tf.function(autograph=False)
        def looped(x: Any) -> Any:
            return tf.compat.v1.while_loop(
                lambda y: tf.reduce_sum(y) < 1e4, lambda y: y * 2.0, [tf.math.abs(x)]
            )

        path = written(lambda x: looped(x) + looped(x + 1), tmp_path / "m.pb")
    finally:
        tf.compat.v1.enable_control_flow_v2()
    check(path)


def test_effects_come_first(tmp_path: Path) -> None:
    """An assertion inside of a function still stops the run."""

    @tf.function
    def checked(x: Any) -> Any:
        tf.debugging.assert_less(x, 5.0, message="too large")
        return block(x)

    model = check(written(lambda x: checked(x) + 1.0, tmp_path / "m.pb"))
    graph: Any = platform_graph(model.module)
    write_graph(export_graph(model.module, graph, model.store), tmp_path / "inlined.pb")
    with pytest.raises(Exception, match="too large"):
        TensorFlowExecutor(tmp_path / "inlined.pb").run({"x": X * 10}, ["Identity"])


def test_what_stays(tmp_path: Path) -> None:
    """Calls that XLA compiles, that no chip helps, or that are in a loop stay, with the reason."""

    @tf.function(jit_compile=True)
    def compiled(x: Any) -> Any:
        return tf.nn.relu(x)

    @tf.function
    def text(x: Any) -> Any:
        return tf.strings.as_string(x)

    model = check(written(lambda x: (compiled(x), text(x)), tmp_path / "m.pb"), calls=2)
    kept = [
        op.attributes["tf.kept"].data
        for op in nodes_of(platform_graph(model.module))
        if "tf.kept" in op.attributes
    ]
    assert sorted(kept) == [
        "where XLA compiles it, with other results",
        "where it has no node that a chip runs",
    ]


def test_functions_called_by_their_own_name(tmp_path: Path) -> None:
    """TensorFlow 1 calls a function by a node of its name, and may leave types to the caller."""
    from tensorflow.python.framework import function

    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], "x")

        @function.Defun(tf.float32, tf.float32, func_name="Halves")
        def halves(a: Any, b: Any) -> Any:
            return tf.nn.relu(a) * 0.5, tf.nn.relu(b) * 0.25

        a, b = halves(x, x + 1)
        tf.add(a, b, "y")
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    assert "Halves" not in kinds(check(path))


def test_the_second_output_of_a_function_that_is_called_by_its_name(tmp_path: Path) -> None:
    from tensorflow.python.framework import function

    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], "x")

        @function.Defun(tf.float32, func_name="Both")
        def both(a: Any) -> Any:
            return tf.nn.relu(a), tf.nn.relu(-a)

        @function.Defun(tf.float32, func_name="Second")
        def second(a: Any) -> Any:
            return tf.nn.relu(both(a)[1])

        tf.identity(second(x), "y")
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    check(path)


def test_names_that_are_asked_for_stay(tmp_path: Path) -> None:
    path = written(lambda x: block(x) + 1.0, tmp_path / "m.pb")
    asked = prepared(path, "PartitionedCall", "PartitionedCall/Conv2D")
    names = [name for name, _ in platform_graph(asked.module).graph_outputs()]
    assert names == ["PartitionedCall:0", "PartitionedCall/Conv2D:0"]
    model = load_model(path)
    model.platform.prepare(model, {"PartitionedCall": None}, [])
    assert [name for name, _ in platform_graph(model.module).graph_inputs()] == [
        "PartitionedCall:0"
    ]


def test_inlined_convolutions_run_on_the_chip(tmp_path: Path) -> None:
    def nested(x: Any) -> Any:
        return tf.map_fn(tf.math.sin, block(x))

    path = written(nested, tmp_path / "m.pb")
    result = split(path, tmp_path / "out", {"x": X})
    on_chip = {
        op.op_type
        for op in result.module.walk()
        if isinstance(op, TfOp)
        and getattr(op.parent_op(), "target", None) is not None
        and op.parent_op().target.is_tpu
    }
    assert "Conv2D" in on_chip
    assert_equal(run_folder(tmp_path / "out", {"x": X}), run_whole(path, {"x": X}, ["Identity:0"]))
    # Each sub-model has the functions only that it calls.
    infos = [new_graph(p.read_bytes()) for p in sorted((tmp_path / "out").glob("*.pb"))]
    assert [bool(FunctionLibrary.of(graph.library).functions) for graph in infos] == [False, True]


def test_output_names_are_tensorflows() -> None:
    from tensorflow.core.framework.op_def_pb2 import OpList
    from tensorflow.python.client import pywrap_tf_session as session

    ops: Any = OpList.FromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
    found = {
        op.name: tuple(
            f"{arg.name}*{several}"
            if (several := arg.number_attr or arg.type_list_attr)
            else arg.name
            for arg in op.output_arg
        )
        for op in ops.op
    }
    table = output_names()
    assert {name: found[name] for name in table} == table
    many = {name for name, outputs in found.items() if len(outputs) > 1}
    # What is left out is for TensorFlow's own tests.
    assert len(many - set(table)) < 20
