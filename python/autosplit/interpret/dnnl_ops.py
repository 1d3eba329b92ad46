"""What each op of the `dnnl` dialect computes, in float64.

A function takes the op and its operands (floats as float64, integers as they are) and gives the results; the
caller rounds them to their element types. Backward and training ops have no function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.dialects.dnnl import DnnlOp, dtype_name
from autosplit.dialects.dnnl.shapes import (
    channel_axis,
    dilations_of,
    output_padding,
    scale_groups,
    spatial_axes,
    weight_axes,
    window_pads,
)

Array: TypeAlias = NDArray[Any]
Kernel: TypeAlias = Callable[[DnnlOp, Sequence[Array]], list[Array]]


def along(values: Sequence[float] | Array, axis: int, rank: int) -> Array:
    """A vector shaped so that it broadcasts along one dimension of a tensor of `rank` dimensions."""
    shape = [1] * rank
    shape[axis] = -1
    return np.reshape(np.asarray(values, np.float64), shape)


# Element by element.


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _sigmoid(x: Array) -> Array:
    # Never the exponential of a large positive number.
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _gelu(op: DnnlOp, x: Array) -> Array:
    if op.text("mode") == "gelu_tanh":
        return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x * 0.5 * (1 + _erf(x / math.sqrt(2)))


def _elu(op: DnnlOp, x: Array) -> Array:
    return np.where(x > 0, x, op.number("alpha") * np.expm1(np.minimum(x, 0)))


_UNARY: dict[str, Callable[[DnnlOp, Array], Array]] = {
    "Abs": lambda op, x: np.abs(x),
    "Clamp": lambda op, x: np.minimum(np.maximum(x, op.number("min")), op.number("max")),
    "Elu": _elu,
    "Exp": lambda op, x: np.exp(x),
    "GELU": _gelu,
    "HardSigmoid": lambda op, x: np.clip(op.number("alpha") * x + op.number("beta"), 0, 1),
    "HardSwish": lambda op, x: x * np.clip(x + 3, 0, 6) / 6,
    "LeakyReLU": lambda op, x: np.where(x > 0, x, op.number("alpha") * x),
    "Log": lambda op, x: np.log(x),
    "Mish": lambda op, x: x * np.tanh(_softplus(x)),
    "Pow": lambda op, x: np.power(x, op.number("beta")),
    "ReLU": lambda op, x: np.maximum(x, 0),
    "Reciprocal": lambda op, x: 1 / x,
    "Reorder": lambda op, x: x,
    "Round": lambda op, x: np.rint(x),
    "Sigmoid": lambda op, x: _sigmoid(x),
    "SoftPlus": lambda op, x: _softplus(op.number("beta") * x) / op.number("beta"),
    "Sqrt": lambda op, x: np.sqrt(x),
    "Square": lambda op, x: x * x,
    "Tanh": lambda op, x: np.tanh(x),
    "TypeCast": lambda op, x: x,
}

_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Divide": np.divide,
    "GreaterEqual": np.greater_equal,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Multiply": np.multiply,
    "SquaredDifference": lambda a, b: np.square(a - b),
    "Subtract": np.subtract,
}


# Quantization.

_RANGES = {"u8": (0, 255), "s8": (-128, 127)}


def _scales(op: DnnlOp, shape: Sequence[int]) -> tuple[Array, Array]:
    """Scales and zero points, shaped so that they broadcast to a tensor."""
    scales = np.asarray(op.numbers("scales"), np.float64)
    zps = np.asarray(op.ints("zps") or [0] * len(scales), np.float64)
    if op.text("qtype") == "per_tensor":
        return scales.reshape(()), zps.reshape(())
    axis = op.integer("axis") % len(shape)
    groups = scale_groups(op)
    if groups == 1:
        return along(scales, axis, len(shape)), along(zps, axis, len(shape))
    # One row of scales for each group, and the group follows from the input channel.
    inputs = 1 - axis if axis < 2 else (2 * len(shape) - 3) - axis
    rows = np.repeat(np.arange(groups), shape[inputs] // groups)
    full = [1] * len(shape)
    full[axis], full[inputs] = shape[axis], shape[inputs]

    def spread(values: Array) -> Array:
        table = values.reshape(groups, -1)[rows]
        return (table if inputs < axis else table.T).reshape(full)

    return spread(scales), spread(zps)


def _saturated(op: DnnlOp, x: Array) -> Array:
    """Rounds half to even and saturates to the result's type; NaN becomes 0."""
    low, high = _RANGES.get(dtype_name(op.outputs[0].type) or "", (-math.inf, math.inf))
    if low == -math.inf:
        return x
    return np.clip(np.rint(np.nan_to_num(x, nan=0.0, posinf=high, neginf=low)), low, high)


