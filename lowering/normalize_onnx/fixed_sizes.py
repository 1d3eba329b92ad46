"""Operands that only say a shape that is known are constants of it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import ExpandOp, ReshapeOp, ResizeOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.rewriting import set_operand, why
from autosplit.lowering.sizes.size_walk import SizeWalk


class FixSizes(OnnxPattern[ReshapeOp | ExpandOp | ResizeOp]):
    """`reshape(x, sizes) -> reshape(x, constant)`, where the result has a known shape; Expand, Resize too.

    Of a Reshape one size may be unknown, which follows from the others, and those that it keeps.
    """

    def __init__(self, values: ModuleValues, sizes: SizeWalk):
        super().__init__(values)
        self.sizes = sizes

    def rewrite(self, op: ReshapeOp | ExpandOp | ResizeOp, rewriter: PatternRewriter, /) -> None:
        value = operand(op, 3 if isinstance(op, ResizeOp) else 1)
        if value is None or (sizes := self._sizes(op, value)) is None:
            return
        constant = self.replacement(op, rewriter).ints("sizes", sizes)
        set_operand(rewriter, op, list(op.operands).index(value, 1), constant)

    def _sizes(self, op: OnnxOp, value: SSAValue) -> list[int] | None:
        """The constant sizes that replace `value`."""
        shape = shape_of(op.results[0].type)
        if shape is None or 0 in shape:
            why(op, "the shape of its result is unknown, or nothing is in it")
            return None
        unknown = [i for i, d in enumerate(shape) if d < 0]
        if self.values.is_constant(value) and not (unknown and self._only_keeps(op, value)):
            return None
        if unknown and not isinstance(op, ReshapeOp):
            why(op, "a size of its result is unknown")
            return None
        kept_axes = self._kept_axes(op, value, unknown)
        if len(unknown) - len(kept_axes) > 1:
            why(op, "sizes of its result are unknown")
            return None
        if isinstance(op, ResizeOp) and (len(shape) == 0 or attribute(op, "axes") is not None):
            return None
        # Compilers handle one -1 best; several 0s without a -1 were measured to go wrong.
        kept_axes = kept_axes[:-1] if len(kept_axes) == len(unknown) else kept_axes
        return [0 if i in kept_axes else -1 if d < 0 else d for i, d in enumerate(shape)]

    def _only_keeps(self, op: OnnxOp, value: SSAValue) -> bool:
        """Whether all sizes that a Reshape leaves open are those of its operand, said by a 0."""
        sizes = self.sizes.integers(value)
        keeps = isinstance(op, ReshapeOp) and not attribute(op, "allowzero", 0)
        return keeps and sizes is not None and 0 in sizes and -1 not in sizes

    def _kept_axes(self, op: OnnxOp, value: SSAValue, axes: Sequence[int]) -> list[int]:
        """The axes among these along which a Reshape to the sizes `value` has those of its operand."""
        shape, requested = self.sizes.shape(op.operands[0]), self.sizes.elements(value)
        if shape is None or requested is None or attribute(op, "allowzero", 0):
            return []
        sizes = requested.reshape(-1)
        return [i for i in axes if i < min(len(shape), len(sizes)) and sizes[i] in (0, shape[i])]
