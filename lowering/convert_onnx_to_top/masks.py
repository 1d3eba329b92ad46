"""Finite masks for modes whose Softmax makes NaN of infinities, or that large masks cannot be calibrated for.

What a Softmax should leave out is commonly set to -inf, or made so small that it becomes -inf where it is
rounded to bf16, as the smallest f32 does. Constants that are only read on the way to a Softmax get a size
that stays finite, also where some are added up; the Softmax is 0 there all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.top import AttrValue, TopOp, make_op
from autosplit.dialects.top.base import location_of
from autosplit.lowering.convert_onnx_to_top.neutral import made_by

if TYPE_CHECKING:
    from xdsl.ir import Block

    from autosplit.core.weights import WeightStore

LARGEST = {"BF16": 2.0**124, "INT8": 2.0**20}
"""The largest size that stays, by mode.

Measured on the emulators of bm1684x and bm1688: -inf is right in F16 and F32, in BF16 all is NaN. Eight such
masks add up to what bf16 still holds. In INT8, TPU-MLIR 1.30.2 stops at sums with a mask of -1e9, and takes
-1e8.
"""

PASSING = frozenset(
    {
        *("Add", "AddConst", "Cast", "Concat", "LeakyRelu", "MaskedFill", "Mul", "MulConst"),
        *("Permute", "Reshape", "Slice", "Squeeze", "Sub", "SubConst", "Tile", "Unsqueeze"),
        "Where",
    }
)
"""Kinds that a mask goes through on its way."""

CONSTANTS = ("const_val", "x_const_val", "y_const_val")


def finite_masks(block: Block, mode: str, fresh: Callable[[str], str], store: WeightStore) -> int:
    """Limits the constants from which only Softmaxes are computed; returns how many it changed.

    `fresh` gives a name that no other result of the function has. `store` has the function's weights.
    """
    if mode not in LARGEST:
        return 0
    masking = masking_ops(block)
    found = [op for op in block.ops if isinstance(op, TopOp) and op in masking]
    return sum(_limit(op, mode, fresh, store) for op in found)


def masking_ops(block: Block) -> set[Operation]:
    """The ops from which only Softmaxes are computed."""
    masking: set[Operation] = set()
    for op in reversed(list(block.ops)):
        if isinstance(op, TopOp) and op.kind in PASSING and _only_masks(op, masking):
            masking.add(op)
    return masking


def _only_masks(op: TopOp, masking: set[Operation]) -> bool:
    users = [use.operation for result in op.results for use in result.uses]
    return bool(users) and all(_is_softmax(user) or user in masking for user in users)


def _is_softmax(op: Operation) -> bool:
    return isinstance(op, TopOp) and op.kind == "Softmax"


def _limit(op: TopOp, mode: str, fresh: Callable[[str], str], store: WeightStore) -> int:
    """Limits the attributes and the weights of one op; returns how many."""
    changed, largest = 0, LARGEST[mode]
    for name in CONSTANTS:
        if name in op.attributes and abs(value := op.number(name)) > largest:
            op.set_attr(name, float(np.copysign(largest, value)))
            changed += 1
    for index, value in enumerate(op.operands):
        if mode == "BF16" and _is_infinite_fill(op, value):
            attrs: dict[str, AttrValue] = {"const_val": largest}
            names = [fresh(f"{op.names[0]}/finite")]
            least = make_op("MinConst", [value], [value.type], names, attrs)
            Rewriter.insert_op(least, InsertPoint.before(op))
            op.operands[index] = least.results[0]
            changed += 1
        weight = made_by(value, "Weight")
        if weight is None:
            continue
        array = store.array(weight.names[0])
        if not np.any(np.abs(array) > largest):
            continue
        name, limited = fresh(f"{weight.names[0]}/finite"), np.clip(array, -largest, largest)
        store.add(name, lambda limited=limited: limited)
        made = weight.clone()
        made.location = location_of([name])
        Rewriter.insert_op(made, InsertPoint.before(op))
        op.operands[index] = made.results[0]
        changed += 1
        if weight.results[0].first_use is None:
            Rewriter.erase_op(weight)
    return changed


def _is_infinite_fill(op: TopOp, value: SSAValue) -> bool:
    """Whether `op` is the `2 - max(1 / x, 2)` of a Where that fills in -inf, and `value` the maximum."""
    capped = made_by(value, "MaxConst") if op.kind == "SubConst" else None
    return capped is not None and made_by(capped.inputs[0], "Reciprocal") is not None
