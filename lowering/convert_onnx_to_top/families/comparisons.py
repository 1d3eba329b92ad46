"""Comparisons, logic on booleans, and choices by them. Booleans are 0 and 1."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.families.elementwise import (
    binary,
    compared,
    number_at,
    of_both,
    repeated,
    unary,
)
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import INTEGERS, Query, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
    MOST_BROADCAST_DIMS,
    Shape,
    broadcast_groups,
)
from autosplit.lowering.convert_onnx_to_top.parts.steps import reshape, sizes, times

MIRRORED = {
    "Greater": "Less",
    "GreaterOrEqual": "LessOrEqual",
    "Less": "Greater",
    "LessOrEqual": "GreaterOrEqual",
    "Equal": "Equal",
}


def _modal(
    c: Conversion, mode: str, a: SSAValue, b: SSAValue, suffix: str | None = None
) -> SSAValue:
    """A Compare of two tensors, written by way of `binary` for its broadcasting."""
    return binary(c, "Compare", a, b, suffix, {"mode": mode})


@converts("Greater", "GreaterOrEqual", "Less", "LessOrEqual")
def ordered(c: Conversion) -> SSAValue:
    """A number becomes an attribute, and the second operand.

    In INT8, comparisons are computed in f32, and TPU-MLIR gives their results no range: ops that read them
    in 8 bits were measured to scale them arbitrarily. A Relu has a range.
    """
    if c.q.mode == "INT8":
        return unary(c, "Relu", _ordered(c, "compared"))
    return _ordered(c)


def _ordered(c: Conversion, suffix: str | None = None) -> SSAValue:
    for index, mode in ((1, c.op.op_type), (0, MIRRORED[c.op.op_type])):
        value = number_at(c, index)
        x = c.operand(1 - index)
        if value is not None and prod(sizes(x)) == prod(c.shape()):
            return compared(c, reshape(c, x, c.shape(), "ranked"), mode, value, suffix)
    return _modal(c, c.op.op_type, c.operand(0), c.operand(1), suffix)


@converts("Equal")
def equal(c: Conversion) -> SSAValue:
    """Neither less nor greater: BM1684's own Equal compares bits, so that 0 differs from -0."""
    a, b = c.operands()
    at_least = _modal(c, "GreaterOrEqual", a, b, "reached")
    return binary(c, "Mul", at_least, _modal(c, "LessOrEqual", a, b, "kept"))


@converts("And")
def and_(c: Conversion) -> SSAValue:
    """The product."""
    return of_both(c, "Mul")


@converts("Or")
def or_(c: Conversion) -> SSAValue:
    """The larger one."""
    return of_both(c, "Max")


@converts("Xor")
def xor(c: Conversion) -> SSAValue:
    """The difference, without its sign."""
    return unary(c, "Abs", of_both(c, "Sub", "difference"))


@converts("Not")
def not_(c: Conversion) -> SSAValue:
    """1 minus the operand."""
    return inverted(c, c.operand(0))


def inverted(c: Conversion, x: SSAValue, suffix: str | None = None) -> SSAValue:
    """1 minus `x`."""
    attrs = {"const_val": 1.0, "is_reverse": True}
    return c.emit("SubConst", [x], attrs, shape=sizes(x), suffix=suffix)


# Choices


@converts("Where")
def where(c: Conversion) -> SSAValue:
    """The sum of both branches, each of them 0 where the other one is selected.

    The tool chain's own Where does not compile for BM1684. Elements not selected may be infinite or NaN.
    """
    shape = c.shape()
    condition = _ranked(c, c.operand(0), shape, "condition")
    true_value, false_value = _single(c, 1), _single(c, 2)
    if true_value is not None and false_value is None:
        return _filled(c, condition, _ranked(c, c.operand(2), shape, "other"), true_value)
    if false_value is not None and true_value is None:
        inverse = inverted(c, condition, "otherwise")
        return _filled(c, inverse, _ranked(c, c.operand(1), shape, "other"), false_value)
    otherwise = inverted(c, condition, "otherwise")
    a = _ranked(c, c.operand(1), shape, "first")
    b = _ranked(c, c.operand(2), shape, "second")
    selected = masked(c, otherwise, a, 0.0, "first_kept")
    return binary(c, "Add", selected, masked(c, condition, b, 0.0, "second_kept"))


