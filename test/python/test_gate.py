"""What decides on a bmodel: limits of a user's own, and metrics of the whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import split_two
from convert_toolchain import real

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.accept import accept
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.flows.gate.figures import compare_outputs
from autosplit.flows.quantizing.metrics import Metric, load_metric, target_of
from autosplit.flows.quantizing.task_metrics import iou, task_metric
from autosplit.folder.compilation import Compilation
from autosplit.formats.top_mlir import writer
from autosplit.portable.networks import NetworkPort
from autosplit.tools.cli.main import main


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of which the second bmodel makes all numbers 1 % too large."""
    real()
    true = writer.weight_array

    def mistaken(op: Any, store: Any) -> Any:
        array = true(op, store)
        return array * np.float32(1.01) if op.names[0] == "w2" else array

    monkeypatch.setattr(writer, "weight_array", mistaken)
    return split_two(tmp_path / "net")


def compared(folder: Path, **options: Any) -> ConvertResult:
    return convert_folder(ConvertOptions(folder, compare=True, samples=2, **options))


def largest(made: Any, exact: Any) -> float:
    """Minus the largest relative error, over all samples."""
    offs = [
        float(np.abs(a["y"] - b["y"]).max() / np.abs(b["y"]).max())
        for a, b in zip(made, exact, strict=True)
    ]
    return -max(offs)


def test_a_tolerance_decides_on_its_output(wrong: Path):
    assert [g.state for g in compared(wrong).graphs] == ["compiled", "refused"]
    # What was refused is taken as it is, and compared again under other limits.
    loose = compared(wrong, tolerance={"y": 0.02})
    assert [g.state for g in loose.graphs] == ["taken", "taken"]
    loose.check()
    tight = compared(wrong, tolerance={"y": 0.005})
    assert [g.state for g in tight.graphs] == ["taken", "refused"]
    assert "--tolerance allows a relative error of 0.005" in tight.graphs[1].error
    assert tight.graphs[1].comparison["y"].relative == pytest.approx(0.01, rel=0.01)


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ([0.3], "relative error 0.3; "),
        ([0.3, 0.05], ""),
        ([0.3, 0.15], "relative error 0.3 on 1 of 2 samples"),
        ([0.45, 0.01, 0.01, 0.01], "relative error 0.45 on 1 of 4 samples"),
        ([0.19, 0.19], ""),
        ([float("nan"), 0.01], "on 1 of 2 samples"),
    ],
)
def test_the_mean_of_errors_decides_and_one_may_be_twice_as_large(errors: list[float], said: str):
    """The largest of several samples is an extreme value: cosines say that the rest is right."""
    port = NetworkPort("y", "y", (100,), "float32")
    record = Compilation("tpu-mlir", "1", "bm1684x", "INT8", False, 2, "graph_0", (), (port,), {})
    exact, far = np.ones(100, np.float32), []
    for error in errors:
        far.append({"y": exact + np.float32(error) * (np.arange(100) == 7)})
    problem = compare_outputs(record, [{"y": exact}] * len(errors), far).problem
    assert said in problem
    assert bool(problem) == bool(said)


def test_a_metric_decides_on_the_whole(wrong: Path):
    metric = Metric("largest", largest)
    good = compared(wrong, metric=metric, target_metric=-0.02)
    good.check()
    assert [g.state for g in good.graphs] == ["compiled", "compiled"]
    # The figures are measured as ever.
    assert good.graphs[1].comparison["y"].relative == pytest.approx(0.01, rel=0.01)
    assert good.score == pytest.approx(-0.01, rel=0.01)
    bad = compared(wrong, metric=metric, target_metric=-0.005)
    assert [g.state for g in bad.graphs] == ["refused", "refused"]
    assert bad.score == good.score
    with pytest.raises(
        AutosplitError, match=r"reaches a largest of -0\.01 over 2 samples.*--accept"
    ):
        bad.check()
    assert not (wrong / "graph_ir_2" / "compilation.bmodel").exists()
    assert [g.state for g in accept(wrong).graphs] == ["accepted", "accepted"]


def test_one_sub_model_does_not_run_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    folder = split_two(tmp_path / "net", pins=())
    runs: list[int] = []
    from autosplit.runtime.bmodel.executor import BmodelExecutor

    run = BmodelExecutor.run

    def counted(self: Any, *given: Any) -> Any:
        runs.append(1)
        return run(self, *given)

    monkeypatch.setattr(BmodelExecutor, "run", counted)
    result = compared(folder, metric=Metric("largest", largest), target_metric=-1e-4)
    result.check()
    assert (len(result.graphs), len(runs)) == (1, 2)
    # From an earlier run nothing is left to replay.
    again = compared(folder, metric=Metric("largest", largest), target_metric=-1e-4)
    assert (again.score, len(runs)) == (result.score, 4)


