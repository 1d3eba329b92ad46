"""What is done about INT8 that trials find useless, unless a goal is set.

The gate's own limit decides: a sub-model whose outputs would be refused for their cosine gets some of its ops
in F16, or F32, and a line says so. Neighbours go together: each border between 8 bits and real numbers costs
the chip a cast, and a part of a network takes fewer trials than its ops.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.calibration.chip_switches import SwitchedChip
from autosplit.core.tolerances import TOLERANCES
from autosplit.core.units import counted
from autosplit.flows.converting.real_mode import other_ways, real_mode
from autosplit.flows.quantizing.keep_exact import Switchable, Trials
from autosplit.flows.quantizing.metrics import Metric, worst_cosine

if TYPE_CHECKING:
    from autosplit.calibration.calibrate import Tables
    from autosplit.devices import Chip
    from autosplit.flows.quantizing.metrics import Outputs

    Feeds = Mapping[str, Any]

SAMPLES = 4
"""How many samples the trials use, where the first does not settle it."""

SURE = 0.02
"""A cosine of the first sample that is so far above the limit settles it: others differ by less."""

PARTS = 32
"""The most parts that a sub-model is cut into."""

GOAL = 0.98
"""The cosine that what is left must reach in trials: kernels add to it what trials do not know."""


class Parts:
    """A model whose ops are switched in parts, each called after its first op."""

    def __init__(self, model: Switchable, parts: Mapping[str, Sequence[str]]):
        self.model = model
        self.parts = parts
        self.types: dict[str, str] = {name: model.types[name] for name in parts}

    @property
    def products(self) -> list[str]:
        """All of them may be kept."""
        return list(self.parts)

    def run(self, feeds: Mapping[str, Any], real: Collection[str]) -> Outputs:
        """The outputs, with real numbers in some parts."""
        return self.model.run(feeds, self.ops(real))

    def settled(self, kept: Collection[str]) -> set[str]:
        """The parts that compute with real numbers if some do: these."""
        return set(kept)

    def ops(self, parts: Collection[str]) -> list[str]:
        """The ops of some parts, in the order of the model."""
        return [op for name, ops in self.parts.items() if name in parts for op in ops]


def rescue(
    label: str,
    tables: Tables,
    samples: Iterable[Feeds],
    chip: Chip,
    fixed: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
    mode: str = "INT8",
) -> Tables:
    """The tables of a sub-model, with parts of it in real numbers where all in INT8 would be useless.

    `fixed`: values that are 8 bits in any case. `note` is told what was done, and where nothing helps.
    `mode`, with the bits of weights, says what is useless.
    """
    rest = iter(samples)
    first = next(rest, None)
    if first is None:
        return tables
    progress(f"trying what INT8 leaves of {label}")
    limit = TOLERANCES[mode].cosine
    trial = SwitchedChip(tables, chip, switched=False)
    if not trial.types:
        return tables
    if finite_cosine([trial.run(first, ())], [tables.first]) >= limit + SURE:
        return tables
    model = SwitchedChip(tables, chip)
    tried = [first, *islice(rest, SAMPLES - 1)]
    exact = [model.run(feeds, model.types) for feeds in tried]
    parts = Parts(model, cut([name for name in model.types if name not in fixed]))
    metric = Metric(function=finite_cosine)
    trials = Trials(parts, exact, tried, progress, metric, what="parts in real numbers")
    whole = trials.score(())
    if whole >= limit:
        return tables
    kept = trials.enough(GOAL) if len(parts.parts) > 1 else None
    if kept is None:
        note(
            f"{label}: warning: by trials, INT8 leaves a cosine of {whole:.4f} of its outputs, and no part "
            f"of it in real numbers mends that: {other_ways(chip)}"
        )
        return tables
    modes = {name: real_mode(tables, name, chip) for name in parts.ops(kept)}
    reached = trials.score(kept)
    reason = f"with all in INT8, trials reach a cosine of {whole:.4f}; so {reached:.4f}"
    texts = {
        name: f"{counted(len(parts.parts[name]), 'op')} from {model.types[name]} {name!r} on in "
        f"{modes[name]}: {reason}"
        for name in kept
    }
    ops = counted(len(model.types), "op")
    some = counted(len(modes), f"of {ops} is", f"of {ops} are")
    note(
        f"{label}: {some} computed in {_named(modes.values())}: by "
        f"trials, all in INT8 would leave a cosine of {whole:.4f} of its outputs, which is useless; so "
        f"it is {reached:.4f}. --target-cosine asks for another one"
    )
    return replace(tables, modes={**tables.modes, **modes}, reasons={**tables.reasons, **texts})


def finite_cosine(outputs: Sequence[Outputs], exact: Sequence[Outputs]) -> float:
    """The smallest cosine of an output, over all samples, of what is finite in both.

    What is computed in f32 in any case, a logarithm for instance, may well be infinite.
    """
    kept = [
        {name: np.isfinite(one[name]) & np.isfinite(results[name]) for name in one}
        for results, one in zip(outputs, exact, strict=True)
    ]
    return worst_cosine(_only(outputs, kept), _only(exact, kept))


def _only(outputs: Sequence[Outputs], kept: Sequence[Outputs]) -> list[Outputs]:
    return [
        {name: one[name][mask] for name, mask in masks.items()}
        for one, masks in zip(outputs, kept, strict=True)
    ]


def cut(names: Sequence[str]) -> dict[str, Sequence[str]]:
    """Groups of neighbours, of about one size; none if there are no names."""
    count = min(PARTS, len(names))
    ends = [len(names) * number // max(count, 1) for number in range(count + 1)]
    return {names[a]: names[a:b] for a, b in pairwise(ends)}


def _named(modes: Collection[str]) -> str:
    return " and ".join(sorted(set(modes)))
