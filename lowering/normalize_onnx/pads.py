"""Writing out what convolutions and poolings leave to be computed from shapes: kernel sizes and pads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.onnx.ops import (
    AveragePoolOp,
    ConvOp,
    ConvTransposeOp,
    LpPoolOp,
    MaxPoolOp,
)
from autosplit.dialects.platform import shape_of, static_shape
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.windows import same_pads, transposed_pads

Windowed: TypeAlias = AveragePoolOp | ConvOp | ConvTransposeOp | LpPoolOp | MaxPoolOp


class ExplicitPads(Pattern[Windowed]):
    """`conv {auto_pad} -> conv {pads, kernel_shape}`, where the shapes are known."""

    def rewrite(self, op: Windowed, rewriter: PatternRewriter, /) -> None:
        kernel: list[int] | None = attribute(op, "kernel_shape")
        if kernel is None:
            weights = operand(op, 1)
            shape = None if weights is None else static_shape(weights.type)
            if shape is None:
                why(op, "the size of its kernel is unknown")
                return
            kernel = list(shape[2:])
            op.properties["kernel_shape"] = field_attr(kernel)
            rewriter.notify_op_modified(op)
        auto = attribute(op, "auto_pad", "NOTSET")
        if auto == "NOTSET":
            return
        if (pads := _pads(op, auto, kernel)) is None:
            why(op, f"what {auto} pads is unknown")
            return
        del op.properties["auto_pad"]
        op.properties["pads"] = field_attr(pads)
        rewriter.notify_op_modified(op)


MOVING = frozenset({"Conv", "LpPool"})
"""Where `auto_pad` SAME asks for a negative padding, ONNX Runtime moves their windows by the half of it."""


def _pads(op: OnnxOp, auto: str, kernel: Sequence[int]) -> list[int] | None:
    n = len(kernel)
    if auto == "VALID":
        return [0] * (2 * n)
    shape = shape_of(op.operands[0].type)
    if shape is None or any(d < 0 for d in shape[2:]) or auto not in ("SAME_UPPER", "SAME_LOWER"):
        return None
    strides: list[int] = attribute(op, "strides") or [1] * n
    dilations: list[int] = attribute(op, "dilations") or [1] * n
    if op.op_type == "ConvTranspose":
        return _transposed(op, shape[2:], kernel, strides, dilations)
    begin: list[int] = []
    ends: list[int] = []
    for size, k, s, d in zip(shape[2:], kernel, strides, dilations, strict=True):
        reach = (k - 1) * d + 1 if op.op_type == "Conv" else k
        total = same_pads(size, reach, s)
        if total < -1 and op.op_type in MOVING:
            return None
        total = max(total, 0)
        begin_pad = total // 2 if auto == "SAME_UPPER" else total - total // 2
        begin.append(begin_pad)
        ends.append(total - begin_pad)
    return begin + ends


def _transposed(
    op: OnnxOp,
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> list[int] | None:
    """Pads of a transposed convolution whose output is `stride` times its input, or smaller without any.

    Versions of the standard differ on which side gets the odd one, so only even pads are written out.
    """
    if attribute(op, "output_shape") is not None:
        return None
    totals = transposed_pads(op, kernel)
    if any(total % 2 for total in totals) or len(sizes) != len(kernel):
        return None
    return [total // 2 for total in totals] * 2
