"""Merges constants that are added one after the other, as biases and masks of an attention are."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.ops import AddOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.quant.chains.stages import made_by, read_by
from autosplit.lowering.quant.encoders.real_regions import PRODUCTS
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.fold import AnyArray


class SumConstants(OnnxPattern[AddOp]):
    """`(x + a) + b -> x + (a + b)` for a product `x` and constants, and
    `reshape(reshape(x + a) + b) -> x + (a + reshape(b))` where the last reshape restores the shape.

    Windowed attention adds its position bias and its window mask like this, but the library's attention adds
    one tensor. Refused for vectors, which are part of the product's own kernel, and if a value in between has
    other users.
    """

    def rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        value, term = self._split_operands(op)
        first_add, last_op = _added(value), op
        if first_add is None and (view := read_by(op.results[0], "Reshape")) is not None:
            view_op = value.owner
            if isinstance(view_op, OnnxOp) and view_op.op_type == "Reshape" and value.has_one_use():
                first_add, last_op = _added(view_op.operands[0]), view
        if first_add is None or term is None:
            why(op, "it adds no constant to a sum with a constant")
            return
        source, bias = self._split_operands(first_add)
        shape, wide_shape = shape_of(first_add.results[0].type), shape_of(op.results[0].type)
        if bias is None or not _is_product(source) or shape is None or wide_shape is None:
            why(op, "the sum that it adds to is not that of a product and a constant")
            return
        if min((*shape, *wide_shape), default=0) < 1 or shape != shape_of(last_op.results[0].type):
            why(op, "its shape is not known, or not restored behind it")
            return
        if shape != shape_of(source.type) or _is_vector(bias) or _is_vector(term):
            why(op, "an operand is broadcast, or a vector")
            return
        if bias.dtype != term.dtype:
            return
        total = (
            np.broadcast_to(term, wide_shape).reshape(shape) + bias
            if last_op is not op
            else term + bias
        )
        e = self.replacement(last_op, rewriter)
        name = e.constant("biases", total.astype(bias.dtype))
        e.put(
            "Add",
            [source, name],
            names=last_op.output_names,
            types=[last_op.results[0].type],
            node_name=op.node_name.data,
        )

    def _split_operands(self, op: OnnxOp) -> tuple[SSAValue, AnyArray | None]:
        """The computed operand, and the constant."""
        left, right = op.operands
        array = self.values.array(right)
        if array is None and (array := self.values.array(left)) is not None:
            return right, array
        return left, array


def _added(value: SSAValue) -> OnnxOp | None:
    """The Add that produces a value, if the value has no other user."""
    return made_by(value, "Add") if value.has_one_use() else None


def _is_product(value: SSAValue) -> bool:
    """Whether a value is a product, scaled or not."""
    op = value.owner
    while isinstance(op, OnnxOp) and op.op_type in ("Mul", "Div"):
        op = op.operands[0].owner
    return isinstance(op, OnnxOp) and op.domain == "" and op.op_type in PRODUCTS


def _is_vector(array: AnyArray) -> bool:
    return array.size == max(array.shape, default=1)
