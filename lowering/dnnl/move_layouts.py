"""Lays out results of ops that move bytes like their operands, so that little or nothing is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, OpResult, SSAValue

from autosplit.dialects.dnnl import LayoutAttr, OrderLayout, PartitionOp, layout_of
from autosplit.dialects.dnnl.moves import Array, Move, moved_operands
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.dnnl.moves import keeps_order

ORDERED = frozenset(
    {
        "LayerNorm",
        "LogSoftmax",
        "MatMul",
        "SoftMax",
        "StaticReshape",
        "StaticTranspose",
        "Wildcard",
    }
)
"""Kinds that require the last dimension innermost: values between their partitions stay row-major."""


def is_between(result: SSAValue, moves: Mapping[OnnxOp, Move]) -> bool:
    """Whether a value is used, and only by partitions and moves."""
    return result.first_use is not None and all(
        isinstance(use.operation, PartitionOp) or use.operation in moves for use in result.uses
    )


def order_of_moved(result: OpResult, move: Move, moves: Mapping[OnnxOp, Move]) -> LayoutAttr | None:
    """The dimension order of a move's result as a view of its operand; None is row-major.

    Also None for what ONNX Runtime or the caller reads, and for partitions that need row-major operands.
    """
    op = cast("OnnxOp", result.op)
    orders = [_order(value) for value in moved_operands(op)]
    if not is_between(result, moves) or any(_wants_rows(use.operation) for use in result.uses):
        return None
    if any(order is None for order in orders) or len(set(orders)) != 1:
        return None
    common = orders[0]
    assert common is not None
    order = common if keeps_order(move) else _order_seen(moved_operands(op)[0], common, move)
    if order is None or order == tuple(range(len(order))):
        return None
    return OrderLayout.of(order)


def _wants_rows(user: object) -> bool:
    if not isinstance(user, PartitionOp):
        return False
    return not ORDERED.isdisjoint(op.kind for op in user.body_ops)


def _order(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of a value from the outermost to the innermost; None if the library chooses."""
    layout = layout_of(cast("TensorType[Attribute]", value.type))
    if layout is None:
        return tuple(range(len(shape_of(value.type) or ())))
    return tuple(layout.order) if isinstance(layout, OrderLayout) else None


def _order_seen(source: SSAValue, order: Sequence[int], move: Move) -> tuple[int, ...] | None:
    """The order of a move's result if it is a view of its operand without gaps."""
    shape = shape_of(source.type) or ()
    if min(shape, default=0) < 1:
        return None
    views = move.views(_array(shape, order))
    if views is None or len(views) != 1:
        return None
    (view,) = views
    dense = tuple(sorted(range(view.ndim), key=lambda i: (-view.strides[i], view.shape[i] != 1, i)))
    expected = _array(view.shape, dense)
    is_dense = all(
        n == 1 or a == b for n, a, b in zip(view.shape, view.strides, expected.strides, strict=True)
    )
    return dense if is_dense else None


def _array(shape: Sequence[int], order: Sequence[int]) -> Array:
    """An array of bytes with dimensions nested in `order`; it has a shape and strides, but no elements."""
    strides = [0] * len(shape)
    step = 1
    for i in reversed(order):
        strides[i] = step
        step *= shape[i]
    return np.lib.stride_tricks.as_strided(np.empty(1, np.uint8), tuple(shape), strides)
