"""quant-insert: casts in the places that quant-select and quant-calibrate have marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.dialects.quant import (
    S8,
    SMALLEST_SCALE,
    U8,
    DequantizeCastOp,
    QuantizeCastOp,
    StatisticsOp,
    StorageCastOp,
    UniformType,
    update_params,
    with_element,
)
from autosplit.dialects.quant_numpy import quantize
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.quant.quantize.quant_select import (
    BITS,
    SELECTED,
    bits_of_weights,
    selected_operands,
)
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of, weights_axis
from autosplit.lowering.rewriting import apply_patterns, set_operand
from autosplit.lowering.shared.blocks import protected_names
from autosplit.lowering.shared.dead import remove_dead
from autosplit.lowering.shared.fold import folded_constant


def activation_type(low: float, high: float) -> UniformType:
    """u8, affine: the least and the largest number, and 0, are represented; 0 exactly."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = max(float(np.float32((high - low) / 255)), SMALLEST_SCALE)
    zero = int(np.clip(np.rint(-low / scale), 0, 255))
    return UniformType.of(U8, f32, [scale], [zero])


def weight_type(weights: NDArray[Any], axis: int | None, bits: int = 8) -> UniformType:
    """s8, symmetric, with a scale for each index of dimension `axis`; one for all without.

    Of 8 bits, numbers are -127 to 127, as -128 has no counterpart; of 7, -63 to 63.
    """
    limit = 2 ** (bits - 1) - 1
    other_axes = None if axis is None else tuple(i for i in range(weights.ndim) if i != axis)
    largest = np.abs(weights.astype(np.float64)).max(axis=other_axes, initial=0.0).reshape(-1)
    scales = np.maximum(np.float32(largest / limit), np.float32(SMALLEST_SCALE))
    return UniformType.of(S8, f32, scales, [0] * scales.size, axis)


class CastMeasured(BuildingPattern[StatisticsOp]):
    """`stats(x) -> dcast(qcast(x))`, with the scale that the range asks for."""

    def rewrite(self, op: StatisticsOp, rewriter: PatternRewriter, /) -> None:
        type = activation_type(*_range(op))
        name = value_name(op.input)
        cast = QuantizeCastOp(
            op.input,
            with_element(op.input.type, type),
            node_name=self.values.fresh(f"{name}_quantize"),
            value_name=self.values.fresh(f"{name}_bytes"),
            location=op.location,
        )
        real = DequantizeCastOp(
            cast.output,
            op.output.type,
            node_name=self.values.fresh(f"{name}_dequantize"),
            value_name=self.values.fresh(f"{name}_dequantized"),
            location=op.location,
        )
        rewriter.replace(op, [cast, real])


def _range(op: StatisticsOp) -> tuple[float, float]:
    stats = tensor_array(op.layer_stats)
    assert stats is not None  # the op's verifier asks for two numbers
    low, high = (float(n) for n in stats)
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise AutosplitError(f"{value_name(op.input)!r} ranges from {low:g} to {high:g}")
    return low, high


class QuantizeWeights(BuildingPattern[OnnxOp]):
    """Constant weights of a selected product `-> dcast(scast(integers))`."""

    def __init__(self, values: ModuleValues, bits: int):
        super().__init__(values)
        self.bits = bits
        self._made: dict[tuple[SSAValue, int | None, int], SSAValue] = {}

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        numbers = selected_operands(op)
        if not numbers:
            return
        bits = bits_of_weights(op) or self.bits
        del op.attributes[SELECTED]
        op.attributes.pop(BITS, None)
        rewriter.notify_op_modified(op)
        if kind_of(op) not in PRODUCTS or not self.values.is_constant(op.operands[1]):
            return
        weights, axis = op.operands[1], weights_axis(op)
        if (key := (weights, axis, bits)) not in self._made:
            array = self.values.array(weights)
            if array is None:
                raise AutosplitError(
                    f"{op.identity!r}: the weights {value_name(weights)!r} cannot be read; quantizing needs "
                    "them"
                )
            self._made[key] = self._quantized(
                weights, array, weight_type(array, axis, bits), rewriter
            )
        set_operand(rewriter, op, 1, self._made[key])

    def _quantized(
        self, weights: SSAValue, array: NDArray[Any], type: UniformType, rewriter: PatternRewriter
    ) -> SSAValue:
        name = value_name(weights)
        owner = weights.owner
        assert isinstance(owner, Operation)  # an initializer or a Constant
        stored = folded_constant(
            self.values.fresh(f"{name}_bytes"),
            quantize(array, type),
            self.values.store,
            owner.location,
        )
        quantized = StorageCastOp(
            stored.results[0], with_element(weights.type, type), location=owner.location
        )
        real = DequantizeCastOp(
            quantized.output,
            weights.type,
            node_name=self.values.fresh(f"{name}_dequantize"),
            value_name=self.values.fresh(f"{name}_dequantized"),
            location=owner.location,
        )
        rewriter.insert([stored, quantized, real], InsertPoint.after(owner))
        return real.output


@dataclass(frozen=True)
class QuantInsertPass(ModulePass):
    """`quant.stats` become casts, and the weights of what `quant-select` chose integers.

    Activations are u8 with a zero point; weights are s8 around 0, with a scale for each of the results'
    channels.
    Casts of what only moves numbers have the scale that the numbers came with.
    """

    name = "quant-insert"

    weight_bits: Literal[8, 7] = 8
    """Of the products for which `quant-saturation` has not decided: 7 for processors without VNNI, which add
    two products of bytes in 16 bits."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = ModuleValues(op)
        patterns = [CastMeasured(values), QuantizeWeights(values, self.weight_bits)]
        apply_patterns(op, patterns, recursive=False)
        block = platform_graph(op).regions[0].block
        remove_dead(block, protected_names(block))
        update_params(op)
