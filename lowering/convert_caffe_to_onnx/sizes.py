"""The sizes of the blobs that a layer makes, from those that it reads; -1 is an open size.

Caffe's own arithmetic. For windows that do not fit at the end of an axis, a convolution rounds down, and
pooling up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType, f32
from xdsl.ir import Attribute

from autosplit.core.units import counted
from autosplit.dialects.caffe import CaffeOp
from autosplit.dialects.platform import shape_of
from autosplit.formats.caffe.check import kernel_of

Sizes: TypeAlias = tuple[int, ...]
SizeRule: TypeAlias = "Callable[[CaffeOp, list[Sizes]], Sizes | list[Sizes]]"


AXIS_LIMIT = 1 << 31
"""No axis is as long as this: Caffe counts in 32 bits."""


def type_of(sizes: Sequence[int] | None) -> Attribute:
    """The type of a blob of these sizes."""
    if sizes is None:
        return UnrankedTensorType(f32)
    return TensorType(f32, [d if d >= 0 else DYNAMIC_INDEX for d in sizes])


def sizes_of(type: Attribute) -> Sizes | None:
    """The sizes of a blob, -1 where open; None if not even the number of axes is known."""
    shape = shape_of(type)
    return None if shape is None else tuple(max(d, -1) for d in shape)


def result_sizes(op: CaffeOp) -> list[Sizes | None]:
    """The sizes of each result of a layer; None if nothing is known.

    Raises ValueError or IndexError if the layer does not fit what it reads.
    """
    unknown: list[Sizes | None] = [None] * len(op.results)
    read = [sizes_of(v.type) for v in op.operands]
    operands = [sizes for sizes in read if sizes is not None]
    rule = _RULES.get(op.op_type)
    if rule is None or len(operands) < len(read):
        return unknown
    shapes = rule(op, operands)
    each = [shapes] * len(op.results) if isinstance(shapes, tuple) else shapes
    for size in (size for sizes in each for size in sizes):
        if not -1 <= size < AXIS_LIMIT:
            raise ValueError(f"an axis of {size}")
    return [*each, *unknown][: len(op.results)]


def axis_of(axis: int, rank: int) -> int:
    """An axis from the front; negative ones count from the end. Raises ValueError if there is none."""
    if not -rank <= axis < max(rank, 1):
        raise ValueError(f"axis {axis} of a blob of {counted(rank, 'axis', 'axes')}")
    return axis % rank if rank else 0


def pair(op: CaffeOp, name: str, default: int, axes: int = 2) -> Sizes:
    """A field such as `stride`, one number for each spatial axis: `stride_h` and `stride_w` come first."""
    short = name.removesuffix("_size")
    high, wide = (
        op.get(f"{short}_{a}") if axes == 2 and short != "dilation" else None for a in "hw"
    )
    numbers: int | list[int] | None = op.get(name)
    is_explicit = high is not None or wide is not None
    if is_explicit and (name != "pad" or high or wide):
        return (high or 0, wide or 0)
    if isinstance(numbers, list):
        numbers = numbers or [default]
        return tuple(numbers * axes if len(numbers) == 1 else numbers)
    return (default if numbers is None else numbers,) * axes


def convolved(size: int, kernel: int, stride: int, pad: int, dilation: int) -> int:
    """The size of an axis after a convolution."""
    if size < 0:
        return -1
    return (size + 2 * pad - (dilation * (kernel - 1) + 1)) // stride + 1


def pooled(size: int, kernel: int, stride: int, pad: int, *, up: bool) -> int:
    """The size of an axis after pooling: no window starts in the padding behind it."""
    if size < 0:
        return -1
    over = size + 2 * pad - kernel
    count = -(-over // stride) + 1 if up else over // stride + 1
    return count - 1 if up and pad and (count - 1) * stride >= size + pad else count


def _same(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return read[0]


def _convolution(op: CaffeOp, read: list[Sizes]) -> Sizes:
    batch, _, *spatial = read[0]
    axes = len(spatial)
    parts = zip(
        spatial,
        kernel_of(op, axes),
        pair(op, "stride", 1, axes),
        pair(op, "pad", 0, axes),
        pair(op, "dilation", 1, axes),
        strict=True,
    )
    return (batch, op.get("num_output"), *(convolved(*part) for part in parts))


def _deconvolution(op: CaffeOp, read: list[Sizes]) -> Sizes:
    batch, _, *spatial = read[0]
    axes = len(spatial)
    kernel, stride, pad, dilation = (
        kernel_of(op, axes),
        pair(op, "stride", 1, axes),
        pair(op, "pad", 0, axes),
        pair(op, "dilation", 1, axes),
    )
    sizes = (
        -1 if d < 0 else s * (d - 1) + dl * (k - 1) + 1 - 2 * p
        for d, k, s, p, dl in zip(spatial, kernel, stride, pad, dilation, strict=True)
    )
    return (batch, op.get("num_output"), *sizes)


def _pooling(op: CaffeOp, read: list[Sizes]) -> Sizes:
    batch, channels, *spatial = read[0]
    if len(spatial) != 2:
        raise ValueError(f"a blob of {counted(len(read[0]), 'axis', 'axes')}, expected 4")
    if op.get("global_pooling"):
        return (batch, channels, *(1 for _ in spatial))
    up = op.get("ceil_mode")
    parts = zip(
        spatial, pair(op, "kernel_size", 0), pair(op, "stride", 1), pair(op, "pad", 0), strict=True
    )
    return (batch, channels, *(pooled(*part, up=up) for part in parts))


def _inner_product(op: CaffeOp, read: list[Sizes]) -> Sizes:
    axis = axis_of(op.get("axis"), len(read[0]))
    return (*read[0][:axis], op.get("num_output"))


def total(sizes: Sequence[int]) -> int:
    """The number of elements; -1 if that is open."""
    return -1 if min(sizes, default=1) < 0 else prod(sizes)


def _flatten(op: CaffeOp, read: list[Sizes]) -> Sizes:
    rank = len(read[0])
    first, last = axis_of(op.get("axis"), rank), axis_of(op.get("end_axis"), rank)
    return (*read[0][:first], total(read[0][first : last + 1]), *read[0][last + 1 :])


def reshaped(op: CaffeOp, sizes: Sizes) -> Sizes:
    """The sizes of a Reshape's result."""
    start: int = op.get("axis")
    count: int = op.get("num_axes")
    dims: list[int] = op.get("shape").get("dim", [])
    start = start + len(sizes) + 1 if start < 0 else start
    end = len(sizes) if count < 0 else start + count
    explicit = [sizes[start + i] if d == 0 else d for i, d in enumerate(dims)]
    whole = [*sizes[:start], *explicit, *sizes[end:]]
    others = prod(d for d in whole if d != -1)
    # Two sizes may be -1 here: one that follows from the others, and one that is open.
    if -1 in dims and total(sizes) >= 0 and others:
        whole[start + dims.index(-1)] = total(sizes) // others
    return tuple(whole)


