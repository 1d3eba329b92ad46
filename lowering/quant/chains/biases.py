"""Folds per-channel summands of a product's results into its bias."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import AddOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.quant.chains.stages import real_array
from autosplit.lowering.rewriting import set_operand

F64 = NDArray[np.float64]

SHIFTED = frozenset({"Conv", "Gemm", "MatMul"})
"""The products whose bias can be adjusted."""


class ShiftPattern(OnnxPattern[OnnxOp]):
    """A pattern that adds one number to each channel of a product's results.

    The summand of a MatMul counts as its bias; one is created if there is none.
    """

    def shift(self, op: OnnxOp, shift: F64, rewriter: PatternRewriter) -> None:
        """Adds `shift`, one number for each channel of the results of `x * w`, to the bias of `op`.

        A bias must be constant.
        """
        if op.op_type == "MatMul":
            self._shift_sum(op, shift, rewriter)
            return
        old_bias = operand(op, 2)
        beta = float(attribute(op, "beta", 1.0))
        if op.op_type == "Gemm":
            shift = shift * float(attribute(op, "alpha", 1.0))
        e = self.replacement(op, rewriter)
        if old_bias is not None and beta != 0:
            set_operand(rewriter, op, 2, self._added(e, old_bias, shift / beta))
        else:
            # A beta of 0 has removed the bias.
            bias = e.constant("bias", shift.astype(np.float32))
            e.replace([*op.operands[:2], bias], drop=("beta",))

    def _added(self, e: OnnxReplacement, old_bias: SSAValue, shift: F64) -> SSAValue:
        array: Any = real_array(self.values.constants, old_bias)
        assert array is not None  # constants of a few numbers are never missing
        return e.constant("bias", (array.astype(np.float64) + shift).astype(np.float32))

    def _shift_sum(self, op: OnnxOp, shift: F64, rewriter: PatternRewriter) -> None:
        e = self.replacement(op, rewriter)
        behind = self.sum_behind(op)
        if behind is not None:
            number = next(i for i, v in enumerate(behind.operands) if v is not op.results[0])
            bias = self._added(e, behind.operands[number], shift)
            set_operand(rewriter, behind, number, bias)
            return
        bias = e.constant("bias", shift.astype(np.float32))
        product = e.node("product", "MatMul", list(op.operands), op.fields, op.results[0].type)
        addition = product.owner
        assert isinstance(addition, OnnxOp)
        addition.attributes.update(op.attributes)
        op.attributes.clear()
        # Recipes and trials refer to the product by name.
        addition.node_name = op.node_name
        e.put(
            "Add",
            [product, bias],
            names=op.output_names,
            types=[op.results[0].type],
            node_name=self.values.fresh(f"{op.identity}__sum"),
        )

    def sum_behind(self, op: OnnxOp) -> OnnxOp | None:
        """The only user of a product, if it adds a constant that broadcasts to the product's shape."""
        uses = list(op.results[0].uses)
        user = uses[0].operation if len(uses) == 1 else None
        if not isinstance(user, AddOp):
            return None
        addend = user.operands[1 - uses[0].index]
        fits = len(shape_of(addend.type) or ()) <= len(shape_of(op.results[0].type) or ())
        return user if real_array(self.values.constants, addend) is not None and fits else None
