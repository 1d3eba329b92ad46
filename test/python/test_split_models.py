"""Real trained models, split and run part by part, against the whole model in its own framework."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.dialects.device import FuncOp, reason_of
from autosplit.dialects.platform import PlatformOp
from autosplit.flows.split import SplitResult
from autosplit.testing.models import model_path, photo_path
from autosplit.testing.split import (
    HEAVY,
    Array,
    assert_close,
    assert_computed_once,
    assert_equal,
    node_counts,
    run_folder,
    run_whole,
    split,
)

SSDLITE = "frozen_inference_graph.pb"


@dataclass(frozen=True)
class Case:
    """A model of the package index, the shapes to split it for, and options."""

    model: str
    inputs: dict[str, tuple[int, ...]]
    dtype: str = "float32"
    options: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    """Inputs that are not random."""

    def __str__(self) -> str:
        sizes = "-".join("x".join(map(str, shape)) for shape in self.inputs.values())
        return "-".join([self.model.split(".")[0], sizes, *map(str, self.options.values())])

    def feeds(self, seed: int = 0) -> dict[str, Array]:
        random = np.random.default_rng(seed)
        if self.dtype == "uint8":
            return {k: random.integers(0, 256, s).astype(np.uint8) for k, s in self.inputs.items()}
        if self.dtype == "int32":
            return {k: random.integers(0, 256, s).astype(np.int32) for k, s in self.inputs.items()}
        drawn = {k: random.random(s).astype(self.dtype) for k, s in self.inputs.items()}
        return drawn | self.fixed


CASES = [
    Case(SSDLITE, {"image_tensor": (1, 300, 300, 3)}, "uint8"),
    Case(SSDLITE, {"image_tensor": (1, 211, 340, 3)}, "uint8", {"target": "bm1684x"}),
    Case("retrained_graph.pb", {"input": (1, 224, 224, 3)}),
    Case("pnet.onnx", {"input_1": (1, 37, 51, 3)}),
    Case("rnet.onnx", {"input_2": (3, 24, 24, 3)}),
    Case("onet.onnx", {"input_3": (2, 48, 48, 3)}, options={"target": "bm1688"}),
    Case("centerface.onnx", {"input.1": (10, 3, 32, 32)}),
    Case("ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    Case("ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 160, 224)}),
    Case("ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 320)}),
    Case("ch_PP-OCRv4_rec_infer.onnx", {"x": (2, 3, 48, 96)}, options={"target": "bm1684x"}),
    Case("320n.onnx", {"images": (1, 3, 224, 320)}),
    # Branches that these sizes never take, and that contradict them.
    Case(
        "silero_vad.onnx",
        {"input": (1, 576), "state": (2, 1, 128)},
        fixed={"sr": np.array(16000, np.int64)},
    ),
    Case(
        "silero_vad_16k_op15.onnx",
        {"input": (1, 576), "state": (2, 1, 128)},
        fixed={"sr": np.array(16000, np.int64)},
    ),
    Case("model.onnx", {"bytes": (1, 2048)}, "int32"),
    Case("nmp.onnx", {"serving_default_input_2:0": (1, 43844, 1)}),
]


BY_TIME = [CASES[0], pytest.param(CASES[1], marks=pytest.mark.nightly), *CASES[2:]]
"""The second detector takes as long as all the others, and is the first one of other sizes."""


Splits = Callable[[Case], tuple[SplitResult, Path]]


@pytest.fixture(scope="module")
def splits(tmp_path_factory: pytest.TempPathFactory) -> Splits:
    """Each case split as it is, once for all tests that only read it: the result and the folder."""

    @cache
    def made(name: str) -> tuple[SplitResult, Path]:
        case = next(case for case in CASES if str(case) == name)
        out = tmp_path_factory.mktemp("split") / "out"
        return split(model_path(case.model), out, case.feeds(), **case.options), out

    return lambda case: made(str(case))


@pytest.mark.parametrize("case", BY_TIME, ids=str)
def test_parts_equal_the_whole(case: Case, splits: Splits) -> None:
    """Bit-equal without graph optimizations, within 1e-5 of the largest value with them."""
    model = model_path(case.model)
    feeds = case.feeds()
    result, out = splits(case)
    assert_computed_once(result)
    got = run_folder(out, feeds)
    assert_equal(got, run_whole(model, feeds, list(got)))
    again = case.feeds(seed=1)
    other = run_folder(out, again)
    assert_equal(other, run_whole(model, again, list(other)))
    optimized = run_folder(out, again, optimize=True)
    assert_close(optimized, run_whole(model, again, list(other), optimize=True), 1e-5)


@pytest.mark.parametrize("case", BY_TIME, ids=str)
def test_every_op_on_the_cpu_says_why(case: Case, splits: Splits) -> None:
    result, _ = splits(case)
    funcs = [f for f in result.module.body.ops if isinstance(f, FuncOp)]
    on_cpu = [f for f in funcs if f.target.kind.data == "cpu"]
    for func in on_cpu:
        for op in func.body.block.ops:
            if isinstance(op, PlatformOp) and "device.stage" in op.attributes:
                reason = reason_of(op)
                assert reason is not None, op.identity
                assert len(reason.text.data) > 10, op.identity
    refused = [
        op for func in funcs for op in func.body.block.ops if "device.refused" in op.attributes
    ]
    if not refused:
        assert len(funcs) == 2, "all ops are supported, so there is one TPU sub-model"
        assert not on_cpu


def test_detector_is_cpu_tpu_cpu(splits: Splits) -> None:
    """The documented example: everything that multiplies is in the middle one."""
    result, _ = splits(CASES[0])
    funcs = [f for f in result.module.body.ops if isinstance(f, FuncOp)]
    assert [f.target.kind.data for f in funcs] == ["cpu", "tpu", "cpu", "host"]
    counts = node_counts(result.module)
    for i, count in enumerate(counts):
        heavy = sum(n for (kind, _), n in count.items() if kind in HEAVY)
        assert (heavy > 0) == (i == 1)
    assert sum(n for (kind, _), n in counts[1].items() if kind == "Conv2D") == 55


def test_detector_on_a_photo(tmp_path: Path) -> None:
    """Finds the person in the portrait, with the same bits as the whole graph."""
    from PIL import Image

    photo = np.asarray(Image.open(photo_path()).convert("RGB").resize((300, 300)))[None]
    feeds = {"image_tensor": photo}
    model = model_path(SSDLITE)
    split(model, tmp_path / "out", feeds)
    got = run_folder(tmp_path / "out", feeds)
    assert_equal(got, run_whole(model, feeds, list(got)))
    assert float(got["detection_scores:0"][0, 0]) > 0.5


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.nightly) for s in (1, 2))])
@pytest.mark.parametrize(
    "case", [CASES[0], CASES[2], CASES[7], CASES[9], CASES[11]], ids=lambda c: c.model.split(".")[0]
)
def test_random_pins(case: Case, seed: int, tmp_path: Path, splits: Splits) -> None:
    """Whatever the user keeps on the CPU, the parts compute what the whole computes."""
    model = model_path(case.model)
    feeds = case.feeds(seed)
    plain, _ = splits(case)
    random = np.random.default_rng(seed)
    names = [
        op.identity
        for func in plain.module.body.ops
        if isinstance(func, FuncOp)
        for op in func.body.block.ops
        if isinstance(op, PlatformOp) and "device.stage" in op.attributes
    ]
    chosen = random.choice(names, size=1 + seed * 4, replace=False)
    pins = [(re.escape(str(name)), "cpu") for name in chosen]
    result = split(model, tmp_path / "pinned", feeds, pins=pins, keep=(0.6, 0.95, 1.0)[seed])
    assert_computed_once(result)
    got = run_folder(tmp_path / "pinned", feeds)
    assert_equal(got, run_whole(model, feeds, list(got)))
