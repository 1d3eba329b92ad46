"""Elementwise ops on one or two tensors. Most are one op of another name; the tables say which."""

from __future__ import annotations

from math import log, pi

import numpy as np
from xdsl.dialects.builtin import f64, i1
from xdsl.ir import SSAValue

from autosplit.lowering.convert_aten_to_onnx.builder import (
    AtenBuilder,
    Scalar,
    converts,
)
from autosplit.lowering.reduce_mutation.promotion import is_float, is_integer
from autosplit.lowering.shared.refusal import Refusal

UNARY = {
    "acos": "Acos",
    "acosh": "Acosh",
    "asin": "Asin",
    "asinh": "Asinh",
    "atan": "Atan",
    "atanh": "Atanh",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "exp": "Exp",
    "log": "Log",
    "mish": "Mish",
    "reciprocal": "Reciprocal",
    "sigmoid": "Sigmoid",
    "sin": "Sin",
    "sinh": "Sinh",
    "sqrt": "Sqrt",
    "tan": "Tan",
    "tanh": "Tanh",
}
"""ATen's ops of one tensor that are the ONNX op of the other name; integers become floats first."""

WHOLE = {
    "abs": "Abs",
    "ceil": "Ceil",
    "floor": "Floor",
    "neg": "Neg",
    "relu": "Relu",
    "round": "Round",
    "sign": "Sign",
}
"""Ops that return integers for integers."""

ROUNDINGS = frozenset({"ceil", "floor", "round", "trunc"})

ARITHMETIC = {"add": "Add", "div": "Div", "mul": "Mul", "sub": "Sub"}
COMPARISONS = {
    "eq": "Equal",
    "ge": "GreaterOrEqual",
    "gt": "Greater",
    "le": "LessOrEqual",
    "lt": "Less",
    "ne": "Equal",
}
LOGIC = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
BITS = {
    "__and__": "And",
    "__or__": "Or",
    "__xor__": "Xor",
    "bitwise_and": "And",
    "bitwise_or": "Or",
    "bitwise_xor": "Xor",
}


def _base(b: AtenBuilder) -> str:
    """The name without the overload."""
    return b.kind.partition(".")[0]


@converts(*UNARY)
def _unary(b: AtenBuilder) -> SSAValue:
    """aten.foo(x) -> onnx.Bar(x), where `UNARY` pairs them"""
    return b.apply(UNARY[b.kind], *b.floats("self"))


@converts(*WHOLE)
def _whole(b: AtenBuilder) -> SSAValue:
    """aten.foo(x) -> onnx.Bar(x), where `WHOLE` pairs them; integers round to themselves"""
    element = b.element(b.x)
    if element == i1:
        raise Refusal("dtype", f"{b.kind} of Booleans, expected numbers")
    if b.kind in ROUNDINGS and not is_float(element):
        return b.x
    return b.apply(WHOLE[b.kind], b.x)


@converts("trunc")
def _trunc(b: AtenBuilder) -> SSAValue:
    """trunc(x) -> where(x < 0, ceil(x), floor(x))"""
    return truncated(b, b.x) if is_float(b.element(b.x)) else b.x


def truncated(b: AtenBuilder, x: SSAValue) -> SSAValue:
    """Floats rounded towards 0."""
    below = b.apply("Less", x, b.filled(0, b.element(x), "zero"))
    return b.apply("Where", below, b.apply("Ceil", x), b.apply("Floor", x))


@converts("rsqrt")
def _rsqrt(b: AtenBuilder) -> SSAValue:
    """rsqrt(x) -> reciprocal(sqrt(x))"""
    return b.apply("Reciprocal", b.apply("Sqrt", *b.floats("self")))


@converts("square")
def _square(b: AtenBuilder) -> SSAValue:
    """square(x) -> mul(x, x)"""
    x = b.cast(b.x, b.out)
    return b.apply("Mul", x, x)