def test_the_command_line(wrong: Path, capsys: pytest.CaptureFixture[str]):
    (wrong.parent / "m.py").write_text(
        "def low(made, exact):\n    return -abs(made[0]['y'] - exact[0]['y']).max()\n"
    )
    given = ["convert", str(wrong), "--compare", "--samples", "1"]
    metric = ["--metric", f"{wrong.parent}/m.py:low"]
    assert main([*given, *metric, "--target-metric=-1e-9"]) == 1
    out, err = capsys.readouterr()
    assert "The emulator compared with the CPU" in out
    assert "low of the whole model: -" in out
    assert "set aside as" in out
    assert "the whole model reaches a low of" in err
    assert main([*given, "--tolerance", "y=0.02"]) == 0
    assert "--tolerance allows a relative error of 0.02 for 'y'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--compare", "--tolerance", "z=1"], "--tolerance z: no TPU sub-model has that output"),
        (["--compare", "--tolerance", "y"], "expected OUTPUT=NUMBER"),
        (["--compare", "--tolerance", "y=-1"], "expected OUTPUT=NUMBER"),
        (["--tolerance", "y=1"], "--tolerance: is for comparing; give --compare too"),
        (["--metric", "top1"], "--metric: is for comparing; give --compare too"),
        (["--compare", "--target-metric", "1"], "--target-metric: is for --metric"),
        (["--compare", "--metric", "top"], "expected FILE.py:NAME"),
        (["--compare", "--metric", "boxes"], "expected boxes:OUTPUT or boxes:BOXES,SCORES"),
    ],
)
def test_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
):
    folder = split_two(tmp_path / "net")
    capsys.readouterr()
    assert main(["convert", str(folder), *options]) == 1
    assert message in capsys.readouterr().err


def test_tasks_have_a_target_and_functions_none():
    assert target_of(load_metric("top1"), 0.0) == 1.0
    assert target_of(load_metric("boxes:a,b"), 0.0) == 0.8
    assert target_of(load_metric("text"), 0.9) == 0.9
    with pytest.raises(AutosplitError, match="say what it must reach"):
        target_of(Metric("own", largest), 0.0)


def test_top1_is_the_share_of_rows_of_the_same_class():
    exact = [{"a": np.eye(4)}, {"a": np.eye(4)}]
    made = [{"a": np.eye(4) * 0.1}, {"a": np.eye(4)[[1, 0, 2, 3]]}]
    assert task_metric("top1")(made, exact) == 0.75
    with pytest.raises(AutosplitError, match="there is no output 'b'"):
        task_metric("top1:b")(made, exact)


def steps(*classes: int) -> dict[str, Any]:
    return {"t": np.eye(5)[list(classes)][None]}


def test_a_text_is_what_the_steps_say_without_blanks_and_repetitions():
    metric = task_metric("text:t")
    assert metric([steps(1, 1, 0, 2, 2)], [steps(1, 0, 0, 2, 0)]) == 1.0
    assert metric([steps(1, 0, 1, 2)], [steps(1, 1, 1, 2)]) == 0.0
    assert metric([steps(1), steps(2)], [steps(1), steps(3)]) == 0.5


def test_boxes_are_matched_by_class_and_overlap():
    assert iou(np.array([0, 0, 2, 2]), np.array([1, 0, 3, 2])) == pytest.approx(1 / 3)
    boxes = np.array([[0, 0, 10, 10], [20, 20, 40, 40], [20, 20, 40, 41]], np.float32)
    scores = np.array([[0.9, 0], [0, 0.8], [0, 0.7]], np.float32)
    exact = [{"b": boxes, "s": scores}]
    metric = task_metric("boxes:b,s")
    assert metric(exact, exact) == 1.0
    near = [{"b": boxes + np.array([0, 0, 0, 1]), "s": scores}]
    # The third box is the second one again.
    assert metric(near, exact) == pytest.approx((10 / 11 + 20 / 21) / 2)
    other = [{"b": boxes, "s": scores[:, ::-1]}]
    assert metric(other, exact) == 0.0
    none = [{"b": boxes, "s": scores * 0}]
    assert metric(none, none) == 1.0
    assert metric(none, exact) == 0.0


def test_boxes_of_one_output_are_centres_and_sizes():
    rows = np.zeros((1, 6, 50), np.float32)
    rows[0, :, 3] = [5, 5, 10, 10, 0.9, 0]
    rows[0, :, 7] = [30, 30, 20, 20, 0, 0.8]
    corners = {
        "b": np.array([[0, 0, 10, 10], [20, 20, 40, 40]]),
        "s": np.array([[0.9, 0], [0, 0.8]]),
    }
    assert task_metric("boxes:y")([{"y": rows}], [{"y": rows}]) == 1.0
    from autosplit.flows.quantizing.task_metrics import _boxes

    assert np.allclose(_boxes({"y": rows}, ["y"]), _boxes(corners, ["b", "s"]))
