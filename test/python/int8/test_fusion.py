"""Quantized operators with what follows them in their group (the original tests' class TestFusionPattern)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autosplit.testing.int8 import expect
from autosplit.testing.qdq import QdqBuilder

SIZES = {"N": 1, "S": 14}, {"N": 2, "S": 9}


def _conv(b: QdqBuilder, x: str, channels: int = 32) -> str:
    return b.conv(x, (channels, 32, 3, 3), pads=1)


def _input(b: QdqBuilder, name: str = "x") -> str:
    return b.qdq(b.input(name, ("N", 32, "S", "S")))


def _clip(b: QdqBuilder, x: str, low: float | None, high: float | None) -> str:
    limits = [
        "" if v is None else b.constant(np.float32(v).reshape(()), "limit") for v in (low, high)
    ]
    return b.node("Clip", x, *limits)


ELTWISE: dict[str, tuple[str, Callable[[QdqBuilder, str], str]]] = {
    "relu": ("relu", lambda b, x: b.node("Relu", x)),
    "leaky_relu": ("leakyrelu", lambda b, x: b.node("LeakyRelu", x, alpha=0.01)),
    "sigmoid": ("sigmoid", lambda b, x: b.node("Sigmoid", x)),
    "round": ("round", lambda b, x: b.node("Round", x)),
    "abs": ("abs", lambda b, x: b.node("Abs", x)),
    "square": ("square", lambda b, x: b.node("Pow", x, b.constant(2.0))),
    "product_with_itself": ("square", lambda b, x: b.node("Mul", x, x)),
    "exp": ("exp", lambda b, x: b.node("Exp", x)),
    "hardswish": ("hardswish", lambda b, x: b.node("HardSwish", x)),
    "tanh": ("tanh", lambda b, x: b.node("Tanh", x)),
    "hardtanh": ("clamp", lambda b, x: _clip(b, x, -1.0, 1.0)),
    "mish": ("mish", lambda b, x: b.node("Mish", x)),
    "mish_in_parts": (
        "mish",
        lambda b, x: b.node("Mul", x, b.node("Tanh", b.node("Softplus", x))),
    ),
    "elu": ("elu", lambda b, x: b.node("Elu", x)),
    "gelu_in_parts": ("gelu", lambda b, x: b.gelu(x)),
}


@pytest.mark.parametrize("name", ELTWISE)
def test_conv2d_eltwise(name: str, tmp_path: Path):
    """[conv2d_eltwise] Its in-place variants are the same model in ONNX."""
    kind, eltwise = ELTWISE[name]
    b = QdqBuilder(opset=18)
    y = b.qdq(eltwise(b, _conv(b, _input(b))))
    b.output(_conv(b, y))
    groups = [f"dq dq conv {kind} q", "dq dq conv"]
    onnx = [
        "Conv",
        "Mul",
        "Relu",
        "Sigmoid",
        "Round",
        "Abs",
        "Pow",
        "Exp",
        "HardSwish",
        "Tanh",
        "Clip",
        "Mish",
    ]
    expect(b, tmp_path, groups, *SIZES, fused=onnx, quanta=2)


def test_conv2d_clamp(tmp_path: Path):
    """[conv2d_clamp] Limits on either side, on both, infinite, and none at all, which is not an op. Only two
    finite limits are the library's Clamp: one is a Maximum or Minimum, which fuse alike, or a ReLU."""
    b = QdqBuilder()
    x = _input(b)
    infinity = float("inf")
    for low, high in ((-infinity, None), (-5.0, None), (0.0, infinity), (1.0, 5.0)):
        x = b.qdq(_clip(b, _conv(b, x), low, high))
    b.output(_clip(b, _conv(b, x), None, 2.0))
    kinds = ("", "maximum ", "relu ", "clamp ")
    groups = [*(f"dq dq conv {kind}q" for kind in kinds), "dq dq conv minimum"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Clip"], quanta=3)


def _silu(b: QdqBuilder, x: str) -> str:
    return b.node("Mul", x, b.node("Sigmoid", x))


def test_conv2d_silu(tmp_path: Path):
    """[conv2d_silu]"""
    b = QdqBuilder()
    b.output(_conv(b, b.qdq(_silu(b, _conv(b, _input(b))))))
    groups = ["dq dq conv sigmoid mul q", "dq dq conv"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Sigmoid", "Mul"], quanta=2)


def test_deconv_silu(tmp_path: Path):
    """[deconv_silu]"""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 3, "S", "S")))
    b.output(_silu(b, b.conv_transpose(x, (3, 2, 3, 3), stride=2)))
    expect(b, tmp_path, ["dq dq deconv sigmoid mul"], *SIZES, fused=["ConvTranspose", "Mul"])


def test_linear_silu(tmp_path: Path):
    """[linear_silu]"""
    b = QdqBuilder()
    b.output(_silu(b, b.linear(b.qdq(b.input("x", ("N", 28))), (64, 28))))
    sizes = {"N": 1}, {"N": 6}
    expect(b, tmp_path, ["dq dq matmul sigmoid mul"], *sizes, fused=["Gemm", "Sigmoid", "Mul"])


