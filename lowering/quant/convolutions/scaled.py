"""Factors and shifts of channels between casts, as behind a norm of groups, become one convolution."""

from __future__ import annotations

from functools import partial

import numpy as np
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.ops import DivOp, SigmoidOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import SMALLEST_SCALE, QuantizeCastOp
from autosplit.lowering.normalize_onnx.activations import silu_of
from autosplit.lowering.quant.chains.affine import (
    F64,
    Arithmetic,
    along_channels,
    factor_and_shift,
    split_operands,
)
from autosplit.lowering.quant.chains.products import ACTIVATIONS, product_behind
from autosplit.lowering.quant.chains.stages import only_reader, real_array
from autosplit.lowering.quant.convolutions.ones import (
    IMAGES,
    Ones,
    dequantize_of,
    stored_result,
)
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.fold import Constants

LARGEST = 1e5
"""Of larger factors and shifts the library, which adds in f32, loses the steps of bytes."""


class ConvolveScaled(Pattern[Arithmetic]):
    """`dcast(x) * a + c -> conv(dcast(x), signs) + c`, by the channel, where a quantize follows.

    `a` and `c` are constants, and either may be left out. Refused for bytes of a product, which can take them
    itself, for single numbers and those along another dimension, and results that something else reads
    unrounded.
    """

    def __init__(self, ones: Ones, constants: Constants):
        self.ones = ones
        self.constants = constants
        self._array = partial(real_array, constants)

    def rewrite(self, op: Arithmetic, rewriter: PatternRewriter, /) -> None:
        value, array = split_operands(op, self._array)
        cast = None if array is None else dequantize_of(value)
        shape = shape_of(value.type)
        if cast is None or shape is None or len(shape) not in (3, *IMAGES):
            return
        last = only_reader(op.results[0])
        ops = [op]
        if isinstance(last, Arithmetic) and split_operands(last, self._array)[0] is op.results[0]:
            ops.append(last)
        affine = self._affine(ops, shape)
        if affine is None or not _is_quantized(ops[-1]):
            why(op, "it is not by the channel, or nothing quantizes it")
            return
        if all(numbers.size == 1 for numbers in affine):
            why(op, "it does the same to all channels, which a table does too")
            return
        source = cast.input.owner
        if isinstance(source, QuantizeCastOp) and product_behind(source.input, self.constants):
            why(op, "the product in front of it can scale and shift its results")
            return
        factors, shifts = (np.broadcast_to(v, shape[1]).copy() for v in affine)
        if not ((factors == 0) | (np.abs(factors) >= SMALLEST_SCALE)).all():
            why(op, "a factor is too small for a scale")
            return
        self.ones.replace_by_scaled(ops[-1], value, factors, shifts, rewriter)
        if len(ops) > 1:
            rewriter.erase(op)

    def _affine(self, ops: list[Arithmetic], shape: tuple[int, ...]) -> tuple[F64, F64] | None:
        """The factor and the shift of ops in turn, each of one number or one for each channel."""
        factor, shift = np.ones(1), np.zeros(1)
        for op in ops:
            _, array = split_operands(op, self._array)
            numbers = None if array is None else along_channels(array, len(shape), 1, shape[1])
            if numbers is None or shape_of(op.results[0].type) != shape:
                return None
            if isinstance(op, DivOp) and not numbers.all():
                return None
            by, plus = factor_and_shift(op, numbers)
            factor, shift = factor * by, shift * by + plus
        largest = np.abs(np.concatenate([factor, shift])).max()
        return (factor, shift) if largest < LARGEST else None


def _is_quantized(op: OnnxOp) -> bool:
    """Whether a quantize follows, perhaps behind activations."""
    sigmoids = [u.operation for u in op.results[0].uses if isinstance(u.operation, SigmoidOp)]
    silu = silu_of(sigmoids[0]) if len(sigmoids) == 1 else None
    return stored_result(op, ACTIVATIONS) is not None or (
        silu is not None and stored_result(silu) is not None
    )
