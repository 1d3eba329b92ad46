"""Arithmetic on numbers: sums, products and functions of one tensor; what a chip lacks is written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import frexp, isfinite, log, pi, prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.parts.conversion import (
    Conversion,
    converts,
    lacks_kernels,
)
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
    MOST_BROADCAST_DIMS,
    Shape,
    broadcast_groups,
)
from autosplit.lowering.convert_onnx_to_top.parts.steps import plus, reshape, sizes, times
from autosplit.lowering.shared.fold import AnyArray

# Building blocks


def binary(
    c: Conversion,
    kind: str,
    a: SSAValue,
    b: SSAValue,
    suffix: str | None = None,
    attrs: Mapping[str, AttrValue] | None = None,
) -> SSAValue:
    """A Top op of two operands that broadcast.

    Chips broadcast in up to four dimensions, counting adjacent ones that behave alike as one. Beyond that,
    computed operands are repeated first; weights are repeated by the tool chain.
    """
    shape = np.broadcast_shapes(sizes(a), sizes(b))
    if len(broadcast_groups(sizes(a), sizes(b))) > MOST_BROADCAST_DIMS:
        a = repeated(c, a, shape, f"{suffix or kind}_a")
        b = repeated(c, b, shape, f"{suffix or kind}_b")
    return c.emit(kind, [a, b], attrs, shape=shape, suffix=suffix)


def of_both(c: Conversion, kind: str, suffix: str | None = None) -> SSAValue:
    """`binary` of the ONNX op's two operands."""
    return binary(c, kind, c.operand(0), c.operand(1), suffix)


def repeated(c: Conversion, x: SSAValue, shape: Shape, suffix: str) -> SSAValue:
    """`x` repeated along its dimensions of 1 until it has `shape`, one run of dimensions at a time."""
    ones = (1,) * (len(shape) - len(sizes(x)))
    x = reshape(c, x, ones + sizes(x), f"{suffix}_ranked")
    for start, stop in _runs([old != new for old, new in zip(sizes(x), shape, strict=True)]):
        outer, count = prod(sizes(x)[:start]), prod(shape[start:stop])
        inner = prod(sizes(x)[stop:])
        rows = reshape(c, x, (outer, 1, inner), f"{suffix}_rows")
        tiled = c.emit(
            "Tile",
            [rows],
            {"tile": [1, count, 1]},
            shape=(outer, count, inner),
            suffix=f"{suffix}_tile",
        )
        full_shape = sizes(x)[:start] + shape[start:stop] + sizes(x)[stop:]
        x = reshape(c, tiled, full_shape, f"{suffix}_whole")
    return x


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Where runs of true flags start and stop."""
    edges = [i for i, (a, b) in enumerate(pairwise([False, *flags, False])) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


def number(array: AnyArray | None) -> float | None:
    """The single number of a constant, rounded to float32; None if it has several, or is not finite."""
    if array is None or array.size != 1:
        return None
    value = float(np.float32(array.reshape(-1)[0]))
    return value if np.isfinite(value) else None


def number_at(c: Conversion, index: int) -> float | None:
    """The single number of constant operand `index`, see `number`; larger constants are not even read."""
    value = c.q.value(index)
    if value is None or not c.q.is_constant(index):
        return None
    shape = static_shape(value.type)
    return None if shape is not None and prod(shape) != 1 else number(c.q.array(index))


def unary(c: Conversion, kind: str, x: SSAValue, suffix: str | None = None) -> SSAValue:
    """A Top op of one operand and no attributes."""
    if kind == "Relu" and lacks_kernels(c.q):
        # It becomes no part of an op in front.
        return c.emit("LeakyRelu", [x], {"alpha": 0.0}, shape=sizes(x), suffix=suffix)
    return c.emit(kind, [x], shape=sizes(x), suffix=suffix)


def compared(
    c: Conversion, x: SSAValue, mode: str, value: float, suffix: str | None = None
) -> SSAValue:
    """1 where `x` compares to a number, else 0."""
    attrs = {"mode": mode, "const_val": value, "inversed": False}
    return c.emit("CompareConst", [x], attrs, shape=sizes(x), suffix=suffix)


def clipped(
    c: Conversion, x: SSAValue, low: float, high: float, suffix: str | None = None
) -> SSAValue:
    """`x`, but no less than `low` and no more than `high`."""
    return c.emit("Clip", [x], {"min": low, "max": high}, shape=sizes(x), suffix=suffix)


def closeness(
    c: Conversion, places: SSAValue, elements: SSAValue, suffix: str | None = None
) -> SSAValue:
    """`max(0, 1 - |place - element|)`: linear interpolation; of integers, 1 where they are equal."""
    part = f"{suffix or 'all'}_"
    away = unary(c, "Abs", binary(c, "Sub", places, elements, f"{part}away"), f"{part}distance")
    attrs = {"const_val": 1.0, "is_reverse": True}
    near = c.emit("SubConst", [away], attrs, shape=sizes(away), suffix=f"{part}near")
    return unary(c, "Relu", near, suffix)


def polynomial(c: Conversion, x: SSAValue, coefficients: Sequence[float], suffix: str) -> SSAValue:
    """`a0 + a1 x + a2 x^2 ...`, by Horner's rule."""
    result = plus(
        c, times(c, x, coefficients[-1], f"{suffix}_top"), coefficients[-2], f"{suffix}_in"
    )
    for i, a in enumerate(reversed(coefficients[:-2])):
        product = binary(c, "Mul", result, x, f"{suffix}_{i}_product")
        result = plus(c, product, a, f"{suffix}_{i}")
    return result


