"""What setting up a tool chain takes: pip, in a process of its own, and a lock for a folder."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.toolchains import bmodel_compile

INSTALL_TIMEOUT = 3600
"""Seconds for pip."""


def run_pip(
    arguments: Sequence[str],
    requirement: str,
    instead: str,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Runs pip on a requirement; `tell` is told each line that it prints.

    `instead` says what to do where pip cannot do it. Raises AutosplitError then.
    """
    by_hand = f"pip {' '.join(arguments)} {requirement}"
    if find_spec("pip") is None:
        raise AutosplitError(
            f"{sys.executable} has no pip: run `{sys.executable} -m ensurepip`, or, with another Python,"
            f" `{by_hand}`, and {instead}"
        )
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "pip", *arguments, *options, requirement],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # If pip outlived this process, it would be in the way of the next one.
        preexec_fn=bmodel_compile.tied(),
    )
    timer = threading.Timer(INSTALL_TIMEOUT, running.kill)
    timer.start()
    printed: list[str] = []
    try:
        assert running.stdout is not None
        for line in running.stdout:
            printed.append(line.strip())
            tell(line)
        rc = running.wait()
    finally:
        timer.cancel()
        running.kill()
        running.wait()
    if rc == 0:
        return
    errors = [line.removeprefix("ERROR: ") for line in printed if line.startswith("ERROR: ")]
    why = (errors or printed or ["no message"])[-1]
    raise AutosplitError(
        f"pip could not install {requirement} ({bmodel_compile.ending(rc)}): {why}; "
        f"where the package is at hand, `{by_hand}`, and {instead}"
    )


@contextmanager
def locked(folder: Path, name: str, progress: Callable[[str], None]) -> Generator[None]:
    """Holds `folder` for this process; waits where another one sets up the tool chain `name` there."""
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"waiting for another process that installs {name}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def staging(folder: Path, name: str, needed: int) -> Generator[Path]:
    """The place beside `folder` where its contents are made; whatever is left there goes.

    The caller must hold `folder`. Raises AutosplitError if there is no room for `needed` bytes.
    """
    if (free := shutil.disk_usage(folder.parent).free) < needed:
        raise AutosplitError(
            f"{folder}: {name} needs {needed / 1e9:.1f} GB to be set up, {free / 1e9:.1f} GB are free"
        )
    part = folder.with_name(f".{folder.name}.part")
    # Left by a process that was killed.
    shutil.rmtree(part, ignore_errors=True)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
