"""Elements by their positions; constant ones tell at compile time where each result comes from."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import NoneType, TensorType, f32
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.families.comparisons import inverted, masked
from autosplit.lowering.convert_onnx_to_top.families.elementwise import binary, closeness, compared
from autosplit.lowering.convert_onnx_to_top.families.matrices import product
from autosplit.lowering.convert_onnx_to_top.families.reductions import far_positions
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import (
    EXACT_INTEGERS,
    MOST_WEIGHTS,
    Query,
    fixed_sizes,
    refuses,
)
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
    MOST_SPANS,
    Shape,
    elements_gathered,
    points_gathered,
    reversed_rows,
    scatter_rounds,
    scattered,
    spans,
)
from autosplit.lowering.convert_onnx_to_top.parts.steps import (
    as_result,
    permute,
    plus,
    reshape,
    sizes,
    times,
)
from autosplit.lowering.shared.fold import AnyArray


def gathered(
    c: Conversion, x: SSAValue, axis: int, positions: list[int], suffix: str | None = None
) -> SSAValue:
    """The elements at constant positions along an axis."""
    shape = list(sizes(x))
    shape[axis] = len(positions)
    runs = spans(positions)
    is_small = len(positions) * sizes(x)[axis] <= MOST_WEIGHTS and not c.q.dynamic
    if len(runs) > MOST_SPANS and is_small and "many-runs" in c.q.chip.dynamic_forms:
        rows = np.array(positions)

        def load_selection() -> AnyArray:
            return (rows[:, None] == np.arange(sizes(x)[axis])).astype(np.float32)

        table_shape = (len(positions), sizes(x)[axis])
        weights = c.lazy_weight(load_selection, table_shape, f"{suffix or 'all'}_rows")
        return selected(c, x, axis, weights, suffix)
    if len(runs) > MOST_SPANS:
        weight = c.weight(np.array(positions, np.float32), f"{suffix or 'all'}_positions")
        attrs = {"axis": axis, "keepdims": True}
        return c.emit("Gather", [x, weight], attrs, shape=shape, suffix=suffix)
    parts: list[SSAValue] = []
    for i, (start, step, count) in enumerate(runs):
        part = list(shape)
        part[axis] = count
        attrs = {
            "offset": [start],
            "steps": [step],
            "ends": [start + (count - 1) * step + 1],
            "axes": [axis],
        }
        name = suffix if len(runs) == 1 else f"{suffix or 'all'}_span{i}"
        operands = [x, c.none(), c.none(), c.none()]
        parts.append(c.emit("Slice", operands, attrs, shape=part, suffix=name))
    if len(parts) == 1:
        return parts[0]
    return c.emit("Concat", parts, {"axis": axis}, shape=shape, suffix=suffix)


def selected(
    c: Conversion, x: SSAValue, axis: int, rows: SSAValue, suffix: str | None = None
) -> SSAValue:
    """The product of rows with an axis of `x`; a row with a single 1 takes an element."""
    name = suffix or "all"
    rank = len(sizes(x))
    order = [axis, *(i for i in range(rank) if i != axis)]
    front = permute(c, x, order, f"{name}_front")
    others = sizes(front)[1:]
    flat = reshape(c, front, (sizes(x)[axis], prod(others)), f"{name}_table")
    y = product(c, rows, flat, suffix=f"{name}_product")
    y = reshape(c, y, (sizes(rows)[0], *others), f"{name}_parts")
    y = permute(c, y, [order.index(i) for i in range(rank)], f"{name}_order")
    return y if suffix is not None else as_result(c, y)


def _looked_up(
    c: Conversion, x: SSAValue, axis: int, positions: SSAValue, suffix: str | None = None
) -> SSAValue:
    """The elements at computed positions, a vector; by a product where a Gather makes the bmodel dynamic."""
    shape = list(sizes(x))
    shape[axis] = sizes(positions)[0]
    is_small = shape[axis] * sizes(x)[axis] <= MOST_WEIGHTS and not c.q.dynamic
    if not is_small or "computed-indices" not in c.q.chip.dynamic_forms:
        attrs = {"axis": axis, "keepdims": True}
        return c.emit("Gather", [x, positions], attrs, shape=shape, suffix=suffix)
    column = reshape(c, positions, (shape[axis], 1), "position_column")
    elements = c.weight(np.arange(sizes(x)[axis]).reshape(1, -1), "elements")
    return selected(c, x, axis, closeness(c, column, elements, "rows"), suffix)


@refuses("Gather")
def refuse_gather(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", 0)
    length = shape[axis] if -len(shape) <= axis < len(shape) else -1
    if length > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {length}, exact only up to {EXACT_INTEGERS}"
        )
    # Positions of two dimensions or more need a Reshape of the elements.
    if q.is_constant(1) and length >= 0 and len(q.shape(1) or ()) < 2:
        return None
    return fixed_sizes(q)


@converts("Gather")
def gather(c: Conversion) -> SSAValue:
    """Positions are flattened; computed ones are counted from the start first."""
    x = c.operand(0)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    length = sizes(x)[axis]
    if c.q.is_constant(1):
        positions = [p % length for p in c.q.ints(1) or []]
        full_shape = (*sizes(x)[:axis], len(positions), *sizes(x)[axis + 1 :])
        suffix = None if full_shape == c.shape() else "taken"
        picked = gathered(c, x, axis, positions, suffix)
        if c.q.dynamic and len(c.shape()) < len(full_shape):
            return c.emit("Squeeze", [picked], {"axes": [axis]})
        return _named(c, picked, x)
    indices = c.operand(1)
    flat = reshape(c, indices, (prod(sizes(indices)),), "flat")
    rows = (*sizes(x)[:axis], prod(sizes(indices)), *sizes(x)[axis + 1 :])
    suffix = None if rows == c.shape() else "taken"
    return _named(c, _looked_up(c, x, axis, _from_start(c, flat, length), suffix), x)


def _named(c: Conversion, y: SSAValue, x: SSAValue) -> SSAValue:
    """The value in the shape of the result."""
    return y if sizes(y) == c.shape() and y is not x else reshape(c, y, c.shape())


def _from_start(c: Conversion, positions: SSAValue, length: int) -> SSAValue:
    """Computed positions counted from the start; those counted from the end are negative."""
    negative = compared(c, positions, "Less", 0.0, "negative")
    return binary(c, "Add", positions, times(c, negative, float(length), "length"), "positions")


@refuses("GatherElements", "GatherND", "ScatterElements", "ScatterND")
def refuse_gather_flat(q: Query) -> ReasonAttr | None:
    """GatherElements, GatherND, and scattering: positions in a tensor seen as one row."""
    if refusal := fixed_sizes(q):
        return refusal
    if (reduction := q.text("reduction", "none")) != "none" and (
        refusal := _combines(q, reduction)
    ):
        return refusal
    shapes = [q.shape(0) or (), q.shape(2) or () if len(q.op.inputs) > 2 else ()]
    count = sum(prod(s) for s in shapes)
    if count > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {count}, exact only up to {EXACT_INTEGERS}"
        )
    return None


MOST_ROUNDS = 8
"""The most updates of one element, in a scatter with a reduction."""


def _combines(q: Query, reduction: str) -> ReasonAttr | None:
    if reduction not in ("add", "mul", "max", "min"):
        return q.refuse("attribute", f"has reduction = {reduction!r}, which ONNX does not define")
    indices, shape = q.array(1), q.shape(0) or ()
    assert indices is not None
    axis = q.integer("axis", 0) if q.op.op_type == "ScatterElements" else None
    if (rounds := len(scatter_rounds(indices, shape, axis))) <= MOST_ROUNDS:
        return None
    return q.refuse(
        "operand-value",
        f"has {counted(rounds, 'update')} of one element, joins up to {MOST_ROUNDS}",
    )


@converts("GatherElements")
def gather_elements(c: Conversion) -> SSAValue:
    """A lookup in the flattened tensor."""
    x, indices = c.operand(0), c.q.array(1)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    if indices is not None:
        return _flat(c, x, elements_gathered(indices, sizes(x), axis))
    positions = c.operand(1)
    steps = prod(sizes(x)[axis + 1 :])
    others = elements_gathered(np.zeros(sizes(positions), np.int64), sizes(x), axis)
    along = _from_start(c, positions, sizes(x)[axis])
    along = along if steps == 1 else times(c, along, steps, "steps")
    places = binary(c, "Add", along, c.weight(others, "others"), "places")
    places = reshape(c, places, (prod(sizes(positions)),), "flat_places")
    flat = reshape(c, x, (prod(sizes(x)), 1), "flat")
    return reshape(c, _looked_up(c, flat, 0, places, "taken"), c.shape())


@converts("GatherND")
def gather_nd(c: Conversion) -> SSAValue:
    """A lookup of rows, with the indexed dimensions flattened into one."""
    x, indices = c.operand(0), c.q.array(1)
    if indices is None:
        return _points(c, x)
    rows, inner = points_gathered(indices, sizes(x), c.q.integer("batch_dims", 0))
    table = reshape(c, x, (prod(sizes(x)) // inner, inner), "rows")
    return reshape(c, gathered(c, table, 0, rows, "taken"), c.shape())


def _points(c: Conversion, x: SSAValue) -> SSAValue:
    """The rows at computed points: a point's coordinates, times the steps of their dimensions, are summed."""
    indices, batch_dims = c.operand(1), c.q.integer("batch_dims", 0)
    points, depth = sizes(indices)[:-1], sizes(indices)[-1]
    indexed = sizes(x)[: batch_dims + depth]
    inner = prod(sizes(x)[len(indexed) :])
    count = prod(points)
    flat = reshape(c, indices, (count, depth), "points")
    lengths = c.weight(np.array(indexed[batch_dims:]).reshape(1, -1), "lengths")
    negative = compared(c, flat, "Less", 0.0, "negative")
    wrapped = binary(c, "Mul", negative, lengths, "wrapped")
    start = binary(c, "Add", flat, wrapped, "positions")
    steps = np.array([prod(indexed[i + 1 :]) for i in range(len(indexed))])
    moved = binary(c, "Mul", start, c.weight(steps[batch_dims:].reshape(1, -1), "steps"), "moved")
    attrs = {"axes": [1], "keepdims": True, "mode": "ReduceSum"}
    total = c.emit("Reduce", [moved], attrs, shape=(count, 1), suffix="total")
    if batch_dims:
        batches = np.indices(points)[:batch_dims]
        first = sum(b * s for b, s in zip(batches, steps, strict=False))
        total = binary(c, "Add", total, c.weight(np.reshape(first, (count, 1)), "batches"), "all")
    table = reshape(c, x, (prod(indexed), inner), "rows")
    places = reshape(c, total, (count,), "places")
    return reshape(c, _looked_up(c, table, 0, places, "taken"), c.shape())