@converts("exp2", "expm1", "log10", "log1p", "log2")
def _scaled(b: AtenBuilder) -> SSAValue:
    """log2(x) -> mul(log(x), 1/log(2)), exp2(x) -> exp(mul(x, log(2))), and the like"""
    (x,) = b.floats("self")
    if b.kind == "exp2":
        return b.apply("Exp", b.apply("Mul", x, b.filled(log(2), b.out)))
    if b.kind in ("log10", "log2"):
        return b.apply("Mul", b.apply("Log", x), b.filled(1 / log(int(b.kind[3:])), b.out))
    # In f64, since numbers near 0 would lose digits.
    wide, one = b.cast(x, f64), b.filled(1, f64, "one")
    if b.kind == "expm1":
        return b.cast(b.apply("Sub", b.apply("Exp", wide), one), b.out)
    return b.cast(b.apply("Log", b.apply("Add", wide, one)), b.out)


@converts("deg2rad", "rad2deg")
def _angle(b: AtenBuilder) -> SSAValue:
    """deg2rad(x) -> mul(x, pi/180), rad2deg alike"""
    factor = pi / 180 if b.kind == "deg2rad" else 180 / pi
    return b.apply("Mul", *b.floats("self"), b.filled(factor, b.out))


# Arithmetic


@converts(*(f"{name}.{form}" for name in ("add", "sub") for form in ("Scalar", "Tensor")))
def _add(b: AtenBuilder) -> SSAValue:
    """add(x, y) -> add(x, mul(y, alpha)), sub alike"""
    op_type = ARITHMETIC[_base(b)]
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    alpha = b.real("alpha")
    if b.out == i1:
        if op_type == "Add" and alpha is not False and alpha != 0:
            return b.apply("Or", x, y)
        raise Refusal("dtype", f"{b.kind} of Booleans")
    return b.apply(op_type, x, _times(b, y, alpha))


def _times(b: AtenBuilder, value: SSAValue, factor: Scalar) -> SSAValue:
    return value if factor == 1 else b.apply("Mul", value, b.filled(factor, b.out, "alpha"))


@converts("rsub.Scalar", "rsub.Tensor")
def _rsub(b: AtenBuilder) -> SSAValue:
    """rsub(x, y) -> sub(y, mul(x, alpha))"""
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    return b.apply("Sub", y, _times(b, x, b.real("alpha")))


@converts("mul.Scalar", "mul.Tensor", "multiply.Tensor")
def _mul(b: AtenBuilder) -> SSAValue:
    """mul(x, y) -> mul(x, y)"""
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    return b.apply("And" if b.out == i1 else "Mul", x, y)


@converts("div.Scalar", "div.Tensor", "true_divide.Scalar", "true_divide.Tensor")
def _div(b: AtenBuilder) -> SSAValue:
    """div(x, y) -> div(x, y), of integers as floats"""
    return b.apply("Div", *b.floats("self", "other"))


@converts("div.Scalar_mode", "div.Tensor_mode", "floor_divide", "floor_divide.Scalar")
def _div_mode(b: AtenBuilder) -> SSAValue:
    """div(x, y) with a rounding -> floor(div(x, y)), or truncated; of integers as ONNX divides them"""
    mode = "floor" if b.kind.startswith("floor") else b.text("rounding_mode")
    if not mode:
        return b.apply("Div", *b.floats("self", "other"))
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    if is_float(b.out):
        if mode == "trunc":
            return truncated(b, b.apply("Div", x, y))
        return _floored(b, x, y)
    quotient = b.apply("Div", x, y)
    if mode == "trunc" or _is_unsigned(b):
        return quotient
    # Towards minus infinity: one less if the signs differ and there is a remainder.
    remainder = b.apply("Sub", x, b.apply("Mul", quotient, y))
    return b.apply(
        "Where",
        _wrong_sign(b, remainder, y),
        b.apply("Sub", quotient, b.filled(1, b.out, "one")),
        quotient,
    )


