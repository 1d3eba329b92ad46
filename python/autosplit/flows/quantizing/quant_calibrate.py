"""quant-calibrate: the ranges of the values that are to become 8 bits, over samples of the inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.flows.quantizing.model_samples import ModelInputs
from autosplit.flows.quantizing.observed import ObservedModel
from autosplit.flows.splitting.job import JobPass, SplitJob
from autosplit.flows.splitting.model_pictures import Pictures
from autosplit.inputs.samples import read_data
from autosplit.inputs.values import Value
from autosplit.lowering.quant.quantize.statistics import (
    insert_statistics,
    measured_value,
    read_as_bytes,
)
from autosplit.lowering.shared.fold import Constants

MOST_SEEN = 8
"""How many samples are handed on."""


@dataclass(frozen=True)
class QuantCalibratePass(JobPass):
    """Every value that an op of `quant-select` reads as 8 bits has a `quant.stats` with its range.

    The model runs in ONNX Runtime on each sample. What only moves numbers has the range of what it moves.

    Example: `quant-calibrate{data="photos" calibrator=percentile}`
    """

    name = "quant-calibrate"

    data: tuple[str, ...] = ()
    """Samples of the inputs, as for `--data`, each in quotes."""
    calibrator: str = DEFAULT_CALIBRATOR
    """Which range a value has: `minmax` all that it had; `percentile`, `histogram` and `entropy` less."""
    most: int = 0
    """How many samples are taken; 0: all."""
    known: Mapping[str, tuple[float, float]] | None = None
    """Ranges that are not measured, by the name of the value; given in Python."""
    samples: Iterable[Mapping[str, Value]] | None = None
    """In place of `data`; given in Python."""
    seen: list[Mapping[str, Value]] | None = None
    """Gets the first samples, as many as are compared on; given in Python."""
    watch: Callable[[int], None] | None = None
    """Called with the number of samples that are done; given in Python."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = self.start(op, runs=False)
        roots = measured_roots(op)
        names = list(dict.fromkeys(value_name(root) for root in roots.values()))
        ranges = dict(self.known or {})
        _check_known(op, ranges)
        if missing := [name for name in names if name not in ranges]:
            ranges |= self._measured(job, op, missing)
        insert_statistics(op, {v: ranges[value_name(root)] for v, root in roots.items()})

    def _measured(
        self, job: SplitJob, module: ModuleOp, names: Sequence[str]
    ) -> dict[str, tuple[float, float]]:
        model = ObservedModel(module, names, self.calibrator, job.model.custom_ops)
        try:
            samples = self._noted(self._samples(job, module))
            model.take(samples, self.watch or (lambda _: None))
            return model.ranges()
        finally:
            model.close()

    def _noted(self, samples: Iterable[Mapping[str, Value]]) -> Iterator[Mapping[str, Value]]:
        for sample in samples:
            if self.seen is not None and len(self.seen) < MOST_SEEN:
                self.seen.append(dict(sample))
            yield sample

    def _samples(self, job: SplitJob, module: ModuleOp) -> Iterable[Mapping[str, Value]]:
        if self.samples is not None:
            return self.samples
        return islice(samples_of(job, module, self.data), self.most or None)


def samples_of(
    job: SplitJob, module: ModuleOp, data: Sequence[str]
) -> Iterator[Mapping[str, Value]]:
    """The samples in files, one after the other. Raises AutosplitError where none are named."""
    if not data:
        raise AutosplitError("there is no data: quantizing needs samples, see --data")
    layout = job.options.layout or job.model.platform.default_layout
    pictures = Pictures.of(job.model, module, job.options.preprocess, layout)
    return read_data(ModelInputs(job.model, pictures, layout), data, job.options.note).samples()


def measured_roots(module: ModuleOp) -> dict[SSAValue, SSAValue]:
    """For each value that is read as 8 bits: the one whose range it has.

    Raises AutosplitError where `quant-select` chose nothing.
    """
    found = {v: measured_value(v) for v in read_as_bytes(module, Constants(store_for(module)))}
    if not found:
        raise AutosplitError(
            "nothing of the model can be quantized: it has no product of float32 numbers that may be "
            "(in a list of passes, run quant-select first)"
        )
    return found


def _check_known(module: ModuleOp, known: Iterable[str]) -> None:
    """Raises AutosplitError for the name of a value that the model does not have."""
    graph = platform_graph(module)
    names = [name for name, _ in graph.graph_inputs()]
    names += [value_name(r) for op in graph.body_ops() for r in op.results]
    there = frozenset(names)
    for name in known:
        if name not in there:
            raise AutosplitError(
                f"the recipe has a range for {name!r}, which the model does not have{choice(name, names)}"
            )
