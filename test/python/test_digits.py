"""Trained networks read as many digits with 8 bits as with float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onednn_installed import needs_library

from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.networks.digits import (
    DIGIT_NETWORKS,
    DigitNetwork,
    Digits,
    digits,
    top1,
    train_network,
)

onnxruntime: Any = pytest.importorskip("onnxruntime")

POINTS = 0.005
"""What 8 bits may cost."""

SAMPLES = 64


def logits(path: Path, images: Any) -> Any:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"image": images})[0]


def test_the_gradients_are_those_of_the_loss():
    """What trains the networks, against differences of the loss itself, in float64."""
    random = np.random.default_rng(3)
    images = random.random((4, 1, 8, 8))
    labels = np.array([3, 1, 4, 1])
    for make in DIGIT_NETWORKS.values():
        network = make(random)
        network.weights = {k: w.astype(np.float64) for k, w in network.weights.items()}

        def loss(network: DigitNetwork = network) -> float:
            made = network.logits(images)
            return float(np.mean(np.log(np.exp(made).sum(axis=1)) - made[np.arange(4), labels]))

        for key, slope in network.gradients(images, labels).items():
            weight = network.weights[key]
            place = tuple(int(random.integers(n)) for n in weight.shape)
            kept = weight[place]
            weight[place] = kept + 1e-5
            above = loss()
            weight[place] = kept - 1e-5
            below = loss()
            weight[place] = kept
            assert slope[place] == pytest.approx((above - below) / 2e-5, abs=1e-6)


@needs_library
@pytest.mark.parametrize("name", sorted(DIGIT_NETWORKS))
def test_8_bits_read_as_many_digits(name: str, tmp_path: Path):
    train, test = digits()
    network = train_network(name, train)
    (tmp_path / "f32.onnx").write_bytes(network.to_onnx().SerializeToString())
    exact = logits(tmp_path / "f32.onnx", test.images)
    assert np.allclose(exact, network.logits(test.images), atol=1e-4)
    least = top1(exact, test)
    assert least > 0.94

    samples = [{"image": train.images[i : i + 1]} for i in range(SAMPLES)]
    out = tmp_path / "int8.onnx"
    found = quantize_model(QuantizeOptions(tmp_path / "f32.onnx", out, samples=samples))
    products = {"Conv": 2, "Gemm": 1} if name == "cnn" else {"Gemm": 2}
    kinds = [op.type for op in found.recipe.ops.values() if op.operands]
    assert all(kinds.count(kind) == count for kind, count in products.items())
    assert top1(logits(out, test.images), test) >= least - POINTS
    assert top1(compiled(out, test), test) >= least - POINTS


def compiled(path: Path, test: Digits) -> Any:
    made = compile_model(CompileOptions(path))
    plan = Plan.from_module(made.module, made.store)
    return plan.run({"image": test.images})["logits"]
