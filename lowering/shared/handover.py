"""Handing what a pass learned about a module to the next pass, which would have to find it out again.

Lowering is most of what `infer-shapes` and `device-place` do, and both lower the same model. Nothing changes
a module between two adjacent passes, so the copy of the first serves the second.
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
    """One end of the connection between two passes: where something is given, or taken."""

    def __init__(self) -> None:
        self._receiver: Handover[T] | None = None
        self._offer: tuple[ModuleOp, T] | None = None

    def connect(self, receiver: Handover[T]) -> None:
        """Lets `receiver` take what is given here."""
        self._receiver = receiver

    def give(self, module: ModuleOp, result: T) -> None:
        """Hands on what was learned about `module`, if a receiver is connected."""
        if self._receiver is not None:
            self._receiver._offer = module, result

    def take(self, module: ModuleOp) -> T | None:
        """What was learned about `module`, once; None if nothing was given."""
        offer, self._offer = self._offer, None
        return offer[1] if offer is not None and offer[0] is module else None


class LoweredCopy(Handover["ModuleOp"]):
    """Hands on the copy of a model in canonical ONNX."""


def connect(passes: Iterable[ModulePass]) -> None:
    """Connects each pass to the next one, if that takes what it gives."""
    for before, after in pairwise(passes):
        giver, taker = getattr(before, "gives", None), getattr(after, "takes", None)
        if type(giver) is type(taker) and isinstance(giver, Handover):
            cast("Handover[Any]", giver).connect(cast("Handover[Any]", taker))