def _reshape(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return reshaped(op, read[0])


def _permute(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return tuple(read[0][axis] for axis in permutation(op, len(read[0])))


def permutation(op: CaffeOp, rank: int) -> list[int]:
    """The order of a Permute's axes; those that it does not name follow. Raises ValueError if it is none."""
    order: list[int] = op.get("order")
    order = [*order, *(axis for axis in range(rank) if axis not in order)]
    if sorted(order) != list(range(rank)):
        raise ValueError(f"order {order} of a blob of {counted(rank, 'axis', 'axes')}")
    return order


def concat_axis(op: CaffeOp, rank: int) -> int:
    """The axis of a Concat or Slice; `concat_dim` and `slice_dim` are older names of it."""
    older = op.get("concat_dim" if op.op_type == "Concat" else "slice_dim")
    return axis_of(op.get("axis") if older is None else older, rank)


def _concat(op: CaffeOp, read: list[Sizes]) -> Sizes:
    axis = concat_axis(op, len(read[0]))
    along = [sizes[axis] for sizes in read]
    joined = [max(dims) for dims in zip(*read, strict=True)]
    joined[axis] = -1 if min(along) < 0 else sum(along)
    return tuple(joined)


def slice_points(op: CaffeOp, size: int) -> list[int]:
    """Where the parts of a Slice begin and end on an axis of known size. Raises ValueError if they cannot."""
    points: list[int] = op.get("slice_point")
    count = len(op.results)
    if not points:
        if size % count:
            raise ValueError(f"{size} in {counted(count, 'equal part')}")
        points = [size // count * i for i in range(1, count)]
    borders = [0, *points, size]
    if len(borders) != count + 1 or sorted(set(borders)) != borders:
        raise ValueError(f"slice_point {points} for {counted(count, 'part')} of {size}")
    return borders


def _slice(op: CaffeOp, read: list[Sizes]) -> list[Sizes]:
    axis = concat_axis(op, len(read[0]))
    size = read[0][axis]
    ends = slice_points(op, size) if size >= 0 else []
    sizes = [b - a for a, b in pairwise(ends)] or [-1] * len(op.results)
    return [(*read[0][:axis], n, *read[0][axis + 1 :]) for n in sizes]


def _crop(op: CaffeOp, read: list[Sizes]) -> Sizes:
    axis = axis_of(op.get("axis"), len(read[0]))
    return (*read[0][:axis], *read[1][axis:])


def _tile(op: CaffeOp, read: list[Sizes]) -> Sizes:
    axis = axis_of(op.get("axis"), len(read[0]))
    sizes = list(read[0])
    sizes[axis] = -1 if sizes[axis] < 0 else sizes[axis] * op.get("tiles")
    return tuple(sizes)


def priors(op: CaffeOp) -> int:
    """The number of default boxes that a PriorBox makes at each place."""
    if op.get("width"):
        return len(op.get("width")) * (len(op.get("offset_h")) or 1)
    ratios = aspect_ratios(op)
    return len(op.get("min_size")) * len(ratios) + len(op.get("max_size"))


def aspect_ratios(op: CaffeOp) -> list[float]:
    """The aspect ratios of a PriorBox, 1 first, each once."""
    ratios = [1.0]
    for ratio in op.get("aspect_ratio"):
        if all(abs(ratio - other) >= 1e-6 for other in ratios):
            ratios += [ratio, 1.0 / ratio] if op.get("flip") else [ratio]
    return ratios


def _prior_box(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return (1, 2, total((*read[0][2:], priors(op) * 4)))


def _detection_output(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return (1, 1, -1, 7)


def _interp(op: CaffeOp, read: list[Sizes]) -> Sizes:
    if len(read) == 2:
        return (*read[0][:2], *read[1][2:])
    return (*read[0][:2], *(interpolated(op, axis, read[0][2 + axis]) for axis in (0, 1)))


def interpolated(op: CaffeOp, axis: int, size: int) -> int:
    """The size of a spatial axis after an Interp."""
    if length := op.get(("height", "width")[axis]):
        return length
    if size < 0:
        return -1
    size += op.get("pad_beg") + op.get("pad_end")
    zoom, shrink = op.get("zoom_factor"), op.get("shrink_factor")
    if shrink > 1:
        size = (size - 1) // shrink + 1
    return size + (size - 1) * (zoom - 1) if zoom > 1 else size


def _roi_pooling(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return (read[1][0], read[0][1], op.get("pooled_h"), op.get("pooled_w"))


def _psroi_pooling(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return (read[1][0], op.get("output_dim"), op.get("group_size"), op.get("group_size"))


def _axpy(op: CaffeOp, read: list[Sizes]) -> Sizes:
    return read[1]


_RULES: dict[str, SizeRule] = {
    "Axpy": _axpy,
    "Concat": _concat,
    "Convolution": _convolution,
    "ConvolutionDepthwise": _convolution,
    "Crop": _crop,
    "Deconvolution": _deconvolution,
    "DetectionOutput": _detection_output,
    "Eltwise": _same,
    "Flatten": _flatten,
    "InnerProduct": _inner_product,
    "Interp": _interp,
    "PSROIPooling": _psroi_pooling,
    "Permute": _permute,
    "Pooling": _pooling,
    "PriorBox": _prior_box,
    "ROIPooling": _roi_pooling,
    "Reshape": _reshape,
    "Slice": _slice,
    "Tile": _tile,
    **dict.fromkeys(
        [
            "AbsVal",
            "BNLL",
            "BatchNorm",
            "Bias",
            "Dropout",
            "ELU",
            "Exp",
            "LRN",
            "Log",
            "MVN",
            "Normalize",
            "PReLU",
            "Power",
            "ReLU",
            "ReLU6",
            "Scale",
            "ShuffleChannel",
            "Sigmoid",
            "Softmax",
            "Split",
            "TanH",
            "Threshold",
        ],
        _same,
    ),
}