def _flat(c: Conversion, x: SSAValue, places: AnyArray) -> SSAValue:
    """The elements of the flat tensor at `places`, in the result's shape."""
    flat = reshape(c, x, (prod(sizes(x)), 1), "flat")
    picked = gathered(c, flat, 0, [int(p) for p in places.reshape(-1)], "taken")
    return reshape(c, picked, c.shape())


@converts("ScatterElements", "ScatterND")
def scatter(c: Conversion) -> SSAValue:
    """A lookup in the tensor and the updates behind it: the last update of an element, or the element."""
    x, indices, updates = c.operand(0), c.q.array(1), c.operand(2)
    assert indices is not None
    count, count_of_updates = prod(sizes(x)), prod(sizes(updates))
    axis = c.q.integer("axis", 0) if c.op.op_type == "ScatterElements" else None
    if (reduction := c.q.text("reduction", "none")) != "none":
        return _combined(c, x, updates, scatter_rounds(indices, sizes(x), axis), reduction)
    places = scattered(indices, sizes(x), axis)
    parts = [
        reshape(c, x, (count, 1), "flat"),
        reshape(c, updates, (count_of_updates, 1), "flat_updates"),
    ]
    both = c.emit("Concat", parts, {"axis": 0}, shape=(count + count_of_updates, 1), suffix="both")
    picked = gathered(c, both, 0, [int(p) for p in places.reshape(-1)], "taken")
    return reshape(c, picked, c.shape())