def _quantize(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    scales, zps = _scales(op, values[0].shape)
    return [_saturated(op, values[0] / scales + zps)]


def _dequantize(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    scales, zps = _scales(op, values[0].shape)
    return [(values[0].astype(np.float64) - zps) * scales]


def _dynamic(op: DnnlOp, values: Sequence[Array]) -> tuple[Array, Array]:
    """The scales and zero points that are tensors, shaped so that they broadcast."""
    shape = values[0].shape
    parameters = [values[1], values[2] if len(values) > 2 else np.zeros(values[1].shape)]
    match op.text("qtype"):
        case "per_tensor":
            shaped = [v.astype(np.float64).reshape(()) for v in parameters]
        case "per_channel":
            shaped = [along(v, op.integer("axis") % len(shape), len(shape)) for v in parameters]
        case _:
            shaped = [_spread(v, shape) for v in parameters]
    return shaped[0], shaped[1]


def _spread(values: Array, shape: Sequence[int]) -> Array:
    """Repeats the elements of a tensor of groups until it has `shape`."""
    values = values.astype(np.float64)
    for axis, size in enumerate(shape):
        values = np.repeat(values, size // values.shape[axis], axis)
    return values


def _dynamic_quantize(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    scales, zps = _dynamic(op, values)
    return [_saturated(op, values[0] / scales + zps)]


def _dynamic_dequantize(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    scales, zps = _dynamic(op, values)
    return [(values[0].astype(np.float64) - zps) * scales]


# Windows. Activations are NCX inside, weights OIX.


def _to_ncx(op: DnnlOp, x: Array) -> Array:
    return x if op.text("data_format") == "NCX" else np.moveaxis(x, -1, 1)


def _from_ncx(op: DnnlOp, x: Array) -> Array:
    return x if op.text("data_format") == "NCX" else np.moveaxis(x, 1, -1)


def _to_oix(op: DnnlOp, w: Array) -> Array:
    out, ins, space = weight_axes(op.text("weights_format"), w.ndim)
    return np.transpose(w, [out, ins, *space])


def _taps(
    kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], counts: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """For each window position, the slices of the padded input that it reads for `counts` windows."""
    positions = product(*(range(k) for k in kernel))
    return [
        (
            position,
            tuple(
                slice(p * d, p * d + s * (n - 1) + 1, s)
                for p, s, d, n in zip(position, strides, dilations, counts, strict=True)
            ),
        )
        for position in positions
    ]


def _by_place(weights: Array) -> Array:
    """Weights (groups, outputs, inputs, space) with space first, so that each place is a dense matrix."""
    return np.ascontiguousarray(np.moveaxis(weights, (0, 1, 2), (-3, -2, -1)))


def _pads(op: DnnlOp, sizes: Sequence[int], kernel: Sequence[int]) -> list[tuple[int, int]]:
    pads = window_pads(op, sizes, kernel)
    assert pads is not None
    return pads


def _bias(op: DnnlOp, y: Array, values: Sequence[Array]) -> Array:
    return y + along(values[2], 1, y.ndim) if len(values) > 2 else y


def _convolution(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x, w = _to_ncx(op, values[0]), _to_oix(op, values[1])
    groups, spatial = op.integer("groups"), x.ndim - 2
    kernel, strides, dilations = w.shape[2:], op.ints("strides"), op.ints("dilations")
    pads = _pads(op, x.shape[2:], kernel)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    counts = [
        (size - d * (k - 1) - 1) // s + 1
        for size, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    batch, channels = x.shape[:2]
    outputs = w.shape[0]
    matrices = _by_place(w.reshape(groups, outputs // groups, channels // groups, *kernel))
    y = np.zeros((batch, groups, outputs // groups, math.prod(counts)))
    for position, window in _taps(kernel, strides, dilations, counts):
        taps = x[(slice(None), slice(None), *window)]
        taps = taps.reshape(batch, groups, channels // groups, -1)
        y += np.matmul(matrices[position], taps)
    assert len(counts) == spatial
    y = y.reshape(batch, outputs, *counts)
    return [_from_ncx(op, _bias(op, y, values))]


def _conv_transpose(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x, w = _to_ncx(op, values[0]), _to_oix(op, values[1])
    groups, spatial = op.integer("groups"), x.ndim - 2
    kernel, strides, dilations = w.shape[2:], op.ints("strides"), op.ints("dilations")
    pads = _pads(op, x.shape[2:], kernel)
    extra = output_padding(op, spatial)
    full = [
        s * (size - 1) + d * (k - 1) + 1
        for size, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    batch, channels, *counts = x.shape
    outputs = w.shape[0]
    # groups, outputs, inputs, space
    grouped = np.moveaxis(w.reshape(outputs, groups, channels // groups, *kernel), 0, 1)
    matrices = _by_place(grouped)
    y = np.zeros((batch, groups * outputs, *(n + e for n, e in zip(full, extra, strict=True))))
    flat = x.reshape(batch, groups, channels // groups, -1)
    for position, window in _taps(kernel, strides, dilations, counts):
        taps = np.matmul(matrices[position], flat)
        y[(slice(None), slice(None), *window)] += taps.reshape(batch, groups * outputs, *counts)
    crop = tuple(
        slice(begin, n + e - end) for (begin, end), n, e in zip(pads, full, extra, strict=True)
    )
    y = y[(slice(None), slice(None), *crop)]
    return [_from_ncx(op, _bias(op, y, values))]


def _pool(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = _to_ncx(op, values[0])
    sizes, spatial = x.shape[2:], x.ndim - 2
    kernel, strides = op.ints("kernel"), op.ints("strides")
    dilations = dilations_of(op, spatial)
    pads = _pads(op, sizes, kernel)
    up = op.text("rounding_type") == "ceil"
    counts: list[int] = []
    ends: list[tuple[int, int]] = []
    for size, (begin, end), k, s, d in zip(sizes, pads, kernel, strides, dilations, strict=True):
        effective = d * (k - 1) + 1
        room = size + begin + end - effective
        count = (-(-room // s) if up else room // s) + 1
        counts.append(count)
        # Rounding up may reach behind the padding.
        ends.append((begin, max(end, (count - 1) * s + effective - size - begin)))
    taps = _taps(kernel, strides, dilations, counts)
    padding: list[tuple[int, int]] = [(0, 0), (0, 0), *ends]
    if op.kind == "MaxPool":
        x = np.pad(x, padding, constant_values=-np.inf)
        y = np.full((*x.shape[:2], *counts), -np.inf)
        for _, window in taps:
            np.maximum(y, x[(slice(None), slice(None), *window)], out=y)
        return [_from_ncx(op, y)]
    is_inside = np.pad(np.ones(sizes), ends)
    x = np.pad(x, padding)
    total = np.zeros((*x.shape[:2], *counts))
    number = np.zeros(counts)
    for _, window in taps:
        total += x[(slice(None), slice(None), *window)]
        number += is_inside[window] if op.flag("exclude_pad") else 1
    return [_from_ncx(op, total / np.maximum(number, 1))]


def _interpolate(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    axes = spatial_axes(op.text("data_format"), x.ndim)
    sizes = op.ints("sizes") or [
        int(x.shape[a] * s) for a, s in zip(axes, op.numbers("scales"), strict=True)
    ]
    for axis, size in zip(axes, sizes, strict=True):
        x = _resized(op, x, axis, size)
    return [x]


def _resized(op: DnnlOp, x: Array, axis: int, size: int) -> Array:
    old_size = x.shape[axis]
    positions = np.arange(size, dtype=np.float64)
    if op.text("coordinate_transformation_mode") == "align_corners":
        at = positions * ((old_size - 1) / (size - 1) if size > 1 else 0.0)
    else:
        at = (positions + 0.5) * old_size / size - 0.5
    if op.text("mode") == "nearest":
        # Halves round away from zero here, as in C.
        index = np.floor(at + 0.5).astype(np.int64)
        return np.take(x, np.clip(index, 0, old_size - 1), axis)
    at = np.clip(at, 0, old_size - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, old_size - 1)
    weight = along(at - low, axis, x.ndim)
    return np.take(x, low, axis) * (1 - weight) + np.take(x, high, axis) * weight


# Products, normalization, movement.


def _matmul(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    a, b = values[0], values[1]
    if op.flag("transpose_a") and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if op.flag("transpose_b") and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    y = np.matmul(a, b)
    return [y + values[2] if len(values) > 2 else y]


def _batch_norm(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    axis = channel_axis(op.text("data_format"), x.ndim)
    gamma, beta, mean, variance = (along(v, axis, x.ndim) for v in values[1:])
    return [gamma * (x - mean) / np.sqrt(variance + op.number("epsilon")) + beta]


def _moments(op: DnnlOp, x: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + op.number("epsilon")), mean, variance


def _layer_norm(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    begin = op.integer("begin_norm_axis") % x.ndim
    y, mean, variance = _moments(op, x, tuple(range(begin, x.ndim)))
    if len(values) > 2 and op.flag("use_affine"):
        y = y * values[1] + values[2]
    outer = x.shape[:begin]
    return [y, mean.reshape(outer), variance.reshape(outer)]


def _group_norm(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = _to_ncx(op, values[0])
    groups = op.integer("groups")
    parted = x.reshape(x.shape[0], groups, -1)
    y, mean, variance = _moments(op, parted, (2,))
    y = y.reshape(x.shape)
    if len(values) > 2 and op.flag("use_affine"):
        y = y * along(values[1], 1, x.ndim) + along(values[2], 1, x.ndim)
    outer = (x.shape[0], groups)
    return [_from_ncx(op, y), mean.reshape(outer), variance.reshape(outer)]


def _rms_norm(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    axes = tuple(range(op.integer("begin_norm_axis") % x.ndim, x.ndim))
    y = x / np.sqrt(np.square(x).mean(axes, keepdims=True) + op.number("epsilon"))
    return [y * values[1] if len(values) > 1 else y]


def _softmax(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x, axis = values[0], op.integer("axis")
    top = x.max(axis, keepdims=True)
    if op.kind == "SoftMax" and op.text("mode") == "inf_as_zero":
        top = np.where(top == -np.inf, 0, top)
    powers = np.exp(x - top)
    total = powers.sum(axis, keepdims=True)
    if op.kind == "LogSoftmax":
        return [x - top - np.log(total)]
    if op.text("mode") == "inf_as_zero":
        return [powers / np.where(total == 0, 1, total), top + np.log(total)]
    return [powers / total, top + np.log(total)]


_REDUCTIONS: dict[str, Callable[[Array, tuple[int, ...]], Array]] = {
    "ReduceL1": lambda x, axes: np.abs(x).sum(axes, keepdims=True),
    "ReduceL2": lambda x, axes: np.sqrt(np.square(x).sum(axes, keepdims=True)),
    "ReduceMax": lambda x, axes: x.max(axes, keepdims=True),
    "ReduceMean": lambda x, axes: x.mean(axes, keepdims=True),
    "ReduceMin": lambda x, axes: x.min(axes, keepdims=True),
    "ReduceProd": lambda x, axes: x.prod(axes, keepdims=True),
    "ReduceSum": lambda x, axes: x.sum(axes, keepdims=True),
}


def _reduce(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    axes = op.ints("axes") if len(values) == 1 else [int(a) for a in values[1].reshape(-1)]
    reduced_axes = tuple(a % values[0].ndim for a in axes)
    result = _REDUCTIONS[op.kind](values[0], reduced_axes)
    return [result if op.flag("keep_dims") else np.squeeze(result, reduced_axes)]


def _concat(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    return [np.concatenate(list(values), op.integer("axis"))]


def _select(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    return [np.where(values[0] > 0, values[1], values[2])]


def _bias_add(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    return [x + along(values[1], channel_axis(op.text("data_format"), x.ndim), x.ndim)]


def _prelu(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x, slope = values
    if slope.ndim == 1 and op.flag("per_channel_broadcast") and slope.shape[0] > 1:
        slope = along(slope, channel_axis(op.text("data_format"), x.ndim), x.ndim)
    return [np.where(x > 0, x, slope * x)]


def _reshape(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    copies = op.flag("special_zero")
    shape = [
        x.shape[i] if size == 0 and copies else size for i, size in enumerate(op.ints("shape"))
    ]
    return [x.reshape(shape)]


def _transpose(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    return [np.transpose(values[0], op.ints("order") or None)]


def _gen_index(op: DnnlOp, values: Sequence[Array]) -> list[Array]:
    x = values[0]
    axis = op.integer("axis") % x.ndim
    index = np.broadcast_to(along(np.arange(x.shape[axis]), axis, x.ndim), x.shape)
    return [index]


def _unary_kernel(function: Callable[[DnnlOp, Array], Array]) -> Kernel:
    return lambda op, values: [function(op, values[0])]


def _binary_kernel(function: Callable[[Array, Array], Array]) -> Kernel:
    return lambda op, values: [function(values[0], values[1])]


KERNELS: dict[str, Kernel] = {
    **{kind: _unary_kernel(f) for kind, f in _UNARY.items()},
    **{kind: _binary_kernel(f) for kind, f in _BINARY.items()},
    **dict.fromkeys(_REDUCTIONS, cast("Kernel", _reduce)),
    "AvgPool": _pool,
    "BatchNormInference": _batch_norm,
    "BiasAdd": _bias_add,
    "Concat": _concat,
    "ConvTranspose": _conv_transpose,
    "Convolution": _convolution,
    "Dequantize": _dequantize,
    "DynamicDequantize": _dynamic_dequantize,
    "DynamicQuantize": _dynamic_quantize,
    "End": lambda op, values: [],
    "GenIndex": _gen_index,
    "GroupNorm": _group_norm,
    "Interpolate": _interpolate,
    "LayerNorm": _layer_norm,
    "LogSoftmax": _softmax,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "PReLU": _prelu,
    "Quantize": _quantize,
    "RMSNorm": _rms_norm,
    "Select": _select,
    "SoftMax": _softmax,
    "StaticReshape": _reshape,
    "StaticTranspose": _transpose,
}
"""The functions by the library's name of the kind."""
