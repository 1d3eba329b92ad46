"""Compile scripts, run against stand-ins for the vendor's compilers that note how they are called."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autosplit.emit.compile_script import COMPILERS, CompileJob, compile_script, script_name
from autosplit.errors import AutosplitError

JOB = CompileJob(
    platform="tensorflow",
    context_dir="graph_ir_1",
    model_info={"model_path": "graph_1.pb"},
    input_names=["pre/map:0", "mask:0"],
    output_names=["Squeeze:0"],
    shapes=[[1, 300, 300, 3], [1]],
    target="BM1684",
)

STAND_IN = """
import json, os
def compile(*args, **kwargs):
    outdir = kwargs.get("outdir", args[{outdir}] if len(args) > {outdir} else None)
    os.makedirs(outdir)
    if {writes}:
        open(os.path.join(outdir, "compilation.bmodel"), "wb").close()
    with open("called.json", "w") as file:
        json.dump([args, kwargs], file)
"""


def run(
    folder: Path, job: CompileJob, *, outdir: int = 1, writes: bool = True, installed: bool = True
) -> subprocess.CompletedProcess[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / script_name(job.context_dir)).write_text(compile_script(job))
    if installed:
        module = COMPILERS[job.platform].module
        text = STAND_IN.format(outdir=outdir, writes=writes)
        (folder / f"{module}.py").write_text(text)
    # From another folder, isolated from this environment's packages: the standard library is enough.
    return subprocess.run(
        [sys.executable, "-S", str(folder / script_name(job.context_dir))],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def called(folder: Path) -> tuple[list[Any], dict[str, Any]]:
    args, kwargs = json.loads((folder / "called.json").read_text())
    return args, kwargs


def test_tensorflow_call_is_the_documented_one(tmp_path: Path):
    folder = tmp_path / "ssd"
    done = run(folder, JOB)
    assert (done.returncode, done.stderr) == (0, "")
    # compile(model, outdir, target, input_names, output_names, shapes, net_name, dyn)
    assert called(folder) == (
        [
            "graph_1.pb",
            "graph_ir_1",
            "BM1684",
            ["pre/map:0", "mask:0"],
            ["Squeeze:0"],
            [[1, 300, 300, 3], [1]],
            "auto_tf_ssd_graph_ir_1",
        ],
        {"dyn": False},
    )
    assert (folder / "graph_ir_1" / "compilation.bmodel").exists()


def test_onnx_call(tmp_path: Path):
    job = replace(
        JOB, platform="onnx", model_info={"model_path": "graph_1.onnx"}, dynamic=True, optimize=1
    )
    assert run(tmp_path / "net", job).returncode == 0
    args, kwargs = called(tmp_path / "net")
    assert args == []
    assert kwargs == {
        "model": "graph_1.onnx",
        "outdir": "graph_ir_1",
        "target": "BM1684",
        "shapes": [[1, 300, 300, 3], [1]],
        "net_name": "auto_onnx_net_graph_ir_1",
        "input_names": ["pre/map:0", "mask:0"],
        "output_names": ["Squeeze:0"],
        "opt": 1,
        "dyn": True,
        "cmp": False,
    }


def test_mxnet_and_caffe_and_pytorch_calls(tmp_path: Path):
    shapes = [[1, 300, 300, 3], [1]]
    mxnet = replace(JOB, platform="mxnet", model_info={"json": "g.json", "params": "g.params"})
    assert run(tmp_path / "m", mxnet, outdir=2).returncode == 0
    args, kwargs = called(tmp_path / "m")
    assert args == ["g.json", "g.params", "graph_ir_1", "BM1684", shapes, "auto_mxnet_m_graph_ir_1"]
    assert kwargs == {"input_names": JOB.input_names, "opt": 2, "dyn": False, "cmp": False}
    caffe = replace(JOB, platform="caffe", model_info={"proto": "g.txt", "weight": "g.caffemodel"})
    assert run(tmp_path / "c", caffe, outdir=2).returncode == 0
    args, kwargs = called(tmp_path / "c")
    assert args == ["g.txt", "g.caffemodel", "graph_ir_1", "BM1684"]
    assert kwargs == {"net_name": "auto_caffe_c_graph_ir_1", "dyn": False}
    pytorch = replace(JOB, platform="pytorch", model_info={"pth_path": "g.pt"})
    assert run(tmp_path / "p", pytorch, outdir=3).returncode == 0
    args, kwargs = called(tmp_path / "p")
    assert args == ["g.pt", shapes, "auto_pytorch_p_graph_ir_1", "graph_ir_1", "BM1684"]
    assert kwargs == {"opt": 2, "cmp": False, "dyn": False}


def test_missing_compiler_is_one_line(tmp_path: Path):
    done = run(tmp_path / "ssd", JOB, installed=False)
    assert done.returncode == 1
    assert done.stderr.startswith("bmnett cannot be imported")
    assert done.stderr.count("\n") == 1


def test_compiler_that_writes_nothing_is_an_error(tmp_path: Path):
    done = run(tmp_path / "ssd", JOB, writes=False)
    assert done.returncode == 1
    assert "did not write" in done.stderr


NASTY = "a'; import os; os.mkdir('owned') #\"\"\"\n{x}\\:0"


def test_names_are_data(tmp_path: Path):
    job = replace(
        JOB,
        input_names=[NASTY, "é{0}%s:0"],
        output_names=['"""' + NASTY],
        context_dir="graph_ir_'1",
    )
    folder = tmp_path / 'it\'s {a} %s "folder"'
    assert run(folder, job).returncode == 0
    args, _ = called(folder)
    assert args[3:5] == [[NASTY, "é{0}%s:0"], ['"""' + NASTY]]
    assert args[6] == f"auto_tf_{folder.name}_graph_ir_'1"
    assert not (folder / "owned").exists()


def test_refusals():
    with pytest.raises(AutosplitError, match=r"'mask:0'.*\[-1\].*needs all sizes"):
        compile_script(replace(JOB, shapes=[[1, 300, 300, 3], [-1]]))
    with pytest.raises(AutosplitError, match="'toy' has no BMCompiler"):
        compile_script(replace(JOB, platform="toy"))
    with pytest.raises(AutosplitError, match="names no model file"):
        compile_script(replace(JOB, model_info={}))