# Two operands


def _with_number(c: Conversion) -> tuple[SSAValue, float, bool] | None:
    """The computed operand, the number that is the other one, and whether the number comes first."""
    for index in (0, 1):
        value = number_at(c, index)
        if value is None or c.q.is_constant(1 - index):
            continue
        x = c.operand(1 - index)
        if prod(sizes(x)) == prod(c.shape()):
            return reshape(c, x, c.shape(), "ranked"), value, index == 0
    return None


def _symmetric(c: Conversion, kind: str) -> SSAValue:
    if (split := _with_number(c)) is not None:
        x, value, _ = split
        return c.emit(f"{kind}Const", [x], {"const_val": value})
    a, b = c.operands()
    if c.q.is_constant(0):
        a, b = b, a
    return binary(c, kind, a, b)


@refuses(
    *("Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max"),
    *("Mean", "Min", "Mul", "Or", "Sub", "Sum", "Where", "Xor"),
)
def refuse_broadcast(q: Query) -> ReasonAttr | None:
    """Operands that are broadcast in many dimensions are repeated, which needs their sizes."""
    shapes = [q.shape(i) or () for i in range(len(q.op.inputs))] + [q.result_shape() or ()]
    if refusal := _ranked(q):
        return refusal
    pairs = combinations(shapes, 2)
    if all(len(broadcast_groups(a, b)) <= MOST_BROADCAST_DIMS for a, b in pairs):
        return None
    return fixed_sizes(q)


def _ranked(q: Query) -> ReasonAttr | None:
    """Refuses unknown sizes where a Reshape gives an operand the result's rank: by constants, in a Where."""
    indices = range(len(q.op.inputs))
    computed = [q.shape(i) or () for i in indices if not q.is_constant(i)]
    if q.op.op_type != "Where" and len(computed) == len(indices):
        return None
    rank = len(q.result_shape() or ())
    is_widened = any(len(shape) < rank and any(d < 0 for d in shape) for shape in computed)
    return fixed_sizes(q) if is_widened else None


@converts("Add", "Mul")
def symmetric(c: Conversion) -> SSAValue:
    """A number is an attribute; another constant comes second."""
    return _symmetric(c, c.op.op_type)


