"""An INT8 plan whose sizes vary, against ONNX Runtime: 117 sizes in turn, in rounds, on the same inputs.

    python benchmarks/bench_int8_sizes.py [--rounds N] [--threads N] [--sizes N] [--pairs]

The model has 12 quantized convolutions and leaves batch, height and width open. Both sides run each size
once in a round, one after the other, who is first changing from size to size. A round's `ratio` is our time
divided by ONNX Runtime's, over all sizes. `--pairs` then runs two of the sizes in turns, which must cost what
they cost alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.api import compile as compile_model
from autosplit.api import load_compiled
from autosplit.testing.qdq import QdqBuilder

Array = NDArray[np.float32]

LIMITS = (2.0, 1.05, 1.05)
"""The most that a round may take of ONNX Runtime's time: of the first, the second, and those behind it."""

SIZES = tuple(product((1, 2, 4), (24, 32, 40), range(16, 68, 4)))
"""Batch, height and width."""

PAUSE = 0.025
"""Between the sides, in which the other's threads go to sleep."""


def network() -> QdqBuilder:
    """12 convolutions, the inner ones with ReLU."""
    b = QdqBuilder(seed=3, name="sizes")
    x = b.qdq(b.relu(b.conv(b.qdq(b.input("x", ("n", 3, "h", "w"))), (32, 3, 3, 3), pads=1)))
    for _ in range(5):
        x = b.qdq(b.relu(b.conv(x, (32, 32, 3, 3), pads=1)))
        x = b.qdq(b.relu(b.conv(x, (32, 32, 1, 1))))
    b.output(b.conv(x, (8, 32, 1, 1)))
    return b


def seconds(run: Callable[[], object]) -> float:
    time.sleep(PAUSE)
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def take_turns(sides: Sequence[Callable[[Array], object]], inputs: Sequence[Array]) -> list[float]:
    """The seconds of each side over all inputs."""
    spent = [0.0] * len(sides)
    for i, x in enumerate(inputs):
        for side in range(len(sides)) if i % 2 else reversed(range(len(sides))):
            run = sides[side]
            spent[side] += seconds(lambda run=run, x=x: run(x))
    return spent


def session(path: Path, threads: int) -> Any:
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def pairs(ours: Callable[[Array], object], inputs: Sequence[Array], turns: int = 40) -> float:
    """How much longer two sizes take in turns than each of them alone."""
    first, second = inputs[0], inputs[len(inputs) // 2]
    alone = 0.0
    for x in (first, second):
        for _ in range(20):
            ours(x)
        alone += min(seconds(lambda x=x: ours(x)) for _ in range(turns))
    found = [[seconds(lambda x=x: ours(x)) for x in (first, second)] for _ in range(turns)]
    both = sum(min(column) for column in zip(*found, strict=True))
    print(f"two sizes: alone {alone * 1e3:.2f} ms, in turns {both * 1e3:.2f} ms")
    return both / alone


def measure(folder: Path, options: argparse.Namespace) -> list[float]:
    path = folder / "model.onnx"
    path.write_bytes(network().build().SerializeToString())
    compile_model(path, folder / "out")
    plan, peer = load_compiled(folder / "out", options.threads), session(path, options.threads)
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((n, 3, h, w), np.float32) for n, h, w in SIZES]
    random.shuffle(inputs)
    inputs = inputs[: options.sizes]
    sides = [lambda x: plan.run({"x": x}), lambda x: peer.run(None, {"x": x})]
    peer.run(None, {"x": inputs[0][:, :, :8, :8]})
    ratios: list[float] = []
    for i in range(options.rounds):
        ours, theirs = take_turns(sides, inputs)
        ratios.append(ours / theirs)
        each = [s / len(inputs) * 1e3 for s in (ours, theirs)]
        print(
            f"round {i + 1}: autosplit {each[0]:.2f} ms, ONNX Runtime {each[1]:.2f} ms a size, "
            f"ratio {ratios[-1]:.2f}; {plan.account().compiles} compilations so far",
            flush=True,
        )
    if options.pairs:
        print(f"ratio of two sizes in turns to alone: {pairs(sides[0], inputs):.2f}")
    return ratios


def main(args: Sequence[str] | None = None) -> int:
    """Runs the rounds; 1 where one is above its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--sizes", type=int, default=len(SIZES))
    parser.add_argument("--pairs", action="store_true")
    options = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as folder:
        ratios = measure(Path(folder), options)
    limits = [LIMITS[min(i, len(LIMITS) - 1)] for i in range(len(ratios))]
    return int(any(r > limit for r, limit in zip(ratios, limits, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
