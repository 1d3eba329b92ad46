"""Writing out what convolutions and poolings leave to be computed from shapes: kernel sizes and pads."""

from __future__ import annotations

from collections.abc import Sequence

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.platform import shape_of, static_shape
from autosplit.lowering.shared.windows import POOLINGS, same_pads, transposed_pads

WINDOWED = POOLINGS | frozenset({"Conv", "ConvTranspose"})


def explicit_pads(op: OnnxOp) -> bool:
    """Replaces `auto_pad` by `pads`, and adds `kernel_shape`, where the shapes are known.

    True where anything changed.
    """
    if op.op_type not in WINDOWED or "auto_pad" not in type(op).get_irdl_definition().properties:
        return False
    kernel: list[int] | None = attribute(op, "kernel_shape")
    changed = False
    if kernel is None:
        weights = operand(op, 1)
        shape = None if weights is None else static_shape(weights.type)
        if shape is None:
            return False
        kernel = list(shape[2:])
        op.properties["kernel_shape"] = field_attr(kernel)
        changed = True
    auto = attribute(op, "auto_pad", "NOTSET")
    if auto == "NOTSET":
        return changed
    pads = _pads(op, auto, kernel)
    if pads is None:
        return changed
    del op.properties["auto_pad"]
    op.properties["pads"] = field_attr(pads)
    return True


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
    end: list[int] = []
    for size, k, s, d in zip(shape[2:], kernel, strides, dilations, strict=True):
        reach = (k - 1) * d + 1 if op.op_type == "Conv" else k
        total = same_pads(size, reach, s)
        if total < -1 and op.op_type in MOVING:
            return None
        total = max(total, 0)
        first = total // 2 if auto == "SAME_UPPER" else total - total // 2
        begin.append(first)
        end.append(total - first)
    return begin + end


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
