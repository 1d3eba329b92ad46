"""Poolings: windows that move, and those that cover all of an input."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.activations import LOWEST
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts import padded


@converts("MaxPool")
def max_pool(c: Conversion) -> SSAValue:
    """A MaxPool. In three dimensions Top pads with zeros, so there the padding is a Pad of its own."""
    kernel, strides, pads, end = _window(c)
    pads = pads[: len(kernel)] + end
    x = c.operand(0)
    if len(kernel) == 3 and any(pads):
        x = padded(c, x, pads, LOWEST, "padded")
        pads = [0] * len(pads)
    return c.emit("MaxPool", [x], _attrs(kernel, strides, pads))


@converts("AveragePool")
def average_pool(c: Conversion) -> SSAValue:
    """An AvgPool. Padding counts in the same way at both ends, or it is a Pad of its own.

    What the last window of ceil_mode has beyond the padding never counts.
    """
    kernel, strides, pads, end = _window(c)
    n = len(kernel)
    counted = bool(c.q.integer("count_include_pad", 0)) and any(pads)
    x = c.operand(0)
    if not counted:
        return c.emit("AvgPool", [x], _attrs(kernel, strides, pads[:n] + end))
    if pads[:n] == end:
        return c.emit("AvgPool", [x], _attrs(kernel, strides, pads) | {"count_include_pad": True})
    beyond = [e - p for e, p in zip(end, pads[n:], strict=True)]
    x = padded(c, x, pads, 0.0, "padded")
    return c.emit("AvgPool", [x], _attrs(kernel, strides, [0] * n + beyond))


def _attrs(
    kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int]
) -> dict[str, AttrValue]:
    return {"kernel_shape": list(kernel), "strides": list(strides), "pads": list(pads)}


def _window(c: Conversion) -> tuple[list[int], list[int], list[int], list[int]]:
    """Kernel, strides, pads, and the end pads that hold the last windows too, as ceil_mode asks for."""
    kernel = c.q.integers("kernel_shape") or []
    n = len(kernel)
    strides = c.q.integers("strides") or [1] * n
    pads = c.q.integers("pads") or [0] * (2 * n)
    shape, made = c.q.shape(0) or (), c.shape()
    if not c.q.integer("ceil_mode", 0) or any(d < 0 for d in (*shape, *made)):
        return kernel, strides, pads, pads[n:]
    found = zip(shape[2:], made[2:], kernel, strides, pads[:n], pads[n:], strict=True)
    end = [max((o - 1) * s + k - i - p, e) for i, o, k, s, p, e in found]
    return kernel, strides, pads, end


@converts("GlobalAveragePool", "GlobalMaxPool")
def global_pool(c: Conversion) -> SSAValue:
    """A pooling with a window as large as the input."""
    kind = "AvgPool" if c.op.op_type == "GlobalAveragePool" else "MaxPool"
    kernel = list((c.q.shape(0) or ())[2:])
    n = len(kernel)
    if any(k < 0 for k in kernel):
        return c.emit(kind, [c.operand(0)], _attrs([], [], []))
    return c.emit(kind, [c.operand(0)], _attrs(kernel, [1] * n, [0] * (2 * n)))
