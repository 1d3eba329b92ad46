"""quant-before-moves: what is quantized behind a move is quantized in front of it, so that integers move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.ops import MaxPoolOp
from autosplit.dialects.platform import strings
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.quant.canonical import EqualQuantizes, is_exact
from autosplit.lowering.quant.chains.products import UNARY
from autosplit.lowering.quant.join_scales import Mover, moved, moves_only
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.quantize.roles import JOINS, PRODUCTS, kind_of
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why

FARTHEST = 16
"""How many ops may lie between a product and what is moved."""


class QuantizeBeforeMove(Pattern[Mover]):
    """`qcast(move(x, ...)) -> qcast(move(dcast(qcast(x)), ...))`, all casts being of one type.

    Rounding keeps the order of numbers, so that this holds for the largest of several, too. Where something
    else reads the real numbers as well, or quantizes them by other parameters, that has a move of its own.
    Refused if no product of integers makes what is moved, and for a second pool.
    """

    def __init__(self, names: Names, *, requantize: bool):
        self.names = names
        self.requantize = requantize

    def rewrite(self, op: Mover, rewriter: PatternRewriter, /) -> None:
        if not moves_only(op) or not self._takes(moved(op)):
            return
        users = [use.operation for result in op.results for use in result.uses]
        casts = [user for user in users if isinstance(user, QuantizeCastOp)]
        types = dict.fromkeys(type for cast in casts if (type := _exact_type(cast)) is not None)
        if not types:
            return
        if not any(_comes_from_product(value) for value in moved(op)):
            why(op, "no product of integers makes what it moves")
            return
        alone = len(types) == 1 and all(
            isinstance(user, QuantizeCastOp) and _exact_type(user) in types for user in users
        )
        if isinstance(op, MaxPoolOp) and not alone:
            why(op, "what is pooled is read as real numbers, too")
            return
        for type in types:
            self._quantize(op if alone else self._copy(op, type, rewriter), type, rewriter)
        if all(result.first_use is None for result in op.results):
            rewriter.erase(op)

    def _takes(self, values: Sequence[SSAValue]) -> bool:
        """Whether values are real numbers, or, to be requantized, dequantized by different parameters."""
        casts = [v.owner for v in values if isinstance(v.owner, DequantizeCastOp)]
        if len(casts) < len(values):
            return True
        return self.requantize and len({uniform_of(cast.input.type) for cast in casts}) > 1

    def _copy(self, op: OnnxOp, type: UniformType, rewriter: PatternRewriter) -> OnnxOp:
        """Another move, for the casts of this type."""
        copy = op.clone()
        copy.location = op.location
        names = [op.value_name(i) for i in range(len(op.results))]
        copy.properties["value_names"] = strings(
            [self.names.fresh(f"{name}__quantized") if name else "" for name in names]
        )
        rewriter.insert(copy, InsertPoint.after(op))
        for result, other in zip(op.results, copy.results, strict=True):
            for use in [*result.uses]:
                user = use.operation
                if isinstance(user, QuantizeCastOp) and _exact_type(user) == type:
                    set_operand(rewriter, user, use.index, other)
        return copy

    def _quantize(self, op: OnnxOp, type: UniformType, rewriter: PatternRewriter) -> None:
        for index, value in enumerate(moved(op)):
            quantize = QuantizeCastOp(value, with_element(value.type, type), location=op.location)
            real = DequantizeCastOp(quantize.output, value.type, location=op.location)
            rewriter.insert([quantize, real], InsertPoint.before(op))
            set_operand(rewriter, op, index, real.output)


def _exact_type(cast: QuantizeCastOp) -> UniformType | None:
    """The type of bytes that a cast gives, of one scale; None for other types."""
    type = uniform_of(cast.output.type)
    if type is None or type.is_per_axis or type.storage.width.data != 8 or not is_exact(type):
        return None
    return type


def _comes_from_product(value: SSAValue, steps: int = FARTHEST) -> bool:
    """Whether a product of integers makes a value, through activations, moves and sums."""
    if isinstance(value.owner, DequantizeCastOp):
        quantize = value.owner.input.owner
        value = quantize.input if isinstance(quantize, QuantizeCastOp) else value
    op, kind = value.owner, kind_of(value.owner)
    if not isinstance(op, OnnxOp) or not steps:
        return False
    if kind in PRODUCTS:
        return isinstance(op.operands[0].owner, DequantizeCastOp)
    if isinstance(op, Mover):
        return any(_comes_from_product(v, steps - 1) for v in moved(op))
    if kind in JOINS or kind in UNARY:
        return any(_comes_from_product(v, steps - 1) for v in op.operands)
    return False


@dataclass(frozen=True)
class QuantBeforeMovesPass(ModulePass):
    """Quantizes in front of Concat, Split, Resize, MaxPool and the like what is quantized behind them.

    Quantizers that look at products only, as those for TensorRT do, quantize what a convolution reads, behind
    a Concat of real numbers and not in front. Each part is rounded as the whole was, and the integers are the
    same; `quant-move-bytes` then moves bytes. Real numbers that are read as well are moved a second time.
    """

    name = "quant-before-moves"

    requantize: bool = False
    """Whether what is dequantized by different parameters is quantized again in front of a Concat."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = QuantizeBeforeMove(Names(op), requantize=self.requantize)
        # Users first: what they read is then quantized, too.
        if not apply_patterns(op, [pattern], recursive=False, backwards=True):
            return
        apply_patterns(op, [EqualQuantizes()], recursive=False)
        update_params(op)
