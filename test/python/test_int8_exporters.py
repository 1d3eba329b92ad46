"""Quantized models as other tools export them: all products are in partitions, and the numbers are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from onnx import TensorProto

from autosplit.explain.int8 import Int8Explanation, explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.testing.int8 import expect_vnni
from autosplit.testing.raw_qdq import RawQdq, compare

pytestmark = needs_library

SHAPE = (1, 4, 8, 8)


def node_constant(m: RawQdq, value: object, dtype: str, *, hidden: bool) -> str:
    """A Constant node, behind an Identity where `hidden`, in the place of an initializer."""
    name = m.constant(value, dtype)
    tensor = next(t for t in m.initializers if t.name == name)
    m.initializers.remove(tensor)
    made = m.node("Constant", value=tensor)
    return m.node("Identity", made) if hidden else made


def rounded(m: RawQdq, x: str, scale: object, zero: object, dtype: str, **axis: int) -> str:
    """Quantized and dequantized by Constants of the graph, as torch.onnx.export writes fake quantization."""
    parameters = [
        node_constant(m, scale, "f32", hidden=True),
        node_constant(m, zero, dtype, hidden=True),
    ]
    return m.node(
        "DequantizeLinear", m.node("QuantizeLinear", x, *parameters, **axis), *parameters, **axis
    )


def torch() -> RawQdq:
    """Signed activations of one scale; weights and biases are floats, rounded in the graph."""
    m = RawQdq(13)
    x = rounded(m, m.input("x", SHAPE), 0.03, 0, "i8")
    for _ in range(2):
        w = node_constant(m, m.random(4, 4, 3, 3) / 9, "f32", hidden=False)
        w = rounded(m, w, np.full(4, 0.004), np.zeros(4, int), "i8", axis=0)
        y = m.node("Conv", x, w, m.constant(m.random(4)), pads=[1] * 4)
        x = rounded(m, m.node("Relu", y), 0.03, 0, "i8")
    m.output(x)
    return m


def tf2onnx() -> RawQdq:
    """Images with channels last; each convolution stands between transpositions, which are rounded too."""
    m = RawQdq(13)
    x = m.qdq(m.input("x", (1, 8, 8, 4)))
    for _ in range(2):
        first = m.qdq(m.node("Transpose", x, perm=[0, 3, 1, 2]))
        w = m.node(
            "Transpose",
            m.dequantize(m.constant(m.rng.integers(-63, 64, (3, 3, 4, 4)), "i8"), 0.004, 0, "i8"),
            perm=[3, 2, 0, 1],
        )
        y = m.node("Conv", first, w, m.bias(4), pads=[1] * 4)
        last = m.node("Transpose", m.node("Relu", y), perm=[0, 2, 3, 1])
        x = m.qdq(last)
    m.output(x)
    return m


def clipped() -> RawQdq:
    """Values are clipped to the range that they are then quantized in, then cast; biases are i32."""
    m = RawQdq(17)
    x = m.input("x", SHAPE)
    for _ in range(2):
        low, high = m.constant(-128 * 0.03), m.constant(127 * 0.03)
        x = m.qdq(m.node("Cast", m.node("Clip", x, low, high), to=TensorProto.FLOAT))
        w = m.weight((4, 4, 3, 3), 0, 36)
        stored = m.constant(m.rng.integers(-999, 999, 4), "i32")
        bias = m.dequantize(stored, np.full(4, 1e-4), np.zeros(4, int), "i32", axis=0)
        x = m.node("Relu", m.node("Conv", x, w, bias, pads=[1] * 4))
    m.output(m.qdq(x))
    return m


def transposed_weights() -> RawQdq:
    """A linear layer whose weights are transposed behind their dequantize, as NNCF writes it."""
    m = RawQdq(17)
    x = m.qdq(m.input("x", (3, 16)))
    for _ in range(2):
        w = m.node("Transpose", m.weight((16, 16), 0, 16), perm=[1, 0])
        x = m.qdq(m.node("Add", m.constant(m.random(16)), m.node("MatMul", x, w)))
    m.output(x)
    return m


def unsigned_weights() -> RawQdq:
    """Weights of one scale and a zero point, as ONNX Runtime's quantizer makes them for `QUInt8`."""
    m = RawQdq(17)
    x = m.qdq(m.input("x", SHAPE))
    for _ in range(2):
        stored = m.constant(m.rng.integers(0, 230, (4, 4, 3, 3)), "u8")
        w = m.dequantize(stored, np.float32(0.004), np.int64(110), "u8")
        x = m.qdq(m.node("Relu", m.node("Conv", x, w, m.bias(4), pads=[1] * 4)))
    m.output(x)
    return m


def a_pair_for_each_user() -> RawQdq:
    """A residual block of which each user has casts of its own, as with `DedicatedQDQPair`."""
    m = RawQdq(17)
    x = m.node("Relu", m.conv(m.qdq(m.input("x", SHAPE)), 4, 4))
    y = m.conv(m.qdq(x), 4, 4)
    m.output(m.qdq(m.node("Add", m.qdq(y), m.qdq(x))))
    return m