REDUCTIONS = {
    "add": ("Add", 0.0),
    "max": ("Max", None),
    "min": ("Min", None),
    "mul": ("Mul", 1.0),
}
"""By reduction: the op, and its neutral element; None where that is the element itself."""


def _combined(
    c: Conversion, x: SSAValue, updates: SSAValue, rounds: list[AnyArray], reduction: str
) -> SSAValue:
    """The elements joined with their updates, in as many rounds as one element has updates."""
    kind, neutral = REDUCTIONS[reduction]
    count, count_of_updates = prod(sizes(x)), prod(sizes(updates))
    flat = reshape(c, x, (count, 1), "flat")
    fallback = flat if neutral is None else c.weight(np.full((1, 1), neutral), "neutral")
    first = sizes(fallback)[0]
    parts = [fallback, reshape(c, updates, (count_of_updates, 1), "flat_updates")]
    both = c.emit("Concat", parts, {"axis": 0}, shape=(first + count_of_updates, 1), suffix="both")
    for i, places in enumerate(rounds):
        sources = places if neutral is None else np.where(places < count, 0, places - count + first)
        moved = gathered(c, both, 0, [int(p) for p in sources], f"round{i}")
        flat = binary(c, kind, flat, moved, f"joined{i}")
    return reshape(c, flat, c.shape())


