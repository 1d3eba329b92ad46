"""Transformers as exporters spell them, quantized by ONNX Runtime's quantizer: what fuses, and how near the
results are to those of the real model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.flows.compile import CompileOptions, CompileResult, compile_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.encoders import (
    Encoder,
    encoder_feeds,
    quantized_encoder,
    run_unoptimized,
)
from autosplit.testing.int8 import expect_vnni, groups_in, outside_in

pytest.importorskip("onnxruntime")
QuantType = pytest.importorskip("onnxruntime.quantization").QuantType

SPELLINGS = {
    "bert": Encoder(),
    "gemm": Encoder(linear="gemm", gelu="node"),
    "spelled": Encoder(norm="spelled", scale="divided"),
    "vit": Encoder(first="norm", mask="none", merged=True, scale="both"),
    "where": Encoder(mask="where", scale="query"),
    "causal": Encoder(first="norm", mask="causal"),
    "biased": Encoder(first="norm", mask="bias", scale="query"),
    "two layers": Encoder(layers=2),
}

ATTENTIONS = tuple(
    f"dq dq dq dq matmul {scale} add softmax q matmul statictranspose staticreshape q"
    for scale in ("mul", "div")
)
"""The library's attention as one partition."""


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    x, y = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


@pytest.fixture(scope="module", params=SPELLINGS)
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    spec = SPELLINGS[request.param]
    return spec, *quantized_encoder(spec, tmp_path_factory.mktemp("encoder"))


def compiled(path: Path, rounding: str) -> CompileResult:
    return compile_model(CompileOptions(path, rounding=rounding))


def test_unrounded_norms_and_gates_are_nearer_to_the_real_model(
    encoder: tuple[Encoder, Path, Path],
):
    """Than ONNX Runtime's own INT8, and than the model as it is written."""
    spec, real, quantized = encoder
    feeds = encoder_feeds(spec, 9)
    wanted, written = (run_unoptimized(path, feeds) for path in (real, quantized))
    made = compiled(quantized, "close")
    (found,) = Plan.from_module(made.module, made.store).run(feeds).values()
    expect_vnni()
    assert cosine(found, wanted) > cosine(written, wanted)
    assert cosine(found, wanted) > 0.998


def test_nothing_but_views_and_masks_is_left_to_onnx_runtime(encoder: tuple[Encoder, Path, Path]):
    spec, _, quantized = encoder
    module = compiled(quantized, "close").module
    outside = outside_in(module)
    for kind in ("LayerNormalization", "Erf", "Gelu", "Tanh", "Pow", "Sqrt", "MatMul", "Gemm"):
        assert not outside[kind], dict(outside)
    groups = Counter(groups_in(module))
    assert groups["layernorm"] == 2 * spec.layers + 1
    assert groups["dq dq matmul add"] >= 2 * spec.layers
    assert groups["dq dq matmul gelu q"] == spec.layers
    if not (spec.merged or spec.scale in ("query", "both")):
        assert sum(groups[g] for g in ATTENTIONS) == spec.layers, groups


def test_heads_are_views_of_what_the_products_made(tmp_path: Path):
    """Between a product and an attention nothing is computed, and the keys alone are copied, turned."""
    spec = Encoder(layers=2)
    _, quantized = quantized_encoder(spec, tmp_path)
    made = compiled(quantized, "close")
    plan = Plan.from_module(made.module, made.store)
    feeds = encoder_feeds(spec)
    plan.run(feeds, timed=True)
    steps = plan.account().steps
    copies = [s for s in steps if s.kind == "copy" and s.seconds]
    assert {s.rule for s in copies} == {"Transpose"}
    assert len(copies) == spec.layers, steps
    assert sum(s.kind == "segment" for s in steps) <= 2, steps


def test_as_written_nothing_changes(encoder: tuple[Encoder, Path, Path]):
    """With `exact`, the model's own rounding stays."""
    spec, _, quantized = encoder
    made = compiled(quantized, "exact")
    feeds = encoder_feeds(spec, 9)
    written = run_unoptimized(quantized, feeds)
    (found,) = Plan.from_module(made.module, made.store).run(feeds).values()
    expect_vnni()
    assert cosine(found, written) > 0.97


def check_whatever_the_quantizer_does(seed: int, folder: Path) -> None:
    """A random encoder, quantized by ONNX Runtime in a random way, is as near to float32 as there."""
    random = np.random.default_rng(seed)

    def pick(*choices: Any) -> Any:
        return choices[random.integers(len(choices))]

    # The quantizer knows no shapes behind Microsoft's Gelu.
    gelu = pick("erf", "tanh", "node")
    spec = Encoder(
        layers=pick(1, 2),
        length=pick(8, 16, 33),
        heads=pick(1, 4, 8),
        # The opset of Gelu has no ReduceMean as it is spelled here.
        norm="node" if gelu == "node" else pick("node", "spelled"),
        gelu=gelu,
        linear=pick("matmul", "gemm"),
        first=pick("attention", "norm"),
        scale=pick("scores", "divided", "query", "both"),
        mask=pick("none", "added", "where", "causal", "bias"),
        merged=pick(False, True),
        seed=seed,
    )
    real, quantized = quantized_encoder(
        spec,
        folder,
        optimized=pick(False, True),
        activation_type=pick(QuantType.QInt8, QuantType.QUInt8),
        per_channel=pick(False, True),
        extra_options={"ActivationSymmetric": pick(False, False, True)},
    )
    feeds = encoder_feeds(spec, 9)
    wanted, written = (run_unoptimized(path, feeds) for path in (real, quantized))
    made = compiled(quantized, "close")
    (found,) = Plan.from_module(made.module, made.store).run(feeds).values()
    expect_vnni()
    assert cosine(found, wanted) > cosine(written, wanted) - 0.003


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_quantizer_does(seed: int, tmp_path: Path):
    check_whatever_the_quantizer_does(seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 300))
def test_many(seed: int, tmp_path: Path):
    check_whatever_the_quantizer_does(seed, tmp_path)
