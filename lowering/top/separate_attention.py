"""top-separate-attention: keeping the ops of an attention apart.

For bm1684x, TPU-MLIR makes one op of a whole attention, which computes in f16 even in F32. A copy in front of
the projection behind it keeps it from that. For bm1688, it makes one op of what is between the projections in
F16 and BF16, whose kernel it cannot compile. A copy of the weights keeps it from that.
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
from autosplit.lowering.top.identities import made_by

VIEWS = frozenset({"Permute", "Reshape", "Squeeze", "Unsqueeze"})
"""The kinds that may stand between the ops of an attention."""


def _projects_attention(op: TopOp) -> bool:
    """Whether an op multiplies what a Softmax weighs, with weights."""
    if op.kind != "MatMul" or made_by(op.inputs[1], "Weight") is None:
        return False
    weighed = _behind_views(op.inputs[0])
    if weighed is None or weighed.kind != "MatMul":
        return False
    weighing = _behind_views(weighed.inputs[0])
    return weighing is not None and weighing.kind == "Softmax"


def _weighs(op: TopOp) -> bool:
    """Whether an op multiplies what a Softmax makes with something that is computed."""
    if op.kind != "MatMul" or made_by(op.inputs[1], "Weight") is not None:
        return False
    weighing = _behind_views(op.inputs[0])
    return weighing is not None and weighing.kind == "Softmax"


def _behind_views(value: SSAValue) -> TopOp | None:
    """What computes a value, or the one that it is a view of."""
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
    """Whether an attention becomes one op for a chip, which computes in f16 even in F32."""
    return "half-attention" in chip.workarounds


def separate_attention(module: ModuleOp) -> None:
    """Puts a copy between each attention and its projection.

    With all in between, from the projections of queries, keys and values on, they would be one op.
    """
    apply_patterns(module, [SeparateAttention(module)], recursive=False)


@dataclass(frozen=True)
class TopSeparateAttentionPass(ModulePass):
    """A copy keeps the ops of an attention apart where the tool chain gets the one op wrong that they become.

    In F32 it stands in front of the projection, on chips that compute the whole attention in f16. In F16 and
    BF16 it stands behind the Softmax, on chips whose kernel for all of it cannot be compiled. With `widened`
    only the copy in front of the projection is made, in every mode: it lets parts of the attention be f32.
    """

    name = "top-separate-attention"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""
    widened: bool = False
    """Whether values of a module that has been legalized are to be f32."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        if (self.mode == "F32" or self.widened) and joins_attention(chip):
            separate_attention(op)
        if self.widened:
            return
        if self.mode in ("F16", "BF16") and "fused-attention" in chip.workarounds:
            apply_patterns(op, [SeparateWeights(op)], recursive=False)
