"""Runs a module of this package in a separate process, where a framework may crash or hang."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import Signals
from typing import Any

from autosplit.core.errors import AutosplitError

TIMEOUT = 900.0
"""Seconds that a process may take."""


def run_child(module: str, folder: Path, task: str) -> Any:
    """Runs a module, such as `runtime.frameworks.tensorflow`, on a prepared folder; reads its answer.json.

    `task`: what it does, for errors, as in `measuring shapes in TensorFlow`.
    """
    try:
        process = in_process(module, folder)
    except subprocess.TimeoutExpired:
        raise AutosplitError(f"{task} took more than {TIMEOUT:.0f} s") from None
    answer = folder / "answer.json"
    if process.returncode != 0 or not answer.is_file():
        lines = [line for line in process.stderr.splitlines() if line.strip()]
        last_line = lines[-1] if lines else f"ended by {_ending(process.returncode)}"
        raise AutosplitError(f"{task} failed: {last_line.replace(f'{folder}{os.sep}', '')}")
    return json.loads(answer.read_text(encoding="utf-8"))


def in_process(module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a module of this package on a folder, in a new process."""
    command = [sys.executable, "-P", "-m", f"autosplit.{module}", str(folder)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, env=environment(), check=False
    )


def environment() -> dict[str, str]:
    """The environment of such a process."""
    # Some of TensorFlow's conversions depend on the order of sets of strings.
    return {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, "PYTHONHASHSEED": "0"}


def _ending(code: int) -> str:
    """The signal that ended a process, or its exit code."""
    try:
        return Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def answer_parent(answer: Callable[[Path], object], args: Sequence[str] | None = None) -> int:
    """The child's side of `run_child`: writes answer.json into the folder that the command line names.

    An AutosplitError of `answer` goes to the parent as a line on stderr and the code 1.
    """
    (name,) = sys.argv[1:] if args is None else args
    folder = Path(name)
    try:
        result = answer(folder)
    except AutosplitError as error:
        print(error, file=sys.stderr)
        return 1
    (folder / "answer.json").write_text(json.dumps(result), encoding="utf-8")
    return 0
