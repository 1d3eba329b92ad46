"""What a recipe's file has in it, before its names are looked up."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from sys import float_info
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.flows.quantizing.recipe import Range


@dataclass(frozen=True)
class FileContent:
    """A file: JSON, or lines."""

    path: Path
    text: str
    data: Any = None
    """The JSON; None for lines."""

    @staticmethod
    def read(path: Path) -> FileContent:
        """A file's content. Raises AutosplitError for one that cannot be read, and for JSON that is none."""
        try:
            text = path.read_text("utf-8")
        except FileNotFoundError:
            raise AutosplitError(f"{path}: there is no such file") from None
        except UnicodeDecodeError:
            raise AutosplitError(f"{path}: is not a recipe: it is no text") from None
        except OSError as error:
            raise AutosplitError(f"{path}: cannot be read: {error.strerror}") from None
        if not text.lstrip().startswith(("{", "[")):
            return FileContent(path, text)
        try:
            return FileContent(path, text, json.loads(text))
        except (ValueError, RecursionError) as error:
            raise AutosplitError(f"{path}: is not a recipe: {error}") from None

    @property
    def object(self) -> dict[str, Any]:
        """The JSON, where it is an object; else empty."""
        return cast("dict[str, Any]", self.data) if isinstance(self.data, dict) else {}

    @property
    def lines(self) -> Iterable[str]:
        """The lines that are neither empty nor comments."""
        lines = (line.strip() for line in self.text.splitlines())
        return [] if self.data is not None else [s for s in lines if s and not s.startswith("#")]

    def error(self, text: str) -> AutosplitError:
        """What is wrong with the file."""
        return AutosplitError(f"{self.path}: {text}")

    def entries(self, value: object, what: str) -> dict[str, Any]:
        """An object in the JSON. Raises AutosplitError for anything else."""
        if not isinstance(value, dict):
            raise self.error(f"{what} is {_short(value)}, expected an object")
        return cast("dict[str, Any]", value)

    def items(self, value: object, what: str) -> list[Any]:
        """A list in the JSON. Raises AutosplitError for anything else."""
        if not isinstance(value, list):
            raise self.error(f"{what} is {_short(value)}, expected a list")
        return cast("list[Any]", value)

    def names(self, value: object, what: str) -> list[str]:
        """A list of texts. Raises AutosplitError for anything else."""
        names = self.items(value, what)
        for item in names:
            if not isinstance(item, str):
                raise self.error(f"{what} has {_short(item)} in it, expected text")
        return names

    def number(self, value: object, what: str) -> float:
        """A finite number. Raises AutosplitError for anything else."""
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            # An integer may have more digits than any float; NaN compares with nothing.
            and abs(value) <= float_info.max
        ):
            return float(value)
        raise self.error(f"{what} is {_short(value)}, expected a number")

    def range(self, low: float, high: float, what: str) -> Range:
        """A range. Raises AutosplitError if it has no numbers in it."""
        if low > high:
            raise self.error(f"{what} is {low:g} to {high:g}, expected the lower end first")
        return low, high


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 60 else f"{text[:56]} ..."


def json_text(data: object) -> str:
    """JSON as a file has it."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
