"""Reductions, positions of extremes, and running sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import NoneType, TensorType, f32
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.families.elementwise import binary, unary
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import (
    EXACT_INTEGERS,
    Query,
    fixed_sizes,
    refuses,
)
from autosplit.lowering.convert_onnx_to_top.parts.shapes import axis_runs
from autosplit.lowering.convert_onnx_to_top.parts.steps import as_result, permute, reshape, sizes
from autosplit.lowering.shared.fold import AnyArray


def _axes(c: Conversion) -> list[int]:
    """The axes that are reduced, in order; none if the op is the identity."""
    rank = len(sizes(c.operand(0)))
    axes = c.q.ints(1)
    if axes:
        return sorted(axis % rank for axis in axes)
    return [] if c.q.integer("noop_with_empty_axes", 0) else list(range(rank))


def _has_many_rows(c: Conversion, shape: Sequence[int], run: Sequence[int]) -> bool:
    """Whether a run of axes is better reduced as the last one."""
    inner = prod(shape[run[-1] + 1 :])
    limit = c.q.chip.limit("reduced-rows")
    return limit is not None and inner > 1 and prod(shape[: run[-1] + 1]) > limit


def over(
    c: Conversion, x: SSAValue, axes: Sequence[int], mode: str, suffix: str | None = None
) -> SSAValue:
    """A Reduce, as the result or, with a suffix, with dimensions of 1.

    Runs of adjacent axes are reduced one after the other: BM1684X and BM1688 get several wrong together. An
    axis with too many rows in front is moved to the end first.
    """
    runs = axis_runs(axes)
    has_many_rows = not c.q.dynamic and any(_has_many_rows(c, sizes(x), run) for run in runs)
    if c.q.dynamic and suffix is None and not c.q.integer("keepdims", 1):
        # A dynamic sub-model was measured to keep the dimensions all the same.
        return c.emit("Squeeze", [over(c, x, axes, mode, "kept")], {"axes": list(axes)})
    if len(runs) == 1 and not has_many_rows and (suffix is None or c.q.dynamic):
        keep = suffix is not None or bool(c.q.integer("keepdims", 1))
        attrs = {"axes": list(axes), "keepdims": keep, "mode": mode}
        reduced_sizes = [1 if i in axes and keep else d for i, d in enumerate(sizes(x))]
        return c.emit("Reduce", [x], attrs, shape=reduced_sizes, suffix=suffix)
    shape = list(sizes(x))
    for i, run in enumerate(runs):
        outer, inner = prod(shape[: run[0]]), prod(shape[run[-1] + 1 :])
        count = prod(shape[axis] for axis in run)
        name = f"{suffix or 'run'}{i}"
        rows = reshape(c, x, (outer, count, inner), f"{name}_rows")
        axis, reduced = 1, (outer, 1, inner)
        if has_many_rows and _has_many_rows(c, shape, run):
            rows = permute(c, rows, (0, 2, 1), f"{name}_columns")
            axis, reduced = 2, (outer, inner, 1)
        attrs = {"axes": [axis], "keepdims": True, "mode": mode}
        x = c.emit("Reduce", [rows], attrs, shape=reduced, suffix=name)
        shape = [1 if axis in run else d for axis, d in enumerate(shape)]
    return reshape(c, x, c.shape() if suffix is None else shape, suffix and f"{suffix}_whole")


@refuses("ReduceL1", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum")
def refuse_reduce(q: Query) -> ReasonAttr | None:
    """Axes that are not adjacent are reduced one after the other, which needs sizes."""
    rank = len(q.shape(0) or ())
    axes = sorted(axis % max(rank, 1) for axis in q.ints(1) or [])
    return fixed_sizes(q) if len(axis_runs(axes)) > 1 else None


@converts("ReduceL1", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum")
def reduce(c: Conversion) -> SSAValue:
    """A Reduce; L1 is the sum of absolute values."""
    x, axes, mode = c.operand(0), _axes(c), c.op.op_type
    if mode == "ReduceL1":
        x, mode = unary(c, "Abs", x, "size" if axes else None), "ReduceSum"
    return over(c, x, axes, mode) if axes else x


@converts("ReduceL2")
def reduce_l2(c: Conversion) -> SSAValue:
    """The root of the sum of squares: of two such ops in a model, BM1684 was measured to get one wrong."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return unary(c, "Abs", x)
    total = over(c, binary(c, "Mul", x, x, "square"), axes, "ReduceSum", "sum")
    root = None if sizes(total) == c.shape() else "root"
    norm = unary(c, "Sqrt", total, root)
    return norm if root is None else reshape(c, norm, c.shape())


