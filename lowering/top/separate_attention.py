"""top-separate-attention: keeping the ops of an attention apart.

For bm1684x, TPU-MLIR fuses a whole attention into one op, which computes in f16 even in F32. A copy in front
of the projection behind it prevents that. For bm1688, in F16 and BF16, it fuses what is between the
projections into one op, whose kernel it cannot compile. A copy of the weights prevents that.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.devices import DEFAULT_CHIP, Chip, get_chip
from autosplit.dialects.top import TopOp
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import TopPattern
from autosplit.lowering.top.identities import defining_op

VIEWS = frozenset({"Permute", "Reshape", "Squeeze", "Unsqueeze"})
"""The kinds that may stand between the ops of an attention."""


def _projects_attention(op: TopOp) -> bool:
    """Whether an op multiplies a product with a Softmax by constant weights."""
    if op.kind != "MatMul" or defining_op(op.inputs[1], "Weight") is None:
        return False
    weighed = _behind_views(op.inputs[0])
    if weighed is None or weighed.kind != "MatMul":
        return False
    weighing = _behind_views(weighed.inputs[0])
    return weighing is not None and weighing.kind == "Softmax"


def _weighs(op: TopOp) -> bool:
    """Whether an op multiplies the result of a Softmax by a computed value."""
    if op.kind != "MatMul" or defining_op(op.inputs[1], "Weight") is not None:
        return False
    weighing = _behind_views(op.inputs[0])
    return weighing is not None and weighing.kind == "Softmax"


def _behind_views(value: SSAValue) -> TopOp | None:
    """The op that computes a value, or the value that it is a view of."""
    while isinstance(owner := value.owner, TopOp):
        if owner.kind not in VIEWS:
            return owner
        value = owner.inputs[0]
    return None


class SeparateAttention(TopPattern):
    """`attention(...) @ weights` -> `copy(attention(...)) @ weights`"""

    KINDS = ("MatMul",)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if _projects_attention(op):
            self.read_copy(op, 0, "apart", rewriter)


class SeparateWeights(TopPattern):
    """`softmax(...) @ values` -> `copy(softmax(...)) @ values`"""

    KINDS = ("MatMul",)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if _weighs(op):
            self.read_copy(op, 0, "apart", rewriter)


def joins_attention(chip: Chip) -> bool:
    """Whether an attention becomes one op for a chip, one that computes in f16 even in F32."""
    return "half-attention" in chip.workarounds


def separate_attention(module: ModuleOp) -> None:
    """Puts a copy between each attention and its projection.

    Otherwise everything from the projections of queries, keys and values on would become one op.
    """
    apply_patterns(module, [SeparateAttention(module)], recursive=False)


@dataclass(frozen=True)
class TopSeparateAttentionPass(ModulePass):
    """A copy keeps the ops of an attention apart where the tool chain would fuse them into a wrong op.

    In F32 it is in front of the projection, on chips that compute the whole attention in f16. In F16 and
    BF16 it is behind the Softmax, on chips whose kernel for the fused op cannot be compiled. With `widened`
    only the copy in front of the projection is made, in every mode: it lets parts of the attention be f32.
    """

    name = "top-separate-attention"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""
    widened: bool = False
    """Whether values of a module that has been legalized are to become f32."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        if (self.mode == "F32" or self.widened) and joins_attention(chip):
            separate_attention(op)
        if self.widened:
            return
        if self.mode in ("F16", "BF16") and "fused-attention" in chip.workarounds:
            apply_patterns(op, [SeparateWeights(op)], recursive=False)
