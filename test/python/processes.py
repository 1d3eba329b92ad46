"""Processes of tests: waiting for them, and finding what one left running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120.0
"""Seconds that anything may take on a busy machine; only a failure takes that long."""


def wait_until(condition: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Returns once the condition holds; fails with `what` where it does not come to that."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"waited {patience:g} s for {what}"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended; one that nobody waited for yet has."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    # What it is called stands in parentheses, and may hold some.
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def wait_for_pid(mark: Path) -> int:
    """The number that a program writes into a file, once it is there."""

    def written() -> bool:
        return mark.exists() and mark.read_text().endswith("\n")

    wait_until(written, f"a process's number in {mark}")
    return int(mark.read_text())


def wait_for_end(pid: int) -> None:
    """Returns once a process runs no more, however long the system needs for that."""
    wait_until(lambda: not runs(pid), f"the end of process {pid}")


def wait_for_main(process: subprocess.Popen[str]) -> None:
    """Returns once `autosplit` has started, so that signals are answered by it and not by Python itself."""

    def catches() -> bool:
        assert process.poll() is None, process.communicate()
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        return bool(caught >> (signal.SIGTERM - 1) & 1)

    wait_until(catches, "the start of autosplit")


class Family:
    """What runs with a variable of its own in its environment: a process and all that it started.

    The variable is TMPDIR, which goes to every process, and names a folder that should be empty at the end.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()

    def environment(self, **more: str) -> dict[str, str]:
        """The environment for the first one."""
        return {**os.environ, "TMPDIR": str(self.folder), **more}

    def running(self) -> dict[int, str]:
        """What runs now: the number and the command of each."""
        entry = f"TMPDIR={self.folder}".encode()
        found: dict[int, str] = {}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if entry in (path / "environ").read_bytes().split(b"\0"):
                    found[int(path.name)] = (path / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
        return {pid: command for pid, command in found.items() if runs(pid)}

    def has(self, *words: str) -> bool:
        """Whether a process runs whose command holds all these words."""
        return any(all(w in command for w in words) for command in self.running().values())

    def wait_for_end(self) -> None:
        """Returns once nothing of it runs any more."""
        deadline = time.monotonic() + PATIENCE
        while left := self.running():
            assert time.monotonic() < deadline, f"still running: {left}"
            time.sleep(0.02)
