"""Scripts for the vendor's older compilers, run against stand-ins that note how they are called."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autosplit.core.errors import AutosplitError
from autosplit.folder.bmnet_script import BmnetJob, bmnet_script, compiler_of
from autosplit.folder.compile_script import script_name

SHAPES = [[1, 300, 300, 3], [1]]
JOB = BmnetJob(
    platform="tensorflow",
    context_dir="graph_ir_1",
    model_info={"model_path": "graph_1.pb"},
    input_names=["pre/map:0", "mask:0"],
    output_names=["Squeeze:0"],
    shapes=SHAPES,
    target="BM1684",
)

# What the SDK's manuals document; arguments with a default have one here.
SIGNATURES = {
    "bmnett": "model, outdir, target, shapes, net_name, input_names, output_names, opt=2, dyn=False, "
    "cmp=True, enable_profile=False, descs='[0, uint8, 0, 256]'",
    "bmneto": "model, outdir, target, shapes, net_name, input_names, opt=2, dyn=False, cmp=True, "
    "enable_profile=False, descs='', output_names=()",
    "bmnetm": "model, weight, outdir, target, shapes, net_name, input_names='data', opt=2, dyn=False, "
    "cmp=True, enable_profile=False",
    "bmnetc": "model, weight, outdir, target, shapes=(), net_name='', opt=2, dyn=False, cmp=True, "
    "enable_profile=False",
    "bmnetp": "model, outdir, target, shapes, net_name, opt=2, dyn=False, cmp=True, "
    "enable_profile=False",
    "bmnetu": "model, weight, outdir, prec='INT8', shapes=(), net_name='', opt=2, dyn=False, cmp=True, "
    "target='BM1684'",
}

STAND_IN = """
import json, os
def compile({signature}):
    given = dict(locals())
    os.makedirs(outdir)
    if {writes}:
        open(os.path.join(outdir, "compilation.bmodel"), "wb").close()
    with open("called.json", "w") as file:
        json.dump(given, file)
