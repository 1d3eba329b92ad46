"""quant-split-dequant: one dequantize for each use of what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from autosplit.dialects.onnx.base import (
    OnnxOp,
    name_hint,
)
from autosplit.dialects.platform import strings
from autosplit.dialects.quant import DequantizeCastOp, QuantOp, StorageCastOp
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand


def _is_copied(op: QuantOp | OnnxOp) -> bool:
    """Whether each user of an op gets its own: dequantizes and the casts around them."""
    if isinstance(op, DequantizeCastOp):
        return True
    if isinstance(op, StorageCastOp):
        return all(isinstance(u.operation, DequantizeCastOp) for u in op.output.uses)
    return _is_cast_of_dequantize(op)


def _is_cast_of_dequantize(op: Operation) -> bool:
    while isinstance(op, OnnxOp) and op.op_type == "Cast" and op.domain == "" and op.operands:
        owner = op.operands[0].owner
        if isinstance(owner, DequantizeCastOp):
            return True
        if not isinstance(owner, Operation):
            return False
        op = owner
    return False


class SplitByUse(Pattern[QuantOp | OnnxOp]):
    """`f(dcast(x)), g(dcast(x)) -> f(dcast(x)), g(dcast(x))`, the second of which is a copy.

    The first keeps its name: what a caller reads, else what stands first.
    """

    def __init__(self, module: ModuleOp):
        self.order = {op: i for i, op in enumerate(module.walk())}
        self.names = Names(module)

    def rewrite(self, op: QuantOp | OnnxOp, rewriter: PatternRewriter, /) -> None:
        if not _is_copied(op):
            return
        uses = sorted(op.results[0].uses, key=self._sort_key)
        for use in reversed(uses[1:]):
            copy = op.clone()
            copy.location = op.location
            value_name = op.value_name(0)
            if value_name:
                copy.properties["value_names"] = strings([self.names.fresh(f"{value_name}__copy")])
            copy.results[0].name_hint = name_hint(value_name)
            rewriter.insert(copy, InsertPoint.after(op))
            self.order[copy] = self.order[op]
            set_operand(rewriter, use.operation, use.index, copy.results[0])

    def _sort_key(self, use: Use) -> tuple[bool, int, int]:
        # A value that a caller reads keeps its name in the model.
        user = use.operation
        return not user.has_trait(IsTerminator), self.order.get(user, len(self.order)), use.index


@dataclass(frozen=True)
class QuantSplitDequantPass(ModulePass):
    """Copies dequantizes, and casts to another float type behind them, so that each has one user.

    A library that computes with integers includes the dequantize of an operand in its kernel; one with a
    second reader would have to be computed separately, which prevents both fusions. A copy has the name
    of the node; its value has a name of its own.
    """

    name = "quant-split-dequant"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Users first: a copy of a cast is another use of its operand.
        apply_patterns(op, [SplitByUse(op)], recursive=False, backwards=True)
