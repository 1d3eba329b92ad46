"""Folds factors and summands behind a product of integers into its weights and its bias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import AddOp, DivOp, MulOp, SubOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    SMALLEST_SCALE,
    DequantizeCastOp,
    UniformType,
    uniform_of,
)
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.quant.chains.stages import dequantize_stored, real_array, stored_constant
from autosplit.lowering.rewriting import located, why
from autosplit.lowering.shared.fold import AnyArray

Arithmetic: TypeAlias = AddOp | SubOp | MulOp | DivOp
F64: TypeAlias = NDArray[np.float64]

CHANNELS = {"Conv": 1, "Gemm": -1, "MatMul": -1}
"""The dimension of the results' channels."""


@dataclass(frozen=True)
class _Weights:
    """The weights of a product: constant integers, cast to a quantized type and dequantized."""

    stored: SSAValue
    type: UniformType
    axis: int
    """The dimension of the results' channels."""
    count: int


class FoldAffine(OnnxPattern[Arithmetic]):
    """`conv(x, w, b) * a + c -> conv(x, w * a, b * a + c)` for quantized weights and constants `a` and `c`,
    and the same of a Gemm; of a MatMul, which has no bias, the factor alone.

    The integers of the weights stay, so factors must be positive. The library computes only few ops behind a
    product; this leaves room for activations.
    Refused if the product has other users, and for constants that are not along its channels.
    """

    def rewrite(self, op: Arithmetic, rewriter: PatternRewriter, /) -> None:
        value, vector = split_operands(op, self._array)
        product = value.owner
        if vector is None or not isinstance(product, OnnxOp) or not value.has_one_use():
            why(op, "it does not scale or shift what only it reads by a constant")
            return
        weights = self._weights(product)
        if weights is None or shape_of(value.type) != shape_of(op.results[0].type):
            why(op, "what it reads is not a product with constant integers")
            return
        numbers = along_channels(
            vector, len(shape_of(value.type) or ()), CHANNELS[product.op_type], weights.count
        )
        if numbers is None:
            why(op, "its constant is not one number, or one for each channel")
            return
        factor, shift = factor_and_shift(op, numbers)
        self._fold(op, product, weights, factor, shift, rewriter)

    def _fold(
        self,
        op: Arithmetic,
        product: OnnxOp,
        weights: _Weights,
        factor: F64,
        shift: F64,
        rewriter: PatternRewriter,
    ) -> None:
        scales = weights.type.scales.astype(np.float64) * factor
        if not (np.isfinite(scales).all() and scales.min() >= SMALLEST_SCALE):
            why(op, "a factor is not positive, or makes a scale too small or too large")
            return
        bias = self._bias(product, weights.count)
        if bias is None or (product.op_type == "MatMul" and shift.any()):
            why(op, "the product takes no other bias")
            return
        e = self.replacement(op, rewriter)
        inputs = [product.operands[0], self._scaled(op, product, weights, scales, rewriter)]
        bias = bias * factor + shift
        if bias.any() or operand(product, 2) is not None:
            bias = np.broadcast_to(bias, (weights.count,)).astype(np.float32)
            inputs.append(e.constant("bias", bias))
        folded = e.put(
            product.op_type,
            inputs,
            dict(product.fields),
            names=op.output_names,
            types=[op.results[0].type],
            node_name=product.node_name.data,
        )
        located(folded, product, op)
        rewriter.erase(product)

    def _array(self, value: SSAValue) -> AnyArray | None:
        array = real_array(self.values.constants, value)
        return array if array is not None and array.dtype == np.float32 else None

    def _weights(self, product: OnnxOp) -> _Weights | None:
        kind = product.op_type if product.domain == "" else ""
        if kind not in CHANNELS or not isinstance(product.operands[0].owner, DequantizeCastOp):
            return None
        if attribute(product, "alpha", 1.0) != 1 or attribute(product, "beta", 1.0) != 1:
            return None
        constant = stored_constant(self.values.constants, product.operands[1])
        if constant is None:
            return None
        stored, type = constant[1], uniform_of(constant[0].input.type)
        shape = shape_of(stored.type)
        if type is None or shape is None:
            return None
        if kind == "MatMul" and len(shape) != 2:
            return None
        rows = kind == "Conv" or (kind == "Gemm" and bool(attribute(product, "transB", 0)))
        axis = 0 if rows else 1
        if type.is_per_axis and type.axis != axis:
            return None
        return _Weights(stored, type, axis, shape[axis])

    def _bias(self, product: OnnxOp, count: int) -> F64 | None:
        value = operand(product, 2)
        if value is None:
            return np.zeros(1)
        array = self._array(value)
        if array is None or array.size not in (1, count):
            return None
        return array.reshape(-1).astype(np.float64)

    def _scaled(
        self,
        op: Arithmetic,
        product: OnnxOp,
        weights: _Weights,
        scales: F64,
        rewriter: PatternRewriter,
    ) -> SSAValue:
        """The same integers, dequantized with other scales."""
        old_type = weights.type
        axis = weights.axis if scales.size > 1 else old_type.axis
        points = np.broadcast_to(old_type.zero_points, scales.shape)
        type = old_type.with_params(scales, points, axis)
        name = self.values.fresh(f"{op.value_name(0) or 'weights'}__weights")
        cast, real = dequantize_stored(weights.stored, type, product.location, name)
        rewriter.insert([cast, real], InsertPoint.before(op))
        return real.output


def split_operands(
    op: Arithmetic, array_of: Callable[[SSAValue], AnyArray | None]
) -> tuple[SSAValue, AnyArray | None]:
    """The computed operand, and the constant; None in place of one that does not scale or shift the other."""
    left, right = op.operands
    array = array_of(right)
    if array is None and isinstance(op, AddOp | MulOp):
        return right, array_of(left)
    return left, array


def factor_and_shift(op: Arithmetic, numbers: F64) -> tuple[F64, F64]:
    """What an op multiplies by, and then adds, where its constant is `numbers`."""
    match op:
        case MulOp():
            return numbers, np.zeros(1)
        case DivOp():
            return 1 / numbers, np.zeros(1)
        case AddOp():
            return np.ones(1), numbers
        case SubOp():
            return np.ones(1), -numbers


def along_channels(array: AnyArray, rank: int, axis: int, count: int) -> F64 | None:
    """A constant of one number, or one for each channel of a tensor of some rank, as a vector."""
    if array.ndim > rank or array.size not in (1, count):
        return None
    shape = (1,) * (rank - array.ndim) + array.shape
    if array.size > 1 and shape[axis % rank] != count:
        return None
    return array.reshape(-1).astype(np.float64)
