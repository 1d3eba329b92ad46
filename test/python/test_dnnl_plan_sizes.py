"""Compiled plans whose sizes vary: what is prepared, what waits, and what ONNX Runtime runs meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import plan_sketch as ps
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosplit.api import compile as compile_model
from autosplit.api import load_compiled
from autosplit.core.errors import AutosplitError
from autosplit.runtime.plan.plan import Plan
from autosplit.runtime.plan.pool import AT_ONCE, MEETINGS, Meetings
from autosplit.testing.qdq import QdqBuilder, run

pytest.importorskip("onnxruntime")


def network() -> QdqBuilder:
    """Convolutions of open sizes with a segment between them whose sizes only a run tells."""
    b = QdqBuilder(seed=2)
    x = b.qdq(b.relu(b.conv(b.qdq(b.input("x", ("n", 3, "h", "w"))), (8, 3, 3, 3), pads=1)))
    for _ in range(3):
        y = b.node("Erf", b.conv(x, (8, 8, 3, 3), pads=1))
        x = b.qdq(b.relu(b.conv(b.qdq(y), (8, 8, 1, 1))))
    b.output(b.conv(x, (4, 8, 1, 1)))
    return b


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sizes")
    (place / "model.onnx").write_bytes(network().build().SerializeToString())
    compile_model(place / "model.onnx", place / "out")
    return place / "out"


def images(height: int, batch: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(height)
    return {"x": random.standard_normal((batch, 3, height, 9)).astype(np.float32)}


def test_two_sizes_in_turns_compile_once(folder: Path):
    """The limit counts sets of sizes: a set takes a context for each stretch of the plan."""
    plan = load_compiled(folder, max_sizes=2)
    assert len(plan._program.stretches) > 2
    for height in (8, 9):
        plan.run(images(height))
    before = plan.account().compiles
    for height in (8, 9, 8, 9):
        plan.run(images(height))
    assert plan.account().compiles == before
    assert plan.account().whole_runs == 0


def test_what_comes_seldom_runs_in_onnx_runtime(folder: Path):
    plan = load_compiled(folder)
    heights = range(8, 8 + AT_ONCE)
    for height in heights:
        plan.run(images(height))
    assert plan.account().whole_runs == 0
    before = plan.account().compiles
    feeds = images(30, batch=2)
    (want,) = run(onnx.load(folder / "graph_0.onnx"), feeds, optimize=False)
    for i in range(MEETINGS - 1):
        found = plan.run(feeds, timed=True)
        (name,) = found
        np.testing.assert_allclose(found[name], want, atol=0.1)
        assert plan.account().whole_runs == i + 1
        assert plan.account().compiles == before
    seldom = found[name]
    found = plan.run(feeds)
    assert plan.account().whole_runs == MEETINGS - 1
    assert plan.account().compiles > before
    np.testing.assert_allclose(found[name], seldom, atol=0.1)
    assert any(step.name == "the whole model" for step in plan.account().steps)


def test_outputs_of_the_whole_model_go_where_they_are_asked_for(folder: Path):
    plan = load_compiled(folder)
    for height in range(8, 8 + AT_ONCE):
        plan.run(images(height))
    feeds = images(21)
    (name,) = plan.output_names
    target = np.zeros((1, 4, 21, 9), np.float32)
    plan.run_into(feeds, {name: target})
    assert plan.account().whole_runs == 1
    np.testing.assert_array_equal(target, plan.run(feeds)[name])
    with pytest.raises(AutosplitError, match="expected a row-major"):
        plan.run_into(feeds, {name: np.zeros((1, 4, 20, 9), np.float32)})


def test_without_a_model_all_sizes_are_compiled(folder: Path):
    plan = load_compiled(folder)
    plan._whole.path = folder / "missing.onnx"
    for height in range(8, 10 + AT_ONCE):
        plan.run(images(height))
    assert plan.account().whole_runs == 0


RESIDENT = """
import resource, sys
import numpy as np
from autosplit.folder.plans import load_compiled
from autosplit.runtime.plan.plan import Plan