@converts("Sub")
def sub(c: Conversion) -> SSAValue:
    """Numbers are attributes."""
    if (split := _with_number(c)) is None:
        return of_both(c, "Sub")
    x, value, first = split
    if first:
        return c.emit("SubConst", [x], {"const_val": value, "is_reverse": True})
    return c.emit("AddConst", [x], {"const_val": -value})


@converts("Div")
def div(c: Conversion) -> SSAValue:
    """By a number: times its reciprocal, unless that is not a normal float32."""
    if (split := _with_number(c)) is None:
        return of_both(c, "Div")
    x, value, first = split
    if first:
        return c.emit("Reciprocal", [x], {"const_val": value})
    if value and 2.0**-120 < abs(value) < 2.0**120:
        return c.emit("MulConst", [x], {"const_val": 1 / value})
    return of_both(c, "Div")


@converts("Max", "Min", "Sum")
def variadic(c: Conversion) -> SSAValue:
    """Two at a time, constants last."""
    kind = {"Sum": "Add"}.get(c.op.op_type, c.op.op_type)
    return _symmetric(c, kind) if len(c.op.inputs) == 2 else _of_all(c, kind)


@converts("Mean")
def mean(c: Conversion) -> SSAValue:
    """The sum, times one over the number of operands."""
    count = len(c.op.inputs)
    return c.operand(0) if count == 1 else times(c, _of_all(c, "Add", "sum"), 1 / count)


def _of_all(c: Conversion, kind: str, last_suffix: str | None = None) -> SSAValue:
    order = sorted(range(len(c.op.inputs)), key=c.q.is_constant)
    result = c.operand(order[0])
    for step, index in enumerate(order[1:]):
        suffix = f"first{step + 2}" if step < len(order) - 2 else last_suffix
        result = binary(c, kind, result, c.operand(index), suffix)
    return result


MOST_FACTORS = 64
"""The largest whole exponent that is written as products."""


@refuses("Pow")
def refuse_pow(q: Query) -> ReasonAttr | None:
    if not q.is_constant(1):
        return _exponential(q)
    exponent = q.array(1)
    if exponent is None or exponent.size != 1:
        return q.refuse("operand-value", "has several exponents, needs one number")
    e = float(exponent.reshape(-1)[0])
    if not isfinite(e) or e == 0 or (e == int(e) and abs(e) > MOST_FACTORS):
        return q.refuse(
            "operand-value",
            f"has exponent {e:g}; needs a fraction, or a whole number up to {MOST_FACTORS} but 0",
        )
    return _ranked(q)


def _exponential(q: Query) -> ReasonAttr | None:
    base = q.array(0) if q.is_constant(0) else None
    if base is None:
        return q.refuse(
            "constant-operand",
            f"has base and exponent ({q.operand(1)}) computed, needs one of them constant: bases that are 0 "
            "or negative have no logarithms",
        )
    if base.size != 1 or not 0 < float(base.reshape(-1)[0]) < float("inf"):
        return q.refuse("operand-value", "has a base that is not one positive number")
    grows = len(q.shape(1) or ()) < len(q.result_shape() or ())
    return q.refuse("rank", "has a base of more dimensions than the exponent") if grows else None


@converts("Pow")
def power(c: Conversion) -> SSAValue:
    """Whole exponents are products, which are right for negative bases too; a constant base is an Exp."""
    if not c.q.is_constant(1):
        base = number(c.q.array(0))
        assert base is not None
        return unary(c, "Exp", times(c, c.operand(1), log(base), "exponent"))
    x, exponent = c.operand(0), number(c.q.array(1))
    assert exponent is not None
    if sizes(x) != c.shape():
        x = reshape(c, x, c.shape(), "ranked")
    if exponent in (0.5, -0.5):
        return (
            unary(c, "Sqrt", x)
            if exponent > 0
            else c.emit("Reciprocal", [unary(c, "Sqrt", x, "root")])
        )
    if exponent != int(exponent):
        return c.emit("Pow", [x], {"exponent": exponent})
    if exponent == 1:
        return x
    magnitude = abs(int(exponent))
    suffix = None if exponent > 0 else "power"
    result = x if magnitude == 1 else _whole_power(c, x, magnitude, suffix)
    return result if suffix is None else c.emit("Reciprocal", [result])


