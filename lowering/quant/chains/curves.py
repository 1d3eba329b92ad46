"""Elementwise ops as functions of one number, so that chains of them can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.dialects.onnx.base import OnnxOp, attribute

Numbers = NDArray[np.float64]
Curve = Callable[[OnnxOp, Sequence[Any]], Numbers]
"""The results of an op for an array of numbers; an omitted operand is None."""


def sigmoid(x: Numbers) -> Numbers:
    # Never the exponential of a large positive number.
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def softplus(x: Numbers) -> Numbers:
    above: Numbers = np.maximum(x, 0)
    return above + np.log1p(np.exp(-np.abs(x)))


def erf(x: Numbers) -> Numbers:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def gelu(x: Numbers) -> Numbers:
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def _gelu(op: OnnxOp, v: Sequence[Any]) -> Numbers:
    x: Numbers = v[0]
    if attribute(op, "approximate", "none") == "none":
        return gelu(x)
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def hard_swish(x: Numbers) -> Numbers:
    return x * np.clip(x + 3, 0, 6) / 6


def mish(x: Numbers) -> Numbers:
    return x * np.tanh(softplus(x))


def _clip(op: OnnxOp, v: Sequence[Any]) -> Numbers:
    low, high = [*v[1:], None, None][:2]
    above = v[0] if low is None else np.maximum(v[0], low)
    return above if high is None else np.minimum(above, high)


def _elu(op: OnnxOp, v: Sequence[Any]) -> Numbers:
    return np.where(v[0] > 0, v[0], attribute(op, "alpha", 1.0) * np.expm1(np.minimum(v[0], 0)))


def _hard_sigmoid(op: OnnxOp, v: Sequence[Any]) -> Numbers:
    return np.clip(attribute(op, "alpha", 0.2) * v[0] + attribute(op, "beta", 0.5), 0, 1)


def _leaky_relu(op: OnnxOp, v: Sequence[Any]) -> Numbers:
    return np.where(v[0] < 0, attribute(op, "alpha", 0.01) * v[0], v[0])


def _unary(function: Callable[[Numbers], Numbers]) -> Curve:
    return lambda op, v: function(v[0])


def _binary(function: Callable[[Any, Any], Numbers]) -> Curve:
    return lambda op, v: function(v[0], v[1])


CURVES: Mapping[str, Curve] = {
    "Abs": _unary(np.abs),
    "Add": _binary(np.add),
    "Clip": _clip,
    "Div": _binary(np.divide),
    "Elu": _elu,
    "Erf": _unary(erf),
    "Exp": _unary(np.exp),
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _unary(hard_swish),
    "LeakyRelu": _leaky_relu,
    "Max": _binary(np.maximum),
    "Min": _binary(np.minimum),
    "Mish": _unary(mish),
    "Mul": _binary(np.multiply),
    "Neg": _unary(np.negative),
    "Pow": _binary(np.power),
    "Relu": _unary(lambda x: np.maximum(x, 0)),
    "Sigmoid": _unary(sigmoid),
    "Softplus": _unary(softplus),
    "Sub": _binary(np.subtract),
    "Tanh": _unary(np.tanh),
}
"""By op type of ONNX, of opset 21."""

KNOWN: Mapping[str, Callable[[Numbers], Numbers]] = {
    "HardSwish": hard_swish,
    "Gelu": gelu,
    "Mish": mish,
}
"""Functions that models spell with several ops, and libraries have as one."""
