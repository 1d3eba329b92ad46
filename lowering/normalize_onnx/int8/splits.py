"""Splits of what was joined, as the heads of detectors join boxes and scores, and splits in several ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import (
    AddOp,
    ConcatOp,
    ConvOp,
    GemmOp,
    MatMulOp,
    ReshapeOp,
    SliceOp,
    SplitOp,
)
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.rewriting import why

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Joined:
    """What a Concat joins along the axis of a split, and the sizes that it then has behind that axis."""

    operands: Sequence[SSAValue]
    behind: Shape | None
    """None where no Reshape changes them."""
    ops: Sequence[Operation]
    """Those that have no other reader."""


class SplitJoined(OnnxPattern[SplitOp]):
    """`split(concat(concat(a, b), concat(c, d))) -> concat(a, c), concat(b, d)`; Reshapes inside too.

    The inner Concats are along the axis of the split and end where its parts do; the outer one is along
    another axis. What was copied three times is copied once.
    """

    def rewrite(self, op: SplitOp, rewriter: PatternRewriter, /) -> None:
        outer = op.operands[0].owner
        shape = shape_of(op.operands[0].type)
        if not isinstance(outer, ConcatOp) or shape is None:
            return
        axis, across = _axis(op, shape), _axis(outer, shape)
        if axis == across or not outer.results[0].has_one_use():
            why(op, "what it splits is joined along the same axis, or read by something else")
            return
        sizes = [-1 if (s := shape_of(r.type)) is None else s[axis] for r in op.results]
        joined = [_joined(value, axis, sizes) for value in outer.operands]
        sources = [source for source in joined if source is not None]
        if len(sources) < len(joined):
            why(op, "what is joined is not made of the parts that it splits into")
            return
        e = self.replacement(op, rewriter)
        results = list[SSAValue]()
        for i, old_result in enumerate(op.results):
            concat = make_node(
                "Concat",
                [_reshaped(e, source.operands[i], axis, source.behind) for source in sources],
                [op.output_names[i]],
                attributes={"axis": across},
                result_types=[old_result.type],
                node_name=e.fresh("part"),
                location=op.location,
            )
            results.append(e.insert(concat))
            results[i].name_hint = old_result.name_hint
        rewriter.replace(op, [], results)
        for dead_op in (outer, *(dead_op for source in sources for dead_op in source.ops)):
            rewriter.erase(dead_op)


@dataclass(frozen=True)
class _Range:
    """What a Slice takes of one dimension."""

    op: SliceOp
    axis: int
    start: int
    end: int


class JoinSlices(OnnxPattern[SliceOp]):
    """`slice(x) [:, :n], slice(x) [:, n:] -> split(x)`, where a product makes `x` and nothing else reads it.

    Frameworks write a split so.
    """

    def rewrite(self, op: SliceOp, rewriter: PatternRewriter, /) -> None:
        value = op.operands[0]
        product, shape = value.owner, shape_of(value.type) or ()
        if not isinstance(product, AddOp | ConvOp | GemmOp | MatMulOp):
            return
        readers = [use.operation for use in value.uses]
        taken = [self._range(reader) for reader in readers if isinstance(reader, SliceOp)]
        ranges = sorted((r for r in taken if r is not None), key=lambda r: r.start)
        if len(ranges) < len(readers) or len({r.axis for r in ranges}) != 1:
            why(op, "not all that reads the product takes a range of one dimension")
            return
        axis, borders = ranges[0].axis, [0, *(r.end for r in ranges)]
        if [r.start for r in ranges] != borders[:-1] or borders[-1] != shape[axis]:
            why(op, "together, what reads the product does not take each number once")
            return
        e = OnnxReplacement(self.values, op, rewriter, InsertPoint.after(product))
        split = make_node(
            "Split",
            [value, e.ints("sizes", [r.end - r.start for r in ranges])],
            [r.op.value_name(0) for r in ranges],
            attributes={"axis": axis},
            result_types=[r.op.results[0].type for r in ranges],
            node_name=op.node_name.data,
            location=op.location,
        )
        e.insert(split)
        for r, result in zip(ranges, split.results, strict=True):
            result.name_hint = r.op.results[0].name_hint
            rewriter.replace(r.op, [], [result])

    def _range(self, op: SliceOp) -> _Range | None:
        """The range that an op takes, step by step; None if it is unknown, or of several dimensions."""
        shape = shape_of(op.operands[0].type)
        arrays = [self.values.array(value) for value in op.operands[1:]]
        numbers = [int(a.reshape(-1)[0]) for a in arrays if a is not None and a.size == 1]
        if shape is None or len(numbers) < len(arrays) or len(numbers) not in (3, 4):
            return None
        start, end, axis, *step = numbers
        size = shape[axis]
        if size < 1 or step not in ([], [1]):
            return None
        start, end, _ = slice(start, end).indices(size)
        return _Range(op, axis % len(shape), start, end) if start < end else None


def _axis(op: OnnxOp, shape: Shape) -> int:
    return attribute(op, "axis", 0) % len(shape)


def _joined(value: SSAValue, axis: int, sizes: Sequence[int]) -> Joined | None:
    """How a value is made of parts of these sizes along an axis; None if it is not."""
    owner, behind, ops = value.owner, None, list[Operation]()
    if not value.has_one_use():
        return None
    if isinstance(owner, ReshapeOp):
        behind = _behind(owner, axis)
        if behind is None or not owner.operands[0].has_one_use():
            return None
        ops.append(owner)
        owner = owner.operands[0].owner
    if not isinstance(owner, ConcatOp):
        return None
    ops.append(owner)
    shapes = [shape_of(v.type) for v in owner.operands]
    ranked = [shape for shape in shapes if shape]
    if len(ranked) < len(shapes) or _axis(owner, ranked[0]) != axis:
        return None
    if [shape[axis] for shape in ranked] != list(sizes) or min(sizes) < 0:
        return None
    return Joined(list(owner.operands), behind, ops)


def _behind(op: ReshapeOp, axis: int) -> Shape | None:
    """The sizes behind an axis that a Reshape makes; None if it changes more than these, or may."""
    shape, out = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    if shape is None or out is None or shape[: axis + 1] != out[: axis + 1] or 0 in shape:
        return None
    old, new = shape[axis + 1 :], out[axis + 1 :]
    if min(shape[: axis + 1]) < 0:
        # Two unknown sizes are the same one only if what is behind them is as much.
        return new if min(*old, *new) >= 0 and prod(old) == prod(new) else None
    return tuple(max(n, -1) for n in new) if sum(n < 0 for n in new) <= 1 else None


def _reshaped(e: OnnxReplacement, value: SSAValue, axis: int, behind: Shape | None) -> SSAValue:
    """The value with other sizes behind the axis."""
    shape, element = shape_of(value.type), element_type(value.type)
    if behind is None or shape is None or element is None:
        return value
    leading = shape[: axis + 1]
    # A 0 leaves a size as it is.
    sizes = e.ints("sizes", [*(0 for _ in leading), *behind])
    result_shape = [DYNAMIC_INDEX if n < 0 else n for n in (*leading, *behind)]
    return e.node("shaped", "Reshape", [value, sizes], type=TensorType(element, result_shape))
