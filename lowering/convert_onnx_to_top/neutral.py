"""Values of a Top function that the tool chain computes nothing for: every op on the way is neutral."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import TopOp
from autosplit.weights import INLINE_LIMIT, WeightStore

SOURCES = frozenset({"Input", "None", "Weight"})

MOVES = frozenset(
    {
        *("Cast", "Concat", "Flatten", "Interp", "Pad", "Reduce", "Reshape", "Slice", "Squeeze"),
        *("Tile", "Unsqueeze"),
    }
)
"""Kinds that change no element where they leave as many as there were."""

NEUTRAL = {"Add": 0.0, "AddConst": 0.0, "Mul": 1.0, "MulConst": 1.0, "Sub": 0.0, "SubConst": 0.0}
"""By kind, the number as an operand of which the op changes nothing."""


def changes_nothing(value: SSAValue, store: WeightStore) -> bool:
    """Whether a value is an input, or a weight, behind neutral ops only."""
    while isinstance(op := value.owner, TopOp) and op.kind not in SOURCES:
        computed = [v for v in op.operands if not _is_source(v)] or list(op.operands[:1])
        if len(computed) != 1 or not _is_neutral(op, computed[0], store):
            return False
        value = computed[0]
    return True


def _is_source(value: SSAValue) -> bool:
    return isinstance(value.owner, TopOp) and value.owner.kind in SOURCES - {"Input"}


def _is_neutral(op: TopOp, x: SSAValue, store: WeightStore) -> bool:
    before, after = static_shape(x.type), static_shape(op.results[0].type)
    if before is None or after is None or prod(before) != prod(after) or len(op.results) > 1:
        return False
    if op.kind in MOVES:
        return True
    if op.kind in ("AvgPool", "MaxPool"):
        return all(size == 1 for size in op.ints("kernel_shape"))
    if op.kind == "Permute":
        moved = [axis for axis in op.ints("order") if before[axis] != 1]
        return moved == sorted(moved)
    if op.kind in ("AddConst", "MulConst", "SubConst"):
        return op.attr("const_val") == NEUTRAL[op.kind]
    if op.kind in NEUTRAL:
        others = [v for v in op.operands if v is not x]
        return all(_is_filled(v, NEUTRAL[op.kind], store) for v in others)
    return False


def _is_filled(value: SSAValue, number: float, store: WeightStore) -> bool:
    """Whether a value is a small weight of this number everywhere."""
    op, shape = value.owner, static_shape(value.type)
    if not isinstance(op, TopOp) or op.kind != "Weight" or prod(shape or ()) > INLINE_LIMIT:
        return False
    return bool(np.all(store.array(op.names[0]) == number))
