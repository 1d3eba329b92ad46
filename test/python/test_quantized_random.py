"""Random networks, quantized in random ways: what is compiled is as near to float32 as in ONNX Runtime."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from random_nets import Net
from sampled import sample

from autosplit.api import compile as compile_file
from autosplit.api import infer, load_compiled
from autosplit.testing.encoders import run_unoptimized
from autosplit.testing.quantize import Feeds

pytestmark = needs_library


def quantize(net: Net, pick: Any, folder: Path) -> tuple[Path, Path]:
    """Writes a network and what ONNX Runtime's quantizer makes of it; returns both files."""
    quantization: Any = import_module("onnxruntime.quantization")
    shapes: Any = import_module("onnxruntime.quantization.shape_inference")
    real, ready, quantized = (folder / f"{name}.onnx" for name in ("real", "ready", "quantized"))
    onnx.save(net.model(), real)
    shapes.quant_pre_process(
        str(real), str(ready), skip_symbolic_shape=True, skip_optimization=pick(False, False, True)
    )
    types = quantization.QuantType
    quantization.quantize_static(
        str(ready),
        str(quantized),
        Feeds([net.feeds(seed) for seed in range(4)]),
        quant_format=pick(*[quantization.QuantFormat.QDQ] * 3, quantization.QuantFormat.QOperator),
        activation_type=pick(types.QUInt8, types.QUInt8, types.QInt8),
        weight_type=types.QInt8,
        per_channel=pick(True, True, False),
        extra_options={
            "ActivationSymmetric": pick(False, False, False, True),
            "DedicatedQDQPair": pick(False, False, True),
        },
    )
    return real, quantized


def error(made: np.ndarray, wanted: np.ndarray) -> float:
    """The root of the mean square error, as a share of the numbers' own; these may all be 0."""
    difference, size = made.astype(np.float64) - wanted, np.mean(wanted.astype(np.float64) ** 2)
    return float(np.sqrt(np.mean(difference**2) / max(size, 1e-9)))


def check(seed: int, folder: Path) -> None:
    random = np.random.default_rng(seed)

    def pick(*choices: Any) -> Any:
        return choices[random.integers(len(choices))]

    net = Net(seed, pick(3, 5, 8))
    real, quantized = quantize(net, pick, folder)
    compile_file(quantized, folder / "out")
    model = load_compiled(folder / "out")
    ours, theirs = [], []
    for number in range(10, 14):
        feeds = net.feeds(number)
        wanted, written = (run_unoptimized(path, feeds) for path in (real, quantized))
        (made,) = infer(model, feeds).values()
        ours.append(error(made, wanted))
        theirs.append(error(written, wanted))
    assert np.mean(ours) < 1.25 * np.mean(theirs) + 0.01, (ours, theirs)


@pytest.mark.parametrize("seed", [*sample(range(12), 2), 34, 77, 127, 287, 290, 355])
def test_random_nets(seed: int, tmp_path: Path):
    """The last ones lost activations that the quantizer had left out."""
    check(seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_random_nets(seed: int, tmp_path: Path):
    check(seed, tmp_path)
