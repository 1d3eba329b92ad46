"""The windows of poolings and transposed convolutions: their kernels, pads and output sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import static_shape

POOLINGS = frozenset({"AveragePool", "LpPool", "MaxPool"})


def same_pads(size: int, kernel: int, stride: int) -> int:
    """The padding of a pooling with `auto_pad` SAME, both sides together; it ignores dilations."""
    return (-(-size // stride) - 1) * stride + kernel - size


def paddings(pads: list[int], axes: list[int] | None, rank: int) -> tuple[list[int], list[int]]:
    """How much the constant operands of a Pad say before and behind each axis."""
    axes = [a % max(rank, 1) for a in axes or range(rank)]
    begins, ends = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        begins[axis], ends[axis] = pads[i], pads[i + len(axes)]
    return begins, ends


def transposed_pads(op: OnnxOp, kernel: Sequence[int]) -> list[int]:
    """What a transposed convolution with `auto_pad` crops from each axis, both sides together."""
    n = len(kernel)
    strides: list[int] = attribute(op, "strides") or [1] * n
    dilations: list[int] = attribute(op, "dilations") or [1] * n
    extra: list[int] = attribute(op, "output_padding") or [0] * n
    axes = zip(kernel, strides, dilations, extra, strict=True)
    return [max((k - 1) * d + 1 + e - s, 0) for k, s, d, e in axes]


def same_transposed(op: OnnxOp) -> dict[str, list[int]]:
    """Kernel and pads that give a ConvTranspose with `auto_pad` SAME the sizes that runtimes make.

    The onnx package adds its `output_padding` on top. Empty if it has no such `auto_pad`, or the
    kernel is unknown.
    """
    if op.op_type != "ConvTranspose" or attribute(op, "output_shape") is not None:
        return {}
    if attribute(op, "auto_pad", "NOTSET") not in ("SAME_UPPER", "SAME_LOWER"):
        return {}
    weights = static_shape(op.operands[1].type) or ()
    kernel: list[int] = attribute(op, "kernel_shape") or list(weights[2:])
    if not kernel:
        return {}
    return {"kernel_shape": kernel, "pads": [*transposed_pads(op, kernel), *[0] * len(kernel)]}


def is_odd_window(op: OnnxOp) -> bool:
    """Whether the onnx package gets other sizes for a pooling than runtimes do."""
    if op.op_type not in POOLINGS:
        return False
    _, _, dilations, _, auto = window_of(op)
    is_wide = any(d != 1 for d in dilations) and auto in ("SAME_UPPER", "SAME_LOWER")
    return is_wide or bool(attribute(op, "ceil_mode", 0))


def pooled(op: OnnxOp, shape: Sequence[int]) -> list[int] | None:
    """The sizes of a pooling's result; None if those of its operand are not all known.

    A window that would begin behind the image, in the padding, is left out where sizes are rounded up, and a
    pooling with `auto_pad` SAME pads as if it had no dilations.
    """
    kernel, strides, dilations, pads, auto = window_of(op)
    n = len(kernel)
    if len(shape) != n + 2 or any(d < 0 for d in shape[2:]):
        return None
    output_sizes: list[int] = []
    for i, (size, k, s, d) in enumerate(zip(shape[2:], kernel, strides, dilations, strict=True)):
        first, both = pads[i], pads[i] + pads[i + n]
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            both = same_pads(size, k, s)
            half = int(both / 2)
            first = half if auto == "SAME_UPPER" else both - half
        room = size + both - (k - 1) * d - 1
        if not attribute(op, "ceil_mode", 0):
            # Rounded towards zero if the window is larger than the image.
            output_sizes.append(int(room / s) + 1)
            continue
        count = -(-room // s) + 1
        output_sizes.append(count - 1 if (count - 1) * s >= size + first else count)
    return output_sizes


def rounded_down(op: OnnxOp, sizes: Sequence[int]) -> list[int]:
    """The sizes of a padded pooling's result without `ceil_mode`, where windows in the padding count."""
    kernel, strides, dilations, pads, _ = window_of(op)
    windows = zip(sizes, kernel, strides, dilations, strict=True)
    return [
        (size + pads[i] + pads[i + len(kernel)] - (k - 1) * d - 1) // s + 1
        for i, (size, k, s, d) in enumerate(windows)
    ]


def exact_window(op: OnnxOp, sizes: Sequence[int], target: Sequence[int]) -> dict[str, list[int]]:
    """Kernel and pads with which a pooling that rounds down has the sizes `target`."""
    kernel, strides, _, pads, _ = window_of(op)
    n = len(kernel)
    dimensions = zip(sizes, pads[:n], target, strides, strict=True)
    reach = [size + begin - (count - 1) * s for size, begin, count, s in dimensions]
    return {"kernel_shape": reach, "pads": [*pads[:n], *[0] * n]}


def window_of(op: OnnxOp) -> tuple[list[int], list[int], list[int], list[int], str]:
    """Kernel, strides, dilations, pads and `auto_pad` of a pooling, or a convolution with `kernel_shape`."""
    kernel: list[int] = attribute(op, "kernel_shape")
    n = len(kernel)
    auto = attribute(op, "auto_pad", "NOTSET")
    pads: list[int] = (attribute(op, "pads") if auto == "NOTSET" else None) or [0] * (2 * n)
    strides: list[int] = attribute(op, "strides") or [1] * n
    return kernel, strides, attribute(op, "dilations") or [1] * n, pads, auto


def window_means(size: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A matrix whose rows are the means over `count` windows that cover `size` elements."""
    matrix = np.zeros((count, size))
    for i in range(count):
        start, end = i * size // count, -(-(i + 1) * size // count)
        matrix[i, start:end] = 1 / (end - start)
    return matrix
