"""Processes that work for this one, and end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autosplit.toolchains.bmodel_compile import tied

GRACE = 5.0
"""Seconds that killed processes get to be gone: on a busy machine that takes a moment."""


Started = subprocess.Popen[str]
"""A process that runs."""


@dataclass(frozen=True)
class Done:
    """A process that has ended."""

    code: int
    seconds: float
    errors: str
    """What it wrote to standard error."""
    timed_out: bool = False

    @property
    def last_line(self) -> str:
        """The last line of its errors; "" where there is none."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        return lines[-1] if lines else ""


class Children:
    """Runs processes from several threads; `end` ends them all, with what they started.

    They end with this process too, however it ends.
    """

    def __init__(self) -> None:
        self.ended = False
        """Whether `end` was called."""
        self._lock = threading.Lock()
        self._running: set[Started] = set()

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        timeout: float,
    ) -> Done:
        """Runs a command until it ends or its time is up."""
        return self.finish(self.start(command, folder, environment), timeout)

    def start(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> Started | None:
        """Starts a command, which `finish` must wait for; None where `end` was called."""
        with self._lock:
            if self.ended:
                return None
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                # Ctrl-C is for this process, which then ends the others as a group.
                start_new_session=True,
                preexec_fn=tied(),
            )
            self._running.add(process)
        return process

    def finish(self, process: Started | None, timeout: float, text: str = "") -> Done:
        """Waits until a command ends or its time is up; `text` is its input."""
        start = time.perf_counter()
        if process is None:
            return Done(-signal.SIGTERM, 0.0, "")
        timed_out = False
        try:
            try:
                _, errors = process.communicate(text, timeout)
            except subprocess.TimeoutExpired:
                timed_out = True
                _end(process)
                _, errors = process.communicate()
        finally:
            _end(process)
            with self._lock:
                self._running.discard(process)
        return Done(process.returncode, time.perf_counter() - start, errors, timed_out)

    def end(self) -> None:
        """Ends all processes; no more are started."""
        with self._lock:
            self.ended = True
            running = list(self._running)
        for process in running:
            _end(process)


def _end(process: Started) -> None:
    """Ends a process and all that it started; returns when they are gone, or after `GRACE`."""
    deadline = time.monotonic() + GRACE
    # The group outlives its first process where that left others behind.
    if not _kill_group(process.pid):
        return
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    # The others are not this process's to wait for.
    while _kill_group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.005)


def _kill_group(group: int) -> bool:
    """Whether there was anything to kill."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True
