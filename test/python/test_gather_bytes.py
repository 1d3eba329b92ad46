"""Rows of an integer table are dequantized once they are gathered, whatever its scales are of."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from onednn_installed import needs_library
from onnx import TensorProto, shape_inference
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.ops import GatherOp
from autosplit.dialects.platform import element_type
from autosplit.testing.raw_qdq import RawQdq, compare

SIZES = (10, 6)
ROWS = (2, 3)

FORMS = [*product((None, 0, 1), (0, 1), (False, True))]
"""The dimension of the table's scales, that of the rows, and whether there are zero points."""


def embedding(scales: int | None, rows: int, *, zeros: bool) -> RawQdq:
    m = RawQdq(17)
    count = 1 if scales is None else SIZES[scales]
    scale = m.rng.uniform(0.01, 0.02, count).astype(np.float32)
    zero = m.rng.integers(-5, 6, count) * zeros
    stored = m.constant(m.rng.integers(-100, 100, SIZES), "i8")
    if scales is None:
        table = m.dequantize(stored, scale[0], zero[0], "i8")
    else:
        table = m.dequantize(stored, scale, zero, "i8", axis=scales)
    gathered = m.node("Gather", table, m.input("rows", ROWS, "i64"), axis=rows)
    last = SIZES[1] if rows == 0 else ROWS[1]
    ones, nought = m.constant(np.ones(last)), m.constant(np.zeros(last))
    m.output(m.node("LayerNormalization", gathered, ones, nought, axis=-1))
    return m


@needs_library
@pytest.mark.parametrize(("scales", "rows", "zeros"), FORMS)
def test_the_numbers_are_the_same(scales: int | None, rows: int, zeros: bool):
    m = embedding(scales, rows, zeros=zeros)
    chosen = m.rng.integers(0, SIZES[rows], ROWS)
    (off,) = compare(m.model(), [{"rows": chosen}], rounding="close")
    assert off.largest == 0.0


@pytest.mark.parametrize(("scales", "rows", "zeros"), FORMS)
def test_integers_are_gathered(scales: int | None, rows: int, zeros: bool):
    model = embedding(scales, rows, zeros=zeros).model()
    loaded = Loaded(shape_inference.infer_shapes(model)).run(f"{TO_QUANT},quant-keep-real")
    gathered = [str(element_type(op.results[0].type)) for op in loaded.ops(GatherOp)]
    assert gathered.count("i8") == 1
    # The others gather scales and zero points.
    assert len(gathered) == (1 if scales != rows else 2 + zeros)
    after = shape_inference.infer_shapes(loaded.run(BACK).model(), strict_mode=True)
    (output,) = after.graph.output
    assert output.type.tensor_type.elem_type == TensorProto.FLOAT
