"""TensorFlow graphs of all kinds, split and run in parts: the bits of the whole.

From tf.function, Keras, SavedModels and TensorFlow 1; maps, conditionals, loops, calls, strings, ragged
tensors, tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.testing.split import assert_computed_once, assert_equal, run_folder, run_whole, split

tf: Any = pytest.importorskip("tensorflow", reason="the extra tensorflow is not installed")

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]
PICTURE = (2, 12, 12, 3)


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def convolved(x: Any, channels: int = 4, seed: int = 1) -> Any:
    kernel = numbers(3, 3, int(x.shape[-1]), channels, seed=seed)
    return tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))


def traced(
    function: Callable[..., Any], *, lower: bool = False, **feeds: Array
) -> Callable[..., Any]:
    """A maker of the graph of a function; with `lower`, loops and conditionals as in TensorFlow 1."""

    def make(folder: Path) -> tuple[Path, Feeds]:
        from tensorflow.python.framework import convert_to_constants

        specs = [
            tf.TensorSpec(a.shape, tf.string if a.dtype == object else a.dtype, name=k)
            for k, a in feeds.items()
        ]
        concrete = tf.function(function, input_signature=specs).get_concrete_function()
        if lower:
            concrete = convert_to_constants.convert_variables_to_constants_v2(concrete)
        path = folder / "model.pb"
        path.write_bytes(concrete.graph.as_graph_def().SerializeToString())
        return path, feeds

    return make


def session(build: Callable[[], None], **feeds: Array) -> Callable[..., Any]:
    """A maker of a graph that is built as in TensorFlow 1."""

    def make(folder: Path) -> tuple[Path, Feeds]:
        graph = tf.Graph()
        with graph.as_default():
            build()
        path = folder / "model.pb"
        path.write_bytes(graph.as_graph_def().SerializeToString())
        return path, feeds

    return make


def saved(module: Callable[[], Any], **feeds: Array) -> Callable[..., Any]:
    """A maker of a SavedModel."""

    def make(folder: Path) -> tuple[Path, Feeds]:
        tf.keras.utils.set_random_seed(0)
        model = module()
        place = str(folder / "model")
        model.export(place) if hasattr(model, "export") else tf.saved_model.save(model, place)
        return folder / "model", feeds

    return make


def keras(*layers: Callable[[], Any]) -> Callable[[], Any]:
    def make() -> Any:
        network = tf.keras.Sequential(
            [tf.keras.Input(PICTURE[1:], name="x"), *(each() for each in layers)]
        )
        network(np.zeros(PICTURE, np.float32))
        return network

    return make


def _conditional(x: Any) -> Any:
    y = convolved(x)
    return tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2, lambda: convolved(y))


def _loop(x: Any) -> Any:
    y = convolved(x)
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, convolved(y)), [tf.constant(0), y]
    )
    return convolved(y, seed=2)


def _array(x: Any) -> Any:
    y = convolved(x)
    rows = tf.TensorArray(tf.float32, size=4, element_shape=[12, 12, 4])
    for i in tf.range(4):
        rows = rows.write(i, y[i % 2] * tf.cast(i, tf.float32))
    return convolved(rows.stack(), seed=2)


def _ragged(x: Any, lengths: Any) -> Any:
    y = tf.reshape(convolved(x), [-1, 4])
    rows = tf.RaggedTensor.from_row_lengths(y, lengths)
    return tf.reduce_sum(rows, axis=1), rows.to_tensor(shape=[3, 200, 4])


def _words(text: Any, x: Any) -> Any:
    joined = tf.strings.join(
        [tf.strings.upper(text), tf.strings.as_string(tf.strings.length(text))], "-"
    )
    values = tf.strings.to_number(tf.strings.substr(joined, -1, 1))
    return joined, convolved(x) * tf.reshape(values, [-1, 1, 1, 1])


def _boxes(x: Any, boxes: Any) -> Any:
    y = convolved(x)
    kept = tf.image.non_max_suppression(boxes, tf.reduce_mean(y[0], [0, 2])[:8], 5, 0.3)
    crops = tf.image.crop_and_resize(y, tf.gather(boxes, kept), tf.zeros_like(kept), [4, 4])
    return convolved(crops, seed=3)


@tf.function
def inner_call(x: Any, scale: Any) -> Any:
    return convolved(x) * scale, tf.shape(x)


@tf.function
def outer_call(x: Any) -> Any:
    y, size = inner_call(x, 2.0)
    z, _ = inner_call(y[..., :3], 3.0)
    return z, size


class Looked(tf.Module):
    """A table of words, and a variable that is read in a branch."""

    def __init__(self) -> None:
        super().__init__()
        pairs = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], tf.constant([0, 1], tf.int64))
        self.table = tf.lookup.StaticHashTable(pairs, 2)
        self.rows = tf.Variable(numbers(3, 8, seed=4))
        self.matrix = tf.Variable(numbers(8, 5, seed=5))

    @tf.function(input_signature=[tf.TensorSpec([2], tf.string, name="text")])
    def __call__(self, text: Any) -> Any:
        rows = tf.gather(self.rows, self.table.lookup(text))
        return tf.cond(rows[0, 0] > 0, lambda: rows @ self.matrix, lambda: -rows @ self.matrix)


def _frames() -> None:
    """A loop and a conditional of TensorFlow 1, with a nested frame."""
    old = tf.compat.v1
    old.disable_control_flow_v2()
    try:
        y = convolved(old.placeholder(tf.float32, PICTURE, "x"))

        def body(i: Any, y: Any) -> Any:
            _, y = old.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * 1.5), [0, y])
            return i + 1, y

        _, y = old.while_loop(lambda i, y: i < 3, body, [0, y])
        y = old.cond(tf.reduce_mean(y) > 0.5, lambda: y + 1.0, lambda: y - 1.0)
        tf.identity(convolved(y, seed=2), "y")
    finally:
        old.enable_control_flow_v2()


def _normed() -> None:
    old = tf.compat.v1
    y = convolved(old.placeholder(tf.float32, PICTURE, "x"))
    y, *_ = old.nn.fused_batch_norm(
        y, numbers(4), numbers(4), numbers(4), np.ones(4, np.float32), is_training=False
    )
    y = tf.image.resize(y, [24, 24])
    values, places = tf.math.top_k(tf.reshape(y, [2, -1]), 3)
    tf.identity(values, "values")
    tf.identity(places, "places")


def _normed_call(x: Any) -> Any:
    """In a function that asks for TensorFlow's optimizers, which fold batch normalizations."""

    @tf.function
    def inner(x: Any) -> Any:
        given = [numbers(4, seed=k) for k in range(3)]
        y, *_ = tf.raw_ops.FusedBatchNormV3(
            x=convolved(x), scale=given[0], offset=given[1], mean=given[2],
            variance=given[0] ** 2 + 0.5, is_training=False,
        )  # fmt: skip
        return tf.nn.sigmoid(y)

    return inner(x)


