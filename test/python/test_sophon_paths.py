"""The original's import paths and command lines under `sophon`, beside Sophgo's own package of that name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from convert_toolchain import real
from original_folder import OUTPUTS, write_original

from autosplit.api import infer, load_from_zip
from autosplit.tools.split_original import main, tuples

PYTHON = Path(__file__).parents[2] / "python"

PATHS = {
    "sophon.auto_split.api": ["split", "convert", "exception_wrapper"],
    "sophon.auto_split.common.base_splitter": ["Splitter"],
    "sophon.auto_split.common.base_compiler": ["Compiler"],
    "sophon.auto_split.common.graph": ["Graph", "Operator", "Subgraph"],
    "sophon.auto_split.splitter.tensorflow_splitter": ["TensorflowSplitter"],
    "sophon.auto_split.splitter.mxnet_splitter": ["MxnetSplitter"],
    "sophon.auto_split.compiler.tensorflow_compiler": ["TensorflowCompiler"],
    "sophon.auto_runner.api": ["load", "load_from_zip", "infer", "infer_time"],
    "sophon.auto_runner.common.base_runner": ["Runner"],
}


@pytest.mark.parametrize("path", list(PATHS))
def test_paths(path: str):
    module = import_module(path)
    for name in PATHS[path]:
        assert getattr(module, name).__module__.startswith("autosplit."), "re-exported, no copy"


def python(code: str, *path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
    )
    return done.stdout.strip()


def test_sail_beside_is_neither_hidden_nor_broken(tmp_path: Path):
    """SAIL is a package with an __init__.py; ours has none, so SAIL is found wherever it is on the path."""
    assert not (PYTHON / "sophon" / "__init__.py").exists()
    sail = tmp_path / "sophon"
    sail.mkdir()
    (sail / "__init__.py").write_text("")
    (sail / "sail.py").write_text("NAME = 'SAIL'")
    code = "import sophon.sail; print(sophon.sail.NAME)"
    assert python(code, PYTHON, tmp_path) == python(code, tmp_path, PYTHON) == "SAIL"
    # In one folder, as pip installs both, each has its own.
    for name in ("auto_split", "auto_runner"):
        shutil.copytree(PYTHON / "sophon" / name, sail / name)
    both = (
        "import sophon.sail, sophon.auto_split.api, sophon.auto_runner.api; print(sophon.sail.NAME)"
    )
    assert python(both, tmp_path, PYTHON) == "SAIL"


COMMAND = {
    "--dynamic": "0",
    "--input_names": "image_tensor",
    "--input_shapes": "(1, 20, 24, 3)",
    "--output_names": "detection_boxes, num_detections:0",
}


def command(**changes: str) -> list[str]:
    options = {**COMMAND, **{f"--{name}": value for name, value in changes.items()}}
    return [word for option in options.items() for word in option]


def test_split_tensorflow(tmp_path: Path):
    """As it is typed, with numbers from a range, into a zip file; again over the earlier one's folder."""
    pytest.importorskip("tensorflow")
    real()
    write_original(tmp_path / "original")
    words = command(save_dir=str(tmp_path / "out"), model_path=str(tmp_path / "whole.pb"))
    done = subprocess.run(
        [sys.executable, "-m", "sophon.auto_split.split_tensorflow", *words, "--tpu", "BM1684"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "graph_infos.json").is_file()
    more = ["--input_range", "(0,256)", "--input_dtype", "int", "--to_zip", "1"]
    assert main("tensorflow", [*words, *more]) == 0
    assert not (tmp_path / "out").exists()
    picture = np.ones((1, 20, 24, 3))
    runner = load_from_zip(tmp_path / "out.zip", use_cmodel=True)
    assert runner.mode == 2
    assert list(infer(runner, {"image_tensor:0": picture})) == OUTPUTS


@pytest.mark.parametrize(
    ("platform", "message"),
    [
        ("pytorch", "the following arguments are required: --model_path"),
        ("caffe", "the following arguments are required: --model_path"),
        ("mxnet", "the following arguments are required: --model_path"),
    ],
)
def test_what_cannot_be_split_says_so(
    platform: str, message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(platform, ["--save_dir", "out"]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_shapes": "(1,2),(3)"}, "found 2 shapes for 1 input"),
        ({"input_shapes": "[1,2]"}, "expected numbers in parentheses"),
        ({"dynamic": "yes"}, "--dynamic: invalid int value"),
        ({"input_range": "(0,1)"}, "--input_dtype: expected int or float"),
        ({"input_range": "(0)", "input_dtype": "int"}, "expected (from,to)"),
        ({"model_path": "gone.pb"}, "gone.pb: there is no such file"),
        ({"tpu": "BM1864"}, "'BM1864' is unknown"),
    ],
)
def test_mistakes_are_one_line(
    changes: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    paths = {"save_dir": str(tmp_path / "out"), "model_path": "gone.pb"}
    assert main("tensorflow", command(**{**paths, **changes})) == 1
    said = [x for x in capsys.readouterr().err.splitlines() if not x.endswith(" ...")]
    assert len(said) == 1
    assert message in said[0]
    assert list(tmp_path.iterdir()) == []


def test_tuples():
    assert tuples("(1,300,300,3), (2,)", "x") == [(1, 300, 300, 3), (2,)]
    assert tuples("1,3", "x") == [(1, 3)]
    assert tuples("()", "x") == [()]
