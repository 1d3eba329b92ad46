"""What is inferred of TensorFlow's own ops and of its loops, against what TensorFlow computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context

from autosplit.dialects.platform import shape_of, value_name
from autosplit.dialects.tf import TfOp
from autosplit.lowering.infer_shapes import infer_types
from autosplit.platforms import load_model
from autosplit.runtime.frameworks.tensorflow import TensorFlowExecutor
from autosplit.testing.detection import first_control_flow

tf: Any = pytest.importorskip("tensorflow")

X = np.random.default_rng(0).random((3, 6, 8, 2)).astype(np.float32)
N = None
"""A size that is unknown."""


def boxes(x):
    return tf.reshape(x, [-1, 4])


def scores(x):
    return boxes(x)[:, 0]


def padded(kind: str, **more) -> Callable[..., Any]:
    def build(x):
        return getattr(tf.raw_ops, kind)(
            boxes=boxes(x),
            scores=scores(x),
            max_output_size=11,
            iou_threshold=0.5,
            score_threshold=0.1,
            pad_to_max_output_size=True,
            **more,
        )[0]

    return build


def open_rows(x):
    """As many rows as elements are larger than a half."""
    return tf.cast(tf.where(x > 0.5), tf.float32)


def changing(x):
    """A loop of which a variable gets longer by two in each round."""

    def body(i, y):
        return i + 1, tf.concat([y, y[:2]], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None, None, None, 2])]
    return tf.compat.v1.while_loop(lambda i, y: i < 3, body, [0, x], shape_invariants=shapes)[1]


def growing(x):
    """An array to which each round adds, of elements that are alike."""
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)

    def body(i, a):
        return i + 1, a.write(i, x[0])

    return tf.compat.v1.while_loop(lambda i, a: i < 4, body, [0, array])[1].stack()


def mixed(x):
    """An array of which the elements differ, of which one is read."""
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    array = array.write(0, x[0]).write(1, x[0, :2])
    return array.read(tf.cast(x[0, 0, 0, 0], tf.int32))


def mapped(x):
    """A map of a map, with a conditional of which both ways give as much."""

    def inner(row):
        return tf.cond(tf.reduce_sum(row) > 0.5, lambda: row[:3] * 2, lambda: row[-3:])

    def outer(image):
        return tf.map_fn(inner, tf.reduce_max(image, -1))

    return tf.map_fn(outer, x)


def called(x):
    """A map to two arrays in a function that a function calls."""

    @tf.function
    def resized(image, size):
        return tf.image.resize(image, size), tf.reduce_sum(image)

    @tf.function
    def twice(x, size):
        return tf.map_fn(
            lambda image: resized(image, size), x, fn_output_signature=(tf.float32,) * 2
        )

    return twice(x, tf.constant([5, 7]))[0]


def branches(x):
    return tf.cond(tf.reduce_sum(x) > 0.5, lambda: open_rows(x)[:5], lambda: tf.zeros([5, 4]))


def known_branch(x):
    return tf.cond(tf.shape(x)[1] > 5, lambda: x[:, :5], lambda: x)


CASES: dict[str, tuple[Callable[..., Any], tuple[int | None, ...]]] = {
    "CropAndResize": (
        lambda x: tf.image.crop_and_resize(x, boxes(x)[:7], [0] * 7, [5, 4]),
        (7, 5, 4, 2),
    ),
    "CropAndResize of any number": (
        lambda x: tf.image.crop_and_resize(
            x, open_rows(x), tf.zeros(tf.shape(open_rows(x))[:1], tf.int32), [5, 4]
        ),
        (N, 5, 4, 2),
    ),
    "ResizeBicubic": (lambda x: tf.compat.v1.image.resize_bicubic(x, [3, 9]), (3, 3, 9, 2)),
    "NonMaxSuppressionV4": (padded("NonMaxSuppressionV4"), (11,)),
    "NonMaxSuppressionV5": (padded("NonMaxSuppressionV5", soft_nms_sigma=0.0), (11,)),
    "CombinedNonMaxSuppression": (
        lambda x: tf.image.combined_non_max_suppression(
            tf.reshape(x, [3, 24, 1, 4]), tf.reshape(x, [3, 24, 4]), 9, 13
        )[0],
        (3, 13, 4),
    ),
    "while": (
        lambda x: tf.compat.v1.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: [y + y], [x]),
        (3, 6, 8, 2),
    ),
    "while, changing": (changing, (N, 6, 8, 2)),
    "array, growing": (growing, (N, 6, 8, 2)),
    "array, mixed": (mixed, (N, 8, 2)),
    "map": (mapped, (3, 6, 3)),
    "map of two, called": (called, (3, 5, 7, 2)),
    "scan": (lambda x: tf.scan(lambda a, b: a + b[:3], x, x[0, :3]), (3, 3, 8, 2)),
    "cond": (branches, (N, 4)),
    "cond, known": (known_branch, (3, 5, 8, 2)),
}


def with_arrays(build: Callable[..., Any]) -> tuple[bytes, str]:
    """A graph as TensorFlow 1 has it, of tensor arrays that do not say what is in them; and its output."""
    with first_control_flow(tf), tf.Graph().as_default() as graph:
        y = first(build(tf.compat.v1.placeholder(tf.float32, [None, None, None, 2], "x")))
    proto = graph.as_graph_def()
    for node in proto.node:
        node.attr.pop("element_shape", None)
    return proto.SerializeToString(), y.name


def with_lists(build: Callable[..., Any], lower: bool = True) -> tuple[bytes, str]:
    """The same as TensorFlow 2 freezes it, with tensor lists."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    spec = tf.TensorSpec([None, None, None, 2], tf.float32, "x")
    function = tf.function(lambda x: first(build(x))).get_concrete_function(spec)
    frozen = convert_variables_to_constants_v2(function, lower_control_flow=lower)
    return frozen.graph.as_graph_def().SerializeToString(), frozen.outputs[0].name


