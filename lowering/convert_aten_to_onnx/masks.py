"""Attention masks: whether every query has a key that it may see.

PyTorch gives 0 for a query that may see none; a softmax of nothing but -inf gives NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder

Bounds = tuple[float, float]
"""The least and the largest number that a tensor may hold."""

OPEN: Bounds = (-inf, inf)

MOVES = frozenset(
    {"Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice"}
    | {"Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"}
)
"""Ops whose results hold only numbers of their operands."""

BFLOAT16 = 3.3895314e38
"""The largest finite bfloat16."""

DEEPEST = 24
"""How many ops deep a bound is searched for."""


def has_open_rows(b: AtenBuilder, mask: SSAValue) -> bool:
    """Whether each row of a mask is known to have a key that may be seen."""
    if (array := b.values.array(mask)) is not None:
        visible = array if array.dtype == np.bool_ else np.asarray(array, np.float64) > -inf
        return bool(cast("NDArray[np.bool_]", visible).any(axis=-1).all())
    return not is_boolean(mask) and bounds(b, mask, {})[0] > -inf


def is_boolean(mask: SSAValue) -> bool:
    """Whether a mask says which keys are seen; any other is added to the scores."""
    return element_type(mask.type) == i1


def bounds(
    b: AtenBuilder, value: SSAValue, by_value: dict[SSAValue, Bounds], depth: int = DEEPEST
) -> Bounds:
    """The bounds of a tensor's numbers, as far as the ops that compute it tell.

    `by_value`: the bounds of other tensors; these are added.
    """
    if value not in by_value:
        by_value[value] = _in_type(b, value, _bounds(b, value, by_value, depth))
    return by_value[value]


def _in_type(b: AtenBuilder, value: SSAValue, unrounded: Bounds) -> Bounds:
    """Bounds after rounding to a tensor's element type, which may give infinities."""
    low, high = unrounded
    kind = element_type(value.type)
    if isinstance(kind, IntegerType):
        return low, high
    # Beyond the largest number of the type is infinity, and inf - inf has no bounds.
    largest = largest_of(b, value)
    return low if low >= -largest else -inf, high if high <= largest else inf


def largest_of(b: AtenBuilder, value: SSAValue) -> float:
    """The largest finite number of a tensor's element type."""
    dtype = b.dtype(value)
    # Numpy itself has no bfloat16, whose range is nearly that of float32.
    return float(np.finfo(dtype).max) if dtype.kind == "f" else BFLOAT16


def _bounds(
    b: AtenBuilder, value: SSAValue, by_value: dict[SSAValue, Bounds], depth: int
) -> Bounds:
    if (array := b.values.array(value)) is not None:
        if not array.size:
            return OPEN
        numbers = np.asarray(array, np.float64)
        return float(numbers.min()), float(numbers.max())
    if isinstance(element_type(value.type), IntegerType):
        # No integer is infinite.
        return (0.0, 1.0) if is_boolean(value) else (-(2.0**64), 2.0**64)
    if not isinstance(op := value.owner, OnnxOp) or not depth:
        return OPEN
    rule = _either if op.op_type in MOVES else RULES.get(op.op_type)
    if rule is None:
        return OPEN
    return rule(*(bounds(b, v, by_value, depth - 1) for v in _numbers(op)))


def _numbers(op: OnnxOp) -> list[SSAValue]:
    """The operands whose numbers count, not those that give positions and sizes."""
    if op.op_type == "Where":
        return list(op.operands[1:])
    if op.op_type in MOVES and op.op_type != "Concat":
        return list(op.operands[:1])
    return list(op.operands)


def _either(*operands: Bounds) -> Bounds:
    return min(low for low, _ in operands), max(high for _, high in operands)


def _add(a: Bounds, b: Bounds) -> Bounds:
    return a[0] + b[0], a[1] + b[1]


def _mul(a: Bounds, b: Bounds) -> Bounds:
    if inf in map(abs, (*a, *b)):
        return OPEN
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _neg(a: Bounds) -> Bounds:
    return -a[1], -a[0]


def _sub(a: Bounds, b: Bounds) -> Bounds:
    return _add(a, _neg(b))


def _max(*operands: Bounds) -> Bounds:
    return max(low for low, _ in operands), max(high for _, high in operands)


def _min(*operands: Bounds) -> Bounds:
    return min(low for low, _ in operands), min(high for _, high in operands)


def _same(a: Bounds) -> Bounds:
    return a


RULES: Mapping[str, Callable[..., Bounds]] = {
    "Add": _add,
    "Cast": _same,
    "Max": _max,
    "Min": _min,
    "Mul": _mul,
    "Neg": _neg,
    "Sub": _sub,
    "Where": _either,
}
"""The bounds of an op's result from those of its operands."""
