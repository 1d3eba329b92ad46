"""Activation functions: one Top op each where the chips compute it right, else written out."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.dialects.top import AttrValue, TopOp
from autosplit.lowering.convert_onnx_to_top.families.elementwise import (
    ERF,
    binary,
    compared,
    polynomial,
    unary,
)
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, refuses
from autosplit.lowering.convert_onnx_to_top.parts.rows import as_rows
from autosplit.lowering.convert_onnx_to_top.parts.steps import plus, reshape, times
from autosplit.lowering.shared.fold import AnyArray

LOWEST = float(np.finfo(np.float32).min)
HIGHEST = float(np.finfo(np.float32).max)
SELU = (1.67326319217681884765625, 1.05070102214813232421875)
"""The defaults of alpha and gamma."""


def number(c: Conversion, name: str, default: float) -> float:
    """An attribute that is a number."""
    return float(cast("float", c.op.attribute(name, default)))


@converts("HardSwish", "Relu", "Sigmoid", "Tanh")
def plain(c: Conversion) -> SSAValue:
    """A Top op of the same name."""
    return c.emit(c.op.op_type, [c.operand(0)])


def _is_steep(c: Conversion, slopes: AnyArray | float) -> bool:
    """Whether a slope makes negative numbers larger, in INT8.

    There, TPU-MLIR gives a LeakyRelu or PRelu the range of its operand if other ops read that operand too:
    results beyond that range were lost (measured on all chips).
    """
    return c.q.mode == "INT8" and bool(np.abs(slopes).max(initial=0.0) > 1)


def _sided(c: Conversion, x: SSAValue, below: Callable[[SSAValue], SSAValue]) -> SSAValue:
    """`relu(x) + below(min(x, 0))`."""
    negative = below(c.emit("MinConst", [x], {"const_val": 0.0}, suffix="low"))
    return c.emit("Add", [unary(c, "Relu", x, "above"), negative])


@converts("LeakyRelu")
def leaky_relu(c: Conversion) -> SSAValue:
    """A LeakyRelu; a steep one is `relu(x) + slope min(x, 0)`."""
    x, alpha = c.operand(0), number(c, "alpha", 0.01)
    if _is_steep(c, alpha):
        return _sided(c, x, lambda low: times(c, low, alpha, "below"))
    return c.emit("LeakyRelu", [x], {"alpha": alpha})


@converts("Elu")
def elu(c: Conversion) -> SSAValue:
    """`relu(x) + alpha (exp(min(x, 0)) - 1)`: BM1684's own op was measured to ignore alpha."""
    alpha = number(c, "alpha", 1.0)

    def below(low: SSAValue) -> SSAValue:
        curve = plus(c, unary(c, "Exp", low, "exp"), -1.0, "below")
        return curve if alpha == 1.0 else times(c, curve, alpha, "scaled")

    return _sided(c, c.operand(0), below)


@converts("Celu", "Selu")
def scaled_elu(c: Conversion) -> SSAValue:
    """An Elu whose exponent (Celu) or sum (Selu) is scaled."""
    x, selu = c.operand(0), c.op.op_type == "Selu"
    alpha = number(c, "alpha", SELU[0] if selu else 1.0)
    low = c.emit("MinConst", [x], {"const_val": 0.0}, suffix="low")
    exponent = low if selu else times(c, low, 1.0 / alpha, "exponent")
    below = times(c, plus(c, unary(c, "Exp", exponent, "exp"), -1.0, "below"), alpha, "scaled")
    total = binary(c, "Add", unary(c, "Relu", x, "above"), below, "sum" if selu else None)
    return times(c, total, number(c, "gamma", SELU[1])) if selu else total


@converts("ThresholdedRelu")
def thresholded_relu(c: Conversion) -> SSAValue:
    """`x` where it is greater than alpha, else 0."""
    x = c.operand(0)
    above = compared(c, x, "Greater", number(c, "alpha", 1.0), "above")
    return binary(c, "Mul", x, above)


