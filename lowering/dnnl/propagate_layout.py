"""dnnl-propagate-layout: images between partitions are channels-last.

The library computes convolutions and pools channels-last and would copy operands in another order. A value
that only partitions produce and read can have any order, so it gets the one that avoids copies; values of the
graph's border or of ONNX Runtime stay row-major. Ops between partitions that only move bytes accept any
order, too: they get that of the partitions, see `move_layouts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.dnnl import (
    AnyLayout,
    DnnlOp,
    LayoutAttr,
    OrderLayout,
    PartitionOp,
    layout_of,
    with_layout,
)
from autosplit.dialects.dnnl import GraphOp as DnnlGraphOp
from autosplit.dialects.dnnl.moves import Move
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import PlatformGraph, set_type, shape_of
from autosplit.lowering.dnnl.move_layouts import ORDERED, is_between, order_of_moved
from autosplit.lowering.dnnl.moves import keeps_order, moves_beside_partitions
from autosplit.lowering.dnnl.rules.parts import POOLS
from autosplit.lowering.rewriting import Pattern, apply_to

SPATIAL = frozenset(
    {
        "AvgPool",
        "BatchNormInference",
        "BiasAdd",
        "ConvTranspose",
        "Convolution",
        "Interpolate",
        "MaxPool",
        "PReLU",
    }
)
"""Kinds whose operand and result are images: values between their partitions are channels-last."""

Moves = Mapping[OnnxOp, Move]


def _kept_images(partitions: Sequence[PartitionOp], moves: Moves) -> set[OpResult]:
    results = [r for op in (*partitions, *moves) for r in op.results]
    images = _images([r for r in results if is_between(r, moves)], moves)
    while lost := {v for p in partitions for v in _turned(p, images)}:
        images -= lost
    return images


def _turned(partition: PartitionOp, images: set[OpResult]) -> list[OpResult]:
    """The results around a lone cast that changes the layout, if oneDNN 3.2 may compute it wrongly.

    3.2 ignores a zero point if the innermost extent of the source is a multiple of 64 and the other one,
    above 16, is not a multiple of 4. The extents are the channels and the pixels.
    """
    (*_, only_op) = ops = partition.body_ops
    if len(ops) != 1 or only_op.kind not in CASTS or not any(_ints(only_op.attrs.get("zps"))):
        return []
    source, result = partition.inputs[0], partition.outputs[0]
    ends = [v for v in (source, result) if isinstance(v, OpResult) and v in images]
    if only_op.kind == "Dequantize" and any(_has_pool(e.partition) for v in ends for e in _ends(v)):
        return []
    shape = shape_of(result.type)
    if len(ends) != 1 or shape is None:
        return []
    channels, pixels = shape[1], -1 if min(shape[2:]) < 0 else prod(shape[2:])
    inner, other = (channels, pixels) if source in images else (pixels, channels)
    is_safe = (inner >= 0 and inner % 64) or (other >= 0 and (other <= 16 or other % 4 == 0))
    return [] if is_safe else ends


def _has_pool(partition: PartitionOp) -> bool:
    return any(op.kind in POOLS for op in partition.body_ops)


CASTS = ("Quantize", "Dequantize")


def _ints(value: object) -> Sequence[int]:
    return cast("Sequence[int]", value) if isinstance(value, Sequence) else ()


def _images(free: Iterable[OpResult], moves: Moves) -> set[OpResult]:
    """The values of `free` that are images.

    These are values that a convolution or the like produces or reads, possibly through elementwise ops, and
    values of the same rank that meet one of these in a partition, like the two operands of an addition, or in
    an op that moves bytes, like those of a Concat. Excludes values of ops that need row-major operands.
    """
    ends = {v: _ends(v) for v in free if 3 <= len(shape_of(v.type) or ()) <= 5}
    kinds = {
        v: frozenset[str]().union(*(_nearest_kinds(e) for e in near)) for v, near in ends.items()
    }
    possible = {v for v in ends if kinds[v].isdisjoint(ORDERED)}
    images = {v for v in possible if not kinds[v].isdisjoint(SPATIAL)}
    pending = list(images)
    meeting: dict[tuple[Operation, int], list[OpResult]] = {}
    for value in possible:
        for meeting_point in _meeting_points(value, moves):
            meeting.setdefault(meeting_point, []).append(value)
    while pending:
        value = pending.pop()
        for meeting_point in _meeting_points(value, moves):
            added = [v for v in meeting[meeting_point] if v not in images]
            images.update(added)
            pending += added
    return images


@dataclass(frozen=True)
class _End:
    """An end of a value at a partition: the partition, and the value inside it."""

    partition: PartitionOp
    value: SSAValue


def _ends(value: OpResult) -> list[_End]:
    ends: list[_End] = []
    if isinstance(producer := value.op, PartitionOp):
        ends.append(_End(producer, producer.returned[value.index]))
    for use in value.uses:
        if isinstance(user := use.operation, PartitionOp):
            ends.append(_End(user, user.body.block.args[use.index]))
    return ends


def _meeting_points(value: OpResult, moves: Moves) -> list[tuple[Operation, int]]:
    """The ops where a value meets others that should have the same order, with the rank."""
    rank = len(shape_of(value.type) or ())
    neighbours = [value.op, *(use.operation for use in value.uses)]
    return [
        (op, rank)
        for op in neighbours
        if not isinstance(op, OnnxOp) or (op in moves and keeps_order(moves[op]))
    ]


def _nearest_kinds(end: _End) -> frozenset[str]:
    """The nearest kinds of SPATIAL and ORDERED from an end of a value."""
    forward = end.value in end.partition.body.block.args
    kinds: set[str] = set()
    visited: set[SSAValue] = set()
    pending = [end.value]
    while pending:
        value = pending.pop()
        if value in visited:
            continue
        visited.add(value)
        neighbours = [use.operation for use in value.uses] if forward else [value.owner]
        for op in neighbours:
            if not isinstance(op, DnnlOp):
                continue
            if op.kind in SPATIAL or op.kind in ORDERED:
                kinds.add(op.kind)
            else:
                pending += op.outputs if forward else op.inputs
    return frozenset(kinds)


class LayOut(Pattern[PartitionOp | OnnxOp]):
    """`partition -> partition` with the results that are images laid out by the policy, the others in rows.

    Their type has the layout at all ends: at the producer and at all users. A move's result has the layout of
    its operand, if possible.
    """

    def __init__(self, images: set[OpResult], moves: Moves, policy: str):
        self.images = images
        self.moves = moves
        self.policy = policy

    def rewrite(self, op: PartitionOp | OnnxOp, rewriter: PatternRewriter, /) -> None:
        for result in op.results:
            type, layout = cast("TensorType[Attribute]", result.type), self._layout(result)
            if layout_of(type) == layout:
                continue
            users = [(use.operation, use.index) for use in result.uses]
            ends = [user.body.block.args[i] for user, i in users if isinstance(user, PartitionOp)]
            returned = [op.returned[result.index]] if isinstance(op, PartitionOp) else []
            for value in (result, *returned, *ends):
                set_type(value, with_layout(type, layout))
            rewriter.notify_op_modified(op)

    def _layout(self, result: OpResult) -> LayoutAttr | None:
        if result not in self.images:
            move = self.moves.get(result.op) if isinstance(result.op, OnnxOp) else None
            return None if move is None else order_of_moved(result, move, self.moves)
        rank = len(shape_of(result.type) or ())
        return AnyLayout.of() if self.policy == "any" else OrderLayout.channels_last(rank)


def propagate(module: ModuleOp, policy: str = "channels-last") -> None:
    """Gives values between partitions their layout, in place, replacing one from an earlier run."""
    for op in module.walk():
        if isinstance(op, PlatformGraph | DnnlGraphOp):
            block = op.regions[0].block
            partitions = [p for p in block.ops if isinstance(p, PartitionOp)]
            moves = moves_beside_partitions(block)
            images = _kept_images(partitions, moves)
            # In block order: a move's layout depends on its operand's.
            ops = [o for o in block.ops if o in moves or isinstance(o, PartitionOp)]
            apply_to(ops, [LayOut(images, moves, policy)])


@dataclass(frozen=True)
class DnnlPropagateLayoutPass(ModulePass):
    """Images that only partitions read and write have their channels innermost.

    Example: `dnnl-propagate-layout{order=any}`
    """

    name = "dnnl-propagate-layout"

    order: Literal["any", "channels-last"] = "channels-last"
    """`any` leaves the order to the library, which chooses it when it compiles the producer of the
    value."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        propagate(op, self.order)
