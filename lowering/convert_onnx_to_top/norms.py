"""Normalizations."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_onnx_to_top.activations import number
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.elementwise import binary, unary
from autosplit.lowering.convert_onnx_to_top.parts import loaded, reshape, sizes, times
from autosplit.lowering.convert_onnx_to_top.rules import keeps_dimensions


@converts("BatchNormalization")
def batch_normalization(c: Conversion) -> SSAValue:
    """A BatchNorm, which has its operands in another order."""
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


@converts("LayerNormalization")
def layer_normalization(c: Conversion) -> SSAValue:
    """A LayerNorm of three dimensions, one row for each mean; scale and bias are as large as a row."""
    x, shape = c.operand(0), c.shape()
    axis = c.q.integer("axis", -1) % len(shape)
    row = shape[axis:]
    plain = keeps_dimensions(shape, axis)
    size = row if plain else (prod(row),)
    weights: list[SSAValue] = []
    for index, name in ((1, "scale"), (2, "bias")):
        if c.q.value(index) is None:
            weights.append(c.none())
            continue
        weights.append(c.weight(np.broadcast_to(loaded(c, index)(), row).reshape(size), name))
    attrs = {"axis": axis, "eps": number(c, "epsilon", 1e-5), "normalized_shape": list(size)}
    if plain:
        return c.emit("LayerNorm", [x, *weights], attrs)
    rows = (1, prod(shape[:axis]), prod(row))
    x = reshape(c, x, rows, "rows")
    made = c.emit("LayerNorm", [x, *weights], attrs | {"axis": 2}, shape=rows, suffix="normal")
    return reshape(c, made, shape)


@converts("LRN")
def lrn(c: Conversion) -> SSAValue:
    """`x exp(-beta log(bias + alpha / size * sum of squares))`; the sum over channels is a convolution.

    BM1684X's compiler was measured to stop at Top's own LRN of few channels.
    """
    x, size = c.operand(0), c.q.integer("size", 1)
    channels = sizes(x)[1]
    scaled = times(c, x, sqrt(number(c, "alpha", 1e-4) / size), "scaled")
    square = binary(c, "Mul", scaled, scaled, "square")
    near = np.subtract.outer(np.arange(channels), np.arange(channels))
    band = (near <= (size - 1) // 2) & (-near <= size // 2)
    weights = c.weight(band.reshape(channels, channels, 1, 1), "band")
    bias = c.weight(np.full(channels, number(c, "bias", 1.0)), "bias")
    one = {"kernel_shape": [1, 1], "strides": [1, 1], "pads": [0] * 4, "dilations": [1, 1]}
    total = c.emit("Conv", [square, weights, bias], one, shape=sizes(x), suffix="sum")
    power = times(c, unary(c, "Log", total, "log"), -number(c, "beta", 0.75), "exponent")
    return c.emit("Mul", [x, unary(c, "Exp", power, "power")])