def test_ensure_tensor_is_rewrapped(tmp_path: Path):
    """[ensure_tensor_is_rewrapped] What reads a partition's output outside gets it as an ordinary tensor,
    whatever layout the library likes best."""
    b = QdqBuilder()
    left = _conv(b, _input(b))
    right = b.relu(_conv(b, _input(b, "y")))
    total = b.node("Add", left, right)
    b.output(b.node("AveragePool", total, kernel_shape=[4, 2], strides=[2, 2]))
    compiled = expect(
        b, tmp_path, ["dq dq conv add", "dq dq conv relu"], *SIZES, fused=["Conv", "Add"]
    )
    assert compiled.outside["AveragePool"] == 1


def _batch_norm(b: QdqBuilder, x: str, channels: int, seed: int = 3) -> str:
    random = np.random.default_rng(seed)
    values = (
        random.uniform(0.5, 1.5, channels), random.normal(0, 0.1, channels),
        random.normal(0, 0.1, channels), random.uniform(0.5, 1.5, channels),
    )  # fmt: skip
    names = [b.constant(v.astype(np.float32), "norm") for v in values]
    return b.node("BatchNormalization", x, *names)


@pytest.mark.parametrize("bias", [True, False])
def test_conv2d_bn(bias: bool, tmp_path: Path):
    """[conv2d_bn] The factors go into the scales of the weight, whose integers stay as they are."""
    b = QdqBuilder()
    y = b.conv(_input(b), (5, 32, 3, 3), pads=1, bias=bias)
    b.output(_batch_norm(b, y, 5))
    expect(b, tmp_path, ["dq dq conv"], *SIZES, fused=["Conv", "BatchNormalization"])


@pytest.mark.parametrize("quantized", [True, False])
def test_conv2d_bn_relu(quantized: bool, tmp_path: Path):
    """[conv2d_bn_relu] Version 1.10 quantizes the output, later ones do not."""
    b = QdqBuilder()
    y = b.relu(_batch_norm(b, _conv(b, _input(b)), 32))
    b.output(b.qdq(y) if quantized else y)
    group = "dq dq conv relu q" if quantized else "dq dq conv relu"
    fused = ["Conv", "BatchNormalization", "Relu"]
    expect(b, tmp_path, [group], *SIZES, fused=fused, quanta=1 if quantized else 0)


def test_linear_bn_1d(tmp_path: Path):
    """[linear_bn] with BatchNorm1d, which scales what the linear computes, channel for channel."""
    b = QdqBuilder()
    y = b.linear(b.qdq(b.input("x", ("N", 32))), (32, 32))
    b.output(_batch_norm(b, y, 32))
    fused = ["Gemm", "BatchNormalization"]
    expect(b, tmp_path, ["dq dq matmul"], {"N": 1}, {"N": 5}, fused=fused)


@pytest.mark.parametrize("rank", [2, 3])
def test_linear_bn(rank: int, tmp_path: Path):
    """[linear_bn] with BatchNorm2d and 3d: they scale axis 1, the linear computes the last axis, so nothing
    can be folded, and the norm runs outside the group."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 32, *[6] * (rank - 1), 32)))
    y = b.linear(x, (32, 32), form="MatMul", bias=False)
    b.output(_batch_norm(b, y, 32))
    compiled = expect(b, tmp_path, ["dq dq matmul"], {"N": 1}, {"N": 5}, fused=["MatMul"])
    assert compiled.outside["BatchNormalization"] == 1


def test_conv_bn_linear_bn(tmp_path: Path):
    """[conv_bn_linear_bn] The first norm is folded, the second cannot be: see test_linear_bn."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 32, "S", 32)))
    y = _batch_norm(b, b.conv(x, (32, 32, 1, 1)), 32)
    z = b.linear(b.qdq(y), (32, 32), form="MatMul", bias=False)
    b.output(_batch_norm(b, z, 32))
    groups = ["dq dq conv q", "dq dq matmul"]
    compiled = expect(b, tmp_path, groups, *SIZES, fused=["Conv", "MatMul"], quanta=1)
    assert compiled.outside["BatchNormalization"] == 1


@pytest.mark.parametrize("quantized", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["relu", "sigmoid", "gelu_in_parts"])
def test_linear_eltwise(name: str, bias: bool, quantized: bool, tmp_path: Path):
    """[linear_eltwise] Version 1.10 quantizes the output, later ones do not. The originals leave GELU out."""
    kind, eltwise = ELTWISE[name]
    b = QdqBuilder()
    y = eltwise(b, b.linear(b.qdq(b.input("x", ("N", 28))), (64, 28), bias=bias))
    b.output(b.qdq(y) if quantized else y)
    group = f"dq dq matmul {kind}" + " q" * quantized
    fused = ["Gemm", "Relu", "Sigmoid", "Erf", "Mul"]
    expect(b, tmp_path, [group], {"N": 32}, {"N": 2}, fused=fused, quanta=1 if quantized else 0)