def _ranked(c: Conversion, x: SSAValue, shape: Shape, suffix: str) -> SSAValue:
    """`x` with as many dimensions as `shape`."""
    return reshape(c, x, (1,) * (len(shape) - len(sizes(x))) + sizes(x), f"{suffix}_ranked")


def _single(c: Conversion, index: int) -> float | None:
    """The single number of a constant operand, which may be infinite; None if it has several, or NaN."""
    array = c.q.array(index) if c.q.is_constant(index) else None
    if array is None or array.size != 1 or np.isnan(array).any():
        return None
    return float(np.float32(array.reshape(-1)[0]))


def masked(
    c: Conversion, mask: SSAValue, x: SSAValue, value: float, suffix: str | None = None
) -> SSAValue:
    """`value` where `mask` is 1, else `x`, which is what the chips do with `inversed`.

    Without it BM1684X and BM1688 fill where the mask is 0; BM1684 was measured to ignore it. In INT8, a
    MaskedFill makes its operand as coarse as the value that it fills in.
    """
    shape = np.broadcast_shapes(sizes(mask), sizes(x))
    if len(broadcast_groups(sizes(mask), sizes(x))) > MOST_BROADCAST_DIMS:
        mask = repeated(c, mask, shape, f"{suffix}_mask")
        x = repeated(c, x, shape, f"{suffix}_x")
    if c.q.mode == "INT8" and "fill-range" in c.q.chip.workarounds:
        part = suffix or "all"
        inverse = inverted(c, mask, f"{part}_rest")
        if value == 0:
            return binary(c, "Mul", x, inverse, suffix)
        unmasked = binary(c, "Mul", x, inverse, f"{part}_x")
        return binary(c, "Add", unmasked, times(c, mask, value, f"{part}_fill"), suffix)
    attrs = {"inversed": True, "const_val": value}
    return c.emit("MaskedFill", [mask, x], attrs, shape=shape, suffix=suffix)


def _filled(c: Conversion, mask: SSAValue, x: SSAValue, value: float) -> SSAValue:
    """`masked` as the result, for infinite values too.

    BM1684 fills in -1e4 for infinities, so they are added: `2 - max(1 / (1 - mask), 2)` is 0, or -inf.
    """
    if sizes(x) != c.shape() and np.broadcast_shapes(sizes(x), sizes(mask)) != c.shape():
        x = repeated(c, x, c.shape(), "x")
    if np.isfinite(value):
        return masked(c, mask, x, value)
    unmasked = masked(c, mask, x, 0.0, "kept")
    large = unary(c, "Reciprocal", inverted(c, mask, "rest"), "large")
    capped = c.emit("MaxConst", [large], {"const_val": 2.0}, shape=sizes(mask), suffix="capped")
    attrs = {"const_val": 2.0, "is_reverse": value < 0}
    bound = c.emit("SubConst", [capped], attrs, shape=sizes(mask), suffix="bound")
    return binary(c, "Add", unmasked, bound)


# Types


@refuses("Cast", "CastLike")
def refuse_cast(q: Query) -> ReasonAttr | None:
    """Integers stay the same numbers: what does not fit into the other type does not wrap around."""
    source, target = q.kind(0), q.result_kind()
    if source not in INTEGERS or target not in INTEGERS or target in ("i32", "i64"):
        return None
    signs = (source.startswith("u"), target.startswith("u"))
    wider = int(target.lstrip("ui")) - int(source.lstrip("ui"))
    if wider >= 0 and (signs[0] == signs[1] or (signs[0] and wider > 0)):
        return None
    return q.refuse(
        "dtype", f"makes {target} of {source}, of which some numbers would have to wrap around"
    )


@converts("Cast", "CastLike")
def cast(c: Conversion) -> SSAValue:
    """To a boolean: what is not 0. To an integer: towards 0. Anything else is the same number."""
    x, source, target = c.operand(0), c.q.kind(0), c.q.result_kind()
    if target == "i1" and source != "i1":
        above, below = compared(c, x, "Greater", 0.0, "above"), compared(c, x, "Less", 0.0, "below")
        return binary(c, "Max", above, below)
    if target in INTEGERS and source not in (*INTEGERS, "i1"):
        positive = c.emit("MaxConst", [x], {"const_val": 0.0}, suffix="positive")
        negative = c.emit("MinConst", [x], {"const_val": 0.0}, suffix="negative")
        below = unary(c, "Floor", times(c, negative, -1.0, "size"), "below")
        return binary(c, "Sub", unary(c, "Floor", positive, "above"), below)
    return x
