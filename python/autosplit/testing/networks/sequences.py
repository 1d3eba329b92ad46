"""Networks of sequences and rows of other kinds than those of the goals; small, as in `kinds`."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from autosplit.testing.networks.builder import Net

WORDS = 5000


def _heads(n: Net, x: str, length: int, heads: int, width: int, *order: int) -> str:
    return n.transpose(n.reshape(x, 1, length, heads, width // heads), *order)


def _tanh_gelu(n: Net, x: str) -> str:
    cube = n.op("Mul", n.op("Mul", n.op("Mul", x, x), x), 0.044715)
    gate = n.op("Tanh", n.op("Mul", n.op("Add", x, cube), 0.7978845608))
    return n.op("Mul", n.op("Mul", x, n.op("Add", gate, 1.0)), 0.5)


def decoder(n: Net, length: int = 64, width: int = 512, heads: int = 8) -> None:
    """Norms before the products, one product for query, key and value, a causal mask (GPT-2)."""
    ids = n.input("ids", (1, length), TensorProto.INT64)
    words = n.constant(n.normal(WORDS, width, deviation=0.05), "words")
    x = n.op("Gather", words, ids, axis=0)
    x = n.op("Add", x, n.normal(1, length, width, deviation=0.05))
    mask = np.triu(np.full((1, 1, length, length), -1e4, np.float32), 1)
    for _ in range(6):
        joined = n.linear(n.layer_norm(x, width), width, 3 * width)
        parts = n.ops("Split", 3, joined, np.array([width] * 3), axis=2)
        query = _heads(n, parts[0], length, heads, width, 0, 2, 1, 3)
        key = _heads(n, parts[1], length, heads, width, 0, 2, 3, 1)
        value = _heads(n, parts[2], length, heads, width, 0, 2, 1, 3)
        scores = n.op("Div", n.op("MatMul", query, key), float(np.sqrt(width // heads)))
        weights = n.op("Softmax", n.op("Add", scores, mask), axis=-1)
        y = n.transpose(n.op("MatMul", weights, value), 0, 2, 1, 3)
        x = n.op("Add", x, n.linear(n.reshape(y, 1, length, width), width, width))
        y = _tanh_gelu(n, n.linear(n.layer_norm(x, width), width, 4 * width))
        x = n.op("Add", x, n.linear(y, 4 * width, width))
    last = n.normal(width, WORDS, deviation=width**-0.5)
    n.output(n.op("MatMul", n.layer_norm(x, width), last), "next")


def mixer(n: Net, width: int = 384, places: int = 196) -> None:
    """Products over the channels and over the places in turn (MLP-Mixer)."""
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, width, 16, stride=16, pad=0, norm=False)
    x = n.transpose(n.reshape(x, 1, width, places), 0, 2, 1)
    for _ in range(6):
        y = n.transpose(n.layer_norm(x, width), 0, 2, 1)
        y = n.linear(n.gelu(n.linear(y, places, 192)), 192, places)
        x = n.op("Add", x, n.transpose(y, 0, 2, 1))
        y = n.gelu(n.linear(n.layer_norm(x, width), width, 4 * width))
        x = n.op("Add", x, n.linear(y, 4 * width, width))
    means = n.op("ReduceMean", n.layer_norm(x, width), axes=[1], keepdims=0)
    n.output(n.linear(means, width, 1000, gemm=True), "scores")


def rows(n: Net) -> None:
    """Four linear layers on 16 rows."""
    x, inner = n.input("image", (16, 256)), 256
    for outer in (1024, 1024, 512):
        x, inner = n.op("Relu", n.linear(x, inner, outer, gemm=True)), outer
    n.output(n.linear(x, inner, 10, gemm=True), "scores")


def _along(
    n: Net,
    x: str,
    inner: int,
    outer: int,
    kernel: int = 1,
    groups: int = 1,
    dilation: int = 1,
    pad: int | None = None,
) -> str:
    """A convolution along the time; as many pads on each side as keep the length, unless it says."""
    fan = inner // groups * kernel
    weights = n.normal(outer, inner // groups, kernel, deviation=fan**-0.5)
    bias = n.normal(outer, deviation=0.1)
    fields = {"kernel_shape": [kernel], "strides": [1], "dilations": [dilation], "group": groups}
    return n.op("Conv", x, weights, bias, pads=[kernel // 2 if pad is None else pad] * 2, **fields)


def spoken(n: Net) -> None:
    """Convolutions along the time (a recognizer of speech)."""
    x = n.op("Relu", _along(n, n.input("image", (1, 40, 400)), 40, 256, 5))
    for _ in range(8):
        y = _along(n, n.op("Relu", _along(n, x, 256, 256, 5, 256)), 256, 256)
        x = n.op("Relu", n.op("Add", y, x))
    n.output(n.op("Softmax", _along(n, x, 256, 64), axis=1), "letters")


def causal(n: Net, width: int = 64, length: int = 1024) -> None:
    """Causal convolutions, whose ends are cut off (TCN)."""
    x, inner = n.input("image", (1, 16, length)), 16
    for level in range(6):
        reach, y = 2 * 2**level, x
        for channels in (inner, width):
            y = _along(n, y, channels, width, 3, dilation=2**level, pad=reach)
            y = n.op("Relu", n.op("Slice", y, np.array([0]), np.array([-reach]), np.array([2])))
        x = n.op("Relu", n.op("Add", y, x if inner == width else _along(n, x, inner, width)))
        inner = width
    n.output(_along(n, x, width, 10), "letters")


def gated(n: Net, width: int = 64, length: int = 4096) -> None:
    """Causal convolutions of a padded past, each with a gate (WaveNet)."""
    x = _along(n, n.input("image", (1, 1, length)), 1, width)
    skips: list[str] = []
    for level in range(8):
        past = n.op("Pad", x, np.array([0, 0, 2**level, 0, 0, 0]))
        y = _along(n, past, width, 2 * width, 2, dilation=2**level, pad=0)
        a, b = n.ops("Split", 2, y, np.array([width] * 2), axis=1)
        y = n.op("Mul", n.op("Tanh", a), n.op("Sigmoid", b))
        skips.append(_along(n, y, width, width))
        x = n.op("Add", x, _along(n, y, width, width))
    joined = skips[0]
    for skip in skips[1:]:
        joined = n.op("Add", joined, skip)
    y = n.op("Relu", _along(n, n.op("Relu", joined), width, width))
    n.output(_along(n, y, width, 64), "letters")


def _normed(n: Net, x: str, inner: int, outer: int) -> str:
    """A product without bias, and a batch norm of it as a table of rows."""
    y = n.op("MatMul", x, n.normal(inner, outer, deviation=inner**-0.5))
    statistics = [n.uniform(0.8, 1.2, outer), *(n.normal(outer, deviation=0.1) for _ in range(2))]
    y = n.op(
        "BatchNormalization", n.op("Flatten", y, axis=2), *statistics, n.uniform(0.8, 1.2, outer)
    )
    return n.reshape(y, 1, PLACES, outer)


PLACES = 196
"""Of a picture of 224 x 224, one for each 16 x 16."""


def levit(n: Net, width: int = 128, heads: int = 4) -> None:
    """Attention with a number for each head and pair of places, batch norms of rows (LeViT)."""
    x, inner = n.input("image", (1, 3, 224, 224)), 3
    for outer in (16, 32, 64, width):
        x = n.conv(x, inner, outer, 3, stride=2)
        x, inner = (x if outer == width else n.op("HardSwish", x)), outer
    x = n.transpose(n.reshape(x, 1, width, PLACES), 0, 2, 1)
    for _ in range(4):
        parts = n.reshape(_normed(n, x, width, 2 * width), 1, PLACES, heads, width // 2)
        query, key, value = n.ops("Split", 3, parts, np.array([16, 16, 32]), axis=3)
        query, value = n.transpose(query, 0, 2, 1, 3), n.transpose(value, 0, 2, 1, 3)
        scores = n.op("Mul", n.op("MatMul", query, n.transpose(key, 0, 2, 3, 1)), 0.25)
        places = n.normal(1, heads, PLACES, PLACES, deviation=0.3)
        weights = n.op("Softmax", n.op("Add", scores, places), axis=-1)
        y = n.transpose(n.op("MatMul", weights, value), 0, 2, 1, 3)
        y = n.op("HardSwish", n.reshape(y, 1, PLACES, width))
        x = n.op("Add", x, _normed(n, y, width, width))
        y = n.op("HardSwish", _normed(n, x, width, 2 * width))
        x = n.op("Add", x, _normed(n, y, 2 * width, width))
    means = n.op("ReduceMean", x, axes=[1], keepdims=0)
    n.output(n.linear(means, width, 1000, gemm=True), "scores")


def recurrent(n: Net) -> None:
    """An LSTM, which no library quantizes, and two linear layers."""
    x = n.input("image", (50, 1, 64))
    gates = [n.normal(1, 512, k, deviation=0.1) for k in (64, 128)]
    y = n.ops("LSTM", 3, x, *gates, n.normal(1, 1024, deviation=0.1), hidden_size=128)[0]
    y = n.op("Relu", n.linear(n.reshape(y, 50, 128), 128, 256, gemm=True))
    n.output(n.linear(y, 256, 100, gemm=True), "letters")


def vocoder(n: Net, width: int = 128, length: int = 64) -> None:
    """Transposed convolutions, and means of residual branches behind each (HiFi-GAN)."""

    def leaky(x: str) -> str:
        return n.op("LeakyRelu", x, alpha=0.1)

    x, inner = _along(n, n.input("image", (1, 80, length)), 80, width, 7), width
    for kernel, stride in ((16, 8), (16, 8), (4, 2)):
        weights = n.normal(inner, inner // 2, kernel, deviation=(inner * kernel / stride) ** -0.5)
        fields = {
            "kernel_shape": [kernel],
            "strides": [stride],
            "pads": [(kernel - stride) // 2] * 2,
        }
        x, inner = n.op("ConvTranspose", leaky(x), weights, **fields), inner // 2
        branches: list[str] = []
        for size, dilation in ((3, 1), (3, 3), (7, 1)):
            pad = dilation * (size // 2)
            y = _along(n, leaky(x), inner, inner, size, dilation=dilation, pad=pad)
            branches.append(n.op("Add", x, _along(n, leaky(y), inner, inner, size)))
        x = n.op("Add", n.op("Add", branches[0], branches[1]), branches[2])
        x = n.op("Div", x, 3.0)
    n.output(n.op("Tanh", _along(n, leaky(x), inner, 1, 7)), "wave")
