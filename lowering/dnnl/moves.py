"""Ops that only move bytes between partitions: the plan does that itself, as views and copies.

They are determined from the graph, so that fusing, layout and placing agree about them.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue

from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.dnnl.moves import (
    PLAN,
    Move,
    Reshaping,
    Transposing,
    move_of,
    moved_operands,
)
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.constants import constant_array


def read_move(op: Operation | Block) -> Move | None:
    """The move of an op, if it only moves bytes. Only constants in the IR itself count as such."""
    if not isinstance(op, OnnxOp):
        return None
    return move_of(op, lambda value: constant_array(value, None))


def keeps_order(move: Move) -> bool:
    """Whether results of a move have the dimensions of its operands, so that all may lie in one order."""
    return not isinstance(move, Reshaping | Transposing)


def moves_beside_partitions(block: Block) -> dict[OnnxOp, Move]:
    """The ops of a block that move bytes from or to partitions, perhaps by way of each other."""
    moves_of: dict[OnnxOp, Move] = {}
    for op in block.ops:
        if isinstance(op, OnnxOp) and (move := read_move(op)) is not None:
            moves_of[op] = move
    reachable: dict[OnnxOp, Move] = {}
    pending = [op for op in moves_of if _is_of_plan(op)]
    while pending:
        op = pending.pop()
        if op not in reachable:
            reachable[op] = moves_of[op]
            pending += [o for o in neighbours(op) if isinstance(o, OnnxOp) and o in moves_of]
    return {op: move for op, move in moves_of.items() if op in reachable}


def _is_of_plan(op: OnnxOp) -> bool:
    """Whether an op has a partition beside it, or only a plan has it."""
    return op.domain == PLAN or any(isinstance(o, PartitionOp) for o in neighbours(op))


def neighbours(op: OnnxOp) -> Iterable[Operation | Block]:
    """The producers of the bytes that an op moves, and their users."""
    yield from (value.owner for value in moved_operands(op))
    yield from (use.operation for result in op.results for use in result.uses)


def takes_gaps(value: SSAValue, moves: Iterable[OnnxOp]) -> bool:
    """Whether all users of a value are as fast with gaps between its elements.

    Copies and convolutions are; a pool with such an operand takes a hundred times as long.
    """
    movers = set(moves)
    return value.first_use is not None and all(
        use.operation in movers or _convolves(use.operation) for use in value.uses
    )


def takes_turns(value: SSAValue) -> bool:
    """Whether all users of a value are as fast with its dimensions in another order: products are."""
    return value.first_use is not None and all(_multiplies(use.operation) for use in value.uses)


def _multiplies(op: Operation) -> bool:
    """Whether an op is a partition that multiplies matrices."""
    return isinstance(op, PartitionOp) and any(nested.kind == "MatMul" for nested in op.body_ops)


def _convolves(op: Operation) -> bool:
    if not isinstance(op, PartitionOp):
        return False
    kinds = {nested.kind for nested in op.body_ops}
    return "Convolution" in kinds and kinds.isdisjoint(("AvgPool", "MaxPool"))