@converts("Shrink")
def shrink(c: Conversion) -> SSAValue:
    """`x` moved towards 0 by bias where it is below -lambd or above lambd, else 0."""
    x, threshold, bias = c.operand(0), number(c, "lambd", 0.5), number(c, "bias", 0.0)
    above = compared(c, x, "Greater", threshold, "above")
    below = compared(c, x, "Less", -threshold, "below")
    beyond = binary(
        c, "Mul", x, binary(c, "Max", above, below, "beyond"), None if not bias else "kept"
    )
    if not bias:
        return beyond
    sign = binary(c, "Sub", above, below, "sign")
    return binary(c, "Sub", beyond, times(c, sign, bias, "moved"))


@converts("Swish")
def swish(c: Conversion) -> SSAValue:
    """`x sigmoid(alpha x)`."""
    x, alpha = c.operand(0), number(c, "alpha", 1.0)
    scaled = x if alpha == 1.0 else times(c, x, alpha, "scaled")
    return binary(c, "Mul", x, unary(c, "Sigmoid", scaled, "gate"))


@converts("Softplus")
def softplus(c: Conversion) -> SSAValue:
    """A Softplus that does not overflow."""
    return _softplus(c)


def _softplus(c: Conversion, suffix: str | None = None) -> SSAValue:
    """`relu(x) + softplus(-|x|)`: BM1684's own op was measured to overflow where x is large."""
    x = c.operand(0)
    low = times(c, unary(c, "Abs", x, "size"), -1.0, "low")
    return binary(c, "Add", unary(c, "Relu", x, "above"), unary(c, "Softplus", low, "rest"), suffix)


@converts("Mish")
def mish(c: Conversion) -> SSAValue:
    """`x tanh(softplus(x))`: BM1684's compiler was measured to fail on its own Mish among other ops."""
    return c.emit("Mul", [c.operand(0), unary(c, "Tanh", _softplus(c, "softplus"), "tanh")])


@converts("Softsign")
def softsign(c: Conversion) -> SSAValue:
    """`x / (1 + |x|)`: BM1684's compiler was measured to fail on its own Softsign among other ops."""
    x = c.operand(0)
    size = plus(c, unary(c, "Abs", x, "size"), 1.0, "denominator")
    return c.emit("Mul", [x, unary(c, "Reciprocal", size, "reciprocal")])


@converts("HardSigmoid")
def hard_sigmoid(c: Conversion) -> SSAValue:
    """A HardSigmoid."""
    attrs = {"alpha": number(c, "alpha", 0.2), "beta": number(c, "beta", 0.5)}
    return c.emit("HardSigmoid", [c.operand(0)], attrs)


@converts("Softmax", "LogSoftmax")
def softmax(c: Conversion) -> SSAValue:
    """A Softmax, with or without a logarithm."""
    if c.op.op_type == "Softmax" and as_rows(c.q):
        x, shape = c.operand(0), c.shape()
        batched = (1, *shape)
        rows = reshape(c, x, batched, "rows")
        result = c.emit(
            "Softmax", [rows], {"axis": 2, "log": False}, shape=batched, suffix="softmax"
        )
        return reshape(c, result, shape)
    axis = c.q.integer("axis", -1) % len(c.shape())
    is_log = c.op.op_type == "LogSoftmax"
    attrs: dict[str, AttrValue] = {"axis": axis, "log": is_log}
    if not is_log or c.q.mode != "INT8":
        return c.emit("Softmax", [c.operand(0)], attrs)
    if c.shape()[axis] == 1:
        # Along an axis of size 1, BM1684X and BM1688 give 1 in INT8.
        return times(c, c.operand(0), 0.0)
    # In INT8, TPU-MLIR takes a LogSoftmax, and ops that pass it on, for positive, whatever its range.
    negative = times(c, c.emit("Softmax", [c.operand(0)], attrs, suffix="log"), -1.0, "negative")
    return c.emit("SubConst", [negative], {"const_val": 0.0, "is_reverse": True})


@refuses("Clip")
def refuse_clip(q: Query) -> ReasonAttr | None:
    for index, name in ((1, "min"), (2, "max")):
        bound = q.array(index)
        if bound is not None and bound.size != 1:
            return q.refuse(
                "operand-value", f"has {name} of shape {shape_text(bound.shape)}, needs one number"
            )
    return None


