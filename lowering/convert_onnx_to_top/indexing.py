"""Elements by their positions; those that are constant say at once where each result comes from."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.comparisons import inverted, masked
from autosplit.lowering.convert_onnx_to_top.elementwise import binary, compared
from autosplit.lowering.convert_onnx_to_top.parts import plus, reshape, sizes, times
from autosplit.lowering.convert_onnx_to_top.shapes import (
    MOST_SPANS,
    Shape,
    elements_gathered,
    points_gathered,
    scattered,
    spans,
)
from autosplit.lowering.fold import AnyArray


def taken(
    c: Conversion, x: SSAValue, axis: int, positions: list[int], suffix: str | None = None
) -> SSAValue:
    """The elements at constant positions along an axis."""
    shape = list(sizes(x))
    shape[axis] = len(positions)
    found = spans(positions)
    if len(found) > MOST_SPANS:
        weight = c.weight(np.array(positions, np.float32), f"{suffix or 'all'}_positions")
        attrs = {"axis": axis, "keepdims": True}
        return c.emit("Gather", [x, weight], attrs, shape=shape, suffix=suffix)
    parts: list[SSAValue] = []
    for i, (start, step, count) in enumerate(found):
        part = list(shape)
        part[axis] = count
        attrs = {
            "offset": [start],
            "steps": [step],
            "ends": [start + (count - 1) * step + 1],
            "axes": [axis],
        }
        name = suffix if len(found) == 1 else f"{suffix or 'all'}_span{i}"
        operands = [x, c.none(), c.none(), c.none()]
        parts.append(c.emit("Slice", operands, attrs, shape=part, suffix=name))
    if len(parts) == 1:
        return parts[0]
    return c.emit("Concat", parts, {"axis": axis}, shape=shape, suffix=suffix)


@converts("Gather")
def gather(c: Conversion) -> SSAValue:
    """Constant positions in one dimension; computed ones are counted from the start first."""
    x = c.operand(0)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    length = sizes(x)[axis]
    if c.q.is_constant(1):
        positions = [p % length for p in c.q.ints(1) or []]
        whole = (*sizes(x)[:axis], len(positions), *sizes(x)[axis + 1 :])
        last = None if whole == c.shape() else "taken"
        made = taken(c, x, axis, positions, last)
        if c.q.dynamic and len(c.shape()) < len(whole):
            return c.emit("Squeeze", [made], {"axes": [axis]})
        return _named(c, made, x)
    given = c.operand(1)
    flat = reshape(c, given, (prod(sizes(given)),), "flat")
    rows = (*sizes(x)[:axis], prod(sizes(given)), *sizes(x)[axis + 1 :])
    last = None if rows == c.shape() else "taken"
    attrs = {"axis": axis, "keepdims": True}
    positions_ = _from_start(c, flat, length)
    return _named(c, c.emit("Gather", [x, positions_], attrs, shape=rows, suffix=last), x)


def _named(c: Conversion, made: SSAValue, x: SSAValue) -> SSAValue:
    """The value in the shape of the result."""
    return made if sizes(made) == c.shape() and made is not x else reshape(c, made, c.shape())


def _from_start(c: Conversion, positions: SSAValue, length: int) -> SSAValue:
    """Computed positions, of which those from the end are negative, from the start."""
    negative = compared(c, positions, "Less", 0.0, "negative")
    return binary(c, "Add", positions, times(c, negative, float(length), "length"), "positions")


@converts("GatherElements")
def gather_elements(c: Conversion) -> SSAValue:
    """Constant positions are those of the flat tensor."""
    x, indices = c.operand(0), c.q.array(1)
    assert indices is not None
    axis = c.q.integer("axis", 0) % len(sizes(x))
    return _flat(c, x, elements_gathered(indices, sizes(x), axis))


@converts("GatherND")
def gather_nd(c: Conversion) -> SSAValue:
    """Constant positions are those of rows that are left when the dimensions that they count are one."""
    x, indices = c.operand(0), c.q.array(1)
    assert indices is not None
    rows, inner = points_gathered(indices, sizes(x), c.q.integer("batch_dims", 0))
    table = reshape(c, x, (prod(sizes(x)) // inner, inner), "rows")
    return reshape(c, taken(c, table, 0, rows, "taken"), c.shape())


def _flat(c: Conversion, x: SSAValue, places: AnyArray) -> SSAValue:
    """The elements of the flat tensor at `places`, in the result's shape."""
    flat = reshape(c, x, (prod(sizes(x)), 1), "flat")
    made = taken(c, flat, 0, [int(p) for p in places.reshape(-1)], "taken")
    return reshape(c, made, c.shape())


@converts("ScatterElements", "ScatterND")
def scatter(c: Conversion) -> SSAValue:
    """Elements of the tensor and of the updates behind it, each from where it was put last."""
    x, indices, updates = c.operand(0), c.q.array(1), c.operand(2)
    assert indices is not None
    count, given = prod(sizes(x)), prod(sizes(updates))
    axis = c.q.integer("axis", 0) if c.op.op_type == "ScatterElements" else None
    places = scattered(indices, sizes(x), axis)
    parts = [reshape(c, x, (count, 1), "flat"), reshape(c, updates, (given, 1), "flat_updates")]
    both = c.emit("Concat", parts, {"axis": 0}, shape=(count + given, 1), suffix="both")
    made = taken(c, both, 0, [int(p) for p in places.reshape(-1)], "taken")
    return reshape(c, made, c.shape())


@converts("OneHot")
def one_hot(c: Conversion) -> SSAValue:
    """1 where a position, counted from the start, is the one that stands there."""
    depth = (c.q.ints(1) or [0])[0]
    values = c.q.array(2)
    assert values is not None
    off, on = (float(v) for v in values.reshape(-1))
    shape = c.shape()
    axis = c.q.integer("axis", -1) % len(shape)
    given = c.operand(0)
    column: Shape = (*shape[:axis], 1, *shape[axis + 1 :])
    positions = reshape(c, _from_start(c, given, depth), column, "column")
    places = np.arange(depth, dtype=np.float32)
    row = c.weight(places.reshape(-1, *[1] * (len(shape) - axis - 1)), "places")
    off_by = binary(c, "Sub", positions, row, "off_by")
    low = compared(c, off_by, "Less", 0.0, "before")
    missed = binary(c, "Add", low, compared(c, off_by, "Greater", 0.0, "behind"), "missed")
    if (off, on) == (0.0, 1.0):
        return inverted(c, missed)
    return plus(c, times(c, missed, off - on, "scaled"), on)


@converts("Trilu")
def trilu(c: Conversion) -> SSAValue:
    """What is left of the diagonal, or right of it, is filled with 0."""
    x = c.operand(0)
    rows, columns = sizes(x)[-2:]
    diagonal = (c.q.ints(1) or [0])[0]
    ones = np.ones((rows, columns), np.float32)
    upper = c.q.integer("upper", 1)
    mask = np.tril(ones, diagonal - 1) if upper else np.triu(ones, diagonal + 1)
    whole = mask.reshape((1,) * (len(sizes(x)) - 2) + mask.shape)
    return masked(c, c.weight(whole, "outside"), x, 0.0)


@converts("TopK")
def top_k(c: Conversion) -> list[SSAValue]:
    """The largest or smallest, in order, and their positions."""
    x = c.operand(0)
    attrs = {
        "axis": c.q.integer("axis", -1) % len(sizes(x)),
        "K": (c.q.ints(1) or [0])[0],
        "largest": bool(c.q.integer("largest", 1)),
        "sorted": bool(c.q.integer("sorted", 1)),
    }
    return c.emit_all("TopK", [x], attrs)
