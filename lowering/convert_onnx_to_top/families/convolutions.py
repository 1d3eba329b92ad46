"""Convolutions, plain and transposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.steps import (
    loaded,
    padded,
    permute,
    reshape,
    sizes,
)
from autosplit.lowering.shared.fold import AnyArray


def window(c: Conversion, kernel: Sequence[int]) -> dict[str, AttrValue]:
    """The attributes of the windows of a Conv or ConvTranspose."""
    n = len(kernel)
    return {
        "kernel_shape": list(kernel),
        "strides": c.q.integers("strides") or [1] * n,
        "pads": c.q.integers("pads") or [0] * (2 * n),
        "dilations": c.q.integers("dilations") or [1] * n,
        "group": c.q.integer("group", 1),
    }


def wrong_pads(q: Query) -> ReasonAttr | None:
    if (auto := q.text("auto_pad", "NOTSET")) not in (
        "NOTSET",
        "VALID",
        "SAME_UPPER",
        "SAME_LOWER",
    ):
        return q.refuse("attribute", f"has auto_pad = {auto!r}, which ONNX does not define")
    shape = q.shape(0)
    if auto.startswith("SAME") and shape and all(d > 0 for d in shape):
        return q.refuse(
            "attribute",
            f"has auto_pad = {auto!r} and strides above its kernel, which runtimes compute differently",
        )
    if auto.startswith("SAME"):
        return q.refuse(
            "dynamic-shape",
            f"has auto_pad = {auto!r}, whose pads depend on unknown sizes",
        )
    if any(p < 0 for p in q.integers("pads") or ()):
        return q.refuse("attribute", f"has pads = {q.integers('pads')}, needs pads of 0 or more")
    return None


def is_far(q: Query) -> bool:
    """Whether a Conv has a stride that is too large for the chip."""
    limit = q.chip.limit("conv-stride")
    return limit is not None and max(q.integers("strides") or [1]) > limit


def in_planes(q: Query) -> bool:
    """Whether a Conv of three dimensions is written as one of two."""
    return len(q.shape(1) or ()) == 5 and "conv-planes" in q.chip.workarounds


MOST_PLACES = 64
"""The most places in a window of a Conv with computed weights: each becomes a slice, before a product."""


def _computed_conv(q: Query) -> ReasonAttr | None:
    if q.is_constant(1):
        if q.value(2) is None or q.is_constant(2):
            return None
        return q.refuse(
            "constant-operand", f"has bias ({q.operand(2)}) computed beside constant weights"
        )
    if refusal := fixed_sizes(q):
        return refusal
    kernel = (q.shape(1) or ())[2:]
    if prod(kernel) <= MOST_PLACES:
        return None
    return q.refuse(
        "constant-operand",
        f"has weights ({q.operand(1)}) computed, of {shape_text(kernel)}: needs a constant, or at most "
        f"{MOST_PLACES} places in a window",
    )


@refuses("Conv")
def refuse_conv(q: Query) -> ReasonAttr | None:
    x, w = q.shape(0), q.shape(1)
    group = q.integer("group", 1)
    if refusal := _computed_conv(q):
        return refusal
    if x is not None and w is not None:
        if len(w) != len(x):
            return q.refuse(
                "rank",
                f"has weights {shape_text(w)} for {q.operand(0)} of {shape_text(x)}, needs equal ranks",
            )
        if x[1] >= 0 and x[1] != w[1] * group:
            return q.refuse(
                "operand-value",
                f"has {counted(x[1], 'channel')} in {q.operand(0)} and weights {shape_text(w)} in "
                f"{counted(group, 'group')}; the tool chain was measured to compile such a model "
                "without an error",
            )
    if in_planes(q) and (refusal := fixed_sizes(q)):
        return refusal
    if q.dynamic and is_far(q):
        return q.refuse(
            "attribute",
            f"has strides = {q.integers('strides')}, needs at most {q.chip.limit('conv-stride')} where "
            "sizes vary",
        )
    return wrong_pads(q)


@converts("Conv")
def conv(c: Conversion) -> SSAValue:
    """A Conv. Where a chip lacks dilations, as in three dimensions, the kernel gets zeros instead."""
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
    dilated = [(k - 1) * d + 1 for k, d in zip(shape[2:], dilations, strict=True)]
    load_dilated = _spread(loaded(c, 1), dilated, dilations)
    weights = c.lazy_weight(load_dilated, (*shape[:2], *dilated), "weights")
    attrs |= {"kernel_shape": dilated, "dilations": [1] * len(dilated)}
    return c.emit("Conv", [c.operand(0), weights, c.operand(2)], attrs)


def _computed(c: Conversion) -> SSAValue:
    """A Conv with computed weights: their product with the elements at each place of the windows.

    BM1684's own Conv was measured to compute other numbers.
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
    columns = parts[0]
    if places > 1:
        stacked_shape = (batch, channels, places, count)
        columns = c.emit("Concat", parts, {"axis": 2}, shape=stacked_shape, suffix="places")
    columns = permute(c, columns, (1, 2, 0, 3), "places_first")
    columns = reshape(c, columns, (group, inputs * places, batch * count), "columns")
    rows = reshape(c, weights, (group, outputs // group, inputs * places), "rows")
    shape = (group, outputs // group, batch * count)
    y = c.emit("MatMul", [rows, columns, c.none()], shape=shape, suffix="product")
    y = permute(c, reshape(c, y, (outputs, batch, count), "parts"), (1, 0, 2), "batch_first")
    if c.q.value(2) is None:
        return reshape(c, y, c.shape())
    y = reshape(c, y, c.shape(), "unbiased")
    bias = reshape(c, c.operand(2), (1, outputs, *(1 for _ in kernel)), "bias")
    return c.emit("Add", [y, bias])


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
    limit = c.q.chip.limit("conv-stride") or 0
    for axis in range(n):
        stride = strides[axis]
        if stride <= limit:
            continue
        reach = (weights.kernel[axis] - 1) * dilations[axis] + 1
        kernel_pieces = -(-reach // stride)
        pieces = c.shape()[2 + axis] - 1 + kernel_pieces
        x = _pieces(c, x, axis, pads[axis], pieces, stride)
        weights.cut(axis, dilations[axis], kernel_pieces, stride)
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
    """A Conv of three dimensions as one of two: planes become pictures, and the places of a window along
    the depth become channels.
    """
    places, *kernel = weights.kernel
    strides, pads, dilations = (_ints(attrs, n) for n in ("strides", "pads", "dilations"))
    x = padded(c, x, [pads[0], 0, 0, pads[3], 0, 0], 0.0, "padded")
    batch, channels, _, *plane = sizes(x)
    depth, *space = c.shape()[2:]
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
    shape = (batch * depth, weights.outputs, *space)
    operands = [pictures, weights.flat(c), c.operand(2)]
    result = c.emit("Conv", operands, flat, shape=shape, suffix="product")
    unstacked = reshape(c, result, (batch, depth, weights.outputs, prod(space)), "apart")
    return reshape(c, permute(c, unstacked, (0, 2, 1, 3), "together"), c.shape())


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
    nones = [c.none()] * 3
    return c.emit("Slice", [x, *nones], attrs, shape=shape, suffix=f"front{at}")


class _Kernel:
    """The weights of a convolution, cut in the same way as its input."""

    def __init__(self, c: Conversion):
        self.outputs, self.inputs, *self.kernel = c.q.shape(1) or (0, 0)
        self.load = loaded(c, 1)

    def cut(self, axis: int, dilation: int, count: int, length: int) -> None:
        """Spreads a dimension by its dilation, and makes the places of its pieces input channels."""
        load, at = self.load, 2 + axis
        old, inputs = list(self.kernel), self.inputs
        new = [*old[:axis], count, *old[axis + 1 :]]

        def spread_weights() -> AnyArray:
            weights = load()
            spread = np.zeros(
                (*weights.shape[:at], count * length, *weights.shape[at + 1 :]), np.float32
            )
            places = np.arange(old[axis]) * dilation
            spread[(slice(None),) * at + (places,)] = weights
            pieces = spread.reshape(*weights.shape[:at], count, length, *weights.shape[at + 1 :])
            moved = np.moveaxis(pieces, at + 1, 2)
            return moved.reshape(len(weights), inputs * length, *new)

        self.load, self.inputs, self.kernel = spread_weights, inputs * length, new

    def emit(self, c: Conversion) -> SSAValue:
        shape = (self.outputs, self.inputs, *self.kernel)
        return c.lazy_weight(self.load, shape, "weights")

    def flat(self, c: Conversion) -> SSAValue:
        """The weights with the places of the first dimension in front of a group's input channels."""
        load, places = self.load, self.kernel[0]
        shape = (self.outputs, places * self.inputs, *self.kernel[1:])
        return c.lazy_weight(lambda: load().swapaxes(1, 2).reshape(shape), shape, "weights")


MOST_DECONV_STRIDE = 16
"""The largest stride that TPU-MLIR 1.30.2 takes for a ConvTranspose."""


def _refuse_large_deconv(q: Query) -> ReasonAttr | None:
    strides = q.integers("strides") or [1]
    if max(strides) > MOST_DECONV_STRIDE:
        return q.refuse(
            "attribute",
            f"has strides = {strides}, needs at most {MOST_DECONV_STRIDE} (measured: for 20 x 20 the tool "
            "chain ends with an assertion for every chip)",
        )
    kernel, limit = (q.shape(1) or ())[2:], q.chip.limit("deconv-kernel")
    if limit is not None and max(kernel, default=1) > limit:
        return q.refuse(
            "operand-value",
            f"has a kernel of {shape_text(kernel)}, {q.chip.vendor_name} takes at most {limit} (measured: "
            "for 17 x 17 the tool chain ends with an assertion)",
        )
    if limit is not None and (dilated := spread_kernel(q)) is not None and max(dilated) > limit:
        return q.refuse(
            "operand-value",
            f"has dilations = {q.integers('dilations')}, which {q.chip.vendor_name} gets wrong in {q.mode}, "
            f"and a kernel of {shape_text(tuple(dilated))} with zeros in it is larger than {limit}",
        )
    return None


@refuses("ConvTranspose")
def refuse_conv_transpose(q: Query) -> ReasonAttr | None:
    x, w = q.shape(0), q.shape(1)
    if x is not None and w is not None and x[1] >= 0 and x[1] != w[0]:
        return q.refuse(
            "operand-value",
            f"has {counted(x[1], 'channel')} in {q.operand(0)} and weights {shape_text(w)}",
        )
    if x is not None and len(x) == 5 and any(q.integers("output_padding") or ()):
        return q.refuse(
            "wrong-numbers",
            f"has output_padding {q.integers('output_padding')} in three dimensions (measured: BM1684X "
            "computes other numbers, off by 85 % of the largest)",
        )
    if refusal := _refuse_large_deconv(q):
        return refusal
    auto = q.text("auto_pad", "NOTSET")
    if q.integers("output_shape") is None and not auto.startswith("SAME"):
        return wrong_pads(q)
    pads = transposed_pads(q)
    if pads is None:
        return q.refuse("dynamic-shape", "has output_shape or auto_pad and unknown sizes")
    if any(p < 0 for p in pads):
        return q.refuse(
            "attribute",
            f"has output_shape or auto_pad, for which its pads are {pads}, needs pads of 0 or more",
        )
    return None


def is_poor_deconv(q: Query) -> bool:
    """Whether a ConvTranspose has its bias added behind it, and zeros in its kernel in place of dilations.

    In three dimensions it is computed in f32, and right.
    """
    if q.mode != "INT8" or "deconv-bias" not in q.chip.workarounds:
        return False
    return len(q.shape(1) or ()) < 5


def is_poor_depthwise(q: Query) -> bool:
    """Whether a Conv is a depthwise one with dilations, on such a chip."""
    w, dilations = q.shape(1) or (), q.integers("dilations") or [1]
    inputs = (q.shape(0) or (0, 0))[1]
    is_depthwise = w[1:2] == (1,) and inputs == q.integer("group", 1)
    return is_poor_deconv(q) and is_depthwise and max(dilations) > 1


def unequal_depthwise(q: Query) -> bool:
    """Whether the chip gets a depthwise ConvTranspose wrong, as it does with unequal strides.

    In one dimension, the stride of the other is 1.
    """
    strides = q.integers("strides") or [1]
    return is_poor_deconv(q) and len({*strides, *([1] if len(strides) == 1 else [])}) > 1


def spread_kernel(q: Query) -> list[int] | None:
    """The sizes of a ConvTranspose's kernel with zeros in it; None if it needs none."""
    kernel = (q.shape(1) or ())[2:]
    dilations = q.integers("dilations") or [1]
    if not is_poor_deconv(q) or max(dilations) == 1:
        return None
    return [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]


def transposed_pads(q: Query) -> list[int] | None:
    """The pads of a ConvTranspose, explicit or implied by its output_shape or auto_pad.

    None if sizes are unknown. Of an odd total, the larger part is in front, except with SAME_UPPER.
    """
    x, y, kernel = q.shape(0) or (), q.result_shape() or (), (q.shape(1) or ())[2:]
    n = len(kernel)
    auto = q.text("auto_pad", "NOTSET")
    if q.integers("output_shape") is None and not auto.startswith("SAME"):
        return q.integers("pads") or [0] * (2 * n)
    if len(x) != n + 2 or len(y) != n + 2 or any(d < 0 for d in (*x, *y)):
        return None
    strides, dilations = q.integers("strides") or [1] * n, q.integers("dilations") or [1] * n
    extra = q.integers("output_padding") or [0] * n
    total = [
        s * (i - 1) + e + (k - 1) * d + 1 - o
        for i, o, k, s, d, e in zip(x[2:], y[2:], kernel, strides, dilations, extra, strict=True)
    ]
    less, more = [t // 2 for t in total], [t - t // 2 for t in total]
    return less + more if auto == "SAME_UPPER" else more + less


@converts("ConvTranspose")
def conv_transpose(c: Conversion) -> SSAValue:
    """A Deconv, whose weights have the output channels first, where ONNX has the input channels.

    Groups become dense weights with zeros between them: BM1684 was measured to compute other numbers
    otherwise.
    """
    inputs, outputs, *kernel = c.q.shape(1) or (0, 0)
    group = c.q.integer("group", 1)
    attrs = window(c, kernel)
    attrs["pads"] = transposed_pads(c.q) or []
    attrs["output_padding"] = c.q.integers("output_padding") or [0] * len(kernel)
    load = loaded(c, 1)
    if (dilated := spread_kernel(c.q)) is not None:
        load = _spread(load, dilated, c.q.integers("dilations") or [])
        kernel = dilated
        attrs |= {"kernel_shape": kernel, "dilations": [1] * len(kernel)}
    if outputs == 1 and group == inputs and not unequal_depthwise(c.q):
        weights = c.lazy_weight(lambda: load().swapaxes(0, 1), (1, inputs, *kernel), "weights")
        return _biased(c, weights, attrs, is_poor_deconv(c.q))

    def dense() -> AnyArray:
        parts = load().reshape(group, inputs // group, outputs, *kernel)
        blocks = np.zeros((group, outputs, group, inputs // group, *kernel), np.float32)
        for i, part in enumerate(parts):
            blocks[i, :, i] = part.swapaxes(0, 1)
        return blocks.reshape(group * outputs, inputs, *kernel)

    weights = c.lazy_weight(dense, (group * outputs, inputs, *kernel), "weights")
    attrs["group"] = 1
    # With an odd number of input channels, BM1684 was measured to compute other numbers in f32, too.
    return _biased(c, weights, attrs, inputs % 2 == 1 or is_poor_deconv(c.q))


def _spread(
    load: Callable[[], AnyArray], kernel: Sequence[int], dilations: Sequence[int]
) -> Callable[[], AnyArray]:
    """Weights with zeros between them in place of dilations."""

    def dilated() -> AnyArray:
        weights = load()
        array = np.zeros((*weights.shape[:2], *kernel), np.float32)
        array[(..., *(slice(None, None, d) for d in dilations))] = weights
        return array

    return dilated


def _biased(
    c: Conversion, weights: SSAValue, attrs: dict[str, AttrValue], separate: bool
) -> SSAValue:
    """A Deconv with its bias, which an op behind it adds if it is to be separate."""
    if c.q.value(2) is None or not separate:
        return c.emit("Deconv", [c.operand(0), weights, c.operand(2)], attrs)
    product = c.emit("Deconv", [c.operand(0), weights, c.none()], attrs, suffix="product")
    n = len(sizes(weights)) - 2
    if not c.q.dynamic or "per-channel" not in c.q.chip.varying_forms:
        bias = c.weight(loaded(c, 2)().reshape(1, -1, *[1] * n), "bias")
        return c.emit("Add", [product, bias])
    # The Add would become a Scale, for which the chip has no kernel where sizes vary. It has one for Conv.
    bias = c.operand(2)
    (channels,) = sizes(bias)
    ones = c.weight(np.ones((channels, 1, *[1] * n), np.float32), "ones")
    pointwise: dict[str, AttrValue] = {
        "kernel_shape": [1] * n,
        "strides": [1] * n,
        "pads": [0] * (2 * n),
        "dilations": [1] * n,
        "group": channels,
    }
    return c.emit("Conv", [product, ones, bias], pointwise)