"""


def run(
    folder: Path, job: BmnetJob, *, files: str = "", writes: bool = True, installed: bool = True
) -> subprocess.CompletedProcess[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / script_name(job.context_dir)).write_text(bmnet_script(job), encoding="utf-8")
    for file in (*job.model_info.values(), *files.split()):
        (folder / file).touch()
    if installed:
        module = compiler_of(job).module
        text = STAND_IN.format(signature=SIGNATURES[module], writes=writes)
        (folder / f"{module}.py").write_text(text)
    # From another folder, isolated from this environment's packages: the standard library is enough.
    return subprocess.run(
        [sys.executable, "-S", str(folder / script_name(job.context_dir))],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def called(folder: Path) -> dict[str, Any]:
    """What the compiler was given other than its own defaults of what AutoSplit never says."""
    given = json.loads((folder / "called.json").read_text())
    given.pop("enable_profile", None)
    given.pop("descs", None)
    return given


COMMON: dict[str, Any] = {
    "outdir": "graph_ir_1",
    "target": "BM1684",
    "opt": 2,
    "dyn": False,
    "cmp": False,
}


def test_tensorflow(tmp_path: Path):
    folder = tmp_path / "ssd"
    done = run(folder, JOB)
    assert (done.returncode, done.stderr) == (0, "")
    assert called(folder) == {
        **COMMON,
        "model": "graph_1.pb",
        "input_names": ["pre/map:0", "mask:0"],
        "output_names": ["Squeeze:0"],
        "shapes": SHAPES,
        "net_name": "auto_tf_ssd_graph_ir_1",
    }
    assert (folder / "graph_ir_1" / "compilation.bmodel").exists()


def test_onnx(tmp_path: Path):
    info = {"model_path": "graph_1.onnx"}
    job = replace(JOB, platform="onnx", model_info=info, dynamic=True, optimize=1, compare=True)
    assert run(tmp_path / "net", job).returncode == 0
    assert called(tmp_path / "net") == {
        **COMMON,
        "model": "graph_1.onnx",
        "shapes": SHAPES,
        "net_name": "auto_onnx_net_graph_ir_1",
        "input_names": ["pre/map:0", "mask:0"],
        "output_names": ["Squeeze:0"],
        "opt": 1,
        "dyn": True,
        "cmp": True,
    }


def test_mxnet_and_caffe_and_pytorch(tmp_path: Path):
    mxnet = replace(JOB, platform="mxnet", model_info={"json": "g.json", "params": "g.params"})
    assert run(tmp_path / "m", mxnet).returncode == 0
    assert called(tmp_path / "m") == {
        **COMMON,
        "model": "g.json",
        "weight": "g.params",
        "shapes": SHAPES,
        "net_name": "auto_mxnet_m_graph_ir_1",
        "input_names": JOB.input_names,
    }
    caffe = replace(JOB, platform="caffe", model_info={"proto": "g.txt", "weight": "g.caffemodel"})
    assert run(tmp_path / "c", caffe).returncode == 0
    assert called(tmp_path / "c") == {
        **COMMON,
        "model": "g.txt",
        "weight": "g.caffemodel",
        "net_name": "auto_caffe_c_graph_ir_1",
        "shapes": [],
    }
    pytorch = replace(JOB, platform="pytorch", model_info={"pth_path": "g.pt"})
    assert run(tmp_path / "p", pytorch).returncode == 0
    assert called(tmp_path / "p") == {
        **COMMON,
        "model": "g.pt",
        "shapes": SHAPES,
        "net_name": "auto_pytorch_p_graph_ir_1",
    }


def test_mxnet_without_weights(tmp_path: Path):
    mxnet = replace(JOB, platform="mxnet", model_info={"json": "g.json"})
    assert run(tmp_path / "m", mxnet).returncode == 0
    assert called(tmp_path / "m")["weight"] is None


def test_int8_is_compiled_by_bmnetu(tmp_path: Path):
    job = replace(JOB, mode="INT8", target="BM1682")
    missing = run(tmp_path / "a", job)
    assert missing.returncode == 1
    assert missing.stderr.startswith(
        "graph_1_deploy_int8_unique_top.prototxt is missing: bmnetu comp"
    )
    files = "graph_1_deploy_int8_unique_top.prototxt graph_1.int8umodel"
    done = run(tmp_path / "b", job, files=files)
    assert (done.returncode, done.stderr) == (0, "")
    assert called(tmp_path / "b") == {
        **COMMON,
        "target": "BM1682",
        "model": "graph_1_deploy_int8_unique_top.prototxt",
        "weight": "graph_1.int8umodel",
        "prec": "INT8",
        "shapes": SHAPES,
        "net_name": "auto_int8_b_graph_ir_1",
    }


def test_missing_model_is_one_line(tmp_path: Path):
    assert run(tmp_path / "ssd", JOB).returncode == 0
    (tmp_path / "ssd" / "graph_1.pb").unlink()
    done = subprocess.run(
        [sys.executable, tmp_path / "ssd" / script_name("graph_ir_1")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "graph_1.pb is missing; split the model again\n")


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
    given = called(folder)
    assert given["input_names"] == [NASTY, "é{0}%s:0"]
    assert given["output_names"] == ['"""' + NASTY]
    assert given["net_name"] == f"auto_tf_{folder.name}_graph_ir_'1"
    assert not (folder / "owned").exists()


def test_refusals():
    with pytest.raises(AutosplitError, match=r"'mask:0'.*\[-1\].*needs all sizes"):
        bmnet_script(replace(JOB, shapes=[[1, 300, 300, 3], [-1]]))
    with pytest.raises(AutosplitError, match="'toy' has no BMCompiler"):
        bmnet_script(replace(JOB, platform="toy"))
    with pytest.raises(AutosplitError, match="names no model file"):
        bmnet_script(replace(JOB, model_info={}))
    with pytest.raises(
        AutosplitError, match="bmnett has no target BM1684X, only BM1682 and BM1684"
    ):
        bmnet_script(replace(JOB, target="BM1684X"))
    with pytest.raises(AutosplitError, match="compile F32 and INT8, not F16"):
        bmnet_script(replace(JOB, mode="F16"))
