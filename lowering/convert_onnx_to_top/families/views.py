"""Views, and ops that only move data: Concat, Split, Slice, Transpose, Tile, Expand and Pad."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.families.elementwise import repeated
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
    MOST_PERMUTED_DIMS,
    Cut,
    Shape,
    cuts,
    moving_groups,
)
from autosplit.lowering.convert_onnx_to_top.parts.steps import permute, reshape, sizes
from autosplit.lowering.shared.windows import paddings


@refuses("Dropout")
def refuse_dropout(q: Query) -> ReasonAttr | None:
    training = q.array(2)
    if q.value(2) is None or (training is not None and not training.any()):
        return None
    return q.refuse("random", f"trains, as {q.operand(2)} says, and draws random numbers")


@converts("Identity", "Dropout")
def identity(c: Conversion) -> SSAValue:
    """The operand itself."""
    return c.operand(0)


@refuses("Flatten")
def refuse_flatten(q: Query) -> ReasonAttr | None:
    axis, shape = q.integer("axis", 1), q.shape(0) or ()
    if all(d >= 0 for d in shape[:axis]) or (q.dynamic and axis == 1):
        return None
    return fixed_sizes(q)


@refuses("Reshape")
def refuse_reshape(q: Query) -> ReasonAttr | None:
    """With varying sizes, a shape without -1 fixes too much, and several zeros were wrong."""
    varying = [s for s in (q.shape(0), q.result_shape()) if s is not None and any(d < 0 for d in s)]
    sizes = q.ints(1) or []
    if not varying or -1 in sizes:
        return None
    return fixed_sizes(q)


@converts("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def view(c: Conversion) -> SSAValue:
    """All are a Reshape where sizes are known."""
    x, shape = c.operand(0), c.shape()
    if not c.q.dynamic:
        return reshape(c, x, shape)
    if c.op.op_type in ("Squeeze", "Unsqueeze"):
        rank = max(len(sizes(x)), len(shape))
        axes = c.q.ints(1) or [i for i, d in enumerate(sizes(x)) if d == 1]
        return c.emit(c.op.op_type, [x], {"axes": sorted(axis % rank for axis in axes)})
    if c.op.op_type == "Flatten":
        first = 0 if c.q.integer("axis", 1) == 1 else shape[0]
        return c.emit("Reshape", [x], {"shape": [first, -1]})
    return c.emit("Reshape", [x], {"shape": c.q.ints(1) or []})


@refuses("Transpose")
def refuse_transpose(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    order = q.integers("perm") or list(range(len(shape)))[::-1]
    return None if len(moving_groups(order, shape)) <= MOST_PERMUTED_DIMS else fixed_sizes(q)


@converts("Transpose")
def transpose(c: Conversion) -> SSAValue:
    """Chips permute up to six dimensions, adjacent ones counting as one; beyond that, one moves at a time."""
    x = c.operand(0)
    rank = len(sizes(x))
    order = c.q.integers("perm") or list(range(rank))[::-1]
    groups = moving_groups(order, sizes(x))
    if c.q.dynamic or len(groups) <= MOST_PERMUTED_DIMS:
        return permute(c, x, order)
    current = list(range(rank))
    for place, axis in enumerate(order[:-1]):
        at = current.index(axis, place)
        if at == place:
            continue
        x = _moved(c, x, place, at, f"step{place}")
        current.insert(place, current.pop(at))
    return reshape(c, x, c.shape())


def _moved(c: Conversion, x: SSAValue, place: int, at: int, suffix: str) -> SSAValue:
    """`x` with dimension `at` moved forward to `place`."""
    shape = sizes(x)
    blocks = (prod(shape[:place]), prod(shape[place:at]), shape[at], prod(shape[at + 1 :]))
    moved = permute(c, reshape(c, x, blocks, f"{suffix}_blocks"), (0, 2, 1, 3), f"{suffix}_turned")
    moved_shape = (*shape[:place], shape[at], *shape[place:at], *shape[at + 1 :])
    return reshape(c, moved, moved_shape, f"{suffix}_whole")


@refuses("Concat")
def refuse_concat(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.inputs) > 16:
        return q.refuse(
            "operand-count",
            f"joins {counted(len(q.op.inputs), 'tensor')}, a dynamic sub-model joins up to 16",
        )
    return None


@converts("Concat")
def concat(c: Conversion) -> SSAValue:
    """A single operand is the result."""
    operands = c.operands()
    if len(operands) == 1:
        return operands[0]
    return c.emit("Concat", operands, {"axis": c.q.integer("axis", 0) % len(c.shape())})


@refuses("Split")
def refuse_split(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.results) > 8:
        return q.refuse(
            "operand-count",
            f"has {counted(len(q.op.results), 'result')}, a dynamic sub-model has up to 8",
        )
    shape, axis = q.shape(0) or (), q.integer("axis", 0)
    return fixed_sizes(q) if shape and shape[axis % len(shape)] < 0 else None


@converts("Split")
def split(c: Conversion) -> list[SSAValue]:
    """Parts of no elements, which nothing reads, are not cut."""
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


@refuses("Slice")
def refuse_slice(q: Query) -> ReasonAttr | None:
    steps = q.ints(4) or []
    if q.dynamic and any(s < 1 for s in steps):
        return q.refuse(
            "operand-value", f"has steps {steps}; a dynamic sub-model needs steps of 1 or more"
        )
    return None


@converts("Slice")
def slice_(c: Conversion) -> SSAValue:
    """A backward slice is a forward one, then reversed."""
    x = c.operand(0)
    if c.q.dynamic:
        return _dynamic_slice(c, x)
    parts = cuts(sizes(x), *(c.q.ints(i) for i in range(1, 5)))
    backwards = [cut for cut in parts if cut.step < 0]
    forwards = [cut.forwards() for cut in parts if not cut.is_whole(sizes(x)) or cut.step < 0]
    if not parts or not forwards:
        return x
    forwards = [cut for cut in forwards if not cut.is_whole(sizes(x))]
    if forwards:
        x = _cut(c, x, forwards, "forwards" if backwards else None)
    for i, cut in enumerate(backwards):
        suffix = f"reversed{i}" if i < len(backwards) - 1 else None
        x = c.emit("Reverse", [x], {"axis": cut.axis}, shape=sizes(x), suffix=suffix)
    return x


def _cut(
    c: Conversion, x: SSAValue, cuts: Sequence[Cut], suffix: str | None = None, result: int = 0
) -> SSAValue:
    """A Slice with steps of 1 or more."""
    shape = list(sizes(x))
    for cut in cuts:
        shape[cut.axis] = cut.count
    attrs = {
        "offset": [cut.start for cut in cuts],
        "steps": [cut.step for cut in cuts],
        "ends": [cut.start + (cut.count - 1) * cut.step + 1 for cut in cuts],
        "axes": [cut.axis for cut in cuts],
    }
    operands = [x, c.none(), c.none(), c.none()]
    return c.emit("Slice", operands, attrs, result=result, shape=shape, suffix=suffix)


def _dynamic_slice(c: Conversion, x: SSAValue) -> SSAValue:
    """A Slice with the model's own numbers, limited to the range that the tool chain reads."""
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
        tiled_shape = (outer, shape[axis], inner)
        attrs = {"tile": [1, repeats[axis], 1]}
        x = c.emit("Tile", [rows], attrs, shape=tiled_shape, suffix=f"tile{axis}")
    return reshape(c, x, shape)


