"""The child that runs one engine. It is told on a line how often to run, and answers with the seconds.

    python -m autosplit.runtime.latency.work FOLDER

FOLDER/work.json says engine, model and threads; FOLDER/feeds.npz has the inputs. The first answer, when the
engine is loaded and warm, says its version; FOLDER/outputs.npz has what it computes then. The child ends
with its input.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.runtime.latency.engines import Engine, load
from autosplit.runtime.latency.profile import profile

WARM_UP = 3
"""Runs that do not count: engines compile, pack weights and find their memory in the first ones."""


def main() -> int:
    """Loads, answers, and runs until nobody asks any more."""
    folder = Path(sys.argv[1])
    # Engines, and libraries below them, print: the answers go where they cannot.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        work: dict[str, Any] = json.loads((folder / "work.json").read_text())
        with np.load(folder / "feeds.npz") as stored:
            feeds = {name: stored[name] for name in stored.files}
        model, threads = Path(work["model"]), int(work["threads"])
        if work["engine"] == "profile":
            _answer(answers, profile(model, feeds, threads, int(work["runs"])))
            return 0
        engine = load(work["engine"], model, feeds, threads)
        for _ in range(WARM_UP):
            engine.run()
        np.savez(folder / "outputs.npz", **engine.run())
    except AutosplitError as e:
        print(e, file=sys.stderr)
        return 1
    _answer(answers, {"version": engine.version})
    for line in sys.stdin:
        _answer(answers, _timed(engine, int(line)))
    return 0


def _timed(engine: Engine, runs: int) -> list[float]:
    """The seconds of `runs` runs, after one that wakes the threads."""
    engine.run()
    seconds: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        engine.run()
        seconds.append(time.perf_counter() - start)
    return seconds


def _answer(answers: Any, value: object) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
