"""quant-center-weights: weights are integers around 0, which libraries take; no zero point is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.versions import DEFAULT_ROUNDING, Rounding
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.quant import (
    UniformType,
    uniform_of,
    update_params,
)
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.quant.canonical import UnusedCast
from autosplit.lowering.quant.chains.stages import dequantize_stored, stored_constant
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of, weights_axis
from autosplit.lowering.rewriting import apply_patterns, set_operand, why
from autosplit.lowering.shared.dead import remove_dead_ops

LEAST, MOST = -128, 127
"""The limits of the integers that weights become."""


class CenterWeights(OnnxPattern[OnnxOp]):
    """`product(x, s * (q - z)) -> product(x, s' * q')`, q' being signed bytes.

    Refused where numbers reach further than signed bytes, and the weights have no dimension of the results'
    channels.
    """

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if kind_of(op) not in PRODUCTS:
            return
        constant = stored_constant(self.values.constants, op.operands[1])
        if constant is None or (type := uniform_of(constant[0].input.type)) is None:
            return
        if type.storage.width.data != 8 or not type.zero_points.any():
            return
        if (array := self.values.array(constant[1])) is None:
            return
        centered = array.astype(np.int64) - _along(type.zero_points, type.axis, array.ndim)
        scales, axis = type.scales.astype(np.float64), type.axis
        if centered.min(initial=0) < LEAST or centered.max(initial=0) > MOST:
            axis = weights_axis(op)
            if axis is None or type.axis not in (None, axis):
                why(op, "its weights reach further from their zero point than signed bytes do")
                return
            others = tuple(d for d in range(array.ndim) if d != axis)
            lows, highs = centered.min(axis=others), centered.max(axis=others)
            factors = np.maximum(np.maximum(lows / LEAST, highs / MOST), 1.0)
            centered = np.rint(centered / _along(factors, axis, array.ndim))
            scales = np.broadcast_to(scales, factors.shape) * factors
        e = self.replacement(op, rewriter)
        integers = e.constant("weights", np.ascontiguousarray(centered.astype(np.int8)))
        plain = UniformType.of(i8, f32, scales, [0] * scales.size, axis)
        cast, real = dequantize_stored(integers, plain, op.location)
        e.insert(cast)
        set_operand(rewriter, op, 1, e.insert(real))


def _along(numbers: NDArray[Any], axis: int | None, rank: int) -> NDArray[Any]:
    """A vector of one number, or of one for each channel, in the shape that broadcasts along a dimension."""
    return numbers if axis is None else numbers.reshape(-1, *[1] * (rank - 1 - axis))


@dataclass(frozen=True)
class QuantCenterWeightsPass(ModulePass):
    """Turns weights with a zero point into signed bytes without one.

    Libraries multiply by signed weights whose zero point is 0. Weights of 8 bits whose numbers reach from
    -128 to 127 around the zero point are the same numbers as signed bytes. One zero point for a whole tensor
    moves its range off 0, so that some channels reach further: their numbers are divided by as much, which
    rounds them once more, and their scales are multiplied by it.
    """

    name = "quant-center-weights"

    rounding: Rounding = DEFAULT_ROUNDING
    """`exact` leaves all weights as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounding == "exact":
            return
        if not apply_patterns(op, [CenterWeights(ModuleValues(op))], recursive=False):
            return
        apply_patterns(op, [UnusedCast()], backwards=True)
        remove_dead_ops(op)
        update_params(op)
