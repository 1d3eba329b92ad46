"""Single convolutions and products of random sizes: kernels of oneDNN compute what ONNX Runtime does.

The library has another kernel for each processor, and for some sizes wrong ones: see `quant-widen-kernels`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onednn_installed import needs_library
from sampled import sample

from autosplit.runtime.dnnl.library import library
from autosplit.testing.int8 import expect_vnni
from autosplit.testing.raw_qdq import RawQdq, compare

pytestmark = needs_library

SCALE = 0.03

CHANNELS = (*range(1, 6), 8, 12, 16, 17, 20, 24, 32, 33, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192)

Shape = tuple[int, ...]


class Sizes:
    """Random sizes, and what reads and writes them."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.m = RawQdq(17, seed)
        self.shapes: dict[str, Shape] = {}
        """Of what is read, by name."""

    def pick(self, choices: Any) -> int:
        return int(choices[self.rng.integers(len(choices))])

    def read(self, shape: Shape, name: str = "x") -> str:
        """An input in bytes; without VNNI the library cannot be exact with signed ones."""
        kinds = [("u8", 0), ("u8", 128), ("i8", 0), ("i8", 3)]
        dtype, zero = kinds[self.rng.integers(4 if library().has_vnni else 2)]
        self.shapes[name] = shape
        return self.m.qdq(self.m.input(name, shape), SCALE, zero, dtype)

    def spatial(self, rank: int) -> tuple[list[int], dict[str, list[int]], list[int]]:
        """A kernel, with what else says how it moves, and the sizes that it moves over."""
        kernel = [int(self.rng.integers(1, 6)) for _ in range(rank)]
        dilations = [self.pick([1, 1, 1, 2]) for _ in kernel]
        steps = [self.pick([1, 2, 3, k]) for k in kernel]
        pads = [self.pick([0, 0, 1]) for _ in range(2 * rank)]
        covers = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        sizes = [max(c, int(self.rng.integers(4, 21))) for c in covers]
        return kernel, {"strides": steps, "dilations": dilations, "pads": pads}, sizes

    def convolution(self) -> str:
        m, rank = self.m, self.pick([1, 2, 2, 2, 3, 3])
        channels, outputs = self.pick(CHANNELS), self.pick([8, 16, 17, 24, 32, 48, 64])
        kernel, moves, sizes = self.spatial(rank)
        group = self.pick([n for n in (1, 1, 1, 2, 4, 8) if channels % n == outputs % n == 0])
        x = self.read((1, channels, *sizes))
        fan = channels // group * int(np.prod(kernel))
        w = m.weight((outputs, channels // group, *kernel), 0, fan)
        return m.node("Conv", x, w, m.bias(outputs), group=group, **moves)

    def depthwise(self) -> str:
        m, channels = self.m, self.pick(CHANNELS)
        kernel, moves, sizes = self.spatial(2)
        x = self.read((1, channels, *sizes))
        w = m.weight((channels, 1, *kernel), 0, int(np.prod(kernel)))
        return m.node("Conv", x, w, m.bias(channels), group=channels, **moves)

    def transposed(self) -> str:
        m, channels, outputs = self.m, self.pick(CHANNELS), self.pick([3, 8, 16, 24, 32, 64])
        kernel, moves, sizes = self.spatial(2)
        # A size must be left.
        moves["pads"] = [self.pick([0, 0, 1]) if size > 3 else 0 for size in [*sizes, *sizes]]
        moves["output_padding"] = [self.pick([0, 0, step - 1]) for step in moves["strides"]]
        x = self.read((1, channels, *sizes))
        w = m.weight((channels, outputs, *kernel), None, channels * int(np.prod(kernel)))
        return m.node("ConvTranspose", x, w, m.bias(outputs), **moves)

    def product(self) -> str:
        m, depth, columns = (
            self.m,
            self.pick([*CHANNELS, 256, 320, 777]),
            self.pick([*CHANNELS, 10, 1000]),
        )
        x = self.read(
            (*[self.pick([1, 2, 3])] * self.pick([0, 1]), self.pick([1, 2, 7, 16, 49, 128]), depth)
        )
        return m.node(
            "Add", m.node("MatMul", x, m.weight((depth, columns), 1, depth)), m.bias(columns)
        )

    def attention(self) -> str:
        """Heads of places weighted by their scores, and put side by side, mostly.

        Without VNNI sums of products of two activations saturate.
        """
        expect_vnni()
        m, heads, places, width = (
            self.m,
            self.pick([1, 2, 3]),
            self.pick([5, 16, 49]),
            self.pick([8, 16, 32]),
        )
        batch = self.pick([1, 1, 4])
        rows = (batch, heads, places, width)
        q, k, v = (self.read(rows, name) for name in ("q", "k", "v"))
        scores = m.node("MatMul", q, m.node("Transpose", k, perm=[0, 1, 3, 2]))
        if self.pick([0, 1]):
            scores = m.node("Mul", scores, m.constant(0.3))
        if masked := self.pick([0, 1, 2]):
            shape = (1 if masked == 1 else batch, heads, places, places)
            scores = m.node("Add", scores, m.constant(self.rng.normal(size=shape)))
        dtype, zero = [("u8", 0), ("u8", 2), ("i8", -128), ("i8", -126)][self.rng.integers(4)]
        weights = m.qdq(m.node("Softmax", scores, axis=-1), 1 / 256, zero, dtype)
        y = m.node("MatMul", weights, v)
        if self.pick([0, 1, 1]):
            return y
        y = m.node("Transpose", m.qdq(y, SCALE, 128), perm=[0, 2, 1, 3])
        shape = (
            [batch * places, heads * width] if self.pick([0, 1]) else [batch, places, heads * width]
        )
        return m.node("Reshape", m.qdq(y, SCALE, 128), m.constant(shape, "i64"))


KINDS: dict[str, Callable[[Sizes], str]] = {
    "convolution": Sizes.convolution,
    "depthwise": Sizes.depthwise,
    "transposed": Sizes.transposed,
    "product": Sizes.product,
    "attention": Sizes.attention,
}


def check(kind: str, seed: int) -> None:
    """One op in bytes; the result is f32, or rounded behind a Relu."""
    sizes = Sizes(seed)
    m, y = sizes.m, KINDS[kind](sizes)
    is_rounded = bool(sizes.rng.random() < 0.5)
    if is_rounded:
        y = m.qdq(m.node("Relu", y), SCALE, 0, "u8")
    m.output(y)
    # Between two steps nothing is rounded in two ways.
    feeds = {
        name: (sizes.rng.integers(-128, 128, shape) * np.float64(SCALE)).astype(np.float32)
        for name, shape in sizes.shapes.items()
    }
    (off,) = compare(m.model(), [feeds])
    # Where the result has a tie, it is one step apart; weights of an attention have ties too.
    is_rounded = is_rounded or kind == "attention"
    assert off.largest <= (1.01 * SCALE if is_rounded else 1e-3), off
    assert off.mean <= 1e-3, off


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", sample(range(8), 2))
def test_some(kind: str, seed: int):
    check(kind, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_many(kind: str, seed: int):
    check(kind, seed)