@converts("Clip")
def clip(c: Conversion) -> SSAValue:
    """A Relu where the lower bound is 0; one with a limit only behind a convolution.

    The tool chain fuses a Relu into the op in front, and most other ops were measured to lose the limit.
    """
    low, high = _bound(c, 1, LOWEST), _bound(c, 2, HIGHEST)
    x = c.operand(0)
    if low == 0.0 and high == HIGHEST:
        return c.emit("Relu", [x])
    is_fused = c.op.operands[0].has_one_use() or not c.q.dynamic
    if low == 0.0 and high > 0.0 and is_fused and _is_convolution(x):
        return c.emit("Relu", [x], {"relu_limit": high})
    return c.emit("Clip", [x], {"min": min(low, high), "max": high})


def _is_convolution(x: SSAValue) -> bool:
    """Whether a value comes from a Conv, perhaps through a BatchNorm, which the tool chain fuses into it."""
    op = x.owner
    if isinstance(op, TopOp) and op.kind == "BatchNorm":
        op = op.inputs[0].owner
    return isinstance(op, TopOp) and op.kind == "Conv"


def _bound(c: Conversion, index: int, default: float) -> float:
    bound = c.q.array(index)
    if bound is None:
        return default
    return float(np.clip(np.float32(bound.reshape(-1)[0]), LOWEST, HIGHEST))


@converts("Gelu")
def gelu(c: Conversion) -> SSAValue:
    """A GELU; written out on chips without Erf, whose own is the tanh approximation, 5e-4 off."""
    if c.q.text("approximate", "none") == "tanh":
        return _gelu_tanh(c)
    return _gelu_erf(c) if "Erf" in c.q.chip.missing_ops else c.emit("GELU", [c.operand(0)])


def _gelu_tanh(c: Conversion) -> SSAValue:
    """`x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))`."""
    x, scale = c.operand(0), 2 * sqrt(2 / pi)
    square = binary(c, "Mul", x, x, "square")
    slope = plus(c, times(c, square, 0.044715 * scale, "cubic"), scale, "slope")
    inner = binary(c, "Mul", x, slope, "inner")
    return c.emit("Mul", [x, unary(c, "Sigmoid", inner, "gate")])


def _gelu_erf(c: Conversion) -> SSAValue:
    """`relu(x) - |x| erfc(|x| / sqrt(2)) / 2`, with `erfc(z) = t p(t) exp(-z^2)`, `t = 1 / (1 + q z)`."""
    x = c.operand(0)
    size = unary(c, "Abs", x, "size")
    scaled = plus(c, times(c, size, 0.3275911 / sqrt(2), "scaled"), 1.0, "denominator")
    t = unary(c, "Reciprocal", scaled, "t")
    tail = binary(c, "Mul", polynomial(c, t, ERF, "p"), t, "tp")
    bell = unary(c, "Exp", times(c, binary(c, "Mul", x, x, "square"), -0.5, "minus"), "bell")
    half = times(c, binary(c, "Mul", tail, bell, "complement"), 0.5, "half")
    below = binary(c, "Mul", size, half, "below")
    return c.emit("Sub", [unary(c, "Relu", x, "above"), below])


@converts("PRelu")
def prelu(c: Conversion) -> SSAValue:
    """A LeakyRelu for a single slope, a PRelu for one per channel; else `relu(x) + slope min(x, 0)`.

    Steep slopes are written out, too.
    """
    x, slope = c.operand(0), c.q.array(1)
    rank = len(c.shape())
    if slope is not None and not _is_steep(c, slope):
        if slope.size == 1:
            return c.emit("LeakyRelu", [x], {"alpha": float(slope.reshape(-1)[0])})
        aligned = (1,) * (rank - slope.ndim) + slope.shape
        if rank > 1 and slope.size == aligned[1]:
            return c.emit("PRelu", [x, c.weight(slope.reshape(aligned), "slope")])
    return _sided(c, x, lambda low: binary(c, "Mul", low, c.operand(1), "below"))
