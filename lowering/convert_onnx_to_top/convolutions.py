"""Convolutions, plain and transposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts import loaded, padded, permute, reshape, sizes
from autosplit.lowering.convert_onnx_to_top.rules import (
    in_planes,
    is_far,
    is_poor_deconv,
    is_poor_depthwise,
    spread_kernel,
    transposed_pads,
    unequal_depthwise,
)
from autosplit.lowering.shared.fold import AnyArray


def window(c: Conversion, kernel: Sequence[int]) -> dict[str, AttrValue]:
    """What convolutions of both kinds say of their windows."""
    n = len(kernel)
    return {
        "kernel_shape": list(kernel),
        "strides": c.q.integers("strides") or [1] * n,
        "pads": c.q.integers("pads") or [0] * (2 * n),
        "dilations": c.q.integers("dilations") or [1] * n,
        "group": c.q.integer("group", 1),
    }


@converts("Conv")
def conv(c: Conversion) -> SSAValue:
    """A Conv. Where chips lack dilations, as in three dimensions, the kernel has zeros instead."""
    if not c.q.is_constant(1):
        return _computed(c)
    shape = c.q.shape(1) or ()
    attrs = window(c, shape[2:])
    if is_far(c.q):
        return _folded(c)
    if in_planes(c.q):
        return _planes(c, c.operand(0), _Kernel(c), attrs)
    dilations = c.q.integers("dilations") or []
    if set(dilations) <= {1} or (len(shape) < 5 and not is_poor_depthwise(c.q)):
        return c.emit("Conv", [c.operand(0), c.operand(1), c.operand(2)], attrs)
    wide = [(k - 1) * d + 1 for k, d in zip(shape[2:], dilations, strict=True)]
    spread = _spread(loaded(c, 1), wide, dilations)
    weights = c.lazy_weight(spread, (*shape[:2], *wide), "weights")
    attrs |= {"kernel_shape": wide, "dilations": [1] * len(wide)}
    return c.emit("Conv", [c.operand(0), weights, c.operand(2)], attrs)


def _computed(c: Conversion) -> SSAValue:
    """A Conv with computed weights: their product with what each place of the windows meets.

    BM1684 was measured to compute other numbers in a Conv of its own.
    """
    weights = c.operand(1)
    outputs, inputs, *kernel = sizes(weights)
    n, group = len(kernel), c.q.integer("group", 1)
    strides = c.q.integers("strides") or [1] * n
    dilations = c.q.integers("dilations") or [1] * n
    x = padded(c, c.operand(0), c.q.integers("pads") or [0] * (2 * n), 0.0, "padded")
    batch, channels = sizes(x)[:2]
    space = c.shape()[2:]
    count, places = prod(space), prod(kernel)
    parts: list[SSAValue] = []
    for i, place in enumerate(np.ndindex(*kernel)):
        starts = [k * d for k, d in zip(place, dilations, strict=True)]
        attrs: dict[str, AttrValue] = {
            "offset": starts,
            "steps": strides,
            "ends": [b + (o - 1) * s + 1 for b, o, s in zip(starts, space, strides, strict=True)],
            "axes": list(range(2, 2 + n)),
        }
        operands = [x, c.none(), c.none(), c.none()]
        part = c.emit("Slice", operands, attrs, shape=(batch, channels, *space), suffix=f"place{i}")
        parts.append(reshape(c, part, (batch, channels, 1, count), f"place{i}_row"))
    met = parts[0]
    if places > 1:
        whole = (batch, channels, places, count)
        met = c.emit("Concat", parts, {"axis": 2}, shape=whole, suffix="places")
    met = permute(c, met, (1, 2, 0, 3), "places_first")
    met = reshape(c, met, (group, inputs * places, batch * count), "columns")
    rows = reshape(c, weights, (group, outputs // group, inputs * places), "rows")
    shape = (group, outputs // group, batch * count)
    made = c.emit("MatMul", [rows, met, c.none()], shape=shape, suffix="product")
    made = permute(c, reshape(c, made, (outputs, batch, count), "parts"), (1, 0, 2), "batch_first")
    if c.q.value(2) is None:
        return reshape(c, made, c.shape())
    made = reshape(c, made, c.shape(), "unbiased")
    bias = reshape(c, c.operand(2), (1, outputs, *(1 for _ in kernel)), "bias")
    return c.emit("Add", [made, bias])


def _folded(c: Conversion) -> SSAValue:
    """A Conv with a large stride, as one that has stride 1 in that dimension and more channels.

    The input is cut into pieces as long as the stride; the places of a piece become channels, and the kernel
    is as many pieces long as it takes.
    """
    x, weights = c.operand(0), _Kernel(c)
    n = len(weights.kernel)
    strides = c.q.integers("strides") or []
    dilations = c.q.integers("dilations") or [1] * n
    pads = c.q.integers("pads") or [0] * (2 * n)
    most = c.q.chip.limit("conv-stride") or 0
    for axis in range(n):
        stride = strides[axis]
        if stride <= most:
            continue
        reach = (weights.kernel[axis] - 1) * dilations[axis] + 1
        taken = -(-reach // stride)
        pieces = c.shape()[2 + axis] - 1 + taken
        x = _pieces(c, x, axis, pads[axis], pieces, stride)
        weights.cut(axis, dilations[axis], taken, stride)
        strides[axis] = dilations[axis] = 1
        pads[axis] = pads[n + axis] = 0
    attrs: dict[str, AttrValue] = {
        "kernel_shape": weights.kernel,
        "strides": strides,
        "pads": pads,
        "dilations": dilations,
        "group": c.q.integer("group", 1),
    }
    if in_planes(c.q):
        return _planes(c, x, weights, attrs)
    return c.emit("Conv", [x, weights.emit(c), c.operand(2)], attrs)


def _planes(c: Conversion, x: SSAValue, weights: _Kernel, attrs: dict[str, AttrValue]) -> SSAValue:
    """A Conv of three dimensions as one of two: planes are pictures of their own, and the places of a window
    along the depth are channels.
    """
    places, *kernel = weights.kernel
    strides, pads, dilations = (_ints(attrs, n) for n in ("strides", "pads", "dilations"))
    x = padded(c, x, [pads[0], 0, 0, pads[3], 0, 0], 0.0, "padded")
    batch, channels, _, *plane = sizes(x)
    depth, *made = c.shape()[2:]
    group = c.q.integer("group", 1)
    rows = (batch * group, channels // group, depth * prod(plane))
    parts: list[SSAValue] = []
    for i in range(places):
        start = i * dilations[0]
        ends = start + (depth - 1) * strides[0] + 1
        step: dict[str, AttrValue] = {
            "offset": [start],
            "steps": [strides[0]],
            "ends": [ends],
            "axes": [2],
        }
        shape, none = (batch, channels, depth, *plane), c.none()
        part = c.emit("Slice", [x, none, none, none], step, shape=shape, suffix=f"place{i}")
        parts.append(reshape(c, part, rows, f"place{i}/rows"))
    if places > 1:
        joined = (rows[0], places * rows[1], rows[2])
        parts = [c.emit("Concat", parts, {"axis": 1}, shape=joined, suffix="places")]
    stack = reshape(c, parts[0], (batch, places * channels, depth, prod(plane)), "stack")
    planes = permute(c, stack, (0, 2, 1, 3), "planes")
    pictures = reshape(c, planes, (batch * depth, places * channels, *plane), "pictures")
    flat: dict[str, AttrValue] = {
        "kernel_shape": kernel,
        "strides": strides[1:],
        "pads": [*pads[1:3], *pads[4:]],
        "dilations": dilations[1:],
        "group": group,
    }
    shape = (batch * depth, weights.outputs, *made)
    operands = [pictures, weights.flat(c), c.operand(2)]
    result = c.emit("Conv", operands, flat, shape=shape, suffix="product")
    apart = reshape(c, result, (batch, depth, weights.outputs, prod(made)), "apart")
    return reshape(c, permute(c, apart, (0, 2, 1, 3), "together"), c.shape())


def _ints(attrs: dict[str, AttrValue], name: str) -> list[int]:
    return list(cast("list[int]", attrs[name]))


def _pieces(
    c: Conversion, x: SSAValue, axis: int, before: int, count: int, length: int
) -> SSAValue:
    """`x`, padded, in pieces along a spatial dimension: the places of a piece follow each channel."""
    n, at = len(sizes(x)) - 2, 2 + axis
    behind = count * length - before - sizes(x)[at]
    pads = [0] * (2 * n)
    pads[axis], pads[n + axis] = before, max(behind, 0)
    x = padded(c, x, pads, 0.0, "padded")
    shape = list(sizes(x))
    if shape[at] > count * length:
        x = _front(c, x, at, count * length)
    batch, channels, *space = shape
    outer, inner = prod(space[:axis]), prod(space[axis + 1 :])
    suffix = f"pieces{axis}"
    cut = reshape(c, x, (batch * channels, outer, count, length, inner), f"{suffix}/cut")
    order = permute(c, cut, (0, 3, 1, 2, 4), f"{suffix}/order")
    space[axis] = count
    return reshape(c, order, (batch, channels * length, *space), suffix)


def _front(c: Conversion, x: SSAValue, at: int, length: int) -> SSAValue:
    """The first `length` places of a dimension."""
    shape = list(sizes(x))
    attrs: dict[str, AttrValue] = {
        "offset": [0] * len(shape),
        "steps": [1] * len(shape),
        "ends": [length if i == at else size for i, size in enumerate(shape)],
        "axes": [],
    }
    shape[at] = length
    nothing = [c.none()] * 3
    return c.emit("Slice", [x, *nothing], attrs, shape=shape, suffix=f"front{at}")


class _Kernel:
    """The weights of a convolution, cut as its input is."""

    def __init__(self, c: Conversion):
        self.outputs, self.inputs, *self.kernel = c.q.shape(1) or (0, 0)
        self.load = loaded(c, 1)

    def cut(self, axis: int, dilation: int, count: int, length: int) -> None:
        """Spreads a dimension by its dilation, and makes the places of its pieces input channels."""
        load, at = self.load, 2 + axis
        old, inputs = list(self.kernel), self.inputs
        new = [*old[:axis], count, *old[axis + 1 :]]

        def made() -> AnyArray:
            given = load()
            spread = np.zeros(
                (*given.shape[:at], count * length, *given.shape[at + 1 :]), np.float32
            )
            places = np.arange(old[axis]) * dilation
            spread[(slice(None),) * at + (places,)] = given
            pieces = spread.reshape(*given.shape[:at], count, length, *given.shape[at + 1 :])
            moved = np.moveaxis(pieces, at + 1, 2)
            return moved.reshape(len(given), inputs * length, *new)

        self.load, self.inputs, self.kernel = made, inputs * length, new

    def emit(self, c: Conversion) -> SSAValue:
        shape = (self.outputs, self.inputs, *self.kernel)
        return c.lazy_weight(self.load, shape, "weights")

    def flat(self, c: Conversion) -> SSAValue:
        """The places along the first dimension in front of the input channels of a group."""
        load, places = self.load, self.kernel[0]
        shape = (self.outputs, places * self.inputs, *self.kernel[1:])
        return c.lazy_weight(lambda: load().swapaxes(1, 2).reshape(shape), shape, "weights")


@converts("ConvTranspose")
def conv_transpose(c: Conversion) -> SSAValue:
    """A Deconv: it has the output channels first, where ONNX has the input channels.

    Groups are a product with zeros between them: BM1684 was measured to compute other numbers otherwise.
    """
    inputs, outputs, *kernel = c.q.shape(1) or (0, 0)
    group = c.q.integer("group", 1)
    attrs = window(c, kernel)
    attrs["pads"] = transposed_pads(c.q) or []
    attrs["output_padding"] = c.q.integers("output_padding") or [0] * len(kernel)
    load = loaded(c, 1)
    if (wide := spread_kernel(c.q)) is not None:
        load = _spread(load, wide, c.q.integers("dilations") or [])
        kernel = wide
        attrs |= {"kernel_shape": kernel, "dilations": [1] * len(kernel)}
    if outputs == 1 and group == inputs and not unequal_depthwise(c.q):
        weights = c.lazy_weight(lambda: load().swapaxes(0, 1), (1, inputs, *kernel), "weights")
        return _biased(c, weights, attrs, is_poor_deconv(c.q))

    def dense() -> AnyArray:
        parts = load().reshape(group, inputs // group, outputs, *kernel)
        made = np.zeros((group, outputs, group, inputs // group, *kernel), np.float32)
        for i, part in enumerate(parts):
            made[i, :, i] = part.swapaxes(0, 1)
        return made.reshape(group * outputs, inputs, *kernel)

    weights = c.lazy_weight(dense, (group * outputs, inputs, *kernel), "weights")
    attrs["group"] = 1
    # With an odd number of input channels, BM1684 was measured to compute other numbers in f32, too.
    return _biased(c, weights, attrs, inputs % 2 == 1 or is_poor_deconv(c.q))


def _spread(
    load: Callable[[], AnyArray], kernel: Sequence[int], dilations: Sequence[int]
) -> Callable[[], AnyArray]:
    """Weights with zeros between them in place of dilations."""

    def made() -> AnyArray:
        given = load()
        array = np.zeros((*given.shape[:2], *kernel), np.float32)
        array[(..., *(slice(None, None, d) for d in dilations))] = given
        return array

    return made


def _biased(c: Conversion, weights: SSAValue, attrs: dict[str, AttrValue], apart: bool) -> SSAValue:
    """A Deconv with its bias, which is added behind if it is to be apart."""
    if c.q.value(2) is None or not apart:
        return c.emit("Deconv", [c.operand(0), weights, c.operand(2)], attrs)
    made = c.emit("Deconv", [c.operand(0), weights, c.none()], attrs, suffix="product")
    n = len(sizes(weights)) - 2
    if not c.q.dynamic or "per-channel" not in c.q.chip.varying_forms:
        bias = c.weight(loaded(c, 2)().reshape(1, -1, *[1] * n), "bias")
        return c.emit("Add", [made, bias])
    # The sum would become a Scale, which the chip has no kernel of where sizes vary. It has one of a Conv.
    bias = c.operand(2)
    (channels,) = sizes(bias)
    ones = c.weight(np.ones((channels, 1, *[1] * n), np.float32), "ones")
    alone: dict[str, AttrValue] = {
        "kernel_shape": [1] * n,
        "strides": [1] * n,
        "pads": [0] * (2 * n),
        "dilations": [1] * n,
        "group": channels,
    }
    return c.emit("Conv", [made, ones, bias], alone)
