"""Handing a lowered copy of a module on, from the pass that made it to the one right behind it.

Lowering is most of what `infer-shapes` and `device-place` do, and both lower the same model. Nothing changes
a module between two passes that stand side by side, so that the copy of the first serves the second.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


class Handover:
    """One end of the way from a pass to the next: where a copy is given, or taken."""

    def __init__(self) -> None:
        self._receiver: Handover | None = None
        self._held: tuple[ModuleOp, ModuleOp] | None = None

    def connect(self, receiver: Handover) -> None:
        """Lets `receiver` take what is given here."""
        self._receiver = receiver

    def give(self, module: ModuleOp, lowered: ModuleOp) -> None:
        """Hands on the lowered copy of `module`, where somebody takes it."""
        if self._receiver is not None:
            self._receiver._held = module, lowered

    def take(self, module: ModuleOp) -> ModuleOp | None:
        """The lowered copy of `module`, once; None where nobody gave one."""
        held, self._held = self._held, None
        return held[1] if held is not None and held[0] is module else None


def connect(passes: Iterable[ModulePass]) -> None:
    """Connects each pass that gives a copy with one that takes it, where they stand side by side."""
    for before, after in pairwise(passes):
        giver, taker = getattr(before, "gives", None), getattr(after, "takes", None)
        if isinstance(giver, Handover) and isinstance(taker, Handover):
            giver.connect(taker)
