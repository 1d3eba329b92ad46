"""A Gemm of quantized operands without alpha and beta: the library's product has neither.

`alpha` goes into the scales of the weights, whose integers stay: exactly for powers of two, with one more
rounding for other numbers. Where scales cannot take it, it is a product behind. `beta` goes into the bias.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import GemmOp
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.normalize_onnx.batch_norm import Affine, bias_array, scaled_dequantize
from autosplit.lowering.rewriting import why


class ScaleGemm(OnnxPattern[GemmOp]):
    """`alpha * a @ dq(b) + beta * c -> a @ dq(b * alpha) + c * beta`.

    `mul(a @ dq(b), alpha) + c * beta` for an alpha that is no factor of a scale, such as a negative one.
    """

    def rewrite(self, op: GemmOp, rewriter: PatternRewriter, /) -> None:
        alpha, beta = (float(attribute(op, name, 1.0)) for name in ("alpha", "beta"))
        bias = operand(op, 2)
        if alpha == 1 and (beta == 1 or bias is None):
            why(op, "it has neither alpha nor beta")
            return
        if not any(map(_dequantize, op.operands[:2])):
            why(op, "its operands are not dequantized")
            return
        e = self.replacement(op, rewriter)
        bias = _scaled_bias(e, bias, beta)
        weights = op.operands[1] if alpha == 1 else _scaled_weights(e, op.operands[1], alpha)
        if isinstance(weights, str):
            why(op, weights)
            _multiply_behind(e, bias, alpha)
        else:
            e.replace([op.operands[0], weights, bias], drop=("alpha", "beta"))


def _dequantize(value: SSAValue) -> OnnxOp | None:
    """The DequantizeLinear that made a value."""
    op = value.owner
    if not isinstance(op, OnnxOp) or op.op_type != "DequantizeLinear" or op.domain != "":
        return None
    return op


def _scaled_weights(e: OnnxReplacement, weights: SSAValue, alpha: float) -> SSAValue | str:
    """The weights with alpha in their scales; text says why there are none."""
    if (dequantize := _dequantize(weights)) is None:
        return "its second operand is not dequantized: alpha is a product behind"
    factor = Affine(np.array([alpha]), np.zeros(1))
    return scaled_dequantize(e, dequantize, int(attribute(dequantize, "axis", 1)), factor)


def _scaled_bias(e: OnnxReplacement, bias: SSAValue | None, beta: float) -> SSAValue | None:
    if bias is None or beta == 0:
        return None
    if beta == 1:
        return bias
    if (array := bias_array(e.values, bias)) is not None:
        return e.constant("scaled_bias", (array * beta).astype(np.float32))
    return e.node("scaled_bias", "Mul", [bias, e.number("beta", beta, bias)], type=bias.type)


def _multiply_behind(e: OnnxReplacement, bias: SSAValue | None, alpha: float) -> None:
    """Puts a product by alpha, and a sum with the bias, behind a Gemm that has neither."""
    op = e.op
    turned = {k: v for k, v in op.fields.items() if k in ("transA", "transB")}
    type = op.results[0].type
    product = e.node("product", "Gemm", op.operands[:2], turned, type)
    factor = e.constant("alpha", np.array([alpha], np.float32))
    fields = tuple(op.fields)
    if bias is None:
        e.replace([product, factor], op_type="Mul", drop=fields)
        return
    scaled = e.node("scaled", "Mul", [product, factor], type=type)
    e.replace([scaled, bias], op_type="Add", drop=fields)
