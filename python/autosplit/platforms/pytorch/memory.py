"""What depends on memory, such as what shares some that is updated: it stays together.

Only values cross a border, in arrays whose elements lie in the order of their indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import SourceOp, StateOp, WriteBackOp
from autosplit.dialects.aten.memory import MEMORY
from autosplit.lowering.reduce_mutation.kept import kept_ops

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from autosplit.dialects.platform import PlatformGraph

RANDOM = frozenset(
    {
        "bernoulli",
        "normal",
        "rand",
        "rand_like",
        "randint",
        "randn",
        "randn_like",
        "randperm",
        "uniform",
    }
)
"""Ops that give other values in each run, with or without operands: none of them is a constant."""


def kept_together(graph: PlatformGraph) -> Mapping[Operation, str]:
    """The ops that must be in one sub-model, with a name for each such group.

    Those are what `reduce-mutation` leaves beside an update in place, and a state with what writes to it.
    An op that draws random numbers is a group of its own: no other sub-model may draw its own.
    `as_strided` of what does not lie in order stays with all that decides how it lies.
    """
    groups = {op: kept.group for op, kept in kept_ops(graph.regions[0].block).items()}
    for op in graph.body_ops():
        if isinstance(op, StateOp):
            groups.setdefault(op, op.identity)
        elif isinstance(op, WriteBackOp) and isinstance(state := op.operands[0].owner, StateOp):
            groups[op] = groups[state]
        elif isinstance(op, AtenOp) and op.SPEC is not None and op.SPEC.base.rstrip("_") in RANDOM:
            groups.setdefault(op, op.identity)
    for op in graph.body_ops():
        if isinstance(op, AtenOp) and op.op_type == "as_strided" and MEMORY not in op.attributes:
            _tie(op, groups)
    return groups


def _tie(op: AtenOp, groups: dict[Operation, str]) -> None:
    """Puts an op into one group with all that its tensor is computed from, and with the groups of that."""
    tied: dict[Operation, None] = {op: None, **dict.fromkeys(_computed_from(op))}
    old = {groups[one] for one in tied if one in groups}
    tied |= {one: None for one, name in groups.items() if name in old}
    groups.update(dict.fromkeys(tied, op.identity))


def _computed_from(op: AtenOp) -> Iterator[AtenOp]:
    """What an op's operands are computed from, but for what the program is given."""
    pending, seen = [*op.operands], set[AtenOp]()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, AtenOp) and not isinstance(owner, SourceOp) and owner not in seen:
            seen.add(owner)
            pending += owner.operands
            yield owner
