"""Splits of what was joined, as the heads of detectors join boxes and scores, and then all scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import ConcatOp, ReshapeOp, SplitOp
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
        axis = attribute(op, "axis", 0) % len(shape)
        if attribute(outer, "axis") % len(shape) == axis or not outer.results[0].has_one_use():
            why(op, "what it splits is joined along the same axis, or read by something else")
            return
        sizes = [(shape_of(r.type) or ())[axis : axis + 1] for r in op.results]
        joined = [_joined(value, axis, sizes) for value in outer.operands]
        parts = [one for one in joined if one is not None]
        if len(parts) < len(joined):
            why(op, "what is joined is not made of the parts that it splits into")
            return
        e = self.replacement(op, rewriter)
        results = [self._part(e, i, parts, attribute(outer, "axis")) for i in range(len(sizes))]
        for old, new in zip(op.results, results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, [], results)
        for gone in (outer, *(gone for part in parts for gone in part.ops)):
            rewriter.erase(gone)

    def _part(self, e: OnnxReplacement, i: int, parts: Sequence[Joined], axis: int) -> SSAValue:
        """What takes the place of a result of the split."""
        new = make_node(
            "Concat",
            [_reshaped(e, part.operands[i], part.behind) for part in parts],
            [e.op.output_names[i]],
            attributes={"axis": axis},
            result_types=[e.op.results[i].type],
            node_name=e.fresh("part"),
            location=e.op.location,
        )
        return e.insert(new)


def _joined(value: SSAValue, axis: int, sizes: Sequence[Shape]) -> Joined | None:
    """How a value is made of parts of these sizes along an axis; None if it is not."""
    owner, behind, ops = value.owner, None, list[Operation]()
    if not value.has_one_use():
        return None
    if isinstance(owner, ReshapeOp):
        before, after = shape_of(owner.operands[0].type), shape_of(value.type)
        if before is None or after is None or before[: axis + 1] != after[: axis + 1]:
            return None
        behind = after[axis + 1 :]
        ops.append(owner)
        if sum(n < 0 for n in behind) > 1 or 0 in before or not owner.operands[0].has_one_use():
            return None
        owner = owner.operands[0].owner
    if not isinstance(owner, ConcatOp):
        return None
    ops.append(owner)
    shapes = [shape_of(v.type) or () for v in owner.operands]
    along = attribute(owner, "axis")
    if along < 0 and shapes[0]:
        along += len(shapes[0])
    if along != axis or [s[axis : axis + 1] for s in shapes] != list(sizes) or (-1,) in sizes:
        return None
    return Joined(list(owner.operands), behind, ops)


def _reshaped(e: OnnxReplacement, value: SSAValue, behind: Shape | None) -> SSAValue:
    """The value with other sizes behind the axis."""
    shape, element = shape_of(value.type), element_type(value.type)
    if behind is None or shape is None or element is None:
        return value
    kept = shape[: _axis_of(e.op) + 1]
    # A 0 leaves a size as it is.
    sizes = e.ints("sizes", [*(0 for _ in kept), *behind])
    return e.node("shaped", "Reshape", [value, sizes], type=TensorType(element, [*kept, *behind]))


def _axis_of(op: OnnxOp) -> int:
    return attribute(op, "axis", 0) % len(shape_of(op.operands[0].type) or (0,))
