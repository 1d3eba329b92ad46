"""quant-fold-zero-points: what a product reads has the zero point 0, and its bias says the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.quant import (
    DequantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.canonical import UnusedCast
from autosplit.lowering.quant.chains.biases import F64, SHIFTED, ShiftPattern
from autosplit.lowering.quant.chains.stages import real_array
from autosplit.lowering.quant.quantize.roles import kind_of
from autosplit.lowering.quant.quantize.weights import channel_counts, grouped
from autosplit.lowering.rewriting import apply_patterns, set_operand, why
from autosplit.lowering.shared.dead import remove_dead_ops


class FoldZeroPoint(ShiftPattern):
    """`product(s * (q - z), w, b) -> product(s * q, w, b - s * z * sum(w))`.

    Refused with padding, which would then no longer represent 0, and for computed weights and biases.
    """

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if kind_of(op) not in SHIFTED:
            return
        dequantize = op.operands[0].owner
        if not isinstance(dequantize, DequantizeCastOp):
            return
        type = uniform_of(dequantize.input.type)
        if type is None or type.is_per_axis or not type.zero_points.any():
            return
        if _is_padded(op):
            why(op, "it pads what it reads with the zero point")
            return
        sums = self._sums_of_weights(op) if self._takes_bias(op) else None
        if sums is None:
            why(op, "its weights or its bias are computed, or of an unknown form")
            return
        shift = -sums * float(type.scales[0]) * float(type.zero_points[0])
        set_operand(rewriter, op, 0, _without_zero_point(dequantize, type, op, rewriter))
        self.shift(op, shift, rewriter)

    def _sums_of_weights(self, op: OnnxOp) -> F64 | None:
        """The sum of the weights of each channel of the results."""
        weights = real_array(self.values.constants, op.operands[1])
        if weights is None or channel_counts(op) is None:
            return None
        if op.op_type == "MatMul" and weights.ndim != 2:
            return None
        view = grouped(op, np.ascontiguousarray(weights))
        return view.sum(axis=(1, 3), dtype=np.float64).reshape(-1)

    def _takes_bias(self, op: OnnxOp) -> bool:
        if op.op_type == "MatMul":
            return self.sum_behind(op) is not None
        bias = operand(op, 2)
        return bias is None or real_array(self.values.constants, bias) is not None


def _is_padded(op: OnnxOp) -> bool:
    padding = str(attribute(op, "auto_pad", "NOTSET"))
    if padding == "NOTSET":
        return any(attribute(op, "pads", ()))
    return padding != "VALID"


def _without_zero_point(
    dequantize: DequantizeCastOp, type: UniformType, op: OnnxOp, rewriter: PatternRewriter
) -> SSAValue:
    """The same integers, dequantized as if their zero point were 0."""
    source, location = dequantize.input, dequantize.location
    plain = type.with_params(type.scales, [0])
    stored = StorageCastOp(source, with_element(source.type, type.storage), location=location)
    cast = StorageCastOp(stored.output, with_element(source.type, plain), location=location)
    real = DequantizeCastOp(cast.output, dequantize.output.type, location=location)
    rewriter.insert([stored, cast, real], InsertPoint.before(op))
    return real.output


@dataclass(frozen=True)
class QuantFoldZeroPointsPass(ModulePass):
    """Moves the zero point of what a convolution or product reads into its bias.

    `product(s * (q - z), w) + b = product(s * q, w) + (b - s * z * sum(w))` for constant weights and biases.
    oneDNN subtracts zero points in each kernel, and has slower kernels for that, of depthwise convolutions
    above all. The integers stay the same; results differ by what float32 rounds of a bias.

    Refused: padding, since a convolution pads with the zero point and each border has other sums; parameters
    per channel; a MatMul without a constant sum behind it, and matrices of more than two dimensions.
    """

    name = "quant-fold-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not apply_patterns(op, [FoldZeroPoint(ModuleValues(op))], recursive=False):
            return
        apply_patterns(op, [UnusedCast()], backwards=True)
        remove_dead_ops(op)
