"""Finding TPU-MLIR, the compiler for Sophgo's chips, and setting it up. Its Python is never imported.

The search itself is `bmodel_compile.find_toolchain`, which compile scripts use too.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.toolchains import bmodel_compile
from autosplit.toolchains.bmodel_compile import TPU_MLIR_VERSION, VARIABLE, CompileError
from autosplit.toolchains.installing import locked, run_pip, staging

__all__ = ["TPU_MLIR_VERSION", "VARIABLE", "TpuMlir", "discover", "find", "install", "user_folder"]

log = logging.getLogger("autosplit")

NEEDED = 1_300_000_000
"""Bytes that an installation needs while it is made; 930 MB stay."""

START_TIMEOUT = 120
"""Seconds for the tool chain to say its version."""


@dataclass(frozen=True)
class TpuMlir:
    """A TPU-MLIR on this machine."""

    root: Path
    """The folder `tpu_mlir`; it may be read-only."""
    version: str
    """`unknown` where nothing beside the folder says it."""

    @property
    def tpuc_opt(self) -> Path:
        """The compiler."""
        return self.root / "bin" / "tpuc-opt"

    @property
    def model_tool(self) -> Path:
        """What describes bmodels."""
        return self.root / "bin" / "model_tool"

    def environment(self) -> dict[str, str]:
        """All that its tools need in their environment."""
        with _one_line():
            return bmodel_compile.environment(str(self.root))


def discover() -> TpuMlir:
    """The TPU-MLIR to use: what AUTOSPLIT_TPU_MLIR names, or the user's own, or an installed package.

    Raises AutosplitError, which says how to get one, where there is none, and where it does not run here.
    """
    with _one_line():
        root = bmodel_compile.find_toolchain()
    return _checked(root)


def find() -> TpuMlir | None:
    """The TPU-MLIR to use, or None where there is none that runs."""
    try:
        return discover()
    except AutosplitError:
        return None


def user_folder() -> Path:
    """Where `install` puts it."""
    return Path(bmodel_compile.user_folder())


@cache
def _checked(root: str) -> TpuMlir:
    """The tool chain in `root`, which really runs."""
    tools = TpuMlir(Path(root), bmodel_compile.toolchain_version(root))
    if problem := _start_problem(tools):
        raise AutosplitError(f"{tools.tpuc_opt}: does not run on this system: {problem}")
    if tools.version != TPU_MLIR_VERSION:
        log.warning(
            "%s: is TPU-MLIR %s; all was measured with %s", root, tools.version, TPU_MLIR_VERSION
        )
    return tools


def _start_problem(toolchain: TpuMlir) -> str:
    """Why the compiler does not start, or ''."""
    try:
        done = subprocess.run(
            [str(toolchain.tpuc_opt), "--version"],
            env=toolchain.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=START_TIMEOUT,
        )
    except OSError as e:
        return e.strerror or str(e)
    except subprocess.TimeoutExpired:
        return f"it did not answer within {START_TIMEOUT} s"
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines()
    ending = bmodel_compile.ending(done.returncode)
    return f"it {ending}: {lines[-1]}" if lines else f"it {ending}"


def install(
    progress: Callable[[str], None] = lambda _: None,
    folder: Path | None = None,
    force: bool = False,
) -> TpuMlir:
    """Sets TPU-MLIR up in `folder`, by default the user's own, with pip; returns what is there.

    One that is there already and works stays, unless `force`. Processes that do this at once wait for each
    other, and what is in `folder` is complete at any time. Raises AutosplitError where it cannot be had, or
    does not run here.
    """
    folder = (user_folder() if folder is None else folder).expanduser().absolute()
    with _one_line():
        bmodel_compile.system_library_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder, "TPU-MLIR", progress):
            there = bmodel_compile.toolchain_in(str(folder))
            if there is not None and not force:
                return _usable(there)
            return _install(progress, folder)
    except OSError as e:
        raise AutosplitError(f"{folder}: TPU-MLIR cannot be set up there: {e}") from e


def _usable(root: str) -> TpuMlir:
    """The tool chain that is in `root`; the error of one that does not work says how to replace it."""
    try:
        with _one_line():
            bmodel_compile.find_toolchain(root)
        return _checked(root)
    except AutosplitError as e:
        raise AutosplitError(f"{e}; --force replaces it") from None


def _install(progress: Callable[[str], None], folder: Path) -> TpuMlir:
    old = bmodel_compile.toolchain_in(str(folder))
    if old is None and folder.is_dir() and any(folder.iterdir()):
        raise AutosplitError(f"{folder}: holds something else than TPU-MLIR; name another folder")
    with staging(folder, "TPU-MLIR", NEEDED) as part:
        _pip_install(progress, part)
        progress("checking TPU-MLIR")
        toolchain = TpuMlir(part / "tpu_mlir", TPU_MLIR_VERSION)
        if problem := _start_problem(toolchain):
            raise AutosplitError(f"TPU-MLIR was downloaded, but does not run here: {problem}")
        replaced = folder.with_name(f".{folder.name}.old")
        shutil.rmtree(replaced, ignore_errors=True)
        if folder.exists():
            folder.rename(replaced)
        part.rename(folder)
        shutil.rmtree(replaced, ignore_errors=True)
    _checked.cache_clear()
    return _checked(str(folder / "tpu_mlir"))


def _pip_install(progress: Callable[[str], None], target: Path) -> None:
    progress(f"downloading TPU-MLIR {TPU_MLIR_VERSION} (310 MB)")

    def tell(line: str) -> None:
        if line.startswith("Installing collected"):
            progress("unpacking TPU-MLIR (930 MB)")

    # What its Python needs, and which one, does not matter: only its programs are used.
    arguments = ["install", "--no-deps", "--ignore-requires-python", "--only-binary", ":all:"]
    arguments += ["--no-user", "--no-compile", "--target", str(target)]
    run_pip(arguments, f"tpu-mlir=={TPU_MLIR_VERSION}", f"set {VARIABLE} to that folder", tell)


@contextmanager
def _one_line() -> Generator[None]:
    try:
        yield
    except CompileError as e:
        raise AutosplitError(str(e)) from e
