"""`compile --tune`: what is measured is written down, and the faster side is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from autosplit.api import load_compiled
from autosplit.core.errors import AutosplitError
from autosplit.explain.int8 import Fusion, Int8Explanation, Stage
from autosplit.flows import tune
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.testing.qdq import QdqBuilder, run
from autosplit.tools.cli.compile import summary
from autosplit.tools.cli.main import main

pytest.importorskip("onnxruntime")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    b = QdqBuilder(seed=5)
    x = b.qdq(b.relu(b.conv(b.qdq(b.input("x", ("n", 3, "h", 8))), (8, 3, 3, 3), pads=1)))
    b.output(b.conv(x, (4, 8, 1, 1)))
    (tmp_path / "model.onnx").write_bytes(b.build().SerializeToString())
    return tmp_path / "model.onnx"


def times(plan: float, whole: float) -> Callable[..., tune.MeasuredRuns]:
    """A measurement that runs both sides once, and finds these times."""

    def measure(ours: Callable[[], object], theirs: Callable[[], object]) -> tune.MeasuredRuns:
        ours()
        theirs()
        return tune.MeasuredRuns([plan, plan * 1.1], [whole, whole * 1.1])

    return measure


FEEDS = {"x": np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32)}


def test_the_whole_model_is_kept_where_it_is_faster(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(tune, "measure", times(0.002, 0.001))
    monkeypatch.setattr(tune.os, "getloadavg", lambda: (1e6, 0.0, 0.0))
    out = path.parent / "out"
    assert main(["compile", str(path), "--tune", "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "ops in ONNX Runtime, which is faster" in told
    assert "measured: 2 ms with oneDNN, 1 ms without (" in told
    assert "x 1x3x128x8, beside other programs: measure again" in told
    assert "idle): ONNX Runtime runs all of it" in told
    plan = load_compiled(out)
    assert plan.isa == ""
    assert [step.kind for step in plan.account().steps] == ["segment"]
    (found,) = plan.run(FEEDS).values()
    (want,) = run(onnx.load(path), FEEDS)
    np.testing.assert_array_equal(found, want)
    infos = json.loads((out / "graph_infos.json").read_text())
    assert infos["autosplit"]["plan"]["tuned"].startswith("2 ms with oneDNN, 1 ms without")
    assert main(["explain", str(out)]) == 0
    assert "runs all of it" in capsys.readouterr().out


@pytest.mark.parametrize("plan", [0.0005, 0.00102])
def test_the_plan_is_kept_where_it_is_as_fast(
    plan: float, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tune, "measure", times(plan, 0.001))
    out = path.parent / "out"
    compile_model(CompileOptions(path, out, tune=True))
    loaded = load_compiled(out)
    assert "partition" in {step.kind for step in loaded.account().steps}
    assert loaded.infos is not None
    said = loaded.infos.own["plan"]
    assert isinstance(said, dict)
    assert "without (" in str(said["tuned"])


@pytest.fixture
def islands(tmp_path: Path) -> Path:
    """A convolution, and behind an op that oneDNN lacks two more."""
    b = QdqBuilder(seed=5)
    x = b.node("Sin", b.conv(b.qdq(b.input("x", (1, 3, 8, 8))), (4, 3, 1, 1)))
    for _ in range(2):
        x = b.qdq(b.conv(b.qdq(x), (4, 4, 1, 1)))
    b.output(x)
    (tmp_path / "islands.onnx").write_bytes(b.build().SerializeToString())
    return tmp_path / "islands.onnx"


def test_a_region_that_is_slower_is_left_to_onnx_runtime(
    islands: Path, monkeypatch: pytest.MonkeyPatch
):
    """The first of both regions, of one partition, is measured to be slower, the rest to be faster."""
    ratios = iter([1.5, 0.5])

    def measure(ours: Callable[[], object], theirs: Callable[[], object]) -> tune.MeasuredRuns:
        return times(next(ratios), 1.0)(ours, theirs)

    monkeypatch.setattr(tune, "measure", measure)
    before = compile_model(CompileOptions(islands)).module
    (lone, ops), (pair, _) = tune.regions(before)
    assert (len(ops), pair != lone) == (1, True)
    out = islands.parent / "out"
    after = compile_model(CompileOptions(islands, out, tune=True)).module
    assert tune.regions(after) == []
    assert next(ratios, None) is None
    plan = load_compiled(out)
    assert [step.kind for step in plan.account().steps].count("segment") == 1
    assert plan.infos is not None
    said = plan.infos.own["plan"]
    assert isinstance(said, dict)
    assert str(said["tuned"]).endswith(f"left to ONNX Runtime, which is faster there: {lone}")
    feeds = {"x": np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)}
    (found,) = plan.run(feeds).values()
    (want,) = run(onnx.load(islands), feeds)
    np.testing.assert_allclose(found, want, atol=0.06)


def test_what_is_measured(path: Path):
    """Both sides in turns, at least five times, after a run that does not count."""
    calls: list[str] = []
    found = tune.measure(lambda: calls.append("plan"), lambda: calls.append("whole"))
    assert calls[:2] == ["plan", "whole"]
    assert len(found.plan) == len(found.whole) >= tune.LEAST
    assert calls.count("plan") == calls.count("whole") == 1 + 2 * len(found.plan)
    assert calls[2:6] == ["whole", "whole", "plan", "plan"]
    assert calls[6:10] == ["plan", "plan", "whole", "whole"]


def test_without_partitions_nothing_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tune, "measure", None)
    b = QdqBuilder(seed=5)
    b.output(b.node("Erf", b.input("x", (1, 3))))
    (tmp_path / "model.onnx").write_bytes(b.build().SerializeToString())
    module = compile_model(CompileOptions(tmp_path / "model.onnx", tune=True)).module
    assert "tuned" not in str(module.attributes)


def test_other_frameworks_are_refused():
    class Other:
        path = "net-symbol.json"

        class platform:
            name = "mxnet"

    with pytest.raises(AutosplitError, match="runs ONNX models only: leave out --tune"):
        tune.tuned(tune.Tuned(None, Other), lambda _: None)  # pyright: ignore


@pytest.mark.parametrize(
    ("segments", "partitions", "work", "measured", "told"),
    [
        (1, 3, 10**6, "", True),
        (1, 3, 10**7, "", False),
        (0, 3, 10**6, "", False),
        (8, 31, 10**6, "", True),
        (8, 80, 10**6, "", False),
        (1, 3, None, "", False),
        (20, 20, 10**5, "1 ms with oneDNN", False),
    ],
)
def test_a_plan_that_may_be_slower_is_told(
    segments: int, partitions: int, work: int | None, measured: str, told: bool
):
    stages = [Stage(f"graph_{i}", "cpu", 0, 1) for i in range(segments)]
    made = [
        Fusion(f"p{i}", "graph_0", "int8-conv", (), (), (), work=work) for i in range(partitions)
    ]
    found = Int8Explanation("3.2", "patterns", stages, made, [], measured)
    assert ("ONNX Runtime alone may be faster" in summary(found)) == told
