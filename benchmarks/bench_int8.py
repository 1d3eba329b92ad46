"""Latency of a compiled INT8 plan against ONNX Runtime, run in turns on the same inputs and threads.

    python benchmarks/bench_int8.py [--model NAME|FILE] [--threads N] [--rounds N] [--steps]

NAME is one of the models of `autosplit.testing.qdq` (exact architectures, random weights); the default
is resnet50. Each round runs both, each after a pause in which the other's threads stop spinning, and after a
run that does not count. `ratio` is ours divided by ONNX Runtime's: of the minima, at the 10th percentile, and
the median over rounds. Other programs disturb both sides: the ratio of the minima decides, and above the
limit the benchmark fails. Then the account: kernels, border copies, overhead.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from autosplit.runtime.plan.account import Account
    from autosplit.runtime.plan.plan import Plan

Array = NDArray[Any]
Run = Callable[[], object]

LIMIT = 1.2
"""A plan that is slower than ONNX Runtime by more than this is a defect."""

PAUSE = 0.05
"""Threads that wait for work spin for some 20 ms, and would take the other side's processors."""

MODELS = ("resnet50", "mobilenet_v2", "transformer_layer")


@dataclass(frozen=True)
class Times:
    """Seconds of both sides, by round."""

    ours: Array
    peer: Array
    idle: float
    """The share of the processor that nothing used meanwhile."""

    @property
    def paired(self) -> float:
        return float(np.median(self.ours / self.peer))

    @property
    def best(self) -> float:
        """The ratio of the minima."""
        return float(self.ours.min() / self.peer.min())

    @property
    def tenth(self) -> float:
        return float(np.percentile(self.ours, 10) / np.percentile(self.peer, 10))


def take_turns(ours: Run, peer: Run, rounds: int) -> Times:
    """Times both sides in turns, who is first changing from round to round."""
    sides = [ours, peer]
    seconds: list[list[float]] = [[], []]
    before = _processor_times()
    for i in range(rounds):
        for side in (0, 1) if i % 2 else (1, 0):
            time.sleep(PAUSE)
            sides[side]()
            start = time.perf_counter()
            sides[side]()
            seconds[side].append(time.perf_counter() - start)
    spent = _processor_times() - before
    return Times(np.array(seconds[0]), np.array(seconds[1]), float(spent[3] / max(spent.sum(), 1)))


def _processor_times() -> Array:
    """User, nice, system, idle, ... of all processors, in ticks; the fourth is idle."""
    try:
        line = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return np.zeros(8)
    return np.array([int(n) for n in line.split()[1:9]], float)


def report(times: Times) -> str:
    """The times of both sides and their ratios, as a table."""
    lines = [f"{'ms':16} {'min':>9} {'p10':>9} {'median':>9}"]
    for name, seconds in (("autosplit", times.ours), ("ONNX Runtime", times.peer)):
        ms = seconds * 1e3
        lines.append(f"{name:16} {ms.min():9.3f} {np.percentile(ms, 10):9.3f} {np.median(ms):9.3f}")
    lines.append(f"{'ratio':16} {times.best:9.3f} {times.tenth:9.3f} {times.paired:9.3f} (paired)")
    return "\n".join(lines)


def summary(account: Account) -> str:
    """Where the time of a run goes."""
    runs = max(account.timed_runs, 1)
    parts = {
        "kernels (oneDNN)": account.seconds_of("partition"),
        "segments (ONNX Runtime)": account.seconds_of("segment"),
        "border copies": account.seconds_of("copy"),
        "overhead": account.overhead,
    }
    lines = [
        f"{name:24} {seconds / runs * 1e6:9.1f} us {seconds / account.seconds:7.1%}"
        for name, seconds in parts.items()
    ]
    count = {kind: sum(s.kind == kind for s in account.steps) for kind in ("partition", "segment")}
    steps = len(account.steps)
    lines.append(
        f"{count['partition']} partitions, {count['segment']} segments, "
        f"{account.copied_bytes // max(account.runs, 1)} bytes copied in a run, {account.in_place} sums in "
        f"place, {account.arena_bytes >> 10} KiB of buffers, "
        f"overhead {account.overhead / runs / max(steps, 1) * 1e6:.1f} us a step"
    )
    return "\n".join(lines)


def compile_file(path: Path, threads: int) -> Plan:
    """The plan of a quantized ONNX model."""
    from autosplit.flows.compile import CompileOptions, compile_model
    from autosplit.runtime.plan.plan import Plan

    result = compile_model(CompileOptions(path))
    return Plan.from_module(result.module, result.store, threads=threads)


def load_peer(path: Path, threads: int) -> Any:
    """The model in ONNX Runtime, with its default optimizations."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def random_feeds(session: Any) -> dict[str, Array]:
    """Normal noise for the inputs of a model; unknown sizes are 1."""
    random = np.random.default_rng(0)
    feeds: dict[str, Array] = {}
    for value in session.get_inputs():
        shape = [n if isinstance(n, int) else 1 for n in value.shape]
        feeds[value.name] = random.standard_normal(shape).astype(np.float32)
    return feeds


def difference(ours: Mapping[str, Array], peer: Mapping[str, Array]) -> str:
    """How far the outputs are apart: rounding may move a value to the next step of its quantization."""
    a = np.concatenate([np.ravel(ours[n]).astype(np.float64) for n in peer])
    b = np.concatenate([np.ravel(v).astype(np.float64) for v in peer.values()])
    cosine = float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-30))
    return (
        f"outputs: largest difference {np.abs(a - b).max():.4g} "
        f"(values up to {np.abs(b).max():.4g}), cosine {cosine:.6f}"
    )


def measure(path: Path, threads: int, rounds: int, *, steps: bool) -> Times:
    """Compares one model, and prints."""
    plan, session = compile_file(path, threads), load_peer(path, threads)
    feeds = random_feeds(session)
    names = [o.name for o in session.get_outputs()]
    print(difference(plan.run(feeds), dict(zip(names, session.run(names, feeds), strict=True))))
    times = take_turns(lambda: plan.run(feeds), lambda: session.run(names, feeds), rounds)
    for _ in range(max(rounds // 2, 5)):
        plan.run(feeds)
        plan.run(feeds, timed=True)
    print(report(times))
    print(summary(plan.account()))
    print(
        f"{threads or os.cpu_count()} threads, {plan.isa}, load {os.getloadavg()[0]:.1f}, "
        f"{times.idle:.0%} idle while measuring"
    )
    if steps:
        print(plan.account())
    return times


def main(args: Sequence[str] | None = None) -> int:
    """Runs the comparison; 1 where the ratio is above the limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="resnet50", help=f"{', '.join(MODELS)}, or a file")
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--steps", action="store_true", help="print the time of each step")
    options = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(options.model)
        if options.model in MODELS:
            from autosplit.testing import qdq_models

            path = Path(folder) / f"{options.model}.onnx"
            path.write_bytes(getattr(qdq_models, options.model)().SerializeToString())
        print(f"== {path.stem}")
        times = measure(path, options.threads, options.rounds, steps=options.steps)
    if times.best > LIMIT:
        print(f"the ratio of the minima is {times.best:.3f}, above {LIMIT}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
