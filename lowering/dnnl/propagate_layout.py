"""dnnl-propagate-layout: images between partitions are channels-last.

The library computes convolutions and pools channels-last and would copy what it is given in another order.
A value that only partitions make and read can have any order, so that it gets the one that is not copied;
what the graph or ONNX Runtime reads or makes stays row-major. Ops between partitions that only move bytes
take and give any order, too: they get that of the partitions, see `move_layouts`.
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
"""Kinds whose operand and result are images: what their partitions exchange is channels-last."""

Moves = Mapping[OnnxOp, Move]


def _kept_images(partitions: Sequence[PartitionOp], moves: Moves) -> set[OpResult]:
    results = [r for op in (*partitions, *moves) for r in op.results]
    images = _images([r for r in results if is_between(r, moves)], moves)
    while lost := {v for p in partitions for v in _turned(p, images)}:
        images -= lost
    return images


def _turned(partition: PartitionOp, images: set[OpResult]) -> list[OpResult]:
    """Of a lone cast that changes the layout, and that oneDNN 3.2 may get wrong: its end that is an image.

    Where there is a zero point, 3.2 forgets it if the extent that is innermost in the source is a multiple of
    64 and the other one, beyond 16, is not a multiple of 4. The extents are the channels and the pixels.
    """
    (*_, last) = ops = partition.body_ops
    if len(ops) != 1 or last.kind not in CASTS or not any(_ints(last.attrs.get("zps"))):
        return []
    source, result = partition.inputs[0], partition.outputs[0]
    ends = [v for v in (source, result) if isinstance(v, OpResult) and v in images]
    if last.kind == "Dequantize" and any(_has_pool(e.partition) for v in ends for e in _ends(v)):
        return []
    shape = shape_of(result.type)
    if len(ends) != 1 or shape is None:
        return []
    channels, pixels = shape[1], -1 if min(shape[2:]) < 0 else prod(shape[2:])
    inner, other = (channels, pixels) if source in images else (pixels, channels)
    right = (inner >= 0 and inner % 64) or (other >= 0 and (other <= 16 or other % 4 == 0))
    return [] if right else ends


def _has_pool(partition: PartitionOp) -> bool:
    return any(op.kind in POOLS for op in partition.body_ops)


CASTS = ("Quantize", "Dequantize")


def _ints(value: object) -> Sequence[int]:
    return cast("Sequence[int]", value) if isinstance(value, Sequence) else ()


def _images(free: Iterable[OpResult], moves: Moves) -> set[OpResult]:
    """The values of `free` that are images.

    Those that a convolution or the like makes or reads, perhaps by way of elementwise ops; and, of the same
    rank, those that meet one of these in a partition, as the two operands of an addition do, or in an op that
    moves bytes, as those of a Concat do. None that an op makes or reads that wants rows.
    """
    ends = {v: _ends(v) for v in free if 3 <= len(shape_of(v.type) or ()) <= 5}
    kinds = {v: frozenset[str]().union(*(_kinds(e) for e in near)) for v, near in ends.items()}
    possible = {v for v in ends if kinds[v].isdisjoint(ORDERED)}
    images = {v for v in possible if not kinds[v].isdisjoint(SPATIAL)}
    waiting = list(images)
    meeting: dict[tuple[Operation, int], list[OpResult]] = {}
    for value in possible:
        for place in _places(value, moves):
            meeting.setdefault(place, []).append(value)
    while waiting:
        value = waiting.pop()
        for place in _places(value, moves):
            new = [v for v in meeting[place] if v not in images]
            images.update(new)
            waiting += new
    return images


@dataclass(frozen=True)
class _End:
    """Where a value leaves or enters a partition: the partition, and the value inside it."""

    partition: PartitionOp
    value: SSAValue


def _ends(value: OpResult) -> list[_End]:
    ends: list[_End] = []
    if isinstance(maker := value.op, PartitionOp):
        ends.append(_End(maker, maker.returned[value.index]))
    for use in value.uses:
        if isinstance(reader := use.operation, PartitionOp):
            ends.append(_End(reader, reader.body.block.args[use.index]))
    return ends


def _places(value: OpResult, moves: Moves) -> list[tuple[Operation, int]]:
    """Where a value meets others that had better lie in the same order."""
    rank = len(shape_of(value.type) or ())
    near = [value.op, *(use.operation for use in value.uses)]
    return [
        (op, rank)
        for op in near
        if not isinstance(op, OnnxOp) or (op in moves and keeps_order(moves[op]))
    ]


def _kinds(end: _End) -> frozenset[str]:
    """The kinds of SPATIAL and ORDERED that are reached first from an end of a value."""
    forward = end.value in end.partition.body.block.args
    kinds: set[str] = set()
    seen: set[SSAValue] = set()
    waiting = [end.value]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        near = [use.operation for use in value.uses] if forward else [value.owner]
        for op in near:
            if not isinstance(op, DnnlOp):
                continue
            if op.kind in SPATIAL or op.kind in ORDERED:
                kinds.add(op.kind)
            else:
                waiting += op.outputs if forward else op.inputs
    return frozenset(kinds)


class LayOut(Pattern[PartitionOp | OnnxOp]):
    """`partition -> partition` with the results that are images laid out by the policy, the others in rows.

    Their type says so at all ends: where a value is made, and wherever it is read. What a move gives lies as
    what it moves, where that is possible.
    """

    def __init__(self, images: set[OpResult], moves: Moves, policy: str):
        self.images = images
        self.moves = moves
        self.policy = policy

    def rewrite(self, op: PartitionOp | OnnxOp, rewriter: PatternRewriter, /) -> None:
        for result in op.results:
            old, layout = cast("TensorType[Attribute]", result.type), self._layout(result)
            if layout_of(old) == layout:
                continue
            readers = [(use.operation, use.index) for use in result.uses]
            ends = [r.body.block.args[i] for r, i in readers if isinstance(r, PartitionOp)]
            returned = [op.returned[result.index]] if isinstance(op, PartitionOp) else []
            for end in (result, *returned, *ends):
                set_type(end, with_layout(old, layout))
            rewriter.notify_op_modified(op)

    def _layout(self, result: OpResult) -> LayoutAttr | None:
        if result not in self.images:
            move = self.moves.get(result.op) if isinstance(result.op, OnnxOp) else None
            return None if move is None else order_of_moved(result, move, self.moves)
        rank = len(shape_of(result.type) or ())
        return AnyLayout.of() if self.policy == "any" else OrderLayout.channels_last(rank)


def propagate(module: ModuleOp, policy: str = "channels-last") -> None:
    """Gives values between partitions their layout, in place; one from an earlier run gives way."""
    for op in module.walk():
        if isinstance(op, PlatformGraph | DnnlGraphOp):
            block = op.regions[0].block
            partitions = [p for p in block.ops if isinstance(p, PartitionOp)]
            moves = moves_beside_partitions(block)
            images = _kept_images(partitions, moves)
            # In the order of the block: how a move lies depends on what it moves.
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
