"""Engines that take turns: each waits in a process of its own until it is asked to run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from autosplit.core.children import environment
from autosplit.core.errors import AutosplitError
from autosplit.runtime.latency.engines import TITLES
from autosplit.toolchains.bmodel_compile import tied

Array = NDArray[Any]

PAUSE = 0.05
"""Threads that wait for work spin for some 20 ms, and would take the other side's processors."""


@dataclass(frozen=True)
class Side:
    """A model in an engine, as one line of a comparison."""

    engine: str
    precision: str
    """`f32` or `int8`."""
    model: Path
    """A compiled folder for autosplit."""

    @property
    def title(self) -> str:
        return f"{TITLES[self.engine]} {self.precision}"


class Child:
    """A process that has loaded one side; used as a context, which it ends with."""

    def __init__(self, side: Side, feeds: Mapping[str, Array], threads: int, folder: Path):
        self.side = side
        self._folder = folder
        self._errors = folder / "errors.txt"
        work = {"engine": side.engine, "model": str(side.model.absolute()), "threads": threads}
        self._process = start(work, feeds, threads, folder)
        try:
            self.version: str = self._answer()["version"]
            with np.load(folder / "outputs.npz") as stored:
                self.outputs: dict[str, Array] = {name: stored[name] for name in stored.files}
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process:
            self._process.kill()

    def run(self, count: int) -> list[float]:
        """The seconds of `count` runs."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        return read_answer(self._process, self._folder, self.side.title)


def start(
    work: Mapping[str, object], feeds: Mapping[str, Array], threads: int, folder: Path
) -> subprocess.Popen[str]:
    """Starts a child that works in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "work.json").write_text(json.dumps(work))
    np.savez(folder / "feeds.npz", **dict(feeds))
    own = environment()
    if threads:
        own["OMP_NUM_THREADS"] = str(threads)
    with (folder / "errors.txt").open("w") as errors:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "autosplit.runtime.latency.work", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=own,
            preexec_fn=tied(),
        )


def read_answer(process: subprocess.Popen[str], folder: Path, title: str) -> Any:
    """The next line that a child answers with. Raises AutosplitError where it has ended instead."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if line:
        return json.loads(line)
    process.wait()
    errors = (folder / "errors.txt").read_text(errors="replace").split("\n")
    lines = [text.strip() for text in errors if text.strip()]
    last = lines[-1] if lines else f"its process ended with {process.returncode}"
    raise AutosplitError(f"{title} cannot run the model: {last.replace(f'{folder}{os.sep}', '')}")


@dataclass(frozen=True)
class Times:
    """The seconds of one side: rounds by runs."""

    side: Side
    version: str
    seconds: Array
    outputs: Mapping[str, Array]

    @property
    def least(self) -> float:
        return float(self.seconds.min())

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    def ratio(self, other: Times) -> tuple[float, float, float]:
        """This side's time over `other`'s, for the best runs of each round: the median and the borders of
        the middle half."""
        ratios: list[float] = (self.seconds.min(axis=1) / other.seconds.min(axis=1)).tolist()
        low, middle, high = (float(np.percentile(ratios, q)) for q in (25, 50, 75))
        return middle, low, high


def take_turns(children: Sequence[Child], rounds: int, runs: int) -> tuple[list[Times], float]:
    """Times all children in turns, in the opposite order in every second round.

    Also returns which share of the processors nobody used in the pauses: less than most of them means that
    other programs were at work.
    """
    seconds: list[list[list[float]]] = [[] for _ in children]
    idle: list[float] = []
    for number in range(rounds):
        order = list(range(len(children)))
        for index in order if number % 2 == 0 else reversed(order):
            before = _processor_times()
            time.sleep(PAUSE)
            spent = _processor_times() - before
            idle.append(float(spent[3] / max(spent.sum(), 1)))
            seconds[index].append(children[index].run(runs))
    times = [
        Times(child.side, child.version, np.array(own), child.outputs)
        for child, own in zip(children, seconds, strict=True)
    ]
    return times, float(np.median(idle)) if idle else 1.0


def _processor_times() -> Array:
    """User, nice, system, idle, ... of all processors, in ticks; the fourth is idle."""
    try:
        line = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return np.zeros(8)
    return np.array([int(n) for n in line.split()[1:9]], float)
