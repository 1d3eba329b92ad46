"""Nets of gluon's and gluoncv's zoos: cut anywhere, their sub-models compute the bits of the whole."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.weights import Array
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import run_folder, split
from autosplit.testing.zoos.mxnet import gluon_model, gluon_names

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


def check_cut(path: Path, size: int, out: Path, share: float = 0.3) -> int:
    """Cuts a model at random and compares; returns how many sub-models there are."""
    feeds: dict[str, Array] = {
        "data": np.random.default_rng(5).normal(size=(1, 3, size, size)).astype(np.float32)
    }
    with random_cuts(len(path.name), share):
        split(path, out, feeds)
    got = list(run_folder(out, feeds).values())
    wanted = in_mxnet(path, feeds)
    assert len(got) == len(wanted)
    for ours, theirs in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)
    return len(list(out.glob("*-symbol.json")))


@pytest.mark.parametrize("name", SAMPLE)
def test_gluon(tmp_path: Path, name: str) -> None:
    assert check_cut(gluon_model(name), 224, tmp_path / "out") > 10


@pytest.mark.nightly
@pytest.mark.parametrize("name", gluon_names())
def test_every_gluon(tmp_path: Path, name: str) -> None:
    size = 299 if name == "inceptionv3" else 224
    assert check_cut(gluon_model(name), size, tmp_path / "out") > 1