@converts("ReduceSumSquare")
def reduce_sum_square(c: Conversion) -> SSAValue:
    """The sum of squares."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return binary(c, "Mul", x, x)
    return over(c, binary(c, "Mul", x, x, "square"), axes, "ReduceSum")


@converts("ReduceLogSum")
def reduce_log_sum(c: Conversion) -> SSAValue:
    """The logarithm of the sum."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return unary(c, "Log", x)
    logarithm = unary(c, "Log", over(c, x, axes, "ReduceSum", "sum"), "logarithm")
    return (
        as_result(c, logarithm)
        if sizes(logarithm) == c.shape()
        else reshape(c, logarithm, c.shape())
    )


@converts("ReduceProd")
def reduce_prod(c: Conversion) -> SSAValue:
    """Halves are multiplied until one row remains: all chips get some products along an axis wrong."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return x
    other_axes = [axis for axis in range(len(sizes(x))) if axis not in axes]
    front = permute(c, x, axes + other_axes, "front")
    count = prod(sizes(x)[axis] for axis in axes)
    inner = prod(sizes(x)) // count
    rows = reshape(c, front, (count, inner), "rows")
    while count > 1:
        half = count // 2
        name = f"{count}"
        first = _rows(c, rows, 0, half, f"{name}_first")
        second = _rows(c, rows, half, half, f"{name}_second")
        product = binary(c, "Mul", first, second, f"{name}_product")
        if count % 2:
            odd_row = _rows(c, rows, 2 * half, 1, f"{name}_rest")
            product = c.emit(
                "Concat",
                [product, odd_row],
                {"axis": 0},
                shape=(half + 1, inner),
                suffix=f"{name}_joined",
            )
        rows, count = product, half + count % 2
    return reshape(c, rows, c.shape())


def _rows(c: Conversion, x: SSAValue, start: int, count: int, suffix: str) -> SSAValue:
    attrs = {"offset": [start], "steps": [1], "ends": [start + count], "axes": [0]}
    operands = [x, c.none(), c.none(), c.none()]
    return c.emit("Slice", operands, attrs, shape=(count, sizes(x)[1]), suffix=suffix)


@converts("ReduceLogSumExp")
def reduce_log_sum_exp(c: Conversion) -> SSAValue:
    """Shifted by the largest number, which is added again, so that nothing overflows."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return x
    top = over(c, x, axes, "ReduceMax", "top")
    powers = unary(c, "Exp", binary(c, "Sub", x, top, "shifted"), "powers")
    total = over(c, powers, axes, "ReduceSum", "total")
    logarithm = unary(c, "Log", total, "logarithm")
    if sizes(top) == c.shape():
        return binary(c, "Add", logarithm, top)
    return reshape(c, binary(c, "Add", logarithm, top, "whole"), c.shape())


def far_positions(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", -1 if q.op.op_type == "TopK" else 0)
    if -len(shape) <= axis < len(shape) and shape[axis] > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {shape[axis]}, exact only up to {EXACT_INTEGERS}"
        )
    return None


