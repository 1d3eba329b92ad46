"""quant-join-scales: what is joined has one scale, and results stay as near as before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import numpy_helper
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.quant import QuantizeCastOp, uniform_of
from autosplit.lowering.quant.join_scales import COARSER
from autosplit.testing.int8 import compile_builder
from autosplit.testing.qdq import QdqBuilder, run

JOIN = "quant-join-scales{rounding=close}"


def joined(kind: str, seed: int = 1, louder: float = 1.5, *, reader: str = "one") -> QdqBuilder:
    """Two convolutions whose results are joined, and what reads that: nothing, a convolution, or two."""
    b = QdqBuilder(seed, name=kind)
    x = b.qdq(b.input("x", (1, 8, 8, 8)))
    y = b.qdq(b.conv(x, (8, 8, 3, 3), pads=1))
    z = b.qdq(b.conv(x, (8, 8, 3, 3), pads=1, gain=louder))
    if kind == "pool":
        z = b.qdq(b.node("MaxPool", z, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    if kind == "split":
        halves = b.nodes("Split", z, outputs=2, axis=1)
        y, z = b.qdq(b.node("Concat", b.qdq(halves[0]), y, axis=1)), b.qdq(halves[1])
    c = b.qdq(b.node("Concat", y, z, axis=1))
    if reader == "none":
        b.output(c)
        return b
    b.output(b.qdq(b.conv(c, (8, 16, 1, 1))))
    if reader == "two":
        b.output(b.qdq(b.conv(y, (8, 8, 1, 1))))
    return b


def _types(loaded: Loaded) -> list:
    return [uniform_of(op.output.type) for op in loaded.ops(QuantizeCastOp)]


def _scale(model, value: str) -> float:
    (name,) = (n.input[1] for n in model.graph.node if n.output[0] == value)
    (scale,) = (numpy_helper.to_array(i) for i in model.graph.initializer if i.name == name)
    return float(scale)


@pytest.mark.parametrize("kind", ["plain", "pool", "split"])
def test_a_concat_moves_bytes(kind: str, tmp_path: Path):
    exact = compile_builder(joined(kind), tmp_path)
    close = compile_builder(joined(kind), tmp_path, rounding="close")
    assert exact.outside["Concat"]
    assert close.outside["Concat"]
    # Casts between the scales: each in a partition of its own, or beside a pool in none.
    requantized = len(exact.partitions) - len(close.partitions)
    assert requantized + exact.outside["DequantizeLinear"] > 0
    assert not close.outside["DequantizeLinear"] + close.outside["QuantizeLinear"]
    # On what it was calibrated on, so that nothing saturates.
    close.check(0, quanta=10)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kind=st.sampled_from(["plain", "pool", "split"]),
    seed=st.integers(0, 99),
    louder=st.sampled_from([0.3, 1.0, 1.7, 6.0]),
)
def test_joined_tensors_are_rounded_once(kind: str, seed: int, louder: float):
    """What a Concat gives is off by half a step of each rounding that was, and that is, at most.

    At an end of the range it may be half a step more: the zero point is rounded, which moves the ends. A half
    whose range leaves out much of another's keeps its own, as an activation may have cut it.
    """
    b = joined(kind, seed, louder, reader="none")
    model = b.build()
    concat = next(n for n in reversed(model.graph.node) if n.op_type == "Concat")
    loaded = Loaded(model).run(f"{TO_QUANT},{JOIN}")
    assert len(set(_types(loaded)[1:])) == 1 or kind == "split"
    step = float(_types(loaded)[-1].scales[0])
    after = loaded.run(BACK).model()
    # What it was calibrated on, so that nothing saturates.
    feeds = b.feeds()
    old, new = (run(m, feeds, optimize=False)[0] for m in (model, after))
    before = [_scale(model, n) for n in (*concat.input, model.graph.output[0].name)]
    # A half of Split and its Concat were rounded one time more.
    assert np.abs(old - new).max() <= (2 * step + 2 * max(before) + before[-1]) / 2 * 1.001


@pytest.mark.parametrize("kind", ["plain", "pool", "split"])
def test_results_are_no_further_from_the_model_in_f32(kind: str):
    off = {"apart": 0.0, "joined": 0.0}
    for seed in range(8):
        b = joined(kind, seed)
        model = b.build()
        after = Loaded(model).run(f"{TO_QUANT},{JOIN},{BACK}").model()
        feeds = b.feeds(seed + 1)
        wanted = run(b.build_float(), feeds, optimize=False)[0]
        for name, m in (("apart", model), ("joined", after)):
            off[name] += float(np.square(run(m, feeds, optimize=False)[0] - wanted).sum())
    assert off["joined"] <= off["apart"]


def test_a_tensor_that_something_computes_with_keeps_its_steps():
    for louder, same in ((1.2, True), (2 * COARSER, False)):
        b = joined("plain", louder=louder, reader="two")
        loaded = Loaded(b.build()).run(f"{TO_QUANT},{JOIN}")
        y, z = _types(loaded)[1:3]
        assert (y == z) is same


def test_nothing_changes_where_all_is_exact():
    model = joined("plain").build()
    before = _types(Loaded(model).run(TO_QUANT))
    assert _types(Loaded(model).run(f"{TO_QUANT},quant-join-scales{{rounding=exact}}")) == before


def test_a_relu_that_the_quantizer_left_out_stays(tmp_path: Path):
    """A range that begins at 0 cuts off what is below; the common range does not."""
    b = QdqBuilder(2, name="hidden")
    x = b.qdq(b.input("x", (1, 8, 8, 8)))
    y = b.qdq(b.float_node("Relu", b.conv(x, (8, 8, 3, 3), pads=1)))
    z = b.qdq(b.conv(x, (8, 8, 3, 3), pads=1))
    b.output(b.qdq(b.node("Concat", y, z, axis=1)))
    compiled = compile_builder(b, tmp_path, rounding="close")
    assert compiled.groups == ["dq dq conv clamp q", "dq dq conv q"]
    compiled.check(quanta=2)
    (made,) = compiled.run(b.feeds(1))
    assert made[:, :8].min() >= 0 > made[:, 8:].min()


@pytest.mark.parametrize("shared", [False, True])
def test_a_relu_left_out_behind_a_move_stays(tmp_path: Path, shared: bool):
    """It becomes part of the convolution; where others read what is moved, the scales stay."""
    b = QdqBuilder(2, name="moved")
    y = b.qdq(b.conv(b.qdq(b.input("x", (1, 8, 8, 8))), (8, 8, 3, 3), pads=1))
    b.output(b.qdq(b.float_node("Relu", b.node("Transpose", y, perm=[0, 2, 3, 1]))))
    if shared:
        b.output(y)
    compiled = compile_builder(b, tmp_path, rounding="close")
    assert ("clamp" in compiled.groups[0]) is not shared
    compiled.check(quanta=2)
    assert compiled.run(b.feeds(1))[0].min() >= 0
