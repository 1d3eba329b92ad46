"""What to do about a sub-model that does not compile, or whose bmodel is refused: the blame is found."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.flows.converting.blame import blamed_node
from autosplit.flows.gate.probing import probe_advice
from autosplit.flows.gate.sensitivity import find_blame
from autosplit.portable.integers import real

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.flows.convert.comparison import Job
    from autosplit.flows.convert.emission import SubModelWriter
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.folder.infos_reader import GraphInfos


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
        # A search has said already what it found; and where there are no figures, nothing ran.
        if self._options.target_cosine or not job.record.comparison:
            return ""
        try:
            text = self._of_integers(job) if job.record.mode == "INT8" else self._of_floats(job)
        except AutosplitError as error:
            text = f"what is to blame was not found: {error}"
        return f"; {text}" if text else ""

    def _of_integers(self, job: Job) -> str:
        index = job.graph.index
        self._options.progress(f"looking which ops of graph_{index} INT8 costs most")
        made = self._emitter.tables.made(index)
        if made is None:
            return ""
        inputs = job.record.inputs
        samples = [{b.name: real(t.feeds[b.tensor], b) for b in inputs} for t in job.traced]
        limits = self._options.tolerance
        usual = TOLERANCES[job.record.full_mode].relative
        allowed = min(limits.get(border.tensor, usual) for border in job.record.outputs)
        found = find_blame(made, samples, self._chip, allowed, self._options.progress)
        if found is None:
            return "by trials, no op in F32 helps: try F16, or --calibrator histogram"
        return found.advice()

    def _of_floats(self, job: Job) -> str:
        emitter, options = self._emitter, self._options
        func = emitter.funcs[job.graph.index]
        jobs = options.jobs or 1
        mode = job.record.mode
        return probe_advice(emitter.module, func, self._chip, mode, jobs, options.progress)
