"""Bmodels on the chip's emulator, compared with what the CPU makes of the same samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.units import counted
from autosplit.core.weights import write_archive
from autosplit.flows.gate.figures import compare_outputs
from autosplit.folder.compilation import INPUT_REF_NAME, OUTPUT_REF_NAME, Compilation
from autosplit.folder.compiled import writing
from autosplit.folder.infos_reader import BMODEL_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.portable.integers import real
from autosplit.portable.pictures import raw_bytes
from autosplit.toolchains.bmodel_compile import RAW_SUFFIX

if TYPE_CHECKING:
    from autosplit.flows.convert.digests import Digests
    from autosplit.flows.convert.processes import Processes
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.flows.converting.reference import Reference
    from autosplit.flows.gate.figures import Array, Traced
    from autosplit.inputs.samples import Data
    from autosplit.portable.networks import NetworkPort


@dataclass
class Job:
    """A sub-model on its way."""

    graph: GraphEntry
    staging: Path
    record: Compilation
    emission: float
    source_size: int
    traced: Sequence[Traced] = field(default_factory=list["Traced"])
    """What it takes and makes on the CPU of each sample, where that is compared."""
    existing: Path | None = None
    """The bmodel that is there already, installed or set aside, and is only compared."""


class Comparison:
    """Compares the bmodels of a folder."""

    def __init__(
        self,
        infos: GraphInfos,
        options: ConvertOptions,
        data: Data,
        reference: Reference,
        digests: Digests,
        processes: Processes,
    ):
        self._infos = infos
        self._options = options
        self._data = data
        self._reference = reference
        self._digests = digests
        self._processes = processes
        self._traced: dict[int, list[Traced]] | None = None
        self.emulated: dict[int, list[Mapping[str, Array]]] = {}
        """By sub-model what it made of each sample on the emulator."""

    def was_done(self, record: Compilation, index: int) -> bool:
        """Whether a bmodel was compared in the same way before."""
        return bool(record.comparison) and record.compared == self._digests.comparison(index)

    def traced(self, graphs: Sequence[GraphEntry], index: int) -> list[Traced]:
        """What sub-model `index` takes and makes of each sample; all those to compile are run at once."""
        if self._traced is None:
            if self._data.random:
                self._options.note(self._random_note())
            wanted = [graph.index for graph in graphs]
            self._traced = {i: [] for i in wanted}
            for number, sample in enumerate(self._data.some(self._options.samples), 1):
                self._options.progress(f"running the sub-models on the CPU (sample {number})")
                for i, one in self._reference.trace(sample, wanted).items():
                    self._traced[i].append(one)
        return self._traced[index]

    def _random_note(self) -> str:
        names = ", ".join(self._data.random)
        count = min(self._options.samples, len(self._data) or self._options.samples)
        if count == 1:
            return f"comparing with random input (seed 0): {names}"
        return f"comparing with {counted(count, 'sample')} of random input (seeds 0 to {count - 1}): {names}"

    def run(self, job: Job, watch: Callable[[int], None]) -> str:
        """Runs a bmodel on the emulator; says why it is refused, or gives an empty text.

        `watch` is called with the number of each sample, from 1.
        """
        record, index = job.record, job.graph.index
        inner = job.staging / context_dir(index)
        bmodel = job.existing or inner / BMODEL_NAME
        got = self._processes.emulate(bmodel, record, [t.feeds for t in job.traced], watch)
        self.emulated[index] = [*got]
        allowed = self._options.tolerance
        if self._options.metric is not None:
            # The whole model's outputs decide.
            allowed = {border.tensor: math.inf for border in record.outputs}
        outcome = compare_outputs(record, [t.outputs for t in job.traced], got, allowed)
        digest = self._digests.comparison(index)
        job.record = replace(
            record, comparison=outcome.measures, compared=digest, refused=outcome.problem
        )
        first = job.traced[0]
        with writing(inner):
            write_archive(
                inner / INPUT_REF_NAME,
                [_reference(b, first.feeds[b.tensor]) for b in record.inputs],
            )
            write_archive(
                inner / OUTPUT_REF_NAME,
                [(b.name, real(first.outputs[b.tensor], b)) for b in record.outputs],
            )
        return outcome.problem


def _reference(border: NetworkPort, array: Array) -> tuple[str, Array]:
    """An input as the compile script gives it to the network, with its name."""
    if border.raw is not None:
        return border.name + RAW_SUFFIX, raw_bytes(array, border.raw, border.tensor)
    return border.name, real(array, border)
