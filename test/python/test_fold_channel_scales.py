"""quant-fold-channel-scales: depthwise weights say what scales by the channel said, and integers stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.quant import QuantizeCastOp, uniform_of
from autosplit.testing.qdq import run
from autosplit.testing.raw_qdq import RawQdq

FOLD = "quant-fold-channel-scales"
CHANNELS = 4


def depthwise(
    inner: str = "Relu",
    *,
    zeros: tuple[int, ...] = (0,) * CHANNELS,
    dtype: str = "u8",
    most: float = 6.0,
    scales: tuple[float, ...] = (0.005, 0.01, 6 / 255, 0.02),
    multiplier: int = 1,
    spatial: int = 2,
    axis: int | None = 0,
    seed: int = 0,
) -> RawQdq:
    """A convolution, an activation, and a depthwise convolution of what is quantized by the channel."""
    m = RawQdq(17, seed)
    x = m.qdq(m.input("x", (1, CHANNELS, *[6] * spatial)), 0.03)
    x = m.node("Conv", x, m.weight((CHANNELS, CHANNELS, *[1] * spatial), 0), m.bias(CHANNELS))
    bounds = [m.constant(0.0), m.constant(most)] if inner == "Clip" else []
    x = m.node(inner, x, *bounds) if inner else x
    x = m.qdq(x, np.array(scales), np.array(zeros), dtype, axis=1)
    shape = (CHANNELS * multiplier, 1, *[3] * spatial)
    w, b = m.weight(shape, axis, 3**spatial), m.bias(shape[0])
    m.output(m.node("Conv", x, w, b, pads=[1] * 2 * spatial, group=CHANNELS))
    return m


def axes(loaded: Loaded) -> list[int | None]:
    """The dimension of the scales of each quantize; None where there is one scale."""
    types = [uniform_of(op.output.type) for op in loaded.ops(QuantizeCastOp)]
    return [t.axis for t in types if t is not None]


def kinds(loaded: Loaded) -> list[str]:
    return [op.op_type for op in loaded.ops(OnnxOp) if op.op_type not in ("Constant", "")]


def assert_alike(m: RawQdq, gain: float = 1.0) -> None:
    """Folds, and compares with the model as ONNX Runtime computes it."""
    model = m.model()
    loaded = Loaded(model).run(f"{TO_QUANT},{FOLD}")
    assert axes(loaded) == [None, None]
    after = loaded.run(BACK).model()
    feeds = {"x": gain * m.random(1, CHANNELS, *[6] * (len(_shape(model)) - 2))}
    (old,), (new,) = (run(each, feeds, optimize=False) for each in (model, after))
    # A tie that float32 breaks otherwise moves the integers of a window by one step.
    assert np.abs(new - old).max() <= 0.05
    assert (np.abs(new - old) > 1e-4 * max(1, np.abs(old).max())).mean() <= 0.02


def _shape(model) -> list[int]:
    return [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]


FOLDED = {
    "relu": depthwise(),
    "nothing between": depthwise("", dtype="i8"),
    "a clip that saturating repeats": depthwise("Clip"),
    "a clip at less": depthwise("Clip", most=1.0),
    "hard swish": depthwise("HardSwish", dtype="i8"),
    "zero points": depthwise("HardSwish", zeros=(17,) * CHANNELS),
    "two results a channel": depthwise(multiplier=2),
    "weights of one scale": depthwise(axis=None),
    "1d": depthwise(spatial=1),
    "3d": depthwise(spatial=3),
}


@pytest.mark.parametrize("name", FOLDED)
def test_weights_say_what_scales_said(name: str):
    assert_alike(FOLDED[name])
    assert_alike(FOLDED[name], gain=10.0)


def test_what_saturates_anyway_goes():
    assert kinds(Loaded(depthwise().model()).run(f"{TO_QUANT},{FOLD}")).count("Relu") == 0
    clip = Loaded(depthwise("Clip").model()).run(f"{TO_QUANT},{FOLD}")
    assert not {"Clip", "Mul"} & set(kinds(clip)), "the factor is in the convolution in front"
    less = Loaded(depthwise("Clip", most=1.0).model()).run(f"{TO_QUANT},{FOLD}")
    assert {"Clip", "Mul"} <= set(kinds(less))


def test_a_clip_with_a_computed_bound_stays():
    m = depthwise("Clip")
    clip = next(n for n in m.nodes if n.op_type == "Clip")
    clip.input[2] = m.input("most", ())
    assert {"Clip", "Mul"} <= set(kinds(Loaded(m.model()).run(f"{TO_QUANT},{FOLD}")))


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.floats(1e-4, 0.1)] * CHANNELS),
    st.sampled_from(["", "Relu", "Clip", "HardSwish"]),
    st.floats(0.1, 8.0),
    st.integers(0, 99),
)
def test_any_scales(scales: tuple[float, ...], inner: str, most: float, seed: int):
    dtype = "i8" if inner in ("", "HardSwish") else "u8"
    m = depthwise(inner, scales=scales, most=most, dtype=dtype, seed=seed)
    assert_alike(m)


def grouped() -> RawQdq:
    m = RawQdq(17)
    x = m.qdq(m.input("x", (1, 4, 6, 6)), np.array([0.01, 0.02, 0.03, 0.01]), axis=1)
    m.output(m.node("Conv", x, m.weight((4, 2, 3, 3), 0), group=2))
    return m


KEPT = {
    "zero points that differ": depthwise("HardSwish", zeros=(17, 17, 18, 17)),
    "scales too far apart": depthwise(scales=(1e-10, 0.01, 0.01, 0.01)),
    "groups of two channels": grouped(),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_stays(name: str):
    assert 1 in axes(Loaded(KEPT[name].model()).run(f"{TO_QUANT},{FOLD}"))


def test_what_something_else_reads_stays():
    m = depthwise()
    dequantized = next(n for n in m.nodes if n.op_type == "Conv" and len(n.attribute) == 2).input[0]
    m.output(m.node("Relu", dequantized))
    assert 1 in axes(Loaded(m.model()).run(f"{TO_QUANT},{FOLD}"))
