"""Writing out what convolutions and poolings leave to be computed from shapes: kernel sizes and pads."""

from __future__ import annotations

from collections.abc import Sequence

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.platform import shape_of, static_shape
from autosplit.lowering.normalize_onnx.canonical import attribute, operand

POOLINGS = frozenset({"AveragePool", "LpPool", "MaxPool"})
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
        total = _same_pads(size, reach, s)
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
    totals = _transposed_pads(op, kernel)
    if any(total % 2 for total in totals) or len(sizes) != len(kernel):
        return None
    return [total // 2 for total in totals] * 2


def _transposed_pads(op: OnnxOp, kernel: Sequence[int]) -> list[int]:
    """What a transposed convolution that pads itself leaves out on both sides together, of each axis."""
    n = len(kernel)
    strides: list[int] = attribute(op, "strides") or [1] * n
    dilations: list[int] = attribute(op, "dilations") or [1] * n
    extra: list[int] = attribute(op, "output_padding") or [0] * n
    axes = zip(kernel, strides, dilations, extra, strict=True)
    return [max((k - 1) * d + 1 + e - s, 0) for k, s, d, e in axes]


def same_transposed(op: OnnxOp) -> dict[str, list[int]]:
    """Kernel and pads with which a ConvTranspose with `auto_pad` SAME makes the sizes that runtimes make.

    To the onnx package its `output_padding` comes on top. Empty where it has no such `auto_pad`, or the
    kernel is not known.
    """
    if op.op_type != "ConvTranspose" or attribute(op, "output_shape") is not None:
        return {}
    if attribute(op, "auto_pad", "NOTSET") not in ("SAME_UPPER", "SAME_LOWER"):
        return {}
    weights = static_shape(op.operands[1].type) or ()
    kernel: list[int] = attribute(op, "kernel_shape") or list(weights[2:])
    if not kernel:
        return {}
    return {"kernel_shape": kernel, "pads": [*_transposed_pads(op, kernel), *[0] * len(kernel)]}


def _same_pads(size: int, kernel: int, stride: int) -> int:
    """What a pooling with `auto_pad` SAME adds to both sides together: dilations are forgotten in it."""
    return (-(-size // stride) - 1) * stride + kernel - size


def is_odd_window(op: OnnxOp) -> bool:
    """Whether a pooling is of those of which the onnx package forgets what runtimes do."""
    if op.op_type not in POOLINGS:
        return False
    _, _, dilations, _, auto = _window(op)
    is_wide = any(d != 1 for d in dilations) and auto in ("SAME_UPPER", "SAME_LOWER")
    return is_wide or bool(attribute(op, "ceil_mode", 0))


def pooled(op: OnnxOp, shape: Sequence[int]) -> list[int] | None:
    """The sizes that a pooling gives; None where those of its operand are not all known.

    A window that would begin behind the image, in the padding, is left out where sizes are rounded up, and a
    pooling with `auto_pad` SAME pads as if it had no dilations.
    """
    kernel, strides, dilations, pads, auto = _window(op)
    n = len(kernel)
    if len(shape) != n + 2 or any(d < 0 for d in shape[2:]):
        return None
    found: list[int] = []
    for i, (size, k, s, d) in enumerate(zip(shape[2:], kernel, strides, dilations, strict=True)):
        first, both = pads[i], pads[i] + pads[i + n]
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            both = _same_pads(size, k, s)
            half = int(both / 2)
            first = half if auto == "SAME_UPPER" else both - half
        room = size + both - (k - 1) * d - 1
        if not attribute(op, "ceil_mode", 0):
            # Rounded towards zero, where the window is larger than the image.
            found.append(int(room / s) + 1)
            continue
        count = -(-room // s) + 1
        found.append(count - 1 if (count - 1) * s >= size + first else count)
    return found


def rounded_down(op: OnnxOp, sizes: Sequence[int]) -> list[int]:
    """The sizes that a pooling with pads gives without `ceil_mode`, where windows in the padding count."""
    kernel, strides, dilations, pads, _ = _window(op)
    windows = zip(sizes, kernel, strides, dilations, strict=True)
    return [
        (size + pads[i] + pads[i + len(kernel)] - (k - 1) * d - 1) // s + 1
        for i, (size, k, s, d) in enumerate(windows)
    ]


def exact_window(op: OnnxOp, sizes: Sequence[int], wanted: Sequence[int]) -> dict[str, list[int]]:
    """Kernel and pads with which a pooling that rounds down gives the sizes `wanted`, whatever numbers."""
    kernel, strides, _, pads, _ = _window(op)
    n = len(kernel)
    found = zip(sizes, pads[:n], wanted, strides, strict=True)
    reach = [size + begin - (count - 1) * s for size, begin, count, s in found]
    return {"kernel_shape": reach, "pads": [*pads[:n], *[0] * n]}


def _window(op: OnnxOp) -> tuple[list[int], list[int], list[int], list[int], str]:
    """Kernel, strides, dilations, pads and `auto_pad` of a pooling."""
    kernel: list[int] = attribute(op, "kernel_shape")
    n = len(kernel)
    auto = attribute(op, "auto_pad", "NOTSET")
    pads: list[int] = (attribute(op, "pads") if auto == "NOTSET" else None) or [0] * (2 * n)
    strides: list[int] = attribute(op, "strides") or [1] * n
    return kernel, strides, attribute(op, "dilations") or [1] * n, pads, auto