def products_only() -> RawQdq:
    """Casts stand in front of products alone, as for TensorRT; real numbers are cut, pooled and joined."""
    m = RawQdq(17)
    x = m.node("Relu", m.conv(m.qdq(m.input("x", SHAPE)), 4, 4))
    left, right = m.nodes_of("Split", x, outputs=2, axis=1)
    right = m.node("Relu", m.conv(m.qdq(right, 0.02), 2, 2))
    pooled = m.node("MaxPool", right, kernel_shape=[3, 3], pads=[1] * 4)
    x = m.node("Concat", left, right, pooled, axis=1)
    m.output(m.conv(m.qdq(x), 4, 6))
    return m


def nncf() -> RawQdq:
    """What depthwise convolutions read is quantized by the channel; pools and views are not quantized."""
    m = RawQdq(17)
    x = m.qdq(m.input("x", SHAPE), 0.03, 0, "i8")
    for inner in ("Relu", "Clip", "HardSwish"):
        y = m.node("Conv", x, m.weight((4, 4, 1, 1), 0), m.bias(4))
        bounds = [m.constant(0.0), m.constant(6.0)] if inner == "Clip" else []
        y = m.node(inner, y, *bounds)
        scales, dtype = m.rng.uniform(0.005, 0.03, 4), "i8" if inner == "HardSwish" else "u8"
        y = m.qdq(y, scales, np.zeros(4, int), dtype, axis=1)
        y = m.node("Conv", y, m.weight((4, 1, 3, 3), 0, 9), m.bias(4), pads=[1] * 4, group=4)
        x = m.qdq(m.node("Add", y, x), 0.03, 0, "i8")
    x = m.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = m.qdq(m.node("Conv", x, m.weight((4, 4, 3, 3), 0, 36), m.bias(4)), 0.03, 0, "i8")
    w = m.weight((16, 5), 1)
    m.output(m.node("Gemm", m.node("Flatten", x), w, m.bias(5)))
    return m


def opset(version: int) -> Callable[[], RawQdq]:
    def build() -> RawQdq:
        m = RawQdq(version)
        x = m.qdq(m.input("x", SHAPE))
        for _ in range(2):
            w = m.weight((4, 4, 3, 3), 0 if version >= 13 else None, 36)
            x = m.qdq(m.node("Relu", m.node("Conv", x, w, m.bias(4), pads=[1] * 4)))
        m.output(x)
        return m

    return build


EXPORTERS: dict[str, tuple[Callable[[], RawQdq], str]] = {
    "torch": (torch, "int8-conv"),
    "tf2onnx": (tf2onnx, "int8-conv"),
    "clipped": (clipped, "int8-conv"),
    "transposed weights": (transposed_weights, "int8-matmul"),
    "unsigned weights": (unsigned_weights, "int8-conv"),
    **{f"opset {v}": (opset(v), "int8-conv") for v in (10, 11, 12, 13, 15, 17, 19, 21)},
}


def explained(model: onnx.ModelProto, folder: Path) -> Int8Explanation:
    """Which ops of a model are in partitions, and why the others are not."""
    onnx.save(model, folder / "model.onnx")
    return explain_int8(compile_model(CompileOptions(folder / "model.onnx")).module)


def test_a_pair_for_each_user_is_one(tmp_path: Path):
    m = a_pair_for_each_user()
    model = m.model()
    found = explained(model, tmp_path)
    assert not found.outside
    assert sum(p.rule.startswith("int8-conv") for p in found.partitions) == 2
    (off,) = compare(model, [{"x": m.random(*SHAPE)}], rounding="close")
    assert off.largest <= 2 * 0.03 * 1.001


def test_real_numbers_between_products_are_quantized_before_they_move(tmp_path: Path):
    m = products_only()
    model = m.model()
    found = explained(model, tmp_path)
    assert not found.outside
    rules = Counter(p.rule for p in found.partitions)
    assert (rules["int8-conv"], rules["int8-pool"]) == (3, 1)
    (off,) = compare(model, [{"x": m.random(*SHAPE)}])
    assert off.largest <= 2 * 0.03 * 1.001


def test_nncf_leaves_nothing_outside_of_partitions(tmp_path: Path):
    m = nncf()
    model = m.model()
    found = explained(model, tmp_path)
    assert not found.outside
    rules = Counter(p.rule for p in found.partitions)
    assert rules["int8-conv"] + rules["int8-conv-sum"] == 7
    assert rules["int8-pool"] == 1
    (off,) = compare(model, [{"x": m.random(*SHAPE)}])
    expect_vnni()
    assert off.largest <= 2 * 0.03 * 1.001
    assert off.mean <= 0.1 * 0.03


@pytest.mark.parametrize("name", EXPORTERS)
def test_the_products_of_an_exporter_are_in_partitions(name: str, tmp_path: Path):
    build, rule = EXPORTERS[name]
    m = build()
    model = m.model()
    found = explained(model, tmp_path)
    assert Counter(p.rule for p in found.partitions)[rule] == 2, found.outside
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    rounding = "close" if name == "unsigned weights" else "exact"
    offs = compare(model, [{"x": m.random(*shape)}], rounding=rounding)
    if name in ("torch", "unsigned weights"):
        # Signed activations, whose weights the library halves without VNNI, and weights of 8 bits.
        expect_vnni()
    for off in offs:
        assert off.largest <= 2 * 0.03 * 1.001
        assert off.mean <= 0.1 * 0.03
