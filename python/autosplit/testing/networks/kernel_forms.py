"""Single quantized ops in many forms, to find those that oneDNN has a slow kernel for: see `FORMS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from autosplit.testing.qdq import QdqBuilder

Form = Callable[[QdqBuilder], str]
"""Writes one op or a few between casts; returns the value to quantize."""

IMAGE = (1, 64, 56, 56)


def _input(b: QdqBuilder, shape: Sequence[int] = IMAGE, **options: Any) -> str:
    return b.qdq(b.input("x", shape), **options)


def _conv(
    shape: Sequence[int], b: QdqBuilder, *, image: Sequence[int] = IMAGE, **options: Any
) -> str:
    return b.conv(_input(b, image), shape, **options)


def _signed_conv(b: QdqBuilder) -> str:
    return b.conv(_input(b, dtype="int8"), (64, 64, 3, 3), pads=1)


def _deconv(shape: Sequence[int], b: QdqBuilder, **options: Any) -> str:
    return b.conv_transpose(_input(b), shape, **options)


def _unary(kind: str, b: QdqBuilder, **attributes: Any) -> str:
    return b.node(kind, _input(b), **attributes)


def _behind_conv(kind: str, b: QdqBuilder, **attributes: Any) -> str:
    return b.node(kind, _conv((64, 64, 1, 1), b), **attributes)


def _hard_swish(b: QdqBuilder) -> str:
    x = _conv((64, 64, 1, 1), b)
    return b.node("Mul", x, b.node("HardSigmoid", x, alpha=1 / 6, beta=0.5))


def _gated(b: QdqBuilder) -> str:
    x = _input(b)
    return b.node("Mul", x, b.qdq(b.input("gate", (1, 64, 1, 1))))


def _binary(kind: str, b: QdqBuilder) -> str:
    return b.node(kind, _input(b), b.qdq(b.input("y", IMAGE)))


def _rows(shape: Sequence[int], b: QdqBuilder, kind: str, **attributes: Any) -> str:
    return b.node(kind, _input(b, shape), **attributes)


def _norm(b: QdqBuilder) -> str:
    return b.layer_norm(_input(b, (1, 128, 768)), 768)


def _max_pool(b: QdqBuilder) -> str:
    x = b.quantize(b.input("x", IMAGE))
    y = b.node("MaxPool", b.dequantize(x), kernel_shape=[3, 3], strides=[2, 2])
    return b.qdq(y, like=x)


def _concat(b: QdqBuilder, axis: int = 1) -> str:
    x = b.quantize(b.input("x", IMAGE))
    y = b.quantize(b.input("y", IMAGE), like=x)
    return b.node("Concat", b.dequantize(x), b.dequantize(y), axis=axis)


def _resize(b: QdqBuilder, mode: str) -> str:
    scales = b.constant(np.array([1, 1, 2, 2], np.float32), "scales")
    empty = b.constant(np.zeros(0, np.float32), "roi")
    place = "asymmetric" if mode == "nearest" else "half_pixel"
    options: dict[str, Any] = {"nearest_mode": "floor"} if mode == "nearest" else {}
    return b.node(
        "Resize",
        _input(b),
        empty,
        scales,
        mode=mode,
        coordinate_transformation_mode=place,
        **options,
    )


def _product(left: Sequence[int], right: Sequence[int], b: QdqBuilder) -> str:
    y = b.qdq(b.input("y", right), narrow=True)
    return b.node("MatMul", _input(b, left), y)


def _linear(rows: int, outer: int, inner: int, b: QdqBuilder) -> str:
    return b.linear(_input(b, (rows, inner)), (outer, inner))


FORMS: dict[str, Form] = {
    "conv 1x1": partial(_conv, (64, 64, 1, 1)),
    "conv 3x3": partial(_conv, (64, 64, 3, 3), pads=1),
    "conv 3x3, s8 source": _signed_conv,
    "conv 3x3, dilation 2": partial(_conv, (64, 64, 3, 3), pads=2, dilation=2),
    "conv 3x3, 4 groups": partial(_conv, (64, 16, 3, 3), pads=1, groups=4),
    "conv 3x3, groups of 3 channels": partial(
        _conv, (12, 3, 3, 3), pads=1, groups=4, image=(1, 12, 56, 56)
    ),
    "conv 3x3, 5 channels": partial(_conv, (5, 5, 3, 3), pads=1, image=(1, 5, 56, 56)),
    "conv 3x3 depthwise": partial(_conv, (64, 1, 3, 3), pads=1, groups=64),
    "conv 3x3 depthwise, 2 for each channel": partial(_conv, (128, 1, 3, 3), pads=1, groups=64),
    "conv 3x3 depthwise, 60 channels": partial(
        _conv, (60, 1, 3, 3), pads=1, groups=60, image=(1, 60, 56, 56)
    ),
    "conv 3x3 depthwise, dilation 2": partial(
        _conv, (64, 1, 3, 3), pads=2, groups=64, dilation=2
    ),
    "conv 5x5 depthwise": partial(_conv, (64, 1, 5, 5), pads=2, groups=64),
    "conv 7x7 depthwise": partial(_conv, (64, 1, 7, 7), pads=3, groups=64),
    "conv 31x31 depthwise": partial(_conv, (64, 1, 31, 31), pads=15, groups=64),
    "conv of 1 dimension": partial(_conv, (64, 64, 3), pads=1, image=(1, 64, 3136)),
    "conv of 3 dimensions": partial(_conv, (16, 16, 3, 3, 3), pads=1, image=(1, 16, 8, 28, 28)),
    "conv 1x1, hard swish": _hard_swish,
    "conv 1x1, softplus": partial(_behind_conv, "Softplus"),
    "conv 1x1, leaky relu": partial(_behind_conv, "LeakyRelu", alpha=0.1),
    "conv 1x1, elu": partial(_behind_conv, "Elu"),
    "conv 1x1, round": partial(_behind_conv, "Round"),
    "transposed conv 2x2, stride 2": partial(_deconv, (64, 64, 2, 2), stride=2),
    "transposed conv 4x4, stride 2": partial(_deconv, (64, 64, 4, 4), stride=2, pads=1),
    "transposed conv 4x4 depthwise": partial(_deconv, (64, 1, 4, 4), stride=2, groups=64),
    "transposed conv 2x2 depthwise": partial(_deconv, (64, 1, 2, 2), stride=2, groups=64),
    "transposed conv 3x3 depthwise, stride 1": partial(_deconv, (64, 1, 3, 3), groups=64),
    "transposed conv 4x4, 32 groups": partial(_deconv, (64, 2, 4, 4), stride=2, groups=32),
    "transposed conv 4x4, 4 groups": partial(_deconv, (64, 16, 4, 4), stride=2, groups=4),
    "max pool 3x3": _max_pool,
    "max pool 3x3, new scale": partial(_unary, "MaxPool", kernel_shape=[3, 3], strides=[2, 2]),
    "max pool 2x2, dilation 2": partial(
        _unary, "MaxPool", kernel_shape=[2, 2], strides=[2, 2], dilations=[2, 2]
    ),
    "average pool 3x3": partial(_unary, "AveragePool", kernel_shape=[3, 3], strides=[2, 2]),
    "average pool over all": partial(_unary, "GlobalAveragePool"),
    "max pool over all": partial(_unary, "GlobalMaxPool"),
    "softmax of rows": partial(_rows, (12, 128, 128), kind="Softmax", axis=-1),
    "softmax of short rows": partial(_rows, (1, 33600, 16), kind="Softmax", axis=-1),
    "softmax of the first dimension": partial(_rows, (64, 1000), kind="Softmax", axis=0),
    "layer norm": _norm,
    "reduced mean of rows": partial(_rows, (128, 768), kind="ReduceMean", axes=[-1]),
    "reduced mean of columns": partial(_rows, (1, 128, 768), kind="ReduceMean", axes=[1]),
    "reduced max of space": partial(_unary, "ReduceMax", axes=[2, 3]),
    "concat of channels": _concat,
    "resize, nearest": partial(_resize, mode="nearest"),
    "resize, linear": partial(_resize, mode="linear"),
    "sum of two": partial(_binary, "Add"),
    "product of two": partial(_binary, "Mul"),
    "product with a gate": _gated,
    "sigmoid": partial(_unary, "Sigmoid"),
    "tanh": partial(_unary, "Tanh"),
    "hard sigmoid": partial(_unary, "HardSigmoid"),
    "relu": partial(_unary, "Relu"),
    "leaky relu": partial(_unary, "LeakyRelu", alpha=0.1),
    "matrix product of rows": partial(_linear, 128, 768, 768),
    "matrix product of one row": partial(_linear, 1, 1000, 1280),
    "matrix product, odd sizes": partial(_linear, 33, 77, 131),
    "matrix products, 12": partial(_product, (12, 128, 64), (12, 64, 128)),
    "matrix products, one for all": partial(_product, (12, 128, 64), (1, 64, 128)),
}  # fmt: skip
