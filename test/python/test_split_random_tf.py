"""Generated TensorFlow graphs with conditionals, loops, control edges and ops of several outputs.

Cut anywhere, the chained parts compute what the whole computes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.platforms import load_model
from autosplit.testing.split import (
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)

tf: Any = pytest.importorskip("tensorflow").compat.v1

SHAPE = (1, 4, 4, 6)


class _Builder:
    """Grows a graph op by op; all tensors in `pool` are float32 of SHAPE."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.pool = [tf.placeholder(tf.float32, SHAPE, name=name) for name in ("x", "y")]
        self.kernel = tf.constant(self.weights(3, 3, 6, 6), name="kernel")
        self.makers = [
            self.unary, self.unary, self.binary, self.conv, self.conv, self.cond, self.loop, self.halves,
            self.topk, self.where, self.reshaped, self.after, self.unstacked, self.constants,
        ]  # fmt: skip

    def weights(self, *shape: int) -> np.ndarray:
        return (self.random.standard_normal(shape) * 0.2).astype(np.float32)

    def pick(self) -> Any:
        # Late values are likelier, so that graphs get deep.
        return self.pool[-1 - int(min(self.random.exponential(2.0), len(self.pool) - 1))]

    def grow(self) -> None:
        self.pool.append(self.makers[int(self.random.integers(len(self.makers)))]())

    def unary(self) -> Any:
        kinds = [tf.nn.relu, tf.nn.relu6, tf.negative, tf.abs, tf.identity]
        return kinds[int(self.random.integers(len(kinds)))](self.pick())

    def binary(self) -> Any:
        kinds = [tf.add, tf.subtract, tf.maximum]
        return kinds[int(self.random.integers(len(kinds)))](self.pick(), self.pick())

    def conv(self) -> Any:
        return tf.nn.conv2d(self.pick(), self.kernel, strides=1, padding="SAME")

    def cond(self) -> Any:
        a, b = self.pick(), self.pick()
        return tf.cond(tf.reduce_max(self.pick()) > 1.0, lambda: a + b, lambda: tf.nn.relu(a))

    def loop(self) -> Any:
        step = self.pick()
        limit = tf.cast(tf.reduce_max(tf.sign(self.pick())), tf.int32) + 2
        return tf.while_loop(
            lambda i, v: i < limit, lambda i, v: (i + 1, tf.nn.relu6(v) - step), (0, self.pick())
        )[1]

    def halves(self) -> Any:
        left, right = tf.split(self.pick(), 2, axis=3)
        return tf.concat([right, left], 3)

    def topk(self) -> Any:
        values, places = tf.nn.top_k(self.pick(), k=3)
        return tf.concat([values, tf.cast(places, tf.float32)], 3)

    def where(self) -> Any:
        found = tf.where(self.pick() > 0.5)
        return self.pick() + tf.cast(tf.shape(found)[0], tf.float32) / 64.0

    def reshaped(self) -> Any:
        value = self.pick()
        flat = tf.reshape(self.pick(), [tf.shape(value)[0], -1])
        return tf.reshape(flat, tf.shape(value))

    def after(self) -> Any:
        checked = tf.debugging.assert_greater(self.pick(), -1e30)
        with tf.control_dependencies([checked, self.pick()]):
            return tf.identity(self.pick())

    def unstacked(self) -> Any:
        # The second name is the one that the identity behind the second output would get.
        parts = tf.unstack(self.pick(), axis=3, name=f"part{len(self.pool)}")
        named = tf.nn.relu(parts[1], name=f"part{len(self.pool)}_1_sophon_auto")
        return tf.stack([named, *parts[2:], parts[1]], axis=3)

    def constants(self) -> Any:
        sums = tf.constant(self.weights(6)) + tf.range(6, dtype=tf.float32)
        return self.pick() - sums + tf.cast(tf.shape(self.pick())[3], tf.float32)


def _make(seed: int, size: int, path: Path) -> list[str]:
    """Writes a graph of about `size` steps with the inputs x and y; returns its outputs."""
    tf.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        builder = _Builder(seed)
        for _ in range(size):
            builder.grow()
        chosen = [builder.pool[-1], *(builder.pick() for _ in range(2))]
        names = [tf.identity(v, name=f"out{i}").name for i, v in enumerate(chosen)]
        path.write_bytes(graph.as_graph_def().SerializeToString())
    return names


def _check(seed: int, size: int, folder: Path) -> None:
    model = folder / "model.pb"
    outputs = _make(seed, size, model)
    random = np.random.default_rng(seed)

    def draw() -> dict[str, np.ndarray]:
        return {f"{n}:0": random.standard_normal(SHAPE).astype(np.float32) for n in ("x", "y")}

    feeds = draw()
    whole = load_model(model)
    whole.platform.prepare(whole, dict.fromkeys(feeds), outputs)
    share = float(random.choice([0.0, 0.1, 0.4]))
    names = [
        op.identity
        for op in platform_graph(whole.module).body_ops()
        if isinstance(op, PlatformOp) and "Placeholder" not in op.op_type
    ]
    pins = [name for name in names if random.random() < share]
    first = split(model, folder / "first", feeds, outputs=outputs, target="bm1684x")
    placed = {
        op.identity
        for op in first.module.walk()
        if isinstance(op, PlatformOp) and "device.accepts" in op.attributes
    }
    result = split(
        model,
        folder / "out",
        feeds,
        outputs=outputs,
        pins=[(re.escape(name), "cpu") for name in pins if name in placed],
        keep=float(random.choice([0.5, 0.95, 1.0])),
        target="bm1684x",
    )
    assert_computed_once(result)
    for given in (feeds, draw()):
        assert_equal(run_folder(folder / "out", given), run_whole(model, given, outputs))


@pytest.mark.parametrize("seed", range(8))
def test_random(seed: int, tmp_path: Path) -> None:
    _check(seed, 4 + seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 200))
def test_random_many(seed: int, tmp_path: Path) -> None:
    _check(seed, 4 + seed % 40, tmp_path)
