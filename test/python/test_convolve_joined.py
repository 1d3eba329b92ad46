"""quant-gate-as-conv: a batch norm of joined bytes of different scales is one convolution of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onednn_installed import needs_library
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.ops import BatchNormalizationOp
from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.testing.int8 import expect_vnni
from autosplit.testing.qdq import run
from autosplit.testing.raw_qdq import RawQdq, compare

SHAPE = (1, 8, 6, 6)
STEP = 0.04

Cast = tuple[float, int, str]
"""A scale, a zero point and a type of integers."""

PARTS: dict[str, tuple[Cast, ...]] = {
    "signed": ((0.02, 0, "i8"), (0.05, 0, "i8")),
    "unsigned": ((0.02, 120, "u8"), (0.03, 0, "u8"), (0.05, 131, "u8")),
    "both": ((0.02, 0, "u8"), (0.05, 0, "i8"), (0.03, 128, "u8")),
}


def dense(casts: tuple[Cast, ...], *, axis: int = 1, relu: bool = True) -> RawQdq:
    """Convolutions of one input, joined and normalized, and one that reads that."""
    m = RawQdq(17)
    x = m.qdq(m.input("x", SHAPE), 0.03, 128)
    parts = [
        m.qdq(
            m.node("Conv", x, m.weight((8, 8, 1, 1), 0, 8), m.bias(8)),
            np.float32(scale),
            np.int64(zero),
            dtype,
        )
        for scale, zero, dtype in casts
    ]
    y = m.node("Concat", *parts, axis=axis)
    count = 8 * (len(parts) if axis == 1 else 1)
    factors = m.random(count)
    factors[0] = 0.0
    rest = [m.random(count), m.random(count) / 8, np.abs(m.random(count)) + 0.5]
    y = m.node("BatchNormalization", y, *map(m.constant, [factors, *rest]))
    y = m.qdq(m.node("Relu", y) if relu else y, STEP, 0 if relu else 128)
    m.output(m.qdq(m.node("Conv", y, m.weight((8, count, 1, 1), 0, count), m.bias(8)), STEP, 128))
    return m


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("relu", [False, True])
def test_the_numbers_are_the_same(name: str, relu: bool):
    m = dense(PARTS[name], relu=relu)
    model = m.model()
    loaded = Loaded(model).run(f"{TO_QUANT},quant-gate-as-conv")
    assert not loaded.ops(BatchNormalizationOp)
    feeds = {"x": m.random(*SHAPE)}
    (old,), (new,) = (
        run(each, feeds, optimize=False) for each in (model, loaded.run(BACK).model())
    )
    # A number half-way between two integers may be rounded otherwise, by float32's last bits.
    assert np.abs(new - old).max() <= 2 * STEP
    assert (np.abs(new - old) > 1e-5).mean() <= 0.02


@needs_library
@pytest.mark.parametrize("name", PARTS)
def test_all_of_it_is_in_partitions(name: str, tmp_path: Path):
    m = dense(PARTS[name])
    model = m.model()
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    found = explain_int8(compile_model(CompileOptions(tmp_path / "model.onnx")).module)
    assert not [o for o in found.outside if o.type in ("BatchNormalization", "Concat", "Relu")]
    expect_vnni()
    (off,) = compare(model, [{"x": m.random(*SHAPE)}])
    assert off.largest <= 2 * STEP * 1.001
    assert off.mean <= 0.05 * STEP


@pytest.mark.parametrize("axis", [2, 3])
def test_what_is_joined_along_another_dimension_stays(axis: int):
    loaded = Loaded(dense(PARTS["signed"], axis=axis).model()).run(TO_QUANT)
    before = str(loaded.module)
    assert str(loaded.run("quant-gate-as-conv").module) == before
