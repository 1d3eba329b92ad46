"""Pieces of memory, and the forms in which the tensors of a program see them.

A form is a tensor at one point of the program: a piece of memory, and the chain of views that leads to it. An
update that changes only a tensor's sizes (`unsqueeze_`) gives the same tensor another form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from autosplit.dialects.device import ReasonAttr


@dataclass(eq=False)
class Storage:
    """A piece of memory, and what happens to it."""

    base: SSAValue
    """The value that has all of it."""
    writers: list[Operation] = field(default_factory=list[Operation])
    refusals: dict[Operation, ReasonAttr] = field(default_factory=dict[Operation, ReasonAttr])
    """Why it stays as it is, by the op that is the cause."""
    members: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """The ops that make or read tensors in it, in order."""
    version: int = 0
    """How often it has been updated so far in the rewrite."""

    @property
    def is_reduced(self) -> bool:
        """Whether it is updated, and all updates can become functional."""
        return bool(self.writers) and not self.refusals

    def refuse(self, op: Operation, code: str, text: str) -> None:
        """Notes that it stays as it is, and why."""
        self.refusals.setdefault(op, ReasonAttr.of(code, text))


@dataclass(frozen=True)
class View:
    """A step from one form of a memory to another."""

    of: TensorForm
    op: Operation
    index: int
    """Which of the op's results it is."""


@dataclass(eq=False)
class TensorForm:
    """A tensor at one point of the program."""

    memory: Storage
    view: View | None
    value: SSAValue
    """Its current value during the rewrite."""
    version: int = 0
    """The version of the memory that `value` belongs to."""

    @property
    def is_current(self) -> bool:
        return self.version == self.memory.version

    def path(self) -> Iterator[View]:
        """The views that lead here, the last one first."""
        form = self
        while form.view is not None:
            yield form.view
            form = form.view.of
