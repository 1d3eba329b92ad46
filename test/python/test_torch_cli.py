"""PyTorch programs through the commands: what is written, that it runs, and what mistakes leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit.api import split
from autosplit.core.weights import Array
from autosplit.runtime import runner
from autosplit.testing.split import run_whole
from autosplit.tools import autosplit_opt
from autosplit.tools.cli import main as cli

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from torch import Tensor, nn

from autosplit.testing.torch_nets import UNTYPED, TorchCase


class Net(nn.Module):
    """A convolution, an activation in place, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(torch.relu_(self.conv(x)).mean((2, 3)))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test works in a folder of its own, with a program in it."""
    monkeypatch.chdir(tmp_path)
    UNTYPED.manual_seed(3)
    case = TorchCase(Net().eval(), (torch.randn(2, 3, 8, 8),), ({0: "batch"},))
    case.save(Path("net.pt2"))


def picture() -> dict[str, Array]:
    return {"x": np.random.default_rng(1).normal(size=(2, 3, 8, 8)).astype(np.float32)}


def fails(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The message of a command that must fail with one line, and leave nothing behind."""
    before = sorted(os.listdir())
    assert cli.main(list(args)) == 1
    lines = [x for x in capsys.readouterr().err.splitlines() if not x.endswith(" ...")]
    assert len(lines) == 1, lines
    assert sorted(os.listdir()) == before
    return lines[0]


def test_a_program_is_split_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["split", "net.pt2", "-o", "out", "--input", "x=2,3,8,8", "--pin", "linear=cpu"]
    assert cli.main([*arguments, "--keep", "0.5"]) == 0
    infos = json.loads(Path("out/graph_infos.json").read_text())
    assert infos["platform"] == "pytorch"
    assert infos["layout"] == "NCHW"
    assert infos["graphs"][-1]["model_info"] == {"pth_path": f"graph_{infos['graph_num'] - 1}.pt2"}
    got = runner.infer(runner.load("out", mode=0), picture())
    wanted = run_whole(Path("net.pt2"), picture(), ["linear"])
    np.testing.assert_array_equal(got["linear"], wanted["linear"], strict=True)
    capsys.readouterr()
    assert cli.main(["run", "out", "--compare", "net.pt2"]) == 0
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out
    assert cli.main(["explain", "out"]) == 0
    assert "pinned" in capsys.readouterr().out


def test_the_documented_function() -> None:
    split("pytorch", picture(), "out", "net.pt2", outputs=["mean"])
    got = runner.infer(runner.load("out", mode=0), picture())
    assert got["mean"].shape == (2, 8)


def test_the_tool_reads_and_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert autosplit_opt.main(["net.pt2", "-o", "net.mlir"]) == 0
    assert 'aten.relu_ "relu_"' in Path("net.mlir").read_text()
    assert autosplit_opt.main(["net.mlir", "-t", "pt2-program"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert autosplit_opt.main(["net.pt2", "-t", "pt2-program"]) == 0
    assert json.loads(capsys.readouterr().out) == again


def test_mistakes_leave_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["split", "net.pt2", "-o", "out"]
    assert "is not a value of the program (did you mean 'x'?)" in fails(
        capsys, *args, "--input", "X=2,3,8,8"
    )
    assert "contradicts the program's, which is [?, 3, 8, 8]" in fails(
        capsys, *args, "--input", "x=2,4,8,8"
    )
    assert "output 'nothing' is not a value" in fails(capsys, *args, "--output", "nothing")
    assert "is a parameter of the program" in fails(capsys, *args, "--input", "p_fc_bias=4")
    assert "holds its weights itself" in fails(capsys, *args, "--params", "net.pt2")
    Path("net.pt2").write_bytes(Path("net.pt2").read_bytes()[:-100])
    assert "it may be cut off" in fails(capsys, *args)


@pytest.mark.parametrize(("size", "works"), [(8, True), (9, False)])
def test_sizes_are_those_that_the_program_was_exported_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], size: int, works: bool
) -> None:
    batch = torch.export.Dim("batch", min=2, max=8)
    program = torch.export.export(
        nn.Linear(4, 4), (torch.ones(3, 4),), dynamic_shapes={"input": {0: batch}}
    )
    torch.export.save(program, tmp_path / "net.pt2")
    given = ["--input", f"input={size}x4", "-o", str(tmp_path / "out")]
    assert (cli.main(["split", str(tmp_path / "net.pt2"), *given]) == 0) == works
    assert ("the program was exported for 2 to 8" in capfd.readouterr().err) != works


def test_splitting_own_ops_imports_no_torch(tmp_path: Path):
    stub = tmp_path / "stub" / "torch"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("raise SystemExit('torch is imported')\n")
    command = [sys.executable, "-m", "autosplit.tools.cli.main"]
    command += ["split", "net.pt2", "--input", "x=2,3,8,8", "-o", "out"]
    environment = {**os.environ, "PYTHONPATH": str(stub.parent)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "torch is imported" not in done.stderr
    found = runner.infer(runner.load("out", mode=0), picture())
    exact = run_whole(Path("net.pt2"), picture(), list(found))
    assert all(np.array_equal(found[name], exact[name]) for name in found)
