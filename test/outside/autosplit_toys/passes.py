"""Two passes and a pipeline of both."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import NegOp
from autosplit.lowering.rewriting import Pattern, apply_patterns, why
from autosplit_toys.dialect import TwiceOp

PIPELINE = "convert-toys-to-onnx,toys-fold-negations,infer-shapes"


class TwiceToAdd(Pattern[TwiceOp]):
    """`twice(x) -> Add(x, x)`"""

    def rewrite(self, op: TwiceOp, rewriter: PatternRewriter, /) -> None:
        name = op.label.data
        rewriter.replace(
            op, make_node("Add", [op.x, op.x], [name], node_name=name, result_types=[op.y.type])
        )


@dataclass(frozen=True)
class ConvertToysToOnnxPass(ModulePass):
    """Turns the ops of `toys` into those of `onnx`."""

    name = "convert-toys-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [TwiceToAdd()])


class FoldNegations(Pattern[NegOp]):
    """`Neg(Neg(x)) -> x`"""

    def rewrite(self, op: NegOp, rewriter: PatternRewriter, /) -> None:
        value = op.operands[0]
        if not isinstance(value, OpResult) or not isinstance(value.op, NegOp):
            why(op, "its input is not a Neg")
            return
        inner = value.op
        rewriter.replace(op, [], [inner.operands[0]])
        if not inner.results[0].uses:
            rewriter.erase(inner)


@dataclass(frozen=True)
class ToysFoldNegationsPass(ModulePass):
    """Takes away pairs of negations."""

    name = "toys-fold-negations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [FoldNegations()])
