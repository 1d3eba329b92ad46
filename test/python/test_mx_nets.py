"""Nets of MXNet on the TPU: what the plans give it, what the emulators make of that, a trained net."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.weights import Array
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import location_names
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.models import model_path
from autosplit.testing.split import run_folder, split
from autosplit.testing.toolchain import toolchain
from autosplit.testing.zoos.mxnet import gluon_model, gluoncv_model
from autosplit.tools.cli import main as cli

pytestmark = [
    pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed"),
    pytest.mark.nightly,
]


def picture(*shape: int) -> Array:
    return np.random.default_rng(5).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("chip", "mode"), [("bm1684", "F32"), ("bm1684x", "F16")])
@pytest.mark.parametrize(
    ("name", "size"), [("mobilenet0.25", 224), ("ssd_512_mobilenet1.0_voc", 256)]
)
def test_the_emulators_compute_what_mxnet_does(
    name: str, size: int, chip: str, mode: str, tmp_path: Path
):
    toolchain()
    path = gluon_model(name) if name.startswith("mobile") else gluoncv_model(name, 512)
    shape = f"data=1,3,{size},{size}"
    options = ["--target", chip, "--mode", mode, "--compare", "-o", str(tmp_path / "out")]
    assert cli.main(["deploy", str(path), "--input", shape, *options]) == 0
    assert [*(tmp_path / "out").glob("graph_ir_*/compilation.bmodel")]


@pytest.mark.parametrize("name", ["faster_rcnn_resnet50_v1b_voc", "mask_rcnn_resnet50_v1b_coco"])
def test_both_stages_run_on_the_tpu(name: str, tmp_path: Path):
    path = gluoncv_model(name, 512)
    result = split(path, tmp_path / "out", {"data": picture(1, 3, 512, 512)})
    on_tpu: set[str] = set()
    for op in result.module.body.ops:
        if isinstance(op, FuncOp) and op.target.kind.data == "tpu":
            on_tpu |= {n for inner in op.walk() for n in location_names(inner.location)}
    made = import_mxnet("a test").sym.load(str(path))
    convolutions = {
        node.name
        for node in made.get_internals()
        if re.search(r"(conv\w*|dense|fc)\d*_fwd$", node.name)
    }
    assert len(convolutions) > 50
    assert convolutions <= on_tpu


def test_a_trained_net(tmp_path: Path):
    """CenterFace, imported by MXNet from ONNX: as it computes there, and in the sub-models."""
    onnxruntime: Any = pytest.importorskip("onnxruntime")
    mx: Any = import_mxnet("a test")
    source = model_path("centerface.onnx")
    symbol, args, aux = mx.contrib.onnx.import_model(str(source))
    path = tmp_path / "centerface-symbol.json"
    symbol.save(str(path))
    params = {f"arg:{k}": v for k, v in args.items()} | {f"aux:{k}": v for k, v in aux.items()}
    mx.nd.save(str(tmp_path / "centerface-0000.params"), params)
    x = picture(10, 3, 32, 32)
    result = split(path, tmp_path / "out", {"input.1": x})
    devices = [op.target.kind.data for op in result.module.body.ops if isinstance(op, FuncOp)]
    assert devices.count("tpu") == 1
    found = [*run_folder(tmp_path / "out", {"input.1": x}).values()]
    wanted = onnxruntime.InferenceSession(str(source)).run(None, {"input.1": x})
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * np.abs(want).max())
