"""Writing INT8 sub-models so that values cross between them as integers; see `int8_borders`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.emit.compilation import Border, Compilation
from autosplit.emit.graph_folder import context_dir
from autosplit.emit.tpu_folder import calibration_name, settings_of, write_script

if TYPE_CHECKING:
    from autosplit.calibrate import Range
    from autosplit.int8_borders import Crossing, Held, Ports
    from autosplit.toolchains.tpu_mlir import TpuMlir

Emitted = Mapping[int, tuple[Compilation, Path]]
"""By index: the record of a sub-model that has been written, and the folder it lies in."""


def cross(
    crossings: Sequence[Crossing], emitted: Emitted, toolchain: TpuMlir
) -> dict[int, Compilation]:
    """Lets values cross as integers between sub-models that hold them as the same.

    Calibration tables of those that read a value get the range of the one that makes it; scripts are written
    anew. Returns the new records of those sub-models that take part.
    """
    from autosplit.int8_borders import agreed

    found = [c for c in crossings if {c.producer, *c.consumers} <= emitted.keys()]
    for crossing in found:
        _share_range(crossing, emitted)
    involved = sorted({index for c in found for index in (c.producer, *c.consumers)})
    ports = {index: _ports(index, *emitted[index], toolchain) for index in involved}
    held = agreed(found, ports)
    changed: dict[int, Compilation] = {}
    for index in involved if held else ():
        record, folder = emitted[index]
        changed[index] = replace(
            record, inputs=_held(record.inputs, held), outputs=_held(record.outputs, held)
        )
        write_script(changed[index], index, folder)
    return changed


def _table(folder: Path, index: int) -> Path:
    return folder / context_dir(index) / calibration_name(index)


def _share_range(crossing: Crossing, emitted: Emitted) -> None:
    """Gives the readers of a value the range that it has where it is made."""
    from autosplit.calibrate import read_table

    record, folder = emitted[crossing.producer]
    made = read_table(_table(folder, crossing.producer).read_text(encoding="utf-8"))
    name = _name(record.outputs, crossing.tensor)
    if name not in made:
        return
    for index in crossing.consumers:
        reader, place = emitted[index]
        path = _table(place, index)
        path.write_text(
            _with_range(
                path.read_text(encoding="utf-8"), _name(reader.inputs, crossing.tensor), made[name]
            ),
            encoding="utf-8",
        )


def _with_range(table: str, name: str, found: Range) -> str:
    from autosplit.int8_borders import with_ranges

    samples = next(
        (int(line.rpartition(":")[2]) for line in table.splitlines() if "sample number" in line), 1
    )
    return with_ranges(table, {name: found}, samples)


def _ports(index: int, record: Compilation, folder: Path, toolchain: TpuMlir) -> Ports:
    from autosplit.int8_borders import Ports, held_ports, lowered

    text = lowered(settings_of(record, index, folder), folder / context_dir(index), toolchain)
    inputs, outputs = held_ports(text)
    return Ports(
        {b.tensor: held for b, held in zip(record.inputs, inputs, strict=True)},
        {b.tensor: held for b, held in zip(record.outputs, outputs, strict=True)},
    )


def _name(borders: Sequence[Border], tensor: str) -> str:
    return next(border.name for border in borders if border.tensor == tensor)


def _held(borders: Sequence[Border], held: Mapping[str, Held]) -> tuple[Border, ...]:
    return tuple(
        replace(b, network_dtype=held[b.tensor].dtype) if b.tensor in held else b for b in borders
    )
