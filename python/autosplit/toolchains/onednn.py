"""Finding oneDNN and preparing the process for it: which libdnnl, whether the file is one, how many threads.

Loading a damaged library can end the process, so its headers are read first.
"""

from __future__ import annotations

import logging
import mmap
import os
import platform
import struct
from importlib import metadata
from pathlib import Path
from typing import Literal

from autosplit.core.errors import AutosplitError, MissingExtraError

log = logging.getLogger("autosplit")

WaitPolicy = Literal["default", "passive"]
"""What idle threads of oneDNN do: spin for a moment, or sleep at once (for hosts where others run too)."""

VARIABLE = "AUTOSPLIT_DNNL_LIB"
"""The environment variable that names another libdnnl than the installed package's."""

_PACKAGE = "onednn-cpu-gomp"
_FILE = "libdnnl.so.3"
_MACHINES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""The `e_machine` of an ELF file -> what `platform.machine` calls it."""


def find_library() -> Path:
    """The libdnnl to load: what AUTOSPLIT_DNNL_LIB names, or else the installed package's.

    Raises AutosplitError where the file is missing, damaged, for another machine or no oneDNN with the
    Graph API, MissingExtraError where nothing is installed.
    """
    if named := os.environ.get(VARIABLE):
        return checked(Path(named).expanduser(), f"{VARIABLE} names {named}")
    try:
        files = metadata.files(_PACKAGE) or []
    except metadata.PackageNotFoundError as e:
        raise MissingExtraError(_PACKAGE, "onednn", "running INT8 partitions") from e
    for file in files:
        if file.name == _FILE:
            return checked(Path(str(file.locate())).resolve(), f"package {_PACKAGE}")
    raise AutosplitError(
        f"package {_PACKAGE} holds no {_FILE}: install it again, or name a library with {VARIABLE}"
    )


def checked(path: Path, named_by: str) -> Path:
    """`path`, if a libdnnl with the Graph API for this machine lies there; AutosplitError if not."""
    if not path.is_file():
        raise AutosplitError(f"{named_by}: no such file {path}; expected a {_FILE}")
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            problem = _problem(data)
    except ValueError:  # An empty file cannot be mapped.
        problem = "is empty"
    except OSError as e:
        problem = f"cannot be read ({e.strerror})"
    if problem is None:
        return path
    raise AutosplitError(f"{named_by}: {path} {problem}; expected a {_FILE} of oneDNN 3.1 or later")


def _problem(data: mmap.mmap) -> str | None:
    """What is wrong with a library's bytes, or None."""
    if len(data) < 64 or data[:4] != b"\x7fELF":
        return "is not a shared library"
    machine = _MACHINES.get(struct.unpack_from("<H", data, 18)[0], "an unknown machine")
    if data[4] != 2 or data[5] != 1 or machine != platform.machine():
        return f"is for {machine}, this machine is {platform.machine()}"
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    if start + size * count > len(data):
        return "is cut off"
    for i in range(count):
        kind, _, offset, _, _, filled = struct.unpack_from("<IIQQQQ", data, start + i * size)
        # Touching a page that the file does not have ends the process with SIGBUS.
        if kind == 1 and offset + filled > len(data):
            return "is cut off"
    if data.find(b"dnnl_graph_compiled_partition_execute\0") >= 0:
        return None
    if data.find(b"dnnl_version\0") >= 0:
        return "is a oneDNN without the Graph API (before 3.0, or built without it)"
    return "is a shared library, but no libdnnl"


def load_failure(path: Path, error: OSError) -> str:
    said = " ".join(str(error).split())
    missing = said.split(":", 1)[0]
    if "cannot open shared object file" in said and missing != str(path):
        hint = " (Debian: apt-get install libgomp1)" if missing.startswith("libgomp") else ""
        return f"{path} needs {missing}, which this system lacks: install it{hint}"
    return f"{path} cannot be loaded: {said}"
