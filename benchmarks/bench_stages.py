"""How long the stages of generated graphs take, against the budgets.

Run as a script: a table of one row a workload. `workloads(ops)` gives the problems by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import numpy as np

from autosplit.lowering.device.stages import HOST, Problem, Values, fewest


class _Builder:
    """Ops in topological order, each with its producers, kind (3 both, 1 CPU, 2 TPU), work and bytes."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.producers: list[list[int]] = []
        self.kinds: list[int] = []
        self.work: list[int] = []

    def op(self, producers: list[int], kind: int, work: int = 0) -> int:
        self.producers.append(producers)
        self.kinds.append(kind)
        self.work.append(work)
        return len(self.kinds) - 1

    def problem(self) -> Problem:
        count = len(self.kinds)
        readers: list[list[int]] = [[] for _ in range(count)]
        for op, producers in enumerate(self.producers):
            for producer in producers:
                readers[producer].append(op)
        sizes = [4 * self.random.randrange(1, 1 << 20) for _ in range(count)]
        rows = [(op, readers[op], sizes[op], not readers[op]) for op in range(count)]
        rows.append((HOST, [0], 1_080_000, False))
        kinds = np.array(self.kinds)
        return Problem(
            count,
            np.zeros((0, 2), dtype=np.int64),
            (kinds & 1) > 0,
            (kinds & 2) > 0,
            np.array(self.work, dtype=np.int64),
            np.ones(count, dtype=np.int64),
            Values.of(rows),
        )


def residual(ops: int, refused: float = 0.01, seed: int = 0) -> Problem:
    """Residual blocks of convolutions; a share of all ops, anywhere, is refused by the TPU."""
    make = _Builder(seed)
    random = make.random

    def kind() -> int:
        return 1 if random.random() < refused else 3

    last = make.op([], 3)
    while len(make.kinds) < ops:
        block = last
        for _ in range(3):
            block = make.op([block], kind(), random.randrange(1, 1 << 30))
            block = make.op([block], kind())
            block = make.op([block], kind())
        last = make.op([block, last], kind())
    return make.problem()


def layered(ops: int, refused: float = 0.05, seed: int = 0, width: int = 8) -> Problem:
    """Layers of several ops, each reading one or two of the layers before: 1.3 edges an op."""
    make = _Builder(seed)
    random = make.random
    for op in range(ops):
        if op < width:
            producers = [op - 1] if op else []
        else:
            layer = op // width * width
            producers = [layer - 1 - random.randrange(width)]
            if random.random() < 0.3:
                back = 1 + int(random.random() ** 3 * min(10 * width, layer - 1))
                if (other := layer - back) not in producers:
                    producers.append(other)
        work = random.randrange(1 << 30) if random.random() < 0.25 else 0
        make.op(producers, 1 if random.random() < refused else 3, work)
    return make.problem()


def detector(ops: int, seed: int = 0) -> Problem:
    """Preparation on the CPU, a residual network, many heads, and post-processing of small mixed ops."""
    make = _Builder(seed)
    random = make.random
    last = make.op([], 1)
    for _ in range(ops // 50):
        last = make.op([last], 1 if random.random() < 0.5 else 3)
    taps: list[int] = []
    while len(make.kinds) < ops // 2:
        side = last
        for _ in range(5):
            side = make.op([side], 3, random.randrange(1, 1 << 28))
            side = make.op([side], 3)
        last = make.op([side, last], 3)
        taps.append(last)
    front = [make.op([tap], 3, 1 << 20) for tap in taps[-50:]]
    while len(make.kinds) < ops:
        producers = [front[-1 - random.randrange(min(40, len(front)))]]
        if random.random() < 0.4:
            producers.append(front[-1 - random.randrange(min(200, len(front)))])
        front.append(make.op(sorted(set(producers)), 1 if random.random() < 0.4 else 3))
    return make.problem()


def mixed(ops: int, seed: int = 0, width: int = 16) -> Problem:
    """Layers in which the TPU refuses every fifth op, and a few run nowhere else."""
    problem = layered(ops, 0.2, seed, width)
    random = Random(seed + 1)
    pinned = np.array([random.random() < 3 / ops for _ in range(ops)])
    cpu = problem.cpu & ~(pinned & problem.tpu)
    return Problem(ops, problem.edges, cpu, problem.tpu, problem.work, problem.ops, problem.values)


WORKLOADS: dict[str, Callable[[int], Problem]] = {
    "residual 1 % refused": residual,
    "residual 0.1 % refused": lambda ops: residual(ops, 0.001),
    "layered 5 % refused": layered,
    "layered 0.5 % refused": lambda ops: layered(ops, 0.005),
    "layered wide 1 % refused": lambda ops: layered(ops, 0.01, width=64),
    "detector": detector,
    "mixed, some pinned to the TPU": lambda ops: mixed(ops, width=16),
}


def workloads(ops: int) -> dict[str, Problem]:
    """A problem of about `ops` ops for each kind of generated graph."""
    return {name: make(ops) for name, make in WORKLOADS.items()}


def main() -> None:
    """Print a row for each workload and size."""
    print(
        f"{'workload':32} {'ops':>7} {'K':>2} {'CPU s':>6} {'s':>6}  plan, then share of the work by K"
    )
    for ops, most, budget in ((10_000, 9, 5.0), (100_000, 5, 20.0)):
        for name, problem in workloads(ops).items():
            start, clock = time.process_time(), time.perf_counter()
            try:
                plan, curve = fewest(problem, max_stages=most)
                text = f"{len(plan.devices)}: " + " ".join(f"{p.work_share:.3f}" for p in curve)
            except ValueError as error:
                text = str(error)
            spent, wall = time.process_time() - start, time.perf_counter() - clock
            late = "  OVER BUDGET" if spent > budget else ""
            print(f"{name:32} {ops:7} {most:2} {spent:6.2f} {wall:6.2f}  {text}{late}", flush=True)


if __name__ == "__main__":
    main()
