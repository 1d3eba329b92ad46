"""Casts and clips that change nothing."""

from __future__ import annotations

import numpy as np
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import DType, dtype_of
from autosplit.dialects.onnx.base import operand
from autosplit.dialects.onnx.ops import CastOp, ClipOp
from autosplit.dialects.platform import element_type
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.rewriting import set_operand, why
from autosplit.lowering.shared.types import join


class DropSameCast(OnnxPattern[CastOp]):
    """`cast(x) -> x`, to the type that `x` has already."""

    def rewrite(self, op: CastOp, rewriter: PatternRewriter, /) -> None:
        x = op.operands[0]
        element = element_type(x.type)
        if element is None or element != element_type(op.results[0].type):
            why(op, "it changes the type, or may")
            return
        self.replacement(op, rewriter).replace_value(x)


class MergeCasts(OnnxPattern[CastOp]):
    """`cast(cast(x)) -> cast(x)`, where the first one is exact."""

    def rewrite(self, op: CastOp, rewriter: PatternRewriter, /) -> None:
        x = op.operands[0]
        if not isinstance(inner_cast := x.owner, CastOp):
            why(op, "it casts the result of no other cast")
            return
        source = inner_cast.operands[0]
        start, middle, end = (dtype_of(v.type) for v in (source, x, op.results[0]))
        if start is None or middle is None or end is None or not _one_cast(start, middle, end):
            why(op, "the cast in front of it may change numbers")
            return
        set_operand(rewriter, op, 0, source)


class DropClip(OnnxPattern[ClipOp]):
    """`clip(x) -> x`, where its bounds, if any, are infinite."""

    def rewrite(self, op: ClipOp, rewriter: PatternRewriter, /) -> None:
        for index, infinity in ((1, -np.inf), (2, np.inf)):
            if (bound := operand(op, index)) is None:
                continue
            array = self.values.array(bound)
            if (
                array is None
                or array.size != 1
                or array.dtype.kind != "f"
                or array.item() != infinity
            ):
                why(op, "a bound is finite, or may be")
                return
        x, result = op.operands[0], op.results[0]
        if join(x.type, result.type) == x.type:
            self.replacement(op, rewriter).replace_value(x)


def _one_cast(start: DType, middle: DType, end: DType) -> bool:
    """Whether casting from `start` to `end` directly gives the same numbers as through `middle`."""
    if not _fits(start, middle):
        return False
    # An integer that does not fit wraps, a float that does not fit is undefined: their kinds must agree.
    return start == end or start.kind == middle.kind or _fits(start, end) or end.kind == "b"


def _fits(small: DType, big: DType) -> bool:
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
