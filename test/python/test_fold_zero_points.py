"""quant-fold-zero-points: biases say what zero points said, and integers stay the same but for ties."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto
from test_quant_passes import BACK, TO_QUANT, Loaded, feeds_of

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.quant import DequantizeCastOp, uniform_of
from autosplit.testing.int8 import compile_builder
from autosplit.testing.qdq import QdqBuilder, run

FOLD = "quant-split-dequant,quant-fold-zero-points"
PRODUCTS = ("Conv", "Gemm", "MatMul")


def product(
    make: Callable[[QdqBuilder, str], str], shape: tuple[int, ...], dtype: str
) -> QdqBuilder:
    b = QdqBuilder(7)
    b.output(b.qdq(make(b, b.qdq(b.input("x", shape, low=-1.0, high=3.0), dtype)), dtype))
    return b


def conv(**options) -> Callable[[QdqBuilder, str], str]:
    shape = options.pop("shape", (8, 6, 3, 3))
    return lambda b, x: b.conv(x, shape, **options)


def valid(b: QdqBuilder, x: str) -> str:
    return b.node("Conv", x, b.weight((8, 6, 3, 3)), auto_pad="VALID")


def gemm(turned: int, bias: bool = True, **options) -> Callable[[QdqBuilder, str], str]:
    def make(b: QdqBuilder, x: str) -> str:
        w = b.weight((9, 12) if turned else (12, 9), 0 if turned else 1)
        more = [b.constant(np.linspace(-1, 1, 9, dtype=np.float32))] if bias else []
        return b.node("Gemm", x, w, *more, transB=turned, **options)

    return make


def matmul(b: QdqBuilder, x: str) -> str:
    bias = b.constant(np.linspace(-1, 1, 9, dtype=np.float32))
    return b.node("Add", b.node("MatMul", x, b.weight((12, 9), 1)), bias)


IMAGE, ROWS = (2, 6, 7, 5), (4, 12)
FOLDED = {
    "conv": (conv(), IMAGE),
    "one scale": (conv(axis=None), IMAGE),
    "no bias": (conv(bias=False), IMAGE),
    "valid": (valid, IMAGE),
    "depthwise": (conv(shape=(6, 1, 3, 3), groups=6), IMAGE),
    "groups": (conv(shape=(4, 3, 3, 3), groups=2, stride=2), IMAGE),
    "dilated": (conv(dilation=2), IMAGE),
    "1d": (conv(shape=(8, 6, 3)), (2, 6, 9)),
    "gemm": (gemm(0), ROWS),
    "gemm turned": (gemm(1), ROWS),
    "gemm without bias": (gemm(1, bias=False), ROWS),
    "gemm scaled": (gemm(1, alpha=0.5, beta=2.0), ROWS),
    "gemm whose bias counts nothing": (gemm(0, beta=0.0), ROWS),
    "matmul": (matmul, (2, 4, 12)),
}


def zero_points(loaded: Loaded) -> list[int]:
    """Those of what the products of a module read."""
    read = [op.operands[0].owner for op in loaded.ops(OnnxOp) if op.op_type in PRODUCTS]
    types = [uniform_of(d.input.type) for d in read if isinstance(d, DequantizeCastOp)]
    return [int(z) for t in types if t is not None for z in t.zero_points]


def assert_steps_apart(before: ModelProto, after: ModelProto, gain: float) -> None:
    """At most one in a hundred results is another integer, and then the next one."""
    feeds = feeds_of(before, gain=gain)
    (old,), (new,) = (run(m, feeds, optimize=False) for m in (before, after))
    step = np.diff(np.unique(old)).min()
    off = np.abs(new - old)
    assert off.max() <= 1.01 * step
    assert (off > 0.01 * step).mean() <= 0.01


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("name", FOLDED)
def test_a_bias_says_what_a_zero_point_said(name: str, dtype: str):
    model = product(*FOLDED[name], dtype).build()
    assert zero_points(Loaded(model).run(TO_QUANT)) != [0]
    loaded = Loaded(model).run(f"{TO_QUANT},{FOLD}")
    assert zero_points(loaded) == [0]
    after = loaded.run(BACK).model()
    for gain in (0.3, 1.0, 30.0):
        assert_steps_apart(model, after, gain)


def padded(b: QdqBuilder, x: str) -> str:
    return b.node("Conv", x, b.weight((8, 6, 3, 3)), auto_pad="SAME_UPPER")


def computed_weights(b: QdqBuilder, x: str) -> str:
    return b.node("Conv", x, b.qdq(b.input("w", (8, 6, 3, 3))))


def computed_bias(b: QdqBuilder, x: str) -> str:
    return b.node("Conv", x, b.weight((8, 6, 3, 3)), b.input("b", (8,)))


def lone_matmul(b: QdqBuilder, x: str) -> str:
    return b.node("MatMul", x, b.weight((12, 9), 1))


KEPT = {
    "padding": (conv(pads=1), IMAGE),
    "padding by name": (padded, IMAGE),
    "computed weights": (computed_weights, IMAGE),
    "computed bias": (computed_bias, IMAGE),
    "matmul without a sum": (lone_matmul, ROWS),
}


@pytest.mark.parametrize("name", KEPT)
def test_other_products_keep_their_zero_points(name: str):
    loaded = Loaded(product(*KEPT[name], "uint8").build()).run(f"{TO_QUANT},quant-split-dequant")
    before = zero_points(loaded)
    assert before != [0]
    assert zero_points(loaded.run("quant-fold-zero-points")) == before


def test_what_else_reads_the_integers_sees_the_same_numbers():
    """One dequantize goes to a convolution that takes it, one that pads, and a sum."""
    b = QdqBuilder(3)
    x = b.qdq(b.input("x", (1, 6, 5, 5), low=-1.0, high=3.0))
    inner, padding = b.conv(x, (6, 6, 1, 1)), b.conv(x, (6, 6, 3, 3), pads=1)
    b.output(b.qdq(b.node("Add", inner, x)), b.qdq(padding))
    model = b.build()
    loaded = Loaded(model).run(f"{TO_QUANT},{FOLD}")
    assert sorted(z == 0 for z in zero_points(loaded)) == [False, True]
    after = loaded.run(BACK).model()
    feeds = feeds_of(model)
    for old, new in zip(
        run(model, feeds, optimize=False), run(after, feeds, optimize=False), strict=True
    ):
        assert np.abs(new - old).max() <= 1.01 * np.diff(np.unique(old)).min()


@given(st.integers(0, 2**16), st.integers(1, 3), st.booleans())
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_library_computes_the_same(tmp_path: Path, seed: int, stride: int, bias: bool):
    b = QdqBuilder(seed)
    x = b.qdq(b.input("x", (1, 8, 9, 9), low=-1.0, high=2.0))
    y = b.qdq(b.relu(b.conv(x, (16, 8, 1, 1), bias=bias)), "uint8")
    b.output(b.qdq(b.conv(y, (8, 16, 3, 3), stride=stride, bias=bias)))
    compiled = compile_builder(b, tmp_path)
    feeds = feeds_of(compiled.proto)
    (want,), (got,) = run(compiled.proto, feeds, optimize=False), compiled.run(feeds)
    step = np.diff(np.unique(want)).min()
    assert np.abs(got - want).max() <= 2.01 * step
