"""Layers that move elements, or compute only between neighbours."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.lowering.convert_caffe_to_onnx.builder import CaffeEmitter, converts
from autosplit.lowering.convert_caffe_to_onnx.sizes import (
    axis_of,
    concat_axis,
    permutation,
    reshaped,
    result_sizes,
    slice_points,
    type_of,
)
from autosplit.lowering.shared.refusal import Refusal


@converts("Concat")
def _concat(e: CaffeEmitter) -> SSAValue:
    """concat(x, y, ...) -> concat(x, y, ...)"""
    ranks = {e.rank(value) for value in e.op.operands}
    if len(ranks) > 1:
        raise Refusal("malformed-op", f"reads blobs of {sorted(ranks)} axes")
    axis = concat_axis(e.op, ranks.pop())
    return e.emit("Concat", *e.op.operands, sizes=result_sizes(e.op)[0], axis=axis)


@converts("Split")
def _split(e: CaffeEmitter) -> list[SSAValue]:
    """split(x) -> x, x, ..."""
    return [e.x] * len(e.op.results)


@converts("Slice")
def _slice(e: CaffeEmitter) -> list[SSAValue]:
    """slice(x) -> slice(x, from, to), one for each part"""
    axis = concat_axis(e.op, e.rank(e.x))
    size = e.sizes(e.x)[axis]
    if size < 0:
        raise Refusal("dynamic-shape", "splits an axis of unknown size")
    points = slice_points(e.op, size)
    shapes = result_sizes(e.op)
    return [
        part(e, [axis], [start], [end], shapes[i] or (), f"part{i}")
        for i, (start, end) in enumerate(pairwise(points))
    ]


def part(
    e: CaffeEmitter,
    axes: list[int],
    starts: list[int],
    ends: list[int],
    sizes: tuple[int, ...],
    role: str,
) -> SSAValue:
    """A part of the first operand."""
    where = {"starts": starts, "ends": ends, "axes": axes}
    inputs = [e.ints(f"{role}_{name}", values) for name, values in where.items()]
    return e.emit("Slice", e.x, *inputs, role=role, sizes=sizes)


@converts("Crop")
def _crop(e: CaffeEmitter) -> SSAValue:
    """crop(x, y) -> slice(x, offset, offset + sizes of y)"""
    reference = e.fixed(e.op.operands[1], "cuts out as much as a blob holds")
    axis = axis_of(e.get("axis"), e.rank(e.x))
    axes = list(range(axis, len(reference)))
    offsets = e.get("offset") or [0]
    offsets = offsets * len(axes) if len(offsets) == 1 else offsets
    ends = [o + reference[a] for o, a in zip(offsets, axes, strict=True)]
    sizes = e.fixed(e.x, "cuts out as much as a blob holds")
    if any(end > sizes[a] for end, a in zip(ends, axes, strict=True)):
        raise Refusal("malformed-op", f"cuts {ends} out of {list(sizes[axis:])}")
    return part(e, axes, offsets, ends, result_sizes(e.op)[0] or (), "crop")


@converts("Flatten")
def _flatten(e: CaffeEmitter) -> SSAValue:
    """flatten(x) -> reshape(x, sizes)"""
    sizes = e.sizes(e.x)
    first, last = (axis_of(e.get(name), len(sizes)) for name in ("axis", "end_axis"))
    behind = sizes[last + 1 :]
    if min(behind, default=0) < 0:
        raise Refusal("dynamic-shape", "keeps a size behind the flat ones that is open")
    return _resized(e, [*[0] * first, -1, *behind])


def _resized(e: CaffeEmitter, sizes: list[int]) -> SSAValue:
    shape = result_sizes(e.op)[0]
    if shape is not None and min(shape, default=0) >= 0:
        sizes = [0 if w == 0 else size for w, size in zip(sizes, shape, strict=True)]
    inputs = e.ints("sizes", sizes)
    return e.node("reshape", "Reshape", [e.x, inputs], type=type_of(shape))


@converts("Reshape")
def _reshape(e: CaffeEmitter) -> SSAValue:
    """reshape(x) -> reshape(x, sizes)"""
    sizes = e.sizes(e.x)
    shape = reshaped(e.op, sizes)
    if min(sizes) >= 0 and (min(shape, default=0) < 0 or prod(shape) != prod(sizes)):
        raise Refusal("malformed-op", f"makes {list(shape)} of {list(sizes)}")
    start, dims = e.get("axis"), e.get("shape").get("dim", [])
    start = start + len(sizes) + 1 if start < 0 else start
    count = len(sizes) - start if e.get("num_axes") < 0 else e.get("num_axes")
    target = [*[0] * start, *dims, *sizes[start + count :]]
    if target.count(-1) > 1:
        raise Refusal("dynamic-shape", "keeps an unknown size and infers another one")
    return _resized(e, target)


@converts("Permute")
def _permute(e: CaffeEmitter) -> SSAValue:
    """permute(x) -> transpose(x)"""
    return e.transpose(e.x, permutation(e.op, e.rank(e.x)))


@converts("Tile")
def _tile(e: CaffeEmitter) -> SSAValue:
    """tile(x) -> tile(x, [1, tiles, 1, 1])"""
    repeats = [1] * e.rank(e.x)
    repeats[axis_of(e.get("axis"), len(repeats))] = e.get("tiles")
    return e.emit("Tile", e.x, e.ints("repeats", repeats), sizes=result_sizes(e.op)[0])


@converts("ShuffleChannel")
def _shuffle(e: CaffeEmitter) -> SSAValue:
    """shuffle_channel(x) -> reshape(transpose(reshape(x, n, group, rest)), n, channels)"""
    _, channels, *spatial = e.sizes(e.x)
    group = e.get("group")
    if min(channels, *spatial) < 0:
        raise Refusal("dynamic-shape", "moves channels of blobs whose sizes are open")
    if channels % group:
        raise ValueError(f"{counted(channels, 'channel')} in {counted(group, 'group')}")
    parted = e.reshape(e.x, [0, group, channels // group, *spatial], "parted")
    order = [0, 2, 1, *range(3, 3 + len(spatial))]
    back = e.transpose(parted, order, "shuffled")
    return e.reshape(back, [0, channels, *spatial], "joined")


@converts("Interp")
def _interp(e: CaffeEmitter) -> SSAValue:
    """interp(x) -> resize(x, sizes), linear between aligned corners"""
    if e.get("pad_beg") or e.get("pad_end"):
        raise Refusal("attribute", "pads what it resizes")
    if e.rank(e.x) != 4:
        raise Refusal("rank", f"resizes a blob of {e.rank(e.x)} axes, expected 4")
    shape = result_sizes(e.op)[0]
    if shape is None or min(shape) < 0:
        raise Refusal("dynamic-shape", "resizes to sizes that are open")
    attributes = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    return e.node(
        "resize",
        "Resize",
        [e.x, None, None, e.ints("sizes", shape)],
        attributes,
        TensorType(f32, shape),
    )
