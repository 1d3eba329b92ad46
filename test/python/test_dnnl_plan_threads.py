"""Many runs of one compiled plan, from several threads at once, with shapes that change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autosplit.api import compile as compile_model
from autosplit.testing.qdq import QdqBuilder

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
# Fewer than there are, so that contexts go and come back too.
plan = Plan.from_module(network.module, network.store, max_sizes=4)
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


SEVERAL = """
import json, random, resource, sys, threading
from pathlib import Path
import numpy as np
from autosplit.flows.compile import open_plan, whole_model
from autosplit.folder.plans import load_compiled
from autosplit.runtime.plan.plan import Plan
from autosplit.runtime.plan.whole import WholeModel

RUNS, THREADS = int(sys.argv[2]), 4
compiled = load_compiled(sys.argv[1])
plain = Plan.from_module(compiled.module, compiled.store, threads=1, max_sizes=100)
whole = WholeModel(whole_model(compiled.infos), 1, spin=False)
assert whole.load()
numbers = np.random.default_rng(0)
cases = []
for i in range(24):
    shape = (1 + i % 3, 3, 4 + i // 3, 5 + i % 7)
    feeds = {"x": numbers.standard_normal(shape).astype(np.float32)}
    (ours,) = plain.run(feeds).values()
    (theirs,) = whole.run(feeds, plain.output_names).values()
    cases.append((feeds, ours, theirs))
plan = open_plan(compiled, threads=1, max_sizes=6)
(name,) = plan.output_names
wrong, failed, memory = [], [], []

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def work(index):
    chosen = random.Random(index)
    try:
        for i in range(RUNS // THREADS):
            feeds, ours, theirs = chosen.choice(cases)
            found = plan.run(feeds)[name]
            if not (np.array_equal(found, ours) or np.array_equal(found, theirs)):
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
    contexts=account.contexts, compiles=account.compiles, copied=0, whole=account.whole_runs)))
"""
"""Sizes that come seldom run in ONNX Runtime: a result is its own, or that of the partitions, to the bit."""


def run_child(
    runs: int, code: str = CHILD, given: Path = Path(__file__).parent, **env: str
) -> dict[str, Any]:
    """What a process of its own says of so many runs from four threads."""
    command = [sys.executable, "-c", code, str(given), str(runs)]
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    b = QdqBuilder(seed=9)
    x = b.qdq(b.input("x", ("n", 3, "h", "w")))
    for channels in (3, 8, 8):
        x = b.qdq(b.relu(b.conv(x, (8, channels, 3, 3), pads=1)))
    b.output(b.qdq(b.conv(x, (4, 8, 1, 1))))
    place = tmp_path_factory.mktemp("soak")
    (place / "model.onnx").write_bytes(b.build().SerializeToString())
    compile_model(place / "model.onnx", place / "out")
    return place / "out"


def check_several(found: dict[str, Any], runs: int) -> None:
    check(found, runs, 24 << 20)
    assert 0 < found["whole"] < runs
    assert found["compiles"] > 6 * 5


def test_runs_of_many_sizes(folder: Path):
    check_several(run_child(4000, SEVERAL, folder, OMP_NUM_THREADS="1"), 4000)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_runs_of_many_sizes(folder: Path):
    check_several(run_child(100_000, SEVERAL, folder, OMP_NUM_THREADS="1"), 100_000)
