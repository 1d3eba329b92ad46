"""The tables that TPU-MLIR reads of a sub-model: the ranges of INT8, and what is computed in another mode."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from autosplit.calibration.calibrate import optimized, tables
from autosplit.calibration.table_files import EQUALIZED, Range, modes_table, read_quantize_table
from autosplit.core.units import counted
from autosplit.core.weights import read_archive, write_archive
from autosplit.flows.converting.biases import corrected_biases
from autosplit.flows.converting.blame import nodes_of_values
from autosplit.flows.converting.chip_target import ChipTarget
from autosplit.flows.converting.given_tables import GivenTables
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.converting.reference import Reference
from autosplit.flows.converting.rescue import rescue
from autosplit.folder.compilation import UNKNOWN, Compilation, digest_files, sha256, sha256_of
from autosplit.folder.compiled import usable, writing
from autosplit.folder.infos_reader import GraphInfos, context_dir
from autosplit.folder.tpu import (
    calibration_name,
    quantize_name,
    source_names,
    text_name,
    weights_name,
    write_script,
)
from autosplit.formats.top_mlir.reader import read_top
from autosplit.portable.integers import real
from autosplit.toolchains.bmodel_compile import OPTIMIZED

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.calibration.calibrate import Stated, Tables
    from autosplit.devices import Chip
    from autosplit.folder.tpu import Written
    from autosplit.inputs.samples import Data
    from autosplit.portable.networks import NetworkPort
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]


class SubModelTables:
    """Writes the tables of a folder's sub-models."""

    def __init__(
        self,
        infos: GraphInfos,
        options: ConvertOptions,
        chip: Chip,
        toolchain: TpuMlir,
        data: Data,
        reference: Reference,
        target: ChipTarget,
    ):
        self.infos = infos
        self.options = options
        self.chip = chip
        self.toolchain = toolchain
        self.data = data
        self.reference = reference
        self.target = target
        self.given_tables = GivenTables.of(options, chip)
        self._makers: dict[int, Callable[[], Tables]] = {}

    def remade(self, index: int) -> Tables | None:
        """The tables of a sub-model, made once more; None for one that has none."""
        return self._makers[index]() if index in self._makers else None

    def feeds(self, record: Compilation, index: int) -> Iterator[dict[str, Array]]:
        """What the network of a sub-model takes, for each sample, by its own names and in real numbers."""
        borders = {border.tensor: border for border in record.inputs}
        for sample in self.reference.feeds(self.data, index):
            yield {
                borders[tensor].name: inside(array, borders[tensor])
                for tensor, array in sample.items()
                if tensor in borders
            }

    def write(
        self, written: Written, index: int, staging: Path, crossing: Collection[str]
    ) -> Compilation:
        """Writes the tables for INT8, or takes an earlier run's that were made from the same; the record.

        `crossing`: tensors that go to another sub-model as integers.
        """
        record, inner = written.record, staging / context_dir(index)
        if self.options.correct_biases:
            record = _with_digest(record, inner / weights_name(index))
        kept = {border.name for border in record.outputs if border.tensor in crossing}
        kept |= written.scales.keys()
        ranges = {name: Range(*scale.bounds) for name, scale in written.scales.items()}

        make = partial(self._of_samples, record, index, inner, kept, ranges)
        self._makers[index] = make
        # Tables depend on what crosses as integers, which an earlier run may have seen otherwise; and names
        # that a user gives are looked up in each run.
        if (
            not kept
            and not self.given_tables
            and not self.target.is_made(index)
            and (old := self._take_tables(record, index, inner))
        ):
            record = replace(record, in_f32=old.in_f32)
            write_script(record, index, staging)
            return record
        samples = counted(len(self.data), "sample")
        self.options.progress(f"calibrating graph_{index} with {samples}")
        if self.options.target_cosine:
            feeds = partial(self.feeds, record, index)
            texts = self.target.tables(
                index, partial(make, written.top), feeds, self.chip, kept, self.options
            )
        else:
            rescued = partial(self._rescued, make, written.top, record, index, kept)
            texts = self.target.whole.chosen(index, rescued, self.chip, kept)
            self._makers[index] = partial(_again, make, texts.modes, texts.reasons, texts.biases)
        self._write_files(texts, index, inner)
        reasons = [*_asked_texts(texts.stated.modes), *texts.reasons.values()]
        if texts.tail:
            reasons.append(_tail_text(texts.tail))
        record = replace(record, in_f32=(*record.in_f32, *reasons))
        write_script(record, index, staging)
        return record

    def _of_samples(
        self,
        record: Compilation,
        index: int,
        inner: Path,
        kept: Container[str],
        ranges: Mapping[str, Range],
        top: ModuleOp | None = None,
    ) -> Tables:
        """The tables of a sub-model. `top`: the module as it was lowered; None: as it has been written."""
        path = inner / text_name(index)
        fresh = path if top is not None else None
        if top is None:
            # After the compilation, the text is in its final place.
            if not path.is_file():
                path = self.options.folder / context_dir(index) / path.name
            top = read_top(path)
        made = tables(
            top,
            self.feeds(record, index) if len(self.data) else (),
            self.toolchain,
            kept,
            known=ranges,
            chip=self.chip,
            calibrator=self.options.calibrator,
            stated=lambda ranged: self._stated(top, ranged, index),
            written=fresh,
            # Once written, they are in the weights.
            correct_biases=bool(self.options.correct_biases) and fresh is not None,
        )
        if self.options.equalize:
            made = replace(made, calibration=EQUALIZED + made.calibration)
        if made.means:
            made = replace(made, biases=corrected_biases(made, self.chip, self.options.show))
        return made

    def _write_files(self, tables: Tables, index: int, inner: Path) -> None:
        if biases := tables.biases_of_rounded():
            # The compilation begins with what the first step made, where that is there.
            for archive in (inner / weights_name(index), *(inner / OPTIMIZED).glob("*.npz")):
                _rewrite(archive, biases)
        (inner / calibration_name(index)).write_text(tables.calibration, encoding="utf-8")
        if tables.quantize:
            (inner / quantize_name(index)).write_text(tables.quantize, encoding="utf-8")

    def _rescued(
        self,
        make: Callable[[ModuleOp | None], Tables],
        top: ModuleOp | None,
        record: Compilation,
        index: int,
        fixed: Collection[str],
    ) -> Tables:
        """With some ops in real numbers where INT8 would be useless and nobody has said which."""
        tables = make(top)
        if self.given_tables or not len(self.data):
            return tables
        options, feeds = self.options, self.feeds(record, index)
        return rescue(
            f"graph_{index}",
            tables,
            feeds,
            self.chip,
            fixed,
            options.progress,
            options.note,
            record.full_mode,
        )

    def add_modes(self, record: Compilation, index: int, staging: Path) -> Compilation:
        """Adds what a user says to the quantize table of a sub-model of another mode; the record."""
        if not self.given_tables or record.mode == "F32":
            return record
        inner = staging / context_dir(index)
        top = read_top(inner / text_name(index))
        stated = self._stated(top, optimized(top, self.toolchain), index)
        path = inner / quantize_name(index)
        entries = read_quantize_table(path.read_text(encoding="utf-8")) if path.is_file() else []
        modes = {name: mode for name, mode in stated.modes.items() if mode != record.mode}
        modes |= {name: mode for _, name, mode in entries}
        record = replace(record, in_f32=(*record.in_f32, *_asked_texts(stated.modes)))
        if modes:
            with writing(inner):
                path.write_text(modes_table(modes), encoding="utf-8")
        write_script(record, index, staging)
        return record

    def _stated(self, top: ModuleOp, ranged: ModuleOp, index: int) -> Stated:
        """What a user says of a sub-model."""

        def nodes() -> Mapping[str, str]:
            graph = next(graph for graph in self.infos.graphs if graph.index == index)
            return nodes_of_values(self.infos, graph)

        return self.given_tables.stated(top, ranged, nodes)

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
        weights = weights_name(index)
        # What corrected weights were before is in `data`.
        corrected = [weights] if self.options.correct_biases else []
        now = digest_files(inner, (text_name(index), *([] if corrected else [weights])))
        if any(old.sources.get(name) != value for name, value in now.items()):
            return None
        tables = [n for n in (calibration_name(index), quantize_name(index)) if n in old.sources]
        names = source_names(place, index)
        for name in (*tables, *corrected):
            path = place / name
            if name not in names or path.is_symlink() or sha256(path) != old.sources[name]:
                return None
        for name in (*tables, *corrected):
            shutil.copyfile(place / name, inner / name)
        return old if tables else None