def _whole_power(c: Conversion, x: SSAValue, exponent: int, suffix: str | None) -> SSAValue:
    """`x` multiplied by itself, by squaring."""
    result, square, factors = None, x, f"{exponent:b}"[::-1]
    for i, bit in enumerate(factors):
        last = i == len(factors) - 1
        if i:
            name = suffix if last and result is None else f"square{i}"
            square = binary(c, "Mul", square, square, name)
        if bit == "1":
            name = suffix if last else f"product{i}"
            result = square if result is None else binary(c, "Mul", result, square, name)
    assert result is not None
    return result


@refuses("Mod")
def refuse_mod(q: Query) -> ReasonAttr | None:
    divisor = q.array(1)
    value = 0.0 if divisor is None or divisor.size != 1 else float(divisor.reshape(-1)[0])
    if not q.integer("fmod", 0):
        return q.refuse("attribute", "has fmod = 0, which ONNX defines for integers only")
    if not isfinite(value) or abs(frexp(value)[0]) != 0.5 or not 2.0**-60 < abs(value) < 2.0**60:
        return q.refuse(
            "operand-value",
            "needs one power of two as its divisor: by another one the quotient is rounded, and what is left "
            "of 1 by 0.1 would be 0",
        )
    return _ranked(q)


@converts("Mod")
def mod(c: Conversion) -> SSAValue:
    """The remainder by a power of two, which is exact: `|x| - c floor(|x| / c)`, with the sign of `x`."""
    x, divisor = c.operand(0), number(c.q.array(1))
    assert divisor is not None
    if sizes(x) != c.shape():
        x = reshape(c, x, c.shape(), "ranked")
    size = unary(c, "Abs", x, "size")
    quotient = unary(c, "Floor", times(c, size, 1 / abs(divisor), "quotient"), "whole")
    remainder = binary(c, "Sub", size, times(c, quotient, abs(divisor), "passed"), "left")
    below = compared(c, x, "Less", 0.0, "below")
    return binary(c, "Mul", remainder, plus(c, times(c, below, -2.0, "twice"), 1.0, "sign"))


# One operand

PLAIN = {
    "Abs": "Abs",
    "Ceil": "Ceil",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Erf": "Erf",
    "Exp": "Exp",
    "Floor": "Floor",
    "Log": "Log",
    "Reciprocal": "Reciprocal",
    "Round": "Round",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Sqrt": "Sqrt",
    "Tan": "Tan",
}
"""ONNX ops that are one Top op, where the chip has it."""


@converts(*PLAIN)
def plain(c: Conversion) -> SSAValue:
    """The chip's own function, or one written out."""
    if c.op.op_type in c.q.chip.missing_ops:
        return WRITTEN_OUT[c.op.op_type](c, c.operand(0))
    return c.emit(PLAIN[c.op.op_type], [c.operand(0)])


@converts("Neg")
def neg(c: Conversion) -> SSAValue:
    """Times -1."""
    return times(c, c.operand(0), -1.0)


@converts("Sign")
def sign(c: Conversion) -> SSAValue:
    """`(x > 0) - (x < 0)`: the chips' own op gives -1 for -0."""
    above = compared(c, c.operand(0), "Greater", 0.0, "above")
    return binary(c, "Sub", above, compared(c, c.operand(0), "Less", 0.0, "below"))


def _ceil(c: Conversion, x: SSAValue) -> SSAValue:
    return times(c, unary(c, "Floor", times(c, x, -1.0, "negative"), "floor"), -1.0)


