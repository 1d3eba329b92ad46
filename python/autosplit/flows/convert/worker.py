"""The work of `autosplit convert`: each sub-model is written, compiled, compared and moved into its place."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.calibration import calibrate
from autosplit.calibration.calibrate import Range, tables
from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.flows.convert.blame import blamed_node
from autosplit.flows.convert.options import Converted, ConvertOptions
from autosplit.flows.convert.reference import Reference, compare_outputs
from autosplit.flows.convert.source import (
    check_unchanged,
    largest_shapes,
    read_sub_models,
    recheck,
    sizes_of,
)
from autosplit.folder.compilation import (
    INPUT_REF_NAME,
    LOG_NAME,
    OUTPUT_REF_NAME,
    RECORD_NAME,
    UNKNOWN,
    Compilation,
    digest_files,
    read_compilation,
    sha256,
)
from autosplit.folder.compiled import (
    install,
    install_log,
    make_staging,
    note_compiled,
    restore,
    usable,
    write_record,
    writing,
)
from autosplit.folder.infos_reader import (
    BMODEL_NAME,
    PLAN_NAME,
    GraphEntry,
    GraphInfos,
    context_dir,
)
from autosplit.folder.int8_borders import crossings
from autosplit.folder.int8_ports import cross, crossing_note, float_notes
from autosplit.folder.integers import real
from autosplit.folder.tpu import (
    calibration_name,
    quantize_name,
    settings_of,
    source_names,
    text_name,
    weights_name,
    widen,
    write_script,
    write_tpu_files,
)
from autosplit.platforms import platform_of
from autosplit.registry import make_context
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.toolchains.bmodel_compile import VARIABLE, recipe
from autosplit.toolchains.children import Children

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.dialects.device import FuncOp
    from autosplit.flows.convert.reference import Data, Traced
    from autosplit.folder.int8_borders import Crossing
    from autosplit.folder.tpu import Written
    from autosplit.toolchains.children import Started
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]


NOTED = 8
"""So many ops of a sub-model are named that are computed in f32 in a narrower mode."""

INTERPRETER = """\
import json, os, runpy, sys
# What takes its time, and scripts need.
import argparse, ctypes, dataclasses, hashlib, subprocess, tempfile, typing, zipfile
if told := sys.stdin.read():
    folder, script = json.loads(told)
    os.chdir(folder)
    runpy.run_path(script, run_name="__main__")
