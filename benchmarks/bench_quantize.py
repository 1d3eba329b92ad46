"""Quantizing beside ONNX Runtime's quantizer: seconds and memory of whole processes, on the same samples.

    python benchmarks/bench_quantize.py [--models NAME,...] [--samples N] [--many N]

Prints for each network the seconds and the largest memory of `autosplit quantize`, with its default
calibrator, and of ONNX Runtime's `quantize_static` with its own, minimum and maximum; with --many also
autosplit's memory for that many samples.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
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


def run(command: Sequence[str]) -> tuple[float, float]:
    """Seconds and MB of a process and its children."""
    start = time.perf_counter()
    measured = subprocess.run(
        [sys.executable, __file__, "--child", *command], check=True, capture_output=True, text=True
    )
    return time.perf_counter() - start, float(measured.stdout.split()[-1])


def child(command: Sequence[str]) -> int:
    """Runs a command and prints its largest memory in MB."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
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
    options = parser.parse_args()
    for name in options.models.split(","):
        model = network(name).f32
        with tempfile.TemporaryDirectory() as work:
            samples = write_samples(name, options.samples, Path(work) / "samples")
            command = [*OURS, str(model), "--data", str(samples), "-o", f"{work}/ours.onnx"]
            ours = run(command)
            other = [sys.executable, __file__, "--peer", str(model), str(samples)]
            theirs = run([*other, f"{work}/theirs.onnx"])
            print(
                f"{name}: {ours[0]:.1f} s, {ours[1]:.0f} MB; ONNX Runtime {theirs[0]:.1f} s, {theirs[1]:.0f} "
                f"MB; ratios {ours[0] / theirs[0]:.2f} and {ours[1] / theirs[1]:.2f}",
                flush=True,
            )
            if options.many:
                more = write_samples(name, options.many, Path(work) / "more")
                command = [*OURS, str(model), "--data", str(more), "-o", f"{work}/more.onnx"]
                seconds, memory = run(command)
                print(
                    f"{name}: {options.many} samples: {seconds:.1f} s, {memory:.0f} MB", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
