"""Views, and ops that only move data: what is joined, cut, turned, repeated or padded."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.elementwise import repeated
from autosplit.lowering.convert_onnx_to_top.parts import permute, reshape, sizes
from autosplit.lowering.convert_onnx_to_top.shapes import (
    MOST_PERMUTED_DIMS,
    Cut,
    Shape,
    cuts,
    moving_groups,
    paddings,
)


@converts("Identity", "Dropout")
def identity(c: Conversion) -> SSAValue:
    """The operand itself."""
    return c.operand(0)


@converts("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def view(c: Conversion) -> SSAValue:
    """All are a Reshape where sizes are known."""
    x, shape = c.operand(0), c.shape()
    if not c.q.dynamic:
        return reshape(c, x, shape)
    if c.op.op_type in ("Squeeze", "Unsqueeze"):
        rank = max(len(sizes(x)), len(shape))
        given = c.q.ints(1) or [i for i, d in enumerate(sizes(x)) if d == 1]
        return c.emit(c.op.op_type, [x], {"axes": sorted(axis % rank for axis in given)})
    if c.op.op_type == "Flatten":
        first = 0 if c.q.integer("axis", 1) == 1 else shape[0]
        return c.emit("Reshape", [x], {"shape": [first, -1]})
    return c.emit("Reshape", [x], {"shape": c.q.ints(1) or []})


@converts("Transpose")
def transpose(c: Conversion) -> SSAValue:
    """Chips permute up to six dimensions, those that stay together being one; beyond, one moves at a time."""
    x = c.operand(0)
    rank = len(sizes(x))
    order = c.q.integers("perm") or list(range(rank))[::-1]
    groups = moving_groups(order, sizes(x))
    if c.q.dynamic or len(groups) <= MOST_PERMUTED_DIMS:
        return permute(c, x, order)
    left = list(range(rank))
    for place, axis in enumerate(order[:-1]):
        at = left.index(axis, place)
        if at == place:
            continue
        x = _moved(c, x, place, at, f"step{place}")
        left.insert(place, left.pop(at))
    return reshape(c, x, c.shape())


def _moved(c: Conversion, x: SSAValue, place: int, at: int, suffix: str) -> SSAValue:
    """Dimension `at` comes to stand at `place`, before it."""
    shape = sizes(x)
    blocks = (prod(shape[:place]), prod(shape[place:at]), shape[at], prod(shape[at + 1 :]))
    moved = permute(c, reshape(c, x, blocks, f"{suffix}_blocks"), (0, 2, 1, 3), f"{suffix}_turned")
    whole = (*shape[:place], shape[at], *shape[place:at], *shape[at + 1 :])
    return reshape(c, moved, whole, f"{suffix}_whole")


@converts("Concat")
def concat(c: Conversion) -> SSAValue:
    """One operand is itself."""
    operands = c.operands()
    if len(operands) == 1:
        return operands[0]
    return c.emit("Concat", operands, {"axis": c.q.integer("axis", 0) % len(c.shape())})


@converts("Split")
def split(c: Conversion) -> list[SSAValue]:
    """Parts of no elements, which nobody reads, are not cut."""
    x = c.operand(0)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    lengths = [c.shape(i)[axis] for i in range(len(c.op.results))]
    if len(lengths) == 1:
        return [x]
    if all(lengths):
        attrs = {"axis": axis, "num": len(lengths), "split_size": lengths}
        return c.emit_all("Split", [x], attrs)
    starts = np.cumsum([0, *lengths])
    parts: list[SSAValue] = []
    for i, length in enumerate(lengths):
        cut = Cut(axis, int(starts[i]), 1, length)
        parts.append(_cut(c, x, [cut], result=i) if length else c.none())
    return parts


@converts("Slice")
def slice_(c: Conversion) -> SSAValue:
    """Backwards is forwards, then reversed."""
    x = c.operand(0)
    if c.q.dynamic:
        return _dynamic_slice(c, x)
    found = cuts(sizes(x), *(c.q.ints(i) for i in range(1, 5)))
    backwards = [cut for cut in found if cut.step < 0]
    forwards = [cut.forwards() for cut in found if not cut.is_whole(sizes(x)) or cut.step < 0]
    if not found or not forwards:
        return x
    forwards = [cut for cut in forwards if not cut.is_whole(sizes(x))]
    if forwards:
        x = _cut(c, x, forwards, "forwards" if backwards else None)
    for i, cut in enumerate(backwards):
        suffix = f"reversed{i}" if i < len(backwards) - 1 else None
        x = c.emit("Reverse", [x], {"axis": cut.axis}, shape=sizes(x), suffix=suffix)
    return x


def _cut(
    c: Conversion, x: SSAValue, found: Sequence[Cut], suffix: str | None = None, result: int = 0
) -> SSAValue:
    """A Slice with steps of 1 or more."""
    shape = list(sizes(x))
    for cut in found:
        shape[cut.axis] = cut.count
    attrs = {
        "offset": [cut.start for cut in found],
        "steps": [cut.step for cut in found],
        "ends": [cut.start + (cut.count - 1) * cut.step + 1 for cut in found],
        "axes": [cut.axis for cut in found],
    }
    operands = [x, c.none(), c.none(), c.none()]
    return c.emit("Slice", operands, attrs, result=result, shape=shape, suffix=suffix)


def _dynamic_slice(c: Conversion, x: SSAValue) -> SSAValue:
    """The numbers as the model gives them, in the range that the tool chain reads."""
    starts, ends = c.q.ints(1) or [], c.q.ints(2) or []
    rank, limit = len(sizes(x)), (1 << 31) - 1025
    axes = [a % rank for a in c.q.ints(3) or range(len(starts))]
    steps = c.q.ints(4) or [1] * len(starts)
    order = sorted(range(len(axes)), key=axes.__getitem__)
    attrs = {
        "offset": [max(min(starts[i], limit), -limit) for i in order],
        "steps": [steps[i] for i in order],
        "ends": [max(min(ends[i], limit), -limit) for i in order],
        "axes": [axes[i] for i in order],
    }
    return c.emit("Slice", [x, c.none(), c.none(), c.none()], attrs)


@converts("Tile")
def tile(c: Conversion) -> SSAValue:
    """One axis after the other, in three dimensions."""
    x = c.operand(0)
    repeats = c.q.ints(1) or []
    axes = [axis for axis, count in enumerate(repeats) if count != 1]
    if not axes:
        return x
    if c.q.dynamic:
        return c.emit("Tile", [x], {"tile": repeats})
    shape = list(sizes(x))
    for axis in axes:
        outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
        rows = reshape(c, x, (outer, shape[axis], inner), f"rows{axis}")
        shape[axis] *= repeats[axis]
        many = (outer, shape[axis], inner)
        attrs = {"tile": [1, repeats[axis], 1]}
        x = c.emit("Tile", [rows], attrs, shape=many, suffix=f"tile{axis}")
    return reshape(c, x, shape)


@converts("Expand")
def expand(c: Conversion) -> SSAValue:
    """Dimensions of 1 are repeated."""
    x, shape = c.operand(0), c.shape()
    if sizes(x) == shape:
        return x
    return reshape(c, repeated(c, x, shape, "x"), shape)


@converts("Pad")
def pad(c: Conversion) -> SSAValue:
    """Negative pads cut, and the others pad one axis after the other, in four dimensions."""
    x = c.operand(0)
    shape = list(sizes(x))
    before, after = paddings(c.q.ints(1) or [], c.q.ints(3), len(shape))
    cut = [
        Cut(axis, -min(b, 0), 1, shape[axis] + min(b, 0) + min(a, 0))
        for axis, (b, a) in enumerate(zip(before, after, strict=True))
        if min(a, b) < 0
    ]
    axes = [axis for axis in range(len(shape)) if max(before[axis], after[axis]) > 0]
    if cut:
        x = _cut(c, x, cut, "cut" if axes else None)
    if not axes:
        return x
    mode = c.q.text("mode", "constant")
    for axis in axes:
        pads = (max(before[axis], 0), max(after[axis], 0))
        x = _padded(c, x, axis, pads, mode)
    return reshape(c, x, c.shape())


def _padded(c: Conversion, x: SSAValue, axis: int, pads: tuple[int, int], mode: str) -> SSAValue:
    shape = list(sizes(x))
    outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
    length = shape[axis] + sum(pads)
    suffix = f"axis{axis}"
    rows = reshape(c, x, (1, outer, shape[axis], inner), f"{suffix}_rows")
    if mode == "wrap":
        made = _wrapped(c, rows, pads, suffix)
    else:
        value = c.q.array(2)
        attrs = {
            "paddings": [0, 0, pads[0], 0, 0, 0, pads[1], 0],
            "val": 0.0 if value is None else float(value.reshape(-1)[0]),
            "mode": mode,
        }
        made = c.emit("Pad", [rows], attrs, shape=(1, outer, length, inner), suffix=suffix)
    shape[axis] = length
    return reshape(c, made, shape, f"{suffix}_whole")


def _wrapped(c: Conversion, rows: SSAValue, pads: tuple[int, int], suffix: str) -> SSAValue:
    """The end before, and the start behind."""
    one, outer, length, inner = sizes(rows)
    parts = [rows]
    if pads[0]:
        cut = Cut(2, length - pads[0], 1, pads[0])
        parts.insert(0, _cut(c, rows, [cut], f"{suffix}_end"))
    if pads[1]:
        parts.append(_cut(c, rows, [Cut(2, 0, 1, pads[1])], f"{suffix}_start"))
    shape: Shape = (one, outer, length + sum(pads), inner)
    return c.emit("Concat", parts, {"axis": 2}, shape=shape, suffix=suffix)
