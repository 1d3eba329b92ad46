"""Softmax of older opsets, which works on rows: where a row is the last axis, it is the newer one."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import ReshapeOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.rewriting import why

ON_ROWS = frozenset({"Hardmax", "LogSoftmax", "Softmax"})


class SoftmaxOfRows(OnnxPattern[ReshapeOp]):
    """`reshape(softmax(flatten(x)), shape(x)) -> softmax(x)`, where rows are the last axis of `x`.

    Canonical forms are made before all ranks are known; sizes that vary leave the Reshape in the way of
    chips.
    """

    def rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        done = _maker(op, 0)
        if done is None or done.op_type not in ON_ROWS:
            return
        rows = _maker(done, 0)
        if attribute(done, "axis", -1) not in (1, -1) or rows is None or rows.op_type != "Flatten":
            why(op, "what it reshapes is not computed on rows")
            return
        x = rows.operands[0]
        shape, axis = shape_of(x.type), attribute(rows, "axis", 1)
        if not _restores(op, x) or shape is None or axis not in (len(shape) - 1, -1):
            why(op, "it does not restore the shape, or rows are not the last axis")
            return
        fields = {"axis": len(shape) - 1}
        e = self.replacement(op, rewriter)
        e.replace([x], op_type=done.op_type, drop=("allowzero",), add=fields)


def _maker(op: OnnxOp, index: int) -> OnnxOp | None:
    value = operand(op, index)
    owner = None if value is None else value.owner
    return owner if isinstance(owner, OnnxOp) else None


def _restores(op: OnnxOp, x: SSAValue) -> bool:
    """Whether a Reshape gives the shape of `x` again: as it says, or as one size that varies must be."""
    sizes = _maker(op, 1)
    if sizes is not None and sizes.op_type == "Shape" and sizes.operands[0] is x:
        return not attribute(sizes, "start", 0) and attribute(sizes, "end") is None
    shape = shape_of(x.type)
    return shape == shape_of(op.results[0].type) and sum(d < 0 for d in shape or ()) == 1
