"""Times against the budgets: starting up, and splitting a detector of each framework.

CPU seconds, the best of several runs; `ratio` is the share of the budget, and above 1 the run fails.

    python benchmarks/bench_split.py [--repeat N] [--only NAME]
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

from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.testing.models import ModelUnavailable, model_path
from autosplit.testing.zoos.mxnet import gluoncv_model

TOOL = str(Path(sys.executable).parent / "autosplit")


STARTS = {
    "import autosplit": [sys.executable, "-c", "import autosplit"],
    "autosplit --help": [TOOL, "--help"],
}


def child_seconds(command: Sequence[str]) -> float:
    """CPU seconds of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@dataclass(frozen=True)
class Detector:
    """A model, and CPU seconds that splitting it may take."""

    name: str
    seconds: float
    find: Callable[[], Path]
    inputs: dict[str, tuple[int, ...]]

    def options(self, folder: str, progress: Callable[[str], None]) -> SplitOptions:
        inputs = {name: InputSpec(shape) for name, shape in self.inputs.items()}
        out = Path(folder) / "out"
        return SplitOptions(self.find(), out, inputs, target="bm1684x", progress=progress)

    def steps(self) -> dict[str, float]:
        """CPU seconds of one split in this process by step, framework runs (other processes) aside."""
        marks: list[tuple[str, float]] = []
        with tempfile.TemporaryDirectory() as folder:
            options = self.options(folder, lambda text: marks.append((text, time.process_time())))
            marks.append(("", time.process_time()))
            split_model(options)
            marks.append(("", time.process_time()))
        steps: dict[str, float] = {}
        for (name, begin), (_, end) in pairwise(marks):
            steps[name] = steps.get(name, 0.0) + end - begin
        return steps


DETECTORS = (
    # 2,800 nodes; 463 nodes; a network of a hundred layers.
    Detector(
        "tensorflow",
        3.0,
        lambda: model_path("frozen_inference_graph.pb"),
        {"image_tensor": (1, 300, 300, 3)},
    ),
    Detector(
        "mxnet",
        2.0,
        lambda: gluoncv_model("ssd_512_mobilenet1.0_voc", 512),
        {"data": (1, 3, 512, 512)},
    ),
    Detector("caffe", 1.0, lambda: model_path("res10.prototxt"), {"data": (1, 3, 300, 300)}),
)


def main(args: Sequence[str] | None = None) -> int:
    """Runs all and prints a table; 1 where a budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    names = [detector.name for detector in DETECTORS]
    parser.add_argument("--only", choices=names, help="split this framework's detector alone")
    options = parser.parse_args(args)
    failed = False
    print(f"{'what':24} {'CPU s':>8} {'budget':>8} {'ratio':>8}")

    def show(name: str, seconds: float, budget: float) -> None:
        nonlocal failed
        failed |= seconds > budget
        print(f"{name:24} {seconds:8.3f} {budget:8.3f} {seconds / budget:8.2f}", flush=True)

    if options.only is None:
        for name, command in STARTS.items():
            show(name, min(child_seconds(command) for _ in range(options.repeat)), 0.3)
    for detector in DETECTORS:
        if options.only not in (None, detector.name):
            continue
        try:
            runs = [detector.steps() for _ in range(options.repeat)]
        except ModelUnavailable as e:
            print(f"{detector.name} is left out: {e}")
            continue
        best = min(runs, key=lambda steps: sum(steps.values()))
        show(f"split, {detector.name}", sum(best.values()), detector.seconds)
        for name, seconds in best.items():
            print(f"  {name or 'reading':40} {seconds:8.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
