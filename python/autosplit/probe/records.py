"""What was measured of the one-op models: one file for each chip, beside the chips' tables.

    {"chip": "bm1684", "toolchain": "1.30.2", "modes": {"F32": {
    "Abs/1d": {"result": "correct", "off": "0e+00"},

A file holds one record a line, sorted, and no times: the same measurements are the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError

RESULTS: Mapping[str, str] = {
    "correct": "compiles, and computes what ONNX Runtime computes",
    "wrong": "compiles, and computes something else",
    "error": "the tool chain or the emulator fails",
    "timeout": "a step or the emulator takes too long",
    "host": "compiles, but a part is left to the host's CPU",
    "dynamic": "compiles, but becomes a dynamic sub-model although all sizes are fixed",
    "refused": "refused, and there is nothing to compile",
    "no conversion": "accepted, but there is no conversion to Top",
}
"""What a measurement ends with."""

FOLDER = Path(__file__).resolve().parent.parent / "devices" / "probes"
"""Where the records are."""


@dataclass(frozen=True)
class Record:
    """What was measured of one case."""

    result: str
    """One of `RESULTS`."""
    off: str = ""
    """How far the worst output is, as a share of the largest magnitude expected, to one digit: `3e-07`."""
    cause: str = ""
    """What the tool chain said, or what is wrong with the numbers."""
    code: str = ""
    """The code of the reason for which the check refuses the case; empty if it accepts it."""
    text: str = ""
    """That reason."""

    @property
    def accepted(self) -> bool:
        """Whether the check takes the case."""
        return not self.code

    def agrees(self, other: Record) -> bool:
        """Whether two measurements say the same. Figures may differ: those of the host decide too."""
        return (self.result, self.code) == (other.result, other.code)

    def as_json(self) -> dict[str, str]:
        """The fields that say something."""
        return {k: v for k, v in vars(self).items() if v}


@dataclass(frozen=True)
class Records:
    """All records of a chip."""

    chip: str
    toolchain: str
    """The version of TPU-MLIR that was measured."""
    modes: Mapping[str, Mapping[str, Record]] = field(
        default_factory=dict[str, Mapping[str, Record]]
    )
    """By mode and key of the case."""

    def of(self, mode: str) -> Mapping[str, Record]:
        """The records of a mode; empty if it was not measured."""
        return self.modes.get(mode, {})

    def with_records(self, mode: str, measured: Mapping[str, Record], keep: bool = True) -> Records:
        """A copy that has other records too; `keep` says whether those of other cases stay."""
        previous = dict(self.of(mode)) if keep else {}
        return replace(self, modes={**self.modes, mode: {**previous, **measured}})

    def write(self, path: Path) -> None:
        """Writes the file."""
        head = json.dumps({"chip": self.chip, "toolchain": self.toolchain})
        modes = [
            f"{json.dumps(mode)}: {{\n{_lines(self.modes[mode])}\n}}" for mode in sorted(self.modes)
        ]
        text = f'{head[:-1]}, "modes": {{{", ".join(modes)}}}}}\n'
        path.write_text(text, encoding="utf-8")


def _lines(records: Mapping[str, Record]) -> str:
    return ",\n".join(
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(records[key].as_json(), ensure_ascii=False)}"
        for key in sorted(records)
    )


def records_path(chip: str) -> Path:
    """The file of a chip."""
    return FOLDER / f"{chip}.json"


def read_records(path: Path) -> Records:
    """Reads a file. Raises AutosplitError if it is no such file."""
    try:
        data = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        modes = {
            mode: {key: Record(**fields) for key, fields in records.items()}
            for mode, records in data["modes"].items()
        }
        records = Records(data["chip"], data["toolchain"], modes)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise AutosplitError(
            f"{path}: is not a file of probe records ({e}); write one with autosplit probe --write"
        ) from e
    for mode, of_mode in records.modes.items():
        for key, record in of_mode.items():
            if record.result not in RESULTS:
                raise AutosplitError(
                    f"{path}: {mode} {key} has result {record.result!r}, expected one of "
                    f"{', '.join(RESULTS)}"
                )
    return records


@cache
def chip_records(chip: str) -> Records:
    """The records that come with autosplit; empty ones for a chip that was not measured."""
    path = records_path(chip)
    return read_records(path) if path.is_file() else Records(chip, "")
