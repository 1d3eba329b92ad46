"""`autosplit convert` and `autosplit deploy` as a person types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from convert_models import X, split_two, two_convolutions
from convert_toolchain import FAIL, NEVER, real, wrapped
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.tolerances import Tolerance
from autosplit.toolchains.bmodel_compile import VARIABLE
from autosplit.tools.cli.main import main


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    found = capsys.readouterr()
    return found.out, found.err


def test_convert_and_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    real()
    folder = split_two(tmp_path / "net")
    said(capsys)
    options = ["--compare", "--jobs", "1", "--samples", "3"]
    assert main(["convert", str(folder), *options]) == 0
    out, err = said(capsys)
    assert "comparing with 3 samples of random input (seeds 0 to 2): x" in out
    assert "The emulator compared with the CPU: the worst of 3 samples, and their mean" in out
    assert out.startswith("target: BM1684, which the folder was split for\n")
    assert (
        "F32 allows cosines from 0.99999 and relative errors up to 0.0001 on average, 0.0002 at most"
        in out
    )
    assert out.endswith(f"wrote {folder}/graph_ir_2/compilation.bmodel\n")
    assert "error" not in err
    assert main(["convert", str(folder), "--target", "BM1684"]) == 0
    out, _ = said(capsys)
    assert out.count("from an earlier run") == 2
    assert "nothing to compile" in out
    assert main(["explain", str(folder)]) == 0
    out, _ = said(capsys)
    assert "tpu-mlir 1.30.2   bm1684 F32       2   cosine 1.000000" in out
    assert main(["explain", str(folder), "--json"]) == 0
    compiled = json.loads(said(capsys)[0])["compiled"]
    assert [c["graph"] for c in compiled] == ["graph_0", "graph_2"]
    assert {c["bmodel"] for c in compiled} == {
        "graph_ir_0/compilation.bmodel",
        "graph_ir_2/compilation.bmodel",
    }


def test_figures_are_shown_where_a_bmodel_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    real()
    folder = split_two(tmp_path / "net")
    near = {"F32": Tolerance(cosine=1.0, relative=1e-9)}
    monkeypatch.setattr("autosplit.flows.gate.figures.TOLERANCES", near)
    said(capsys)
    assert main(["convert", str(folder), "--compare", "--samples", "2"]) == 1
    out, err = said(capsys)
    assert "the worst of 2 samples" in out
    for name in ("graph_0     r1", "graph_2     y"):
        (line,) = [line for line in out.splitlines() if line.startswith(name)]
        assert len(line.split()) == 8
    assert "differs from the CPU's: cosine 1.000000, relative error" in err
    assert " on 2 of 2 samples; F32 allows 1 and 1e-09" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone"], "gone: there is no such folder"),
        (["--mode", "f16"], "mode F16: BM1684 computes in F32 and INT8 only"),
        (["--optimize", "4"], "argument --optimize: invalid choice"),
        (["--target", "bm9"], "chip 'bm9' is unknown"),
        (["--target", "BM1682"], "--target BM1682: TPU-MLIR has no such chip; the vendor's older"),
        (["--mode", "int8"], "mode INT8 needs data"),
        (["--samples", "0"], "--samples 0: expected at least 1"),
        (["--data", "gone.npy"], "--data gone.npy: there is no such file"),
    ],
)
def test_mistakes_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
):
    folder = split_two(tmp_path / "net")
    real()
    said(capsys)
    given = arguments if arguments[0] == "gone" else [str(folder), *arguments]
    assert main(["convert", *given]) == 1
    out, err = said(capsys)
    assert err.startswith("autosplit: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert "Bmodels" not in out


def test_a_failure_is_shown_with_what_succeeded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    folder = split_two(tmp_path / "net")
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", FAIL)))
    assert main(["convert", str(folder)]) == 1
    out, err = said(capsys)
    table, _, costs = out.partition("What a run costs the chip")
    assert [line.split()[3] for line in table.splitlines() if line.startswith("graph_")] == [
        "compiled",
        "failed",
    ]
    assert costs.count("\ngraph_") == 1
    assert "--pin 'conv2=cpu'" in err


def deploy(model: Path, out: Path, *more: str) -> int:
    options = ["--pin", "middle=cpu", "--keep", "1", "-o", str(out), *more]
    return main(["deploy", str(model), *options])


def test_deploy(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    real()
    model = two_convolutions(tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", X)
    folder = tmp_path / "out"
    data = ["--data", str(tmp_path / "x.npy")]
    options = ["--target", "bm1684x", "--mode", "INT8", "--compare", *data]
    assert deploy(model, folder, *options) == 0
    out, _ = said(capsys)
    assert out.endswith(f"wrote {folder}\n")
    assert f"wrote {folder}/graph_ir_0/compilation.bmodel" in out
    assert sorted(p.parent.name for p in folder.rglob("*.bmodel")) == ["graph_ir_0", "graph_ir_2"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "out", "x.npy"]
    assert deploy(model, folder) == 1
    assert "is not empty" in said(capsys)[1]
    (folder / "mine.npy").touch()
    assert deploy(model, folder, "--force") == 1
    assert "'mine.npy' in it is not that" in said(capsys)[1]
    (folder / "mine.npy").unlink()
    assert deploy(model, folder, "--force") == 0
    compiled = json.loads((folder / "graph_infos.json").read_text())["autosplit"]["compiled"]
    assert compiled["graph_0"]["chip"] == "bm1684"
    assert str(tmp_path).encode() not in (folder / "graph_infos.json").read_bytes()


def test_deploy_says_that_nothing_is_for_the_chip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    model = two_convolutions(tmp_path / "model.onnx")
    assert main(["deploy", str(model), "--pin", ".*=cpu", "-o", str(tmp_path / "out")]) == 0
    out, _ = said(capsys)
    assert "How many sub-models" not in out
    assert out.splitlines()[-2] == "no sub-model is for the BM1684, so nothing was compiled"


def sigmoid(path: Path, bias: float) -> Path:
    """A convolution and a sigmoid, all of whose numbers are near what `bias` gives."""
    shape = [1, 1, 8, 8]
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w", "b"], ["c"]),
            helper.make_node("Sigmoid", ["c"], ["y"]),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [
            numpy_helper.from_array(np.ones((1, 1, 1, 1), np.float32), "w"),
            numpy_helper.from_array(np.array([bias], np.float32), "b"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize(("bias", "is_said"), [(-16.5, True), (-1.0, False)])
def test_numbers_that_the_cpu_rounds_away(
    bias: float, is_said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """1e-7 has two digits in ONNX Runtime's Sigmoid, and says nothing of a chip that has more."""
    real()
    model, folder = sigmoid(tmp_path / "model.onnx", bias), tmp_path / "out"
    assert main(["deploy", str(model), "--compare", "-o", str(folder)]) == 0
    note = "'y' is further off but by no more than the CPU itself rounds"
    assert (note in said(capsys)[0]) == is_said
    assert main(["run", str(folder), "--mode", "2", "--cmodel", "--compare", str(model)]) == 0
    assert "all are as near as F32 allows" in said(capsys)[0]