def _floored(b: AtenBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """floor(x / y) of floats as ATen computes it: (x - fmod(x, y)) / y, rounded to the next integer."""
    remainder = b.apply("Mod", x, y, fmod=1)
    quotient = b.apply("Div", b.apply("Sub", x, remainder), y)
    one = b.filled(1, b.out, "one")
    down = b.apply("Where", _wrong_sign(b, remainder, y), b.apply("Sub", quotient, one), quotient)
    whole = b.apply("Floor", down)
    far = b.apply("Greater", b.apply("Sub", down, whole), b.filled(0.5, b.out, "half"))
    rounded = b.apply("Where", far, b.apply("Add", whole, one), whole)
    by_zero = b.apply("Equal", y, b.filled(0, b.out, "zero"))
    return b.apply("Where", by_zero, b.apply("Div", x, y), rounded)


def _is_unsigned(b: AtenBuilder) -> bool:
    return b.dtype(b.op.results[0]).kind == "u"


def _wrong_sign(b: AtenBuilder, remainder: SSAValue, y: SSAValue) -> SSAValue:
    """Whether a remainder is not 0 and has another sign than the divisor."""
    zero = b.filled(0, b.element(y), "zero")
    differs = b.apply("Xor", b.apply("Less", remainder, zero), b.apply("Less", y, zero))
    return b.apply("And", b.apply("Not", b.apply("Equal", remainder, zero)), differs)


@converts("remainder.Scalar", "remainder.Scalar_Tensor", "remainder.Tensor")
def _remainder(b: AtenBuilder) -> SSAValue:
    """remainder(x, y) -> mod(x, y), of the sign of y; of floats fmod, corrected where the signs differ"""
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    if is_integer(b.out):
        return b.apply("Mod", x, y)
    remainder = b.apply("Mod", x, y, fmod=1)
    return b.apply("Where", _wrong_sign(b, remainder, y), b.apply("Add", remainder, y), remainder)


@converts("fmod.Scalar", "fmod.Tensor")
def _fmod(b: AtenBuilder) -> SSAValue:
    """fmod(x, y) -> mod(x, y), of the sign of x"""
    return b.apply("Mod", b.operand("self", b.out), b.operand("other", b.out), fmod=1)


@converts("pow.Scalar", "pow.Tensor_Scalar", "pow.Tensor_Tensor")
def _pow(b: AtenBuilder) -> SSAValue:
    """pow(x, y) -> pow(x, y); a square, a root and a reciprocal as such"""
    exponent = b.get("exponent")
    if is_float(b.out) and isinstance(exponent, int | float):
        x = b.operand("self", b.out)
        if exponent in (1, 2, 3):
            square = x if exponent == 1 else b.apply("Mul", x, x)
            return b.apply("Mul", square, x) if exponent == 3 else square
        if exponent in (0.5, -0.5):
            root = b.apply("Sqrt", x)
            return root if exponent > 0 else b.apply("Reciprocal", root)
        if exponent == -1:
            return b.apply("Reciprocal", x)
    if not is_float(b.out) and not (isinstance(exponent, int) and exponent >= 0):
        raise Refusal("dtype", "a power of integers, expected floats")
    return b.apply("Pow", b.operand("self", b.out), b.operand("exponent", b.out))


# Comparisons and logic


@converts(*(f"{name}.{form}" for name in COMPARISONS for form in ("Scalar", "Tensor")))
def _compare(b: AtenBuilder) -> SSAValue:
    """aten.foo(x, y) -> onnx.Bar(x, y), where `COMPARISONS` pairs them; ne -> not(equal)"""
    x, y = b.alike("self", "other")
    op_type = COMPARISONS[_base(b)]
    if b.element(x) == i1 and op_type != "Equal":
        raise Refusal("dtype", "an order of Booleans")
    result = b.apply(op_type, x, y)
    return b.apply("Not", result) if _base(b) == "ne" else result


@converts("isinf", "isnan")
def _is(b: AtenBuilder) -> SSAValue:
    """isnan(x) -> is_nan(x), isinf alike"""
    if not is_float(b.element(b.x)):
        raise Refusal("dtype", f"{b.kind} of integers, expected floats")
    return b.apply("IsNaN" if b.kind == "isnan" else "IsInf", b.x)


@converts("logical_not")
def _logical_not(b: AtenBuilder) -> SSAValue:
    """logical_not(x) -> not(x != 0)"""
    return b.apply("Not", b.cast(b.x, i1))


@converts(*LOGIC)
def _logic(b: AtenBuilder) -> SSAValue:
    """logical_and(x, y) -> and(x != 0, y != 0), or and xor alike"""
    return b.apply(LOGIC[b.kind], b.operand("self", i1), b.operand("other", i1))


@converts(*(f"{name}.{form}" for name in BITS for form in ("Scalar", "Tensor")))
def _bits(b: AtenBuilder) -> SSAValue:
    """bitwise_and(x, y) -> and(x, y) of Booleans, bitwise_and(x, y) of integers"""
    name = BITS[_base(b)]
    op_type = name if b.out == i1 else f"Bitwise{name}"
    return b.apply(op_type, b.operand("self", b.out), b.operand("other", b.out))


@converts("bitwise_not")
def _bitwise_not(b: AtenBuilder) -> SSAValue:
    """bitwise_not(x) -> not(x) of Booleans, bitwise_not(x) of integers"""
    return b.apply("Not" if b.element(b.x) == i1 else "BitwiseNot", b.x)


# The larger, the smaller, and one of two


@converts("max.other", "maximum", "min.other", "minimum")
def _larger(b: AtenBuilder) -> SSAValue:
    """maximum(x, y) -> max(x, y), minimum -> min"""
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    return _limit(b, "Max" if b.kind.startswith("max") else "Min", x, y)


def _limit(b: AtenBuilder, op_type: str, x: SSAValue, y: SSAValue) -> SSAValue:
    if b.out == i1:
        return b.apply("Or" if op_type == "Max" else "And", x, y)
    return b.apply(op_type, x, y)


@converts("clamp", "clamp.Tensor", "clip", "clip.Tensor")
def _clamp(b: AtenBuilder) -> SSAValue:
    """clamp(x) -> clip(x, low, high); of tensors min(max(x, low), high)"""
    return clamped(b, b.get("min") is not None, b.get("max") is not None)


@converts("clamp_max", "clamp_max.Tensor", "clamp_min", "clamp_min.Tensor")
def _clamp_one(b: AtenBuilder) -> SSAValue:
    """clamp_min(x) -> clip(x, low), clamp_max(x) -> clip(x, high)"""
    return clamped(b, "min" in b.kind, "max" in b.kind)


def clamped(b: AtenBuilder, has_low: bool, has_high: bool) -> SSAValue:
    """The input, no less than `min` and no more than `max`."""
    x = b.cast(b.x, b.out)
    bounds = [b.get(name) for name, has in (("min", has_low), ("max", has_high)) if has]
    if any(isinstance(v, SSAValue) for v in bounds):
        if has_low:
            x = b.apply("Max", x, b.operand("min", b.out))
        return b.apply("Min", x, b.operand("max", b.out)) if has_high else x
    low = b.filled(_in_range(b, b.real("min")), b.out, "min") if has_low else None
    high = b.filled(_in_range(b, b.real("max")), b.out, "max") if has_high else None
    return b.node("clip", "Clip", [x, low, high] if has_high else [x, low])


def _in_range(b: AtenBuilder, number: Scalar) -> Scalar:
    """A bound, moved into the range of the result's element type."""
    dtype = b.dtype(b.op.results[0])
    if dtype.kind not in "iu":
        return number
    limits = np.iinfo(dtype)
    return max(int(limits.min), min(int(number), int(limits.max)))


@converts("where.Scalar", "where.ScalarOther", "where.ScalarSelf", "where.self")
def _where(b: AtenBuilder) -> SSAValue:
    """where(c, x, y) -> where(c, x, y)"""
    x, y = b.operand("self", b.out), b.operand("other", b.out)
    return b.apply("Where", b.cast(b.tensor("condition"), i1), x, y)


@converts("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(b: AtenBuilder) -> SSAValue:
    """masked_fill(x, mask, value) -> where(mask, value, x)"""
    value = b.operand("value", b.out)
    return b.apply("Where", b.cast(b.tensor("mask"), i1), value, b.x)


@converts("lerp.Scalar", "lerp.Tensor")
def _lerp(b: AtenBuilder) -> SSAValue:
    """lerp(x, y, w) -> add(x, mul(w, sub(y, x)))"""
    step = b.apply("Mul", b.operand("weight", b.out), b.apply("Sub", b.tensor("end"), b.x))
    return b.apply("Add", b.x, step)


@converts("addcdiv", "addcmul")
def _addc(b: AtenBuilder) -> SSAValue:
    """addcmul(x, y, z) -> add(x, mul(mul(y, z), value)), addcdiv alike"""
    y, z = b.operand("tensor1", b.out), b.operand("tensor2", b.out)
    if b.kind == "addcdiv" and not is_float(b.out):
        raise Refusal("dtype", "a quotient of integers")
    step = _times(b, b.apply("Mul" if b.kind == "addcmul" else "Div", y, z), b.real("value"))
    return b.apply("Add", b.operand("self", b.out), step)