def _with_digest(record: Compilation, weights: Path) -> Compilation:
    """A record whose data tells weights, too, that are to be corrected."""
    return replace(record, data=sha256_of(f"{record.data} {sha256(weights)}"))


def _rewrite(archive: Path, biases: Mapping[str, tuple[Array, Array]]) -> None:
    """Puts biases in the place of those that an archive has under the same names.

    The text that goes with it stays as it is, as the tool chain may have written it.
    """
    old, staged = read_archive(archive), archive.with_name(f".{archive.name}")
    arrays = {name: old.array(name) for name in old}
    for name, (was, new) in biases.items():
        # The first step may have merged something into a bias that keeps its name.
        if name in arrays and np.array_equal(arrays[name].ravel(), was.ravel()):
            arrays[name] = new.reshape(arrays[name].shape)
    write_archive(staged, arrays.items())
    shutil.move(staged, archive)


def _again(
    make: Callable[[], Tables],
    modes: Mapping[str, str],
    reasons: Mapping[str, str],
    biases: Mapping[str, tuple[Array, Array]],
) -> Tables:
    """Tables that are made once more, with what was decided of them, and what biases were and are."""
    return replace(make(), modes=modes, reasons=reasons, biases=biases)


def inside(array: Array, border: NetworkPort) -> Array:
    """An input as the Top module has it: in real numbers, pictures as planes."""
    if border.raw is not None and border.raw.last:
        return array.transpose(0, 3, 1, 2)
    return real(array, border)


def _asked_texts(modes: Mapping[str, str]) -> Iterator[str]:
    """What a record says of the values that a user wants in another mode."""
    return (f"{name!r}: computed in {mode}, as asked for" for name, mode in modes.items())


def _tail_text(names: Sequence[str]) -> str:
    """What a record says of the values behind the last op with weights."""
    which = f"{names[0]!r} to {names[-1]!r}, {len(names)} in all" if names[1:] else f"{names[0]!r}"
    return f"what is behind the last op with weights: {which}"
