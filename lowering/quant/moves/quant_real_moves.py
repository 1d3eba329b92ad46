"""quant-real-moves: what moves integers between casts moves real numbers, as other passes expect it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import set_type, strings
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.quant.canonical import UnusedCast, is_exact
from autosplit.lowering.quant.join_scales import Mover, moved, moves_only
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why


class MoveReals(Pattern[Mover]):
    """`scast(move(scast(x), ...)) -> qcast(move(dcast(x), ...))`, all being of one quantized type.

    Refused where other integers are moved, or where something else reads the integers.
    """

    def __init__(self, names: Names):
        self.names = names

    def rewrite(self, op: Mover, rewriter: PatternRewriter, /) -> None:
        if not moves_only(op):
            return
        casts = [value.owner for value in moved(op)]
        stored = [cast for cast in casts if isinstance(cast, StorageCastOp)]
        types = {uniform_of(cast.input.type) for cast in stored}
        if not stored or len(stored) != len(casts) or len(types) != 1:
            return
        (type,) = types
        if type is None or type.is_per_axis or not is_exact(type):
            return
        if any(uniform_of(result.type) for result in op.results):
            return
        if not all(_is_cast_to(result, type) for result in op.results):
            why(op, "the integers that it moves are read as such, or as other numbers")
            return
        for index, cast in enumerate(stored):
            real = DequantizeCastOp(
                cast.input, with_element(cast.input.type, type.expressed), location=op.location
            )
            rewriter.insert(real, InsertPoint.before(op))
            set_operand(rewriter, op, index, real.output)
        names = [op.value_name(i) for i in range(len(op.results))]
        op.properties["value_names"] = strings(
            [self.names.fresh(f"{name}__real") if name else "" for name in names]
        )
        for result, name in zip(op.results, names, strict=True):
            self._quantize(op, result, name, type, rewriter)

    def _quantize(
        self, op: OnnxOp, result: SSAValue, name: str, type: UniformType, rewriter: PatternRewriter
    ) -> None:
        users = [use.operation for use in result.uses]
        before = result.type
        set_type(result, with_element(before, type.expressed))
        quantize = QuantizeCastOp(
            result, with_element(before, type), value_name=name, location=op.location
        )
        rewriter.insert(quantize, InsertPoint.after(op))
        for user in users:
            assert isinstance(user, StorageCastOp)
            rewriter.replace(user, [], [quantize.output])


def _is_cast_to(value: SSAValue, type: UniformType) -> bool:
    users = [use.operation for use in value.uses]
    return all(isinstance(u, StorageCastOp) and uniform_of(u.output.type) == type for u in users)


@dataclass(frozen=True)
class QuantRealMovesPass(ModulePass):
    """Gives what moves integers, or takes the largest of them, a dequantize in front and a quantize behind.

    Models of QLinearConv and the like pool, cut and view the integers themselves; others dequantize first
    and quantize after. Both are the same numbers. The second form is the one that the passes for scales
    and kernels know; `quant-move-bytes` makes moves of bytes of it again.
    """

    name = "quant-real-moves"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if apply_patterns(op, [MoveReals(Names(op))], recursive=False):
            apply_patterns(op, [UnusedCast()], backwards=True)
