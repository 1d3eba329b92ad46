"""Inputs of other shapes than the first: nothing falls back, the plan compiles for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autosplit.testing.int8 import expect
from autosplit.testing.qdq import QdqBuilder


def test_view_permute(tmp_path: Path):
    """[view_permute, which the original skips] Nothing is quantized: no group, and the sizes are right."""
    b = QdqBuilder()
    x = b.input("x", ("N", "L", 15))
    front = b.node(
        "Slice", b.node("Shape", x), *(b.constant(np.array([v], np.int64)) for v in (0, 2))
    )
    shape = b.node("Concat", front, b.constant(np.array([3, 5], np.int64)), axis=0)
    b.output(b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 2, 1, 3]))
    expect(b, tmp_path, [], {"N": 5, "L": 10}, {"N": 6, "L": 4})


def test_conv_reshape(tmp_path: Path):
    """[conv_reshape]"""
    b = QdqBuilder()
    x = b.input("x", ("N", 4, "S", "S"))
    y = b.conv(b.qdq(x), (4, 4, 3, 3), pads=1)
    y = b.conv(b.qdq(y), (32, 4, 3, 3), pads=1)
    first = b.node("Gather", b.node("Shape", x), b.constant(np.array([0], np.int64)))
    shape = b.node("Concat", first, b.constant(np.array([4, -1], np.int64)), axis=0)
    b.output(b.node("Reshape", y, shape))
    groups = ["dq dq conv q", "dq dq conv"]
    expect(b, tmp_path, groups, {"N": 15, "S": 28}, {"N": 7, "S": 16}, fused=["Conv"], quanta=1)


@pytest.mark.parametrize(("channels", "size"), [(64, 21), (128, 7), (63, 8), (64, 8), (21, 8)])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_casts_where_layouts_change(channels: int, size: int, dtype: str, tmp_path: Path):
    """A lone quantize or dequantize between a row-major tensor and one that has its channels last: there,
    version 3.2 of the library forgets the zero point where one extent is a multiple of 64, the other odd."""
    b = QdqBuilder()
    x = b.node("Softsign", b.input("x", ("N", channels, "S", "S")))
    x = b.qdq(x, dtype, scale=0.01, zero_point=-20 if dtype == "int8" else 120)
    y = b.conv(x, (channels, 1, 3, 3), pads=1, groups=channels)
    y = b.qdq(y, dtype, scale=0.02, zero_point=30 if dtype == "int8" else 130)
    b.output(b.node("Softsign", y))
    # Symmetric integers are near only: see test_ops.py.
    expect(b, tmp_path, ["dq dq conv q"], {"N": 1, "S": size}, {"N": 2, "S": size + 2}, quanta=12)
