"""The two tables that TPU-MLIR reads, as texts: the range of each value, and what is not computed in INT8.

    # op_name    threshold    min    max
    conv1 4.2275710 -3.9185202 4.2275710

    # op_name   quantize_mode
    softmax F32

A threshold is the largest magnitude: 127 steps in each direction, or 255 in one where the least value is not
negative. Lines that begin with # say nothing, except those that begin a section: `#weight_scale`, `#int4_th`,
`#asym_op` and others, of which none has a range for INT8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError, choice

if TYPE_CHECKING:
    from pathlib import Path

LEAST = 1e-5
"""The smallest threshold, for values that are always 0."""

SECTIONS = ("weight_scale", "int4_th", "tpu-mlir-fp8", "mqbench-fp8", "asym_op", "int4_op")
"""What the title of a section has in it; the tool chain looks for the same."""

FLOAT_MODES = ("F32", "F16", "BF16", "W8F16", "W8BF16", "W4F16", "W4BF16")
"""Modes that compute with real numbers."""

INT8_MODES = ("INT8", "UINT8")


@dataclass
class Range:
    """The least and the largest number of a value so far."""

    low: float
    high: float
    limit: float = 0.0
    """The threshold, where a table states one of its own; else 0."""

    @property
    def threshold(self) -> float:
        """The largest magnitude, above 0."""
        return self.limit or max(abs(self.low), abs(self.high), LEAST)

    def widen(self, low: float, high: float) -> None:
        """Takes in another range."""
        self.low, self.high = min(self.low, low), max(self.high, high)


def quantize_table(names: Iterable[str], mode: str) -> str:
    """The text that tells TPU-MLIR to compute some values in another mode than INT8; empty without any.

    Raises AutosplitError for a name that no line can hold.
    """
    return modes_table(dict.fromkeys(names, mode))


def modes_table(modes: Mapping[str, str], reasons: Mapping[str, str] | None = None) -> str:
    """The same, with a mode for each value, and where there is a reason a line that says it."""
    lines: list[str] = []
    for name, mode in modes.items():
        if reasons and name in reasons:
            lines.append(f"# {' '.join(reasons[name].split())}")
        lines.append(f"{_plain(name, 'a quantize table')} {mode}")
    return "\n".join(["# op_name   quantize_mode", *lines]) + "\n" if lines else ""


def table_text(ranges: Mapping[str, Range], samples: int, method: str = "min-max") -> str:
    """A calibration table as TPU-MLIR reads it. Raises AutosplitError for a name that no line can hold."""
    lines = [
        f"# quantization threshold calculation method: {method}",
        f"# sample number: {samples}",
        "###",
        "# op_name    threshold    min    max",
    ]
    for name, span in ranges.items():
        name = _plain(name, "a calibration table")
        numbers = (f"{n:.9g}" for n in (span.threshold, span.low, span.high))
        # The tool chain skips a line with a + in it.
        lines.append(f"{name} {' '.join(numbers).replace('e+', 'e')}")
    return "\n".join(lines) + "\n"


EQUALIZED = "# channels: equalized\n"
"""The first line of a table of ranges in a model with scaled channels, see `submodel-equalize`."""


def is_equalized(path: Path) -> bool:
    """Whether a file is such a table."""
    try:
        return EQUALIZED in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        # Whoever reads the table says so.
        return False


def _plain(name: str, where: str) -> str:
    from autosplit.lowering.top.plain_names import is_plain

    if not is_plain(name):
        raise AutosplitError(
            f"value {name!r} cannot stand in {where}: names must have no spaces and "
            "not begin with '#'; rename it in the model"
        )
    return name


def read_table(text: str) -> dict[str, Range]:
    """The ranges that a calibration table states, by name. Raises AutosplitError for a line that is none."""
    return {name: span for _, name, _, span in table_lines(text)}


def table_lines(text: str) -> Iterator[tuple[int, str, float, Range]]:
    """The same, line by line: its number, the name, the threshold, and the least and the largest number."""
    for number, line in _lines(text):
        try:
            name, *numbers = line.split()
            threshold, low, high = map(float, numbers)
        except ValueError:
            raise AutosplitError(
                f"line {number} of the calibration table is {line!r}, expected: name threshold min max"
            ) from None
        if not (isfinite(threshold) and isfinite(low) and isfinite(high) and low <= high):
            raise AutosplitError(
                f"line {number} of the calibration table is {line!r}, expected finite numbers, and "
                "min <= max"
            )
        yield number, name, threshold, Range(low, high)


def read_quantize_table(text: str) -> list[tuple[int, str, str]]:
    """The lines of a quantize table: the number, the name and the mode. Raises AutosplitError for others."""
    rows: list[tuple[int, str, str]] = []
    modes = [*FLOAT_MODES, *INT8_MODES]
    for number, line in _lines(text):
        words = line.split()
        if len(words) != 2:
            raise AutosplitError(
                f"line {number} of the quantize table is {line!r}, expected: name mode"
            )
        name, mode = words[0], words[1].upper()
        if mode not in modes:
            raise AutosplitError(
                f"line {number} of the quantize table has the mode {words[1]!r}, expected one of "
                f"{', '.join(modes)}{choice(mode, modes, most=0)}"
            )
        rows.append((number, name, mode))
    return rows


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, down to the first section of others, numbered from 1."""
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if content.startswith("#") and any(title in content for title in SECTIONS):
            return
        if content and not content.startswith("#"):
            yield number, content