def test_deploy_keeps_what_was_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    model, out = two_convolutions(tmp_path / "model.onnx"), tmp_path / "out"
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", FAIL)))
    assert deploy(model, out) == 1
    told, err = said(capsys)
    assert f"see {out}/graph_ir_2/compile.log" in err
    assert "cannot be scheduled" in (out / "graph_ir_2" / "compile.log").read_text()
    assert f"wrote {out}/graph_ir_0/compilation.bmodel" in told
    assert (out / "graph_ir_0" / "compilation.bmodel").is_file()
    # What failed is there to be compiled.
    assert {p.name for p in (out / "graph_ir_2").iterdir()} >= {
        "graph_2.mlir",
        "graph_2_weights.npz",
    }
    assert (
        "compile_to_graph_ir_2.py"
        in json.loads((out / "graph_infos.json").read_text())["autosplit"]["files"]
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken", "model.onnx", "out"]


def test_deploy_keeps_what_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    real()
    model, out = two_convolutions(tmp_path / "model.onnx"), tmp_path / "out"
    near = {"F32": Tolerance(cosine=1.0, relative=1e-9)}
    monkeypatch.setattr("autosplit.flows.gate.figures.TOLERANCES", near)
    assert deploy(model, out, "--compare", "--samples", "2") == 1
    told, err = said(capsys)
    assert "the worst of 2 samples" in told
    assert f"set aside as {out}/graph_ir_0/refused.bmodel" in told
    assert f"autosplit convert {out} --accept graph_0" in err
    assert "; 1 more refused" in err
    assert ".part" not in told + err
    assert main(["convert", str(out), "--accept"]) == 0
    assert f"accepted as {out}/graph_ir_2/compilation.bmodel" in said(capsys)[0]
    assert main(["explain", str(out)]) == 0
    assert said(capsys)[0].count("refused and accepted") == 2
    assert main(["convert", str(out), "--accept", "--compare"]) == 1
    assert "--compare: is for compiling" in said(capsys)[1]
    # All of it is autosplit's own.
    assert deploy(model, out, "--compare", "--samples", "2", "--force") == 1
    assert not list(out.glob("*/compilation.bmodel"))


def test_deploy_writes_nothing_where_nothing_was_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    model = two_convolutions(tmp_path / "model.onnx")
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", NEVER)))
    assert deploy(model, tmp_path / "out") == 1
    log = tmp_path / "out.graph_2.log"
    assert f"see {tmp_path}/out.graph_0.log" in said(capsys)[1]
    assert "exit code 9" in log.read_text()
    assert not (tmp_path / "out").exists()
    assert deploy(model, tmp_path / "out", "--mode", "F16") == 1
    assert "mode F16: BM1684 computes in F32 and INT8 only" in said(capsys)[1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["convert", "deploy"])
def test_help_is_quick(command: str):
    code = (
        "import sys; from autosplit.tools.cli.main import main\n"
        f"try: main([{command!r}, '--help'])\nexcept SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules or 'xdsl' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--compare" in done.stdout
