"""Reading a JSON document value by value, so that each message can say what is wrong where."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from autosplit.core.errors import AutosplitError


class CheckedJson:
    """A document that lies in a folder, and names files there."""

    def __init__(self, folder: Path, path: Path):
        self.folder = folder
        self.path = path

    def fail(self, text: str) -> AutosplitError:
        return AutosplitError(f"{self.path}: {text}")

    def get(self, entry: dict[str, object], key: str, where: str) -> object:
        if key not in entry:
            raise self.fail(f"{where} has no key {key!r}")
        return entry[key]

    def mapping(self, value: object, what: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self.fail(f"{what} is {_kind(value)}, expected an object")
        return cast("dict[str, object]", value)

    def sequence(self, value: object, what: str) -> list[object]:
        if not isinstance(value, list):
            raise self.fail(f"{what} is {_kind(value)}, expected a list")
        return cast("list[object]", value)

    def string(self, value: object, what: str) -> str:
        if not isinstance(value, str):
            raise self.fail(f"{what} is {_kind(value)}, expected a string")
        return value

    def inside(self, relative: str, what: str) -> Path:
        """The path, resolved; raises if it leaves the folder, by name or by a symbolic link."""
        path = Path(relative)
        if not relative or "\0" in relative:
            raise self.fail(f"{what} is {relative!r}, expected a file name")
        if path.is_absolute() or ".." in path.parts:
            raise self.fail(f"{what} is {relative!r}, which leaves the folder")
        place = resolved(self.folder / path)
        if not place.is_relative_to(self.folder.resolve()):
            raise self.fail(f"{what} is {relative!r}, a link that leaves the folder")
        return place


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case None:
            return "null"
        case _:
            return f"the number {value!r}"


def resolved(path: Path) -> Path:
    """The path without links. Raises AutosplitError for links that form a loop."""
    try:
        return path.resolve()
    except RuntimeError:
        raise AutosplitError(f"{path}: is a link that leads back to itself") from None
