"""Elementwise ops. Most are one op of another name; the tables say which.

MXNet's comparisons give numbers of the type that they compare, not Booleans.
"""

from __future__ import annotations

from math import log, pi

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import SSAValue

from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_mx_to_onnx.builder import CONVERSIONS, MxBuilder, converts
from autosplit.lowering.shared.refusal import Refusal

UNARY = {
    "abs": "Abs",
    "arccos": "Acos",
    "arccosh": "Acosh",
    "arcsin": "Asin",
    "arcsinh": "Asinh",
    "arctan": "Atan",
    "arctanh": "Atanh",
    "ceil": "Ceil",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "exp": "Exp",
    "floor": "Floor",
    "log": "Log",
    "negative": "Neg",
    "reciprocal": "Reciprocal",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "softsign": "Softsign",
    "sqrt": "Sqrt",
    "tan": "Tan",
    "tanh": "Tanh",
}
"""MXNet's ops of one input that are the ONNX op of the other name."""

WHOLE = frozenset({"abs", "negative", "relu", "sign"})
"""Those of these ops that ONNX has for integers too."""

FORWARDED = (
    "BlockGrad",
    "LinearRegressionOutput",
    "MAERegressionOutput",
    "MakeLoss",
    "SVMOutput",
    "_copy",
    "_identity_with_attr_like_rhs",
    "make_loss",
)
"""Ops whose result, outside training, is their first input."""

ARITHMETIC = {"add": "Add", "div": "Div", "mul": "Mul", "sub": "Sub"}
LIMITS = {"maximum": "Max", "minimum": "Min"}
COMPARISONS = {
    "equal": "Equal",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "lesser": "Less",
    "lesser_equal": "LessOrEqual",
}
LOGIC = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}

BINARY = {
    **{
        f"{front}_{name}": op
        for front in ("elemwise", "broadcast")
        for name, op in ARITHMETIC.items()
    },
    **{f"{front}_{name}": op for front in ("", "broadcast") for name, op in LIMITS.items()},
}
"""MXNet's ops of two inputs that are the ONNX op of the other name."""

SCALAR = {
    "_div_scalar": ("Div", False),
    "_maximum_scalar": ("Max", False),
    "_minimum_scalar": ("Min", False),
    "_minus_scalar": ("Sub", False),
    "_mul_scalar": ("Mul", False),
    "_plus_scalar": ("Add", False),
    "_power_scalar": ("Pow", False),
    "_rdiv_scalar": ("Div", True),
    "_rminus_scalar": ("Sub", True),
    "_rpower_scalar": ("Pow", True),
}
"""The ops with a number: the ONNX op, and whether the number is its first operand."""


def _unary(b: MxBuilder) -> SSAValue:
    """mx.foo(x) -> onnx.Bar(x), where `UNARY` pairs them"""
    if b.is_integer(b.x) and b.kind not in WHOLE:
        raise Refusal("dtype", f"{b.kind} of integers, expected floats")
    return b.apply(UNARY[b.kind], b.x)


def _binary(b: MxBuilder) -> SSAValue:
    """mx.foo(x, y) -> onnx.Bar(x, y), where `BINARY` pairs them"""
    return b.apply(BINARY[b.kind], *_alike(b))


def _comparison(b: MxBuilder) -> SSAValue:
    """mx.foo(x, y) -> cast(onnx.Bar(x, y)), where `COMPARISONS` pairs them"""
    kind = b.kind.removeprefix("broadcast").removeprefix("_")
    return b.cast(b.apply(COMPARISONS[kind], *_alike(b)), b.element(b.x))


def _logic(b: MxBuilder) -> SSAValue:
    """mx.foo(x, y) -> cast(onnx.Bar(x != 0, y != 0)), where `LOGIC` pairs them"""
    kind = b.kind.removeprefix("broadcast").removeprefix("_")
    x, y = _alike(b)
    return b.cast(b.apply(LOGIC[kind], b.cast(x, i1), b.cast(y, i1)), b.element(b.x))


def _alike(b: MxBuilder) -> tuple[SSAValue, SSAValue]:
    """Both inputs. Refuses if their element types differ."""
    x, y = b.x, b.input(1)
    if b.element(x) != b.element(y):
        raise Refusal("dtype", f"{b.kind} of {b.element(x)} and {b.element(y)}")
    return x, y


CONVERSIONS.update(dict.fromkeys(UNARY, _unary))
CONVERSIONS.update(dict.fromkeys(BINARY, _binary))
for _front in ("_", "broadcast_"):
    CONVERSIONS.update({f"{_front}{name}": _comparison for name in COMPARISONS})
    CONVERSIONS.update({f"{_front}{name}": _logic for name in LOGIC})


@converts(*FORWARDED)
def _forward(b: MxBuilder) -> SSAValue:
    """identity(x) -> x"""
    return b.x


