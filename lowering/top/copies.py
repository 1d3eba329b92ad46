"""Copies that keep ops of Top apart: the tool chain does not remove them, and they change no number."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.weights import store_for
from autosplit.dialects.platform import free_name
from autosplit.dialects.top import TopOp, location_of, make_op, op_class
from autosplit.lowering.rewriting import Pattern
from autosplit.lowering.top.identities import defining_op

MOST_OFF = 2.0**-26
"""The most by which the slope of a copy differs from 1: float32 does not see it."""

STEP = 2.0**-40
"""By how much the slopes of copies of one value differ: lost in a float32, but not in the attribute."""


class TopPattern(Pattern[TopOp]):
    """A pattern for some kinds of Top ops, which gives new ops unique names."""

    KINDS: ClassVar[tuple[str, ...]] = ()
    """The kinds that it is tried on; if empty, all."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._names: set[str] | None = None

    @classmethod
    def matched_types(cls) -> tuple[type[Operation], ...]:
        return tuple(map(op_class, cls.KINDS)) or (TopOp,)

    def fresh(self, name: str) -> str:
        """`name`, or that with a number if an op of the module already has it."""
        if self._names is None:
            ops = self.module.walk()
            self._names = {n for op in ops if isinstance(op, TopOp) for n in op.names}
        return free_name(self._names, name)

    def read_copy(
        self, op: TopOp, index: int, role: str, rewriter: PatternRewriter, slope: float = 1.0
    ) -> TopOp:
        """Makes an op read a copy of its operand `index`, named after the op and `role`; returns the copy."""
        value = op.operands[index]
        names = [self.fresh(f"{op.names[0]}/{role}")]
        copy = make_op("LeakyRelu", [value], [value.type], names, {"alpha": slope})
        rewriter.insert(copy, InsertPoint.before(op))
        read_instead(op, index, copy.outputs[0], rewriter)
        return copy

    def read_array(
        self,
        op: TopOp,
        index: int,
        role: str,
        array: NDArray[np.generic],
        rewriter: PatternRewriter,
    ) -> None:
        """Makes an op read other numbers than those of the weight that is its operand `index`.

        The new weight is named after the old one and `role`; the old one stays for its other readers.
        """
        weight = defining_op(op.operands[index], "Weight")
        assert weight is not None  # or there would be no numbers
        name = self.fresh(f"{weight.names[0]}/{role}")
        store_for(self.module).make(name, lambda: array)
        new = weight.clone()
        new.location = location_of([name])
        rewriter.insert(new, InsertPoint.before(op))
        read_instead(op, index, new.results[0], rewriter)
        if weight.results[0].first_use is None:
            rewriter.erase(weight)


def read_instead(op: TopOp, index: int, new: SSAValue, rewriter: PatternRewriter) -> None:
    """Makes an op read another value as operand `index`."""
    rewriter.replace_uses_with_if(
        op.operands[index], new, lambda use: use.operation is op and use.index == index
    )


def is_copy(op: TopOp) -> bool:
    """Whether an op is a copy that keeps others apart."""
    return op.kind == "LeakyRelu" and abs(op.number("alpha") - 1.0) < MOST_OFF


def top_blocks(module: ModuleOp) -> list[Block]:
    """The bodies of the functions of a Top module."""
    return [f.body.block for f in module.body.block.ops if isinstance(f, FuncOp) and f.body.blocks]
