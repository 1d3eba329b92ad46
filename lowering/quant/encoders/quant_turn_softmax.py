"""quant-turn-softmax: a softmax of quantized values runs along the last dimension."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import SoftmaxOp, TransposeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.transposes import (
    apply_turning,
    permuted,
)
from autosplit.lowering.rewriting import Pattern, why


class TurnSoftmax(Pattern[SoftmaxOp]):
    """`softmax(x) -> transpose(softmax(transpose(x)))`, the inner one along the last dimension.

    Refused if neither the operand nor the result is quantized: such a softmax belongs to no library but
    ONNX Runtime, which turns it itself.
    """

    def __init__(self, names: Names):
        self.names = names

    def rewrite(self, op: SoftmaxOp, rewriter: PatternRewriter, /) -> None:
        x, result = op.operands[0], op.results[0]
        rank, element = len(shape_of(x.type) or ()), element_type(x.type)
        axis = int(attribute(op, "axis", -1))
        axis += rank if axis < 0 else 0
        if element is None or axis >= rank - 1:
            return
        if not _is_quantized(op):
            why(op, "nothing beside it is quantized")
            return
        perm = [*(d for d in range(rank) if d != axis), axis]
        inverse_perm = [perm.index(d) for d in range(rank)]
        name = op.value_name(0)
        turned = make_node(
            "Transpose",
            [x],
            [self.names.fresh(f"{name}__turned")],
            attributes={"perm": perm},
            result_types=[permuted(x, perm)],
        )
        rows = make_node(
            "Softmax",
            [turned.results[0]],
            [self.names.fresh(f"{name}__rows")],
            attributes={"axis": rank - 1},
            result_types=[turned.results[0].type],
            node_name=op.node_name.data,
        )
        turned_back = make_node(
            "Transpose",
            [rows.results[0]],
            [name],
            attributes={"perm": inverse_perm},
            result_types=[result.type],
        )
        turned_back.results[0].name_hint = result.name_hint
        rewriter.insert([turned, rows, turned_back], InsertPoint.before(op))
        rewriter.replace(op, [], [turned_back.results[0]])


def _is_quantized(op: OnnxOp) -> bool:
    """Whether an op's operand is dequantized, possibly through a transpose, or its result is quantized."""
    source = op.operands[0].owner
    if isinstance(source, TransposeOp):
        source = source.operands[0].owner
    return isinstance(source, DequantizeCastOp) or any(
        isinstance(use.operation, QuantizeCastOp) for use in op.results[0].uses
    )


@dataclass(frozen=True)
class QuantTurnSoftmaxPass(ModulePass):
    """Transposes around a softmax of quantized values, so that it runs along the last dimension.

    `softmax(x) -> transpose(softmax(transpose(x)))`. Along any other dimension, oneDNN has a reference
    kernel only, a hundred times slower, and ONNX Runtime transposes real numbers in one thread. The new
    transposes move bytes: the first one goes above the dequantize and becomes one with a transpose that
    is there, the second one goes below the quantize in `quant-lift`. The numbers do not change.
    """

    name = "quant-turn-softmax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = Names(op)
        apply_turning(op, TurnSoftmax(names), names)
