"""submodel-fold-pads: constant Pads become pads of the convolutions and poolings that read them.

A Pad of its own makes the chip copy its whole operand, and the tool chain folds only some forms of it. A
window gets pads instead where what it then finds outside of its operand counts as the elements that the Pad
adds: zeros for convolutions and for averages that count them, and for largest elements where none is below.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.lowering.building import ModuleValues
from autosplit.lowering.normalize_onnx.fold_pads import FoldPad
from autosplit.lowering.rewriting import apply_to
from autosplit.lowering.shared.blocks import data_order, outer_blocks, protected_names
from autosplit.lowering.shared.dead import remove_dead
from autosplit.lowering.shared.order import expect_before, expect_onnx


class FoldShortPad(FoldPad):
    """`FoldPad`, for pads that the tool chain takes."""

    most = 15
    """All kinds of windows were measured right up to it."""


@dataclass(frozen=True)
class SubmodelFoldPadsPass(ModulePass):
    """Constant Pads are pads of the convolutions and poolings that read them, wherever that is exact.

    Transposes, casts, views and activations that keep zeros may stand between. Pads of which something else
    computes stay, as in front of `x * a + b`, where they are not zero any more.
    """

    name = "submodel-fold-pads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        expect_onnx(op)
        values = ModuleValues(op)
        for block in outer_blocks(op):
            # Of Pads behind each other, the last one goes first.
            while apply_to(reversed(data_order(block)), [FoldShortPad(values)]):
                remove_dead(block, protected_names(block))