@refuses("ArgMax", "ArgMin")
def refuse_extremes(q: Query) -> ReasonAttr | None:
    """Positions that are counted from the other end need the size of the axis."""
    shape, axis = q.shape(0) or (), q.integer("axis", 0)
    if q.dynamic and q.integer("keepdims", 1) and "keepdims" in q.chip.workarounds:
        return q.refuse(
            "wrong-numbers",
            "has keepdims = 1, which a dynamic sub-model forgets (measured on BM1684X)",
        )
    if not picks_right_end(q) and -len(shape) <= axis < len(shape) and shape[axis] < 0:
        return q.refuse(
            "dynamic-shape",
            f"counts positions from the end of {shape_text(shape)}, along axis {axis}",
        )
    return far_positions(q)


def finds_last(q: Query) -> bool:
    """Whether the chip's Arg is asked for the last of equals; else for the first.

    Of equal maxima, each chip gets only one of the two right; of equal minima, all get both right.
    """
    if q.op.op_type == "ArgMin":
        return bool(q.integer("select_last_index", 0))
    return "last-maximum" in q.chip.workarounds


def picks_right_end(q: Query) -> bool:
    """Whether the chip's Arg gives the one of equals that the ONNX op selects."""
    return bool(q.integer("select_last_index", 0)) == finds_last(q)


@converts("ArgMax", "ArgMin")
def arg(c: Conversion) -> SSAValue:
    """An Arg; of the reversed axis where the chip gets the selected one of equals wrong."""
    x = c.operand(0)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    attrs = {
        "axis": axis,
        "keepdims": bool(c.q.integer("keepdims", 1)),
        "mode": c.op.op_type,
        "select_last_index": finds_last(c.q),
    }
    if picks_right_end(c.q):
        return _arg(c, x, attrs)
    flipped = c.emit("Reverse", [x], {"axis": axis}, shape=sizes(x), suffix="behind")
    place = _arg(c, flipped, attrs, "place")
    last = {"const_val": float(sizes(x)[axis] - 1), "is_reverse": True}
    return c.emit("SubConst", [place], last)


def _arg(
    c: Conversion, x: SSAValue, attrs: Mapping[str, AttrValue], suffix: str | None = None
) -> SSAValue:
    """The positions that an Arg op computes; its values are not used."""
    name = c.target.fresh(c.name() if suffix is None else f"{c.name()}/{suffix}")
    types = [TensorType(f32, c.shape()), NoneType()]
    names = [name, c.target.fresh(f"{name}/values")]
    return c.target.insert("Arg", [x], types, names, attrs).results[0]


MOST_SUMMED = 4096
"""The longest axis of a CumSum, which is a product with a matrix of as many rows and columns."""


@refuses("CumSum")
def refuse_cum_sum(q: Query) -> ReasonAttr | None:
    if refusal := fixed_sizes(q):
        return refusal
    shape, axes = q.shape(0) or (), q.ints(1) or [0]
    if (count := shape[axes[0] % len(shape)]) > MOST_SUMMED:
        return q.refuse(
            "size",
            f"sums up {counted(count, 'number')}, as a product with a matrix of that size; up to "
            f"{MOST_SUMMED}",
        )
    return None


@converts("CumSum")
def cum_sum(c: Conversion) -> SSAValue:
    """A product with a triangle of ones."""
    x = c.operand(0)
    shape = sizes(x)
    axes = c.q.ints(1) or [0]
    axis = axes[0] % len(shape)
    count, inner = shape[axis], prod(shape[axis + 1 :])
    triangle: AnyArray = np.tri(count, k=-c.q.integer("exclusive", 0), dtype=np.float32)
    if c.q.integer("reverse", 0):
        triangle = triangle[::-1, ::-1]
    rows = reshape(c, x, (prod(shape[:axis]), count, inner), "rows")
    axis_last = permute(c, rows, (0, 2, 1), "last") if inner > 1 else rows
    flat = reshape(c, axis_last, (prod(shape) // count, count), "flat")
    sums = c.emit(
        "MatMul",
        [flat, c.weight(triangle.T, "triangle"), c.none()],
        shape=sizes(flat),
        suffix="sums",
    )
    if inner == 1:
        return reshape(c, sums, shape)
    back = permute(c, reshape(c, sums, sizes(axis_last), "split"), (0, 2, 1), "back")
    return reshape(c, back, shape)
