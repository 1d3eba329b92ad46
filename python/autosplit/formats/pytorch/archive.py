"""`.pt2` archives: the program and the tensors in them, read without PyTorch.

An archive is a zip file, usually uncompressed, with all its members in one folder: `models/NAME.json` is the
program; `data/weights/` and `data/constants/` hold the bytes of tensors and a table of them. Whatever else
there is, mainly example inputs, is a pickle, which is never read: unpickling executes code from the file.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from autosplit.core.dtypes import dtype_named
from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.units import counted
from autosplit.core.weights import Array
from autosplit.formats.others import SAVE_PROGRAM
from autosplit.formats.pytorch.schema import DTYPES, STRIDED, Json, word_of

FORMAT = "archive_format"
VERSION = "archive_version"
KNOWN_VERSION = b"0"
"""The version of the archive format, which is separate from that of programs."""
LARGEST_TEXT = 1 << 29
"""The most bytes of JSON to read; a program of a thousand layers has less than a hundredth of it."""
MAJOR = 8
"""The schema version of the programs that can be read."""

_DAMAGED = (
    OSError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


@dataclass(frozen=True)
class TensorRecord:
    """A tensor of an archive: where its elements are, and their layout."""

    fqn: str
    archive: Pt2Archive
    member: str
    entry: Json
    """Its entry in the archive's table."""

    @property
    def meta(self) -> Json:
        """Its dtype, sizes and strides."""
        return self.entry["tensor_meta"]

    @property
    def sizes(self) -> tuple[int, ...]:
        return _numbers(self.meta["sizes"])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Raises AutosplitError for a dtype that numpy does not have."""
        name = word_of(DTYPES, self.meta["dtype"], "dtype")
        try:
            return dtype_named(name)
        except ValueError:
            raise AutosplitError(f"is of {name}, which numpy does not have") from None

    def check(self) -> None:
        """Raises AutosplitError if the elements cannot be read as the table describes them."""
        where = f"tensor {self.fqn!r}"
        if self.entry.get("use_pickle"):
            raise AutosplitError(
                f"{where} is stored as a pickle, which is never read: unpickling runs what a file says; "
                "replace it by a plain tensor before torch.export.save"
            )
        try:
            dtype = self.dtype
        except AutosplitError as error:
            raise AutosplitError(f"{where} {error}") from None
        if self.meta["layout"] != STRIDED:
            raise AutosplitError(f"{where} is sparse; make it dense before torch.export.save")
        strides, offset = _numbers(self.meta["strides"]), _number(self.meta["storage_offset"])
        if len(strides) != len(self.sizes) or min((*strides, *self.sizes, offset), default=0) < 0:
            raise AutosplitError(
                f"{where} has sizes {list(self.sizes)} and strides {list(strides)}"
            )
        if 0 in self.sizes:
            return
        last_index = offset + sum((n - 1) * s for n, s in zip(self.sizes, strides, strict=True))
        available = self.archive.size_of(self.member)
        needed = (last_index + 1) * dtype.itemsize
        if needed > available:
            raise AutosplitError(
                f"{where} of shape {list(self.sizes)} needs {counted(needed, 'byte')}, and "
                f"{self.member} has {available}"
            )

    def load(self) -> Array:
        """The elements, in C order. Raises AutosplitError, naming the file, if they cannot be read."""
        dtype, sizes = self.dtype, self.sizes
        if 0 in sizes:
            return np.zeros(sizes, dtype)
        stored = np.frombuffer(self.archive.read(self.member), np.uint8)
        stored = stored[: stored.size // dtype.itemsize * dtype.itemsize].view(dtype)
        steps = [s * dtype.itemsize for s in _numbers(self.meta["strides"])]
        offset = _number(self.meta["storage_offset"])
        view = np.lib.stride_tricks.as_strided(stored[offset:], sizes, steps, writeable=False)
        return np.ascontiguousarray(view).reshape(sizes)


class Pt2Archive:
    """An archive of one program."""

    def __init__(self, path: Path):
        """Reads the names of the members. Raises AutosplitError for any other file."""
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()
        except _DAMAGED as error:
            raise AutosplitError(
                f"{path}: cannot be read as a .pt2 archive, it may be cut off: {first_line(error)}"
            ) from None
        if not members or members[0].header_offset:
            # A truncated file may end in the directory of a nested archive.
            raise AutosplitError(f"{path}: cannot be read as a .pt2 archive, it may be cut off")
        roots = {m.filename.partition("/")[0] for m in members}
        self.root = next(iter(sorted(roots)), "")
        inside = {m.filename.removeprefix(f"{self.root}/"): m for m in members}
        self._members: dict[str, zipfile.ZipInfo] = inside
        if (problem := self._problem()) is not None:
            raise AutosplitError(f"{path}: {problem}")

    def _problem(self) -> str | None:
        """Why the archive cannot be read, and what to do; None if it can."""
        names = set(self._members)
        if FORMAT not in names:
            return f"is a zip file, but no .pt2 archive; make one with {SAVE_PROGRAM}"
        if VERSION in names and (version := self.read(VERSION).strip()[:20]) != KNOWN_VERSION:
            return (
                f"is an archive of version {version.decode(errors='replace')!r}, expected "
                f"{KNOWN_VERSION.decode()!r}, that of PyTorch 2.8 to 2.13"
            )
        if not self.programs:
            has_compiled = any(n.startswith("data/aotinductor/") for n in names)
            return (
                "is an AOTInductor package, which holds machine code and no program; give the program: "
                + SAVE_PROGRAM
                if has_compiled
                else f"holds no program; make a file with {SAVE_PROGRAM}"
            )
        if len(self.programs) > 1:
            listed = ", ".join(self.programs)
            return (
                f"holds {counted(len(self.programs), 'program')} ({listed}); save each in a "
                "file of its own"
            )
        return None

    @property
    def programs(self) -> list[str]:
        """The names of the programs."""
        return [
            name.removeprefix("models/").removesuffix(".json")
            for name in self._members
            if name.startswith("models/") and name.endswith(".json")
        ]

    @property
    def name(self) -> str:
        """The program's name."""
        return self.programs[0]

    def size_of(self, member: str) -> int:
        """A member's size in bytes. Raises AutosplitError if there is no such member."""
        if member not in self._members:
            raise AutosplitError(f"has no {member}")
        return self._members[member].file_size

    def read(self, member: str) -> bytes:
        """A member's bytes. Raises AutosplitError, naming the file, if they cannot be read."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(self._members[member])
        except _DAMAGED as error:
            raise AutosplitError(
                f"{self.path}: {member} cannot be read: {first_line(error)}"
            ) from None

    def json(self, member: str) -> Json:
        """A member parsed as JSON. Raises AutosplitError, naming the file, if it is not JSON."""
        if (size := self.size_of(member)) > LARGEST_TEXT:
            raise AutosplitError(
                f"{self.path}: {member} has {counted(size, 'byte')}, which no program has"
            )
        try:
            text = self.read(member).decode()
            content = json.loads(text)
            if "\\ud" in text or "\\uD" in text:
                # A lone surrogate can be neither written nor shown.
                json.dumps(content, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise AutosplitError(
                f"{self.path}: {member} is not JSON: {first_line(error)}"
            ) from None
        if not isinstance(content, dict):
            raise AutosplitError(f"{self.path}: {member} is not a JSON object")
        return cast("Json", content)

    @cached_property
    def program(self) -> Json:
        """The program. Raises AutosplitError for another version of the schema."""
        program = self.json(f"models/{self.name}.json")
        version: object = program.get("schema_version")
        major: object = cast("Json", version).get("major") if isinstance(version, dict) else None
        if major != MAJOR:
            by = program.get("torch_version", "another PyTorch")
            raise AutosplitError(
                f"{self.path}: its program is of version {major} of the schema (saved by {by}), expected "
                f"{MAJOR}; save it again with torch.export.save of PyTorch 2.8 or later"
            )
        return program

    def tensors(self) -> dict[str, TensorRecord]:
        """The tensors by name, weights first. Raises AutosplitError, naming the file, for damage."""
        records: dict[str, TensorRecord] = {}
        for folder, table in (("weights", "weights"), ("constants", "constants")):
            member = f"data/{folder}/{self.name}_{table}_config.json"
            if member not in self._members:
                raise AutosplitError(f"{self.path}: has no {member}")
            listed = self.json(member).get("config")
            if not isinstance(listed, dict):
                raise AutosplitError(f"{self.path}: {member} does not list tensors")
            for fqn, entry in cast("Mapping[str, Json]", listed).items():
                records[fqn] = self._record(fqn, f"data/{folder}", entry)
        return records

    def _record(self, fqn: str, folder: str, entry: Json) -> TensorRecord:
        try:
            record = TensorRecord(fqn, self, f"{folder}/{entry['path_name']}", entry)
            record.check()
        except AutosplitError as error:
            raise AutosplitError(f"{self.path}: {error}") from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise AutosplitError(
                f"{self.path}: what it says of the tensor {fqn!r} is damaged: {type(error).__name__} {error}"
            ) from None
        return record


def _numbers(sizes: list[Json]) -> tuple[int, ...]:
    return tuple(_number(size) for size in sizes)


def _number(size: Json) -> int:
    number = size["as_int"]
    if not isinstance(number, int):
        raise ValueError(f"a size is {number!r}, expected an integer")
    return number