@converts("Expand")
def expand(c: Conversion) -> SSAValue:
    """Dimensions of 1 are repeated."""
    x, shape = c.operand(0), c.shape()
    if sizes(x) == shape:
        return x
    return reshape(c, repeated(c, x, shape, "x"), shape)


@refuses("Pad")
def refuse_pad(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        return q.refuse("attribute", f"has mode = {mode!r}, which ONNX does not define")
    value = q.array(2)
    if value is not None and value.size != 1:
        return q.refuse("operand-value", f"pads with {counted(value.size, 'number')}, needs one")
    if value is not None and not np.isfinite(value).all():
        return q.refuse("operand-value", f"pads with {value.reshape(-1)[0]}, needs a finite number")
    shape = q.shape(0) or ()
    if refusal := fixed_sizes(q):
        return refusal
    before, after = paddings(q.ints(1) or [], q.ints(3), len(shape))
    margin = {"reflect": 1, "wrap": 0}.get(mode)
    for size, *pads in zip(shape, before, after, strict=True):
        remaining = size + sum(min(p, 0) for p in pads)
        if margin is not None and max(pads) > remaining - margin:
            return q.refuse(
                "operand-value",
                f"has mode = {mode!r} and pads {pads} of {counted(remaining, 'element')}",
            )
    return None


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
        y = _wrapped(c, rows, pads, suffix)
    else:
        value = c.q.array(2)
        attrs = {
            "paddings": [0, 0, pads[0], 0, 0, 0, pads[1], 0],
            "val": 0.0 if value is None else float(value.reshape(-1)[0]),
            "mode": mode,
        }
        y = c.emit("Pad", [rows], attrs, shape=(1, outer, length, inner), suffix=suffix)
    shape[axis] = length
    return reshape(c, y, shape, f"{suffix}_whole")


def _wrapped(c: Conversion, rows: SSAValue, pads: tuple[int, int], suffix: str) -> SSAValue:
    """The rows with their end in front of them, and their start behind."""
    batch, outer, length, inner = sizes(rows)
    parts = [rows]
    if pads[0]:
        cut = Cut(2, length - pads[0], 1, pads[0])
        parts.insert(0, _cut(c, rows, [cut], f"{suffix}_end"))
    if pads[1]:
        parts.append(_cut(c, rows, [Cut(2, 0, 1, pads[1])], f"{suffix}_start"))
    shape: Shape = (batch, outer, length + sum(pads), inner)
    return c.emit("Concat", parts, {"axis": 2}, shape=shape, suffix=suffix)
