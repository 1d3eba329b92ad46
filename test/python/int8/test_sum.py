"""Quantized operators whose group ends in a sum: residual connections, recipes, two-layer blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from autosplit.testing.int8 import Compiled, compile_builder, expect
from autosplit.testing.qdq import QdqBuilder

SIZES = {"N": 1, "S": 16}, {"N": 2, "S": 9}
SUMS = {"exact": ["dq dq conv q", "dq dq dq conv add q"], "fast": ["dq dq dq conv add q"]}
"""The groups of a convolution and a sum with casts between them. By default all roundings stay, and the sum
is a group of its own whose convolution only multiplies by one; `fast` removes the casts, which gives the one
group that the originals have, and values beyond the range pass as they are."""

ROWS = {"N": 2}, {"N": 7}


def _check_sums(compiled: Compiled, sums: str, *, quanta: float) -> None:
    """The numbers. Where casts were removed, on the inputs of the calibration only: no value of theirs is
    outside its range."""
    if sums == "fast":
        compiled.check(0, quanta=quanta, **SIZES[0])
        return
    for seed, sizes in enumerate(SIZES, 1):
        compiled.check(seed, quanta=quanta, **sizes)


def _conv(b: QdqBuilder, x: str, *, bias: bool = True) -> str:
    return b.conv(x, (32, 32, 3, 3), pads=1, bias=bias)


@pytest.mark.parametrize("bias", [True, False])
def test_conv2d_sum(bias: bool, tmp_path: Path):
    """[conv2d_sum] The sum's other side is an int8 value, and so is what comes out: one group."""
    b = QdqBuilder()
    x, y = (b.qdq(b.input(n, ("N", 32, "S", "S"))) for n in "xy")
    left = b.qdq(_conv(b, x, bias=bias))
    z = b.qdq(b.relu(b.node("Add", left, _conv(b, y, bias=bias))))
    b.output(_conv(b, z, bias=bias))
    groups = ["dq dq conv q", "dq dq dq conv add relu q", "dq dq conv"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Add", "Relu"], quanta=3)


@pytest.mark.parametrize("sums", SUMS)
def test_conv2d_sum_as_quantize_static_writes_it(sums: str, tmp_path: Path):
    """[conv2d_sum] ONNX Runtime's quantizer puts casts on both sides of the sum, and leaves the ReLU to the
    zero point. See SUMS."""
    b = QdqBuilder()
    x, y = (b.qdq(b.input(n, ("N", 32, "S", "S"))) for n in "xy")
    left, right = b.qdq(_conv(b, x)), b.qdq(_conv(b, y))
    b.output(b.qdq(b.float_node("Relu", b.node("Add", left, right))))
    compiled = compile_builder(b, tmp_path, SIZES[0], sums=sums)
    assert compiled.groups == sorted(["dq dq conv q", *SUMS[sums]])
    assert not compiled.outside["Conv"] + compiled.outside["Add"]
    _check_sums(compiled, sums, quanta=2)


@pytest.mark.parametrize("relu", [True, False])
def test_conv2d_sum_in_float(relu: bool, tmp_path: Path):
    """[conv2d_sum] without a quantize after it: the library has no such pattern with an int8 other side, so
    that side's dequantize stands alone."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 32, "S", "S")))
    total = b.node("Add", _conv(b, x), b.qdq(b.input("y", ("N", 32, "S", "S"))))
    b.output(b.relu(total) if relu else total)
    group = "dq dq conv add" + " relu" * relu
    expect(b, tmp_path, [group], *SIZES, fused=["Conv", "Add", "Relu"])


def test_linear_dropout_sum(tmp_path: Path):
    """[linear_dropout_sum] A dropout is nothing at inference."""
    b = QdqBuilder()
    x = b.linear(b.qdq(b.input("x", ("N", 15))), (20, 15))
    total = b.node("Add", b.node("Dropout", x), b.input("y", ("N", 20)))
    b.output(b.linear(b.qdq(total), (3, 20)))
    groups = ["dq dq matmul add q", "dq dq matmul"]
    expect(b, tmp_path, groups, *ROWS, fused=["Gemm", "Add", "Dropout"], quanta=1)


def test_linear_sum_inplace(tmp_path: Path):
    """[linear_sum_inplace] `x += y` is a sum as any other in ONNX."""
    b = QdqBuilder()
    x = b.linear(b.qdq(b.input("x", ("N", 15))), (20, 15))
    b.output(b.node("Add", x, b.input("y", ("N", 20))))
    expect(b, tmp_path, ["dq dq matmul add"], *ROWS, fused=["Gemm", "Add"])


def test_linear_with_multiple_add(tmp_path: Path):
    """[linear_with_multiple_add]"""
    b = QdqBuilder()
    sums = [
        b.node("Add", b.linear(b.qdq(b.input(x, ("N", 15))), (20, 15)), b.input(y, ("N", 20)))
        for x, y in (("x1", "y1"), ("x2", "y2"))
    ]
    b.output(b.node("Add", *sums))
    groups = ["dq dq matmul add", "dq dq matmul add add"]
    expect(b, tmp_path, groups, *ROWS, fused=["Gemm", "Add"])


def test_add_quantization(tmp_path: Path):
    """[add_quantization] What the first convolution computes is also summed in float32, so its quantize
    stands alone; the second takes the product and the sum into its group."""
    b = QdqBuilder()
    x = b.conv(b.qdq(b.input("x", ("N", 16, "S", "S"))), (16, 16, 1, 1))
    y = b.conv(b.qdq(x), (16, 16, 1, 1))
    b.output(b.node("Add", x, b.node("Mul", y, b.constant(10.0))))
    groups = ["dq dq conv", "dq dq conv mul add"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Add", "Mul"], quanta=1)


@pytest.mark.parametrize(("relu", "count"), [(True, 2), (False, 1)])
def test_add_recipe(relu: bool, count: int, tmp_path: Path):
    """[add_recipe] How many values a quantizer quantizes is its recipe; that both of its results are one
    group, and no quantize is added or lost, is what is checked here."""
    b = QdqBuilder()
    x = b.conv(b.qdq(b.input("x", ("N", 3, "S", "S"))), (16, 3, 3, 3), pads=1)
    other = b.input("y", ("N", 16, "S", "S"))
    total = b.node("Add", x, b.qdq(other) if relu else other)
    b.output(b.relu(total) if relu else total)
    group = "dq dq conv add" + " relu" * relu
    compiled = expect(b, tmp_path, [group], *SIZES, fused=["Conv", "Add", "Relu"])
    inside = sum("Quantize" in kinds for kinds in compiled.partitions)
    assert inside + compiled.outside["QuantizeLinear"] == count


@pytest.mark.parametrize(("version", "symmetric", "norm"), [
    ("3.2", True, ["layernorm q"]), ("3.2", False, ["layernorm"]), ("3.6", False, ["layernorm q"]),
])  # fmt: skip
def test_ffn_residual(version: str, symmetric: bool, norm: list[str], tmp_path: Path):
    """[ffn_residual] Version 3.2 of the library quantizes a layer norm only with a zero point of 0."""
    b = QdqBuilder()
    x = b.input("x", ("N", 128))
    normed = b.qdq(b.layer_norm(x, 128), "int8" if symmetric else "uint8", symmetric=symmetric)
    y = b.linear(normed, (512, 128), form="MatMul", bias=False)
    y = b.linear(b.qdq(b.gelu(y)), (128, 512), form="MatMul", bias=False)
    b.output(b.layer_norm(b.node("Add", y, x), 128))
    groups = [*norm, "dq dq matmul gelu q", "dq dq matmul add", "layernorm"]
    fused = ["MatMul", "Add", "Erf"]
    expect(b, tmp_path, groups, *ROWS, fused=fused, quanta=2, version=version)


def test_inplace_computation_accuracy(tmp_path: Path):
    """[inplace_computation_accuracy] The input is read by every layer: no group may write into it."""
    b = QdqBuilder()
    x0 = b.qdq(b.input("x", ("N", 2)), "int8", scale=0.1, zero_point=0)
    x = x0
    for _ in range(2):
        y = b.linear(b.qdq(x), (5, 2), bias=False)
        y = b.linear(b.qdq(y), (2, 5))
        x = b.node("Add", b.node("Mul", x0, y), x)
    b.output(x, x0)
    groups = ["dq dq matmul q", "dq dq matmul mul add"] * 2
    expect(b, tmp_path, groups, {"N": 2048}, {"N": 3}, fused=["Gemm", "Mul", "Add"], quanta=4)


@pytest.mark.parametrize("sums", SUMS)
def test_casts_between_sum_and_its_own_users_stay(sums: str, tmp_path: Path):
    """A block whose sum is read by two, the next convolution and the next sum, as in residual networks."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 32, "S", "S")))
    for _ in range(2):
        y = b.qdq(b.float_node("Relu", _conv(b, x)))
        x = b.qdq(b.float_node("Relu", b.node("Add", b.qdq(_conv(b, y)), x)))
    b.output(x)
    compiled = compile_builder(b, tmp_path, SIZES[0], sums=sums)
    assert compiled.groups == sorted(["dq dq conv q", *SUMS[sums]] * 2)
    _check_sums(compiled, sums, quanta=4)


def test_equal_sides(tmp_path: Path):
    """Both sides of a sum could take it: it goes to one of them, the other ends its group."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 32, "S", "S")))
    b.output(b.qdq(b.node("Add", _conv(b, x), _conv(b, x))))
    compiled = compile_builder(b, tmp_path, SIZES[0])
    assert compiled.groups == sorted(["dq dq conv", "dq dq conv add q"])
    compiled.check(quanta=1, **SIZES[1])
