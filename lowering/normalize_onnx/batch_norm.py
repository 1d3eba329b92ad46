"""Folding an inference BatchNormalization, or what is like one, into the convolution or matmul in front.

The factor of each channel goes into the weights, the rest into the bias. Weights that come out of a
DequantizeLinear keep their integers: the factor goes into the scales, which is possible for positive factors
alone, since a scale is positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.units import counted
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import BatchNormalizationOp, FlattenOp, MatMulOp, ReshapeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import SMALLEST_SCALE
from autosplit.lowering.building import ModuleValues, OnnxPattern, OnnxReplacement
from autosplit.lowering.rewriting import located, why
from autosplit.lowering.shared.fold import AnyArray

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Affine:
    """What an op does to each channel: x * factor + shift."""

    factor: F64
    shift: F64


class FoldBatchNorm(OnnxPattern[BatchNormalizationOp]):
    """`batch_norm(conv(x, w, b)) -> conv(x, w * factor, b * factor + shift)`, and the same of a Gemm.

    Also of a MatMul whose rows become a table in between. Refused if the statistics are computed, for
    weights that are computed or grouped the other way, and if something else reads what is in front.
    """

    def rewrite(self, op: BatchNormalizationOp, rewriter: PatternRewriter, /) -> None:
        affine = batch_norm_affine(self.values.array, op)
        if affine is None:
            why(op, "its statistics are not constants of an inference")
        elif isinstance(op.operands[0].owner, FlattenOp | ReshapeOp):
            self._fold_into_rows(op, op.operands[0].owner, affine, rewriter)
        elif reason := fold_affine(self.values, op, op.operands[0], affine, rewriter):
            why(op, reason)

    def _fold_into_rows(
        self,
        op: BatchNormalizationOp,
        rows: FlattenOp | ReshapeOp,
        affine: Affine,
        rewriter: PatternRewriter,
    ) -> None:
        """`batch_norm(reshape(x @ w)) -> reshape(x @ (w * factor) + shift)`, of a table of rows."""
        product, shape = rows.operands[0].owner, shape_of(rows.results[0].type) or ()
        if not isinstance(product, MatMulOp) or len(shape) != 2:
            why(op, "no product of rows is in front of it")
            return
        products, weights = product.results[0], self.values.array(product.operands[1])
        if not products.has_one_use() or not rows.results[0].has_one_use():
            why(op, "the result in front of it is read elsewhere too")
            return
        if weights is None or weights.dtype != np.float32 or weights.ndim != 2:
            why(op, "the weights are not one constant matrix of float32")
            return
        if (shape_of(products.type) or ())[-1:] != (affine.factor.size,):
            why(op, f"the {rows.op_type} in front moves channels")
            return
        e = self.replacement(op, rewriter)
        scaled = e.constant("folded_weights", (weights * affine.factor).astype(np.float32))
        bias = e.constant("folded_bias", affine.shift.astype(np.float32))
        scaled_products = e.node(
            "product", "MatMul", [product.operands[0], scaled], {}, products.type
        )
        shifted = e.node("shifted", "Add", [scaled_products, bias], {}, products.type)
        e.put(
            rows.op_type,
            [shifted, *rows.operands[1:]],
            rows.fields,
            names=op.output_names[:1],
            types=[op.results[0].type],
            node_name=op.node_name.data,
        )


def fold_affine(
    values: ModuleValues, op: OnnxOp, x: SSAValue, affine: Affine, rewriter: PatternRewriter
) -> str | None:
    """Folds `op`, which applies `affine` to the channels of `x`, into the producer of `x`."""
    if not isinstance(x, OpResult) or not isinstance(root := x.op, OnnxOp) or root.domain != "":
        return "nothing in front of it takes weights"
    if root.op_type not in ("Conv", "ConvTranspose", "Gemm"):
        return f"{root.op_type} takes no weights"
    if not x.has_one_use():
        return "the result in front of it is read elsewhere too"
    axis = _channel_axis(root)
    if axis is None:
        return "grouped weights of a ConvTranspose hold their channels in two dimensions"
    if root.op_type == "Gemm" and attribute(root, "alpha", 1.0) != 1.0:
        return "alpha is not 1"
    e = OnnxReplacement(values, root, rewriter, InsertPoint.before(root))
    bias = _bias(values, root, affine)
    if isinstance(bias, str):
        return bias
    weights = _weights(e, axis, affine)
    if isinstance(weights, str):
        return weights
    inputs = [root.operands[0], weights, e.constant("folded_bias", bias)]
    folded = e.replace(inputs, drop=("beta",) if root.op_type == "Gemm" else ())
    located(folded, folded, op)
    # It takes the name of the result that it now computes.
    folded.properties["value_names"] = op.properties["value_names"]
    folded.results[0].name_hint = op.results[0].name_hint
    OnnxReplacement(values, op, rewriter).replace_value(folded.results[0])
    return None


def batch_norm_affine(array_of: Callable[[SSAValue], AnyArray | None], op: OnnxOp) -> Affine | None:
    """The affine function of a BatchNormalization with statistics from `array_of`; None for other ops."""
    if attribute(op, "training_mode", 0) or len(op.operands) != 5:
        return None
    if any(r.first_use is not None for r in op.results[1:]):
        return None
    arrays = [array_of(v) for v in op.operands[1:]]
    if any(a is None or a.dtype != np.float32 for a in arrays):
        return None
    gamma, beta, mean, variance = (np.asarray(a, np.float64) for a in arrays)
    factor = gamma / np.sqrt(variance + attribute(op, "epsilon", 1e-5))
    affine = Affine(factor, beta - mean * factor)
    good = np.isfinite(affine.factor).all() and np.isfinite(affine.shift).all()
    return affine if good else None


def _channel_axis(root: OnnxOp) -> int | None:
    """The dimension of the weights that holds the result's channels."""
    if root.op_type == "Conv":
        return 0
    if root.op_type == "Gemm":
        return 0 if attribute(root, "transB", 0) else 1
    return 1 if attribute(root, "group", 1) == 1 else None


