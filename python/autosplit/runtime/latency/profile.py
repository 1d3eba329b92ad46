"""Which step of a plan takes how long, and by which implementation of oneDNN's.

The library prints each primitive that it executes, with the name of the implementation. Between those lines
the plan writes which step is next.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.runtime.dnnl.library import library
from autosplit.runtime.latency.engines import open_plan

MARK = "autosplit-step "


@dataclass
class Profiled:
    """One step of a plan."""

    name: str
    kind: str
    """`partition`, `segment` or `copy`."""
    rule: str
    ms: float
    """The median of the timed runs."""
    least_ms: float = 0.0
    """The smallest of them."""
    kernels: list[str] = field(default_factory=list[str])
    """What the library executed for it, as in `convolution brgconv:avx512_core_vnni`, without what it does
    for scales and the like."""
    problem: str = ""
    """The library's own words for the sizes of the largest of them."""


def profile(folder: Path, feeds: Mapping[str, NDArray[Any]], threads: int, runs: int) -> Any:
    """The steps of a plan, as JSON: `steps`, and `overhead`, `least_overhead` and `ms` of a run."""
    return profile_plan(open_plan(folder, threads), feeds, runs)


def profile_plan(plan: Any, feeds: Mapping[str, NDArray[Any]], runs: int) -> Any:
    """The same of a plan that is open."""
    plan.run(feeds)
    plan.run(feeds, timed=True)
    spent: list[list[float]] = []
    before = _spent(plan)
    for _ in range(runs):
        plan.run(feeds, timed=True)
        after = _spent(plan)
        spent.append([b - a for a, b in zip(before, after, strict=True)])
        before = after
    *of_steps, overhead, whole = np.median(np.array(spent) * 1e3, axis=0).tolist()
    *least, least_overhead, _ = np.min(np.array(spent) * 1e3, axis=0).tolist()
    account = plan.account().steps
    steps = [
        Profiled(s.name, s.kind, s.rule, ms, low)
        for s, ms, low in zip(account, of_steps, least, strict=True)
    ]
    if plan.isa:
        lines = _verbose_lines(plan, feeds)
        for step in steps:
            step.kernels, step.problem = kernels_of(lines.get(step.name, []))
    return {
        "steps": [asdict(step) for step in steps],
        "overhead": overhead,
        "least_overhead": least_overhead,
        "ms": whole,
    }


def _spent(plan: Any) -> list[float]:
    """The seconds so far, of each step, of what lies between them, and of all."""
    account = plan.account()
    return [*(s.seconds for s in account.steps), account.overhead, account.seconds]


def _verbose_lines(plan: Any, feeds: Mapping[str, NDArray[Any]]) -> dict[str, list[str]]:
    """What the library says in one run, by the step's name."""

    def told(name: str) -> None:
        os.write(1, f"{MARK}{name}\n".encode())

    with tempfile.TemporaryFile() as file:
        own = os.dup(1)
        os.dup2(file.fileno(), 1)
        library().set_verbose(1)
        try:
            plan.run(feeds, told=told)
        finally:
            library().set_verbose(0)
            os.dup2(own, 1)
            os.close(own)
        file.seek(0)
        return by_step(file.read().decode(errors="replace"))


def by_step(text: str) -> dict[str, list[str]]:
    """The library's lines, by the step that was marked before them."""
    steps: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(MARK):
            lines = steps.setdefault(line.removeprefix(MARK), [])
        elif line.startswith("onednn_verbose,exec,"):
            lines.append(line)
    return steps


def kernels_of(lines: list[str]) -> tuple[list[str], str]:
    """The implementations in these lines, and the sizes of what took longest.

    Copies of single numbers and of vectors prepare scales: where anything else is there, they say nothing.
    """
    rows = [line.split(",") for line in lines]
    rows = [row for row in rows if len(row) >= 11]
    larger = [row for row in rows if row[3] != "reorder"] or rows
    names = list(dict.fromkeys(f"{row[3]} {row[4]}" for row in larger))
    longest = max(larger, key=lambda row: float(row[-1]), default=None)
    return names, "" if longest is None else longest[-2]
