"""What stays: the ops that see memory that is updated in place, up to the last update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.aten import AtenOp, InputOp, ParamOp
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import identity_of
from autosplit.lowering.reduce_mutation.aliases import Aliases
from autosplit.lowering.reduce_mutation.forms import Storage
from autosplit.lowering.rewriting import Pattern, why

KEPT = "aten.kept"
"""The attribute that says why an op stays beside an update in place."""


@dataclass(frozen=True)
class Kept:
    """Why an op stays, and with which others."""

    group: str
    """The name of the first op of its group."""
    reason: ReasonAttr


def kept_ops(block: Block) -> Mapping[Operation, Kept]:
    """The ops of a block that must stay together, in the order of the program.

    Those that make, read or update tensors in memory that an op updates in place. Behind the last update the
    tensors are like any others: an op that reads them there is not kept.
    """
    place = {op: i for i, op in enumerate(block.ops)}
    groups: list[dict[Operation, ReasonAttr]] = []
    for memories in Aliases.of(block).updated():
        reasons = _reasons(memories, place)
        for other in [g for g in groups if not reasons.keys().isdisjoint(g)]:
            groups.remove(other)
            reasons = {**other, **reasons}
        groups.append(reasons)
    kept: dict[Operation, Kept] = {}
    for group in groups:
        first = identity_of(min(group, key=place.__getitem__))
        kept |= {op: Kept(first, reason) for op, reason in group.items()}
    return kept


def _reasons(
    memories: tuple[Storage, ...], place: Mapping[Operation, int]
) -> dict[Operation, ReasonAttr]:
    """Why each op that sees some updated memory stays."""
    writers = sorted({op for m in memories for op in m.writers}, key=place.__getitem__)
    last = place[writers[-1]]
    refusals = {op: reason for m in memories for op, reason in m.refusals.items()}
    reasons: dict[Operation, ReasonAttr] = {}
    cause = next(iter(refusals), writers[0])
    why_not = refusals[cause].text.data if refusals else "it is updated in place"
    for op in sorted({op for m in memories for op in m.members}, key=place.__getitem__):
        if isinstance(op, InputOp | ParamOp) or place[op] > last:
            continue
        text = f"shares memory with {identity_of(cause)!r}: {why_not}"
        reasons[op] = refusals.get(op) or ReasonAttr.of("shared", text)
    return reasons


class NoteKept(Pattern[AtenOp]):
    """An op that stays beside an update in place `->` the same op with the reason, `aten.kept`."""

    def __init__(self, kept: Mapping[Operation, Kept]):
        self.kept = kept

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        kept = self.kept.get(op)
        reason = None if kept is None else kept.reason
        if op.attributes.get(KEPT) == reason:
            return
        if reason is None:
            del op.attributes[KEPT]
        else:
            op.attributes[KEPT] = reason
            why(op, reason.text.data)
        rewriter.notify_op_modified(op)