"""


@dataclass
class Emitted:
    """A sub-model as Top, with its script, in a staging folder."""

    graph: GraphEntry
    staging: Path
    record: Compilation
    seconds: float


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
        self.chip = chip
        self.toolchain = toolchain
        self.sizes = sizes_of(infos, options)
        self.data = data
        self.reference: Reference = Reference(infos, options.custom_ops)
        self.children: Children = Children()
        self._interpreter: Started | None = None
        self._lock = threading.Lock()
        self._emulators: set[BmodelExecutor] = set()
        self._traced: dict[int, Traced] | None = None
        self._data_digest: str | None = None
        self._digests: dict[Path, str] = {}
        """Of the sub-models' files."""
        self._lowered: dict[str, ModuleOp] = {}
        self._crossing: list[Crossing] = []

    def run(self, graphs: Sequence[GraphEntry]) -> list[Converted]:
        """Emits the sub-models one after the other, while those before them compile."""
        options = self.options
        options.progress("reading the folder")
        module, funcs = self._read()
        self._lowered = recheck(self.infos, module, self.chip, options.mode, self.sizes)
        done: dict[int, Converted] = {}
        running: dict[Future[Converted], int] = {}
        jobs = options.jobs or os.cpu_count() or 1
        staged: list[Path] = []
        pool = ThreadPoolExecutor(jobs, "convert")
        try:
            self._interpreter = self._start_interpreter()
            emitted: list[Emitted | Converted] = []
            self._crossing = crossing = self._crossings(graphs)
            if crossing or self._has_integers(graphs):
                # Neighbours must agree before any of them is compiled.
                emitted = [self.emit(module, funcs[graph.index], graph, staged) for graph in graphs]
                self._cross(crossing, emitted)
            for i, graph in enumerate(graphs):
                made = (
                    emitted[i] if emitted else self.emit(module, funcs[graph.index], graph, staged)
                )
                prepared = made if isinstance(made, Converted) else self.prepare(made, graphs)
                if isinstance(prepared, Converted):
                    done[graph.index] = prepared
                    continue
                running[pool.submit(self.finish, prepared)] = graph.index
            self._wait(running, done, len(graphs))
        except BaseException:
            self._end()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            self.children.end()
            if self._interpreter is not None:
                # There was nothing to compile.
                self.children.finish(self._interpreter, self.options.timeout)
            for staging in staged:
                shutil.rmtree(staging, ignore_errors=True)
        return [done[graph.index] for graph in graphs]

    def _read(self) -> tuple[ModuleOp, list[FuncOp]]:
        """Reads the sub-models, while another thread looks whether their files are as they were written."""
        with ThreadPoolExecutor(1, "digest") as pool:
            checked = pool.submit(check_unchanged, self.infos)
            try:
                module, funcs = read_sub_models(self.infos)
            finally:
                # A file that was changed is the better explanation of whatever is wrong.
                unchanged = checked.result()
        if PLAN_NAME in unchanged:
            # What the plan says of these files holds.
            from autosplit.core.weights import store_for
            from autosplit.platforms.stores import find_weights

            find_weights(module, [self.infos.folder], unchanged)
            store_for(module)
        return module, funcs

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

    def emit(
        self, module: ModuleOp, func: FuncOp, graph: GraphEntry, staged: list[Path]
    ) -> Emitted | Converted:
        """Writes what is compiled of a sub-model into a staging folder, which is added to `staged`."""
        start = time.perf_counter()
        self.options.progress(f"preparing graph_{graph.index}")
        staging = make_staging(self.options.folder, graph.index)
        staged.append(staging)
        try:
            record = self._emit(module, func, graph.index, staging)
        except AutosplitError as error:
            # As after a failure of the compiler, no bmodel of an earlier run is left.
            install_log(staging, self.options.folder, graph.index)
            note_compiled(self.options.folder, graph.index, None)
            bmodel = self.infos.bmodel(graph)
            text = f"{graph.label}: {error}"
            return Converted(f"graph_{graph.index}", "failed", bmodel, error=text)
        return Emitted(graph, staging, record, time.perf_counter() - start)

    def _crossings(self, graphs: Sequence[GraphEntry]) -> list[Crossing]:
        if self.options.mode != "INT8":
            return []

        return crossings(self.infos, [graph.index for graph in graphs])

    def _has_integers(self, graphs: Sequence[GraphEntry]) -> bool:
        """Whether values are 8-bit integers outside already, for a mode that may take them as they are."""
        tensors = self.infos.tensors
        return self.options.mode == "INT8" and any(
            tensors[name].dtype in ("int8", "uint8")
            for graph in graphs
            for name in (*graph.inputs, *graph.outputs)
        )

    def _cross(self, crossing: Sequence[Crossing], emitted: Sequence[Emitted | Converted]) -> None:
        """Lets values cross as integers where the sub-models on both sides hold them as the same."""
        known = {e.graph.index: e for e in emitted if isinstance(e, Emitted)}
        self.options.progress("asking which values cross as integers")
        records = {index: (e.record, e.staging) for index, e in known.items()}
        for index, record in cross(crossing, records, self.toolchain).items():
            known[index].record = record
        made = [e.record for e in known.values()]
        if note := crossing_note(made):
            self.options.note(note)
        for note in float_notes(made):
            self.options.note(note)

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
        return bool(record.comparison) and record.compared == self._comparison_digest(index)

    def _digest(self) -> str:
        if self._data_digest is None:
            self._data_digest = self.data.digest()
        return self._data_digest

    def _calibration_digest(self, index: int) -> str:
        """What tables depend on besides the sub-model's own files: its inputs, and how ranges are taken."""
        return sha256_of(f"{self._feeds(index)} {sha256(Path(calibrate.__file__))}")

    def _comparison_digest(self, index: int) -> str:
        """What a comparison depends on besides the bmodel: its inputs, and what is close enough."""
        return sha256_of(f"{self._feeds(index)} {TOLERANCES[self.options.mode]}")

    def _feeds(self, index: int) -> str:
        """A digest of what a sub-model takes: of the data, and of the sub-models before it."""
        infos = self.infos
        names = [n for g in infos.graphs[:index] for n in sorted(g.model_info.values())]
        libraries = self.options.custom_ops or infos.libraries()
        paths = [*(infos.folder / name for name in names), *libraries]
        known = self._digests
        known.update((p, sha256(p)) for p in paths if p not in known and p.is_file())
        return " ".join([self._digest(), *(known[path] for path in paths if path in known)])

    def _emit(self, module: ModuleOp, func: FuncOp, index: int, staging: Path) -> Compilation:
        options = self.options
        is_int8 = options.mode == "INT8"
        with writing(staging), collector_paused():
            written = write_tpu_files(
                make_context(),
                module,
                func,
                index,
                platform_of(module),
                self.chip,
                staging,
                mode=options.mode,
                sizes=self.sizes,
                optimize=options.optimize,
                largest=largest_shapes(self.infos),
                lowered=self._lowered.pop(func.sym_name.data, None),
                data=self._calibration_digest(index) if is_int8 else "",
                foreseen=self._foresees_overflow(),
            )
        if self._foresees_overflow() and written.record.outputs:
            written = replace(written, record=self._widened(written.record, index, staging))
        in_f32 = written.record.in_f32
        for reason in in_f32[:NOTED]:
            options.note(f"graph_{index}: in f32, not {options.mode}: {reason}")
        if len(in_f32) > NOTED:
            options.note(f"graph_{index}: in f32 too: {len(in_f32) - NOTED} more ops")
        record = written.record
        if is_int8 and record.outputs:
            record = self._calibrated(written, index, staging)
        return replace(record, toolchain=self.toolchain.version)

    def _foresees_overflow(self) -> bool:
        """Whether there is data that may show what is too large for the mode."""
        return self.options.mode == "F16" and (len(self.data) > 0 or self.options.compare)

    def _widened(self, record: Compilation, index: int, staging: Path) -> Compilation:
        """Lets what is too large for F16 on the data be computed in f32; the record."""
        self.options.progress(f"looking how large the numbers of graph_{index} are")
        feeds = self._network_feeds(record, index)
        with writing(staging / context_dir(index)):
            return widen(record, index, self.chip, feeds, self.toolchain, staging)

    def _network_feeds(self, record: Compilation, index: int) -> Iterator[dict[str, Array]]:
        """What the network of a sub-model takes, for each sample, by its own names and in real numbers."""
        borders = {border.tensor: border for border in record.inputs}
        for sample in self.reference.feeds(self.data, index):
            yield {
                borders[tensor].name: real(array, borders[tensor])
                for tensor, array in sample.items()
                if tensor in borders
            }

    def _calibrated(self, written: Written, index: int, staging: Path) -> Compilation:
        """Writes the tables for INT8, or takes an earlier run's that were made of the same; the record."""
        from autosplit.formats.top_mlir.reader import read_top

        record, inner = written.record, staging / context_dir(index)
        crossing = {c.tensor for c in self._crossing if c.producer == index}
        kept = {border.name for border in record.outputs if border.tensor in crossing}
        kept |= written.scales.keys()
        known = {name: Range(*scale.bounds) for name, scale in written.scales.items()}
        # Tables depend on what crosses as integers, which an earlier run may have seen otherwise.
        if not kept and (old := self._take_tables(record, index, inner)) is not None:
            record = replace(record, in_f32=old.in_f32)
            write_script(record, index, staging)
            return record
        samples = "1 sample" if len(self.data) == 1 else f"{len(self.data)} samples"
        self.options.progress(f"calibrating graph_{index} with {samples}")
        made = tables(
            read_top(inner / text_name(index)),
            self._network_feeds(record, index),
            self.toolchain,
            kept,
            known=known,
            chip=self.chip,
        )
        (inner / calibration_name(index)).write_text(made.calibration, encoding="utf-8")
        if made.quantize:
            (inner / quantize_name(index)).write_text(made.quantize, encoding="utf-8")
        if made.tail:
            record = replace(record, in_f32=(*record.in_f32, _tail_text(made.tail)))
        write_script(record, index, staging)
        return record

    def _take_tables(self, record: Compilation, index: int, inner: Path) -> Compilation | None:
        """Takes the tables of an earlier run where sub-model and data are the same; that run's record."""
        place = self.options.folder / context_dir(index)
        old = usable(place)
        if old is None or old.data != record.data or old.chip != record.chip:
            return None
        if old.toolchain != self.toolchain.version or old.toolchain == UNKNOWN:
            return None
        # Ranges of such values come from a neighbour.
        if any(b.network_dtype != "float32" for b in (*old.inputs, *old.outputs)):
            return None
        now = digest_files(inner, (text_name(index), weights_name(index)))
        if any(old.sources.get(name) != value for name, value in now.items()):
            return None
        found = [n for n in (calibration_name(index), quantize_name(index)) if n in old.sources]
        names = source_names(place, index)
        for name in found:
            path = place / name
            if name not in names or path.is_symlink() or sha256(path) != old.sources[name]:
                return None
        for name in found:
            shutil.copyfile(place / name, inner / name)
        return old if found else None

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
            if self.children.ended:
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

    def _start_interpreter(self) -> Started | None:
        """A Python that runs a script when it is told which: the first one starts beside other work."""
        environment = {**os.environ, VARIABLE: str(self.toolchain.root)}
        command = [sys.executable, "-I", "-P", "-c", INTERPRETER]
        return self.children.start(command, self.options.folder, environment)

    def _compile(self, job: Job) -> float:
        """Runs the script; the seconds that it took."""
        from autosplit.folder.compile_script import script_name

        inner = context_dir(job.graph.index)
        with self._lock:
            interpreter, self._interpreter = self._interpreter, None
        told = json.dumps([str(job.staging.absolute()), script_name(inner)])
        done = self.children.finish(
            interpreter or self._start_interpreter(), self.options.timeout, told
        )
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
        from autosplit.core.weights import write_archive

        record, index = job.record, job.graph.index
        inner = job.staging / context_dir(index)
        bmodel = self.infos.bmodel(job.graph) if job.taken else inner / BMODEL_NAME
        got = self._emulate(bmodel, record, traced.feeds)
        found, problem = compare_outputs(record, traced.made, got)
        job.record = replace(record, comparison=found, compared=self._comparison_digest(index))
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

    def _emulate(
        self, bmodel: Path, record: Compilation, feeds: Mapping[str, Array]
    ) -> dict[str, Array]:
        """What a bmodel makes of a sub-model's inputs on the chip's emulator, by tensor."""
        timeout = self.options.timeout
        executor = BmodelExecutor.of_record(bmodel, record, self.toolchain, timeout)
        with self._lock:
            self._emulators.add(executor)
        try:
            if self.children.ended:
                raise AutosplitError("the conversion was ended")
            return executor.run(feeds, [border.tensor for border in record.outputs])
        finally:
            executor.close()
            with self._lock:
                self._emulators.discard(executor)

    def _end(self) -> None:
        """Ends the processes that work for this conversion."""
        self.children.end()
        with self._lock:
            running = list(self._emulators)
        for executor in running:
            executor.close()

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


def _tail_text(names: Sequence[str]) -> str:
    """What a record says of the values behind the last op with weights."""
    which = f"{names[0]!r} to {names[-1]!r}, {len(names)} in all" if names[1:] else f"{names[0]!r}"
    return f"what is behind the last op with weights: {which}"


def sha256_of(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