@converts("_not_equal", "broadcast_not_equal")
def _not_equal(b: MxBuilder) -> SSAValue:
    """not_equal(x, y) -> cast(not(equal(x, y)))"""
    return b.cast(b.apply("Not", b.apply("Equal", *_alike(b))), b.element(b.x))


@converts("logical_not")
def _logical_not(b: MxBuilder) -> SSAValue:
    """logical_not(x) -> cast(x == 0)"""
    return b.cast(b.apply("Equal", b.x, b.scalar("zero", 0, b.x)), b.element(b.x))


@converts("_power", "broadcast_power")
def _power(b: MxBuilder) -> SSAValue:
    """power(x, y) -> pow(x, y). Refused for integers."""
    x, y = _alike(b)
    if b.is_integer(x):
        raise Refusal("dtype", "a power of integers, expected floats")
    return b.apply("Pow", x, y)


@converts("_mod", "broadcast_mod")
def _mod(b: MxBuilder) -> SSAValue:
    """mod(x, y) -> x - floor(x / y) * y as `_floor_mod`, and 0 where y is 0"""
    x, y = _alike(b)
    if b.is_integer(x):
        raise Refusal("dtype", "a remainder of integers, which may be divided by 0")
    zero = b.scalar("zero", 0, x)
    return b.apply("Where", b.apply("Equal", y, zero), zero, _floor_mod(b, x, y))


@converts("_mod_scalar")
def _mod_scalar(b: MxBuilder) -> SSAValue:
    """mod(x, n) -> as mod(x, y)"""
    x, number = _with_number(b)
    if b.op.number("scalar") == 0:
        raise Refusal("operand-value", "divides by 0")
    return b.apply("Mod", x, number) if b.is_integer(x) else _floor_mod(b, x, number)


