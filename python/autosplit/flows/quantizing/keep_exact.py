"""Which ops stay in float32 so that the outputs are as near to float32 as somebody asks for.

Every product is tried alone: what the outputs lose if nothing else is quantized. Those that lose the most are
kept, until the target is reached; then it is tried without each of them. So each that is left is needed, and
what they reach is measured, on the samples that were given.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.lowering.quant.quantize.roles import PRODUCTS
from autosplit.runtime.frameworks.onnx import OnnxExecutor

Feeds = Mapping[str, Any]
Outputs = Mapping[str, NDArray[Any]]

Write = Callable[[Recipe, Path], None]
"""Writes the model as a recipe says."""


@dataclass
class Trials:
    """A float32 model, quantized in this way and in that."""

    recipe: Recipe
    """With the range of every value."""
    exact: Sequence[Outputs]
    """What the float32 model makes of the samples."""
    samples: Sequence[Feeds]
    write: Write
    progress: Callable[[str], None]
    alone: dict[str, float] = field(default_factory=dict[str, float])
    """By product: the cosine if nothing but it is quantized, the worst over the samples."""

    @property
    def products(self) -> list[str]:
        """What can be kept."""
        return [n for n, op in self.recipe.ops.items() if op.operands and op.type in PRODUCTS]

    def cosine(self, kept: Collection[str]) -> float:
        """The smallest cosine of an output, over all samples, with some products in float32."""
        ops = {n: _kept(op) if n in kept else op for n, op in self.recipe.ops.items()}
        with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
            path = Path(folder) / "trial.onnx"
            self.write(Recipe(ranges=self.recipe.ranges, ops=ops), path)
            executor = OnnxExecutor(path, optimize=True)
            names = executor.output_names
            found = [executor.run(_taken(feeds, executor), names) for feeds in self.samples]
        return min(nearness(made, exact) for made, exact in zip(found, self.exact, strict=True))

    def fewest(self, target: float) -> tuple[list[str], float]:
        """The products to keep, and the cosine that is reached then.

        Raises AutosplitError where nothing can be quantized so.
        """
        if (reached := self.cosine(())) >= target:
            return [], reached
        names = self.products
        for number, name in enumerate(names, 1):
            self.progress(f"trying {name} alone ({number} of {len(names)})")
            self.alone[name] = self.cosine([other for other in names if other != name])
        worst = sorted(names, key=lambda name: self.alone[name])
        kept, best = self._search(worst, target)
        if best < target:
            raise AutosplitError(
                f"the outputs do not reach a cosine of {target:g} with any part of the model quantized; all "
                f"of it reaches {reached:.5f}, {worst[-1]!r} alone {self.alone[worst[-1]]:.5f}"
            )
        return self._pruned(kept, best, target)

    def _pruned(self, kept: list[str], best: float, target: float) -> tuple[list[str], float]:
        """Without those that need not be kept: errors of several products may well cancel."""
        for name in reversed(kept[:-1]):
            self.progress(f"trying with {len(kept) - 1} products in float32")
            others = [other for other in kept if other != name]
            if (found := self.cosine(others)) >= target:
                kept, best = others, found
        return kept, best

    def _search(self, worst: Sequence[str], target: float) -> tuple[list[str], float]:
        """The shortest beginning of a list that suffices, all but its last at most; and what it reaches."""
        known: dict[int, float] = {}
        low, high = 1, len(worst) - 1
        while low < high:
            middle = (low + high) // 2
            self.progress(f"trying with {middle} of {len(worst)} products in float32")
            known[middle] = self.cosine(worst[:middle])
            low, high = (low, middle) if known[middle] >= target else (middle + 1, high)
        if high < 1:
            return [], 0.0
        if low not in known:
            known[low] = self.cosine(worst[:low])
        return list(worst[:low]), known[low]


def _kept(op: QuantizedOp) -> QuantizedOp:
    return QuantizedOp(op.type, kept="on trial")


def _taken(feeds: Feeds, executor: OnnxExecutor) -> dict[str, Any]:
    return {name: feeds[name] for name in executor.input_names}
