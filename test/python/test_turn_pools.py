"""dnnl-turn-pools: pools of bytes that no partition makes have their channels last, and the same numbers."""

from __future__ import annotations

from math import prod
from pathlib import Path

import onnx
import pytest
from onednn_installed import needs_library

from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.testing.raw_qdq import RawQdq, compare


def pooled(kind: str, shape: tuple[int, ...], dtype: str = "u8", stride: int = 1) -> RawQdq:
    """Rows that are reshaped to an image, a pool, and a convolution."""
    m, rank = RawQdq(), len(shape) - 2
    size = prod(shape[1:])
    x = m.qdq(m.input("x", (shape[0], size)), dtype=dtype)
    x = m.qdq(m.node("MatMul", x, m.weight((size, size), None, size)), dtype=dtype)
    image = m.node("Reshape", x, m.constant(list(shape), "i64"))
    pool = {"kernel_shape": [3] * rank, "pads": [1] * (2 * rank), "strides": [stride] * rank}
    y = m.qdq(m.node(kind, m.qdq(image, dtype=dtype), **pool), dtype=dtype)
    m.output(m.node("Conv", y, m.weight((4, shape[1], *(1 for _ in range(rank))), 0, shape[1])))
    return m


@needs_library
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dtype", ["u8", "i8"])
@pytest.mark.parametrize("shape", [(2, 16, 20), (1, 16, 6, 5), (2, 3, 9, 7), (1, 8, 3, 4, 5)])
@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool"])
def test_the_numbers_stay(
    kind: str, shape: tuple[int, ...], dtype: str, stride: int, tmp_path: Path
):
    m = pooled(kind, shape, dtype, stride)
    onnx.save(m.model(), tmp_path / "m.onnx")
    text = str(compile_model(CompileOptions(tmp_path / "m.onnx")).module)
    assert "__turned" in text
    for one in compare(m.model(), [{"x": m.random(shape[0], prod(shape[1:]))} for _ in range(2)]):
        # An average may be rounded to the other side.
        assert one.largest < (1e-5 if kind == "MaxPool" else 0.03)
