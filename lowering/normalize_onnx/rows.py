"""Softmax of older opsets, which works on rows: where a row is the last axis, it is the newer one."""

from __future__ import annotations

from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import shape_of
from autosplit.lowering.normalize_onnx.canonical import Canonical

ON_ROWS = frozenset({"Hardmax", "LogSoftmax", "Softmax"})


def last_axis(c: Canonical, op: OnnxOp) -> bool:
    """Makes `Reshape(Softmax(Flatten(x)), Shape(x))` a Softmax of `x` where rows are its last axis.

    Canonical forms are made before all ranks are known; sizes that vary leave the Reshape in the way of
    chips. True where it did.
    """
    if op.op_type != "Reshape":
        return False
    done = _maker(op, 0)
    if done is None or done.op_type not in ON_ROWS or attribute(done, "axis", -1) not in (1, -1):
        return False
    rows = _maker(done, 0)
    if rows is None or rows.op_type != "Flatten" or not _restores(op, rows.operands[0]):
        return False
    shape, axis = shape_of(rows.operands[0].type), attribute(rows, "axis", 1)
    if shape is None or axis not in (len(shape) - 1, -1):
        return False
    c.replace(
        op,
        [rows.operands[0]],
        op_type=done.op_type,
        drop=("allowzero",),
        add={"axis": len(shape) - 1},
    )
    return True


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
