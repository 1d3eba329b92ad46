"""Casts and clips that change nothing."""

from __future__ import annotations

import numpy as np
from xdsl.ir import OpResult

from autosplit.core.dtypes import DType, dtype_of
from autosplit.dialects.onnx.base import OnnxOp, operand
from autosplit.dialects.platform import element_type
from autosplit.lowering.normalize_onnx.canonical import Canonical
from autosplit.lowering.shared.types import join


def clean_cast(c: Canonical, op: OnnxOp) -> bool:
    """Removes a cast to the type that is there already; makes one cast of two where the first is exact."""
    x, result = op.operands[0], op.results[0]
    found, wanted = element_type(x.type), element_type(result.type)
    if found is None or wanted is None:
        return False
    if found == wanted:
        c.replace_value(op, x)
        return True
    if not isinstance(x, OpResult) or not isinstance(first := x.op, OnnxOp):
        return False
    if first.op_type != "Cast" or first.domain != "":
        return False
    source = first.operands[0]
    start, middle, end = (dtype_of(v.type) for v in (source, x, result))
    if start is None or middle is None or end is None or not _one_cast(start, middle, end):
        return False
    op.operands[0] = source
    return True


def _one_cast(start: DType, middle: DType, end: DType) -> bool:
    """Whether casting from `start` to `end` directly gives the same numbers as by way of `middle`."""
    if not _holds(start, middle):
        return False
    # An integer that does not fit wraps, a float that does not fit is undefined: their kinds must agree.
    return start == end or start.kind == middle.kind or _holds(start, end) or end.kind == "b"


def _holds(small: DType, big: DType) -> bool:
    """Whether every number of dtype `small` is one of dtype `big`."""
    if small == big:
        return True
    if small.kind not in "biuf" or big.kind not in "iuf":
        return False
    if small.kind == "b":
        return True
    if big.kind == "f":
        bits = {"f": 0, "i": 8 * small.itemsize - 1, "u": 8 * small.itemsize}[small.kind]
        digits = {2: 11, 4: 24, 8: 53}.get(big.itemsize, 0)
        return small.itemsize < big.itemsize if small.kind == "f" else bits <= digits
    if small.kind == "f" or (small.kind == "i" and big.kind == "u"):
        return False
    return small.itemsize < big.itemsize


def drop_clip(c: Canonical, op: OnnxOp) -> bool:
    """A Clip is its operand where its bounds, if any, are infinite."""
    for index, infinity in ((1, -np.inf), (2, np.inf)):
        if (bound := operand(op, index)) is None:
            continue
        array = c.constants.array(bound)
        if array is None or array.size != 1 or array.dtype.kind != "f" or array.item() != infinity:
            return False
    x, result = op.operands[0], op.results[0]
    if join(x.type, result.type) != x.type:
        return False
    c.replace_value(op, x)
    return True
