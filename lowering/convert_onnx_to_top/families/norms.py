"""Normalizations."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.lowering.convert_onnx_to_top.families.activations import number
from autosplit.lowering.convert_onnx_to_top.families.elementwise import binary, unary
from autosplit.lowering.convert_onnx_to_top.families.reductions import over
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import Shape
from autosplit.lowering.convert_onnx_to_top.parts.steps import loaded, plus, reshape, sizes, times


@refuses("BatchNormalization")
def refuse_batch_normalization(q: Query) -> ReasonAttr | None:
    return q.attribute_is("training_mode", 0, 0, "statistics are constants in a compiled model")


@converts("BatchNormalization")
def batch_normalization(c: Conversion) -> SSAValue:
    """A BatchNorm, whose operands are in another order."""
    x, scale, bias, mean, variance = (c.operand(i) for i in range(5))
    attrs = {"epsilon": number(c, "epsilon", 1e-5)}
    return c.emit("BatchNorm", [x, mean, variance, scale, bias], attrs)


@converts("InstanceNormalization")
def instance_normalization(c: Conversion) -> SSAValue:
    """An InstanceNorm."""
    return c.emit("InstanceNorm", [c.operand(0), *_affine(c)], {"eps": number(c, "epsilon", 1e-5)})


@converts("GroupNormalization")
def group_normalization(c: Conversion) -> SSAValue:
    """A GroupNorm."""
    attrs = {"num_groups": c.q.integer("num_groups", 1), "eps": number(c, "epsilon", 1e-5)}
    return c.emit("GroupNorm", [c.operand(0), *_affine(c)], attrs)


def _affine(c: Conversion) -> list[SSAValue]:
    """Scale and bias, one a channel."""
    shape = (1, -1, *(1 for _ in c.shape()[2:]))
    return [
        c.weight(loaded(c, index)().reshape(shape), name)
        for index, name in ((1, "scale"), (2, "bias"))
    ]


@refuses("LayerNormalization")
def refuse_layer_normalization(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", -1) % max(len(shape), 1)
    if any(d < 0 for d in shape[axis:]):
        return q.refuse("dynamic-shape", f"normalizes {shape_text(shape)} along an unknown size")
    return None if keeps_dimensions(shape, axis) else fixed_sizes(q)


def keeps_dimensions(shape: Shape, axis: int) -> bool:
    """Whether a LayerNormalization is computed in the dimensions that it has."""
    return axis > 0 and len(shape) in (3, 4)


@converts("LayerNormalization")
def layer_normalization(c: Conversion) -> SSAValue:
    """A LayerNorm of three dimensions, one row for each mean; scale and bias are as large as a row."""
    x, shape = c.operand(0), c.shape()
    axis = c.q.integer("axis", -1) % len(shape)
    row = shape[axis:]
    is_direct = keeps_dimensions(shape, axis)
    size = row if is_direct else (prod(row),)
    weights: list[SSAValue] = []
    for index, name in ((1, "scale"), (2, "bias")):
        if c.q.value(index) is None:
            # In F16 the compiler stops where there is no bias.
            weights.append(c.weight(np.zeros(size), name))
            continue
        weights.append(c.weight(np.broadcast_to(loaded(c, index)(), row).reshape(size), name))
    attrs = {"axis": axis, "eps": number(c, "epsilon", 1e-5), "normalized_shape": list(size)}
    if is_direct:
        return c.emit("LayerNorm", [x, *weights], attrs)
    rows = (1, prod(shape[:axis]), prod(row))
    x = reshape(c, x, rows, "rows")
    normal = c.emit("LayerNorm", [x, *weights], attrs | {"axis": 2}, shape=rows, suffix="normal")
    return reshape(c, normal, shape)


@converts("MeanVarianceNormalization")
def mean_variance_normalization(c: Conversion) -> SSAValue:
    """`(x - mean) / (deviation + 1e-9)` along axes that need not be adjacent."""
    x = c.operand(0)
    rank = len(sizes(x))
    axes = sorted(axis % rank for axis in c.q.integers("axes") or [0, 2, 3])
    centered = binary(c, "Sub", x, over(c, x, axes, "ReduceMean", "mean"), "away")
    variance = over(
        c, binary(c, "Mul", centered, centered, "square"), axes, "ReduceMean", "variance"
    )
    deviation = plus(c, unary(c, "Sqrt", variance, "deviation"), 1e-9, "denominator")
    return binary(c, "Mul", centered, unary(c, "Reciprocal", deviation, "reciprocal"))


@converts("RMSNormalization")
def rms_normalization(c: Conversion) -> SSAValue:
    """`x / sqrt(mean of squares + epsilon)`, times scale."""
    x = c.operand(0)
    rank = len(sizes(x))
    axes = list(range(c.q.integer("axis", -1) % rank, rank))
    mean = over(c, binary(c, "Mul", x, x, "square"), axes, "ReduceMean", "mean")
    root = unary(c, "Sqrt", plus(c, mean, number(c, "epsilon", 1e-5), "sum"), "root")
    normal = binary(c, "Mul", x, unary(c, "Reciprocal", root, "reciprocal"), "normal")
    return binary(c, "Mul", normal, c.operand(1))


SMALLEST = 1e-30
"""The least divisor, so that vectors of zeros stay zeros."""


@refuses("LpNormalization")
def refuse_lp_normalization(q: Query) -> ReasonAttr | None:
    return other_norm(q) or fixed_sizes(q)


def other_norm(q: Query) -> ReasonAttr | None:
    """Refuses norms other than L1 and L2."""
    if (p := q.integer("p", 2)) in (1, 2):
        return None
    return q.refuse("attribute", f"has p = {p}, needs 1 or 2")


@converts("LpNormalization")
def lp_normalization(c: Conversion) -> SSAValue:
    """`x` over the sum of sizes, or over the root of the sum of squares."""
    x = c.operand(0)
    axes = [c.q.integer("axis", -1) % len(sizes(x))]
    if c.q.integer("p", 2) == 1:
        length = over(c, unary(c, "Abs", x, "size"), axes, "ReduceSum", "length")
    else:
        total = over(c, binary(c, "Mul", x, x, "square"), axes, "ReduceSum", "sum")
        length = unary(c, "Sqrt", total, "length")
    bounded = c.emit(
        "MaxConst", [length], {"const_val": SMALLEST}, shape=sizes(length), suffix="least"
    )
    return binary(c, "Mul", x, unary(c, "Reciprocal", bounded, "reciprocal"))


@converts("LRN")
def lrn(c: Conversion) -> SSAValue:
    """`x exp(-beta log(bias + alpha / size * sum of squares))`; the sum over channels is a convolution.

    BM1684X's compiler was measured to stop at Top's own LRN of few channels.
    """
    x, size = c.operand(0), c.q.integer("size", 1)
    channels = sizes(x)[1]
    scaled = times(c, x, sqrt(number(c, "alpha", 1e-4) / size), "scaled")
    square = binary(c, "Mul", scaled, scaled, "square")
    offsets = np.subtract.outer(np.arange(channels), np.arange(channels))
    band = (offsets <= (size - 1) // 2) & (-offsets <= size // 2)
    weights = c.weight(band.reshape(channels, channels, 1, 1), "band")
    bias = c.weight(np.full(channels, number(c, "bias", 1.0)), "bias")
    pointwise = {"kernel_shape": [1, 1], "strides": [1, 1], "pads": [0] * 4, "dilations": [1, 1]}
    total = c.emit("Conv", [square, weights, bias], pointwise, shape=sizes(x), suffix="sum")
    power = times(c, unary(c, "Log", total, "log"), -number(c, "beta", 0.75), "exponent")
    return c.emit("Mul", [x, unary(c, "Exp", power, "power")])