def _weights(e: OnnxReplacement, axis: int, affine: Affine) -> SSAValue | str:
    """The weights times the factors; text says why there are none."""
    weights = e.op.operands[1]
    array = e.values.array(weights)
    if array is not None:
        if array.dtype != np.float32:
            return f"the weights are {array.dtype}, not float32"
        scaled = array.astype(np.float64) * _along(affine.factor, axis, array.ndim)
        return e.constant("folded_weights", scaled.astype(np.float32))
    quant = weights.owner
    if not isinstance(quant, OnnxOp) or quant.op_type != "DequantizeLinear" or quant.domain != "":
        return "the weights are not constant"
    return scaled_dequantize(e, quant, axis, affine)


def scaled_dequantize(
    e: OnnxReplacement, quant: OnnxOp, axis: int, affine: Affine
) -> SSAValue | str:
    """The weights that `quant` dequantizes, times factors along an axis; text says why there are none."""
    scale = e.values.array(quant.operands[1])
    rank = len(shape_of(quant.operands[0].type) or ())
    if scale is None or scale.dtype != np.float32 or not rank or attribute(quant, "block_size", 0):
        return "the scales of the quantized weights are not one f32 for each channel"
    if not (affine.factor > 0).all():
        return "a factor is not positive, and quantized weights take no other scale"
    axis, old_axis = axis % rank, attribute(quant, "axis", 1) % rank
    if scale.size != 1 and old_axis != axis:
        return "the quantized weights have scales along another dimension"
    scales = scale.reshape(-1).astype(np.float64) * affine.factor
    sizes = np.abs(scales)
    if sizes.min() < SMALLEST_SCALE or sizes.max() > np.finfo(np.float32).max:
        return "a factor makes a scale too small or too large for float32"
    inputs = [quant.operands[0], e.constant("folded_scales", scales.astype(np.float32))]
    if (zero := operand(quant, 2)) is not None:
        points = e.values.array(zero)
        if points is None:
            return "the zero points of the quantized weights are not constant"
        points = np.broadcast_to(points.reshape(-1), scales.shape)
        inputs.append(e.constant("folded_zero_points", points))
    type = e.op.operands[1].type
    return e.node("folded_weights", "DequantizeLinear", inputs, {"axis": axis}, type)


def _bias(values: ModuleValues, root: OnnxOp, affine: Affine) -> AnyArray | str:
    """The new bias; text says why there is none."""
    value = operand(root, 2)
    bias = np.zeros(1) if value is None else bias_array(values, value)
    if bias is None:
        return "the bias is not constant"
    if root.op_type == "Gemm":
        bias = bias * attribute(root, "beta", 1.0)
    if bias.size != 1 and bias.shape not in ((affine.factor.size,), (1, affine.factor.size)):
        return (
            f"the bias is {bias.shape}, not one number for each of "
            f"{counted(affine.factor.size, 'channel')}"
        )
    return (bias.reshape(-1) * affine.factor + affine.shift).astype(np.float32)


def bias_array(values: ModuleValues, value: SSAValue) -> F64 | None:
    """A bias, constant or dequantized from a constant, as ONNX computes it."""
    array = values.array(value)
    if array is not None:
        return array.astype(np.float64) if array.dtype == np.float32 else None
    quant_op = value.owner
    if (
        not isinstance(quant_op, OnnxOp)
        or quant_op.op_type != "DequantizeLinear"
        or quant_op.domain != ""
    ):
        return None
    if element_type(value.type) != f32:
        return None
    arrays = [values.array(v) for v in quant_op.operands]
    if any(a is None for a in arrays):
        return None
    q, scale, *zero = (np.asarray(a) for a in arrays)
    point = zero[0].astype(np.int64) if zero else 0
    return ((q.astype(np.int64) - point).astype(np.float32) * scale).astype(np.float64)


def _along(vector: F64, axis: int, rank: int) -> F64:
    shape = [1] * rank
    shape[axis] = vector.size
    return vector.reshape(shape)
