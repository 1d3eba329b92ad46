"""The work of `autosplit convert`: each sub-model is written, compiled, compared and moved into its place."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import write_archive
from autosplit.flows.convert.blame import blamed_node
from autosplit.flows.convert.digests import Digests
from autosplit.flows.convert.emission import Emitted, SubModelWriter
from autosplit.flows.convert.options import Converted, ConvertOptions
from autosplit.flows.convert.processes import Processes
from autosplit.flows.convert.reference import Reference, compare_outputs
from autosplit.folder.compilation import (
    INPUT_REF_NAME,
    LOG_NAME,
    OUTPUT_REF_NAME,
    RECORD_NAME,
    Compilation,
    digest_files,
    read_compilation,
)
from autosplit.folder.compile_script import script_name
from autosplit.folder.compiled import (
    install,
    install_log,
    note_compiled,
    restore,
    usable,
    write_record,
    writing,
)
from autosplit.folder.infos_reader import BMODEL_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.folder.integers import real
from autosplit.folder.tpu import settings_of, source_names
from autosplit.toolchains.bmodel_compile import recipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.devices import Chip
    from autosplit.flows.convert.reference import Traced
    from autosplit.inputs.samples import Data
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]


@dataclass
class Job:
    """A sub-model on its way."""

    graph: GraphEntry
    staging: Path
    record: Compilation
    emission: float
    source_size: int
    traced: Traced | None = None
    """What it takes and makes on the CPU, where that is compared."""
    taken: bool = False
    """Whether there is a bmodel already, which is only compared."""


class FolderConversion:
    """The work on one folder."""

    def __init__(
        self,
        infos: GraphInfos,
        options: ConvertOptions,
        chip: Chip,
        toolchain: TpuMlir,
        data: Data,
    ):
        self.infos = infos
        self.options = options
        self.data = data
        self.reference: Reference = Reference(infos, options.custom_ops)
        self._digests = Digests(infos, options, data)
        self._emitter = SubModelWriter(
            infos, options, chip, toolchain, data, self.reference, self._digests
        )
        self._processes = Processes(options, toolchain)
        self._traced: dict[int, Traced] | None = None

    def run(self, graphs: Sequence[GraphEntry]) -> list[Converted]:
        """Emits the sub-models one after the other, while those before them compile."""
        options = self.options
        options.progress("reading the folder")
        self._emitter.read()
        done: dict[int, Converted] = {}
        running: dict[Future[Converted], int] = {}
        jobs = options.jobs or os.cpu_count() or 1
        staged: list[Path] = []
        pool = ThreadPoolExecutor(jobs, "convert")
        try:
            self._processes.start()
            for graph, made in zip(graphs, self._emitter.emit(graphs, staged), strict=True):
                prepared = made if isinstance(made, Converted) else self.prepare(made, graphs)
                if isinstance(prepared, Converted):
                    done[graph.index] = prepared
                    continue
                running[pool.submit(self.finish, prepared)] = graph.index
            self._wait(running, done, len(graphs))
        except BaseException:
            self._processes.end()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            self._processes.close()
            for staging in staged:
                shutil.rmtree(staging, ignore_errors=True)
        return [done[graph.index] for graph in graphs]

    def _wait(
        self, running: dict[Future[Converted], int], done: dict[int, Converted], count: int
    ) -> None:
        """Collects results; says meanwhile what is not done yet."""
        while running:
            names = ", ".join(f"graph_{index}" for index in sorted(running.values()))
            self.options.progress(f"compiling {names} ({len(done)} of {count} done)")
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                index = running.pop(future)
                done[index] = future.result()

    def prepare(self, emitted: Emitted, graphs: Sequence[GraphEntry]) -> Job | Converted:
        """What there is left to do for a sub-model; or its result, where it is complete already."""
        graph, staging = emitted.graph, emitted.staging
        if not emitted.record.outputs:
            return self._constant(emitted)
        told = recipe(settings_of(emitted.record, graph.index, staging))
        record = replace(emitted.record, recipe=told)
        index, place = graph.index, self.options.folder / context_dir(graph.index)
        emission = emitted.seconds
        inner = staging / context_dir(index)
        names = source_names(inner, index)
        job = Job(graph, staging, record, emission, sum((inner / n).stat().st_size for n in names))
        old = usable(place)
        if old is not None:
            record = replace(record, sources=digest_files(inner, names))
            job.taken = old.same_job(record)
        if job.taken and old is not None:
            job.record = old
            restore(staging, self.options.folder, index)
            if not self.options.compare or self._was_compared(old, index):
                note_compiled(self.options.folder, index, old)
                return self._result(job, "taken")
        if self.options.compare:
            job.traced = self._trace(graphs)[index]
        return job

    def _constant(self, emitted: Emitted) -> Converted:
        """Keeps the outputs of a sub-model that gives constants only; an older bmodel of it goes."""
        index = emitted.graph.index
        install(emitted.staging, self.options.folder, index)
        note_compiled(self.options.folder, index, None)
        bmodel = self.infos.bmodel(emitted.graph)
        return Converted(f"graph_{index}", "constant", bmodel, emission=emitted.seconds)

    def _was_compared(self, record: Compilation, index: int) -> bool:
        return bool(record.comparison) and record.compared == self._digests.comparison(index)

    def _trace(self, graphs: Sequence[GraphEntry]) -> dict[int, Traced]:
        """What all sub-models to compile take and make of the first sample."""
        if self._traced is None:
            if self.data.random:
                given = ", ".join(self.data.random)
                self.options.note(f"comparing with random input (seed 0): {given}")
            self.options.progress("running the sub-models on the CPU")
            wanted = [graph.index for graph in graphs]
            self._traced = self.reference.trace(self.data.first(), wanted)
        return self._traced

    # In a thread of its own.

    def finish(self, job: Job) -> Converted:
        """Compiles, compares and installs a sub-model. A failure becomes part of the result."""
        index, folder = job.graph.index, self.options.folder
        seconds = 0.0
        try:
            if not job.taken:
                seconds = self._compile(job)
            if job.traced is not None:
                self._compare(job, job.traced)
            elif not job.taken:
                write_record(job.staging / context_dir(index), job.record)
        except AutosplitError as error:
            if self._processes.ended:
                raise
            log = install_log(job.staging, folder, index)
            note_compiled(folder, index, None)
            where = f"; see {log}" if log.is_file() else ""
            failed = self._result(job, "failed")
            failed.error = (
                f"{job.graph.label}: {error}{where}{self._suggestion(job, str(error), log)}"
            )
            return failed
        if not job.taken:
            install(job.staging, folder, index)
        else:
            self._install_comparison(job)
        note_compiled(folder, index, job.record)
        result = self._result(job, "taken" if job.taken else "compiled")
        result.seconds = seconds
        return result

    def _result(self, job: Job, state: str) -> Converted:
        bmodel = self.infos.bmodel(job.graph)
        return Converted(
            f"graph_{job.graph.index}",
            state,
            bmodel,
            emission=job.emission,
            size=bmodel.stat().st_size if state != "failed" else 0,
            source_size=job.source_size,
            comparison=job.record.comparison,
        )

    def _compile(self, job: Job) -> float:
        """Runs the script; the seconds that it took."""

        inner = context_dir(job.graph.index)
        done = self._processes.run_script(job.staging, script_name(inner))
        if done.timed_out:
            raise AutosplitError(
                f"compiling was not done after {self.options.timeout:g} s; allow more with --timeout"
            )
        if done.code != 0:
            # The script speaks of its own places.
            said = done.last_line.removeprefix(f"{inner}: ").replace(
                f"; see {inner}/{LOG_NAME}", ""
            )
            raise AutosplitError(said or f"the compile script ended with {done.code}")
        found = read_compilation(job.staging / inner)
        if found is None or not (job.staging / inner / BMODEL_NAME).is_file():
            raise AutosplitError("the compile script ended well, but wrote no bmodel or no record")
        if replace(found, sources={}).job() != replace(job.record, sources={}).job():
            raise AutosplitError(
                "the compile script recorded another compilation than was asked for"
            )
        job.record = found
        return done.seconds

    def _compare(self, job: Job, traced: Traced) -> None:
        """Runs the bmodel on the emulator; raises where an output is too far from the reference."""

        record, index = job.record, job.graph.index
        inner = job.staging / context_dir(index)
        bmodel = self.infos.bmodel(job.graph) if job.taken else inner / BMODEL_NAME
        got = self._processes.emulate(bmodel, record, traced.feeds)
        found, problem = compare_outputs(record, traced.made, got)
        job.record = replace(record, comparison=found, compared=self._digests.comparison(index))
        if problem:
            raise AutosplitError(problem)
        with writing(inner):
            write_archive(
                inner / INPUT_REF_NAME,
                [(b.name, real(traced.feeds[b.tensor], b)) for b in record.inputs],
            )
            write_archive(
                inner / OUTPUT_REF_NAME,
                [(b.name, real(traced.made[b.tensor], b)) for b in record.outputs],
            )
            write_record(inner, job.record)

    def _install_comparison(self, job: Job) -> None:
        """Adds what comparing an old bmodel told to its folder."""
        source = job.staging / context_dir(job.graph.index)
        place = self.options.folder / context_dir(job.graph.index)
        with writing(place):
            for name in (INPUT_REF_NAME, OUTPUT_REF_NAME, RECORD_NAME):
                (source / name).replace(place / name)

    def _suggestion(self, job: Job, cause: str, log: Path) -> str:
        """Which node to pin to the CPU, as the end of a message; empty where the log names none."""
        text = ""
        with suppress(OSError):
            text = log.read_text(encoding="utf-8", errors="replace")

        try:
            node = blamed_node(self.infos, job.graph, cause, text)
        except AutosplitError:
            return ""
        if node is None:
            return ""
        return f"; to leave that op to the CPU, split again with --pin '{re.escape(node)}=cpu'"
