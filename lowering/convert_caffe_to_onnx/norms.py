"""Layers that divide by a mean, a deviation or a length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.core.weights import Array
from autosplit.lowering.convert_caffe_to_onnx.builder import CaffeEmitter, converts
from autosplit.lowering.convert_caffe_to_onnx.sizes import axis_of
from autosplit.lowering.shared.refusal import Refusal


@converts("BatchNorm")
def _batch_norm(e: CaffeEmitter) -> SSAValue:
    """batch_norm(x) -> batch_normalization(x, 1, 0, mean / divisor, variance / divisor)"""
    if e.op.own_params and e.get("use_global_stats") is False:
        raise Refusal(
            "attribute", "use_global_stats is false: it takes mean and variance of the batch"
        )
    if e.rank(e.x) < 2:
        raise Refusal("rank", f"normalizes a blob of {e.rank(e.x)} axes, expected 2 or more")
    divisor = float(e.weight(2).reshape(-1)[0])
    factor = 0.0 if divisor == 0 else 1 / divisor
    mean, variance = (_scaled(e.weight(index), factor) for index in (0, 1))
    channels = e.sizes(e.x)[1]
    if 0 <= channels != mean.size:
        raise Refusal(
            "malformed-op", f"reads {counted(channels, 'channel')}, its weights {mean.size}"
        )
    scale, bias = np.ones_like(mean), np.zeros_like(mean)
    if len(e.op.weights) == 5:
        scale, bias = e.weight(3).reshape(-1), e.weight(4).reshape(-1)
    named = {"scale": scale, "bias": bias, "mean": mean, "variance": variance}
    constants = [e.constant(role, array) for role, array in named.items()]
    return e.emit("BatchNormalization", e.x, *constants, epsilon=e.get("eps"))


def _scaled(array: Array, factor: float) -> Array:
    return np.multiply(array.reshape(-1), np.float32(factor), dtype=np.float32)


@converts("LRN")
def _lrn(e: CaffeEmitter) -> SSAValue:
    """lrn(x) -> lrn(x) over channels; x * (1 + alpha * mean(x * x over a window)) ^ -beta within them"""
    size = e.get("local_size")
    if size % 2 == 0:
        raise Refusal("malformed-op", f"local_size is {size}, expected an odd number")
    e.same_in_opencv(when=e.get("k") == 1, field="k")
    if e.get("norm_region") == "ACROSS_CHANNELS":
        numbers = {"alpha": e.get("alpha"), "beta": e.get("beta"), "bias": e.get("k")}
        return e.emit("LRN", e.x, size=size, **numbers)
    squares = e.emit("Mul", e.x, e.x, role="square")
    mean = e.emit(
        "AveragePool",
        squares,
        kernel_shape=[size, size],
        strides=[1, 1],
        pads=[size // 2] * 4,
        count_include_pad=1,
    )
    scaled = e.emit("Mul", mean, e.number_of(e.get("alpha"), "alpha"), role="scaled")
    shifted = e.emit("Add", scaled, e.number_of(e.get("k"), "k"))
    return e.emit("Mul", e.x, e.emit("Pow", shifted, e.number_of(-e.get("beta"), "beta")))


def _mean(e: CaffeEmitter, value: SSAValue, axes: Sequence[int], role: str) -> SSAValue:
    return _reduced(e, "ReduceMean", value, axes, role)


def _reduced(
    e: CaffeEmitter, op_type: str, value: SSAValue, axes: Sequence[int], role: str
) -> SSAValue:
    sizes = [1 if axis in axes else size for axis, size in enumerate(e.sizes(value))]
    return e.emit(
        op_type, value, e.ints(f"{role}_axes", list(axes)), role=role, sizes=sizes, keepdims=1
    )


@converts("MVN")
def _mvn(e: CaffeEmitter) -> SSAValue:
    """mvn(x) -> (x - mean(x)) / (sqrt(mean((x - mean(x)) ^ 2)) + eps)"""
    axes = range(1 if e.get("across_channels") else 2, e.rank(e.x))
    if not axes:
        raise Refusal("rank", f"normalizes a blob of {e.rank(e.x)} axes, expected more")
    centred = e.emit("Sub", e.x, _mean(e, e.x, axes, "mean"))
    if not e.get("normalize_variance"):
        return centred
    variance = _mean(e, e.emit("Mul", centred, centred, role="square"), axes, "variance")
    deviation = e.emit("Add", e.emit("Sqrt", variance), e.number_of(e.get("eps"), "eps"))
    return e.emit("Div", centred, deviation)


@converts("Normalize")
def _normalize(e: CaffeEmitter) -> SSAValue:
    """normalize(x) -> x / sqrt(sum(x * x) + eps) * scale"""
    axes = range(1, e.rank(e.x)) if e.get("across_spatial") else (1,)
    if e.rank(e.x) < 2:
        raise Refusal("rank", f"normalizes a blob of {e.rank(e.x)} axes, expected 2 or more")
    squares = e.emit("Mul", e.x, e.x, role="square")
    total = _reduced(e, "ReduceSum", squares, axes, "sum")
    length = e.emit("Sqrt", e.emit("Add", total, e.number_of(e.get("eps"), "eps")))
    scale = e.weight(0).reshape(-1)
    channels = e.sizes(e.x)[1]
    if scale.size > 1 and 0 <= channels != scale.size:
        raise Refusal(
            "malformed-op", f"reads {counted(channels, 'channel')}, its weights {scale.size}"
        )
    factors = scale.reshape(1, -1, *[1] * (e.rank(e.x) - 2))
    return e.emit("Mul", e.emit("Div", e.x, length), e.constant("weight0", factors))


@converts("PReLU")
def _prelu(e: CaffeEmitter) -> SSAValue:
    """prelu(x) -> prelu(x, slope), the slope along the channels"""
    slope = e.weight(0).reshape(-1)
    rank, channels = e.rank(e.x), e.sizes(e.x)[1]
    if slope.size > 1 and 0 <= channels != slope.size:
        raise Refusal(
            "malformed-op", f"reads {counted(channels, 'channel')}, its weights {slope.size}"
        )
    return e.emit("PRelu", e.x, e.constant("weight0", slope.reshape(-1, *[1] * (rank - 2))))


@converts("Softmax")
def _softmax(e: CaffeEmitter) -> SSAValue:
    """softmax(x) -> softmax(x)"""
    return e.emit("Softmax", e.x, axis=axis_of(e.get("axis"), e.rank(e.x)))
