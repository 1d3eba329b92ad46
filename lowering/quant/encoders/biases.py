"""Biases and masks of an attention: constants that are added one after the other are one."""

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

    An attention in windows adds the bias of places and the mask of a window so, but the library's attention
    adds one tensor. Refused for vectors, which are part of the product's own kernel, and where something
    else reads what is between.
    """

    def rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        value, last = self._sides(op)
        first, end = _added(value), op
        if first is None and (view := read_by(op.results[0], "Reshape")) is not None:
            before = value.owner
            if isinstance(before, OnnxOp) and before.op_type == "Reshape" and value.has_one_use():
                first, end = _added(before.operands[0]), view
        if first is None or last is None:
            why(op, "it adds no constant to a sum with a constant")
            return
        source, bias = self._sides(first)
        shape, wide = shape_of(first.results[0].type), shape_of(op.results[0].type)
        if bias is None or not _is_product(source) or shape is None or wide is None:
            why(op, "the sum that it adds to is not that of a product and a constant")
            return
        if min((*shape, *wide), default=0) < 1 or shape != shape_of(end.results[0].type):
            why(op, "its shape is not known, or not restored behind it")
            return
        if shape != shape_of(source.type) or _is_vector(bias) or _is_vector(last):
            why(op, "an operand is broadcast, or a vector")
            return
        if bias.dtype != last.dtype:
            return
        total = np.broadcast_to(last, wide).reshape(shape) + bias if end is not op else last + bias
        e = self.replacement(end, rewriter)
        name = e.constant("biases", total.astype(bias.dtype))
        e.put(
            "Add",
            [source, name],
            names=end.output_names,
            types=[end.results[0].type],
            node_name=op.node_name.data,
        )

    def _sides(self, op: OnnxOp) -> tuple[SSAValue, AnyArray | None]:
        """The operand that is computed, and the one that is constant."""
        first, second = op.operands
        array = self.values.array(second)
        if array is None and (array := self.values.array(first)) is not None:
            return second, array
        return first, array


def _added(value: SSAValue) -> OnnxOp | None:
    """The Add that a value comes from, where nothing else reads it."""
    return made_by(value, "Add") if value.has_one_use() else None


def _is_product(value: SSAValue) -> bool:
    """Whether a value is a product, scaled or not."""
    op = value.owner
    while isinstance(op, OnnxOp) and op.op_type in ("Mul", "Div"):
        op = op.operands[0].owner
    return isinstance(op, OnnxOp) and op.domain == "" and op.op_type in PRODUCTS


def _is_vector(array: AnyArray) -> bool:
    return array.size == max(array.shape, default=1)
