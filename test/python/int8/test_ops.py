"""Single quantized operators: class TestOp of the fuser tests of PyTorch's oneDNN Graph integration.

Names in brackets are those of the original tests. What differs everywhere, and on purpose: groups list
all their ops, where the originals ask whether some are contained; there are no in-place variants and no
memory formats, because values of ONNX have neither.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from autosplit.runtime.dnnl.library import Library
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.int8 import expect
from autosplit.testing.qdq import QdqBuilder

CONV_OPTIONS = list(itertools.product((0, 2), (1, 2), (1, 2), (1, 2)))
"""Pads, stride, dilation, groups."""


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(("pads", "stride", "dilation", "groups"), CONV_OPTIONS)
def test_conv_int8_in_f32_out(
    rank: int, pads: int, stride: int, dilation: int, groups: int, tmp_path: Path
):
    """[conv2d_int8_in_f32_out, conv_int8_in_f32_out]"""
    b = QdqBuilder(seed=rank)
    x = b.input("x", ("N", 2 * groups, *(f"S{i}" for i in range(rank))))
    options = {"pads": pads, "stride": stride, "dilation": dilation, "groups": groups}
    # With a bias and without, so that each option meets both.
    bias = (pads // 2 + stride + dilation + groups) % 2 == 0
    b.output(b.conv(b.qdq(x), (3 * groups, 2, *[3] * rank), bias=bias, **options))
    space = {f"S{i}": 7 for i in range(rank)}
    larger = {f"S{i}": 9 + i for i in range(rank)}
    expect(b, tmp_path, ["dq dq conv"], {"N": 1, **space}, {"N": 5, **larger}, fused=["Conv"])


def test_conv_with_signed_activations(tmp_path: Path):
    """[conv_int8_in_f32_out] with a symmetric s8 input. Without VNNI the library scales the weights of such
    convolutions down beforehand, and rounds them: results are near, not equal."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 4, 7, 7)), "int8", symmetric=True)
    b.output(b.conv(x, (6, 4, 3, 3), pads=1))
    expect(b, tmp_path, ["dq dq conv"], {"N": 1}, {"N": 5}, relative=0.05)


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize(("pads", "stride", "groups", "bias"), [
    (0, 1, 1, True), (2, 1, 1, False), (0, 2, 1, True), (2, 2, 2, True), (0, 1, 2, False),
])  # fmt: skip
def test_deconv_int8_in_f32_out(
    rank: int, pads: int, stride: int, groups: int, bias: bool, tmp_path: Path
):
    """[deconv_int8_in_f32_out]"""
    b = QdqBuilder(seed=rank)
    x = b.input("x", ("N", 3 * groups, *[7] * rank))
    options = {"pads": pads, "stride": stride, "groups": groups, "bias": bias}
    y = b.conv(b.qdq(x), (3 * groups, 3, *[3] * rank), **options)
    b.output(b.conv_transpose(b.qdq(y), (3 * groups, 3, *[3] * rank), **options))
    groups_ = ["dq dq conv q", "dq dq deconv"]
    expect(b, tmp_path, groups_, {"N": 1}, {"N": 5}, fused=["Conv", "ConvTranspose"], quanta=1)