def with_functions(build: Callable[..., Any]) -> tuple[bytes, str]:
    """The same with loops and conditionals that call functions, as split freezes it."""
    return with_lists(build, lower=False)


def first(found: Any) -> Any:
    return found[0] if isinstance(found, list | tuple) else found


@pytest.mark.parametrize("freeze", [with_arrays, with_lists, with_functions])
@pytest.mark.parametrize("case", CASES)
def test_sizes(tmp_path: Path, case: str, freeze: Callable[..., tuple[bytes, str]]):
    build, expected = CASES[case]
    path = tmp_path / "m.pb"
    data, output = freeze(build)
    path.write_bytes(data)
    model = load_model(path)
    model.platform.prepare(model, {"x": X.shape}, [output])
    infer_types(Context(), model.module)
    values = {
        value_name(result): result
        for op in next(iter(model.module.body.ops)).body_ops()
        for result in op.results
    }
    shape = shape_of(values[output].type)
    assert shape is not None
    assert tuple(d if d >= 0 else None for d in shape) == expected
    (y,) = TensorFlowExecutor(path).run({"x": X}, [output]).values()
    assert len(y.shape) == len(shape)
    assert all(d < 0 or d == n for d, n in zip(shape, y.shape, strict=True))


def test_what_orders_the_ops_of_an_array_is_a_scalar(tmp_path: Path) -> None:
    """Nobody has to run a model to know the sizes of that."""
    path = tmp_path / "m.pb"
    data, output = with_arrays(mapped)
    path.write_bytes(data)
    model = load_model(path)
    model.platform.prepare(model, {"x": X.shape}, [output])
    infer_types(Context(), model.module)
    nodes = [op for op in next(iter(model.module.body.ops)).body_ops() if isinstance(op, TfOp)]
    makers = ("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayScatterV3")
    flows = [op.outputs[-1] for op in nodes if op.op_type in makers]
    assert len(flows) > 3
    assert all(shape_of(flow.type) == () for flow in flows)


def test_a_node_without_outputs_has_no_size(tmp_path: Path):
    """Of a type that nobody knows it may be thought to have one."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], "x")
        tf.no_op("nothing")
        tf.identity(x, "y")
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    feeds = {"x:0": np.zeros(3, np.float32)}
    found = TensorFlowExecutor(path).shapes(feeds, ["nothing:0", "y:0"])
    assert found == {"y:0": ([3], "float32")}
