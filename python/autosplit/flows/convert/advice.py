"""What to do about a sub-model that does not compile, or whose bmodel is refused: the blame is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.calibration.chip_switches import SwitchedChip
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.flows.converting.blame import blamed_node
from autosplit.flows.converting.real_mode import other_ways
from autosplit.flows.converting.whole_blame import (
    SAMPLES,
    SwitchedFolder,
    SwitchedStep,
    find_whole_blame,
)
from autosplit.flows.gate.probing import probe_advice
from autosplit.flows.gate.sensitivity import find_blame
from autosplit.folder.compiled import usable
from autosplit.folder.infos_reader import context_dir
from autosplit.portable.integers import real
from autosplit.runtime.runner import open_runner

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.flows.convert.comparison import Job
    from autosplit.flows.convert.emission import SubModelWriter
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.flows.converting.whole_blame import WholeBlame
    from autosplit.flows.quantizing.metrics import Outputs
    from autosplit.folder.infos_reader import GraphInfos

    Feeds = Mapping[str, Any]


INTERRUPTED = "the search for what is to blame was interrupted"
"""The end of a message. An interrupt ends the search alone: the folder is what was asked for."""


class Adviser:
    """Says of the sub-models of a folder what would mend them."""

    def __init__(
        self, infos: GraphInfos, options: ConvertOptions, chip: Chip, emitter: SubModelWriter
    ):
        self._infos = infos
        self._options = options
        self._chip = chip
        self._emitter = emitter

    def on_failure(self, job: Job, cause: str, log: Path) -> str:
        """Which node to pin to the CPU, as the end of a message; empty where the log names none."""
        text = ""
        with suppress(OSError):
            text = log.read_text(encoding="utf-8", errors="replace")
        try:
            node = blamed_node(self._infos, job.graph, cause, text)
        except AutosplitError:
            return ""
        if node is None:
            return ""
        return f"; to leave that op to the CPU, split again with --pin '{re.escape(node)}=cpu'"

    def on_refusal(self, job: Job) -> str:
        """What mends a bmodel whose outputs are too far off, as the end of a message; it takes its time."""
        # A search has already reported what it found; and without figures, nothing ran.
        if self._options.target_cosine or not job.record.comparison:
            return ""
        try:
            text = self._of_integers(job) if job.record.mode == "INT8" else self._of_floats(job)
        except AutosplitError as error:
            text = f"what is to blame was not found: {error}"
        except KeyboardInterrupt:
            text = INTERRUPTED
        return f"; {text}" if text else ""

    def _of_integers(self, job: Job) -> str:
        index = job.graph.index
        progress = _skippable(self._options)
        progress(f"looking which ops of graph_{index} INT8 costs most")
        tables = self._emitter.tables.remade(index)
        if tables is None:
            return ""
        inputs = job.record.inputs
        samples = [{b.name: real(t.feeds[b.tensor], b) for b in inputs} for t in job.traced]
        limits = self._options.tolerance
        usual = TOLERANCES[job.record.full_mode].relative
        allowed = min(limits.get(border.tensor, usual) for border in job.record.outputs)
        blame = find_blame(tables, samples, self._chip, allowed, progress)
        if blame is None:
            return f"by trials, no op in F32 helps: {other_ways(self._chip)}"
        return blame.advice()

    def _of_floats(self, job: Job) -> str:
        return _probed(self._emitter, job.graph.index, self._chip, self._options)


class WholeAdviser:
    """Says what would mend a folder whose metric is not reached, though all sub-models compile.

    `writers`: by sub-model, what wrote it.
    """

    def __init__(
        self,
        infos: GraphInfos,
        options: ConvertOptions,
        chip: Chip,
        writers: Mapping[int, SubModelWriter],
    ):
        self._infos = infos
        self._options = options
        self.chip = chip
        self._writers = writers

    def on_refusal(
        self, samples: Sequence[Feeds], exact: Sequence[Outputs]
    ) -> tuple[WholeBlame | None, str]:
        """The ops that cost it most in INT8, and what mends it, as the end of a message.

        `exact` is what the CPU alone makes of the samples.
        """
        if self._options.target_cosine:
            return None, ""
        blame = None
        try:
            if self._options.mode == "INT8":
                blame, text = self._of_integers(samples, exact)
            else:
                text = self._of_floats()
        except AutosplitError as error:
            text = f"what is to blame was not found: {error}"
        except KeyboardInterrupt:
            text = INTERRUPTED
        return blame, f"; {text}" if text else ""

    def _of_floats(self) -> str:
        options = self._options
        texts = {i: _probed(w, i, self.chip, options) for i, w in self._writers.items()}
        return "; ".join(f"graph_{index}: {text}" for index, text in texts.items())

    def _of_integers(
        self, samples: Sequence[Feeds], exact: Sequence[Outputs]
    ) -> tuple[WholeBlame | None, str]:
        options = self._options
        assert options.metric is not None
        # Sequences and maps have no cosine.
        values: Any = [value for outputs in exact for value in outputs.values()]
        if not all(isinstance(value, np.ndarray) for value in values):
            return None, ""
        progress = _skippable(options)
        progress("looking which ops INT8 costs the whole model most")
        with open_runner(self._infos.folder, 0, custom_ops=options.custom_ops) as runner:
            model = SwitchedFolder(runner, self._stand_ins())
            if not model.types:
                return None, ""
            tried = slice(SAMPLES)
            blame = find_whole_blame(
                model,
                samples[tried],
                exact[tried],
                options.metric,
                options.target_metric,
                progress,
            )
        if blame is None:
            return None, f"by trials, no op in F32 helps: {other_ways(self.chip)}"
        return blame, blame.advice()

    def _stand_ins(self) -> dict[int, SwitchedStep]:
        steps: dict[int, SwitchedStep] = {}
        for index, writer in self._writers.items():
            record = usable(self._infos.folder / context_dir(index))
            tables = writer.tables.remade(index)
            if record is not None and tables is not None:
                model = SwitchedChip(tables, self.chip)
                steps[index] = SwitchedStep(model, record.inputs, record.outputs)
        return steps


def _probed(writer: SubModelWriter, index: int, chip: Chip, options: ConvertOptions) -> str:
    """What probing says of a sub-model in floating point."""
    jobs, func = options.jobs or 1, writer.funcs[index]
    return probe_advice(writer.module, func, chip, options.mode, jobs, _skippable(options))


def _skippable(options: ConvertOptions) -> Callable[[str], None]:
    """Shows the progress of a search, which an interrupt leaves out."""
    return lambda text: options.progress(f"{text}; Ctrl-C leaves this out")
