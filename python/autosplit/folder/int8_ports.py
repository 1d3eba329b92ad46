"""Writing INT8 sub-models so that values cross their borders as integers; see `int8_borders`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.units import counted, size
from autosplit.folder.compilation import Compilation
from autosplit.folder.infos_reader import context_dir
from autosplit.folder.tpu import calibration_name, settings_of, write_script
from autosplit.portable.networks import NetworkPort

if TYPE_CHECKING:
    from autosplit.calibration.table_files import Range
    from autosplit.folder.int8_borders import Crossing, Held, Ports
    from autosplit.toolchains.tpu_mlir import TpuMlir

Emitted = Mapping[int, tuple[Compilation, Path]]
"""By index: the record of a sub-model that has been written, and the folder it lies in."""


def cross(
    crossings: Sequence[Crossing],
    emitted: Emitted,
    toolchain: TpuMlir,
    ends: Mapping[str, str] | None = None,
) -> dict[int, Compilation]:
    """Lets values cross as integers: between sub-models that hold them as the same, and where the model does.

    `ends`: inputs and outputs of the whole model that shall do so, as for `own_ends`. Calibration tables of
    those that read a value get the range in which the one that makes it counts; scripts are written anew.
    Returns the new records of those sub-models that take part.
    """
    from autosplit.folder.int8_borders import agreed, held_ends

    ends = ends or {}
    scaled = {
        index: {b.tensor for b in (*record.inputs, *record.outputs) if b.step}
        for index, (record, _) in emitted.items()
    }
    outputs = {index: {b.tensor for b in record.outputs} for index, (record, _) in emitted.items()}
    # What the model itself has as integers, each side compares with the model.
    crossing_values = [
        c
        for c in crossings
        if {c.producer, *c.consumers} <= emitted.keys()
        and c.tensor in outputs[c.producer] - scaled[c.producer]
    ]
    involved = {index for c in crossing_values for index in (c.producer, *c.consumers)}
    involved |= {index for index, names in scaled.items() if names}
    involved |= {
        index
        for index, (record, _) in emitted.items()
        if any(b.tensor in ends for b in (*record.inputs, *record.outputs))
    }
    ports: dict[int, Ports] = {}
    # Who makes a value comes before those that read it.
    for index in sorted(involved):
        ports[index] = _ports(index, *emitted[index], toolchain)
        for crossing in crossing_values:
            if crossing.producer == index:
                _share_range(crossing, ports[index].outputs[crossing.tensor], emitted)
    held = agreed(crossing_values, ports)
    own, reasons = held_ends(ends, ports)
    changed: dict[int, Compilation] = {}
    for index, port in ports.items():
        record, folder = emitted[index]
        changed[index] = replace(
            record,
            inputs=_at_ends(_decided(record.inputs, port.inputs, held), own, reasons),
            outputs=_at_ends(_decided(record.outputs, port.outputs, held), own, reasons),
        )
        if changed[index] != record:
            write_script(changed[index], index, folder)
    return changed


def crossing_note(records: Iterable[Compilation]) -> str:
    """How many values cross as integers and what that saves, in a line; empty if none does."""
    from autosplit.folder.int8_borders import saved

    ports = [b for r in records for b in (*r.inputs, *r.outputs) if b.raw is None]
    sides = [b for b in ports if b.network_dtype != "float32"]
    if not sides:
        return ""
    count = len({b.tensor for b in sides})
    values = counted(count, "value crosses", "values cross")
    total = sum(saved(b.shape, 1) for b in sides)
    return f"{values} borders as 8-bit integers, which saves {size(total)} a run"


def end_notes(records: Iterable[Compilation]) -> list[str]:
    """What the model's own ends are that cross as integers, a line each."""
    ends = {b.tensor: b for r in records for b in (*r.inputs, *r.outputs) if b.network_step}
    return [
        f"{b.tensor!r} is {b.network_dtype} for whoever calls the model: 1 stands for {b.network_step:.6g}"
        + (f", {b.network_zero_point} for 0" if b.network_zero_point else "")
        for b in ends.values()
    ]


def float_notes(records: Iterable[Compilation], most: int = 3) -> list[str]:
    """Why integers of the model cross as floats all the same, a line each; of many the first `most`."""
    lines = [
        f"{b.tensor!r} crosses the border of {r.net} as float32: {b.reason}"
        for r in records
        for b in (*r.inputs, *r.outputs)
        if b.reason
    ]
    more = len(lines) - most
    return lines if more <= 0 else [*lines[:most], f"and {more} more likewise"]


def _table(folder: Path, index: int) -> Path:
    return folder / context_dir(index) / calibration_name(index)


def _share_range(crossing: Crossing, held: Held | None, emitted: Emitted) -> None:
    """Gives the readers of a value the range in which it is held where it is made.

    That need not be the one of the calibration table: the compiler gives some ops' inputs and outputs the
    same steps.
    """
    if held is None:
        return
    for index in crossing.consumers:
        reader, place = emitted[index]
        path = _table(place, index)
        table = path.read_text(encoding="utf-8")
        for border in reader.inputs:
            if border.tensor == crossing.tensor:
                table = _with_range(table, border.name, held.range)
        path.write_text(table, encoding="utf-8")


def _with_range(table: str, name: str, range_: Range) -> str:
    from autosplit.folder.int8_borders import with_ranges

    samples = next(
        (int(line.rpartition(":")[2]) for line in table.splitlines() if "sample number" in line), 1
    )
    return with_ranges(table, {name: range_}, samples)


def _ports(index: int, record: Compilation, folder: Path, toolchain: TpuMlir) -> Ports:
    from autosplit.folder.int8_borders import Ports, held_ports, lowered

    text = lowered(settings_of(record, index, folder), folder / context_dir(index), toolchain)
    inputs, outputs = held_ports(text)
    return Ports(
        {b.tensor: held for b, held in zip(record.inputs, inputs, strict=True)},
        {b.tensor: held for b, held in zip(record.outputs, outputs, strict=True)},
    )


def _decided(
    borders: Sequence[NetworkPort],
    ports: Mapping[str, Held | None],
    agreed: Mapping[str, Held],
) -> tuple[NetworkPort, ...]:
    """The borders with the dtypes that they cross as, and why others do not."""
    return tuple(_crossing(border, ports[border.tensor], agreed) for border in borders)


def _at_ends(
    borders: Sequence[NetworkPort], held: Mapping[str, Held], reasons: Mapping[str, str]
) -> tuple[NetworkPort, ...]:
    """The borders, with how the model's own ends cross; what has integers or bytes already keeps them."""
    return tuple(_at_end(b, held, reasons) for b in borders)


def _at_end(
    border: NetworkPort, held: Mapping[str, Held], reasons: Mapping[str, str]
) -> NetworkPort:
    if border.step or border.raw is not None:
        return border
    if (form := held.get(border.tensor)) is None:
        return replace(border, reason=reasons.get(border.tensor, border.reason))
    return replace(
        border,
        network_dtype=form.dtype,
        network_step=form.step,
        network_zero_point=form.zero_point,
    )


def _crossing(border: NetworkPort, held: Held | None, agreed: Mapping[str, Held]) -> NetworkPort:
    from autosplit.folder.int8_borders import misfit

    if border.tensor in agreed:
        return replace(border, network_dtype=agreed[border.tensor].dtype)
    if not border.step:
        return border
    reason = misfit(border, held)
    if held is None or reason:
        return replace(border, reason=reason)
    return replace(border, network_dtype=held.dtype)
