"""Ops that only move bytes between partitions: the plan does that itself, as views and copies.

Which ops these are is read off the graph, so that fusing, laying out and placing agree about them.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue

from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.dnnl.moves import Move, Reshaping, Transposing, move_of, moved_operands
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.constants import constant_array


def read_move(op: Operation | Block) -> Move | None:
    """What an op moves, if it does nothing but moving bytes. Constants are those in the IR itself."""
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
    beside: dict[OnnxOp, Move] = {}
    waiting = [op for op in moves_of if any(isinstance(o, PartitionOp) for o in neighbours(op))]
    while waiting:
        op = waiting.pop()
        if op not in beside:
            beside[op] = moves_of[op]
            waiting += [o for o in neighbours(op) if isinstance(o, OnnxOp) and o in moves_of]
    return {op: move for op, move in moves_of.items() if op in beside}


def neighbours(op: OnnxOp) -> Iterable[Operation | Block]:
    """What makes the bytes that an op moves, and what reads them."""
    yield from (value.owner for value in moved_operands(op))
    yield from (use.operation for result in op.results for use in result.uses)


def takes_gaps(value: SSAValue, moves: Iterable[OnnxOp]) -> bool:
    """Whether all readers of a value are as fast where its elements have gaps between them.

    That is so of copies and of convolutions; a pool with such an operand takes a hundred times as long.
    """
    movers = set(moves)
    return value.first_use is not None and all(
        use.operation in movers or _convolves(use.operation) for use in value.uses
    )


def takes_turns(value: SSAValue) -> bool:
    """Whether all readers of a value are as fast where its dimensions lie in another order: products are."""
    return value.first_use is not None and all(_multiplies(use.operation) for use in value.uses)


def _multiplies(op: Operation) -> bool:
    """Whether an op is a partition that multiplies matrices, and no cast alone."""
    return isinstance(op, PartitionOp) and any(inner.kind == "MatMul" for inner in op.body_ops)


def _convolves(op: Operation) -> bool:
    if not isinstance(op, PartitionOp):
        return False
    kinds = {inner.kind for inner in op.body_ops}
    return "Convolution" in kinds and kinds.isdisjoint(("AvgPool", "MaxPool"))