def _floor_mod(b: MxBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """r = fmod(x, y) with the sign of y: where(r != 0 and (r < 0) != (y < 0), r + y, r)"""
    r = b.apply("Mod", x, y, fmod=1)
    zero = b.scalar("zero", 0, r)
    differs = b.apply("Xor", b.apply("Less", r, zero), b.apply("Less", y, zero))
    wrong = b.apply("And", b.apply("Not", b.apply("Equal", r, zero)), differs)
    return b.apply("Where", wrong, b.apply("Add", r, y), r)


@converts("_hypot", "broadcast_hypot")
def _hypot(b: MxBuilder) -> SSAValue:
    """hypot(x, y) -> sqrt(x * x + y * y)"""
    x, y = _alike(b)
    return b.apply("Sqrt", b.apply("Add", b.apply("Mul", x, x), b.apply("Mul", y, y)))


@converts(*SCALAR)
def _scalar(b: MxBuilder) -> SSAValue:
    """mx.foo(x, n) -> onnx.Bar(x, n) or onnx.Bar(n, x), as `SCALAR` says"""
    op_type, is_first = SCALAR[b.kind]
    x, number = _with_number(b)
    if b.is_integer(x) and op_type == "Pow":
        raise Refusal("dtype", "a power of integers, expected floats")
    if b.is_integer(x) and op_type == "Div" and (is_first or b.op.number("scalar") == 0):
        raise Refusal("dtype", "divides integers, perhaps by 0")
    return b.apply(op_type, number, x) if is_first else b.apply(op_type, x, number)


def _with_number(b: MxBuilder) -> tuple[SSAValue, SSAValue]:
    """The input and the number of such an op, both of the type that MXNet computes in."""
    x = b.x
    if element_type(x.type) == i1:
        x = b.cast(x, i64 if b.op.flag("is_int") else f64)
    elif b.is_integer(x) and not b.op.flag("is_int"):
        x = b.cast(x, f64)
    return x, b.scalar("number", b.op.number("scalar"), x)


@converts(*(f"_{name}_scalar" for name in (*COMPARISONS, "not_equal")))
def _compare_scalar(b: MxBuilder) -> SSAValue:
    """mx.foo(x, n) -> cast(onnx.Bar(x, n))"""
    kind = b.kind.removeprefix("_").removesuffix("_scalar")
    number = b.scalar("number", b.op.number("scalar"), b.x)
    if kind == "not_equal":
        holds = b.apply("Not", b.apply("Equal", b.x, number))
    else:
        holds = b.apply(COMPARISONS[kind], b.x, number)
    return b.cast(holds, b.element(b.x))


@converts(*(f"_{name}_scalar" for name in LOGIC))
def _logic_scalar(b: MxBuilder) -> SSAValue:
    """mx.foo(x, n) -> cast(onnx.Bar(x != 0, n != 0))"""
    kind = b.kind.removeprefix("_").removesuffix("_scalar")
    x = b.cast(b.x, i1)
    number = b.scalar("number", b.op.number("scalar") != 0, x)
    return b.cast(b.apply(LOGIC[kind], x, number), b.element(b.x))


@converts("add_n")
def _add_n(b: MxBuilder) -> SSAValue:
    """add_n(x, y, z) -> add(add(x, y), z)"""
    total = b.x
    for value in b.op.operands[1:]:
        total = b.apply("Add", total, value)
    return total


@converts("square")
def _square(b: MxBuilder) -> SSAValue:
    """square(x) -> mul(x, x)"""
    return b.apply("Mul", b.x, b.x)


@converts("rsqrt")
def _rsqrt(b: MxBuilder) -> SSAValue:
    """rsqrt(x) -> reciprocal(sqrt(x))"""
    return b.apply("Reciprocal", b.apply("Sqrt", b.x))


@converts("cbrt", "rcbrt")
def _cbrt(b: MxBuilder) -> SSAValue:
    """cbrt(x) -> sign(x) * pow(abs(x), 1/3), and its reciprocal"""
    power = b.apply("Pow", b.apply("Abs", b.x), b.scalar("third", 1 / 3, b.x))
    root = b.apply("Mul", b.apply("Sign", b.x), power)
    return root if b.kind == "cbrt" else b.apply("Reciprocal", root)


@converts("degrees", "log10", "log2", "radians")
def _scaled(b: MxBuilder) -> SSAValue:
    """log2(x) -> log(x) * (1 / log(2)), degrees(x) -> x * (180 / pi), and the like"""
    factors = {
        "degrees": 180 / pi,
        "radians": pi / 180,
        "log2": 1 / log(2),
        "log10": 1 / log(10),
    }
    x = b.apply("Log", b.x) if b.kind.startswith("log") else b.x
    return b.apply("Mul", x, b.scalar("factor", factors[b.kind], b.x))


@converts("log1p")
def _log1p(b: MxBuilder) -> SSAValue:
    """log1p(x) -> log(x + 1)"""
    return b.apply("Log", b.apply("Add", b.x, b.scalar("one", 1, b.x)))


@converts("expm1")
def _expm1(b: MxBuilder) -> SSAValue:
    """expm1(x) -> exp(x) - 1"""
    return b.apply("Sub", b.apply("Exp", b.x), b.scalar("one", 1, b.x))


@converts("fix", "trunc")
def _trunc(b: MxBuilder) -> SSAValue:
    """trunc(x) -> sign(x) * floor(abs(x))"""
    return b.apply("Mul", b.apply("Sign", b.x), b.apply("Floor", b.apply("Abs", b.x)))


@converts("round")
def _round(b: MxBuilder) -> SSAValue:
    """round(x), halves away from 0 -> sign(x) * floor(abs(x) + 0.5)"""
    up = b.apply("Floor", b.apply("Add", b.apply("Abs", b.x), b.scalar("half", 0.5, b.x)))
    return b.apply("Mul", b.apply("Sign", b.x), up)


@converts("rint")
def _rint(b: MxBuilder) -> SSAValue:
    """rint(x), halves down -> ceil(x - 0.5)"""
    return b.apply("Ceil", b.apply("Sub", b.x, b.scalar("half", 0.5, b.x)))


@converts("clip")
def _clip(b: MxBuilder) -> SSAValue:
    """clip(x) -> clip(x, a_min, a_max)"""
    low, high = b.op.number("a_min"), b.op.number("a_max")
    return b.apply("Clip", b.x, b.scalar("min", low, b.x), b.scalar("max", high, b.x))


@converts("hard_sigmoid")
def _hard_sigmoid(b: MxBuilder) -> SSAValue:
    """hard_sigmoid(x) -> hard_sigmoid(x, alpha, beta)"""
    return b.apply("HardSigmoid", b.x, alpha=b.op.number("alpha"), beta=b.op.number("beta"))


@converts("smooth_l1")
def _smooth_l1(b: MxBuilder) -> SSAValue:
    """smooth_l1(x) -> where(abs(x) < 1/s^2, 0.5 * (s * x)^2, abs(x) - 0.5/s^2)"""
    sigma = b.op.number("scalar") if "scalar" in b.op.texts else 1.0
    size = b.apply("Abs", b.x)
    bound = b.scalar("bound", 1 / sigma**2, b.x)
    inner = b.apply("Mul", b.apply("Mul", b.x, b.x), b.scalar("half", 0.5 * sigma**2, b.x))
    outer = b.apply("Sub", size, b.scalar("rest", 0.5 / sigma**2, b.x))
    return b.apply("Where", b.apply("Less", size, bound), inner, outer)


@converts("where")
def _where(b: MxBuilder) -> SSAValue:
    """where(c, x, y) -> where(c != 0, x, y); a vector `c` chooses rows"""
    c, x, y = b.x, b.input(1), b.input(2)
    rank = b.rank(x)
    condition = b.cast(c, i1)
    if b.rank(c) == 1 and rank > 1:
        condition = b.unsqueeze(condition, range(1, rank))
    return b.apply("Where", condition, x, y)


@converts("Cast", "amp_cast")
def _cast(b: MxBuilder) -> SSAValue:
    """cast(x) -> cast(x)"""
    return b.cast(b.x, b.named_element(b.op.text("dtype")))
