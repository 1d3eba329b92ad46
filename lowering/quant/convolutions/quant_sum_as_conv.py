"""quant-sum-as-conv: a sum of two quantized tensors becomes one kernel, that of a convolution with ones."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.versions import DEFAULT_ROUNDING, DEFAULT_SUMS, Rounding, Sums, sums_for
from autosplit.dialects.onnx.ops import AddOp, SumOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    UniformType,
    uniform_of,
    update_params,
)
from autosplit.lowering.quant.convolutions.ones import (
    Ones,
    dequantize_of,
    has_channels,
    stored_result,
)
from autosplit.lowering.quant.fold_requantize import FoldRequantize
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why

BETWEEN = ("Relu",)
"""Ops allowed between the sum and its quantize."""


class ConvolveSummand(Pattern[AddOp | SumOp]):
    """`dcast(a) + dcast(b) -> conv(dcast(a), ones) + dcast(b)`, where a quantize follows.

    Refused for tensors without channels or with an open number of them, shapes that are broadcast,
    parameters by the channel, sums of which no operand is stored as the result is, and sums that something
    else reads unrounded; and what `folding` does better.
    """

    def __init__(self, module: ModuleOp, folding: FoldRequantize | None):
        self.ones = Ones(module)
        self.folding = folding

    def rewrite(self, join: AddOp | SumOp, rewriter: PatternRewriter, /) -> None:
        stored = stored_result(join, BETWEEN)
        if stored is None or len(join.operands) != 2:
            return
        dequantizes = [dequantize_of(v) for v in join.operands]
        if None in dequantizes or join.operands[0] is join.operands[1]:
            why(join, "it does not sum two dequantized tensors")
            return
        shape = shape_of(join.results[0].type)
        if not has_channels(shape, join.operands):
            why(join, "its shape is none that a convolution takes")
            return
        if any(shape_of(v.type) != shape for v in join.operands):
            why(join, "an operand is broadcast")
            return
        if self.folding is not None and self.folding.pair(join) is not None:
            why(join, "it can be computed with the product in front of it")
            return
        # The kernel overwrites its summand, so it must be stored like the result.
        fitting = [v for v in join.operands if _uniform(v).storage == stored]
        if not fitting:
            why(join, f"neither operand is stored as {stored}, as its result is")
            return
        # The operand computed last is still in the cache, and goes through the convolution.
        summand = min(fitting, key=self.ones.made_at)
        index = 1 - list(join.operands).index(summand)
        ops = self.ones.convolve(join, join.operands[index], shape[1], len(shape))
        rewriter.insert(ops)
        set_operand(rewriter, join, index, ops[-1].results[0])


def _uniform(value: SSAValue) -> UniformType:
    dequantize = value.owner
    assert isinstance(dequantize, DequantizeCastOp)
    uniform = uniform_of(dequantize.input.type)
    assert uniform is not None
    return uniform


@dataclass(frozen=True)
class QuantSumAsConvPass(ModulePass):
    """Multiplies one operand of a sum by one, channel by channel, if both are dequantized.

    `q(dq(a) + dq(b)) -> q(conv(dq(a), ones) + dq(b))`, also with a ReLU behind the sum. oneDNN has no
    kernel that adds two quantized tensors, but it has one for a convolution, a quantized summand, and
    the ops behind them. So a sum that would take four passes over memory, most of them over float32,
    takes one over bytes. The convolution is depthwise with kernels of one element, all of them 1: its
    result equals its operand, so the numbers do not change.

    Refused: tensors without channels or with an open number of them, shapes that broadcast,
    parameters per channel, sums none of whose operands is stored like the result, and sums that another
    op reads unrounded.
    """

    name = "quant-sum-as-conv"

    sums: Sums = DEFAULT_SUMS
    """What the numbers of sums may be; `fast` leaves those to `quant-fold-requantize` that it takes."""
    rounding: Rounding = DEFAULT_ROUNDING
    """Whether values inside of a kernel are rounded as the model says; see `quant-drop-casts`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sums = sums_for(self.sums, self.rounding)
        folding = FoldRequantize(op, sums) if sums == "fast" else None
        if apply_patterns(op, [ConvolveSummand(op, folding)], recursive=False):
            update_params(op)
