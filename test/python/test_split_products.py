"""quant-split-products: a product for each part that is read, and the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onednn_installed import needs_library
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.ops import GatherOp, MatMulOp, MulOp, SplitOp
from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.testing.qdq import run
from autosplit.testing.raw_qdq import RawQdq, compare

SPLIT = "quant-split-products"
PLACES, HEADS, WIDTH = 5, 2, 4
CHANNELS = HEADS * WIDTH


def product(m: RawQdq, *, bias: bool = True, axis: int | None = 1, middle: bool = False) -> str:
    """Three times as many results as channels; `middle`: rounded in front of the bias."""
    x = m.qdq(m.input("x", (1, PLACES, CHANNELS)), 0.02)
    y = m.node("MatMul", x, m.weight((CHANNELS, 3 * CHANNELS), axis, CHANNELS))
    if middle:
        bytes_ = m.constant(np.arange(3 * CHANNELS) - 12, "i8")
        return m.node("Add", m.qdq(y, 0.025, 128), m.dequantize(bytes_, 0.02, 0, "i8"))
    return m.node("Add", y, m.bias(3 * CHANNELS)) if bias else y


def gathered(m: RawQdq, y: str, order: str = "first", *, turns: bool = True) -> list[str]:
    """Queries, keys and values, as heads of places; `order`: where they are among the factors."""
    sizes = (3, HEADS, WIDTH) if order == "first" else (HEADS, WIDTH, 3)
    y = m.node("Reshape", y, m.constant([1, PLACES, *sizes], "i64"))
    axis = 2 if order == "first" else 4
    if turns:
        perm = [2, 0, 3, 1, 4] if order == "first" else [4, 0, 2, 1, 3]
        y, axis = m.node("Transpose", y, perm=perm), 0
    return [m.node("Gather", y, m.constant(i, "i64"), axis=axis) for i in range(3)]


def split(m: RawQdq, y: str) -> list[str]:
    """The same, by Split and a reshape of each."""
    parts = m.nodes_of("Split", y, outputs=3, axis=-1)
    shape = m.constant([1, PLACES, HEADS, WIDTH], "i64")
    return [m.node("Transpose", m.node("Reshape", p, shape), perm=[0, 2, 1, 3]) for p in parts]


def attention(m: RawQdq, parts: list[str], number: float = 0.5) -> RawQdq:
    """Heads of places weighted by their scores; what products read is rounded."""
    q, k, v = parts
    q = m.qdq(q if number == 1.0 else m.node("Mul", q, m.constant(number)), 0.01, 128)
    k = m.qdq(m.node("Transpose", k, perm=[0, 1, 3, 2]), 0.02, 128)
    scores = m.qdq(m.node("Softmax", m.node("MatMul", q, k), axis=-1), 1 / 255)
    heads = m.node("MatMul", scores, m.qdq(v, 0.02, 128))
    y = m.node("Transpose", heads, perm=[0, 2, 1, 3])
    m.output(m.node("Reshape", y, m.constant([1, PLACES, CHANNELS], "i64")))
    return m


def optimized(*, operators: bool = False) -> RawQdq:
    """As ONNX Runtime writes encoders before they are quantized: a Gemm of places, and heads turned apart.

    `operators`: what moves between products are bytes, as with QLinear ops.
    """
    m = RawQdq(17)
    x = m.qdq(m.input("x", (1, PLACES, CHANNELS)), 0.02)
    x = m.qdq(m.node("Reshape", x, m.constant([PLACES, CHANNELS], "i64")), 0.02)
    scales = np.full(3 * CHANNELS, 1e-3, np.float32)
    bias = m.dequantize(
        m.constant(np.arange(3 * CHANNELS) * 7 - 90, "i32"),
        scales,
        np.zeros(scales.shape),
        "i32",
        axis=0,
    )
    y = m.quantize(
        m.node("Gemm", x, m.weight((CHANNELS, 3 * CHANNELS), 1, CHANNELS), bias), 0.03, 128
    )
    heads = m.constant([1, PLACES, 3, HEADS, WIDTH], "i64")
    if operators:
        y = m.dequantize(m.node("Reshape", y, heads), 0.03, 128)
        parts = [m.node("Gather", y, m.constant(i, "i64"), axis=2) for i in range(3)]
    else:
        y = m.quantize(m.node("Reshape", m.dequantize(y, 0.03, 128), heads), 0.03, 128)
        # Each has a dequantize of its own.
        parts = [
            m.node("Gather", m.dequantize(y, 0.03, 128), m.constant(i, "i64"), axis=2)
            for i in range(3)
        ]
    turned = [m.node("Transpose", m.qdq(part, 0.03, 128), perm=[0, 2, 1, 3]) for part in parts]
    return attention(m, turned, 1.0)


def encoder(kind: str, **options: Any) -> RawQdq:
    """An attention whose product is taken apart in some way."""
    m = RawQdq(17)
    y = product(m, **{k: v for k, v in options.items() if k in ("bias", "axis", "middle")})
    if options.get("casts"):
        y = m.qdq(y, 0.03, 128)
    if kind == "split":
        return attention(m, split(m, y), options.get("number", 0.5))
    return attention(m, gathered(m, y, kind), options.get("number", 0.5))


FORMS = {
    "gather": encoder("first"),
    "gather behind": encoder("last"),
    "split": encoder("split"),
    "rounded as a whole": encoder("first", casts=True),
    "no bias": encoder("first", bias=False),
    "weights of one scale": encoder("first", axis=None),
    "rounded twice": encoder("first", middle=True, casts=True),
    "optimized": optimized(),
    "optimized, in operators": optimized(operators=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_numbers_are_the_same(form: str):
    m = FORMS[form]
    model = m.model()
    loaded = Loaded(model).run(f"{TO_QUANT},quant-real-moves,{SPLIT}")
    assert not loaded.ops(GatherOp)
    assert not loaded.ops(SplitOp)
    # What queries are multiplied by is in their weights, or in the scale of what is rounded.
    assert not loaded.ops(MulOp)
    assert len(loaded.ops(MatMulOp)) == 5
    feeds = {"x": m.random(1, PLACES, CHANNELS)}
    (old,), (new,) = (
        run(each, feeds, optimize=False) for each in (model, loaded.run(BACK).model())
    )
    # A number that lies between two integers may be rounded otherwise, by float32's last bits.
    assert np.abs(new - old).max() <= 0.02
    assert (np.abs(new - old) > 1e-5).mean() <= 0.05


def test_a_number_below_zero_stays():
    m = encoder("first", number=-0.5)
    model = m.model()
    loaded = Loaded(model).run(f"{TO_QUANT},{SPLIT}")
    assert len(loaded.ops(MulOp)) == 1
    feeds = {"x": m.random(1, PLACES, CHANNELS)}
    (old,), (new,) = (
        run(each, feeds, optimize=False) for each in (model, loaded.run(BACK).model())
    )
    assert np.abs(new - old).max() <= 0.02


def computed_weights() -> RawQdq:
    m = RawQdq(17)
    x = m.qdq(m.input("x", (1, PLACES, CHANNELS)), 0.02)
    w = m.qdq(m.input("w", (CHANNELS, 3 * CHANNELS)), 0.02)
    for part in gathered(m, m.node("MatMul", x, w)):
        m.output(m.qdq(part))
    return m


def read_as_a_whole() -> RawQdq:
    m = RawQdq(17)
    y = product(m)
    m.output(m.qdq(y))
    for part in gathered(m, y):
        m.output(m.qdq(part))
    return m


def of_places() -> RawQdq:
    """Gather takes places, not channels."""
    m = RawQdq(17)
    y = m.node("Reshape", product(m), m.constant([1, PLACES, 3, CHANNELS], "i64"))
    for i in range(2):
        m.output(m.qdq(m.node("Gather", y, m.constant(i, "i64"), axis=1)))
    return m


@pytest.mark.parametrize("build", [computed_weights, read_as_a_whole, of_places])
def test_what_stays(build: Any):
    loaded = Loaded(build().model())
    before = str(loaded.run(TO_QUANT).module)
    assert str(loaded.run(SPLIT).module) == before


@needs_library
@pytest.mark.parametrize("form", FORMS)
def test_nothing_but_bytes_moves(form: str, tmp_path: Path):
    m = FORMS[form]
    model = m.model()
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    found = explain_int8(compile_model(CompileOptions(tmp_path / "model.onnx")).module)
    assert not [o for o in found.outside if o.type in ("Gather", "Split", "Mul", "MatMul")]
    # Nothing saturates, which is not kept where what is rounded twice is rounded once.
    (off,) = compare(model, [{"x": 0.3 * m.random(1, PLACES, CHANNELS)}], rounding="close")
    assert off.largest <= 0.05


@needs_library
@pytest.mark.parametrize("scaled", [False, True])
def test_parts_may_be_outputs(scaled: bool):
    m = RawQdq(17)
    for part in gathered(m, product(m)):
        m.output(m.node("Mul", part, m.constant(0.25)) if scaled else part)
    offs = compare(m.model(), [{"x": m.random(1, PLACES, CHANNELS)}], rounding="close")
    assert len(offs) == 3
    assert max(off.largest for off in offs) <= 1e-5
