"""Channel attention and other gates between casts, from the model to the numbers of the plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autosplit.dialects.dnnl import OrderLayout, PartitionOp, layout_of
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.int8 import compile_builder, expect, kinds_of, partitions_in
from autosplit.testing.qdq import QdqBuilder

pytest.importorskip("onnxruntime")

CONV = "dq dq conv relu q"
PLAIN = "dq dq conv q"
GATED = "dq dq conv mul q"


def attention(b: QdqBuilder, x: str, channels: int, gate: str, *, flat: bool = False) -> str:
    """What a block of channel attention makes of a quantized image, every op between casts."""
    p = b.qdq(b.node("GlobalAveragePool", x))
    if flat:
        h = b.qdq(b.relu(b.linear(b.qdq(b.node("Flatten", p)), (8, channels))))
        s = b.qdq(b.linear(h, (channels, 8)))
        g = b.qdq(b.node(gate, s))
        return b.node("Mul", x, b.qdq(b.node("Reshape", g, shape(b, 1, channels, 1, 1))))
    h = b.qdq(b.relu(b.conv(p, (8, channels, 1, 1))))
    s = b.qdq(b.conv(h, (channels, 8, 1, 1)))
    return b.node("Mul", b.qdq(b.node(gate, s)), x)


def shape(b: QdqBuilder, *sizes: int) -> str:
    return b.constant(np.array(sizes, np.int64), "shape")


def image(b: QdqBuilder, *sizes: int | str, channels: int = 16) -> str:
    """What a convolution makes of an input, quantized."""
    n, h, w = sizes or (1, 9, 7)
    x = b.qdq(b.input("x", (n, 3, h, w)))
    return b.qdq(b.relu(b.conv(x, (channels, 3, 3, 3), pads=1)))


@pytest.mark.parametrize("gate", ["Sigmoid", "HardSigmoid"])
def test_channel_attention_is_bytes_in_the_order_of_the_library(gate: str, tmp_path: Path):
    b = QdqBuilder(seed=4)
    y = b.qdq(attention(b, image(b), 16, gate))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    act = f"dq dq conv {gate.lower()} q"
    found = expect(b, tmp_path, [CONV, "dq avgpool q", CONV, PLAIN, act, GATED, PLAIN], quanta=1.1)
    assert not found.outside
    lone = [kinds for kinds in found.partitions if len(kinds) == 1]
    assert lone == [["Quantize"], ["Dequantize"], ["Dequantize"]]
    for op in partitions_in(found.result.module):
        assert isinstance(op, PartitionOp)
        images = [v.type for v in op.inputs if "x9x7x" in str(v.type)]
        if op.rule.data != "single":
            assert all(isinstance(layout_of(t), OrderLayout) for t in images), op.identity


def test_a_gate_made_of_rows(tmp_path: Path):
    """The sigmoid of rows stays with ONNX Runtime; the image that it gates does not."""
    b = QdqBuilder(seed=5)
    y = b.qdq(attention(b, image(b), 16, "Sigmoid", flat=True))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert GATED in found.groups
    assert "Mul" not in found.outside
    found.check(quanta=1.1)


def test_images_and_sizes_that_vary(tmp_path: Path):
    b = QdqBuilder(seed=6)
    y = b.qdq(attention(b, image(b, "n", "h", "w"), 16, "HardSigmoid"))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path, {"n": 1, "h": 9, "w": 7})
    # The library's pools have kernels of fixed sizes.
    assert set(found.outside) == {"DequantizeLinear", "GlobalAveragePool", "QuantizeLinear"}
    for n, h, w in ((1, 9, 7), (3, 5, 6), (2, 1, 1)):
        found.check(n=n, h=h, w=w, quanta=1.1)


def gate_of(b: QdqBuilder, x: str, kind: str) -> str:
    """A gate for the 2x16x6x5 image `x`."""
    match kind:
        case "places":
            return b.qdq(b.node("Sigmoid", b.qdq(b.conv(x, (1, 16, 1, 1)))))
        case "whole":
            return b.qdq(b.node("Sigmoid", b.qdq(b.conv(x, (16, 16, 1, 1)))))
        case "images":
            mean = b.node("ReduceMean", x, axes=[1, 2, 3], keepdims=1)
            return b.qdq(b.node("Sigmoid", mean))
        case "scale":
            values = np.random.default_rng(1).uniform(0.5, 2, (16, 1, 1)).astype(np.float32)
            return b.constant(values, "scale")
        case _:
            return b.qdq(b.node("Sigmoid", x))


@pytest.mark.parametrize("kind", ["places", "whole", "scale", "own"])
def test_gates_of_other_shapes(kind: str, tmp_path: Path):
    b = QdqBuilder(seed=7)
    x = image(b, 2, 6, 5)
    b.output(b.qdq(b.conv(b.qdq(b.node("Mul", x, gate_of(b, x, kind))), (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert GATED in found.groups
    assert not found.outside
    found.check(quanta=1.1)


def test_a_gate_for_each_image_stays_with_onnx_runtime(tmp_path: Path):
    b = QdqBuilder(seed=8)
    x = image(b, 2, 6, 5)
    b.output(b.qdq(b.conv(b.qdq(b.node("Mul", x, gate_of(b, x, "images"))), (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert found.outside["Mul"] == 1
    found.check(quanta=1.1)


def test_a_swish_between_casts_is_one_kernel(tmp_path: Path):
    b = QdqBuilder(seed=9)
    x = image(b)
    y = b.qdq(b.node("Mul", x, b.node("Sigmoid", x)))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    expect(b, tmp_path, [CONV, "dq dq conv sigmoid mul q", PLAIN], quanta=1.1)


ACTIVATIONS = {
    "Elu": {},
    "HardSigmoid": {"alpha": 0.3},
    "HardSwish": {},
    "LeakyRelu": {"alpha": 0.2},
    "Sigmoid": {},
    "Tanh": {},
}


@given(
    st.sampled_from(sorted(ACTIVATIONS)),
    st.integers(1, 40),
    st.tuples(st.integers(1, 2), st.integers(1, 9), st.integers(1, 9)),
    st.sampled_from(["uint8", "int8"]),
    st.integers(0, 99),
)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_activation_and_gate_computes_what_the_model_says(
    tmp_path: Path, kind: str, channels: int, sizes: tuple[int, int, int], dtype: str, seed: int
):
    n, h, w = sizes
    b = QdqBuilder(seed=seed)
    x = b.qdq(b.input("x", (n, 3, h, w)))
    x = b.qdq(b.conv(x, (channels, 3, 1, 1)), dtype)
    g = b.qdq(b.node(kind, x), dtype)
    b.output(b.qdq(b.node("Mul", x, g), dtype))
    found = compile_builder(b, tmp_path)
    # Without AVX-512 the library spoils the last channels, but for one.
    is_fused = channels % 8 < 2
    assert [kinds_of(p)[-2:] for p in partitions_in(found.result.module)].count(
        ["Multiply", "Quantize"]
    ) == is_fused
    assert bool(found.outside["Mul"]) != is_fused
    # Each of the two casts on the way may fall on the other side of halfway.
    found.check(quanta=3.1)


def test_no_pool_reads_rows(tmp_path: Path):
    """Beside a pool, a lone cast that oneDNN 3.2 gets wrong between two orders keeps the order."""
    b = QdqBuilder(seed=10)
    x = b.qdq(b.input("x", (1, 3, 7, 7)))
    x = b.qdq(b.conv(x, (64, 3, 3, 3), pads=1))
    p = b.qdq(b.node("GlobalAveragePool", x))
    b.output(b.qdq(b.conv(p, (4, 64, 1, 1))), b.node("Exp", x))
    found = compile_builder(b, tmp_path)
    assert found.outside == {"Exp": 1}
    (pool,) = [p for p in partitions_in(found.result.module) if "AvgPool" in kinds_of(p)]
    assert isinstance(pool, PartitionOp)
    assert isinstance(layout_of(pool.inputs[0].type), OrderLayout)
    found.check(quanta=1.1)


def test_a_whole_gate_in_rows_is_turned(tmp_path: Path):
    """For one that is row-major the library has a reference kernel only."""
    b = QdqBuilder(seed=6)
    gate = b.input("gate", (1, 16, 9, 7))
    y = b.qdq(b.node("Mul", image(b), gate))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert GATED in found.groups
    found.check(quanta=1.1)
    plan = Plan.from_module(found.result.module, found.result.store)
    plan.run({"x": np.zeros((1, 3, 9, 7), np.float32), "gate": np.ones((1, 16, 9, 7), np.float32)})
    assert "copy gate" in [step.name for step in plan.account().steps if step.kind == "copy"]


def test_a_batch_norm_between_casts_is_one_kernel(tmp_path: Path):
    """As behind the concats of a DenseNet; factors may be negative."""
    b = QdqBuilder(seed=9)
    x = image(b)
    random = np.random.default_rng(2)
    numbers = [random.normal(0, 1, 16), random.normal(0, 1, 16), random.normal(0, 1, 16)]
    numbers.append(random.uniform(0.2, 2, 16))
    norm = b.node("BatchNormalization", x, *[b.constant(n.astype(np.float32)) for n in numbers])
    y = b.qdq(b.relu(norm))
    b.output(b.qdq(b.conv(y, (4, 16, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert not found.outside
    assert CONV in found.groups
    found.check(quanta=1.1)


@pytest.mark.parametrize("kind", ["Add", "Div", "Max", "Min", "Mul", "Sub"])
@pytest.mark.parametrize("channels", [1, 4, 9, 12, 16])
@pytest.mark.parametrize("gate", ["whole", "channels", "places"])
def test_what_meets_a_depthwise_convolution_is_read_at_the_right_places(
    tmp_path: Path, kind: str, channels: int, gate: str
):
    b = QdqBuilder(seed=4)
    x = b.qdq(b.input("x", (1, channels, 4, 3)))
    shape = {"whole": (channels, 4, 3), "channels": (channels, 1, 1), "places": (1, 4, 3)}[gate]
    y = b.conv(x, (channels, 1, 3, 3), pads=1, groups=channels)
    b.output(b.qdq(b.node(kind, y, b.input("g", (1, *shape), low=0.5, high=2.0))))
    found = compile_builder(b, tmp_path)
    assert bool(found.outside[kind]) == (channels % 8 > 1 and gate != "places")
    found.check(quanta=1.1)
