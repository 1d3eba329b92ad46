"""Reductions, positions of extremes, and running sums."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from xdsl.dialects.builtin import NoneType, TensorType, f32
from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.elementwise import binary, unary
from autosplit.lowering.convert_onnx_to_top.parts import permute, reshape, sizes
from autosplit.lowering.fold import AnyArray


def _axes(c: Conversion) -> list[int]:
    """The axes that are reduced, in order; none where the op is the identity."""
    rank = len(sizes(c.operand(0)))
    given = c.q.ints(1)
    if given:
        return sorted(axis % rank for axis in given)
    return [] if c.q.integer("noop_with_empty_axes", 0) else list(range(rank))


@converts("ReduceL1", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum")
def reduce(c: Conversion) -> SSAValue:
    """One Reduce."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return unary(c, "Abs", x) if c.op.op_type == "ReduceL1" else x
    return c.emit("Reduce", [x], _reduced(c, axes, c.op.op_type))


def _reduced(c: Conversion, axes: list[int], mode: str) -> dict[str, AttrValue]:
    return {"axes": axes, "keepdims": bool(c.q.integer("keepdims", 1)), "mode": mode}


@converts("ReduceL2")
def reduce_l2(c: Conversion) -> SSAValue:
    """The root of the sum of squares: of two such ops in a model, BM1684 was measured to get one wrong."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return unary(c, "Abs", x)
    square = binary(c, "Mul", x, x, "square")
    total = c.emit("Reduce", [square], _reduced(c, axes, "ReduceSum"), suffix="sum")
    return c.emit("Sqrt", [total])


@converts("ReduceProd")
def reduce_prod(c: Conversion) -> SSAValue:
    """With what is reduced in front: BM1684 is wrong about the product along the last axis."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return x
    kept = [axis for axis in range(len(sizes(x))) if axis not in axes]
    front = permute(c, x, axes + kept, "front")
    count = prod(sizes(x)[axis] for axis in axes)
    rows = reshape(c, front, (count, prod(sizes(x)) // count), "rows")
    attrs = {"axes": [0], "keepdims": False, "mode": "ReduceProd"}
    product = c.emit("Reduce", [rows], attrs, shape=sizes(rows)[1:], suffix="product")
    return reshape(c, product, c.shape())


@converts("ReduceLogSumExp")
def reduce_log_sum_exp(c: Conversion) -> SSAValue:
    """Without the largest number, which is added again, so that nothing overflows."""
    x, axes = c.operand(0), _axes(c)
    if not axes:
        return x
    kept = [1 if axis in axes else d for axis, d in enumerate(sizes(x))]
    reduced = {"axes": axes, "keepdims": True}
    top = c.emit("Reduce", [x], {**reduced, "mode": "ReduceMax"}, shape=kept, suffix="top")
    powers = unary(c, "Exp", binary(c, "Sub", x, top, "shifted"), "powers")
    total = c.emit("Reduce", [powers], {**reduced, "mode": "ReduceSum"}, shape=kept, suffix="total")
    logarithm = unary(c, "Log", total, "logarithm")
    if sizes(top) == c.shape():
        return binary(c, "Add", logarithm, top)
    return reshape(c, binary(c, "Add", logarithm, top, "whole"), c.shape())


@converts("ArgMax", "ArgMin")
def arg(c: Conversion) -> SSAValue:
    """The last of equals is the first from behind: BM1684 is wrong about the attribute."""
    x = c.operand(0)
    axis = c.q.integer("axis", 0) % len(sizes(x))
    attrs = {
        "axis": axis,
        "keepdims": bool(c.q.integer("keepdims", 1)),
        "mode": c.op.op_type,
        "select_last_index": False,
    }
    if not c.q.integer("select_last_index", 0):
        return _arg(c, x, attrs)
    behind = c.emit("Reverse", [x], {"axis": axis}, shape=sizes(x), suffix="behind")
    place = _arg(c, behind, attrs, "place")
    last = {"const_val": float(sizes(x)[axis] - 1), "is_reverse": True}
    return c.emit("SubConst", [place], last)


def _arg(
    c: Conversion, x: SSAValue, attrs: Mapping[str, AttrValue], suffix: str | None = None
) -> SSAValue:
    """An Arg op, of which only the positions are taken."""
    name = c.target.fresh(c.name() if suffix is None else f"{c.name()}/{suffix}")
    types = [TensorType(f32, c.shape()), NoneType()]
    names = [name, c.target.fresh(f"{name}/values")]
    return c.target.insert("Arg", [x], types, names, attrs).results[0]


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
    last = permute(c, rows, (0, 2, 1), "last") if inner > 1 else rows
    flat = reshape(c, last, (prod(shape) // count, count), "flat")
    sums = c.emit(
        "MatMul",
        [flat, c.weight(triangle.T, "triangle"), c.none()],
        shape=sizes(flat),
        suffix="sums",
    )
    if inner == 1:
        return reshape(c, sums, shape)
    back = permute(c, reshape(c, sums, sizes(last), "split"), (0, 2, 1), "back")
    return reshape(c, back, shape)
