"""The tables of docs/tpu-ops.md: what each chip makes of each ONNX op, as `autosplit probe` recorded it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from autosplit.core.units import first_of
from autosplit.devices import all_chips
from autosplit.lowering.convert_onnx_to_top.table import REFUSED_OUTRIGHT, RULES
from autosplit.probe.records import RESULTS, chip_records

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.probe.records import Record

MODES = ("F32", "F16", "BF16", "INT8")
"""The modes that have columns."""


def tpu_counts() -> Iterator[str]:
    """How many cases were probed, for each chip and mode."""
    yield "| chip | mode | TPU-MLIR | cases | run, and right | refused |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for chip in all_chips():
        measured = chip_records(chip.name)
        for mode, records in sorted(measured.modes.items(), reverse=True):
            right = sum(r.accepted and r.result == "correct" for r in records.values())
            refused = sum(not r.accepted for r in records.values())
            cells = (chip.vendor_name, mode, measured.toolchain, len(records), right, refused)
            yield f"| {' | '.join(map(str, cells))} |"


def tpu_results() -> Iterator[str]:
    """What a measurement ends with."""
    yield "| result | |"
    yield "| --- | --- |"
    for name, text in RESULTS.items():
        yield f"| {name} | {text} |"


def tpu_ops() -> Iterator[str]:
    """Each op type that some chip takes in some form."""
    measured = [(c, mode, chip_records(c.name).of(mode)) for c in all_chips() for mode in MODES]
    columns = [(chip, mode, records) for chip, mode, records in measured if records]
    heads = [f"{chip.vendor_name} {mode}" for chip, mode, _ in columns]
    yield f"| {' | '.join(['op', 'Top ops', *heads])} |"
    yield f"| {' | '.join(['---'] * (2 + len(heads)))} |"
    for op in _taken():
        tops = ", ".join(f"`{top}`" for top in RULES[op].top)
        cells = [_cell(_of(records, op)) for _, _, records in columns]
        yield f"| {' | '.join([f'`{op}`', tops, *cells])} |"


def tpu_dynamic() -> Iterator[str]:
    """Each op type, and chains of them, in sub-models whose sizes vary."""
    from autosplit.probe.cases import DYNAMIC

    columns = [(chip, chip_records(chip.name).of(f"F32{DYNAMIC}")) for chip in all_chips()]
    heads = ["op", *(chip.vendor_name for chip, _ in columns)]
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join(['---'] * len(heads))} |"
    ops = sorted({key.split("/")[0] for _, records in columns for key in records})
    for op in ops:
        cells = [_cell(_of(records, op)) for _, records in columns]
        yield f"| {' | '.join([f'`{op}`', *cells])} |"


def tpu_refused() -> Iterator[str]:
    """The probed forms that are refused, of ops that run in others."""
    yield "| op | forms | chips | reason | measured |"
    yield "| --- | --- | --- | --- | --- |"
    for op in _taken():
        yield from _refused(op, all_chips())


def tpu_outright() -> Iterator[str]:
    """The op types that no chip takes in any form."""
    outright = {op: rule.refused for op, rule in RULES.items() if rule.refused is not None}
    yield "| op | code | reason |"
    yield "| --- | --- | --- |"
    for op, (code, text) in sorted({**outright, **REFUSED_OUTRIGHT}.items()):
        yield f"| `{op}` | {code} | {_fit(text)} |"


def _taken() -> list[str]:
    return [op for op, rule in sorted(RULES.items()) if rule.refused is None and op != "Constant"]


def _of(records: Mapping[str, Record], op: str) -> dict[str, Record]:
    return {key: record for key, record in records.items() if key.split("/")[0] == op}


def _cell(records: Mapping[str, Record]) -> str:
    """How many forms run, and how far the worst is off."""
    if not records:
        return ""
    right = [r for r in records.values() if r.accepted and r.result == "correct"]
    if not right:
        codes = sorted({r.code for r in records.values() if r.code})
        return f"no: {', '.join(codes)}"
    worst = max(float(r.off) for r in right if r.off)
    share = "all" if len(right) == len(records) else f"{len(right)} of {len(records)}"
    return f"{share}, off {worst:.0e}" if worst else f"{share}, exact"


def _refused(op: str, chips: tuple[Chip, ...]) -> Iterator[str]:
    """A row for each kind of reason, with the chips that have it."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for chip in chips:
        modes = chip_records(chip.name).modes
        always = _of(chip_records(chip.name).of("F32"), op)
        for mode in sorted(modes, key=lambda m: m != "F32"):
            where = chip.vendor_name if mode == "F32" else f"{chip.vendor_name} {mode}"
            for key, record in sorted(_of(modes[mode], op).items()):
                # What F32 refuses is refused in every mode.
                if record.accepted or (
                    mode != "F32" and key in always and not always[key].accepted
                ):
                    continue
                name = key.partition("/")[2]
                text = record.text.removeprefix(f"{op} ").replace(chip.vendor_name, "the chip")
                measured = "" if record.result == "refused" else record.result
                if record.off and record.result == "wrong":
                    measured += f", off {record.off}"
                rows.setdefault((name, record.code, text, measured), []).append(where)
    grouped: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for (name, code, text, measured), on in rows.items():
        said = "all" if len(on) == len(chips) else ", ".join(on)
        grouped.setdefault((code, said, measured), []).append((name, text))
    for (code, said, measured), forms in grouped.items():
        names = first_of([f"`{name}`" for name, _ in forms], 6)
        yield f"| `{op}` | {names} | {said} | {code}: {_fit(forms[0][1])} | {measured} |"


def _fit(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
