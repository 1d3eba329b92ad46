"""Whole quantized networks, true to size: `resnet50`, `mobilenet_v2`, `transformer_layer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto

from autosplit.testing.qdq import Dim, QdqBuilder


def _conv_relu(
    b: QdqBuilder, x: str, shape: Sequence[int], *, keep_relu: bool, **options: Any
) -> str:
    """A convolution and its ReLU, quantized. Unless `keep_relu`, the ReLU is left to the zero point."""
    y = b.conv(x, shape, gain=float(np.sqrt(2.0)), **options)
    return b.qdq(b.relu(y) if keep_relu else b.float_node("Relu", y))


def resnet50_builder(
    seed: int = 0, size: int = 224, batch: Dim = 1, *, kept_relu: bool = False
) -> QdqBuilder:
    """See `resnet50`."""
    b = QdqBuilder(seed, name="resnet50")
    x = b.qdq(b.input("data", (batch, 3, size, size)))
    x = _conv_relu(b, x, (64, 3, 7, 7), keep_relu=kept_relu, stride=2, pads=3)
    pool = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = b.qdq(pool, like=x)
    inner = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            # Version 1.5: the 3x3 convolution has the stride.
            stride = 2 if stage and not block else 1
            y = _conv_relu(b, x, (width, inner, 1, 1), keep_relu=kept_relu)
            y = _conv_relu(b, y, (width, width, 3, 3), keep_relu=kept_relu, stride=stride, pads=1)
            # Weak, so that the sum does not double from block to block.
            y = b.qdq(b.conv(y, (4 * width, width, 1, 1), gain=0.5))
            if not block:
                x = b.qdq(b.conv(x, (4 * width, inner, 1, 1), stride=stride))
            total = b.node("Add", y, x)
            x = b.qdq(b.relu(total) if kept_relu else b.float_node("Relu", total))
            inner = 4 * width
    mean = b.qdq(b.node("GlobalAveragePool", x))
    flat = b.qdq(b.node("Flatten", mean, axis=1), like=mean)
    b.output(b.qdq(b.linear(flat, (1000, inner))))
    return b


def resnet50(
    seed: int = 0, size: int = 224, batch: Dim = 1, *, kept_relu: bool = False
) -> ModelProto:
    """ResNet-50 v1.5 with random weights, batch norms folded: 53 convolutions and a linear, input
    `data` float32[batch, 3, size, size], output float32[batch, 1000].

    Quantize and dequantize are where `quantize_static` puts them: around every activation, with ReLUs left to
    the zero points behind them. With `kept_relu` the ReLUs stay as nodes.
    """
    return resnet50_builder(seed, size, batch, kept_relu=kept_relu).build()


_MOBILENET_V2 = (
    # expansion, channels, blocks, stride of the first
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
)  # fmt: skip


def _conv_relu6(b: QdqBuilder, x: str, shape: Sequence[int], **options: Any) -> str:
    y = b.conv(x, shape, gain=float(np.sqrt(2.0)), **options)
    low, high = b.constant(0.0, "low"), b.constant(6.0, "high")
    return b.qdq(b.float_node("Clip", y, low, high))


def mobilenet_v2_builder(seed: int = 0, size: int = 224, batch: Dim = 1) -> QdqBuilder:
    """See `mobilenet_v2`."""
    b = QdqBuilder(seed, name="mobilenet_v2")
    x = b.qdq(b.input("data", (batch, 3, size, size)))
    x = _conv_relu6(b, x, (32, 3, 3, 3), stride=2, pads=1)
    inner = 32
    for expansion, channels, blocks, first in _MOBILENET_V2:
        for block in range(blocks):
            stride = 1 if block else first
            wide = inner * expansion
            y = _conv_relu6(b, x, (wide, inner, 1, 1)) if expansion > 1 else x
            y = _conv_relu6(b, y, (wide, 1, 3, 3), stride=stride, pads=1, groups=wide)
            y = b.qdq(b.conv(y, (channels, wide, 1, 1)))
            x = b.qdq(b.node("Add", x, y)) if block else y
            inner = channels
    x = _conv_relu6(b, x, (1280, inner, 1, 1))
    mean = b.qdq(b.node("GlobalAveragePool", x))
    flat = b.qdq(b.node("Flatten", mean, axis=1), like=mean)
    b.output(b.qdq(b.linear(flat, (1000, 1280))))
    return b


def mobilenet_v2(seed: int = 0, size: int = 224, batch: Dim = 1) -> ModelProto:
    """MobileNetV2 (1.0) with random weights, batch norms folded: 52 convolutions and a linear, input
    `data` float32[batch, 3, size, size], output float32[batch, 1000]. ReLU6 is left to the casts."""
    return mobilenet_v2_builder(seed, size, batch).build()


def transformer_layer_builder(
    seed: int = 0,
    *,
    batch: Dim = 1,
    length: Dim = 128,
    hidden: int = 768,
    heads: int = 12,
    inner: int = 3072,
) -> QdqBuilder:
    """See `transformer_layer`."""
    b = QdqBuilder(seed, name="transformer_layer")
    width = hidden // heads
    x = b.input("x", (batch, length, hidden))
    mask = b.input("mask", (batch, 1, 1, length), low=-1.0, high=0.0)
    q_x = b.qdq(x)

    def projected(perm: Sequence[int]) -> str:
        y = b.linear(q_x, (hidden, hidden), form="MatMul")
        shape = b.constant(np.array([0, 0, heads, width], np.int64), "heads")
        return b.node("Transpose", b.node("Reshape", y, shape), perm=list(perm))

    query, key = projected((0, 2, 1, 3)), projected((0, 2, 3, 1))
    value = projected((0, 2, 1, 3))
    scores = b.node("MatMul", b.qdq(query), b.qdq(key))
    scores = b.node("Div", scores, b.constant(float(np.sqrt(width)), "root"))
    weights = b.node("Softmax", b.node("Add", scores, mask), axis=-1)
    y = b.node("MatMul", b.qdq(weights), b.qdq(value))
    joined = b.constant(np.array([0, 0, hidden], np.int64), "joined")
    y = b.node("Reshape", b.node("Transpose", y, perm=[0, 2, 1, 3]), joined)
    y = b.linear(b.qdq(y), (hidden, hidden), form="MatMul")
    x = b.layer_norm(b.node("Add", y, x), hidden)
    y = b.gelu(b.linear(b.qdq(x), (inner, hidden), form="MatMul"))
    y = b.linear(b.qdq(y), (hidden, inner), form="MatMul")
    b.output(b.layer_norm(b.node("Add", y, x), hidden))
    return b


def transformer_layer(seed: int = 0, **sizes: Any) -> ModelProto:
    """A BERT-base encoder layer with random weights, whose matrix products are quantized and all else is
    float32: inputs `x` float32[batch, length, hidden] and `mask` float32[batch, 1, 1, length], which is
    added to the scores; output as `x`. Sizes: batch, length, hidden, heads, inner.
    """
    return transformer_layer_builder(seed, **sizes).build()