def test_conv_no_freeze(tmp_path: Path):
    """[conv_no_freeze] The weight is an input of the model: it is quantized in the graph."""
    b = QdqBuilder()
    x, w = b.input("x", ("N", 3, 5, 5)), b.input("w", (3, 3, 3, 3), low=-0.5, high=0.5)
    weight = b.qdq(w, narrow=True)
    y = b.node("Conv", b.qdq(x), weight, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    b.output(y)
    expect(b, tmp_path, ["dq dq q conv"], {"N": 1}, {"N": 5}, fused=["Conv", "QuantizeLinear"])


def test_conv_of_a_float_weight(tmp_path: Path):
    """[conv_no_freeze] The weight is a constant that the model quantizes itself: that is computed at once."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 3, 5, 5)))
    b.output(
        b.conv(x, (3, 3, 3, 3), pads=1, bias=False, weight=b.weight((3, 3, 3, 3), frozen=False))
    )
    expect(b, tmp_path, ["dq dq conv"], {"N": 1}, {"N": 5}, fused=["Conv"])


def test_conv_share_dequant_weight(tmp_path: Path):
    """[conv_share_dequant_weight] One dequantized weight, three convolutions: each gets its own."""
    b = QdqBuilder()
    weight = b.weight((32, 32, 3, 3))
    inputs = [b.qdq(b.input(n, ("N", 32, 14, 14))) for n in "abc"]
    logits = [b.conv(x, (32, 32, 3, 3), pads=1, weight=weight) for x in inputs]
    b.output(b.node("Concat", *logits, axis=1))
    expect(b, tmp_path, ["dq dq conv"] * 3, {"N": 1}, {"N": 2}, fused=["Conv"])


@pytest.mark.parametrize("form", ["Gemm", "MatMul"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_linear_int8_in_f32_out(form: str, bias: bool, dtype: str, tmp_path: Path):
    """[linear_int8_in_f32_out]"""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 28)), dtype, symmetric=dtype == "int8")
    b.output(b.linear(x, (64, 28), form=form, bias=bias))
    expect(b, tmp_path, ["dq dq matmul"], {"N": 32}, {"N": 2}, fused=["Gemm", "MatMul", "Add"])


@pytest.mark.parametrize("bias", [True, False])
def test_linear_int8_in_int8_out(bias: bool, tmp_path: Path):
    """[linear_int8_in_int8_out]"""
    b = QdqBuilder()
    x = b.linear(b.qdq(b.input("x", ("N", 15))), (20, 15), bias=bias)
    b.output(b.linear(b.qdq(x), (3, 20), bias=bias))
    groups = ["dq dq matmul q", "dq dq matmul"]
    expect(b, tmp_path, groups, {"N": 2}, {"N": 7}, fused=["Gemm"], quanta=1)


POOLS = [
    {
        "kernel_shape": [k, k],
        "pads": [p] * 4,
        "strides": [s, s],
        "dilations": [d, d],
        "ceil_mode": c,
    }
    for k, p, s, d, c in itertools.product((3, 5), (0, 1), (1, 2), (1, 2), (0, 1))
]


@pytest.mark.parametrize(
    "options", POOLS, ids=lambda o: "-".join(map(str, map(np.max, o.values())))
)
def test_max_pool2d(options: dict[str, object], tmp_path: Path):
    """[max_pool2d of version 1.10] With dilations the library has a reference kernel only."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 3, 15, 16)))
    y = b.qdq(b.node("MaxPool", x, **options), like=x)
    b.output(b.node("Identity", y))
    slow = options["dilations"] != [1, 1]
    groups, fused = ([], []) if slow else (["dq maxpool q"], ["MaxPool"])
    expect(b, tmp_path, groups, {"N": 1}, {"N": 2}, fused=fused)


@pytest.mark.parametrize("same", [True, False])
def test_conv_and_max_pool2d(same: bool, tmp_path: Path):
    """[max_pool2d] after a convolution, with one scale for both sides and with two: the library has a
    reference kernel only for that."""
    b = QdqBuilder()
    x = b.qdq(b.conv(b.qdq(b.input("x", ("N", 3, "S", "S"))), (3, 3, 1, 1)))
    pool = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
    b.output(b.qdq(pool, like=x) if same else b.qdq(pool, scale=0.03, zero_point=100))
    groups = ["dq dq conv q", *["dq maxpool q"] * same]
    fused = ["MaxPool"] * same
    expect(b, tmp_path, groups, {"N": 1, "S": 15}, {"N": 3, "S": 21}, fused=fused, quanta=1)


def test_add_scalar_input(tmp_path: Path):
    """[add_scalar_input] Sums of sizes are no business of the library: no group."""
    b = QdqBuilder()
    x = b.input("x", ("N", 3))
    sizes = b.node("Shape", x)
    total = b.node("ReduceSum", b.node("Add", sizes, b.constant(np.array([2, 3], np.int64))))
    b.output(b.node("Cast", total, to=1))
    expect(b, tmp_path, [], {"N": 3}, {"N": 8})


@pytest.mark.parametrize("bias", [True, False])
def test_reshape_6d_linear(bias: bool, tmp_path: Path):
    """[reshape_6D_linear]"""
    b = QdqBuilder()
    x = b.input("x", ("N", 56, 16, 64))
    shape = b.constant(np.array([-1, 8, 7, 4, 4, 64], np.int64))
    x = b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 1, 3, 2, 4, 5])
    b.output(b.linear(b.qdq(x), (192, 64), form="MatMul", bias=bias))
    expect(b, tmp_path, ["dq dq matmul"], {"N": 1}, {"N": 2}, fused=["MatMul", "Add"])


