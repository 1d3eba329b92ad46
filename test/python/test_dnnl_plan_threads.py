"""Many runs of one compiled plan, from several threads at once, with shapes that change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime")

CHILD = """
import gc, json, random, resource, sys, threading
sys.path.insert(0, sys.argv[1])
import numpy as np
import plan_sketch as ps
from autosplit.runtime.plan.plan import Plan

RUNS, THREADS = int(sys.argv[2]), 4
SIZES = [dict(n=n, h=h, w=w) for n, h, w in
         ((1, 8, 8), (2, 8, 8), (1, 16, 9), (3, 5, 5), (1, 1, 1), (4, 12, 7))]
network = ps.Network((-1, 3, -1, -1))
cases = []
for i, size in enumerate(SIZES):
    for seed in range(3):
        feeds = network.feeds(seed + 10 * i, **size)
        cases.append((feeds, network.expected(feeds)))
# Fewer than the threads use at once, so that contexts go and come back too.
plan = Plan.from_module(network.module, network.store, max_sizes=16)
wrong, failed, memory = [], [], []

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def work(index):
    chosen = random.Random(index)
    try:
        for i in range(RUNS // THREADS):
            feeds, expected = chosen.choice(cases)
            found = plan.run(feeds, timed=i % 50 == 0)["y"]
            if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-5):
                wrong.append((index, i))
            if index == 0 and i % (RUNS // THREADS // 20) == 0:
                memory.append(resident())
    except BaseException as error:
        failed.append(repr(error))

workers = [threading.Thread(target=work, args=(i,)) for i in range(THREADS)]
for worker in workers: worker.start()
for worker in workers: worker.join()
account = plan.account()
print(json.dumps(dict(wrong=wrong[:5], failed=failed[:5], memory=memory, runs=account.runs,
    contexts=account.contexts, compiles=account.compiles, copied=account.copied_bytes)))
"""


def run_child(runs: int, **env: str) -> dict[str, Any]:
    """What a process of its own says of so many runs from four threads."""
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), str(runs)]
    done = subprocess.run(
        command,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=580 if runs < 10_000 else 3600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check(found: dict[str, Any], runs: int, growth: int) -> None:
    assert found["failed"] == []
    assert found["wrong"] == []
    assert found["runs"] == runs
    assert found["copied"] == 0
    # After the first quarter, in which all shapes came, memory only moves within the limit.
    settled = found["memory"][5:]
    assert max(settled) - settled[0] < growth, found["memory"]


def test_two_thousand_runs():
    check(run_child(2000, OMP_NUM_THREADS="1"), 2000, 8 << 20)


def test_teams_of_several_threads():
    found = run_child(400, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    check(found, 400, 16 << 20)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_runs():
    check(run_child(100_000, OMP_NUM_THREADS="1"), 100_000, 16 << 20)
