"""Ops that look elements up by indices, or write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import SSAValue

from autosplit.dialects.platform import element_type
from autosplit.lowering.conversions import END
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Dim, converts
from autosplit.lowering.shared.refusal import Refusal


def as_indices(b: AtenBuilder, value: SSAValue) -> SSAValue:
    """Indices as ONNX takes them."""
    element = element_type(value.type)
    return value if element in (i32, i64) else b.cast(value, i64)


@converts("embedding")
def _embedding(b: AtenBuilder) -> SSAValue:
    """embedding(w, i) -> gather(w, i)"""
    return b.apply("Gather", b.tensor("weight"), as_indices(b, b.tensor("indices")), axis=0)


@converts("index_select")
def _index_select(b: AtenBuilder) -> SSAValue:
    """index_select(x, i) -> gather(x, i)"""
    axis = b.axis(b.x, b.integer("dim"))
    return b.apply("Gather", b.x, as_indices(b, b.tensor("index")), axis=axis)


@converts("gather")
def _gather(b: AtenBuilder) -> SSAValue:
    """gather(x, i) -> gather_elements(x, i)"""
    axis = b.axis(b.x, b.integer("dim"))
    return b.apply("GatherElements", b.x, as_indices(b, b.tensor("index")), axis=axis)


# Indices of several axes at once


def _indices(b: AtenBuilder) -> tuple[list[int], list[SSAValue]]:
    """The axes that have indices, and the indices."""
    arguments = b.listed("indices")
    axes = [i for i, v in enumerate(arguments) if isinstance(v, SSAValue)]
    values = [v for v in arguments if isinstance(v, SSAValue)]
    if not axes:
        raise Refusal("malformed-op", "has no indices")
    for value in values:
        if b.element(value) == i1 or str(b.element(value)) == "ui8":
            raise Refusal("data-dependent", "keeps as many elements as a mask says")
    return axes, values


@converts("_unsafe_index.Tensor", "index.Tensor")
def _index(b: AtenBuilder) -> SSAValue:
    """index(x, [i]) -> gather(x, i); of several axes gather_nd(transpose(x), indices side by side)"""
    axes, values = _indices(b)
    rank = b.rank(b.x)
    if len(axes) == 1:
        return b.apply("Gather", b.x, as_indices(b, values[0]), axis=axes[0])
    others = [a for a in range(rank) if a not in axes]
    moved = b.transpose(b.x, [*axes, *others])
    elements = b.apply("GatherND", moved, _side_by_side(b, values))
    if axes != [*range(axes[0], axes[0] + len(axes))]:
        # The indexed axes come first unless they are adjacent.
        return elements
    wide = max(b.rank(v) for v in values)
    front = axes[0]
    order = [*range(wide, wide + front), *range(wide), *range(wide + front, wide + len(others))]
    return b.transpose(elements, order)


def _side_by_side(b: AtenBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Indices of several axes as one tensor, those of one element in its last axis."""
    wide = b.apply("Add", *(b.cast(v, i64) for v in values[:2])) if len(values) > 1 else values[0]
    for value in values[2:]:
        wide = b.apply("Add", wide, b.cast(value, i64))
    alike = {b.shape(v) for v in values}
    is_same = len(alike) == 1
    shape = None if is_same else b.apply("Shape", wide)
    columns = [b.cast(v, i64) for v in values]
    if shape is not None:
        columns = [b.apply("Expand", c, shape) for c in columns]
    axis = b.rank(wide)
    return b.node("indices", "Concat", [b.unsqueeze(c, [axis]) for c in columns], {"axis": axis})


@converts("index_put", "_unsafe_index_put")
def _index_put(b: AtenBuilder) -> SSAValue:
    """index_put(x, [i], v) -> scatter_nd(x, i, v). Refused where indices are not those of the first axes."""
    axes, values = _indices(b)
    if axes != [*range(len(axes))]:
        raise Refusal("attribute", "writes along axes that are not the first ones")
    index = _side_by_side(b, values)
    wide = max(b.rank(v) for v in values)
    rank = b.rank(b.x)
    source = b.tensor("values")
    sizes = b.sizes(index)[:-1]
    shape: list[Dim] = [*sizes, *b.sizes(b.x)[len(axes) :]]
    if b.rank(source) != wide + rank - len(axes) or b.shape(source) != tuple(shape):
        source = b.apply("Expand", source, b.vector(shape))
    reduction = "add" if b.flag("accumulate") else "none"
    if not b.flag("accumulate") and b.values.array(index) is None:
        # Both leave open which of two writes to one element wins; in ATen it is the last one.
        return b.apply("ScatterND", b.x, index, source)
    return b.apply("ScatterND", b.x, index, source, reduction=reduction)


