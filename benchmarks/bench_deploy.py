"""What `autosplit deploy` computes beside the compiler, from a model file to its bmodel.

    python benchmarks/bench_deploy.py [--target bm1688] [--mode INT8] [--rounds N]

The model is MobileNetV2 with random weights, 14 MB, and INT8 is calibrated with 16 samples. Each round is the
whole command in a process of its own. What counts are CPU seconds, which a busy machine changes little:
`compiler` is the same bmodel compiled once more by the script that deploy wrote, without the script's own;
`deploy` is the whole command, with the compiler. Above the limit the benchmark fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from cpu_seconds import children_seconds, script_seconds

from autosplit.testing.networks.files import network
from autosplit.toolchains.tpu_mlir import find

LIMIT = 1.5
"""Times the compiler's own CPU time."""
SAMPLES = 16


def main() -> int:
    """Runs it; 1 where the limit is passed in every round."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="bm1688", metavar="CHIP")
    parser.add_argument("--mode", default="INT8")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    options = parser.parse_args()
    if find() is None:
        print("TPU-MLIR is not here: autosplit toolchain install tpu-mlir")
        return 0
    shares: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        model = shutil.copy(network("mobilenet_v2").f32, work / "model.onnx")
        (work / "data").mkdir()
        random = np.random.default_rng(0)
        for i in range(SAMPLES):
            sample = random.standard_normal((1, 3, 224, 224), np.float32)
            np.savez(work / "data" / f"{i:02}.npz", image=sample)
        command = [sys.executable, "-m", "autosplit.tools.cli.main", "deploy", str(model)]
        command += ["--target", options.target, "--mode", options.mode]
        command += ["--data", str(work / "data"), "-o", str(work / "out"), "--force"]
        # As after an installation: without it, each round would compile the text of our modules.
        environment = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(work / "bytecode")
        subprocess.run(
            [*command[:3], "--version"], env=environment, check=True, capture_output=True
        )
        print(f"{'deploy':>8} {'compiler':>9} {'times':>6}")
        for i in range(options.rounds + 1):
            before = children_seconds()
            subprocess.run(command, env=environment, check=True, capture_output=True)
            whole = children_seconds() - before
            if i == 0:
                continue  # The bytecode was written here.
            _, own = script_seconds(work / "out")
            shares.append(whole / own)
            print(f"{whole:7.2f}s {own:8.2f}s {shares[-1]:6.2f}")
    print(f"the best round: {min(shares):.2f} times the compiler (at most {LIMIT})")
    return int(min(shares) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
