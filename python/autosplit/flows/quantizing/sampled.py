"""A pass that runs a model on samples of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.dialects.builtin import ModuleOp

from autosplit.core.errors import AutosplitError
from autosplit.flows.quantizing.model_samples import ModelInputs
from autosplit.flows.quantizing.observer import Observer
from autosplit.flows.quantizing.spread import Spread, observe
from autosplit.flows.splitting.job import JobPass, SplitJob
from autosplit.flows.splitting.model_pictures import Pictures
from autosplit.inputs.samples import read_data
from autosplit.inputs.values import Value


def samples_of(
    job: SplitJob, module: ModuleOp, data: Sequence[str], note: Callable[[str], None]
) -> Iterator[Mapping[str, Value]]:
    """The samples in files, one after the other. Raises AutosplitError if none are named."""
    if not data:
        raise AutosplitError("there is no data: quantizing needs samples, see --data")
    layout = job.options.layout or job.model.platform.default_layout
    pictures = Pictures.of(job.model, module, job.options.preprocess, layout)
    return read_data(ModelInputs(job.model, pictures, layout), data, note).samples()


@dataclass(frozen=True)
class SamplesPass(JobPass):
    """A pass with samples."""

    data: tuple[str, ...] = ()
    """Samples of the inputs, as for `--data`, each in quotes."""
    most: int = 0
    """How many samples are taken; 0: all."""
    jobs: int = 1
    """How many processes run samples."""
    scheduler: str = ""
    """The address of a scheduler of Dask, whose workers run samples in place of processes."""
    samples: Iterable[Mapping[str, Value]] | None = None
    """In place of `data`; given in Python."""
    watch: Callable[[int], None] | None = None
    """Called with the number of samples that are done; given in Python."""

    def given_samples(
        self, job: SplitJob, module: ModuleOp, note: Callable[[str], None]
    ) -> Iterable[Mapping[str, Value]]:
        """The samples; `note` is told what reached each input.

        Raises AutosplitError if there are none, or they do not fit.
        """
        if self.samples is not None:
            return self.samples
        return islice(samples_of(job, module, self.data, note), self.most or None)

    def observe(self, model: Observer, samples: Iterable[Mapping[str, Value]]) -> None:
        """Has a model see samples, here or wherever they are spread to."""
        observe(model, samples, Spread(self.jobs, self.scheduler), self.watched)

    def watched(self, count: int) -> None:
        """Tells who wants to know."""
        if self.watch is not None:
            self.watch(count)