# Scattering


@converts("scatter.src", "scatter.value", "scatter_add")
def _scatter(b: AtenBuilder) -> SSAValue:
    """scatter(x, i, v) -> scatter_elements(x, i, v), scatter_add with the sum"""
    axis, index = b.axis(b.x, b.integer("dim")), as_indices(b, b.tensor("index"))
    if b.kind == "scatter.value":
        value = b.operand("value", b.out)
        source = b.apply("Expand", value, b.vector(b.sizes(index)))
    else:
        source = _cut_to(b, b.tensor("src"), index)
    reduction = "add" if b.kind == "scatter_add" else "none"
    return b.apply("ScatterElements", b.x, index, source, axis=axis, reduction=reduction)


def _cut_to(b: AtenBuilder, source: SSAValue, index: SSAValue) -> SSAValue:
    """The part of the source that has indices."""
    if b.shape(source) == b.shape(index):
        return source
    ends = b.vector(b.sizes(index), "ends")
    rank = b.rank(source)
    return b.apply("Slice", source, b.ints("starts", [0] * rank), ends)


@converts("select_scatter", "slice_scatter")
def _part_scatter(b: AtenBuilder) -> SSAValue:
    """slice_scatter(x, y) -> concat(x in front of the part, y, x behind it); select_scatter alike"""
    axis = b.axis(b.x, b.integer("dim"))
    size, source = b.shape(b.x)[axis], b.tensor("src")
    if size < 0:
        raise Refusal("dynamic-shape", "writes to a part of an axis of unknown size")
    if b.kind == "select_scatter":
        start = b.integer("index") % size
        end, step = start + 1, 1
        source = b.unsqueeze(source, [axis])
    else:
        ends = [b.get(name) for name in ("start", "end")]
        if any(isinstance(v, SSAValue) for v in ends):
            raise Refusal("operand-value", "start or end is computed, not constant")
        first, last = (v if isinstance(v, int) else d for v, d in zip(ends, (0, END), strict=True))
        start, end, step = slice(first, last, b.integer("step")).indices(size)
    source = b.cast(source, b.out)
    if step != 1:
        return _strided_scatter(b, source, axis, [*range(start, end, step)])
    end = max(end, start)
    parts = [b.part(b.x, axis, 0, start)] if start else []
    parts.append(source)
    parts += [b.part(b.x, axis, end, END)] if end < size else []
    return parts[0] if len(parts) == 1 else b.node("scatter", "Concat", parts, {"axis": axis})


def _strided_scatter(b: AtenBuilder, source: SSAValue, axis: int, rows: list[int]) -> SSAValue:
    """Writes to some rows of an axis."""
    if not rows:
        return b.x
    order = [axis, *(i for i in range(b.rank(b.x)) if i != axis)]
    index = b.constant("indices", np.array(rows, np.int64).reshape(-1, 1))
    written = b.apply("ScatterND", b.transpose(b.x, order), index, b.transpose(source, order))
    return b.transpose(written, [order.index(i) for i in range(len(order))])


@converts("copy")
def _copy(b: AtenBuilder) -> SSAValue:
    """copy(x, y) -> expand(cast(y), shape(x))"""
    source = b.cast(b.tensor("src"), b.out)
    if b.shape(source) == b.shape(b.x):
        return source
    return b.apply("Expand", source, b.vector(b.sizes(b.x)))


@converts("one_hot")
def _one_hot(b: AtenBuilder) -> SSAValue:
    """one_hot(x) -> one_hot(x). Refused where the number of classes follows from the data."""
    count = b.integer("num_classes")
    if count < 0:
        raise Refusal("data-dependent", "the number of classes follows from the data")
    values = b.constant("values", np.array([0, 1], np.int64))
    return b.apply("OneHot", b.x, b.ints("depth", [count]), values, axis=-1)
