"""Generated models with If, Loop, NonZero, TopK and shared constants: chained parts equal the whole."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.platforms import load_model
from autosplit.testing.split import (
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)


def _generator() -> ModuleType:
    """The file beside this one; with importlib mode there is no package to import it from."""
    spec = importlib.util.spec_from_file_location(
        "random_onnx", Path(__file__).with_name("random_onnx.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["random_onnx"] = module
    spec.loader.exec_module(module)
    return module


random_onnx = _generator()


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


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**31),
    size=st.integers(1, 18),
    share=st.sampled_from([0.0, 0.1, 0.3]),
    keep=st.sampled_from([0.3, 0.95, 1.0]),
    target=st.sampled_from(["bm1684", "bm1684x", "bm1688"]),
)
def test_parts_equal_the_whole(
    seed: int,
    size: int,
    share: float,
    keep: float,
    target: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    _check(seed, size, share, keep, target, tmp_path_factory.mktemp("split"))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(600))
def test_many(seed: int, tmp_path: Path) -> None:
    _check(seed, 4 + seed % 40, (seed % 4) / 10, 1.0, "bm1684x", tmp_path)
