"""`convert --target-cosine`: which ops of a sub-model in INT8 are computed with real numbers, and why.

Ops are chosen by trying them, in a model that computes as the chip does; the bmodel on the emulator then has
the last word. Where it reaches less, the next choice has to be better by more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from autosplit.calibration.calibrate import Tables
from autosplit.calibration.chip_switches import SwitchedChip
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.flows.converting.options import Converted, ConvertOptions
from autosplit.flows.converting.real_mode import real_mode
from autosplit.flows.converting.whole_target import WholeTarget
from autosplit.flows.quantizing.keep_exact import Trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.devices import Chip

    Feeds = Mapping[str, NDArray[np.generic]]

SAMPLES = 8
"""How many samples the trials use; ranges are those of all."""

ROUNDS = 4
"""How often a sub-model is compiled at most."""

SHARE = 0.6
"""The loss that the next choice may have at most, as a share of that of this round."""


@dataclass
class Search:
    """What is known of one sub-model."""

    tables: Tables
    trials: Trials
    goal: float
    """What the next choice has to reach in the trials."""
    whole: float
    """What the trials reach with all of it in INT8."""
    kept: tuple[str, ...] = ()
    """The latest choice."""
    rounds: int = 0


@dataclass
class ChipTarget:
    """The search in all sub-models of a folder, over all rounds."""

    target: float
    searches: dict[int, Search] = field(default_factory=dict[int, Search])
    """By the number of the sub-model."""
    anew: set[int] = field(default_factory=set[int])
    """Those whose tables are not taken from an earlier run."""
    whole: WholeTarget = field(default_factory=WholeTarget)
    """What a metric of the whole model asks for."""

    def is_made(self, index: int) -> bool:
        """Whether the tables of a sub-model are made in this run, whatever an earlier one left."""
        return index in self.searches or index in self.anew or self.whole.is_made(index)

    def tables(
        self,
        index: int,
        make: Callable[[], Tables],
        feeds: Callable[[], Iterable[Feeds]],
        chip: Chip,
        fixed: Container[str],
        options: ConvertOptions,
    ) -> Tables:
        """The tables of a sub-model, with what has to be computed in real numbers for the target.

        `make` and `feeds` are asked in the first round. `fixed`: values that are 8 bits in any case. Raises
        AutosplitError if the target is out of reach.
        """
        search = self.searches.get(index)
        if search is None:
            tables = make()
            options.progress(f"trying what of graph_{index} may be INT8")
            trials = _trials(tables, list(islice(feeds(), SAMPLES)), chip, options.progress)
            search = Search(tables, trials, self.target, trials.score(()))
            self.searches[index] = search
        kept = self._choose(index, search, fixed)
        search.kept = tuple(kept)
        search.rounds += 1
        tables, trials = search.tables, search.trials
        modes = {name: real_mode(tables, name, chip) for name in kept}
        alone, types = trials.alone, trials.model.types
        texts = {
            name: f"{types[name]} {name!r} in {modes[name]}: INT8 in it alone takes the cosine "
            f"to {alone[name]:.5f}"
            for name in kept
        }
        count = counted(len(trials.samples), "sample")
        options.note(
            f"graph_{index}: {len(kept)} of {counted(len(types), 'op')} in real numbers; trials with "
            f"{count} reach a cosine of {trials.score(kept):.5f}, {search.whole:.5f} with all in INT8"
        )
        return replace(tables, modes={**tables.modes, **modes}, reasons=texts)

    def _choose(self, index: int, search: Search, fixed: Container[str]) -> list[str]:
        trials = search.trials
        if not search.rounds and search.whole >= search.goal:
            return []
        if not trials.alone:
            free = {name: (name,) for name in trials.model.types if name not in fixed}
            trials.alone = trials.alone_of(free)
        while True:
            kept = trials.enough(search.goal)
            if kept is None:
                raise AutosplitError(
                    f"no choice of ops reaches a cosine of {self.target:g}; all in INT8 reaches "
                    f"{search.whole:.5f} in trials, graph_{index} has "
                    f"{counted(len(trials.model.types), 'op')} that can be; another --calibrator, or "
                    "F16 in place of INT8, may"
                )
            if not search.rounds or set(kept) != set(search.kept):
                return kept
            search.goal = 1 - SHARE * (1 - search.goal)

    def again(self, graphs: Iterable[Converted]) -> list[int]:
        """The sub-models that are to be compiled once more, as the emulator reached less than the target."""
        indices: list[int] = []
        for graph in graphs:
            index = graph.index
            if not self.target or not graph.comparison:
                continue
            reached = min(measure.cosine for measure in graph.comparison.values())
            if reached >= self.target and not graph.error:
                continue
            if (search := self.searches.get(index)) is None:
                # Its tables were those of an earlier run, which compared nothing.
                if index not in self.anew:
                    self.anew.add(index)
                    indices.append(index)
                continue
            if search.rounds >= ROUNDS:
                graph.error = graph.error or self._missed(graph, reached)
                continue
            share = 0.8 * (1 - self.target) / max(1 - reached, 1e-9)
            search.goal = 1 - min(share, SHARE) * (1 - search.goal)
            indices.append(index)
        return indices

    def _missed(self, graph: Converted, reached: float) -> str:
        return (
            f"{graph.name}: reaches a cosine of {reached:.5f} on the emulator after {ROUNDS} rounds, the "
            f"target is {self.target:g}; ask for less, or take F16"
        )


def _trials(
    tables: Tables, samples: list[Feeds], chip: Chip, progress: Callable[[str], None]
) -> Trials:
    model = SwitchedChip(tables, chip)
    exact = [model.run(feeds, model.types) for feeds in samples]
    return Trials(model, exact, samples, progress, what="ops with real numbers")
