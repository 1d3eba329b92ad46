"""Handing on what a pass learned of a module, to the one right behind it, which would find it out again.

Lowering is most of what `infer-shapes` and `device-place` do, and both lower the same model. Nothing changes
a module between two passes that stand side by side, so that the copy of the first serves the second.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


T = TypeVar("T")


class Handover(Generic[T]):
    """One end of the way from a pass to the next: where something is given, or taken."""

    def __init__(self) -> None:
        self._receiver: Handover[T] | None = None
        self._held: tuple[ModuleOp, T] | None = None

    def connect(self, receiver: Handover[T]) -> None:
        """Lets `receiver` take what is given here."""
        self._receiver = receiver

    def give(self, module: ModuleOp, result: T) -> None:
        """Hands on what was learned of `module`, where somebody takes it."""
        if self._receiver is not None:
            self._receiver._held = module, result

    def take(self, module: ModuleOp) -> T | None:
        """What was learned of `module`, once; None if nobody gave it."""
        held, self._held = self._held, None
        return held[1] if held is not None and held[0] is module else None


class LoweredCopy(Handover["ModuleOp"]):
    """Hands on the copy of a model in canonical ONNX."""


def connect(passes: Iterable[ModulePass]) -> None:
    """Connects each pass that gives what the next one takes with that."""
    for before, after in pairwise(passes):
        giver, taker = getattr(before, "gives", None), getattr(after, "takes", None)
        if type(giver) is type(taker) and isinstance(giver, Handover):
            cast("Handover[Any]", giver).connect(cast("Handover[Any]", taker))
