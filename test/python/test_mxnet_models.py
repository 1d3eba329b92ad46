"""Nets of gluon's and gluoncv's zoos: cut anywhere, their sub-models compute the bits of the whole."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.weights import Array
from autosplit.dialects.device import FuncOp
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import run_folder, split
from autosplit.testing.zoos.mxnet import gluon_model, gluon_names, gluoncv_model

pytestmark = pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")

SAMPLE = ("mobilenetv2_0.25",)


def in_mxnet(path: Path, feeds: dict[str, Array]) -> list[Array]:
    """The outputs of a whole model, as MXNet's own importer runs it."""
    mx = import_mxnet("a test")
    (params,) = path.parent.glob("*.params")
    block: Any = mx.gluon.SymbolBlock(mx.sym.load(str(path)), [mx.sym.var(name) for name in feeds])
    block.load_parameters(str(params), cast_dtype=True, dtype_source="saved")
    found: Any = block(*[mx.nd.array(array, dtype=array.dtype) for array in feeds.values()])
    outputs: list[Any] = [*found] if type(found) in (list, tuple) else [found]
    return [output.asnumpy() for output in outputs]


def picture(size: int) -> dict[str, Array]:
    return {"data": np.random.default_rng(5).normal(size=(1, 3, size, size)).astype(np.float32)}


def check_equal(path: Path, size: int, out: Path) -> None:
    """Fails unless a folder computes the bits that MXNet computes of the whole model."""
    got = list(run_folder(out, picture(size)).values())
    wanted = in_mxnet(path, picture(size))
    assert len(got) == len(wanted)
    assert any(np.ptp(array.astype(np.float64)) > 0 for array in wanted)
    for ours, theirs in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def check_cut(path: Path, size: int, out: Path, share: float = 0.3) -> int:
    """Cuts a model at random and compares; returns how many sub-models there are."""
    with random_cuts(len(path.name), share):
        split(path, out, picture(size))
    check_equal(path, size, out)
    return len(list(out.glob("*-symbol.json")))


def test_gluoncv_makes_its_nets_beside_any_torch(tmp_path: Path) -> None:
    """Its detectors would be skipped everywhere else."""
    if find_spec("gluoncv") is None:
        pytest.skip("gluoncv is not installed")
    command = [sys.executable, "-m", "autosplit.testing.zoos.mxnet"]
    net = ["gluoncv", "ssd_512_mobilenet1.0_voc", "128", str(tmp_path)]
    subprocess.run([*command, *net], check=True, capture_output=True)
    assert (tmp_path / "ssd_512_mobilenet1.0_voc-symbol.json").is_file()


@pytest.mark.parametrize("name", SAMPLE)
def test_gluon(tmp_path: Path, name: str) -> None:
    assert check_cut(gluon_model(name), 224, tmp_path / "out") > 10


@pytest.mark.nightly
@pytest.mark.parametrize("name", gluon_names())
def test_every_gluon(tmp_path: Path, name: str) -> None:
    size = 299 if name == "inceptionv3" else 224
    assert check_cut(gluon_model(name), size, tmp_path / "out") > 1


@dataclass(frozen=True)
class Published:
    """A net of gluoncv's zoo, and how many sub-models it may have at most."""

    name: str
    size: int
    most: int
    on_tpu: int = 1


PUBLISHED = (
    Published("ssd_512_mobilenet1.0_voc", 512, 2),
    Published("yolo3_darknet53_voc", 416, 2),
    Published("deeplab_resnet50_ade", 480, 1),
    Published("simple_pose_resnet50_v1b", 256, 2),
    Published("faster_rcnn_resnet50_v1b_voc", 512, 5, 2),
    Published("mask_rcnn_resnet50_v1b_coco", 512, 7, 3),
)


@pytest.mark.nightly
@pytest.mark.parametrize("net", PUBLISHED, ids=lambda net: net.name)
def test_gluoncv_cut_anywhere(tmp_path: Path, net: Published) -> None:
    assert check_cut(gluoncv_model(net.name, net.size), net.size, tmp_path / "out", 0.1) > 1


@pytest.mark.nightly
@pytest.mark.parametrize("net", PUBLISHED, ids=lambda net: net.name)
def test_gluoncv_as_planned(tmp_path: Path, net: Published) -> None:
    path = gluoncv_model(net.name, net.size)
    result = split(path, tmp_path / "out", picture(net.size))
    funcs = [op for op in result.module.body.ops if isinstance(op, FuncOp)]
    devices = [func.target.kind.data for func in funcs if func.target.kind.data != "host"]
    assert len(devices) <= net.most
    assert 1 <= devices.count("tpu") <= net.on_tpu
    check_equal(path, net.size, tmp_path / "out")
