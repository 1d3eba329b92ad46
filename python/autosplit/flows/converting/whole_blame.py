"""Which ops make the whole model fail a metric of the user's: found by trying them with real numbers.

The folder runs on the CPU, with models in place of its TPU sub-models that round as the chip does. So what an
op costs is seen where the user looks: behind all sub-models, in the task's own terms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.core.units import counted
from autosplit.flows.converting.rescue import Parts, cut
from autosplit.flows.converting.tables import inside
from autosplit.flows.gate.sensitivity import in_f32, named
from autosplit.flows.quantizing.keep_exact import Trials
from autosplit.flows.quantizing.metrics import Metric, worst_cosine
from autosplit.portable.integers import quantized

if TYPE_CHECKING:
    from autosplit.calibration.chip_switches import SwitchedChip
    from autosplit.flows.quantizing.keep_exact import Switchable
    from autosplit.flows.quantizing.metrics import Outputs
    from autosplit.portable.networks import NetworkPort
    from autosplit.runtime.runner import Runner

    Feeds = Mapping[str, Any]


SAMPLES = 8
"""How many samples the trials use."""

RANKING = 4
"""How many of them say which ops cost more than others: what is chosen is tried with all."""

MARGIN = 0.2
"""How far trials must be above the target, as a share of what is possible: kernels differ a little."""


class SwitchedStep:
    """In place of a TPU sub-model: computes as the chip does, with real numbers for some ops."""

    def __init__(
        self, model: SwitchedChip, inputs: Sequence[NetworkPort], outputs: Sequence[NetworkPort]
    ):
        self.model = model
        self.real: Collection[str] = ()
        self._inputs = inputs
        self._outputs = outputs

    def run(self, feeds: Feeds, names: Sequence[str]) -> dict[str, Any]:
        """The outputs of the sub-model, by the folder's names."""
        inputs = {border.name: inside(feeds[border.tensor], border) for border in self._inputs}
        outputs = self.model.run(inputs, self.real)
        return {
            border.tensor: _outside(outputs[border.name], border)
            for border in self._outputs
            if border.tensor in names
        }


def _outside(array: Any, border: NetworkPort) -> Any:
    """An output as the folder has it."""
    if border.step:
        return quantized(array, border).reshape(border.shape)
    shape = border.shape if array.size == np.prod(border.shape, dtype=np.int64) else array.shape
    wanted = np.dtype(border.dtype)
    rounded = np.rint(array) if wanted.kind in "iu" else array
    return rounded.astype(wanted).reshape(shape)


class SwitchedFolder:
    """A folder whose ops on the TPU compute with 8 bits or with real numbers, as a run says."""

    def __init__(self, runner: Runner, stand_ins: Mapping[int, SwitchedStep]):
        self._runner = runner
        self._stand_ins = stand_ins
        self.types: dict[str, str] = {}
        """The ops that can be switched, and their kinds."""
        for index, stand_in in stand_ins.items():
            runner.models[index] = stand_in
            self.types.update(stand_in.model.types)

    @property
    def products(self) -> list[str]:
        """All of them may be kept."""
        return list(self.types)

    def run(self, feeds: Feeds, real: Collection[str]) -> Outputs:
        """The outputs of the whole model, with real numbers for some ops."""
        for stand_in in self._stand_ins.values():
            stand_in.real = real
        outputs: Any = self._runner.infer(feeds)
        return outputs

    def settled(self, kept: Collection[str]) -> set[str]:
        """The ops that compute with real numbers if some do: these."""
        return set(kept)


class _Some:
    """A model of whose ops only some are switched; the others compute with 8 bits."""

    def __init__(self, model: Switchable, names: Collection[str]):
        self._model = model
        self.types: dict[str, str] = {n: kind for n, kind in model.types.items() if n in names}

    @property
    def products(self) -> list[str]:
        return list(self.types)

    def run(self, feeds: Feeds, real: Collection[str]) -> Outputs:
        return self._model.run(feeds, real)

    def settled(self, kept: Collection[str]) -> set[str]:
        return set(kept)


@dataclass(frozen=True)
class WholeBlame:
    """The ops whose INT8 costs the whole model most, and what it reaches without it."""

    metric: str
    ops: Mapping[str, str]
    """Names and kinds, the worst first."""
    whole: float
    """The metric in trials with all in INT8."""
    left: float
    """With these ops in F32."""

    def choice(self) -> str:
        """What is done about it, as the end of a note."""
        some = counted(len(self.ops), "op is", "ops are")
        return (
            f"so {some} computed with real numbers, which takes trials from a {self.metric} of "
            f"{self.whole:.5g} to {self.left:.5g}: {named(self.ops)}"
        )

    def advice(self) -> str:
        """What to do, as the end of a message."""
        return (
            f"by trials, INT8 costs the whole model most in {named(self.ops)}; with that in F32 its "
            f"{self.metric} rises from {self.whole:.5g} to {self.left:.5g}: convert again with "
            f"{in_f32(self.ops)}"
        )


def find_whole_blame(
    model: Switchable,
    samples: Sequence[Feeds],
    exact: Sequence[Outputs],
    metric: Metric,
    target: float,
    progress: Callable[[str], None] = lambda _: None,
) -> WholeBlame | None:
    """The fewest ops in F32 with which trials reach the target, and a bit more; None if none do.

    `exact`: what the CPU alone makes of the samples. Where trials reach the target with all in INT8, kernels
    add to it what trials do not know: then the cosine decides, and half of what it lacks is to go.
    """
    trials = Trials(model, exact, samples, progress, metric, what="ops in F32")
    whole = trials.score(())
    if whole >= target:
        metric = Metric(function=worst_cosine)
        trials = Trials(model, exact, samples, progress, metric, what="ops in F32")
        whole = trials.score(())
        target = 1 - (1 - whole) / 2
        if whole >= 1 - 1e-6:
            return None
    best = trials.score(model.types)
    target = max(target, target + MARGIN * (best - target))
    parts = Parts(model, cut(list(model.types)))
    coarse = _fewest(Trials(parts, exact, samples, progress, metric, what="parts in F32"), target)
    if coarse is None:
        return None
    ops = parts.ops(coarse)
    if len(parts.parts) < len(model.types):
        fine = Trials(_Some(model, ops), exact, samples, progress, metric, what="ops in F32")
        ops = _fewest(fine, target) or ops
    return WholeBlame(metric.name, {n: model.types[n] for n in ops}, whole, trials.score(ops))


def _fewest(trials: Trials, target: float) -> list[str] | None:
    """The fewest that are kept for a target.

    A task often tells no difference between two ops: then the cosine says which one costs more.
    """
    exact, groups = trials.exact[:RANKING], {name: (name,) for name in trials.model.products}
    few = replace(trials, exact=exact, samples=trials.samples[:RANKING])
    scores = [
        (trials.metric(outputs, exact), worst_cosine(outputs, exact), name)
        for name, outputs in few.runs_of(groups)
    ]
    trials.alone = {name: float(place) for place, (_, _, name) in enumerate(sorted(scores))}
    if len(scores) == 1:
        return [scores[0][2]] if trials.score([scores[0][2]]) >= target else None
    kept = trials.enough(target)
    if kept is None and trials.score(trials.model.types) >= target:
        return trials.worst()
    return kept
