"""quant-calibrate: the ranges of the values that are to become 8 bits, over samples of the inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.flows.quantizing.means import ProductMeans
from autosplit.flows.quantizing.observed import ObservedModel
from autosplit.flows.quantizing.quant_smooth import Levels
from autosplit.flows.quantizing.sampled import SamplesPass
from autosplit.flows.splitting.job import SplitJob
from autosplit.inputs.values import Value
from autosplit.lowering.quant.quantize.quant_correct_biases import set_means
from autosplit.lowering.quant.quantize.statistics import (
    insert_statistics,
    measured_value,
    read_as_bytes,
)
from autosplit.lowering.shared.fold import Constants

MOST_SEEN = 8
"""How many samples are handed on."""


@dataclass(frozen=True)
class QuantCalibratePass(SamplesPass):
    """Every value that an op of `quant-select` reads as 8 bits has a `quant.stats` with its range.

    The model runs in ONNX Runtime on each sample. What only moves numbers has the range of what it moves.

    Example: `quant-calibrate{data="photos" calibrator=percentile}`
    """

    name = "quant-calibrate"

    calibrator: str = DEFAULT_CALIBRATOR
    """Which range a value has: `minmax` all that it had; `percentile`, `histogram` and `entropy` less."""
    correct_biases: bool = False
    """Whether each product also gets the means of the channels that it reads, as `quant-correct-biases` needs
    them."""
    level: bool = True
    """Whether channels in front of depthwise convolutions are scaled up as far as no end of the range of all
    of them moves, as `quant-smooth` does: they compute the same, and use the 8 bits better."""
    known: Mapping[str, tuple[float, float]] | None = None
    """Ranges that are not measured, by the name of the value; given in Python."""
    means: Mapping[str, Sequence[float]] | None = None
    """Means that are not measured, by the name of the op; given in Python."""
    seen: list[Mapping[str, Value]] | None = None
    """Gets the first samples, as many as are compared on; given in Python."""
    calibrators: dict[str, Any] | None = None
    """Gets what has seen each value, by name; given in Python."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = self.start(op, runs=False)
        roots = measured_roots(op)
        names = list(dict.fromkeys(value_name(root) for root in roots.values()))
        ranges = dict(self.known or {})
        _check_known(op, ranges)
        missing = [name for name in names if name not in ranges]
        products = ProductMeans(op, self.means) if self.correct_biases else None
        channels = {} if products is None else products.watched()
        means = {} if products is None else products.means
        if missing or channels:
            levels = Levels(op, roots if self.level else {}, ranges)
            model = ObservedModel(
                op, missing, self.calibrator, job.model.custom_ops, channels, levels.watched()
            )
            self._measure(job, op, model)
            means |= {} if products is None else products.measured(model)
            levels.apply(model.calibrators, means)
            ranges |= model.ranges()
            if self.calibrators is not None:
                self.calibrators.update(model.calibrators)
        elif self.seen is not None and (self.data or self.samples is not None):
            # Nothing is to be measured, but what is made of it may be compared.
            self.seen.extend(islice(self.given_samples(job, op, job.options.note), MOST_SEEN))
        insert_statistics(op, {v: ranges[value_name(root)] for v, root in roots.items()})
        set_means([] if products is None else products.products, means)

    def _measure(self, job: SplitJob, module: ModuleOp, model: ObservedModel) -> None:
        try:
            samples = self.given_samples(job, module, job.options.note)
            self.observe(model, self._noted(samples))
        finally:
            model.close()

    def _noted(self, samples: Iterable[Mapping[str, Value]]) -> Iterator[Mapping[str, Value]]:
        for sample in samples:
            if self.seen is not None and len(self.seen) < MOST_SEEN:
                self.seen.append(dict(sample))
            yield sample


class NothingToQuantize(AutosplitError):
    """A model has nothing that may be 8 bits."""


def measured_roots(module: ModuleOp) -> dict[SSAValue, SSAValue]:
    """For each value that is read as 8 bits: the one whose range it has.

    Raises NothingToQuantize where `quant-select` chose nothing.
    """
    roots = {v: measured_value(v) for v in read_as_bytes(module, Constants(store_for(module)))}
    if not roots:
        raise NothingToQuantize(
            "nothing of the model can be quantized: it has no product of float32 numbers that may be "
            "(in a list of passes, run quant-select first)"
        )
    return roots


def _check_known(module: ModuleOp, exponents: Iterable[str]) -> None:
    """Raises AutosplitError for the name of a value that the model does not have."""
    graph = platform_graph(module)
    names = [name for name, _ in graph.graph_inputs()]
    names += [value_name(r) for op in graph.body_ops() for r in op.results]
    there = frozenset(names)
    for name in exponents:
        if name not in there:
            raise AutosplitError(
                f"the recipe has a range for {name!r}, which the model does not have{choice(name, names)}"
            )
