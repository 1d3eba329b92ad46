"""Ops that only move bytes between partitions: the plan does that itself, as views and copies.

They are determined from the graph, so that fusing, layout and placing agree about them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, SSAValue, Use

from autosplit.dialects.dnnl import DnnlOp, PartitionOp
from autosplit.dialects.dnnl.moves import (
    PLAN,
    Move,
    Reshaping,
    Transposing,
    move_of,
    moved_operands,
    reading_of,
)
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.constants import constant_array
from autosplit.dialects.platform import element_type, shape_of

_constant = partial(constant_array, store=None)


def read_move(op: Operation | Block) -> Move | None:
    """The move of an op, if it only moves bytes. Only constants in the IR itself count as such."""
    return move_of(op, _constant) if isinstance(op, OnnxOp) else None


def moves_only(op: Operation) -> bool:
    """Whether an op moves bytes or real numbers, and does no more."""
    return isinstance(op, OnnxOp) and reading_of(op, _constant) is not None


def keeps_order(move: Move) -> bool:
    """Whether results of a move have the dimensions of its operands, so that all may lie in one order."""
    return not isinstance(move, Reshaping | Transposing)


def moves_beside_partitions(block: Block) -> dict[OnnxOp, Move]:
    """The ops of a block that move bytes from or to partitions, perhaps by way of each other."""
    moves_of: dict[OnnxOp, Move] = {}
    real = _real_moves(block)
    for op in block.ops:
        move = read_move(op) or real.get(op)
        if isinstance(op, OnnxOp) and move is not None:
            moves_of[op] = move
    reachable: dict[OnnxOp, Move] = {}
    pending = [op for op in moves_of if _is_of_plan(op)]
    while pending:
        op = pending.pop()
        if op not in reachable:
            reachable[op] = moves_of[op]
            pending += [o for o in neighbours(op) if isinstance(o, OnnxOp) and o in moves_of]
    return {op: move for op, move in moves_of.items() if op in reachable}


def _real_moves(block: Block) -> dict[Operation, Move]:
    """The ops that move real numbers from partitions to partitions, perhaps by way of each other.

    None of them pads: what a `Padding` pads with is an integer.
    """
    moves: dict[Operation, Move] = {}
    for op in block.ops:
        if not isinstance(op, OnnxOp) or op.op_type == "Pad":
            continue
        if not all(_is_real(v) for v in (*moved_operands(op), *op.results)):
            continue
        move = reading_of(op, _constant)
        if move is not None:
            moves[op] = move
    pending = [*moves]
    while pending:
        op = pending.pop()
        if op in moves and isinstance(op, OnnxOp) and not _is_closed(op, moves):
            del moves[op]
            pending += [o for o in neighbours(op) if isinstance(o, Operation)]
    return moves


def _is_real(value: SSAValue) -> bool:
    return element_type(value.type) == f32 and bool(shape_of(value.type))


def _is_closed(op: OnnxOp, moves: Mapping[Operation, Move]) -> bool:
    around = list(neighbours(op))
    return bool(around) and all(isinstance(o, PartitionOp) or o in moves for o in around)


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
    """Whether all users of a value are as fast with its dimensions in another order.

    Products are, but not for their second operand where the first one has a zero point: the library sums the
    columns of what it copies then, and takes 20 us more for each matrix, however small.
    """
    return value.first_use is not None and all(_multiplies(use) for use in value.uses)


def _multiplies(use: Use) -> bool:
    """Whether a use is by a partition that multiplies matrices, and sums no columns of this one."""
    partition = use.operation
    if not isinstance(partition, PartitionOp):
        return False
    products = [op for op in partition.body_ops if op.kind == "MatMul"]
    value = partition.body.block.args[use.index]
    summed = [
        op for op in products if _source(op.inputs[1]) is value and has_zero_point(op.inputs[0])
    ]
    return bool(products) and not summed


def _source(value: SSAValue) -> SSAValue:
    """What a value is dequantized from."""
    op = value.owner
    return op.inputs[0] if isinstance(op, DnnlOp) and op.kind == "Dequantize" else value


def has_zero_point(value: SSAValue) -> bool:
    """Whether a value is dequantized, with a zero point."""
    op = value.owner
    return isinstance(op, DnnlOp) and op.kind == "Dequantize" and any(op.ints("zps"))


def _convolves(op: Operation) -> bool:
    if not isinstance(op, PartitionOp):
        return False
    kinds = {nested.kind for nested in op.body_ops}
    return "Convolution" in kinds and kinds.isdisjoint(("AvgPool", "MaxPool"))