@refuses("ReverseSequence")
def refuse_reverse_sequence(q: Query) -> ReasonAttr | None:
    if {q.integer("time_axis", 0), q.integer("batch_axis", 1)} != {0, 1}:
        return q.refuse("attribute", "has other axes than 0 and 1, which ONNX does not define")
    return fixed_sizes(q)


@converts("ReverseSequence")
def reverse_sequence(c: Conversion) -> SSAValue:
    """A Reverse where sequences are equally long; otherwise a lookup of rows."""
    x, lengths = c.operand(0), c.q.ints(1) or []
    time_axis = c.q.integer("time_axis", 0)
    steps, *inner = sizes(x)[time_axis], *sizes(x)[2:]
    if set(lengths) == {steps}:
        return c.emit("Reverse", [x], {"axis": time_axis})
    rows = reversed_rows(lengths, steps, time_axis == 0)
    table = reshape(c, x, (len(rows), prod(inner)), "rows")
    return reshape(c, gathered(c, table, 0, rows, "taken"), c.shape())


@refuses("Hardmax")
def refuse_hardmax(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q) or far_positions(q)


@converts("Hardmax")
def hardmax(c: Conversion) -> SSAValue:
    """1 at the largest element, the first one of equals, else 0."""
    x = c.operand(0)
    axis = c.q.integer("axis", -1) % len(sizes(x))
    place = _first_least(c, times(c, x, -1.0, "negative"), axis, "place")
    return closeness(c, place, _along(c, sizes(x), axis))


def _along(c: Conversion, shape: Shape, axis: int) -> SSAValue:
    """The positions along an axis, as a weight."""
    line = np.arange(shape[axis]).reshape(-1, *[1] * (len(shape) - axis - 1))
    return c.weight(line.reshape((1,) * (len(shape) - line.ndim) + line.shape), "line")


def _first_least(c: Conversion, x: SSAValue, axis: int, suffix: str) -> SSAValue:
    """The position of the least along an axis, the first one of equals, which all chips find."""
    shape = list(sizes(x))
    shape[axis] = 1
    name = c.target.fresh(f"{c.name()}/{suffix}")
    attrs = {"axis": axis, "keepdims": True, "mode": "ArgMin", "select_last_index": False}
    names = [name, c.target.fresh(f"{name}/values")]
    types = [TensorType(f32, shape), NoneType()]
    return c.target.insert("Arg", [x], types, names, attrs).results[0]


@refuses("OneHot")
def refuse_one_hot(q: Query) -> ReasonAttr | None:
    depth, values = q.ints(1) or [], q.array(2)
    if len(depth) != 1 or values is None or values.size != 2 or not np.isfinite(values).all():
        return q.refuse("operand-value", "needs one depth, and two finite values")
    return fixed_sizes(q)


