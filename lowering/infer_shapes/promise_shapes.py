"""promise-shapes: types that follow from the shapes that the user promises; see promises.py."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.inputs.options import parse_shapes
from autosplit.lowering.infer_shapes import lowered_copy
from autosplit.lowering.infer_shapes.promises import keep_promises
from autosplit.lowering.shared.handover import LoweredCopy
from autosplit.lowering.shared.order import expect_before


@dataclass(frozen=True)
class PromiseShapesPass(ModulePass):
    """Tensors whose sizes do not follow from the model have the promised ones, and what follows from them.

    The ops that make them have the tensors' names in `device.promised`: they stay on the CPU, where the
    runner compares the shapes with the promises.
    """

    name = "promise-shapes"

    shapes: tuple[str, ...] = ()
    """The promises, as `TENSOR=300,14,14,576`, each in quotes."""

    takes: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where a copy comes from that `infer-shapes` has lowered already."""
    gives: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where the copy goes in which the types were found."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        lowered = self.takes.take(op)
        if self.shapes:
            lowered = keep_promises(
                ctx, op, parse_shapes(self.shapes), lowered or lowered_copy(ctx, op)
            )
        if lowered is not None:
            self.gives.give(op, lowered)
