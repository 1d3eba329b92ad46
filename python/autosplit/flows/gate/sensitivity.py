"""Which ops make an INT8 bmodel too wrong: found by trying them with real numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autosplit.calibration.chip_switches import SwitchedChip
from autosplit.core.tolerances import difference
from autosplit.core.units import first_of
from autosplit.flows.quantizing.keep_exact import Trials
from autosplit.flows.quantizing.metrics import Metric

if TYPE_CHECKING:
    from autosplit.calibration.calibrate import Tables
    from autosplit.devices import Chip
    from autosplit.flows.quantizing.metrics import Outputs

    Feeds = Mapping[str, Any]

SAMPLES = 4
"""How many samples the trials use."""

ENOUGH = 0.8
"""The share of what is allowed that trials must keep to: kernels add to it what trials do not know."""

LONGEST = 6
"""How many ops are named; more of them belong into a table, not into an option."""


@dataclass(frozen=True)
class Blame:
    """The ops whose INT8 costs most, and what is left without it."""

    ops: Mapping[str, str]
    """Names and kinds, the worst first."""
    whole: float
    """The worst relative error of trials with all in INT8."""
    left: float
    """With these ops in F32."""

    def advice(self) -> str:
        """What to do, as the end of a message."""
        text = (
            f"by trials, INT8 costs most in {named(self.ops)}; with that in F32 the relative error falls "
            f"from {self.whole:.3g} to {self.left:.3g}"
        )
        if len(self.ops) > LONGEST:
            return f"{text}: convert again with --target-cosine 0.99"
        return f"{text}: convert again with {in_f32(self.ops)}"


def named(ops: Mapping[str, str]) -> str:
    """Ops by their kinds and names, the first of them."""
    return first_of([f"{kind} {name!r}" for name, kind in ops.items()], LONGEST)


def in_f32(ops: Iterable[str]) -> str:
    """The option that computes ops in F32."""
    return f"--f32 '{'|'.join(re.escape(name) for name in ops)}'"


def find_blame(
    tables: Tables,
    samples: Sequence[Feeds],
    chip: Chip,
    allowed: float,
    progress: Callable[[str], None] = lambda _: None,
) -> Blame | None:
    """The fewest ops without which the outputs keep to a relative error; or to half of what they have.

    None if trials show nothing that helps.
    """
    model = SwitchedChip(tables, chip)
    chosen = samples[:SAMPLES]
    exact = [model.run(feeds, model.types) for feeds in chosen]
    trials = Trials(
        model, exact, chosen, progress, Metric("nearness", _nearness), what="ops in F32"
    )
    whole = -trials.score(())
    goal = min(ENOUGH * allowed, whole / 2)
    kept = trials.enough(-goal) or trials.enough(-whole / 2)
    if not kept:
        return None
    left = -trials.score(kept)
    if not left < whole:
        return None
    ranked = sorted(kept, key=lambda name: trials.alone[name])
    return Blame({name: model.types[name] for name in ranked}, whole, left)


def _nearness(outputs: Sequence[Outputs], exact: Sequence[Outputs]) -> float:
    """Minus the largest relative error of an output, over all samples."""
    pairs = zip(outputs, exact, strict=True)
    return -max(
        difference(one[name], results[name]).relative for results, one in pairs for name in one
    )