FILLED = "dq dq q matmul"
"""A quantize right before the second factor joins its group, as that of a weight in the graph would."""


def _bmm(b: QdqBuilder, left: tuple[int | str, ...], right: tuple[int | str, ...]) -> str:
    x, y = b.qdq(b.input("x", left)), b.qdq(b.input("y", right), narrow=True)
    return b.node("MatMul", x, y)


def test_3d_bmm_int8_in_f32_out(tmp_path: Path):
    """[3d_bmm_int8_in_f32_out]"""
    b = QdqBuilder()
    b.output(_bmm(b, ("N", 3, 4), ("N", 4, 5)))
    expect(b, tmp_path, [FILLED], {"N": 128}, {"N": 7}, fused=["MatMul"])


def test_bmm_int8_in_f32_out(tmp_path: Path):
    """[bmm_int8_in_f32_out] The second factor is shared by the heads."""
    b = QdqBuilder()
    b.output(_bmm(b, ("N", 16, "L", 64), ("N", 1, 64, "L")))
    sizes = {"N": 4, "L": 48}, {"N": 2, "L": 33}
    expect(b, tmp_path, [FILLED], *sizes, fused=["MatMul"])


@pytest.mark.parametrize(("version", "scores"), [
    # Version 3.2 has no group for a scaled product with the quantize of its second factor and a mask.
    ("3.2", "dq dq matmul div add"), ("3.6", "dq dq q matmul div add"),
])  # fmt: skip
def test_mixed_precision_softmax(version: str, scores: str, tmp_path: Path):
    """[mixed_precision_softmax] in float32; test_bf16.py has the bfloat16 half."""
    b = QdqBuilder()
    y = b.node("Div", _bmm(b, ("N", 16, 16, 64), ("N", 16, 64, 16)), b.constant(8.0))
    y = b.node("Add", y, b.input("a", ("N", 1, 1, 16)))
    weights = b.qdq(b.node("Softmax", y, axis=-1))
    b.output(b.node("MatMul", weights, b.qdq(b.input("z", ("N", 16, 16, 64)), narrow=True)))
    groups = [scores, "softmax q", FILLED]
    sizes = {"N": 1}, {"N": 3}
    expect(b, tmp_path, groups, *sizes, fused=["MatMul", "Div", "Add"], quanta=1, version=version)


@pytest.mark.parametrize("has_avx512", [True, False])
def test_a_softmax_without_avx512_is_quantized_by_a_call_of_its_own(
    has_avx512: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """There the library has a fast kernel for float32 results only."""
    monkeypatch.setattr(Library, "has_avx512", has_avx512)
    b = QdqBuilder()
    weights = b.qdq(b.node("Softmax", b.input("x", ("N", 16, 16)), axis=-1))
    b.output(b.node("MatMul", weights, b.qdq(b.input("z", ("N", 16, 8)), narrow=True)))
    made = expect(b, tmp_path, ["softmax q", FILLED], {"N": 1}, {"N": 3}, quanta=1)
    plan = Plan.from_module(made.result.module, made.result.store)
    steps = [s for s in plan.account().steps if s.rule == "softmax"]
    assert len(steps) == (1 if has_avx512 else 2)
