"""Pads in front of convolutions and slices behind them become pads of the convolutions, exactly."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from onnxruntime.quantization import QuantType, quantize_static
from test_normalize_int8 import Graph, prepared, run

from autosplit.api import compile as compile_file
from autosplit.api import infer, load_compiled
from autosplit.explain.int8 import explain_int8
from autosplit.folder import plans
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
from autosplit.testing.encoders import run_unoptimized
from autosplit.testing.quantize import Feeds

RANDOM = np.random.default_rng(5)
LINE = RANDOM.standard_normal((1, 4, 24)).astype(np.float32)
WHOLE = np.iinfo(np.int64).max


def pad(g: Graph, x: str, before: int, behind: int) -> str:
    return g("Pad", x, g.c([0, 0, before, 0, 0, behind], np.int64))


def cut(g: Graph, x: str, start: int, end: int) -> str:
    return g("Slice", x, *(g.c([n], np.int64) for n in (start, end, 2, 1)))


def casts(g: Graph, x: str) -> str:
    parameters = g.c(0.05), g.c(90, np.uint8)
    return g("DequantizeLinear", g("QuantizeLinear", x, *parameters), *parameters)


def conv(g: Graph, x: str, channels: int = 4, **fields) -> str:
    weights = RANDOM.standard_normal((channels, 4, 3)) * 0.3
    return g("Conv", x, g.c(weights), kernel_shape=[3], **fields)


def kinds(g: Graph, y: str, folder: Path) -> set[str]:
    """The ops that are left; the numbers are those of before."""
    model = g.model(y)
    loaded, after = prepared(model, folder)
    (expected,), (found,) = run(model, g.x), run(after, g.x)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    return {op.op_type for op in top_level_ops(loaded.module)}


@pytest.mark.parametrize("is_cast", [False, True])
@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("stride", [1, 2])
def test_a_pad_in_front(dilation: int, stride: int, is_cast: bool, tmp_path: Path):
    g = Graph(x=LINE)
    x = pad(g, g("Tanh", "x"), 2 * dilation, 0)
    y = conv(g, casts(g, x) if is_cast else x, dilations=[dilation], strides=[stride])
    assert "Pad" not in kinds(g, g("Relu", y), tmp_path)


@pytest.mark.parametrize("is_cast", [False, True])
@pytest.mark.parametrize(
    ("start", "end", "pads", "stride"),
    [
        (0, -2, [2, 2], 1),
        (0, 24, [2, 2], 1),
        (2, WHOLE, [2, 0], 1),
        (1, -1, [1, 1], 1),
        (0, -1, [0, 2], 2),
        (0, -1, [1, 2], 2),
        (1, -1, [2, 3], 2),
    ],
)
def test_a_cut_behind(start: int, end: int, pads: list[int], stride: int, is_cast: bool, tmp_path):
    g = Graph(x=LINE)
    y = conv(g, "x", pads=pads, strides=[stride])
    y = cut(g, casts(g, y) if is_cast else y, start, end)
    assert "Slice" not in kinds(g, g("Relu", y), tmp_path)


def test_what_stays(tmp_path: Path):
    g = Graph(x=LINE)
    assert "Slice" in kinds(g, g("Relu", cut(g, conv(g, "x", pads=[2, 2]), 0, -3)), tmp_path)
    g = Graph(x=LINE)
    y = conv(g, "x", pads=[2, 2])
    assert "Slice" in kinds(g, g("Concat", cut(g, y, 0, -2), y, axis=2), tmp_path)
    g = Graph(x=LINE)
    # Windows of pads alone.
    assert "Pad" in kinds(g, g("Relu", conv(g, pad(g, g("Tanh", "x"), 3, 0))), tmp_path)
    g = Graph(x=LINE)
    y = g("Slice", conv(g, "x", pads=[2, 2]), *(g.c([n], np.int64) for n in (1, 3, 1)))
    assert "Slice" in kinds(g, g("Relu", y), tmp_path)


@pytest.mark.parametrize(("fill", "is_kept"), [(90, False), (0, True)])
def test_pads_of_steps(fill: int, is_kept: bool, tmp_path: Path):
    """The zero point stands for zeros, and 0 for other numbers."""
    g = Graph(x=LINE)
    parameters = g.c(0.05), g.c(90, np.uint8)
    steps = g("QuantizeLinear", g("Tanh", "x"), *parameters)
    padded = g("Pad", steps, g.c([0, 0, 2, 0, 0, 0], np.int64), g.c(fill, np.uint8))
    y = g("Relu", conv(g, g("DequantizeLinear", padded, *parameters)))
    assert ("Pad" in kinds(g, y, tmp_path)) == is_kept


@needs_library
def test_gates_lie_as_convolutions_do(tmp_path: Path):
    """Of the gates of a WaveNet, ONNX Runtime has the product alone, of views of what convolutions write."""
    g, x = Graph(x=LINE), "x"
    for i in range(3):
        y = conv(g, pad(g, x, 2 * 2**i, 0), channels=8, dilations=[2**i])
        halves = [g("Slice", y, *(g.c([n], np.int64) for n in (s, s + 4, 1))) for s in (0, 4)]
        gate = g("Mul", g("Tanh", halves[0]), g("Sigmoid", halves[1]))
        x = g("Add", x, g("Conv", gate, g.c(RANDOM.standard_normal((4, 4, 1)))))
    outside = compared(g.model(x), tmp_path)
    assert outside == {"DequantizeLinear", "Mul", "QuantizeLinear"}
    plan = str(plans.load_compiled(tmp_path / "out").module)
    assert len(re.findall(r"onnx\.Mul .*-> tensor<1x24x4xf32>", plan)) == 3
    assert len(re.findall(r"Lookup.*-> tensor<1x24x4xui8>", plan)) == 6


@needs_library
@pytest.mark.parametrize("writes", ["cut", "pad"])
def test_a_network_of_sequences(writes: str, tmp_path: Path):
    """Quantized by ONNX Runtime: each block is two partitions, the second one with the sum."""
    g, x = Graph(x=LINE), "x"
    for i in range(3):
        y, reach = x, 2 * 2**i
        for _ in range(2):
            if writes == "cut":
                y = conv(g, y, pads=[reach, reach], dilations=[2**i])
                y = cut(g, y, 0, -reach)
            else:
                y = conv(g, pad(g, y, reach, 0), dilations=[2**i])
            y = g("Relu", y)
        x = g("Relu", g("Add", y, x))
    assert not compared(g.model(x), tmp_path) & {"Conv", "Pad", "Slice", "Relu", "Add"}


def compared(model: onnx.ModelProto, folder: Path) -> set[str]:
    """Has ONNX Runtime quantize a model, compares what is compiled of that; the kinds of ops left to it."""
    real, quantized = folder / "real.onnx", folder / "quantized.onnx"
    onnx.save(model, real)
    shape = LINE.shape
    samples = [{"x": np.random.default_rng(n).standard_normal(shape).astype("f")} for n in range(6)]
    quantize_static(
        real, quantized, Feeds(samples[:4]), activation_type=QuantType.QUInt8, per_channel=True
    )
    compile_file(quantized, folder / "out")
    compiled = load_compiled(folder / "out")
    for feeds in samples[4:]:
        (expected,), (written,) = (run_unoptimized(path, feeds) for path in (real, quantized))
        (found,) = infer(compiled, feeds).values()
        off, allowed = (np.std(array - expected) / np.std(expected) for array in (found, written))
        assert off < 1.25 * allowed + 0.01
    return {op.type for op in explain_int8(plans.load_compiled(folder / "out").module).outside}
