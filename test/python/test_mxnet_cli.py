"""MXNet symbols through the commands: what is written, that it runs, and what mistakes leave behind."""

from __future__ import annotations

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit.api import split
from autosplit.core.weights import Array
from autosplit.formats.mxnet.params import read_params, record_of, write_params
from autosplit.runtime import runner
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import run_whole
from autosplit.testing.split import split as split_whole
from autosplit.tools import autosplit_opt
from autosplit.tools.cli import main as cli

SHAPES = {"arg:conv0_weight": (4, 3, 3, 3), "arg:fc0_weight": (2, 64), "arg:fc0_bias": (2,)}
OUTPUTS = ["softmax_output", "pool0_output"]
needs_mxnet = pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test works in a folder of its own, with a net in it."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parent / "data/net-symbol.json", "net-symbol.json")
    random = np.random.default_rng(0)
    arrays = {name: random.normal(size=shape) for name, shape in SHAPES.items()}
    records = {name: record_of(array.astype(np.float32)) for name, array in arrays.items()}
    write_params(Path("net-0000.params"), records)


def picture() -> dict[str, Array]:
    return {"data": np.random.default_rng(1).normal(size=(1, 3, 8, 8)).astype(np.float32)}


def fails(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The message of a command that must fail with one line, and leave nothing behind."""
    before = sorted(os.listdir())
    assert cli.main(list(args)) == 1
    lines = [x for x in capsys.readouterr().err.splitlines() if not x.endswith(" ...")]
    assert len(lines) == 1, lines
    assert sorted(os.listdir()) == before
    return lines[0]


@needs_mxnet
def test_a_net_is_split_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["split", "net-symbol.json", "-o", "out", "--pin", "relu0=cpu", "--keep", "0.9"])
        == 0
    )
    infos = json.loads(Path("out/graph_infos.json").read_text())
    assert infos["platform"] == "mxnet"
    assert infos["layout"] == "NCHW"
    first, second = infos["graphs"]
    assert first["model_info"] == {"json": "graph_0-symbol.json", "params": "graph_0.params"}
    assert [first["device"], second["device"]] == ["tpu", "cpu"]
    assert first["outputs"] == second["inputs"] == ["split0_output0", "shift0_output"]
    assert list(read_params(Path("out/graph_0.params"))) == ["arg:conv0_weight"]
    assert list(read_params(Path("out/graph_1.params"))) == ["arg:fc0_weight", "arg:fc0_bias"]
    got = runner.infer(runner.load("out", mode=0), picture())
    wanted = run_whole(Path("net-symbol.json"), picture(), OUTPUTS)
    for name in OUTPUTS:
        np.testing.assert_array_equal(got[name], wanted[name], strict=True)
    assert cli.main(["run", "out", "--compare", "net-symbol.json"]) == 0
    assert "2 of 2 outputs are bit-equal" in capsys.readouterr().out
    assert cli.main(["explain", "out"]) == 0
    assert "pinned" in capsys.readouterr().out


@needs_mxnet
def test_the_documented_function() -> None:
    os.rename("net-0000.params", "weights.params")
    split(
        "mxnet", picture(), "out", "net-symbol.json", params_path="weights.params", outputs=["fc0"]
    )
    infos = json.loads(Path("out/graph_infos.json").read_text())
    assert infos["graphs"][0]["outputs"] == ["fc0_output"]
    got = runner.infer(runner.load("out", mode=0), picture())
    assert got["fc0_output"].shape == (1, 2)


def test_the_tool_reads_and_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert autosplit_opt.main(["net-symbol.json", "-t", "mxnet-symbol"]) == 0
    assert capsys.readouterr().out == Path("net-symbol.json").read_text()
    assert autosplit_opt.main(["net-symbol.json", "-p", "infer-shapes"]) == 0
    text = capsys.readouterr().out
    assert 'mx.SoftmaxOutput "softmax"' in text
    assert "tensor<1x2xf32>" in text


def test_a_parameter_of_another_dtype_stays_with_its_op(capsys: pytest.CaptureFixture[str]) -> None:
    """MXNet refuses it where it runs the op; nothing converts it."""
    records = {n: record_of(np.ones(shape, np.float32)) for n, shape in SHAPES.items()}
    records["arg:fc0_bias"] = record_of(np.ones(2, np.float64))
    write_params(Path("net-0000.params"), records)
    assert autosplit_opt.main(["net-symbol.json", "-p", "convert-mx-to-onnx"]) == 0
    text = capsys.readouterr().out
    assert 'mx.FullyConnected "fc0"' in text
    assert "inputs and attributes do not fit each other: C has inconsistent type" in text


def test_mistakes_leave_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["split", "net-symbol.json", "-o", "out"]
    assert "is not a tensor of the model (did you mean 'data'?)" in fails(
        capsys, *args, "--input", "dat=1,3,8,8"
    )
    assert "contradicts the model's, which is [1, 3, 8, 8]" in fails(
        capsys, *args, "--input", "data=1,4,8,8"
    )
    assert "output 'nothing' is not a tensor" in fails(capsys, *args, "--output", "nothing")
    assert "is a parameter of the model" in fails(capsys, *args, "--input", "fc0_bias=2")
    assert "no.params: there is no such file" in fails(capsys, *args, "--params", "no.params")
    assert "holds parameters; give the symbol" in fails(
        capsys, "split", "net-0000.params", "-o", "out"
    )
    whole = Path("net-0000.params").read_bytes()
    Path("net-0000.params").write_bytes(whole[:-40])
    assert "net-0000.params: is cut off" in fails(capsys, *args)
    Path("net-0000.params").write_bytes(b"")
    fails(capsys, *args)
    Path("net-0000.params").unlink()
    assert "give that with --params" in fails(capsys, *args)


@needs_mxnet
def test_an_input_inside_and_a_label_that_is_given() -> None:
    inner = np.random.default_rng(1).normal(size=(1, 4, 8, 8)).astype(np.float32)
    label = np.zeros(1, np.float32)
    split(
        "mxnet",
        {"conv0": inner, "softmax_label": label},
        "out",
        "net-symbol.json",
        outputs=["softmax"],
        pins={"relu0": "cpu"},
    )
    infos = json.loads(Path("out/graph_infos.json").read_text())
    inputs = [n for n, t in infos["tensors"].items() if t["attr"] == "input"]
    assert sorted(inputs) == ["conv0_output", "softmax_label"]
    got = runner.infer(runner.load("out", mode=0), {"conv0_output": inner, "softmax_label": label})
    assert got["softmax_output"].shape == (1, 2)


@pytest.mark.nightly
@needs_mxnet
def test_a_symbol_that_is_fused_for_onednn(capsys: pytest.CaptureFixture[str]) -> None:
    """Its ops have symbols inside of them."""
    symbol = import_mxnet("a test").sym.load("net-symbol.json")
    symbol.get_backend_symbol("MKLDNN").save("fused-symbol.json")
    os.rename("net-0000.params", "fused.params")
    assert '"subgraphs"' in Path("fused-symbol.json").read_text()
    assert autosplit_opt.main(["fused-symbol.json", "-t", "mxnet-symbol"]) == 0
    assert capsys.readouterr().out == Path("fused-symbol.json").read_text()
    model = Path("fused-symbol.json")
    with random_cuts(1):
        split_whole(model, Path("out"), picture())
    assert "subgraphs" in Path("out/plan.mlir").read_text()
    got = runner.infer(runner.load("out", mode=0), picture())
    wanted = run_whole(model, picture(), list(got))
    for name, array in wanted.items():
        np.testing.assert_array_equal(got[name], array, strict=True)
    assert cli.main(["explain", "fused-symbol.json", "--all"]) == 0
    assert "is fused for oneDNN, which computes it on the CPU" in capsys.readouterr().out
