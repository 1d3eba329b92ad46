"""What shares memory that a program updates: it stays together, because only values cross a border."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import StateOp, WriteBackOp
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
    """
    groups = {op: kept.group for op, kept in kept_ops(graph.regions[0].block).items()}
    for op in graph.body_ops():
        if isinstance(op, StateOp):
            groups.setdefault(op, op.identity)
        elif isinstance(op, WriteBackOp) and isinstance(state := op.operands[0].owner, StateOp):
            groups[op] = groups[state]
        elif isinstance(op, AtenOp) and op.SPEC is not None and op.SPEC.base.rstrip("_") in RANDOM:
            groups.setdefault(op, op.identity)
    return groups