X = numbers(*PICTURE)
TEXT = np.array([b"cat", b"horses"], dtype=object)
BOXES = np.sort(np.random.default_rng(3).random((8, 2, 2)), axis=1).reshape(8, 4).astype(np.float32)

CASES: dict[str, Callable[..., Any]] = {
    "calls": traced(lambda x: outer_call(x), x=X),
    "calls, optimized": traced(_normed_call, x=X),
    "calls lowered": traced(lambda x: outer_call(x), lower=True, x=X),
    "map": traced(lambda x: convolved(tf.map_fn(lambda p: p * tf.reduce_max(p), convolved(x))), x=X),
    "vectorized map": traced(lambda x: tf.vectorized_map(lambda p: convolved(p[None])[0], x), x=X),
    "conditional": traced(_conditional, x=X),
    "conditional lowered": traced(_conditional, lower=True, x=X),
    "switch": traced(
        lambda x, i: tf.switch_case(i, [lambda: convolved(x), lambda: convolved(x, seed=3)]),
        x=X, i=np.array(1, np.int32),
    ),
    "loop": traced(_loop, x=X),
    "loop lowered": traced(_loop, lower=True, x=X),
    "array": traced(_array, x=X),
    "array lowered": traced(_array, lower=True, x=X),
    "scan": traced(lambda x: tf.scan(lambda a, b: a + b, convolved(x)), x=X),
    "ragged": traced(_ragged, x=X, lengths=np.array([100, 0, 188], np.int64)),
    "strings": traced(_words, text=TEXT, x=X),
    "boxes": traced(_boxes, x=X, boxes=BOXES),
    "einsum": traced(lambda x: tf.einsum("bhwc,cd->bdhw", convolved(x), numbers(4, 6)), x=X),
    "unique": traced(lambda x: tf.unique(tf.reshape(tf.round(convolved(x)), [-1])), x=X),
    "frames": session(_frames, x=X),
    "batch norm": session(_normed, x=X),
    "lookup": saved(Looked, text=TEXT),
    "keras": saved(
        keras(
            lambda: tf.keras.layers.Conv2D(4, 3, activation="swish"),
            tf.keras.layers.BatchNormalization,
            tf.keras.layers.GlobalAveragePooling2D,
            lambda: tf.keras.layers.Dense(3, activation="softmax"),
        ),
        x=X,
    ),
    "keras lstm": saved(
        keras(
            lambda: tf.keras.layers.Reshape((12, 36)),
            lambda: tf.keras.layers.LSTM(8),
            lambda: tf.keras.layers.Dense(3),
        ),
        x=X,
    ),
}  # fmt: skip

QUICK = ("calls", "calls, optimized", "frames", "strings")


def _param(name: str) -> Any:
    return pytest.param(name, marks=[] if name in QUICK else [pytest.mark.nightly])


@pytest.mark.parametrize("name", [_param(name) for name in CASES])
def test_parts_equal_the_whole(name: str, tmp_path: Path) -> None:
    path, feeds = CASES[name](tmp_path)
    result = split(path, tmp_path / "out", feeds)
    assert_computed_once(result)
    got = run_folder(tmp_path / "out", feeds)
    assert_equal(got, run_whole(path, feeds, list(got)))


@pytest.mark.parametrize("dynamic", [False, True])
def test_pictures_of_any_size_are_resized_before_the_tpu(tmp_path: Path, dynamic: bool) -> None:
    """A loop of functions resizes each; what is behind it has fixed sizes but for the batch."""

    def classify(x: Any) -> Any:
        return convolved(tf.map_fn(lambda picture: tf.image.resize(picture, (9, 7)), x))

    spec = tf.TensorSpec([None, None, None, 3], tf.float32, "x")
    graph = tf.function(classify, input_signature=[spec]).get_concrete_function().graph
    path = tmp_path / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    result = split(path, tmp_path / "out", {"x": X}, dynamic=dynamic)
    plan: Any = result.plan.data
    assert [stage.kind.data for stage in plan["stages"]] == ["cpu", "tpu"]
    for feeds in ({"x": X}, {"x": X[:1, :5]}) if dynamic else ({"x": X},):
        got = run_folder(tmp_path / "out", feeds)
        assert_equal(got, run_whole(path, feeds, list(got)))
