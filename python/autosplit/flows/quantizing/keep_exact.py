"""Which ops stay in float32 so that the outputs are as near to float32 as somebody asks for.

Every product is tried alone: what the outputs lose if nothing else is quantized. Those that lose the most are
kept, until the target is reached; then it is tried without each of them. So each that is left is needed, and
what they reach is measured, on the samples that were given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from autosplit.core.errors import AutosplitError
from autosplit.flows.quantizing.metrics import Metric, Outputs

CONFIRMATIONS = 4
"""How often a choice is mended that reaches less with kernels of integers than with rounded numbers."""


class Switchable(Protocol):
    """A model whose ops compute with 8 bits or with real numbers, as a run says."""

    types: dict[str, str]
    """The ops that can be switched, and what they are."""

    @property
    def products(self) -> list[str]:
        """Those that may be kept."""
        ...

    def run(self, feeds: Mapping[str, Any], real: Collection[str]) -> Outputs:
        """The outputs, with real numbers for some ops."""
        ...

    def settled(self, kept: Collection[str]) -> set[str]:
        """What computes with real numbers if some do."""
        ...


@dataclass
class Trials:
    """A float32 model, quantized in this way and in that."""

    model: Switchable
    exact: Sequence[Outputs]
    """What the float32 model makes of the samples."""
    samples: Sequence[Mapping[str, Any]]
    progress: Callable[[str], None]
    metric: Metric = field(default_factory=Metric)
    alone: dict[str, float] = field(default_factory=dict[str, float])
    """By product: the metric if nothing but it is quantized."""
    what: str = "products in float32"
    """What messages call those that are kept."""

    def score(self, kept: Collection[str]) -> float:
        """The metric with some ops in float32."""
        real = self.model.settled(kept)
        return self.metric([self.model.run(feeds, real) for feeds in self.samples], self.exact)

    def alone_of(self, groups: Mapping[str, Collection[str]]) -> dict[str, float]:
        """By group of ops: the metric if nothing but it is quantized."""
        return {n: self.metric(outputs, self.exact) for n, outputs in self.runs_of(groups)}

    def runs_of(
        self, groups: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, Sequence[Outputs]]]:
        """Each group of ops, and what the samples become if nothing but it is quantized."""
        everything = set(self.model.types)
        for number, (name, ops) in enumerate(groups.items(), 1):
            self.progress(f"trying {name} alone ({number} of {len(groups)})")
            real = everything.difference(ops)
            yield name, [self.model.run(feeds, real) for feeds in self.samples]

    def worst(self) -> list[str]:
        """The products, those that lose the most first."""
        return sorted(self.alone, key=lambda name: self.alone[name])

    def fewest(
        self, target: float, reached: float, confirm: Callable[[Collection[str]], float]
    ) -> tuple[list[str], float]:
        """The products to keep where the whole has `reached` less, and what is reached then.

        `confirm` measures it in the model's file. Raises AutosplitError if nothing can be quantized so.
        """
        goal = target
        for _ in range(CONFIRMATIONS):
            kept = self.enough(goal)
            if kept is None:
                break
            score = confirm(kept)
            if score >= target:
                return kept, score
            goal += 1.5 * (target - score)
        raise self._out_of_reach(target, reached)

    def enough(self, goal: float) -> list[str] | None:
        """The products to keep for a score; None if no choice reaches it."""
        if not self.alone:
            self.alone = self.alone_of({name: (name,) for name in self.model.products})
        kept, best = self._search(self.worst(), goal)
        return self._pruned(kept, goal) if best >= goal else None

    def _out_of_reach(self, target: float, reached: float) -> AutosplitError:
        least = self.worst()[-1]
        return AutosplitError(
            f"the outputs do not reach a {self.metric.name} of {target:g} with any part of the model "
            f"quantized; all of it reaches {reached:.5f}, {least!r} alone {self.alone[least]:.5f}"
        )

    def _pruned(self, kept: list[str], target: float) -> list[str]:
        """Without those that need not be kept: errors of several products may well cancel."""
        for name in reversed(kept[:-1]):
            self.progress(f"trying with {len(kept) - 1} {self.what}")
            others = [other for other in kept if other != name]
            if self.score(others) >= target:
                kept = others
        return kept

    def _search(self, worst: Sequence[str], target: float) -> tuple[list[str], float]:
        """The shortest start of a list that suffices, without its last at most; and what it reaches."""
        scores: dict[int, float] = {}
        low, high = 1, len(worst) - 1
        while low < high:
            middle = (low + high) // 2
            self.progress(f"trying with {middle} of {len(worst)} {self.what}")
            scores[middle] = self.score(worst[:middle])
            low, high = (low, middle) if scores[middle] >= target else (middle + 1, high)
        if high < 1:
            return [], -1.0
        if low not in scores:
            scores[low] = self.score(worst[:low])
        return list(worst[:low]), scores[low]
