"""INT8 modules beside Intel's extension for PyTorch: the same nn.Modules, each quantized by its own default.

    python benchmarks/ipex/latency.py PYTHON [--models NAME,...] [--threads N] [--rounds N] [--runs N]
                                             [--json FILE]

PYTHON has torch 2.8 and intel-extension-for-pytorch 2.8, the last release; autosplit runs in the Python
that runs this. Both wait in processes of their own and run in turns. Prints a table in Markdown: the
smallest and the median time in ms, what autosplit takes of the extension's time (the median of the rounds,
and the quartiles), and how near the outputs are to float32, autosplit's first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

CHILD = Path(__file__).resolve().parent / "child.py"
MODELS = ("resnet50", "bert-base", "yolov8n")
PAUSE = 0.05
"""Threads that wait for work spin for a moment."""


class Side:
    """A process that has loaded one network."""

    def __init__(self, stack: ExitStack, python: str, side: str, name: str, threads: int):
        self.outputs = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "outputs.npz"
        command = [python, str(CHILD), side, name, str(threads), str(self.outputs)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        stack.callback(self.process.wait)
        stack.callback(self.process.kill)
        self.version: str = self.answer()

    def answer(self) -> Any:
        """The next line of JSON; other lines are what libraries print."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                return json.loads(line)
            except ValueError:
                print(line, end="", file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, self.process.args))}: ended")

    def run(self, count: int) -> list[float]:
        """The seconds of so many runs."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return self.answer()

    def cosine(self) -> float:
        """The smallest cosine of the outputs to those in float32."""
        with np.load(self.outputs) as stored:
            count = sum(name.startswith("f32_") for name in stored.files)
            pairs = [
                (stored[f"f32_{i}"].ravel(), stored[f"int8_{i}"].ravel()) for i in range(count)
            ]
        return min(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)) for a, b in pairs)


def measure(python: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One network on both sides."""
    with ExitStack() as stack:
        sides = [
            Side(stack, sys.executable, "autosplit", name, options.threads),
            Side(stack, python, "extension", name, options.threads),
        ]
        seconds: list[list[list[float]]] = [[], []]
        for number in range(options.rounds):
            for index in (0, 1) if number % 2 == 0 else (1, 0):
                time.sleep(PAUSE)
                seconds[index].append(sides[index].run(options.runs))
        times = [np.array(s) * 1000 for s in seconds]
        ratios = times[0].min(1) / times[1].min(1)
        return {
            "network": name,
            "threads": options.threads,
            "versions": [side.version for side in sides],
            "least": [round(float(t.min()), 3) for t in times],
            "median": [round(float(np.median(t)), 3) for t in times],
            "ratio": [round(float(np.percentile(ratios, q)), 3) for q in (50, 25, 75)],
            "cosine": [round(side.cosine(), 5) for side in sides],
        }


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    cells = [f"{a:.2f} ({b:.2f})" for a, b in zip(found["least"], found["median"], strict=True)]
    middle, low, high = found["ratio"]
    near = " / ".join(f"{c:.4f}" for c in found["cosine"])
    return f"| {found['network']} | {cells[0]} | {cells[1]} | {middle:.2f} ({low:.2f}-{high:.2f}) | {near} |"


def main(args: Sequence[str] | None = None) -> int:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("python", metavar="PYTHON")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(args)
    found: list[dict[str, Any]] = []
    print("| network | autosplit | extension | ratio | cosine |\n| --- | ---: | ---: | --- | --- |")
    for name in options.models.split(","):
        found.append(measure(options.python, name, options))
        print(row(found[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