@converts("OneHot")
def one_hot(c: Conversion) -> SSAValue:
    """`on` where a position, counted from the start, is that of the element, else `off`."""
    depth = (c.q.ints(1) or [0])[0]
    values = c.q.array(2)
    assert values is not None
    off, on = (float(v) for v in values.reshape(-1))
    shape = c.shape()
    axis = c.q.integer("axis", -1) % len(shape)
    indices = c.operand(0)
    column: Shape = (*shape[:axis], 1, *shape[axis + 1 :])
    positions = reshape(c, _from_start(c, indices, depth), column, "column")
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
    """A mask fills elements left of the diagonal, or right of it, with 0."""
    x = c.operand(0)
    rows, columns = sizes(x)[-2:]
    diagonal = (c.q.ints(1) or [0])[0]
    ones = np.ones((rows, columns), np.float32)
    upper = c.q.integer("upper", 1)
    mask = np.tril(ones, diagonal - 1) if upper else np.triu(ones, diagonal + 1)
    aligned = mask.reshape((1,) * (len(sizes(x)) - 2) + mask.shape)
    return masked(c, c.weight(aligned, "outside"), x, 0.0)


MOST_SEARCHES = 8
"""The largest K of a TopK that is written out, as K searches."""


def is_small_top_k(q: Query) -> bool:
    """Whether a TopK is written out: one that has a Top op of its own needs a dynamic sub-model."""
    (count,) = q.ints(1) or [0]
    shapes = (*(q.shape(0) or (-1,)), *(q.result_shape() or (-1,)))
    return not q.dynamic and 1 <= count <= MOST_SEARCHES and all(d > 0 for d in shapes)


@refuses("TopK")
def refuse_topk(q: Query) -> ReasonAttr | None:
    chip = q.chip
    condition = f"where more than {MOST_SEARCHES} are taken"
    if is_small_top_k(q):
        return far_positions(q)
    if (evidence := chip.host_ops.get("TopK")) is not None:
        return q.refuse(
            "host-op", f"would not run on {chip.vendor_name} itself {condition} ({evidence})"
        )
    if not q.dynamic and (evidence := chip.dynamic_ops.get("TopK")) is not None:
        return q.refuse(
            "dynamic-op", f"needs a sub-model compiled with --dynamic {condition} ({evidence})"
        )
    return q.attribute_is("sorted", 1, 1, "results come sorted") or far_positions(q)


@converts("TopK")
def top_k(c: Conversion) -> list[SSAValue]:
    """The largest or smallest, in order, and their positions."""
    x = c.operand(0)
    if is_small_top_k(c.q):
        return _searched(c, x)
    attrs = {
        "axis": c.q.integer("axis", -1) % len(sizes(x)),
        "K": (c.q.ints(1) or [0])[0],
        "largest": bool(c.q.integer("largest", 1)),
        "sorted": bool(c.q.integer("sorted", 1)),
    }
    return c.emit_all("TopK", [x], attrs)


FOUND = 3.3e38
"""Replaces elements that were found; larger or infinite ones are limited to less than that."""


def _searched(c: Conversion, x: SSAValue) -> list[SSAValue]:
    """One search for the least per result, each without those found before; the first one of equals."""
    axis, largest = c.q.integer("axis", -1) % len(sizes(x)), bool(c.q.integer("largest", 1))
    count = c.shape()[axis]
    shape = list(sizes(x))
    shape[axis] = 1
    remaining = times(c, x, -1.0, "negative") if largest else x
    line = _along(c, sizes(x), axis)
    values: list[SSAValue] = []
    places: list[SSAValue] = []
    for i in range(count):
        # The compiler fuses both into one op, at the position of the first.
        places.append(_first_least(c, remaining, axis, f"place{i}"))
        attrs = {"axes": [axis], "keepdims": True, "mode": "ReduceMin"}
        least = c.emit("Reduce", [remaining], attrs, shape=shape, suffix=f"value{i}")
        values.append(times(c, least, -1.0, f"largest{i}") if largest else least)
        if i == 0:
            remaining = c.emit(
                "MinConst",
                [remaining],
                {"const_val": FOUND / 1.1},
                shape=sizes(x),
                suffix="bounded",
            )
        if i < count - 1:
            remaining = masked(
                c, closeness(c, places[-1], line, f"taken{i}"), remaining, FOUND, f"left{i + 1}"
            )
    results: list[SSAValue] = []
    for index, parts in enumerate((values, places)):
        if index < len(c.op.results):
            results.append(_joined(c, parts, axis, index))
    return results


def _joined(c: Conversion, parts: list[SSAValue], axis: int, result: int) -> SSAValue:
    if len(parts) == 1:
        return as_result(c, parts[0], result)
    return c.emit("Concat", parts, {"axis": axis}, result=result)
