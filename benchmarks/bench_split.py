"""Times against the budgets: starting up, and splitting the 2,800-node TensorFlow detector.

CPU seconds, the best of several runs; `ratio` is the share of the budget, and above 1 the run fails.

    python benchmarks/bench_split.py [--repeat N] [--model FILE]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autosplit.testing.models import ModelUnavailable, model_path

TOOL = str(Path(sys.executable).parent / "autosplit")


@dataclass(frozen=True)
class Budget:
    """What is measured, and the CPU seconds that it may take."""

    name: str
    seconds: float
    measure: Callable[[], float]


def child_seconds(command: Sequence[str]) -> float:
    """CPU seconds of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def split_seconds(model: Path) -> float:
    """CPU seconds of one split in this process, framework runs (which are other processes) aside."""
    from autosplit.flows.split import split_model
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.specs import InputSpec

    with tempfile.TemporaryDirectory() as folder:
        options = SplitOptions(
            model=model,
            out=Path(folder) / "out",
            inputs={"image_tensor": InputSpec((1, 300, 300, 3))},
            target="bm1684x",
        )
        started = time.process_time()
        split_model(options)
        return time.process_time() - started


def step_seconds(model: Path) -> dict[str, float]:
    """Where the time of a split goes: CPU seconds by step."""
    from autosplit.flows.split import split_model
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.specs import InputSpec

    marks: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        split_model(
            SplitOptions(
                model=model,
                out=Path(folder) / "out",
                inputs={"image_tensor": InputSpec((1, 300, 300, 3))},
                target="bm1684x",
                progress=lambda text: marks.append((text, time.process_time())),
            )
        )
        marks.append(("", time.process_time()))
    steps: dict[str, float] = {}
    for (name, begin), (_, end) in pairwise(marks):
        steps[name] = steps.get(name, 0.0) + end - begin
    return steps


def main(args: Sequence[str] | None = None) -> int:
    """Runs all and prints a table; 1 where a budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--model", type=Path, help="another frozen graph with an image_tensor")
    options = parser.parse_args(args)
    budgets = [
        Budget(
            "import autosplit",
            0.3,
            lambda: child_seconds([sys.executable, "-c", "import autosplit"]),
        ),
        Budget("autosplit --help", 0.3, lambda: child_seconds([TOOL, "--help"])),
    ]
    model: Path | None = options.model
    try:
        model = model or model_path("frozen_inference_graph.pb")
        detector = model
        budgets.append(Budget("split the detector", 3.0, lambda: split_seconds(detector)))
    except ModelUnavailable as e:
        print(f"the detector is left out: {e}")
    failed = False
    print(f"{'what':24} {'CPU s':>8} {'budget':>8} {'ratio':>8}")
    for budget in budgets:
        seconds = min(budget.measure() for _ in range(options.repeat))
        ratio = seconds / budget.seconds
        failed |= ratio > 1
        print(f"{budget.name:24} {seconds:8.3f} {budget.seconds:8.3f} {ratio:8.2f}", flush=True)
    if model is not None:
        print("\nsteps of the split, CPU s")
        for name, seconds in step_seconds(model).items():
            print(f"  {name:40} {seconds:8.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
