"""The work of `autosplit convert`: each sub-model is written, compiled, compared and moved into its place."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.advice import Adviser
from autosplit.flows.convert.comparison import Comparison, Job
from autosplit.flows.convert.digests import Digests
from autosplit.flows.convert.emission import Emitted, SubModelWriter
from autosplit.flows.convert.processes import Processes
from autosplit.flows.converting.options import Converted, ConvertOptions
from autosplit.flows.converting.reference import Reference
from autosplit.flows.gate.cost import cost_of, narrowed_note
from autosplit.folder.compilation import (
    INPUT_REF_NAME,
    LOG_NAME,
    OUTPUT_REF_NAME,
    REFUSED_BMODEL,
    Compilation,
    digest_files,
    read_compilation,
)
from autosplit.folder.compile_script import script_name
from autosplit.folder.compiled import (
    install,
    install_log,
    note_compiled,
    refused,
    restore,
    set_aside,
    take_back,
    usable,
    write_record,
    writing,
)
from autosplit.folder.infos_reader import BMODEL_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.folder.tpu import settings_of, source_names
from autosplit.toolchains.bmodel_compile import OPTIMIZED, WORK, recipe

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.flows.converting.chip_target import ChipTarget
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
        target: ChipTarget,
        module: ModuleOp | None,
        lowered: dict[str, ModuleOp],
    ):
        self.infos = infos
        self._module = module
        self._lowered = lowered
        self.options = options
        self.data = data
        self._chip = chip
        self.reference: Reference = Reference(infos, options.custom_ops)
        self._digests = Digests(infos, options, data)
        self.writer = SubModelWriter(
            infos, options, chip, toolchain, data, self.reference, self._digests, target
        )
        self._processes = Processes(options, toolchain)
        self._comparison = Comparison(
            infos, options, data, self.reference, self._digests, self._processes
        )
        self._adviser = Adviser(infos, options, chip, self.writer)
        self._refused: dict[int, Job] = {}
        """Sub-models whose bmodels are too far off."""
        self._doing: dict[int, str] = {}
        """The step that each sub-model in progress is at."""
        self._lock = threading.Lock()

    @property
    def emulated(self) -> Mapping[int, list[Mapping[str, Any]]]:
        """By sub-model what it made of each sample on the emulator, where that was compared now."""
        return self._comparison.emulated

    def run(self, graphs: Sequence[GraphEntry]) -> list[Converted]:
        """Emits the sub-models one after the other, while those before them compile."""
        options = self.options
        options.progress("reading the folder")
        self.writer.read(self._module, self._lowered)
        done: dict[int, Converted] = {}
        running: dict[Future[Converted], int] = {}
        jobs = options.jobs or os.cpu_count() or 1
        staged: list[Path] = []
        pool = ThreadPoolExecutor(jobs, "convert")
        try:
            self._processes.start()
            for graph, item in zip(graphs, self.writer.emit(graphs, staged), strict=True):
                prepared = item if isinstance(item, Converted) else self.prepare(item, graphs)
                if isinstance(prepared, Converted):
                    done[graph.index] = prepared
                    continue
                running[pool.submit(self.finish, prepared)] = graph.index
            self._wait(running, done, len(graphs))
            for index, job in self._refused.items():
                done[index].error += self._adviser.on_refusal(job)
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
        """Notes the step that a sub-model is at now, and says it."""
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
        digest = recipe(settings_of(emitted.record, graph.index, staging))
        record = replace(emitted.record, recipe=digest)
        index = graph.index
        emission = emitted.seconds
        inner = staging / context_dir(index)
        names = source_names(inner, index)
        job = Job(graph, staging, record, emission, sum((inner / n).stat().st_size for n in names))
        old, job.existing = self._existing(record, inner, names)
        if old is not None:
            job.record = old
            restore(staging, self.options.folder, index)
            if not self.options.compare or self._is_judged(job):
                return self._installed(job, "taken")
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

    def _existing(
        self, record: Compilation, inner: Path, names: Sequence[str]
    ) -> tuple[Compilation, Path] | tuple[None, None]:
        """A bmodel of an earlier run, installed or set aside, that was made of the same files."""
        place = self.options.folder / inner.name
        for name, old in ((BMODEL_NAME, usable(place)), (REFUSED_BMODEL, refused(place))):
            if old is None:
                continue
            if old.same_job(replace(record, sources=digest_files(inner, names))):
                return old, place / name
        return None, None

    def _is_judged(self, job: Job) -> bool:
        """Whether a bmodel that is there was compared in the same way and is not refused."""
        is_aside = job.existing is not None and job.existing.name == REFUSED_BMODEL
        return not is_aside and self._comparison.was_done(job.record, job.graph.index)

    # In a thread of its own.

    def finish(self, job: Job) -> Converted:
        """Compiles, compares and installs a sub-model. A failure becomes part of the result."""
        index, folder = job.graph.index, self.options.folder
        seconds = 0.0
        state = "compiled" if job.existing is None else "taken"
        if job.existing is None:
            self._does(index, f"compiling graph_{index}")
            try:
                seconds = self._compile(job)
            except AutosplitError as error:
                if self._processes.ended:
                    raise
                log = install_log(job.staging, folder, index)
                note_compiled(folder, index, None)
                return self._failed(job, str(error), log)
        problem = self._compare(job) if job.traced else ""
        if problem:
            state = "refused"
        if job.existing is None:
            inner = job.staging / context_dir(index)
            (set_aside if problem else write_record)(inner, job.record)
            install(job.staging, folder, index)
        result = self._installed(job, state)
        result.seconds = seconds
        return result

    def _compare(self, job: Job) -> str:
        """Why a bmodel is refused, or could not be compared; empty where it is good."""
        index, of = job.graph.index, len(job.traced)
        try:
            return self._comparison.run(
                job, lambda n: self._does(index, f"comparing graph_{index} (sample {n} of {of})")
            )
        except AutosplitError as error:
            if self._processes.ended:
                raise
            # The bmodel took its time to compile: it is kept.
            job.record = replace(job.record, comparison={}, compared="", refused=str(error))
            return str(error)

    def _failed(self, job: Job, error: str, log: Path) -> Converted:
        """The result of a compilation that failed, with the error."""
        where = f"; see {log}" if log.is_file() else ""
        failed = self._result(job, "failed")
        failed.error = (
            f"{job.graph.label}: {error}{where}{self._adviser.on_failure(job, error, log)}"
        )
        return failed

    def _installed(self, job: Job, state: str) -> Converted:
        """Lets the bmodel in the folder be what it was found to be; its result."""
        index, folder = job.graph.index, self.options.folder
        place = folder / context_dir(index)
        if job.existing is not None:
            with writing(place):
                for name in (INPUT_REF_NAME, OUTPUT_REF_NAME):
                    if (file := job.staging / context_dir(index) / name).is_file():
                        file.replace(place / name)
                if state == "refused":
                    set_aside(place, job.record)
                elif job.existing.name == REFUSED_BMODEL:
                    take_back(place, job.record)
                elif job.traced:
                    write_record(place, job.record)
        note_compiled(folder, index, None if state == "refused" else job.record)
        result = self._result(job, state)
        if state == "refused":
            self._refused[index] = job
            result.bmodel = place / REFUSED_BMODEL
            result.error = f"{job.graph.label}: {job.record.refused}; {_advice(folder, index)}"
        result.size = result.bmodel.stat().st_size
        return result

    def _result(self, job: Job, state: str) -> Converted:
        return Converted(
            f"graph_{job.graph.index}",
            state,
            self.infos.bmodel(job.graph),
            emission=job.emission,
            source_size=job.source_size,
            comparison=job.record.comparison,
            cost=job.record.cost,
        )

    def _compile(self, job: Job) -> float:
        """Runs the script; the seconds that it took."""

        inner = context_dir(job.graph.index)
        place = job.staging / inner
        more = ["--optimized"] if (place / OPTIMIZED).is_dir() else []
        done = self._processes.run_script(job.staging, script_name(inner), *more)
        if done.timed_out:
            raise AutosplitError(
                f"compiling was not done after {self.options.timeout:g} s; allow more with --timeout"
            )
        if done.code != 0:
            # The script names paths of its own.
            message = done.last_line.removeprefix(f"{inner}: ").replace(
                f"; see {inner}/{LOG_NAME}", ""
            )
            raise AutosplitError(message or f"the compile script ended with {done.code}")
        record = read_compilation(place)
        if record is None or not (place / BMODEL_NAME).is_file():
            raise AutosplitError("the compile script ended well, but wrote no bmodel or no record")
        if replace(record, sources={}).job() != replace(job.record, sources={}).job():
            raise AutosplitError(
                "the compile script recorded another compilation than was asked for"
            )
        job.record = replace(
            record,
            cost=cost_of(place, self._chip, record.build.get("cores", 1)),
        )
        bits = record.build.get("weight_bits", 0)
        if note := narrowed_note(place, record.mode, bits):
            self.options.note(f"graph_{job.graph.index}: {note}")
        shutil.rmtree(place / WORK, ignore_errors=True)
        return done.seconds


def _advice(folder: Path, index: int) -> str:
    """What to do about a bmodel that is refused."""
    return (
        "it is set aside, and taken all the same with "
        f"`autosplit convert {folder} --accept graph_{index}`"
    )