def rounded(c: Conversion, x: SSAValue, suffix: str | None = None) -> SSAValue:
    """The floor, plus 1 where the fraction is more than a half, or just a half and the floor is odd."""
    part = f"{suffix}_" if suffix else ""
    floor = unary(c, "Floor", x, f"{part}down")
    fraction = binary(c, "Sub", x, floor, f"{part}left")
    half_down = unary(c, "Floor", times(c, floor, 0.5, f"{part}half"), f"{part}half_down")
    odd = binary(c, "Sub", floor, times(c, half_down, 2.0, f"{part}even"), f"{part}odd")
    above_half = compared(c, fraction, "Greater", 0.5, f"{part}more")
    tie = binary(c, "Mul", compared(c, fraction, "Equal", 0.5, f"{part}just"), odd, f"{part}tie")
    return binary(c, "Add", floor, binary(c, "Add", above_half, tie, f"{part}up"), suffix)


ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
"""Abramowitz and Stegun 7.1.26: the error is below 1.5e-7."""


def _erf(c: Conversion, x: SSAValue) -> SSAValue:
    """`sign(x) (1 - t p(t) exp(-x^2))` with `t = 1 / (1 + 0.3275911 |x|)`."""
    size = unary(c, "Abs", x, "size")
    t = unary(
        c, "Reciprocal", plus(c, times(c, size, 0.3275911, "scaled"), 1.0, "denominator"), "t"
    )
    bell = unary(c, "Exp", times(c, binary(c, "Mul", x, x, "square"), -1.0, "minus"), "bell")
    complement = binary(
        c, "Mul", binary(c, "Mul", polynomial(c, t, ERF, "p"), t, "tp"), bell, "complement"
    )
    positive = c.emit(
        "SubConst",
        [complement],
        {"const_val": 1.0, "is_reverse": True},
        shape=sizes(x),
        suffix="positive",
    )
    return binary(c, "Mul", positive, _sign(c, x))


