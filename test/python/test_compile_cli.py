"""`autosplit compile`, and `run` and `explain` of compiled folders: what they print, and their errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onednn_installed import needs_library

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.testing.qdq import QdqBuilder
from autosplit.testing.qdq import run as qdq_run
from autosplit.tools.cli import main as cli
from autosplit.tools.cli.compile import gap

Array = NDArray[np.generic]


def builder() -> QdqBuilder:
    b = QdqBuilder(seed=4, name="cli")
    y = b.qdq(b.relu(b.conv(b.qdq(b.input("image", ("N", 3, 8, 8))), (8, 3, 3, 3), pads=1)))
    y = b.linear(b.qdq(b.node("Flatten", y)), (10, 8 * 8 * 8))
    b.output(b.node("Softmax", b.qdq(y), axis=-1))
    return b


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.onnx"
    onnx.save(builder().build(), path)
    return path


@pytest.fixture(scope="module")
def compiled(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("compiled") / "out"
    assert cli.main(["compile", str(model), "-o", str(out), "--rounding", "exact"]) == 0
    return out


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert cli.main([str(a) for a in arguments]) == code
    captured = capsys.readouterr()
    # On a busy machine the command says what takes so long.
    lines = [line for line in captured.err.splitlines() if not line.endswith(" ...")]
    return captured.out, "\n".join(lines)


def test_compile_says_what_it_made(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out, err = run(capsys, "compile", model, "-o", tmp_path / "out")
    assert err == ""
    assert "oneDNN" in out
    assert re.search(
        r"^\d+ partitions of \d+ oneDNN ops; 1 op moving bytes; \d+ ops? left to", out, re.M
    )
    assert out.splitlines()[-1] == f"wrote {tmp_path / 'out'}"


def test_compile_of_a_float_model_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    onnx.save(builder().build_float(), tmp_path / "float.onnx")
    out, _ = run(capsys, "compile", tmp_path / "float.onnx", "-o", tmp_path / "out")
    assert "0 partitions" in out
    assert "nothing in the model is quantized" in out


def test_compile_errors_are_one_line(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("x")
    cases: list[tuple[list[object], str]] = [
        ([tmp_path / "none.onnx", "-o", tmp_path / "o"], "there is no such file"),
        ([model, "-o", tmp_path / "full"], "is not empty"),
        ([model, "-o", tmp_path / "o", "--version", "9.9"], "oneDNN 3 only"),
        ([model, "-o", tmp_path / "o", "--policy", "guess"], "invalid choice: 'guess'"),
        ([model, "-o", tmp_path / "o", "--input", "imag=1,3,8,8"], "did you mean 'image'"),
        ([model, "-o", tmp_path / "o", "--input", "image=1,3,8"], "image"),
        ([model, "-o", tmp_path / "o", "--input", "image=1,3,8,8:uint8"], "found dtype uint8"),
        ([model, "-o", tmp_path / "o", "--output", "nothing"], "nothing"),
        ([model], "-o"),
    ]
    for arguments, expected in cases:
        out, err = run(capsys, "compile", *arguments, code=1)
        assert expected in err
        assert err.startswith("autosplit: error: ")
        assert len(err.splitlines()) == 1
        assert out == ""
    assert not (tmp_path / "o").exists()


@needs_library
def test_run_shows_steps_account_and_differences(
    model: Path, compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    feeds = builder().feeds(N=3)
    np.save(tmp_path / "image.npy", feeds["image"])
    out, err = run(
        capsys, "run", compiled, "--input", f"image={tmp_path / 'image.npy'}",
        "--compare", model, "-o", tmp_path / "o.npz", "--repeat", "2",
    )  # fmt: skip
    assert err == ""
    assert re.search(r"oneDNN .* \d+\.\d{3} ms .*%", out)
    assert re.search(r"ONNX Runtime .* \d+\.\d{3} ms", out)
    assert "between the steps" in out
    assert re.search(r"mean of 2 runs; \d+ compilations? in the first run", out)
    assert "max quanta" in out
    whole = OnnxExecutor(model)
    expected = whole.run(feeds, whole.output_names)
    with np.load(tmp_path / "o.npz") as found:
        assert found.files == whole.output_names
        for name in found.files:
            assert found[name].shape == expected[name].shape
            np.testing.assert_allclose(found[name], expected[name], atol=0.05)


@needs_library
def test_run_with_a_shape_and_random_input(compiled: Path, capsys: pytest.CaptureFixture[str]):
    out, _ = run(capsys, "run", compiled, "--input", "2,3,8,8", "--repeat", "1")
    assert "random input (seed 0): image" in out
    assert re.search(r"float32 +2x10", out)


@needs_library
def test_run_fails_beyond_the_tolerance(
    compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    b = QdqBuilder(seed=77, name="cli")
    y = b.qdq(b.relu(b.conv(b.qdq(b.input("image", ("N", 3, 8, 8))), (8, 3, 3, 3), pads=1)))
    y = b.linear(b.qdq(b.node("Flatten", y)), (10, 8 * 8 * 8))
    b.output(b.node("Softmax", b.qdq(y), axis=-1))
    onnx.save(b.build(), tmp_path / "other.onnx")
    out, err = run(
        capsys, "run", compiled, "--input", "1,3,8,8", "--compare", tmp_path / "other.onnx", code=1
    )
    assert re.search(r"1 of 1 output differ from .*other.onnx: '.*' by [\d.e+]+ quanta, ", err)
    assert "accepted are 8 (one for each fused partition, at least 8), and 1 in the mean" in out
    run(
        capsys, "run", compiled, "--input", "1,3,8,8", "--compare", tmp_path / "other.onnx",
        "--tolerance", "1e9",
    )  # fmt: skip


def test_run_errors_are_one_line(
    compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    broken = Path(shutil.copytree(compiled, tmp_path / "broken"))
    (broken / "dnnl_0/plan.mlir").write_text("no plan")
    cases: list[tuple[list[object], str]] = [
        ([broken], "was changed since it was written"),
        ([compiled, "--repeat", "0"], "--repeat 0: expected 1 or more"),
        ([compiled, "--compare", "x.onnx", "--tolerance", "nan"], "--tolerance nan"),
    ]
    for arguments, expected in cases:
        out, err = run(capsys, "run", *arguments, code=1)
        assert expected in err
        assert len(err.splitlines()) == 1
        assert out == ""


@needs_library
def test_run_errors_of_inputs(
    model: Path, compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    np.save(tmp_path / "wrong.npy", np.full((1, 3, 8, 8), 0.1))
    cases: list[tuple[list[object], str]] = [
        ([compiled], "input 'image' has no fixed shape (?,3,8,8); give one, as in --input image="),
        ([compiled, "--input", ":uint8"], "found dtype uint8, expected float32"),
        ([compiled, "--input", "1,3,9,9"], "[1, 3, 9, 9]"),
        ([compiled, "--input", tmp_path / "wrong.npy"], "float64"),
        ([compiled, "--input", "1,3,8,8", "--compare", tmp_path / "none.onnx"], "no such file"),
    ]
    for arguments, expected in cases:
        _, err = run(capsys, "run", *arguments, code=1)
        assert expected in err
        assert len(err.splitlines()) == 1


def test_explain_of_a_folder_and_of_a_model_agree(
    model: Path, compiled: Path, capsys: pytest.CaptureFixture[str]
):
    of_folder, _ = run(capsys, "explain", compiled, "--all")
    of_model, _ = run(capsys, "explain", model, "--int8", "--all", "--rounding", "exact")
    assert of_folder == of_model
    assert "Convolution" in of_folder
    assert re.search(r"graph_\d+ +Softmax", of_folder)
    out, _ = run(capsys, "explain", compiled, "--json")
    found = json.loads(out)
    assert found["version"] == "3.2"
    kinds = [op["kind"] for p in found["partitions"] for op in p["ops"]]
    assert kinds.count("Convolution") == 1
    assert kinds.count("MatMul") == 1
    assert [op["type"] for op in found["outside"]].count("Softmax") == 1


def test_explain_of_one_op(compiled: Path, capsys: pytest.CaptureFixture[str]):
    out, _ = run(capsys, "explain", compiled, "--json")
    found = json.loads(out)
    conv = next(
        op["name"] for p in found["partitions"] for op in p["ops"] if op["kind"] == "Convolution"
    )
    out, _ = run(capsys, "explain", compiled, "--op", conv)
    assert "in oneDNN, by the rule" in out
    assert f"Convolution '{conv}'" in out
    _, err = run(capsys, "explain", compiled, "--op", "nonsense", code=1)
    assert "there is no op called 'nonsense'" in err


def test_explain_says_why_a_cast_runs_alone(compiled: Path, capsys: pytest.CaptureFixture[str]):
    out, _ = run(capsys, "explain", compiled, "--json")
    partitions = json.loads(out)["partitions"]
    alone = [p for p in partitions if p["rule"] == "single"]
    assert alone
    assert all(p["code"] and p["text"] for p in alone)
    assert not any(p["code"] for p in partitions if p["rule"] != "single")
    out, _ = run(capsys, "explain", compiled, "--op", alone[0]["ops"][0]["name"])
    assert f"fused with nothing: {alone[0]['text']} [{alone[0]['code']}]" in out


def test_explain_prints_the_rules(capsys: pytest.CaptureFixture[str]):
    out, _ = run(capsys, "explain", "--rules")
    assert "Convolution" in out
    assert max(map(len, out.splitlines())) <= 120
    assert re.search(r"^sum-type +the summand is per tensor", out, re.MULTILINE)
    newer, _ = run(capsys, "explain", "--rules", "--version", "3.6")
    assert newer != out
    as_json, _ = run(capsys, "explain", "--rules", "--json")
    (conv,) = (row for row in json.loads(as_json) if row["name"] == "int8-conv")
    assert "BiasAdd: unbiased" in conv["checks"]
    assert "BiasAdd: nothing is added yet" in conv["conditions"]
    _, err = run(capsys, "explain", code=1)
    assert "name a folder or a model, or --rules" in err
    _, err = run(capsys, "explain", "--rules", "--version", "x", code=1)
    assert "version 'x'" in err


@needs_library
def test_the_api(model: Path, tmp_path: Path):
    api.compile(model, tmp_path / "out", {"image": (2, 3, 8, 8)}, rounding="exact")
    plan = api.load_compiled(tmp_path / "out")
    feeds = builder().feeds(N=2)
    found = api.infer(plan, feeds)
    whole = OnnxExecutor(model)
    for name, expected in whole.run(feeds, whole.output_names).items():
        np.testing.assert_allclose(found[name], expected, atol=0.05)
    with pytest.raises(AutosplitError, match="expected a list of tensor names"):
        api.compile(model, tmp_path / "other", outputs="y")


@needs_library
def test_by_default_outputs_are_nearer_to_the_real_model(model: Path, tmp_path: Path):
    """Inputs that were not calibrated: some logits are beyond the range that exact rounding cuts off."""
    feeds = builder().feeds(N=3)
    real = qdq_run(builder().build_float(), feeds, optimize=False)[0]
    off: dict[str, float] = {}
    for name, options in {"exact": {"rounding": "exact"}, "default": {}}.items():
        api.compile(model, tmp_path / name, **options)
        found = api.infer(api.load_compiled(tmp_path / name), feeds)
        off[name] = float(np.abs(next(iter(found.values())) - real).max())
    assert off["default"] < 0.2 * off["exact"]


@needs_library
def test_a_difference_may_be_what_was_left_out(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    np.save(tmp_path / "image.npy", builder().feeds(N=3)["image"])
    run(capsys, "compile", model, "-o", tmp_path / "out")
    out, err = run(
        capsys, "run", tmp_path / "out", "--input", f"image={tmp_path / 'image.npy'}",
        "--compare", model, code=1,
    )  # fmt: skip
    assert "at least 8, and 1 for roundings that were left out), and" in out
    assert "compile with --rounding exact to compare with what the model says" in err


@pytest.mark.parametrize(
    ("got", "expected", "largest"),
    [
        (np.array([3, 4], np.uint8), np.array([3, 7], np.uint8), 3.0),
        (np.array([0, 1.1], np.float32), np.array([0, 1], np.float32), 25.5),
        (np.array([2.5], np.float32), np.array([2.5], np.float32), 0.0),
        (np.array([np.nan], np.float32), np.array([np.nan], np.float32), 0.0),
        (np.array([np.nan], np.float32), np.array([1.0], np.float32), np.inf),
        (np.zeros(2, np.float32), np.zeros(3, np.float32), np.inf),
        (np.zeros(0, np.float32), np.zeros(0, np.float32), 0.0),
        (np.array([0.0, 1.0], np.float32), np.array([0.0, 0.0], np.float32), 1.0),
    ],
)
def test_quanta(got: Array, expected: Array, largest: float):
    assert gap("y", got, expected).largest == pytest.approx(largest, rel=1e-5)


@needs_library
def test_outputs_are_written_before_they_are_shown(tmp_path: Path):
    """Whoever reads the tables may stop reading; the file is there all the same."""
    b = QdqBuilder(seed=3)
    x = b.qdq(b.input("x", (1, 4, 6, 6)))
    b.output(b.qdq(b.conv(x, (4, 4, 1, 1))))
    onnx.save(b.build(), tmp_path / "model.onnx")
    folder, archive = tmp_path / "out", tmp_path / "outputs.npz"
    command = [sys.executable, "-m", "autosplit.tools.cli.main"]
    compiled = [*command, "compile", str(tmp_path / "model.onnx"), "-o", str(folder)]
    subprocess.run(compiled, check=True, capture_output=True)
    np.save(tmp_path / "x.npy", np.ones((1, 4, 6, 6), np.float32))
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        run = [*command, "run", str(folder), "--input", str(tmp_path / "x.npy"), "-o", str(archive)]
        subprocess.run(run, check=False, stdout=closed, stderr=subprocess.DEVNULL)
    assert archive.is_file()
