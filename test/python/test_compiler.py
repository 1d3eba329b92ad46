"""The `Compiler` classes: each encapsulates one compiler."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from convert_models import split_two
from convert_toolchain import real

from auto_deploy.common.base_compiler import Compiler
from auto_deploy.compiler import OnnxCompiler, TensorflowCompiler, TpuMlirCompiler
from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.compiler import CompileInfo
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions


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


@pytest.mark.parametrize("listed", [False, True])
def test_the_document_is_there(tmp_path: Path, listed: bool):
    """As scripts for the original read it, whatever the file leaves out."""
    tensors: Any = {
        "x:0": {"shape": [], "attr": "input"},
        "a:0": {"shape": [], "attr": "intermediate"},
        "y:0": {"shape": [1, 5], "attr": "output"},
    }
    shown = [{"name": name, **entry} for name, entry in tensors.items()] if listed else tensors
    compiler = Noting(make(tmp_path / "net", tensors=shown, labels=["cat"]))
    assert compiler.graph_infos["graphs"][1]["context_dir"] == "graph_ir_1"
    assert compiler.graph_infos["labels"] == ["cat"]
    assert (compiler.graph_infos["graph_num"], compiler.graph_infos["dynamic"]) == (2, False)
    assert compiler.tensors is compiler.graph_infos["tensors"]
    assert compiler.tensors["y:0"]["shape"] == [1, 5]
    compiler.compile_to_bm_models()
    assert compiler.told[0]["input_shapes"] == [()], "a scalar is no tensor of rank 1"


def test_target_default_means_that_of_the_folder(tmp_path: Path):
    assert Noting(make(tmp_path / "a")).target == "BM1684"
    assert Noting(make(tmp_path / "b", autosplit={"target": "bm1684x"})).target == "BM1684X"


BMNETT = """
import os
def compile(model, outdir, target, net_name, **rest):
    os.makedirs(outdir)
    for name in ("io_info.dat", "compilation.bmodel"):
        with open(os.path.join(outdir, name), "w") as file:
            file.write(" ".join([model, target, net_name]))
"""


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, on Python's path, with what stands for the vendor's compiler."""
    folder = tmp_path / "sdk"
    folder.mkdir()
    (folder / "bmnett.py").write_text(BMNETT)
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}")
    return folder


def test_script_is_written_and_run(tmp_path: Path, sdk: Path):
    folder = make(tmp_path / "net")
    TensorflowCompiler(folder).compile_to_bm_models()
    made = (folder / "graph_ir_1" / "compilation.bmodel").read_text()
    assert made == "graph_1.pb BM1684 auto_tf_net_graph_ir_1"
    assert sorted(p.name for p in folder.iterdir()) == [
        "compile_to_graph_ir_1.py",
        "graph_0.pb",
        "graph_1.pb",
        "graph_infos.json",
        "graph_ir_1",
    ]
    assert (folder / "graph_ir_1" / "io_info.dat").is_file()


def test_the_folder_is_not_imported_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = make(tmp_path / "net")
    for name in ("bmnett.py", "os.py", "json.py"):
        (folder / name).write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    (folder / "compile_to_graph_ir_1.py").symlink_to(tmp_path / "outside.py")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(folder)]))
    with pytest.raises(AutosplitError, match=r"exit code 1: bmnett cannot be imported"):
        TensorflowCompiler(folder).compile_to_bm_models()
    assert not (tmp_path / "executed").exists()
    assert not (tmp_path / "outside.py").exists()
    assert not (folder / "compile_to_graph_ir_1.py").is_symlink()


def bmnet(folder: Path, **options: Any) -> tuple[list[str], list[str]]:
    """States of the sub-models, and the notes for the user."""
    notes: list[str] = []
    options = {"compiler": "bmnet", **options}
    result = convert_folder(ConvertOptions(folder, note=notes.append, **options))
    result.check()
    return [graph.state for graph in result.graphs], notes


def test_convert_with_bmnet(tmp_path: Path, sdk: Path):
    folder = make(tmp_path / "net", autosplit={"target": "bm1684"})
    assert bmnet(folder, target="BM1682") == (["compiled"], [])
    assert "BM1682" in (folder / "graph_ir_1" / "compilation.bmodel").read_text()
    assert bmnet(folder) == (["compiled"], [])
    assert "BM1684" in (folder / "graph_ir_1" / "compilation.bmodel").read_text()


@pytest.mark.parametrize(("mode", "module"), [("F32", "bmnett"), ("INT8", "bmnetu")])
def test_convert_with_bmnet_that_is_not_here(tmp_path: Path, mode: str, module: str):
    folder = make(tmp_path / "net")
    states, (note,) = bmnet(folder, mode=mode)
    assert states == []
    assert note == (
        f"wrote compile_to_graph_ir_1.py in {folder}; run them where {module} of the vendor's SDK is "
        "installed"
    )
    assert f"import {module}" in (folder / "compile_to_graph_ir_1.py").read_text()


def test_failing_vendor_compiler(tmp_path: Path, sdk: Path):
    folder = make(tmp_path / "net")
    (sdk / "bmnett.py").write_text("def compile(**all): raise ValueError('no such op')")
    with pytest.raises(AutosplitError, match="ended with exit code 1: ValueError: no such op"):
        bmnet(folder)
    (sdk / "bmnett.py").write_text("def compile(**all): pass")
    with pytest.raises(AutosplitError, match="did not write"):
        bmnet(folder)
    assert not (folder / "graph_ir_1").exists()


def test_tpu_mlir_compiler(tmp_path: Path):
    real()
    folder = split_two(tmp_path / "net")
    compiler = TpuMlirCompiler(str(folder), compare=True)
    first, _, last = compiler.infos.graphs
    compiler.compile_model_using_bmcompiler(compiler.compile_info(last))
    assert [compiler.infos.bmodel(g).is_file() for g in (first, last)] == [False, True]
    compiler.compile_to_bm_models()
    assert compiler.infos.bmodel(first).is_file()
    with pytest.raises(AutosplitError, match="mode F16: BM1684 computes in"):
        TpuMlirCompiler(folder, mode="F16")
    with pytest.raises(AutosplitError, match="optimize is 9"):
        TpuMlirCompiler(folder, optimize=9)


def test_failures_are_told(tmp_path: Path):
    folder = make(tmp_path / "net")
    with pytest.raises(AutosplitError, match=r"exit code 1: bmnett cannot be imported"):
        TensorflowCompiler(folder).compile_to_bm_models()
    with pytest.raises(AutosplitError, match="OnnxCompiler compiles onnx"):
        OnnxCompiler(folder)
    with pytest.raises(AutosplitError, match="no such folder"):
        TensorflowCompiler(tmp_path / "gone")
