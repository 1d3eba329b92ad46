"""Top ops for which BM1684 has no kernel where sizes vary, written in ops for which it has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.families.elementwise import compared
from autosplit.lowering.convert_onnx_to_top.parts.conversion import KERNELS, Conversion, Emit
from autosplit.lowering.convert_onnx_to_top.parts.steps import plus, sizes, times

Attrs = Mapping[str, AttrValue]

STEPS = {
    "Greater": (1.0, 0.0),
    "Less": (-1.0, 0.0),
    "LessOrEqual": (-1.0, 1.0),
    "GreaterOrEqual": (1.0, 1.0),
}
"""By comparison: the sign of the difference where it holds, and the result where the difference is 0."""

STEEP = 1e38
"""A factor that makes every normal f32 above 0 more than 1."""


def _compared(c: Conversion, operands: Sequence[SSAValue], attrs: Attrs, emit: Emit) -> SSAValue:
    """The difference, times a large number, clipped to 0 and 1."""
    x, value, mode = operands[0], _number(attrs), str(attrs["mode"])
    if mode == "Equal":
        halves = (("LessOrEqual", "least"), ("GreaterOrEqual", "most"))
        return emit("Mul", [compared(c, x, half, value, name) for half, name in halves], {})
    sign, equal = STEPS[mode]
    away = plus(c, x, -value, "away") if value else x
    steep = times(c, away, sign * STEEP, "steep")
    steep = plus(c, steep, equal, "steps") if equal else steep
    return emit("Clip", [steep], {"min": 0.0, "max": 1.0})


def _reciprocal(c: Conversion, operands: Sequence[SSAValue], attrs: Attrs, emit: Emit) -> SSAValue:
    """A Div, with the numerator in the shape of the divisors."""
    x, value = operands[0], cast("float", attrs.get("const_val", 1.0))
    numerator = c.emit("Clip", [x], {"min": value, "max": value}, shape=sizes(x), suffix="divided")
    return emit("Div", [numerator, x], {})


def _less(c: Conversion, operands: Sequence[SSAValue], attrs: Attrs, emit: Emit) -> SSAValue:
    """`x + -value`, or `-x + value` if reversed."""
    x, value = operands[0], _number(attrs)
    if not attrs.get("is_reverse"):
        return emit("AddConst", [x], {"const_val": -value})
    return emit("AddConst", [times(c, x, -1.0, "minus")], {"const_val": value})


def _number(attrs: Attrs) -> float:
    return cast("float", attrs["const_val"])


KERNELS.update({"CompareConst": _compared, "Reciprocal": _reciprocal, "SubConst": _less})
