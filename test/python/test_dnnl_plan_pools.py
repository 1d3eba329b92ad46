"""The threads of compiled plans: which segments have some, and what a fork does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autosplit.api import compile as compile_model
from autosplit.flows.compile import CompileOptions
from autosplit.flows.compile import compile_model as compiled
from autosplit.runtime.plan.pools import MOST, pooled, work
from autosplit.testing.qdq import QdqBuilder

pytest.importorskip("onnxruntime")


def network(segments: int, *, wide: int = 8) -> QdqBuilder:
    """Convolutions with as many segments of an op between them that oneDNN does not have."""
    b = QdqBuilder(seed=4)
    x = b.qdq(b.input("x", (1, 8, wide, wide)))
    for _ in range(segments):
        x = b.qdq(b.node("Erf", b.qdq(b.conv(x, (8, 8, 1, 1)))))
    b.output(b.conv(x, (4, 8, 1, 1)))
    return b


def saved(tmp_path: Path, builder: QdqBuilder) -> Path:
    (tmp_path / "model.onnx").write_bytes(builder.build().SerializeToString())
    compile_model(tmp_path / "model.onnx", tmp_path / "out")
    return tmp_path / "out"


COUNT = """
import os, sys
import numpy as np
from autosplit.api import load_compiled
plan = load_compiled(sys.argv[1], threads=4)
before = len(os.listdir("/proc/self/task"))
plan.run({"x": np.zeros((1, 8, 8, 8), np.float32)})
kinds = [step.kind for step in plan.account().steps]
print(kinds.count("segment"), before, len(os.listdir("/proc/self/task")))
"""


def test_small_segments_have_no_threads(tmp_path: Path):
    """Twelve segments at four threads: numpy's threads apart, there are oneDNN's three more and no others."""
    folder = saved(tmp_path, network(12))
    env = {"OPENBLAS_NUM_THREADS": "1", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", COUNT, str(folder)],
        env=env, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    segments, before, after = map(int, done.stdout.split())
    assert segments >= 12
    assert before <= 3
    assert after <= before + 3


def test_segments_with_much_to_compute_have_threads(tmp_path: Path):
    path = tmp_path / "model.onnx"
    path.write_bytes(network(MOST + 2, wide=1024).build().SerializeToString())
    module = compiled(CompileOptions(path)).module
    funcs = [op for op in module.body.ops if not op.target.is_dnnl and op.sym_name.data != "main"]
    assert len(funcs) > MOST
    assert len(pooled(funcs)) == MOST
    assert all(work(func) >= 8 * 1024 * 1024 for func in funcs)


@pytest.mark.parametrize("used", [True, False])
def test_a_plan_in_a_fork(used: bool, tmp_path: Path):
    """It would wait for threads that are only in the parent, if that has run it."""
    code = """
import os, sys
import numpy as np
from autosplit.api import load_compiled
feeds = {"x": np.zeros((1, 8, 8, 8), np.float32)}
plan = load_compiled(sys.argv[1], threads=2)
if sys.argv[2] == "True":
    plan.run(feeds)
if os.fork() == 0:
    try:
        plan.run(feeds)
        print("computed", flush=True)
    except Exception as error:
        print(type(error).__name__, str(error)[:28], flush=True)
    os._exit(0)
os.wait()
plan.run(feeds)
"""
    folder = saved(tmp_path, network(1))
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), str(used)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    expected = "AutosplitError this process was forked from" if used else "computed"
    assert done.stdout == f"{expected}\n"
