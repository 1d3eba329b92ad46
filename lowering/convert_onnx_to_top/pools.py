"""Poolings: windows that move, and those that cover all of an input."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts import padded, reshape, sizes


@converts("MaxPool")
def max_pool(c: Conversion) -> SSAValue:
    """A MaxPool. Three dimensions are two poolings: in one, BM1684 was measured to give at least 0."""
    kernel, strides, pads, end = _window(c)
    n, x = len(kernel), c.operand(0)
    pads = pads[:n] + end
    if n < 3:
        return c.emit("MaxPool", [x], _attrs(kernel, strides, pads))
    batch, channels, depth, *plane = sizes(x)
    made = c.shape()
    x = reshape(c, x, (batch, channels * depth, *plane), "planes")
    attrs = _attrs(kernel[1:], strides[1:], [*pads[1:3], *pads[4:]])
    middle = (batch, channels * depth, *made[3:])
    x = c.emit("MaxPool", [x], attrs, shape=middle, suffix="pooled_planes")
    x = reshape(c, x, (batch, channels, depth, prod(made[3:])), "columns")
    attrs = _attrs([kernel[0], 1], [strides[0], 1], [pads[0], 0, pads[3], 0])
    columns = (batch, channels, made[2], prod(made[3:]))
    x = c.emit("MaxPool", [x], attrs, shape=columns, suffix="pooled_columns")
    return reshape(c, x, made)


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
    if pads[:n] == end == pads[n:]:
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


@converts("GlobalMaxPool")
def global_max_pool(c: Conversion) -> SSAValue:
    """A Reduce: BM1684X was measured to miss the largest element of some planes in a pooling of all of it."""
    axes = list(range(2, len(c.shape())))
    attrs: dict[str, AttrValue] = {"axes": axes, "keepdims": True, "mode": "ReduceMax"}
    return c.emit("Reduce", [c.operand(0)], attrs)


@converts("GlobalAveragePool")
def global_average_pool(c: Conversion) -> SSAValue:
    """A pooling with a window as large as the input, of two dimensions at most."""
    x = c.operand(0)
    batch, channels, *kernel = sizes(x)
    if any(k < 0 for k in kernel):
        return c.emit("AvgPool", [x], _attrs([], [], []))
    if len(kernel) == 3:
        kernel = [kernel[0] * kernel[1], kernel[2]]
        x = reshape(c, x, (batch, channels, *kernel), "flat")
        attrs = _attrs(kernel, [1, 1], [0] * 4)
        x = c.emit("AvgPool", [x], attrs, shape=(batch, channels, 1, 1), suffix="pooled")
        return reshape(c, x, c.shape())
    n = len(kernel)
    return c.emit("AvgPool", [x], _attrs(kernel, [1] * n, [0] * (2 * n)))
