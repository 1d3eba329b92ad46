"""Reorders the channels of a convolution by permuting its weights, scales and bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import ConvOp, DepthToSpaceOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    uniform_of,
)
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.quant.chains.products import UNARY
from autosplit.lowering.quant.chains.stages import dequantize_stored, real_array, stored_constant
from autosplit.lowering.rewriting import set_operand, why


class BlocksFirst(OnnxPattern[DepthToSpaceOp]):
    """`depth_to_space(conv(x, w, b), CRD) -> depth_to_space(conv(x, w', b'), DCR)`, also through casts and
    activations.

    The channels of a result pixel are then adjacent, so they are copied together and not byte by byte.
    Refused for grouped convolutions, computed weights, and if a value in between has other users.
    """

    def rewrite(self, op: DepthToSpaceOp, rewriter: PatternRewriter, /) -> None:
        if attribute(op, "mode", "DCR") != "CRD":
            return
        conv = _convolution(op.operands[0])
        if conv is None or attribute(conv, "group", 1) != 1:
            why(op, "what it reads is not a convolution alone, in one group")
            return
        channels, size = (
            (shape_of(conv.results[0].type) or (0, 0))[1],
            int(attribute(op, "blocksize", 1)),
        )
        block = size * size
        if channels < block or channels % block:
            return
        order = np.arange(channels).reshape(-1, block).T.reshape(-1)
        e = OnnxReplacement(self.values, conv, rewriter, InsertPoint.before(conv))
        weights = self._weights(e, order)
        bias = operand(conv, 2)
        numbers = None if bias is None else real_array(self.values.constants, bias)
        if weights is None or (bias is not None and (numbers is None or numbers.size != channels)):
            why(op, "the weights or the bias are not constant")
            return
        set_operand(rewriter, conv, 1, weights)
        if numbers is not None:
            set_operand(rewriter, conv, 2, e.constant("bias_of_blocks", numbers.reshape(-1)[order]))
        self.replacement(op, rewriter).replace(op.operands, add={"mode": "DCR"})

    def _weights(self, e: OnnxReplacement, order: NDArray[np.int64]) -> SSAValue | None:
        constant = stored_constant(self.values.constants, e.op.operands[1])
        if constant is None:
            return None
        stored, type = constant[1], uniform_of(constant[0].input.type)
        array, shape = self.values.array(stored), shape_of(stored.type)
        if array is None or type is None or shape is None or type.axis not in (None, 0):
            return None
        if type.is_per_axis:
            parameters = type.scales[order], type.zero_points[order]
            type = type.with_params(*parameters, 0)
        integers = e.constant("weights_of_blocks", np.ascontiguousarray(array[order]))
        cast, real = dequantize_stored(integers, type, e.op.location)
        e.insert(cast)
        return e.insert(real)


def _convolution(value: SSAValue) -> ConvOp | None:
    """The convolution that a value comes from, through casts and activations with one use each."""
    while value.has_one_use():
        op = value.owner
        if isinstance(op, ConvOp):
            return op
        if isinstance(op, QuantizeCastOp):
            uniform = uniform_of(op.output.type)
            if uniform is None or uniform.is_per_axis:
                return None
            value = op.input
        elif isinstance(op, DequantizeCastOp | StorageCastOp) or (
            isinstance(op, OnnxOp) and op.domain == "" and op.op_type in UNARY
        ):
            value = op.operands[0]
        else:
            return None
    return None
