"""What is compiled of a sub-model: its Top, its script and its tables, written into a staging folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.dialects.platform import identity_of, value_names
from autosplit.flows.converting.options import Converted, ConvertOptions
from autosplit.flows.converting.raw_pictures import raw_pictures
from autosplit.flows.converting.reference import Reference
from autosplit.flows.converting.source import (
    check_unchanged,
    largest_shapes,
    read_sub_models,
    recheck,
    sizes_of,
)
from autosplit.flows.converting.tables import SubModelTables
from autosplit.folder.batches import net_name
from autosplit.folder.compilation import Compilation
from autosplit.folder.compiled import install_log, make_staging, note_compiled, writing
from autosplit.folder.infos_reader import PLAN_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.folder.infos_writer import Outline
from autosplit.folder.int8_borders import crossings, own_ends
from autosplit.folder.int8_ports import cross, crossing_note, end_notes, float_notes
from autosplit.folder.tpu import (
    widen,
    write_tpu_files,
)
from autosplit.platforms import platform_of
from autosplit.platforms.stores import find_weights
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.flows.convert.digests import Digests
    from autosplit.flows.converting.chip_target import ChipTarget
    from autosplit.folder.int8_borders import Crossing
    from autosplit.inputs.samples import Data
    from autosplit.portable.networks import RawPicture
    from autosplit.toolchains.tpu_mlir import TpuMlir

NOTED = 8
"""How many ops are named that a sub-model of a narrower mode computes in f32."""


@dataclass
class Emitted:
    """A sub-model as Top, with its script, in a staging folder."""

    graph: GraphEntry
    staging: Path
    record: Compilation
    seconds: float


class SubModelWriter:
    """Writes what is compiled of a folder's sub-models."""

    def __init__(
        self,
        infos: GraphInfos,
        options: ConvertOptions,
        chip: Chip,
        toolchain: TpuMlir,
        data: Data,
        reference: Reference,
        digests: Digests,
        target: ChipTarget,
    ):
        self.infos = infos
        self.options = options
        self.chip = chip
        self.toolchain = toolchain
        self.sizes = sizes_of(infos, options)
        self.data = data
        self.reference = reference
        self.digests = digests
        self.tables = SubModelTables(infos, options, chip, toolchain, data, reference, target)
        self._crossing: list[Crossing] = []
        self._ends: dict[str, str] = {}
        """The model's own inputs and outputs that shall be integers, and why some are not."""

    def emit(
        self, graphs: Sequence[GraphEntry], staged: list[Path]
    ) -> Iterator[Emitted | Converted]:
        """One sub-model after the other; adds their staging folders to `staged`.

        Where neighbours must agree on values that cross, all are written before the first is yielded.
        """
        self._crossing = self._crossings(graphs)
        if self.options.io:
            self._ends = own_ends(self.infos, [graph.index for graph in graphs])
        one_by_one = (self._emit(graph, staged) for graph in graphs)
        meets = bool(self._crossing or self._ends) or self._has_integers(graphs)
        if not meets and not self.tables.given_tables:
            yield from one_by_one
            return
        emitted = [*one_by_one]
        self.tables.given_tables.check(self._names_of_model())
        if meets:
            self._cross(emitted)
        yield from emitted

    def read(self, module: ModuleOp | None, lowered: dict[str, ModuleOp]) -> None:
        """Reads the sub-models, while another thread looks whether their files are as they were written.

        `module`: what the folder was written from just now, where that is at hand; `lowered`: its sub-models
        in canonical ONNX, by symbol, which are taken out as they are changed.
        """
        if module is None:
            self._read_files()
        else:
            self.module, self.funcs = module, [*Outline.of(module).graphs]
        self._lowered = recheck(
            self.infos, self.module, self.chip, self.options.mode, self.sizes, lowered
        )

    def _read_files(self) -> None:
        with ThreadPoolExecutor(1, "digest") as pool:
            checked = pool.submit(check_unchanged, self.infos)
            try:
                module, funcs = read_sub_models(self.infos)
            finally:
                # A file that was changed is the better explanation of whatever is wrong.
                unchanged = checked.result()
        if PLAN_NAME in unchanged:
            # What the plan says of these files holds.
            find_weights(module, [self.infos.folder], unchanged)
            store_for(module)
        self.module, self.funcs = module, funcs

    def _emit(self, graph: GraphEntry, staged: list[Path]) -> Emitted | Converted:
        """Writes what is compiled of a sub-model into a staging folder, which is added to `staged`."""
        start = time.perf_counter()
        self.options.progress(f"preparing graph_{graph.index}")
        staging = make_staging(self.options.folder, graph.index)
        staged.append(staging)
        try:
            record = self._write(graph.index, staging)
        except AutosplitError as error:
            # As after a failure of the compiler, no bmodel of an earlier run is left.
            install_log(staging, self.options.folder, graph.index)
            note_compiled(self.options.folder, graph.index, None)
            bmodel = self.infos.bmodel(graph)
            text = f"{graph.label}: {error}"
            return Converted(f"graph_{graph.index}", "failed", bmodel, error=text)
        return Emitted(graph, staging, record, time.perf_counter() - start)

    def _names_of_model(self) -> Iterator[str]:
        """The names of values and ops of the whole model."""
        for op in self.module.walk():
            yield from (identity_of(op), *value_names(op))

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

    def _cross(self, emitted: Sequence[Emitted | Converted]) -> None:
        """Lets values cross as integers where the sub-models on both sides hold them as the same."""
        by_index = {e.graph.index: e for e in emitted if isinstance(e, Emitted)}
        self.options.progress("asking which values cross as integers")
        records = {index: (e.record, e.staging) for index, e in by_index.items()}
        for index, record in cross(self._crossing, records, self.toolchain, self._ends).items():
            by_index[index].record = record
        results = [e.record for e in by_index.values()]
        if note := crossing_note(results):
            self.options.note(note)
        for note in [*end_notes(results), *float_notes(results), *self._outer_notes(results)]:
            self.options.note(note)

    def _outer_notes(self, records: Sequence[Compilation]) -> list[str]:
        """Why inputs and outputs of the model that no network has stay as they are."""
        inside = {b.tensor for record in records for b in (*record.inputs, *record.outputs)}
        return [
            f"{name!r} stays as it is for whoever calls the model: {reason}"
            for name, reason in self._ends.items()
            if reason and name not in inside
        ]

    def _write(self, index: int, staging: Path) -> Compilation:
        options, module, func = self.options, self.module, self.funcs[index]
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
                build=options.build,
                raw=self._raw(index),
                data=self.digests.calibration(index) if is_int8 else "",
                foreseen=self._foresees_overflow() or bool(self.tables.given_tables),
                net=net_name(self.infos, f"graph_{index}"),
                show=options.show,
                equalize=is_int8 and bool(options.equalize),
            )
        if self._foresees_overflow() and written.record.outputs:
            written = replace(written, record=self._widened(written.record, index, staging))
        in_f32 = written.record.in_f32
        for reason in in_f32[:NOTED]:
            options.note(f"graph_{index}: in f32, not {options.mode}: {reason}")
        if len(in_f32) > NOTED:
            options.note(f"graph_{index}: in f32 too: {counted(len(in_f32) - NOTED, 'more op')}")
        record = written.record
        if is_int8 and record.outputs:
            crossing = {c.tensor for c in self._crossing if c.producer == index}
            record = self.tables.write(written, index, staging, crossing)
        elif record.outputs:
            record = self.tables.add_modes(record, index, staging)
        return replace(record, toolchain=self.toolchain.version)

    def _raw(self, index: int) -> dict[str, RawPicture]:
        """The inputs that take the bytes of pictures."""
        order = self.options.fuse_preprocess
        return raw_pictures(self.infos, self.infos.graphs[index], order) if order else {}

    def _foresees_overflow(self) -> bool:
        """Whether there is data that may show what is too large for the mode."""
        return self.options.mode == "F16" and (len(self.data) > 0 or self.options.compare)

    def _widened(self, record: Compilation, index: int, staging: Path) -> Compilation:
        """Lets what is too large for F16 on the data be computed in f32; the record."""
        self.options.progress(f"looking how large the numbers of graph_{index} are")
        feeds = self.tables.feeds(record, index)
        with writing(staging / context_dir(index)):
            return widen(
                record, index, self.chip, feeds, self.toolchain, staging, self.options.show
            )