def _halves(c: Conversion, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Half of `exp(x)` and of `exp(-x)`; neither overflows before their sum does."""
    up = unary(c, "Exp", plus(c, x, -log(2), "shifted"), "up")
    return up, unary(
        c, "Exp", plus(c, times(c, x, -1.0, "minus"), -log(2), "minus_shifted"), "down"
    )


def _cosh(c: Conversion, x: SSAValue) -> SSAValue:
    up, down = _halves(c, x)
    return binary(c, "Add", up, down)


def _sinh(c: Conversion, x: SSAValue) -> SSAValue:
    up, down = _halves(c, x)
    return binary(c, "Sub", up, down)


def _tan(c: Conversion, x: SSAValue) -> SSAValue:
    return binary(c, "Div", unary(c, "Sin", x, "sin"), unary(c, "Cos", x, "cos"))


WRITTEN_OUT = {
    "Ceil": _ceil,
    "Cosh": _cosh,
    "Erf": _erf,
    "Round": rounded,
    "Sinh": _sinh,
    "Tan": _tan,
}
"""By ONNX op, how it is computed where the chip lacks it."""

ACOS = (
    1.5707963050,
    -0.2145988016,
    0.0889789874,
    -0.0501743046,
    0.0308918810,
    -0.0170881256,
    0.0066700901,
    -0.0012624911,
)
"""Abramowitz and Stegun 4.4.46: the error is below 2e-8."""

ATAN = (
    1.0,
    -0.3333314528,
    0.1999355085,
    -0.1420889944,
    0.1065626393,
    -0.0752896400,
    0.0429096138,
    -0.0161657367,
    0.0028662257,
)
"""Abramowitz and Stegun 4.4.49, in the square: the error is below 2e-8."""


@converts("Acos")
def acos(c: Conversion) -> SSAValue:
    """`sqrt(1 - |x|) p(|x|)`, subtracted from pi where `x` is negative.

    The chips' own op is off by 3e-3 near 1 and -1.
    """
    x = c.operand(0)
    size = unary(c, "Abs", x, "size")
    one_minus = plus(c, times(c, size, -1.0, "minus"), 1.0, "rest")
    root = unary(c, "Sqrt", one_minus, "root")
    angle = binary(c, "Mul", root, polynomial(c, size, ACOS, "p"), "angle")
    return _mirrored(c, angle, compared(c, x, "Less", 0.0, "negative"), pi)


@converts("Asin")
def asin(c: Conversion) -> SSAValue:
    """`(pi / 2 - sqrt(1 - |x|) p(|x|)) sign(x)`."""
    x = c.operand(0)
    size = unary(c, "Abs", x, "size")
    one_minus = plus(c, times(c, size, -1.0, "minus"), 1.0, "rest")
    root = unary(c, "Sqrt", one_minus, "root")
    angle = binary(c, "Mul", root, polynomial(c, size, ACOS, "p"), "angle")
    positive = plus(c, times(c, angle, -1.0, "opposite"), pi / 2, "positive")
    return binary(c, "Mul", positive, _sign(c, x))


@converts("Asinh")
def asinh(c: Conversion) -> SSAValue:
    """`log(|x| + sqrt(x^2 + 1)) sign(x)`."""
    x = c.operand(0)
    size = unary(c, "Abs", x, "size")
    square = plus(c, binary(c, "Mul", size, size, "square"), 1.0, "more")
    total = binary(c, "Add", size, unary(c, "Sqrt", square, "root"), "total")
    return binary(c, "Mul", unary(c, "Log", total, "positive"), _sign(c, x))


@converts("Acosh")
def acosh(c: Conversion) -> SSAValue:
    """`log(x + sqrt(x - 1) sqrt(x + 1))`."""
    x = c.operand(0)
    less = unary(c, "Sqrt", plus(c, x, -1.0, "less"), "root_less")
    more = unary(c, "Sqrt", plus(c, x, 1.0, "more"), "root_more")
    return unary(c, "Log", binary(c, "Add", x, binary(c, "Mul", less, more, "roots"), "total"))


def _sign(c: Conversion, x: SSAValue) -> SSAValue:
    above, below = compared(c, x, "Greater", 0.0, "above"), compared(c, x, "Less", 0.0, "below")
    return binary(c, "Sub", above, below, "sign")


@converts("Atanh")
def atanh(c: Conversion) -> SSAValue:
    """Half of `log(1 + x) - log(1 - x)`.

    The chips' own op is wrong, or crashes the emulator, where another op reads `x` too.
    """
    x = c.operand(0)
    above = unary(c, "Log", plus(c, x, 1.0, "above"), "log_above")
    below = unary(c, "Log", plus(c, times(c, x, -1.0, "minus"), 1.0, "below"), "log_below")
    return times(c, binary(c, "Sub", above, below, "difference"), 0.5)


def _mirrored(
    c: Conversion, angle: SSAValue, mask: SSAValue, end: float, suffix: str | None = None
) -> SSAValue:
    """`end - angle` where `where` is 1, and `angle` where it is 0."""
    turn = plus(c, times(c, mask, -2.0, "twice"), 1.0, "turn")
    turned = binary(c, "Mul", angle, turn, "turned")
    return binary(c, "Add", turned, times(c, mask, end, "end"), suffix)


@converts("Atan")
def atan(c: Conversion) -> SSAValue:
    """An odd polynomial of `|x|` or of its reciprocal, whichever is smaller."""
    x = c.operand(0)
    size = unary(c, "Abs", x, "size")
    small = binary(c, "Min", size, unary(c, "Reciprocal", size, "reciprocal"), "small")
    square = binary(c, "Mul", small, small, "square")
    angle = binary(c, "Mul", small, polynomial(c, square, ATAN, "p"), "angle")
    beyond = compared(c, size, "Greater", 1.0, "beyond")
    positive = _mirrored(c, angle, beyond, pi / 2, "positive")
    return binary(c, "Mul", positive, _sign(c, x))
