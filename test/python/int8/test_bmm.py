"""Products of two activations, and attention around them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autosplit.testing.int8 import expect
from autosplit.testing.qdq import QdqBuilder

FILLED = "dq dq q matmul"
"""A quantize right before the second factor joins its group, as that of a weight in the graph would."""

SIZES = {"N": 1, "L": 48}, {"N": 2, "L": 33}


def _bmm(b: QdqBuilder) -> str:
    """The second factor is shared by the heads."""
    x, y = b.input("x", ("N", 16, "L", 64)), b.input("y", ("N", 1, 64, "L"))
    return b.node("MatMul", b.qdq(x), b.qdq(y, narrow=True))


def _strided(b: QdqBuilder) -> str:
    """Factors that are views of heads, transposed."""

    def heads(name: str, perm: list[int]) -> str:
        shape = b.constant(np.array([0, 0, 16, 4], np.int64))
        return b.node(
            "Transpose", b.node("Reshape", b.input(name, ("N", "L", 64)), shape), perm=perm
        )

    return b.node(
        "MatMul", b.qdq(heads("x", [0, 2, 1, 3])), b.qdq(heads("y", [0, 2, 3, 1]), narrow=True)
    )


def test_bmm_div_scalar(tmp_path: Path):
    """[bmm_div_scalar]"""
    b = QdqBuilder()
    b.output(b.node("Div", _bmm(b), b.constant(8.0)))
    expect(b, tmp_path, [f"{FILLED} div"], *SIZES, fused=["MatMul", "Div"])


def test_bmm_div_identity(tmp_path: Path):
    """[bmm_div_identity] A division by one is removed."""
    b = QdqBuilder()
    b.output(b.node("Div", _bmm(b), b.constant(1.0)))
    expect(b, tmp_path, [FILLED], *SIZES, fused=["MatMul", "Div"])


def test_bmm_div_tensor(tmp_path: Path):
    """[bmm_div_tensor] By a number that is only known when the model runs."""
    b = QdqBuilder()
    b.output(b.node("Div", _bmm(b), b.input("z", (1,), low=1.0, high=3.0)))
    expect(b, tmp_path, [f"{FILLED} div"], *SIZES, fused=["MatMul", "Div"])


def test_bmm_method_fp32(tmp_path: Path):
    """[bmm_method_fp32] A method or a function: one op in ONNX."""
    b = QdqBuilder()
    b.output(_bmm(b))
    expect(b, tmp_path, [FILLED], *SIZES, fused=["MatMul"])


def test_bmm_div_add_int8_fp32(tmp_path: Path):
    """[bmm_div_add_int8_fp32]"""
    b = QdqBuilder()
    scores = b.node("Div", _strided(b), b.constant(0.4))
    b.output(b.node("Add", scores, b.input("z", ("N", 1, 1, "L"))))
    sizes = {"N": 2, "L": 3}, {"N": 1, "L": 7}
    expect(b, tmp_path, ["dq dq matmul div add"], *sizes, fused=["MatMul", "Div", "Add"])


@pytest.mark.parametrize("version", ["3.2", "3.6"])
def test_mha_pattern_int8_fp32(version: str, tmp_path: Path):
    """[mha_pattern_int8_fp32, which the original skips: it needs a graph compiler that fuses all of it]"""
    b = QdqBuilder()

    def heads(name: str, perm: list[int]) -> str:
        x = b.node("Transpose", b.input(name, ("N", 16, 16, 64)), perm=perm)
        return b.qdq(x, narrow=name != "x")

    scores = b.node("MatMul", heads("x", [0, 2, 1, 3]), heads("y", [0, 2, 3, 1]))
    scores = b.node("Add", b.node("Div", scores, b.constant(8.0)), b.input("a", ("N", 1, 1, 16)))
    weights = b.qdq(b.node("Softmax", scores, axis=-1))
    y = b.node("MatMul", weights, heads("z", [0, 2, 1, 3]))
    y = b.node("Transpose", y, perm=[0, 2, 1, 3])
    y = b.node("Reshape", y, b.constant(np.array([0, 0, 1024], np.int64)))
    b.output(b.linear(b.qdq(y), (1024, 1024), form="MatMul", bias=False))
    # The quantize of the context is lifted over its transpose and reshape, into the second product's group.
    groups = ["dq dq matmul div add", "softmax q", "dq dq matmul q", "dq dq matmul"]
    fused = ["MatMul", "Div", "Add"]
    expect(b, tmp_path, groups, {"N": 1}, {"N": 2}, fused=fused, quanta=2, version=version)
