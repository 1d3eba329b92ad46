"""top-divide-by-roots: a division by a root in place of a product with its reciprocal.

TPU-MLIR fuses x * (1 / sqrt(mean(x * x) + e)) * weights into an RMSNorm for every chip, but bm1684 has no
kernel for that. It does not fuse a division by the root.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.devices import DEFAULT_CHIP, get_chip
from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.top.copies import TopPattern
from autosplit.lowering.top.identities import defining_op


class DivideByRoot(TopPattern):
    """`x * (1 / sqrt(y))` -> `x / sqrt(y)`, unless a Relu is part of the product."""

    KINDS = ("Mul",)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if op.attrs:
            why(op, "a Relu is part of the product")
            return
        for value, other in (op.inputs, op.inputs[::-1]):
            inverse = defining_op(value, "Reciprocal")
            if inverse is None or inverse.number("const_val") != 1.0:
                continue
            root = inverse.inputs[0]
            if defining_op(root, "Sqrt") is None:
                continue
            rewriter.replace(op, make_op("Div", [other, root], [op.outputs[0].type], op.names, {}))
            if inverse.outputs[0].first_use is None:
                rewriter.erase(inverse)
            return


@dataclass(frozen=True)
class TopDivideByRootsPass(ModulePass):
    """Products with the reciprocal of a root become divisions by the root, on chips without an RMSNorm.

    TPU-MLIR would fuse the products into an RMSNorm.
    """

    name = "top-divide-by-roots"

    target: str = DEFAULT_CHIP
    """The name of a device table."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if "rms-norm" in get_chip(self.target).workarounds:
            apply_patterns(op, [DivideByRoot(op)], recursive=False)
