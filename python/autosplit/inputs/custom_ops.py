"""Libraries of a user's own ops: what is given of them, whether they load, how a folder keeps them.

A library is a shared object for the model's framework: for ONNX Runtime one that exports
`RegisterCustomOps`, for TensorFlow what `tf.load_op_library` takes, for PyTorch what `torch.ops.load_library`
takes, or a Python file that registers ops. Loading one runs its code.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from filecmp import cmp
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias, cast

from autosplit.core.children import run_child
from autosplit.core.errors import AutosplitError
from autosplit.core.scratch import scratch_folder

CustomOps: TypeAlias = "Path | str | Sequence[Path | str]"
"""A library, or several."""

Libraries: TypeAlias = tuple[Path, ...]
"""Absolute paths of libraries that are there, in the order in which they are loaded."""

FOLDER = "custom_ops"
"""Where a folder of sub-models keeps its libraries."""

MODULES = {"onnx": "onnxruntime", "pytorch": "torch", "tensorflow": "tensorflow"}
"""What must be installed for a platform's libraries to be loaded."""

PYTHON = ".py"
"""The ending of files that only PyTorch's models take."""

_ELF = b"\x7fELF"


def libraries(value: CustomOps | None) -> Libraries:
    """The libraries, each once.

    Raises AutosplitError for a path that is neither a Python file nor a shared object for this machine.
    """
    if not isinstance(cast("object", value), str | Path | list | tuple | None):
        raise AutosplitError(f"custom_ops is {value!r}, expected the path of a library, or several")
    listed = [value] if isinstance(value, str | Path) else [*(value or ())]
    for path in cast("list[object]", listed):
        if not isinstance(path, str | Path):
            raise AutosplitError(
                f"custom_ops holds a {type(path).__name__}, expected the path of a library"
            )
    paths = tuple(dict.fromkeys(Path(path).absolute() for path in listed))
    for path in paths:
        _check_library(path)
    return paths


def _check_library(path: Path) -> None:
    """Raises if this machine's linker cannot take a file, as far as its first bytes tell.

    Python files are taken.
    """
    what = f"--custom-ops {path}"
    if not path.is_file():
        state = "is a folder" if path.is_dir() else "there is no such file"
        raise AutosplitError(f"{what}: {state}; expected a shared library")
    if path.suffix == PYTHON:
        return
    try:
        head = _head(path)
    except OSError as error:
        raise AutosplitError(f"{what}: cannot be read: {error.strerror}") from None
    own = _head(Path(sys.executable))
    if not own.startswith(_ELF):
        return
    if not head.startswith(_ELF):
        raise AutosplitError(
            f"{what}: is not a shared library, it starts with {head[:8]!r}; expected a compiled one (ELF)"
        )
    # The class, the order of bytes, and the machine.
    if (head[4:6], head[18:20]) != (own[4:6], own[18:20]):
        raise AutosplitError(
            f"{what}: was compiled for another kind of machine than this one, which is {os.uname().machine}"
        )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(20)


def check_loading(platform: str, paths: Libraries) -> dict[str, list[str]]:
    """Loads libraries once, in a process of its own, where the platform's framework is installed.

    Returns what the outputs of TensorFlow's ops in them are called, by type: `name`, or `name*attribute`
    where the attribute says how many there are; of PyTorch's ops the arguments that they write to. Raises
    AutosplitError with the reason where one of them does not load.
    """
    scripts = [path for path in paths if path.suffix == PYTHON]
    if scripts and platform != "pytorch":
        raise AutosplitError(
            f"--custom-ops {scripts[0]}: is a Python file, which only PyTorch models take; expected a "
            "shared library"
        )
    if not paths or find_spec(MODULES.get(platform, platform)) is None:
        return {}

    names = ", ".join(map(str, paths))
    with scratch_folder("loading custom ops") as folder:
        request = {"platform": platform, "libraries": [str(path) for path in paths]}
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        answer = run_child(
            "runtime.frameworks.load_libraries", folder, f"--custom-ops {names}: loading it"
        )
    if error := answer["error"]:
        raise AutosplitError(f"--custom-ops {error}")
    return answer["ops"]


def loaded_twin(path: Path) -> Path | None:
    """A file of the same content as a library, or itself, that is loaded in this process already."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    size = path.stat().st_size
    for name in dict.fromkeys(line[73:] for line in lines.splitlines()):
        other = Path(name)
        same_size = other.is_absolute() and other.is_file() and other.stat().st_size == size
        if same_size and cmp(path, other, shallow=False):
            return other
    return None


def copy_libraries(paths: Libraries, folder: Path) -> list[str]:
    """Copies libraries into a folder of sub-models; returns the copies' names, relative to it."""
    names: list[str] = []
    for i, path in enumerate(paths):
        own = path.name if path.name.isprintable() else "library.so"
        # Two folders may have libraries of the same name.
        name = f"{FOLDER}/{own}" if f"{FOLDER}/{own}" not in names else f"{FOLDER}/{i}/{own}"
        names.append(name)
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
        except OSError as error:
            raise AutosplitError(
                f"--custom-ops {path}: cannot be copied into the folder: {error.strerror}"
            ) from error
    return names


def with_advice(line: str, paths: Sequence[Path]) -> str:
    """What a framework says is wrong with a model; and where it does not know an op, what to do."""
    if not any(sign in line for sign in _UNKNOWN_OP):
        return line
    # TensorFlow goes on about packages of its first release.
    line = line.partition(". Make sure the Op")[0]
    if paths:
        names = ", ".join(path.name for path in paths)
        return f"{line}; it is in none of the libraries of --custom-ops ({names})"
    return f"{line}; where a library of custom ops has it, give that with --custom-ops LIBRARY"


_UNKNOWN_OP = (
    "is not a registered function/op",
    "No Op registered for",
    "Op type not registered",
)


def why_not_loaded(text: str) -> str:
    """Why the linker or a framework does not take a library, in one line of what it says."""
    line = " ".join(text.split())
    if "undefined symbol: RegisterCustomOps" in line:
        return "has no function RegisterCustomOps, which ONNX Runtime asks for"
    if "cannot open shared object file" in line:
        needed = line.partition(":")[0]
        of = ", as libraries for TensorFlow do" if needed.startswith("libtensorflow") else ""
        return f"needs {needed}, which the linker does not find{of}"
    if "undefined symbol: " in line:
        symbol = line.partition("undefined symbol: ")[2].split()[0]
        return f"needs {symbol}, which this release does not have; compile it for this one"
    return line
