"""Folds the casts of the `quant` dialect; the pass `canonicalize` applies these patterns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from xdsl.ir import OpResult
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import InitializerOp
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.rewriting import Pattern, why

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_exact(type: UniformType) -> bool:
    """Whether quantizing what was dequantized gives the same integers for all of them.

    Both casts round once to float32, which cannot distinguish all 32-bit integers; and a product that is too
    large for it is infinite.
    """
    if type.storage.width.data > 16:
        return False
    return all(math.isfinite(low) and math.isfinite(high) for low, high in type.bounds)


class QuantizeDequantized(Pattern[QuantizeCastOp]):
    """`qcast(dcast(x)) -> x` if both have the same type, of few enough bits."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        dequantize = op.input.owner
        if not isinstance(dequantize, DequantizeCastOp):
            return
        if dequantize.input.type != op.output.type:
            why(op, "what it quantizes was dequantized by other parameters")
            return
        uniform = uniform_of(op.output.type)
        if uniform is None or not is_exact(uniform):
            why(op, "float32 does not hold all the numbers of the type exactly")
            return
        rewriter.replace(op, [], [dequantize.input])


class EqualQuantizes(Pattern[QuantizeCastOp]):
    """`qcast(x), qcast(x) -> qcast(x)` for casts of one type in a block; the first one stays."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        others = [use.operation for use in op.input.uses if use.operation is not op]
        for other in others:
            if not isinstance(other, QuantizeCastOp) or other.output.type != op.output.type:
                continue
            if other.parent is op.parent and op.is_before_in_block(other):
                rewriter.replace(other, [], [op.output])


class CastThereAndBack(Pattern[StorageCastOp]):
    """`scast(scast(x)) -> x` if the type is that of x."""

    def rewrite(self, op: StorageCastOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if isinstance(inner, StorageCastOp) and inner.input.type == op.output.type:
            rewriter.replace(op, [], [inner.input])


class UnusedCast(Pattern[DequantizeCastOp | StorageCastOp]):
    """`dcast(x)`, `scast(x) -> ` nothing, if unused."""

    def rewrite(self, op: DequantizeCastOp | StorageCastOp, rewriter: PatternRewriter, /) -> None:
        if op.output.first_use is None:
            rewriter.erase(op)


class UnreadQuantize(Pattern[QuantizeCastOp]):
    """`qcast(x) -> ` nothing, where nothing reads it."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        if op.output.first_use is None:
            rewriter.erase(op)


class QuantizeConstant(Pattern[QuantizeCastOp]):
    """`qcast(constant) -> scast(constant)`, the second one of integers; weights outside the IR stay."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        from autosplit.dialects.quant_numpy import quantize

        source = op.input
        if not isinstance(source, OpResult) or not isinstance(source.op, InitializerOp):
            return
        array = cast("NDArray[np.float32] | None", tensor_array(source.op.value))
        uniform = uniform_of(op.output.type)
        if array is None or uniform is None or array.dtype.name != "float32":
            why(op, "the constant is not a float32 tensor in the IR")
            return
        if not bool((array == array).all()):
            why(op, "the constant has elements that are not numbers")
            return
        name = op.value_name(0) or source.op.value_name(0) + "_quantized"
        constant = make_constant(name, quantize(array, uniform), None)
        stored = with_element(op.output.type, uniform.storage)
        assert constant.results[0].type == stored
        stored_cast = StorageCastOp(constant.results[0], op.output.type)
        rewriter.replace(op, [constant, stored_cast])