def test_conv_relu_sigmoid_mul(tmp_path: Path):
    """[conv_relu_sigmoid_mul] The first ReLU is read by a quantize and by the last product: it ends its
    group, and the quantize stands alone."""
    b = QdqBuilder()
    y = b.relu(_conv(b, _input(b)))
    z = b.relu(_conv(b, b.qdq(y)))
    z = b.node("Sigmoid", _conv(b, b.qdq(z)))
    b.output(b.node("Mul", z, y))
    groups = ["dq dq conv relu", "dq dq conv relu q", "dq dq conv sigmoid mul"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Relu", "Sigmoid", "Mul"], quanta=2)


@pytest.mark.parametrize("name", ["sigmoid", "relu"])
def test_conv_eltwise_tensor_method(name: str, tmp_path: Path):
    """[conv_eltwise_tensor_method] A method or a function: one op in ONNX."""
    kind, eltwise = ELTWISE[name]
    b = QdqBuilder()
    b.output(eltwise(b, _conv(b, _input(b))))
    expect(b, tmp_path, [f"dq dq conv {kind}"], *SIZES, fused=["Conv", "Sigmoid", "Relu"])


def _strided(b: QdqBuilder) -> str:
    return b.conv(b.qdq(b.input("x", ("N", 3, "S", "S"))), (16, 3, 3, 3), stride=4)


def test_conv2d_sigmoid_mul_(tmp_path: Path):
    """[conv2d_sigmoid_mul_]"""
    b = QdqBuilder()
    b.output(_silu(b, _strided(b)))
    expect(b, tmp_path, ["dq dq conv sigmoid mul"], *SIZES, fused=["Conv", "Sigmoid", "Mul"])


def test_conv2d_sigmoid_mul_refused(tmp_path: Path):
    """[conv2d_sigmoid_mul_, the negative half] There, an alias of the convolution's output is written to
    after it. ONNX has no aliases; that the output is needed by itself is what stops the fusion here."""
    b = QdqBuilder()
    y = _strided(b)
    first = b.node("Gather", y, b.constant(np.array(0, np.int64)), axis=0)
    b.output(_silu(b, y), b.node("Add", first, b.constant(2.0)))
    compiled = expect(b, tmp_path, ["dq dq conv"], *SIZES, fused=["Conv"])
    assert compiled.outside["Sigmoid"] == 1


def test_conv2d_hardsigmoid_mul_(tmp_path: Path):
    """[conv2d_hardsigmoid_mul_] The product of a value and its hard sigmoid is one op of the library."""
    b = QdqBuilder()
    y = _strided(b)
    b.output(b.node("Mul", y, b.node("HardSigmoid", y, alpha=1 / 6, beta=0.5)))
    expect(b, tmp_path, ["dq dq conv hardswish"], *SIZES, fused=["Conv", "HardSigmoid", "Mul"])


def test_wildcard(tmp_path: Path):
    """[wildcard] The convolution's output leaves the graph too: the ReLU stays outside."""
    b = QdqBuilder()
    y = _conv(b, _input(b))
    b.output(y, b.relu(y))
    compiled = expect(b, tmp_path, ["dq dq conv"], *SIZES, fused=["Conv"])
    assert compiled.outside["Relu"] == 1


def test_fx_converted_model(tmp_path: Path):
    """[fx_converted_model] A framework's own quantized operator. The original knows none of PyTorch's and
    makes no group; ONNX's are read as what they mean, casts around a product."""
    b = QdqBuilder()
    q = b.quantize(b.input("x", ("N", 15)), scale=0.02, zero_point=128)
    random = np.random.default_rng(0)
    weight = b.constant(random.integers(-64, 65, (15, 20)).astype(np.int8), "w")
    zero = b.constant(np.array(0, np.int8))
    scales = [b.constant(np.float32(v).reshape(())) for v in (0.02, 0.01, 0.05)]
    at = b.constant(np.array(128, np.uint8))
    y = b.node("QLinearMatMul", q, scales[0], at, weight, scales[1], zero, scales[2], at)
    b.output(b.node("DequantizeLinear", y, scales[2], at))
    fused = ["QLinearMatMul"]
    expect(b, tmp_path, ["dq dq matmul q"], {"N": 2}, {"N": 9}, fused=fused, quanta=1)


def test_fx_ao_qat_converted_model(tmp_path: Path):
    """[fx_ao_qat_converted_model] A float weight with its casts: they are computed at once."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 15)))
    w = b.weight((20, 15), frozen=False)
    b.output(b.node("Gemm", x, w, b.bias(20, x, w), transB=1))
    expect(b, tmp_path, ["dq dq matmul"], {"N": 2}, {"N": 9}, fused=["Gemm", "QuantizeLinear"])


def test_fx_ao_qat_model(tmp_path: Path):
    """[fx_ao_qat_model, which the original skips for its accuracy] Float weights with their casts."""
    b = QdqBuilder()
    x = _input(b)
    for relu in (True, False):
        y = b.conv(x, (32, 32, 3, 3), pads=1, weight=b.weight((32, 32, 3, 3), frozen=False))
        x = b.qdq(b.relu(y) if relu else y)
    b.output(x)
    groups = ["dq dq conv relu q", "dq dq conv q"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Relu"], quanta=2)
