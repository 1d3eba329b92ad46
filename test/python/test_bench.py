"""`autosplit bench`: engines side by side, and which kernels a plan runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.flows import bench as flow
from autosplit.flows.bench import BenchOptions, bench
from autosplit.runtime.latency.profile import by_step, kernels_of
from autosplit.runtime.latency.turns import Child, Side, Times
from autosplit.testing.qdq import QdqBuilder
from autosplit.tools.cli import main as cli
from autosplit.tools.cli.bench import show

pytestmark = needs_library


def builder() -> QdqBuilder:
    b = QdqBuilder(seed=4, name="bench")
    y = b.qdq(b.relu(b.conv(b.qdq(b.input("image", (1, 3, 8, 8))), (8, 3, 3, 3), pads=1)))
    y = b.linear(b.qdq(b.node("Flatten", y)), (10, 8 * 8 * 8))
    b.output(b.node("Softmax", b.qdq(y), axis=-1))
    return b


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.onnx"
    onnx.save(builder().build(), path)
    onnx.save(builder().build_float(), path.with_name("float.onnx"))
    return path


SHORT = ["--threads", "1", "--rounds", "2", "--runs", "1"]


def test_sides_are_measured_and_compared_with_f32(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    f32 = model.with_name("float.onnx")
    arguments = ["bench", str(model), "--vs", "onnxruntime", "--f32", str(f32), "--json", *SHORT]
    assert cli.main([*arguments, "--profile"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(s["engine"], s["precision"]) for s in found["sides"]] == [
        ("autosplit", "int8"),
        ("onnxruntime", "int8"),
        ("onnxruntime", "f32"),
    ]
    assert found["reference"] == "ONNX Runtime f32"
    ours, peer, floats = found["sides"]
    assert ours["ratio"] == 1
    assert all(0 < s["min_ms"] <= s["median_ms"] for s in found["sides"])
    assert ours["cosine"] > 0.99
    assert peer["cosine"] > 0.99
    assert floats["cosine"] is None
    steps = found["profile"]["steps"]
    conv = next(s for s in steps if s["rule"] == "int8-conv")
    assert conv["kernels"]
    assert all(k.startswith("convolution ") for k in conv["kernels"])
    assert found["profile"]["ms"] > conv["ms"] > 0


def test_a_compiled_folder_is_measured_with_the_model_in_it(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["compile", str(model), "-o", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert cli.main(["bench", str(tmp_path / "out"), "--vs", "onnxruntime", *SHORT]) == 0
    said = capsys.readouterr().out
    assert "ONNX Runtime int8" in said
    assert "2 rounds of 1 run, threads: 1" in said


def test_errors_are_one_line(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments: str) -> str:
        assert cli.main(["bench", *arguments]) == 1
        said = [s for s in capsys.readouterr().err.splitlines() if not s.endswith(" ...")]
        assert len(said) == 1
        return said[0]

    assert "no such file or folder" in fails("none.onnx")
    assert "onnxruntime" in fails(str(model), "--vs", "onnxrutime")
    assert "--rounds 0" in fails(str(model), "--vs", "none", "--rounds", "0")
    assert "not what `autosplit compile` writes" in fails(str(model.parent), "--vs", "none")
    monkeypatch.setattr(flow, "find_spec", lambda name: None)
    said = fails(str(model), "--vs", "openvino")
    assert "autosplit[bench]" in said
    assert "--vs" in said


def test_an_engine_that_cannot_run_the_model_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"nothing")
    side = Side("onnxruntime", "int8", broken)
    with pytest.raises(AutosplitError, match="ONNX Runtime int8 cannot run the model: "):
        Child(side, {}, 1, tmp_path / "work")


def test_what_one_engine_cannot_run_the_others_do(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"nothing")
    feeds = {"image": np.zeros((1, 3, 8, 8), np.float32)}
    options = BenchOptions(model, lambda _: feeds, broken, ("onnxruntime",), 1, rounds=1, runs=1)
    found = bench(options)
    assert [t.side.title for t in found.times] == ["autosplit int8", "ONNX Runtime int8"]
    assert found.reference == "ONNX Runtime int8"
    assert len(found.missing) == 1
    show(found)
    assert "\nONNX Runtime f32 cannot run the model: " in capsys.readouterr().out


def test_without_peers_there_is_no_reference(model: Path) -> None:
    feeds = {"image": np.zeros((1, 3, 8, 8), np.float32)}
    found = bench(BenchOptions(model, lambda _: feeds, vs=(), threads=1, rounds=1, runs=1))
    assert found.reference == ""
    assert found.cosine(found.times[0]) is None


def test_ratios_are_those_of_the_best_run_of_each_round() -> None:
    side = Side("autosplit", "int8", Path())
    ours = Times(side, "", np.array([[2.0, 9.0], [4.0, 3.0], [6.0, 6.0]]), {})
    peer = Times(side, "", np.array([[1.0, 5.0], [3.0, 3.0], [1.5, 2.0]]), {})
    assert ours.ratio(peer) == (2.0, 1.5, 3.0)


def test_nearness_is_that_of_the_output_that_is_farthest() -> None:
    a = {"x": np.array([1.0, 0.0]), "y": np.array([1.0, 1.0])}
    b = {"x": np.array([2.0, 0.0]), "y": np.array([0.0, 3.0])}
    assert nearness(a, b) == pytest.approx(np.sqrt(0.5))
    assert nearness({"p": a["x"]}, {"q": b["x"]}) == pytest.approx(1.0)


def test_lines_of_the_library_belong_to_the_step_before_them() -> None:
    reorder = "onednn_verbose,exec,cpu,reorder,simple:any,undef,src dst,,,1,0.1"
    conv = "onednn_verbose,exec,cpu,convolution,ref:any,forward,src,attr,alg,mb1_ic3oc4,5.0"
    found = by_step(f"autosplit-step a\n{reorder}\n{conv}\nautosplit-step b\nnoise\n{reorder}\n")
    assert kernels_of(found["a"]) == (["convolution ref:any"], "mb1_ic3oc4")
    assert kernels_of(found["b"]) == (["reorder simple:any"], "1")
    assert kernels_of([]) == ([], "")
