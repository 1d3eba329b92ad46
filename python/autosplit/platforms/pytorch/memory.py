"""What shares memory that a program updates: it stays together, because only values cross a border."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import InputOp, ParamOp, StateOp

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

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

    Those are a state and all that reads or writes it or a view of it, and the same for any other value that
    an op writes to. An op that draws random numbers is a group of its own.
    """
    nodes = [op for op in graph.body_ops() if isinstance(op, AtenOp)]
    storage = _Storage()
    for op in nodes:
        _note(storage, op)
    touched: dict[SSAValue, list[AtenOp]] = {}
    for op in nodes:
        if isinstance(op, InputOp | ParamOp):
            continue
        seen = {storage.root(v) for v in (*op.operands, *op.results)}
        for root in seen & storage.updated():
            touched.setdefault(root, []).append(op)
    groups: dict[Operation, str] = {}
    for ops in touched.values():
        _join(groups, ops)
    for op in nodes:
        if op.SPEC is not None and op.SPEC.base.removesuffix("_") in RANDOM:
            groups.setdefault(op, op.identity)
    return groups


def _note(storage: _Storage, op: AtenOp) -> None:
    if isinstance(op, StateOp):
        storage.write(op.results[0])
    if op.IS_OPAQUE:
        # Nothing is known of it: what it reads may be written to, and what it gives may be a view of that.
        for operand in op.operands:
            storage.write(operand)
            for result in op.results:
                storage.share(result, operand)
    for i, result in enumerate(op.results):
        for operand in op.aliased(i):
            storage.share(result, operand)
    for operand in op.written():
        storage.write(operand)


def _join(groups: dict[Operation, str], ops: list[AtenOp]) -> None:
    """Puts ops into one group, with all that are in a group with one of them."""
    names = {groups[op] for op in ops if op in groups}
    name = ops[0].identity
    for op, other in groups.items():
        if other in names:
            groups[op] = name
    groups.update(dict.fromkeys(ops, name))


class _Storage:
    """Which values may share memory, and which memory is written to."""

    def __init__(self) -> None:
        self._parents: dict[SSAValue, SSAValue] = {}
        self._written: set[SSAValue] = set()

    def root(self, value: SSAValue) -> SSAValue:
        """The value that stands for all that may share memory with this one."""
        while (parent := self._parents.get(value, value)) is not value:
            value = parent
        return value

    def share(self, one: SSAValue, other: SSAValue) -> None:
        """Notes that two values may share memory."""
        first, second = self.root(one), self.root(other)
        if first is not second:
            self._parents[first] = second

    def write(self, value: SSAValue) -> None:
        """Notes that a value is written to."""
        self._written.add(value)

    def updated(self) -> set[SSAValue]:
        """What stands for memory that is written to."""
        return {self.root(value) for value in self._written}
