"""Convolutions, products of matrices, and norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, converts
from autosplit.lowering.reduce_mutation.promotion import is_float
from autosplit.lowering.shared.refusal import Refusal

TRAINING = "normalizes by the batch, as in training: export the model in eval()"

# Convolutions


@converts("conv1d", "conv1d.padding", "conv2d", "conv2d.padding", "conv3d", "conv3d.padding")
def _conv(b: AtenBuilder) -> SSAValue:
    """conv2d(x, w, bias) -> conv(x, w, bias), a batch of one if x is a single picture"""
    return _plain(b)


def _plain(b: AtenBuilder) -> SSAValue:
    x, weight = b.tensor("input"), b.tensor("weight")
    n = b.rank(weight) - 2
    dilations = b.window("dilation", n, 1)
    pads = _pads(b, n, dilations)
    strides = b.window("stride", n, 1)
    return _convolved(b, x, weight, {"strides": strides, "pads": pads, "dilations": dilations})


def _pads(b: AtenBuilder, n: int, dilations: Sequence[int]) -> list[int]:
    """The padding in front of each axis, then behind."""
    word = b.text("padding")
    if not word:
        padding = b.window("padding", n)
        return [*padding, *padding]
    if word == "valid":
        return [0] * (2 * n)
    kernel = b.static(b.tensor("weight"), "the padding", 2)
    total = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
    # ATen puts the odd one at the end.
    return [*(t // 2 for t in total), *(t - t // 2 for t in total)]


def _convolved(
    b: AtenBuilder,
    x: SSAValue,
    weight: SSAValue,
    attributes: dict[str, object],
    op_type: str = "Conv",
) -> SSAValue:
    rank = b.rank(weight)
    unbatched = b.rank(x) == rank - 1
    source = b.unsqueeze(x, [0]) if unbatched else x
    kernel = b.static(weight, "the window", 2)
    bias = b.optional("bias")
    inputs = [source, weight, *([] if bias is None else [bias])]
    whole = {"kernel_shape": [*kernel], "group": b.integer("groups"), **attributes}
    result = b.node(op_type.lower(), op_type, inputs, whole)
    return b.squeeze(result, [0]) if unbatched else result


@converts("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input")
def _conv_transpose(b: AtenBuilder) -> SSAValue:
    """conv_transpose2d(x, w, bias) -> conv_transpose(x, w, bias)"""
    return _transposed(b)


def _transposed(b: AtenBuilder) -> SSAValue:
    x, weight = b.tensor("input"), b.tensor("weight")
    n = b.rank(weight) - 2
    padding = b.window("padding", n)
    attributes: dict[str, object] = {
        "strides": b.window("stride", n, 1),
        "pads": [*padding, *padding],
        "dilations": b.window("dilation", n, 1),
        "output_padding": b.window("output_padding", n),
    }
    return _convolved(b, x, weight, attributes, "ConvTranspose")


@converts("convolution")
def _convolution(b: AtenBuilder) -> SSAValue:
    """convolution(x, w, bias) -> conv(x, w, bias), or conv_transpose where it is transposed"""
    return _transposed(b) if b.flag("transposed") else _plain(b)


# Products of matrices


@converts("linear")
def _linear(b: AtenBuilder) -> SSAValue:
    """linear(x, w, bias) -> gemm(x, transpose(w), bias), or add(mat_mul(x, transpose(w)), bias)"""
    return linear(b, b.tensor("input"), b.tensor("weight"), b.optional("bias"))


def linear(b: AtenBuilder, x: SSAValue, weight: SSAValue, bias: SSAValue | None) -> SSAValue:
    """x times the transposed weight, plus the bias."""
    extra = [] if bias is None else [bias]
    if b.rank(x) == 2 and b.rank(weight) == 2 and is_float(b.element(x)):
        return b.apply("Gemm", x, weight, *extra, transB=1)
    flipped = b.transpose(weight, [1, 0]) if b.rank(weight) == 2 else weight
    product = b.apply("MatMul", x, flipped)
    return b.apply("Add", product, *extra) if extra else product


@converts("bmm", "dot", "matmul", "mm", "mv")
def _matmul(b: AtenBuilder) -> SSAValue:
    """matmul(x, y) -> mat_mul(x, y), bmm, mm, mv and dot alike"""
    names = {"mv": "vec", "dot": "tensor", "matmul": "other"}
    return b.apply("MatMul", b.x, b.tensor(names.get(b.kind, "mat2")))


@converts("addmm", "addmv", "baddbmm")
def _addmm(b: AtenBuilder) -> SSAValue:
    """addmm(x, a, b) -> gemm(a, b, x); baddbmm and addmv -> add(mul(x, beta), mul(mat_mul(a, b), alpha))"""
    beta, alpha = b.real("beta"), b.real("alpha")
    if b.kind == "addmm" and is_float(b.out):
        attributes = {"alpha": float(alpha), "beta": float(beta)}
        # With beta 0 ATen ignores x, even where it is not finite.
        extra = [b.x] if beta else []
        return b.node("gemm", "Gemm", [b.tensor("mat1"), b.tensor("mat2"), *extra], attributes)
    first, second = {"addmm": ("mat1", "mat2"), "addmv": ("mat", "vec")}.get(
        b.kind, ("batch1", "batch2")
    )
    product = b.apply("MatMul", b.tensor(first), b.tensor(second))
    product = product if alpha == 1 else b.apply("Mul", product, b.filled(alpha, b.out, "alpha"))
    if not beta:
        return product
    x = b.x if beta == 1 else b.apply("Mul", b.x, b.filled(beta, b.out, "beta"))
    return b.apply("Add", x, product)


@converts("outer")
def _outer(b: AtenBuilder) -> SSAValue:
    """outer(x, y) -> mul(unsqueeze(x), y)"""
    x, y = b.alike("self", "vec2")
    return b.apply("Mul", b.unsqueeze(x, [1]), y)


# Norms


def _affine(b: AtenBuilder, x: SSAValue) -> list[SSAValue]:
    """The weight and the bias for each channel; ones and zeros if the norm has none."""
    parameters: list[SSAValue] = []
    for name, fill in (("weight", np.ones), ("bias", np.zeros)):
        value = b.optional(name)
        parameters.append(_for_each_channel(b, x, name, fill) if value is None else value)
    return parameters


def _for_each_channel(
    b: AtenBuilder, x: SSAValue, role: str, fill: Callable[..., NDArray[Any]]
) -> SSAValue:
    channels = b.shape(x)[1]
    if channels < 0:
        raise Refusal("dynamic-shape", "the number of channels is unknown")
    return b.constant(role, fill(channels, b.dtype(x)))


@converts("_native_batch_norm_legit_no_training", "batch_norm", "native_batch_norm")
def _batch_norm(b: AtenBuilder) -> list[SSAValue | None]:
    """batch_norm(x, w, bias, mean, var) -> batch_normalization(...). Refused in training."""
    if b.kind != "_native_batch_norm_legit_no_training" and b.flag("training"):
        raise Refusal("training", TRAINING)
    x = b.tensor("input")
    mean, var = b.tensor("running_mean"), b.tensor("running_var")
    weight, bias = _affine(b, x)
    inputs = [x, weight, bias, mean, var]
    return [b.node("norm", "BatchNormalization", inputs, {"epsilon": b.real("eps")})]


@converts("_native_batch_norm_legit.no_stats")
def _batch_norm_of_one(b: AtenBuilder) -> list[SSAValue | None]:
    """batch_norm(x) of a batch of one, by its own mean -> instance_normalization(x, w, bias)"""
    x = b.tensor("input")
    if b.shape(x)[0] != 1:
        raise Refusal("training", TRAINING)
    inputs = [x, *_affine(b, x)]
    return [b.node("norm", "InstanceNormalization", inputs, {"epsilon": b.real("eps")})]


@converts("layer_norm", "native_layer_norm")
def _layer_norm(b: AtenBuilder) -> list[SSAValue | None]:
    """layer_norm(x, w, bias) -> layer_normalization(x, w, bias)"""
    x, sizes = b.tensor("input"), b.numbers("normalized_shape")
    weight = b.optional("weight")
    if weight is None:
        weight = b.constant("weight", np.ones(sizes, b.dtype(x)))
    bias = b.optional("bias")
    inputs = [x, weight, *([] if bias is None else [bias])]
    attributes = {"axis": -len(sizes), "epsilon": b.real("eps")}
    return [b.node("norm", "LayerNormalization", inputs, attributes)]


@converts("rms_norm")
def _rms_norm(b: AtenBuilder) -> SSAValue:
    """rms_norm(x, w) -> mul(div(x, sqrt(add(mean(mul(x, x)), eps))), w)"""
    x, count = b.tensor("input"), len(b.numbers("normalized_shape"))
    epsilon, dtype = b.get("eps"), b.dtype(x)
    if epsilon is None:
        epsilon = float(np.finfo(dtype).eps)
    rank = b.rank(x)
    square = b.reduced("ReduceMean", b.apply("Mul", x, x), [*range(rank - count, rank)], keep=True)
    safe = b.apply("Add", square, b.filled(float(str(epsilon)), b.element(x), "eps"))
    result = b.apply("Div", x, b.apply("Sqrt", safe))
    weight = b.optional("weight")
    return result if weight is None else b.apply("Mul", result, weight)


@converts("group_norm", "native_group_norm")
def _group_norm(b: AtenBuilder) -> list[SSAValue | None]:
    """group_norm(x, w, bias) -> add(mul(instance_normalization(groups of x), w), bias)"""
    x = b.tensor("input")
    groups = b.integer("num_groups" if b.kind == "group_norm" else "group")
    ones = b.constant("ones", np.ones(groups, b.dtype(x)))
    zeros = b.constant("zeros", np.zeros(groups, b.dtype(x)))
    grouped = b.reshape(x, [0, groups, -1])
    attributes = {"epsilon": b.real("eps")}
    normal = b.node("norm", "InstanceNormalization", [grouped, ones, zeros], attributes)
    result = b.shaped(normal, b.sizes(x))
    axes = range(1, b.rank(x) - 1)
    for op_type, name in (("Mul", "weight"), ("Add", "bias")):
        if (value := b.optional(name)) is not None:
            result = b.apply(op_type, result, b.unsqueeze(value, axes))
    return [result]


@converts("instance_norm")
def _instance_norm(b: AtenBuilder) -> SSAValue:
    """instance_norm(x, w, bias) -> instance_normalization(x, w, bias), or batch_normalization(...)"""
    x = b.tensor("input")
    weight, bias = _affine(b, x)
    attributes = {"epsilon": b.real("eps")}
    if b.flag("use_input_stats"):
        return b.node("norm", "InstanceNormalization", [x, weight, bias], attributes)
    inputs = [x, weight, bias, b.tensor("running_mean"), b.tensor("running_var")]
    return b.node("norm", "BatchNormalization", inputs, attributes)
