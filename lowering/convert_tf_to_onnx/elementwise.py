"""Elementwise ops. Most are one op of another name; the tables say which."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from autosplit.lowering.convert_tf_to_onnx.builder import (
    CONVERSIONS,
    Builder,
    converts,
    onnx_code,
)
from autosplit.lowering.convert_tf_to_onnx.types import shape_of, tensor
from autosplit.lowering.shared.refusal import Refusal

RENAMED = {
    "Abs": "Abs",
    "Acos": "Acos",
    "Acosh": "Acosh",
    "Add": "Add",
    "AddV2": "Add",
    "Asin": "Asin",
    "Asinh": "Asinh",
    "Atan": "Atan",
    "Atanh": "Atanh",
    "BitwiseAnd": "BitwiseAnd",
    "BitwiseOr": "BitwiseOr",
    "BitwiseXor": "BitwiseXor",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Elu": "Elu",
    "Equal": "Equal",
    "Erf": "Erf",
    "Exp": "Exp",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "IsInf": "IsInf",
    "IsNan": "IsNaN",
    "Invert": "BitwiseNot",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "Log": "Log",
    "LogicalAnd": "And",
    "LogicalNot": "Not",
    "LogicalOr": "Or",
    "Maximum": "Max",
    "Minimum": "Min",
    "Mul": "Mul",
    "Neg": "Neg",
    "RealDiv": "Div",
    "Relu": "Relu",
    "Selu": "Selu",
    "Sigmoid": "Sigmoid",
    "Sign": "Sign",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "Sqrt": "Sqrt",
    "Sub": "Sub",
    "Tan": "Tan",
    "Tanh": "Tanh",
    # Truncating, as in C, for integers.
    "Div": "Div",
    "TruncateDiv": "Div",
}
"""TensorFlow ops that are the ONNX op of the other name, on the same operands."""

FORWARDED = ("Identity", "PreventGradient", "Snapshot", "StopGradient", "PlaceholderWithDefault")
"""TensorFlow ops whose result is their operand."""


def _renamed(b: Builder) -> SSAValue:
    """tf.Foo(x, ...) -> onnx.Bar(x, ...), where `RENAMED` pairs them."""
    return b.node(RENAMED[b.op.op_type], *b.inputs)


for _name in RENAMED:
    CONVERSIONS[_name] = _renamed


@converts(*FORWARDED)
def _forward(b: Builder) -> SSAValue:
    """identity(x) -> x"""
    return b.input(0)


@converts("IdentityN")
def _forward_all(b: Builder) -> list[SSAValue]:
    """identity_n(x, y, ...) -> x, y, ..."""
    return b.inputs


@converts("NotEqual")
def _not_equal(b: Builder) -> SSAValue:
    """not_equal(x, y) -> not(equal(x, y))"""
    return b.node("Not", b.node("Equal", b.input(0), b.input(1)))


@converts("IsFinite")
def _is_finite(b: Builder) -> SSAValue:
    """is_finite(x) -> not(or(is_inf(x), is_nan(x)))"""
    x = b.input(0)
    return b.node("Not", b.node("Or", b.node("IsInf", x), b.node("IsNaN", x)))


@converts("AddN")
def _add_n(b: Builder) -> SSAValue:
    """add_n(x, y, z) -> add(add(x, y), z)"""
    total = b.input(0)
    for value in b.inputs[1:]:
        total = b.node("Add", total, value)
    return total


@converts("Square")
def _square(b: Builder) -> SSAValue:
    """square(x) -> mul(x, x)"""
    return b.node("Mul", b.input(0), b.input(0))


@converts("SquaredDifference")
def _squared_difference(b: Builder) -> SSAValue:
    """squared_difference(x, y) -> mul(x - y, x - y)"""
    difference = b.node("Sub", b.input(0), b.input(1))
    return b.node("Mul", difference, difference)


@converts("Rsqrt")
def _rsqrt(b: Builder) -> SSAValue:
    """rsqrt(x) -> reciprocal(sqrt(x))"""
    return b.node("Reciprocal", b.node("Sqrt", b.input(0)))


@converts("Reciprocal", "Inv")
def _reciprocal(b: Builder) -> SSAValue:
    """reciprocal(x) -> reciprocal(x). Refused for integers, which ONNX has no such op for."""
    if b.is_integer(b.input(0)):
        raise Refusal("dtype", "a reciprocal of integers, expected floats")
    return b.node("Reciprocal", b.input(0))


@converts("Pow")
def _pow(b: Builder) -> SSAValue:
    """pow(x, y) -> pow(x, y). Refused for integers: TensorFlow fails on negative exponents."""
    if b.is_integer(b.input(0)):
        raise Refusal("dtype", "a power of integers, expected floats")
    return b.node("Pow", b.input(0), b.input(1))


@converts("Floor", "Ceil", "Round", "Rint")
def _rounding(b: Builder) -> SSAValue:
    """floor(x) -> floor(x), ceil, round and rint (half to even) alike

    Refused for integers: ONNX rounds floats only, and TensorFlow's own result is not x everywhere.
    """
    if b.is_integer(b.input(0)):
        raise Refusal("dtype", "rounds integers, expected floats")
    kind = "Round" if b.op.op_type == "Rint" else b.op.op_type
    return b.node(kind, b.input(0))


@converts("FloorDiv")
def _floor_div(b: Builder) -> SSAValue:
    """floor_div(x, y) -> floor(x / y) for floats, (x - mod(x, y)) / y for integers

    ONNX's division of integers truncates; its Mod has the sign of the divisor, as floor division needs.
    """
    x, y = b.input(0), b.input(1)
    if b.is_integer(x):
        return b.node("Div", b.node("Sub", x, b.node("Mod", x, y)), y)
    return b.node("Floor", b.node("Div", x, y))


@converts("FloorMod")
def _floor_mod(b: Builder) -> SSAValue:
    """floor_mod(x, y) -> mod(x, y) for integers

    For floats: r = fmod(x, y); where(r != 0 and (r < 0) != (y < 0), r + y, r). ONNX's Mod of floats has
    the sign of the dividend.
    """
    x, y = b.input(0), b.input(1)
    if b.is_integer(x):
        return b.node("Mod", x, y)
    r = b.node("Mod", x, y, fmod=1)
    zero = b.scalar(0, r, "zero")
    differs = b.node("Xor", b.node("Less", r, zero), b.node("Less", y, zero))
    wrong = b.node("And", b.node("Not", b.node("Equal", r, zero)), differs)
    return b.node("Where", wrong, b.node("Add", r, y), r)


@converts("Mod", "TruncateMod")
def _truncate_mod(b: Builder) -> SSAValue:
    """truncate_mod(x, y) -> mod(x, y) with the sign of x"""
    return b.node("Mod", b.input(0), b.input(1), fmod=1)


@converts("DivNoNan")
def _div_no_nan(b: Builder) -> SSAValue:
    """div_no_nan(x, y) -> where(y == 0, 0, x / y)"""
    x, y = b.input(0), b.input(1)
    zero = b.scalar(0, x, "zero")
    return b.node("Where", b.node("Equal", y, zero), zero, b.node("Div", x, y))


@converts("MulNoNan")
def _mul_no_nan(b: Builder) -> SSAValue:
    """mul_no_nan(x, y) -> where(y == 0, 0, x * y)"""
    x, y = b.input(0), b.input(1)
    zero = b.scalar(0, x, "zero")
    return b.node("Where", b.node("Equal", y, zero), zero, b.node("Mul", x, y))


@converts("LeakyRelu")
def _leaky_relu(b: Builder) -> SSAValue:
    """leaky_relu(x, alpha) -> leaky_relu(x, alpha)"""
    return b.node("LeakyRelu", b.input(0), alpha=float(b.attribute("alpha", 0.2)))


@converts("Relu6")
def _relu6(b: Builder) -> SSAValue:
    """relu6(x) -> clip(x, 0, 6)"""
    x = b.input(0)
    return b.node("Clip", x, b.scalar(0, x, "min"), b.scalar(6, x, "max"))


@converts("ClipByValue")
def _clip_by_value(b: Builder) -> SSAValue:
    """clip_by_value(x, low, high) -> max(min(x, high), low); the bounds may be tensors"""
    x, low, high = b.input(0), b.input(1), b.input(2)
    return b.node("Max", b.node("Min", x, high), low)


@converts("Cast")
def _cast(b: Builder) -> SSAValue:
    """cast(x) -> cast(x). Refused for the truncating variant, which ONNX lacks."""
    if b.attribute("Truncate", False):
        raise Refusal("attribute", "Truncate is true, expected rounding as ONNX does")
    element = b.element(b.op.results[0])
    onnx_code(b.element(b.input(0)))
    return b.node(
        "Cast", b.input(0), type=tensor(element, shape_of(b.input(0))), to=onnx_code(element)
    )


@converts("Select")
def _select(b: Builder) -> SSAValue:
    """select(c, x, y) -> where(c, x, y)

    A vector `c` chooses whole rows of x and y: it gets dimensions of size 1 behind it. Refused if that
    cannot be told from the ranks.
    """
    c, x, y = b.input(0), b.input(1), b.input(2)
    why = "a condition that is a vector chooses rows"
    if b.rank(c, why) == 1 and (rank := b.rank(x, why)) > 1:
        axes = b.i64(range(1, rank), "axes")
        shape = (*(shape_of(c) or ()), *[1] * (rank - 1))
        c = b.node("Unsqueeze", c, axes, type=tensor(i1, shape))
    return b.node("Where", c, x, y)


@converts("SelectV2")
def _select_v2(b: Builder) -> SSAValue:
    """select_v2(c, x, y) -> where(c, x, y), all three broadcast"""
    return b.node("Where", b.input(0), b.input(1), b.input(2))


@converts("ZerosLike", "OnesLike")
def _filled_like(b: Builder) -> SSAValue:
    """zeros_like(x) -> expand(0, shape(x)), ones_like alike"""
    x = b.input(0)
    fill = b.scalar(0 if b.op.op_type == "ZerosLike" else 1, x, "value")
    return b.node("Expand", fill, b.node("Shape", x), type=x.type)


@converts("Softmax", "LogSoftmax")
def _softmax(b: Builder) -> SSAValue:
    """softmax(x) -> softmax(x) over the last axis, log_softmax alike"""
    return b.node(b.op.op_type, b.input(0), axis=-1)
