"""What a user says of a folder's values: ranges, and what they are computed in, as TPU-MLIR's tables say it.

A table is for all sub-models: each takes what it says of its own values. Names are those of the tables that
`convert` writes; what TPU-MLIR's converter of ONNX makes of them, `y_Conv` for `y`, is taken too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from autosplit.calibration.calibrate import Stated, ranged_values
from autosplit.calibration.table_files import (
    INT8_MODES,
    Range,
    read_quantize_table,
    table_lines,
)
from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.top import TopOp
from autosplit.flows.converting.blame import node_of
from autosplit.flows.quantizing.recipes.formats import RecipeFile
from autosplit.flows.quantizing.recipes.recipe_file import FileContent
from autosplit.lowering.convert_top_to_onnx import top_function

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.flows.converting.options import ConvertOptions

Line = TypeVar("Line")

FORMATS = {"tpu-mlir": "a calibration table", "tpu-mlir-qtable": "a quantize table"}
"""What the formats of both tables are called."""

_TYPED = re.compile(r"(?P<plain>.+)_[A-Z][A-Za-z0-9]*")


@dataclass
class GivenTables:
    """Two tables and patterns; of each name where it stands, for messages."""

    ranges: Mapping[str, Range] = field(default_factory=dict[str, Range])
    modes: Mapping[str, str] = field(default_factory=dict[str, str])
    patterns: Sequence[re.Pattern[str]] = ()
    table: str = ""
    """The file of the ranges."""
    places: dict[str, str] = field(default_factory=dict[str, str])
    """Names that no sub-model was found to have yet, and where they stand."""
    values: dict[str, None] = field(default_factory=dict[str, None])
    """The names of the values in all sub-models so far."""
    ops: dict[str, None] = field(default_factory=dict[str, None])
    """The names of their ops, as patterns are held against."""
    matched: set[str] = field(default_factory=set[str])
    """The patterns that an op was found for."""

    @staticmethod
    def of(options: ConvertOptions, chip: Chip) -> GivenTables:
        """Reads the files. Raises AutosplitError for one that is no such table, or is not for the chip."""
        ranges, modes = dict[str, Range](), dict[str, str]()
        places: dict[str, str] = {}
        if options.table is not None:
            for number, name, threshold, range_ in _lines(
                options.table, "tpu-mlir", lambda text: list(table_lines(text))
            ):
                ranges[name] = Range(range_.low, range_.high, abs(threshold))
                places[name] = f"{options.table}, line {number}"
        if options.quantize_table is not None:
            path = options.quantize_table
            for number, name, mode in _lines(path, "tpu-mlir-qtable", read_quantize_table):
                modes[name] = _mode(mode, chip, f"{path}, line {number}")
                places[name] = f"{path}, line {number}"
        patterns = [_pattern(text) for text in options.f32]
        return GivenTables(ranges, modes, patterns, str(options.table or ""), places)

    def __bool__(self) -> bool:
        return bool(self.ranges or self.modes or self.patterns)

    def stated(
        self, top: ModuleOp, ranged: ModuleOp, nodes: Callable[[], Mapping[str, str]]
    ) -> Stated:
        """What is said of a sub-model, as it was written and as TPU-MLIR's first step leaves it.

        `nodes`: the node of the model that a value comes from, by its name.
        """
        names = _Names(top, ranged)
        self.values |= dict.fromkeys(names.left)
        for name in [*self.places]:
            if names.plain(name) is not None:
                del self.places[name]
        ranges = {
            plain: one
            for name, one in self.ranges.items()
            if (plain := names.plain(name)) in names.left
        }
        modes: dict[str, str] = {}
        for name, mode in self.modes.items():
            plain = names.plain(name)
            if plain is not None and (value := names.kept_as(plain)) is not None:
                modes[value] = mode
        if self.patterns:
            modes |= dict.fromkeys(self._matching(names, nodes()), "F32")
        return Stated(ranges, modes, self.table)

    def _matching(self, names: _Names, nodes: Mapping[str, str]) -> list[str]:
        matching: dict[str, None] = {}
        for name in names.ops:
            called = (name, node_of(name, nodes) or name)
            self.ops[called[1]] = None
            for pattern in self.patterns:
                if not any(map(pattern.fullmatch, called)):
                    continue
                self.matched.add(pattern.pattern)
                if (value := names.kept_as(name)) is not None:
                    matching[value] = None
        return list(matching)

    def check(self, gone: Iterable[str]) -> None:
        """Raises AutosplitError for a name that neither a sub-model nor `gone` has, and for an idle pattern.

        `gone`: what the whole model has.
        """
        others = set(gone)
        for name, place in self.places.items():
            if not others.isdisjoint(_spellings(name)):
                continue
            hint = choice(name, list(self.values))
            raise AutosplitError(f"{place}: no sub-model for the TPU has a value {name!r}{hint}")
        for pattern in self.patterns:
            if pattern.pattern not in self.matched:
                hint = choice(pattern.pattern, list(self.ops))
                raise AutosplitError(
                    f"--f32 {pattern.pattern!r} matches no op of a sub-model for the TPU{hint}"
                )


class _Names:
    """The names of a sub-model's values, before and behind TPU-MLIR's first step."""

    def __init__(self, top: ModuleOp, ranged: ModuleOp):
        self.left = dict.fromkeys(ranged_values(ranged))
        self.ops: dict[str, TopOp] = {}
        """What ops make, by name."""
        self.inputs: set[str] = set()
        """The inputs."""
        for module in (top, ranged):
            for op in top_function(module).body.block.ops:
                if not isinstance(op, TopOp) or op.kind in ("None", "Weight"):
                    continue
                if op.kind == "Input":
                    self.inputs.update(op.names)
                else:
                    self.ops |= {name: op for name in op.names if name not in self.ops}

    def plain(self, name: str) -> str | None:
        """What a name in a table stands for; None if it is none of this sub-model's."""
        for spelling in _spellings(name):
            if spelling in self.left or spelling in self.ops or spelling in self.inputs:
                return spelling
        return None

    def kept_as(self, name: str) -> str | None:
        """The name that is left of a value: another one where its op became part of the op behind it."""
        op = self.ops.get(name)
        while op is not None and name not in self.left:
            readers = {use.operation for result in op.results for use in result.uses}
            reader = next(iter(readers), None)
            if len(readers) != 1 or not isinstance(reader, TopOp) or not reader.names:
                return None
            name, op = reader.names[0], reader
        return name if op is not None else None


def _spellings(name: str) -> list[str]:
    typed = _TYPED.fullmatch(name)
    return [name] if typed is None else [name, typed["plain"]]


def _lines(path: Path, wanted: str, read: Callable[[str], list[Line]]) -> list[Line]:
    """The lines of a table. Raises AutosplitError, with the file's name, for a file that is none."""
    content = FileContent.read(path)
    # An empty quantize table and a comment alone are fine.
    if content.lines and (format := RecipeFile.read(path).format) != wanted:
        format_name = FORMATS.get(format, f"a recipe in the format {format!r}")
        raise content.error(f"is {format_name}, expected {FORMATS[wanted]} of TPU-MLIR")
    try:
        return read(content.text)
    except AutosplitError as error:
        raise content.error(str(error)) from None


def _mode(mode: str, chip: Chip, where: str) -> str:
    if mode in INT8_MODES:
        return "INT8"
    if mode not in chip.modes:
        listed = ", ".join(chip.modes)
        raise AutosplitError(f"{where}: {chip.vendor_name} computes in {listed}, not in {mode}")
    return mode


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise AutosplitError(f"--f32 {text!r} is not a regular expression: {error}") from None
