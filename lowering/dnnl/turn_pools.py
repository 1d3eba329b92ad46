"""dnnl-turn-pools: pools of bytes read channels-last images, whoever makes them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.dnnl.moves import is_moved, moved_operands
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import shape_of, value_name
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.dnnl.moves import keeps_order, read_move
from autosplit.lowering.dnnl.rules.parts import POOLS
from autosplit.lowering.quant.transposes import to_back, to_front, transpose
from autosplit.lowering.rewriting import apply_patterns, set_operand, why


class TurnPool(BuildingPattern[PartitionOp]):
    """`pool(x) -> pool(transpose(transpose(x)))`, the inner transpose with the channels last.

    The outer one is another way to see the same bytes. Refused where a partition makes them, which lays them
    out so by itself.
    """

    def rewrite(self, op: PartitionOp, rewriter: PatternRewriter, /) -> None:
        kinds = {inner.kind for inner in op.body_ops}
        if kinds.isdisjoint(POOLS) or "Convolution" in kinds:
            return
        for index, value in enumerate(op.operands):
            rank = len(shape_of(value.type) or ())
            if rank not in (3, 4, 5) or not is_moved(value):
                continue
            if _is_turned(value):
                why(op, "its operand has the channels last")
                continue
            name = f"{value_name(value) or 'image'}__turned"
            last, first = (self.values.fresh(name) for _ in range(2))
            turned = transpose(value, to_back(rank), last, last)
            seen = transpose(turned.results[0], to_front(rank), first, first)
            rewriter.insert([turned, seen])
            set_operand(rewriter, op, index, seen.results[0])


def _is_turned(value: SSAValue) -> bool:
    """Whether a partition makes an image, perhaps by way of moves that leave its layout."""
    owner = value.owner
    if isinstance(owner, PartitionOp):
        return True
    if not isinstance(owner, OnnxOp) or (move := read_move(owner)) is None or not keeps_order(move):
        return False
    return all(map(_is_turned, moved_operands(owner)))


@dataclass(frozen=True)
class DnnlTurnPoolsPass(ModulePass):
    """Transposes of bytes in front of pools whose operand ONNX Runtime, the caller or a Reshape makes.

    Such an image has its channels first, and oneDNN's pools of bytes then take a reference kernel: 400 times
    as long for 64 channels of 16 x 16 pixels.
    """

    name = "dnnl-turn-pools"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [TurnPool(ModuleValues(op))], recursive=False)