compiled = load_compiled(sys.argv[1])
plan = Plan.from_module(compiled.module, compiled.store, threads=1, max_sizes=1)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

found = []
for n in range(9, 21):
    plan.run({"x": np.zeros((n, 512, 4, 4), np.float32)})
    found.append(resident() >> 20)
print(*found)
"""


def test_what_is_gone_takes_no_memory(tmp_path: Path):
    """The library would keep the partitions of every set of sizes, each with 7 MB of packed weights."""
    b = QdqBuilder(seed=2)
    x = b.qdq(b.input("x", ("n", 512, 4, 4)))
    for _ in range(3):
        x = b.qdq(b.relu(b.conv(x, (512, 512, 3, 3), pads=1)))
    b.output(x)
    (tmp_path / "model.onnx").write_bytes(b.build().SerializeToString())
    compile_model(tmp_path / "model.onnx", tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-c", RESIDENT, str(tmp_path / "out")],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    found = [int(text) for text in done.stdout.split()]
    assert found[-1] - found[3] < 20, found


def test_weights_count_for_the_limit(folder: Path):
    plan = load_compiled(folder)
    for height in (8, 9):
        plan.run(images(height))
    waiting = plan._pool.waiting()
    weights = 8 * 3 * 9 + 3 * (8 * 8 * 9 + 8 * 8) + 4 * 8
    assert sum(c.held - c.nbytes for c in waiting) >= 2 * weights
    assert plan.account().arena_bytes == sum(c.nbytes for c in waiting)


def test_a_limit_of_nothing_is_refused(folder: Path):
    with pytest.raises(AutosplitError, match="max_sizes=0: expected 1 or more"):
        load_compiled(folder, max_sizes=0)


@given(st.lists(st.integers(0, 6), max_size=120), st.integers(1, 4), st.integers(0, 3))
def test_meetings(sequence: list[int], limit: int, at_once: int):
    """Against a plain count: a set is prepared at once, or when it came three times since it was dropped."""
    meetings = Meetings(at_once, 3, limit)
    prepared: list[int] = []
    counts = dict.fromkeys(range(7), 0)
    left = min(at_once, limit)
    for one in sequence:
        seldom = meetings.is_seldom(one)
        if one in prepared:
            prepared.remove(one)
            prepared.append(one)
            assert not seldom
            continue
        counts[one] += 1
        if left > 0 or counts[one] == 3:
            assert not seldom
            left, counts[one] = left - 1, 0
            prepared = [*prepared, one][-limit:]
        else:
            assert seldom
    for one in prepared:
        meetings.forget(one)
        assert meetings.is_seldom(one) or left > 0


def test_a_run_leaves_what_the_next_begins_with():
    """Inputs of the same sizes that lie otherwise, and other sizes, are looked at anew."""
    sketch = ps.Network((-1, 3, 8, 8), segment=False)
    plan = Plan.from_module(sketch.module, sketch.store)
    repeats: list[bool] = []

    def run_and_check(x: Any) -> None:
        before = plan._repeats.take()
        if before is not None:
            plan._repeats.put(before)
            outputs = before.run({"x": x})
            repeats.append(outputs is not None)
        found = plan.run({"x": x})["y"]
        np.testing.assert_allclose(found, sketch.expected({"x": np.asarray(x)}), rtol=1e-6)

    first, second = sketch.feeds(1, n=2)["x"], sketch.feeds(2, n=2)["x"]
    turned = np.moveaxis(np.ascontiguousarray(np.moveaxis(second, 1, -1)), -1, 1)
    larger = sketch.feeds(3, n=5)["x"]
    backwards = np.ascontiguousarray(first[::-1])[::-1]
    for x in (first, second, second, turned, turned, first, larger, larger, backwards, first):
        run_and_check(x)
    # A copy is made of what lies backwards, so that the last run begins anew as well.
    assert repeats == [True, True, False, True, False, False, True, False]
    assert plan.account().runs == 10
