"""Ops that combine elements along axes: reductions, products of matrices, sorting, selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, f32, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from autosplit.lowering.convert_tf_to_onnx.builder import Builder, converts
from autosplit.lowering.convert_tf_to_onnx.types import broadcast, shape_of, tensor
from autosplit.lowering.shared.refusal import Refusal

UNKNOWN = DYNAMIC_INDEX

REDUCTIONS = {
    "EuclideanNorm": "ReduceL2",
    "Max": "ReduceMax",
    "Mean": "ReduceMean",
    "Min": "ReduceMin",
    "Prod": "ReduceProd",
    "Sum": "ReduceSum",
}


@converts(*REDUCTIONS)
def _reduce(b: Builder) -> SSAValue:
    """sum(x, axes) -> reduce_sum(x, axes); no axes leave x as it is

    The norm over no axes is abs(x); it is refused where the axes are computed.
    """
    return _emit_reduce(b, REDUCTIONS[b.op.op_type], b.input(0))


@converts("All", "Any")
def _reduce_bool(b: Builder) -> SSAValue:
    """all(x, axes) -> bool(reduce_min(int(x), axes)), any by reduce_max"""
    kind = "ReduceMin" if b.op.op_type == "All" else "ReduceMax"
    return b.cast(_emit_reduce(b, kind, b.cast(b.input(0), i32)), i1)


def _emit_reduce(b: Builder, kind: str, x: SSAValue) -> SSAValue:
    keep = int(bool(b.attribute("keep_dims", False)))
    axes = b.array(1)
    shape = shape_of(x)
    if axes is None and kind == "ReduceL2":
        # Over no axes it is the absolute value, which ONNX's operator sets do not agree on.
        raise Refusal("operand-value", "the axes of a norm (operand 1) are computed, not constant")
    if axes is None:
        out = (UNKNOWN,) * len(shape) if shape is not None and keep else None
        axes_value = b.to_i64(1, "axes", vector=True)
        return b.node(
            kind,
            x,
            axes_value,
            type=tensor(b.element(x), out),
            keepdims=keep,
            noop_with_empty_axes=1,
        )
    flat = [int(a) for a in axes.reshape(-1)]
    if not flat:
        return b.node("Abs", x) if kind == "ReduceL2" else x
    out = None
    if shape is not None:
        reduced = {a % len(shape) for a in flat if shape}
        dims = [(1 if i in reduced else d, i in reduced) for i, d in enumerate(shape)]
        out = tuple(d for d, is_reduced in dims if keep or not is_reduced)
    return b.node(kind, x, b.i64(flat, "axes"), type=tensor(b.element(x), out), keepdims=keep)


@converts("ArgMax", "ArgMin")
def _arg_max(b: Builder) -> SSAValue:
    """arg_max(x, axis) -> cast(arg_max(x)), the first of equals. Refused if the axis is computed."""
    x = b.input(0)
    axis = b.int(1, "the axis")
    shape = shape_of(x)
    out = None
    if shape:
        place = axis % len(shape)
        out = (*shape[:place], *shape[place + 1 :])
    index = b.node(b.op.op_type, x, type=tensor(i64, out), axis=axis, keepdims=0)
    return b.cast(index, _element_attribute(b, "output_type", i64))


def _element_attribute(b: Builder, name: str, default: Attribute) -> Attribute:
    value = b.attribute(name, default)
    return value if isinstance(value, Attribute) else default


@converts("TopKV2")
def _top_k(b: Builder) -> list[SSAValue]:
    """top_k(x, k) -> top_k(x, [k]), the indices cast; of equals the first comes first in both"""
    x = b.input(0)
    k = b.to_i64(1, "k", vector=True)
    count = b.array(1)
    shape = shape_of(x)
    size = UNKNOWN if count is None else int(count.reshape(-1)[0])
    out = (*shape[:-1], size) if shape else None
    values, indices = b.nodes(
        "TopK", [x, k], [tensor(b.element(x), out), tensor(i64, out)], "top", axis=-1, sorted=1
    )
    return [values, b.cast(indices, _element_attribute(b, "index_type", i32))]


@converts("Cumsum")
def _cumsum(b: Builder) -> SSAValue:
    """cumsum(x, axis) -> cumsum(x, axis)"""
    attributes: dict[str, Any] = {
        name: 1 for name in ("exclusive", "reverse") if bool(b.attribute(name, False))
    }
    return b.node("CumSum", b.input(0), b.to_i64(1, "axis"), **attributes)


@converts("MatMul")
def _matmul(b: Builder) -> SSAValue:
    """matmul(x, y) -> matmul(x, y), an operand transposed where its attribute says so"""
    x, y = b.input(0), b.input(1)
    if b.attribute("transpose_a", False):
        x = b.rearranged(x, [1, 0], None, "a")
    if b.attribute("transpose_b", False):
        y = b.rearranged(y, [1, 0], None, "b")
    return _emit_matmul(b, x, y)


@converts("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(b: Builder) -> SSAValue:
    """batch_matmul(x, y) -> matmul(x, y), the last two dimensions swapped where adj_x, adj_y say so"""
    x, y = b.input(0), b.input(1)
    if b.attribute("adj_x", False):
        x = _swapped(b, x, "a")
    if b.attribute("adj_y", False):
        y = _swapped(b, y, "b")
    return _emit_matmul(b, x, y)


def _swapped(b: Builder, x: SSAValue, what: str) -> SSAValue:
    rank = b.rank(x, "its last two dimensions are swapped")
    return b.rearranged(x, [*range(rank - 2), rank - 1, rank - 2], None, what)


def _emit_matmul(b: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
    left, right = shape_of(x), shape_of(y)
    out = None
    if left is not None and right is not None and len(left) > 1 and len(right) > 1:
        outer = broadcast([left[:-2], right[:-2]]) or ()
        out = (*outer, left[-2], right[-1])
    elif b.op.op_type == "MatMul":
        out = (UNKNOWN, UNKNOWN)
    element = b.element(b.op.results[0])
    if element != b.element(x):
        raise Refusal("dtype", f"multiplies {b.element(x)} into {element}, expected one type")
    return b.node("MatMul", x, y, type=tensor(element, out))


@converts("Einsum")
def _einsum(b: Builder) -> SSAValue:
    """einsum(x, y) -> einsum(x, y). Refused for repeated subscripts of one operand."""
    equation = b.text("equation", "")
    for term in equation.split("->")[0].split(","):
        letters = term.replace(" ", "").replace(".", "")
        if len(set(letters)) != len(letters):
            raise Refusal("attribute", f"equation {equation!r} takes a diagonal")
    return b.node("Einsum", *b.inputs, equation=equation)


@converts("L2Loss")
def _l2_loss(b: Builder) -> SSAValue:
    """l2_loss(x) -> reduce_sum_square(x) * 0.5"""
    x = b.input(0)
    total = b.node("ReduceSumSquare", x, type=tensor(b.element(x), ()), keepdims=0)
    return b.node("Mul", total, b.scalar(0.5, x, "half"))


@converts("NonMaxSuppressionV2", "NonMaxSuppressionV3")
def _nms(b: Builder) -> SSAValue:
    """non_max_suppression(boxes [N, 4], scores [N], k, iou, score)
    -> int32(gather(non_max_suppression([boxes], [[scores]], [k], iou, score), 2, axis=1))

    Both take the corners in either order, keep scores above the threshold, drop boxes that overlap by
    more than iou, and prefer the lower index among equal scores. Refused for other floats than f32.
    """
    boxes, scores = b.input(0), b.input(1)
    for value in (boxes, scores):
        if b.element(value) != f32:
            raise Refusal("dtype", f"boxes and scores are {b.element(value)}, expected f32")
    n = (shape_of(scores) or (UNKNOWN,))[0]
    batch = b.node("Unsqueeze", boxes, b.i64([0], "axes"), type=tensor(f32, (1, n, 4)))
    classes = b.node("Unsqueeze", scores, b.i64([0, 1], "axes"), type=tensor(f32, (1, 1, n)))
    inputs = [batch, classes, b.to_i64(2, "k", vector=True), b.cast(b.input(3), f32)]
    if b.op.op_type == "NonMaxSuppressionV3":
        inputs.append(b.cast(b.input(4), f32))
    selected = b.node("NonMaxSuppression", *inputs, type=tensor(i64, (UNKNOWN, 3)))
    index = b.constant(np.asarray(2, np.int64), "column")
    column = b.node("Gather", selected, index, type=tensor(i64, (UNKNOWN,)), axis=1)
    return b.cast(column, i32)
