"""The historic `Compiler` classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auto_deploy.common.base_compiler import Compiler
from auto_deploy.compiler import OnnxCompiler, TensorflowCompiler
from autosplit.compiler import CompileInfo
from autosplit.errors import AutosplitError


def make(folder: Path, **changes: Any) -> Path:
    folder.mkdir()
    for i in range(2):
        (folder / f"graph_{i}.pb").write_bytes(b"model")
    infos = {
        "graphs": [
            {
                "inputs": ["x:0"],
                "outputs": ["a:0"],
                "device": "cpu",
                "model_info": {"model_path": "graph_0.pb"},
            },
            {
                "inputs": ["a:0"],
                "outputs": ["y:0"],
                "device": "tpu",
                "context_dir": "graph_ir_1",
                "model_info": {"model_path": "graph_1.pb"},
            },
        ],
        "tensors": {
            "x:0": {"shape": [1, 3], "attr": "input"},
            "a:0": {"shape": [1, 4], "attr": "intermediate"},
            "y:0": {"shape": [1, 5], "attr": "output"},
        },
        "graph_num": 2,
        "platform": "tensorflow",
        "dynamic": False,
        "layout": "NHWC",
        **changes,
    }
    (folder / "graph_infos.json").write_text(json.dumps(infos))
    return folder


class Noting(Compiler):
    """A compiler for tests: notes what it is told."""

    def __init__(self, *args: Any, **kwargs: Any):
        self.told: list[CompileInfo] = []
        super().__init__(*args, **kwargs)

    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        self.told.append(compile_info)


def test_subclass_is_told_of_the_tpu_parts(tmp_path: Path):
    compiler = Noting(str(make(tmp_path / "net")), optimize=1, compare=True, target="bm1684")
    compiler.compile_to_bm_models()
    assert compiler.told == [
        {
            "context_dir": "graph_ir_1",
            "model_info": {"model_path": "graph_1.pb"},
            "input_names": ["a:0"],
            "input_shapes": [(1, 4)],
            "output_names": ["y:0"],
        }
    ]
    assert (compiler.platform, compiler.layout, compiler.dynamic) == ("tensorflow", "NHWC", False)
    assert (compiler.optimize, compiler.compare, compiler.target) == (1, True, "BM1684")


def test_target_default_means_that_of_the_folder(tmp_path: Path):
    assert Noting(make(tmp_path / "a")).target == "BM1684"
    assert Noting(make(tmp_path / "b", autosplit={"target": "bm1684x"})).target == "BM1684X"


def test_script_is_written_and_run(tmp_path: Path):
    folder = make(tmp_path / "net")
    (folder / "bmnett.py").write_text(
        "import os\n"
        "def compile(model, outdir, target, *rest, dyn):\n"
        "    os.makedirs(outdir)\n"
        "    with open(outdir + '/compilation.bmodel', 'w') as file:\n"
        "        file.write(model + target)\n"
    )
    TensorflowCompiler(folder).compile_to_bm_models()
    assert (folder / "graph_ir_1" / "compilation.bmodel").read_text() == "graph_1.pbBM1684"


def test_failures_are_told(tmp_path: Path):
    folder = make(tmp_path / "net")
    with pytest.raises(AutosplitError, match=r"exit code 1: bmnett cannot be imported"):
        TensorflowCompiler(folder).compile_to_bm_models()
    with pytest.raises(AutosplitError, match="OnnxCompiler compiles onnx"):
        OnnxCompiler(folder)
    with pytest.raises(AutosplitError, match="no such folder"):
        TensorflowCompiler(tmp_path / "gone")
