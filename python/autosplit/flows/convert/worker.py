"""The work of `autosplit convert`: each sub-model is written, compiled, compared and moved into its place."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.blame import blamed_node
from autosplit.flows.convert.comparison import Comparison, Job
from autosplit.flows.convert.digests import Digests
from autosplit.flows.convert.emission import Emitted, SubModelWriter
from autosplit.flows.convert.options import Converted, ConvertOptions
from autosplit.flows.convert.processes import Processes
from autosplit.flows.convert.reference import Reference
from autosplit.folder.compilation import (
    LOG_NAME,
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
)
from autosplit.folder.infos_reader import BMODEL_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.folder.tpu import settings_of, source_names
from autosplit.toolchains.bmodel_compile import recipe

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.inputs.samples import Data
    from autosplit.toolchains.tpu_mlir import TpuMlir


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
        self._comparison = Comparison(
            infos, options, data, self.reference, self._digests, self._processes
        )
        self._doing: dict[int, str] = {}
        """What is being done of each sub-model that is being worked on."""
        self._lock = threading.Lock()

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
            self._tell(f" ({len(done)} of {count} done)")
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                index = running.pop(future)
                with self._lock:
                    self._doing.pop(index, None)
                done[index] = future.result()

    def _does(self, index: int, what: str) -> None:
        """Notes what is being done of a sub-model now, and says it."""
        with self._lock:
            self._doing[index] = what
        self._tell()

    def _tell(self, more: str = "") -> None:
        with self._lock:
            doing = [what for _, what in sorted(self._doing.items())]
        if doing:
            self.options.progress("; ".join(doing) + more)

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
            if not self.options.compare or self._comparison.was_done(old, index):
                note_compiled(self.options.folder, index, old)
                return self._result(job, "taken")
        if self.options.compare:
            job.traced = self._comparison.traced(graphs, index)
        return job

    def _constant(self, emitted: Emitted) -> Converted:
        """Keeps the outputs of a sub-model that gives constants only; an older bmodel of it goes."""
        index = emitted.graph.index
        install(emitted.staging, self.options.folder, index)
        note_compiled(self.options.folder, index, None)
        bmodel = self.infos.bmodel(emitted.graph)
        return Converted(f"graph_{index}", "constant", bmodel, emission=emitted.seconds)

    # In a thread of its own.

    def finish(self, job: Job) -> Converted:
        """Compiles, compares and installs a sub-model. A failure becomes part of the result."""
        index, folder = job.graph.index, self.options.folder
        seconds = 0.0
        try:
            if not job.taken:
                self._does(index, f"compiling graph_{index}")
                seconds = self._compile(job)
            if job.traced:
                of = len(job.traced)
                self._comparison.run(
                    job,
                    lambda n: self._does(index, f"comparing graph_{index} (sample {n} of {of})"),
                )
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
            self._comparison.install(job)
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
