"""Generated models of `random_onnx.py`, pinned and cut at random: chained parts equal the whole."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
import random_onnx
from sampled import sample

from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.platforms import load_model
from autosplit.testing.split import (
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)


def _check(seed: int, size: int, share: float, keep: float, target: str, folder: Path) -> None:
    model = folder / "model.onnx"
    onnx.save(random_onnx.random_model(seed, size), model)
    random = np.random.default_rng(seed)
    feeds = {
        name: random.standard_normal(random_onnx.SHAPE).astype(np.float32) for name in ("x", "y")
    }
    whole = load_model(model)
    whole.platform.prepare(whole, {}, [])
    names = [
        op.identity
        for op in platform_graph(whole.module).body_ops()
        if isinstance(op, PlatformOp) and not op.IS_CONSTANT
    ]
    pins = [(re.escape(name), "cpu") for name in names if random.random() < share]
    result = split(model, folder / "out", feeds, pins=pins, keep=keep, target=target, force=True)
    assert_computed_once(result)
    got = run_folder(folder / "out", feeds)
    assert_equal(got, run_whole(model, feeds, list(got)))


def check_seed(seed: int, folder: Path) -> None:
    """What a seed stands for: how large, how much is pinned, how much is kept, which chip."""
    keep = (0.3, 0.95, 1.0)[seed % 3]
    target = ("bm1684", "bm1684x", "bm1688")[seed // 3 % 3]
    _check(seed, 1 + seed % 18, (seed % 4) / 10, keep, target, folder)


@pytest.mark.parametrize("seed", sample(range(300), 2))
def test_parts_equal_the_whole(seed: int, tmp_path: Path):
    check_seed(seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 11000))
def test_many(seed: int, tmp_path: Path):
    check_seed(seed, tmp_path)
