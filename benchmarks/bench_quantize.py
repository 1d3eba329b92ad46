"""Quantizing beside ONNX Runtime's quantizer: seconds and memory of whole processes, on the same samples.

    python benchmarks/bench_quantize.py [--models NAME,...] [--samples N] [--many N] [--rounds N]

Prints for each network the seconds, those of processors, and the largest memory of `autosplit quantize`, with
its default calibrator, and of ONNX Runtime's `quantize_static` with its own, minimum and maximum; with --many
also autosplit's memory for that many samples. They run in turns, and the least of the rounds counts; a run
in front of them compiles the sources of both to bytecode, as installing a package does.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosplit.testing.networks.files import NETWORKS, Seeded, network

MODELS = "resnet50,mobilenet_v2,yolov8n,bert_base"

OURS = [sys.executable, "-m", "autosplit.tools.cli.main", "quantize"]


def write_samples(name: str, count: int, folder: Path) -> Path:
    """A folder with so many samples of a network's inputs."""
    chosen = NETWORKS[name]
    assert isinstance(chosen, Seeded)
    folder.mkdir()
    for i in range(count):
        np.savez(folder / f"{i:05}.npz", **chosen.feeds(np.random.default_rng(i)))
    return folder


@dataclass
class Cost:
    """The least of what runs of a command took."""

    seconds: float = np.inf
    busy: float = np.inf
    """Seconds of processors."""
    memory: float = np.inf
    """MB."""

    def run(self, command: Sequence[str], bytecode: str) -> None:
        """Runs it once more."""
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        measured = subprocess.run(
            [sys.executable, __file__, "--child", *command],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        seconds, busy, memory = map(float, measured.stdout.split()[-3:])
        self.seconds, self.busy = min(self.seconds, seconds), min(self.busy, busy)
        self.memory = min(self.memory, memory)

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s ({self.busy:.1f} s of processors), {self.memory:.0f} MB"


def child(command: Sequence[str]) -> int:
    """Runs a command and prints its seconds, those of processors, and its largest memory in MB."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
    return 0


def peer(model: Path, folder: Path, out: Path) -> int:
    """ONNX Runtime's quantizer in this process."""
    from autosplit.testing.quantize import quantize_file

    feeds = [dict(np.load(path)) for path in sorted(folder.iterdir())]
    quantize_file(model, out, feeds, reduce_range=False, fixed=True)
    return 0


def main() -> int:
    """Measures what is asked for."""
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2:])
    if sys.argv[1:2] == ["--peer"]:
        return peer(*map(Path, sys.argv[2:5]))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--many", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for name in options.models.split(","):
        with tempfile.TemporaryDirectory() as work:
            measure(name, options, work)
    return 0


def measure(name: str, options: argparse.Namespace, work: str) -> None:
    """One network."""
    model, bytecode = network(name).f32, f"{work}/bytecode"
    samples = write_samples(name, options.samples, Path(work) / "samples")
    own = [*OURS, str(model), "--force", "--data"]
    other = [sys.executable, __file__, "--peer", str(model), str(samples), f"{work}/theirs.onnx"]
    commands = [*own, str(samples), "-o", f"{work}/ours.onnx"], other
    costs = Cost(), Cost()
    for number in range(options.rounds + 1):
        for command, cost in zip(commands, costs if number else (Cost(), Cost()), strict=True):
            cost.run(command, bytecode)
    ours, theirs = costs
    print(
        f"{name}: {ours}; ONNX Runtime {theirs}; ratios {ours.seconds / theirs.seconds:.2f} "
        f"({ours.busy / theirs.busy:.2f}) and {ours.memory / theirs.memory:.2f}",
        flush=True,
    )
    if options.many:
        more, cost = write_samples(name, options.many, Path(work) / "more"), Cost()
        cost.run([*own, str(more), "-o", f"{work}/more.onnx"], bytecode)
        print(f"{name}: {options.many} samples: {cost}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
