"""Keeping values that TPU-MLIR's kernels would spoil, on the chips where they do.

On bm1684 some activations, when they are put into a group of layers, compute in the memory of their operand.
Whatever else of the group reads that operand later reads what they left there. Such an operand is copied
first, by an op that TPU-MLIR does not remove: a LeakyRelu whose slope is 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.ir import OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.top import TopOp, make_op

if TYPE_CHECKING:
    from xdsl.ir import Block

SPOILING = {"bm1684": frozenset({"Arctanh", "Log", "Pow", "Sigmoid", "Sqrt", "Tanh"})}
"""The kinds that do so, by chip; measured in F32 beside a second reader."""

VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "View"})
"""Kinds whose result may lie where their operand does."""


def protect_operands(block: Block, chip: str, fresh: Callable[[str], str]) -> int:
    """Puts a copy before each op that would spoil what others read; returns how many.

    `fresh` gives a name that no other result of the function has.
    """
    spoiling = SPOILING.get(chip, frozenset[str]())
    found = [
        op
        for op in block.walk()
        if isinstance(op, TopOp) and op.kind in spoiling and _is_shared(op.inputs[0])
    ]
    count = 0
    for op in found:
        if _is_silu(op):
            continue
        value = op.inputs[0]
        name = fresh(f"{op.names[0]}/kept")
        copy = make_op("LeakyRelu", [value], [value.type], [name], {"alpha": 1.0})
        Rewriter.insert_op(copy, InsertPoint.before(op))
        op.operands[0] = copy.outputs[0]
        count += 1
    return count


def _is_shared(value: SSAValue) -> bool:
    """Whether the value, or one that it is a view of, has another reader."""
    while True:
        if value.uses.get_length() > 1:
            return True
        owner = value.owner
        if not isinstance(value, OpResult) or not isinstance(owner, TopOp):
            return False
        if owner.kind not in VIEWS:
            return False
        value = owner.inputs[0]


def _is_silu(op: TopOp) -> bool:
    """Whether the op is the sigmoid of x * sigmoid(x) and nobody else reads x: one op, which is right."""
    value, result = op.inputs[0], op.outputs[0]
    if op.kind != "Sigmoid" or value.uses.get_length() != 2 or not result.has_one_use():
        return False
    user = next(iter(result.uses)).operation
    return isinstance(user, TopOp) and user.kind == "Mul" and value in user.inputs
