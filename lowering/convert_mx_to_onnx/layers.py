"""Convolutions, poolings, norms, activations, and making pictures larger."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.platform import shape_of
from autosplit.lowering.conversions import Array
from autosplit.lowering.convert_mx_to_onnx.builder import MxBuilder, converts
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.windows import window_means

CHANNELS_FIRST = frozenset({"", "NCW", "NCHW", "NCDHW"})


def _window(b: MxBuilder, name: str, count: int, default: int) -> list[int]:
    """One number for each axis of a window; `default` if the op has none."""
    numbers = [n for n in b.op.ints(name) if n is not None]
    if numbers and len(numbers) != count:
        raise Refusal(
            "malformed-op", f"{name} has {counted(len(numbers), 'number')}, expected {count}"
        )
    return numbers or [default] * count


def _kernel(b: MxBuilder) -> list[int]:
    if (layout := b.op.text("layout")) not in CHANNELS_FIRST:
        raise Refusal("attribute", f"layout is {layout}, expected the channels in front")
    return [n for n in b.op.ints("kernel") if n is not None]


@converts("Convolution")
def _convolution(b: MxBuilder) -> SSAValue:
    """convolution(x, w, bias) -> conv(x, w, bias)"""
    kernel = _kernel(b)
    pad = _window(b, "pad", len(kernel), 0)
    return b.apply(
        "Conv",
        *b.op.operands,
        kernel_shape=kernel,
        strides=_window(b, "stride", len(kernel), 1),
        dilations=_window(b, "dilate", len(kernel), 1),
        pads=[*pad, *pad],
        group=b.op.integer("num_group"),
    )


@converts("Deconvolution")
def _deconvolution(b: MxBuilder) -> SSAValue:
    """deconvolution(x, w, bias) -> conv_transpose(x, w, bias)"""
    kernel = _kernel(b)
    n = len(kernel)
    strides, dilations = _window(b, "stride", n, 1), _window(b, "dilate", n, 1)
    pad, adj = _window(b, "pad", n, 0), _window(b, "adj", n, 0)
    if any(b.op.ints("target_shape")):
        raise Refusal("attribute", "target_shape says the padding, expected pad and adj")
    return b.apply(
        "ConvTranspose",
        *b.op.operands,
        kernel_shape=kernel,
        strides=strides,
        dilations=dilations,
        pads=[*pad, *pad],
        output_padding=adj,
        group=b.op.integer("num_group"),
    )


@converts("FullyConnected")
def _fully_connected(b: MxBuilder) -> SSAValue:
    """fully_connected(x, w, bias) -> gemm(flatten(x), transpose(w), bias), or a mat_mul of each row"""
    x, weight, *bias = b.op.operands
    if b.op.flag("flatten") and b.rank(x) != 2:
        x = b.apply("Flatten", x, axis=1)
    if b.rank(x) == 2:
        return b.apply("Gemm", x, weight, *bias, transB=1)
    product = b.apply("MatMul", x, b.transpose(weight, [1, 0]))
    return b.apply("Add", product, *bias) if bias else product


# Poolings


@converts("Pooling")
def _pooling(b: MxBuilder) -> SSAValue:
    """pooling(x) -> max_pool(x), average_pool(x), lp_pool(x), or the global ones"""
    return pooling(b, b.x)


def pooling(b: MxBuilder, x: SSAValue) -> SSAValue:
    """The pooling of `x` that the op's attributes describe."""
    kind = b.op.text("pool_type")
    if b.op.text("layout") not in CHANNELS_FIRST:
        raise Refusal("attribute", "the layout has the channels last")
    if kind == "lp" and b.op.get("p_value") != 2:
        raise Refusal("attribute", f"p_value is {b.op.get('p_value')}, expected 2")
    if b.op.flag("global_pool"):
        return _global_pool(b, x, kind)
    kernel = _kernel(b)
    if b.rank(x) != len(kernel) + 2:
        raise Refusal("malformed-op", f"kernel {kernel} on {b.rank(x)} dimensions")
    strides = _window(b, "stride", len(kernel), 1)
    pad = _window(b, "pad", len(kernel), 0)
    ceil = _rounds_up(b, x, kernel, strides, pad)
    attributes: dict[str, object] = {
        "kernel_shape": kernel,
        "strides": strides,
        "pads": [*pad, *pad],
    }
    if ceil:
        attributes["ceil_mode"] = 1
    if kind == "max":
        return b.apply("MaxPool", x, **attributes)
    if kind == "lp":
        return b.apply("LpPool", x, **attributes, p=2)
    include_pad = b.op.get("count_include_pad")
    if kind == "sum" and ceil:
        raise Refusal("attribute", "a sum of windows that are cut off at the end")
    counts = kind == "sum" or include_pad is None or bool(include_pad)
    mean = b.apply("AveragePool", x, **attributes, count_include_pad=int(counts))
    return mean if kind == "avg" else b.apply("Mul", mean, b.scalar("size", prod(kernel), mean))


def _global_pool(b: MxBuilder, x: SSAValue, kind: str) -> SSAValue:
    if kind == "max":
        return b.apply("GlobalMaxPool", x)
    if kind == "lp":
        return b.apply("GlobalLpPool", x, p=2)
    mean = b.apply("GlobalAveragePool", x)
    if kind == "avg":
        return mean
    sizes = b.static(x, "the size of the window", 2)
    return b.apply("Mul", mean, b.scalar("size", prod(sizes), mean))


def _rounds_up(
    b: MxBuilder, x: SSAValue, kernel: Sequence[int], strides: Sequence[int], pad: Sequence[int]
) -> bool:
    """Whether windows at the end are cut off. Refuses if one may lie entirely behind the image."""
    convention = b.op.text("pooling_convention")
    if convention == "valid":
        return False
    if convention != "full":
        raise Refusal("attribute", f"pooling_convention is {convention}, expected valid or full")
    cut = False
    for size, k, s, p in zip(b.shape(x)[2:], kernel, strides, pad, strict=True):
        over = -(size + 2 * p - k) % s if size >= 0 else s - 1
        cut = cut or over > 0
        if over and over >= k - p:
            raise Refusal("attribute", "a window of the pooling lies in the padding alone")
    return cut


@converts("_contrib_AdaptiveAvgPooling2D")
def _adaptive_pooling(b: MxBuilder) -> SSAValue:
    """adaptive_avg_pooling(x) -> average_pool(x), or mat_mul(rows, mat_mul(x, columns)) for other sizes"""
    output_sizes = [n for n in b.op.ints("output_size") if n is not None] or [1]
    output_sizes = output_sizes * 2 if len(output_sizes) == 1 else output_sizes
    if output_sizes == [1, 1]:
        return b.apply("GlobalAveragePool", b.x)
    sizes = b.static(b.x, "the windows", 2)
    if all(size % n == 0 for size, n in zip(sizes, output_sizes, strict=True)):
        window = [size // n for size, n in zip(sizes, output_sizes, strict=True)]
        return b.apply("AveragePool", b.x, kernel_shape=window, strides=window)
    rows, columns = (window_means(size, n) for size, n in zip(sizes, output_sizes, strict=True))
    dtype = b.dtype(b.x)
    inner = b.apply("MatMul", b.x, b.constant("columns", columns.T.astype(dtype)))
    return b.apply("MatMul", b.constant("rows", rows.astype(dtype)), inner)


# Norms


@converts("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def _batch_norm(b: MxBuilder) -> SSAValue:
    """batch_norm(x, gamma, beta, mean, var) -> batch_normalization(...), gamma 1 with `fix_gamma`"""
    x, gamma, beta, mean, var = b.op.operands
    if b.op.flag("fix_gamma"):
        shape = shape_of(gamma.type) or shape_of(beta.type) or ()
        if any(d < 0 for d in shape):
            raise Refusal("dynamic-shape", "the number of channels is unknown")
        gamma = b.constant("gamma", np.ones(shape, b.dtype(beta)))
    rank = b.rank(x)
    axis = (
        b.axis(x, b.op.integer("axis")) if "axis" in (b.op.SPEC.attrs if b.op.SPEC else {}) else 1
    )
    perm = [*range(rank)]
    if axis != 1:
        perm.insert(1, perm.pop(axis))
    moved = b.transpose(x, perm)
    result = b.apply(
        "BatchNormalization", moved, gamma, beta, mean, var, epsilon=b.op.number("eps")
    )
    result = b.transpose(result, [perm.index(i) for i in range(rank)])
    return b.apply("Relu", result) if b.kind == "_contrib_BatchNormWithReLU" else result


@converts("LayerNorm")
def _layer_norm(b: MxBuilder) -> SSAValue:
    """layer_norm(x, gamma, beta) -> layer_normalization(x, gamma, beta)"""
    x, gamma, beta = b.op.operands
    rank = b.rank(x)
    axis = b.axis(x, b.op.integer("axis"))
    perm = [*(i for i in range(rank) if i != axis), axis]
    result = b.apply(
        "LayerNormalization",
        b.transpose(x, perm),
        gamma,
        beta,
        axis=-1,
        epsilon=b.op.number("eps"),
    )
    return b.transpose(result, [perm.index(i) for i in range(rank)])


@converts("InstanceNorm")
def _instance_norm(b: MxBuilder) -> SSAValue:
    """instance_norm(x, gamma, beta) -> instance_normalization(x, gamma, beta)"""
    return b.apply("InstanceNormalization", *b.op.operands, epsilon=b.op.number("eps"))


@converts("GroupNorm")
def _group_norm(b: MxBuilder) -> SSAValue:
    """group_norm(x, gamma, beta) -> instance_normalization(groups of x, gamma, beta)"""
    x, gamma, beta = b.op.operands
    groups = b.op.integer("num_groups")
    shape = b.static(x, "the shape of the result", 1)
    grouped = b.reshape(x, [0, groups, -1])
    normal = b.apply("InstanceNormalization", grouped, gamma, beta, epsilon=b.op.number("eps"))
    return b.reshape(normal, [0, *shape])


@converts("L2Normalization")
def _l2_normalization(b: MxBuilder) -> SSAValue:
    """l2_normalization(x) -> x / sqrt(sum(x * x) + eps)"""
    rank, mode = b.rank(b.x), b.op.text("mode")
    axes = {"instance": range(1, rank), "channel": range(1, 2), "spatial": range(2, rank)}[mode]
    square = b.apply("Mul", b.x, b.x)
    total = b.apply("ReduceSum", square, b.ints("axes", axes), keepdims=1)
    safe = b.apply("Add", total, b.scalar("eps", b.op.number("eps"), total))
    return b.apply("Div", b.x, b.apply("Sqrt", safe))


@converts("LRN")
def _lrn(b: MxBuilder) -> SSAValue:
    """lrn(x) -> lrn(x)"""
    return b.apply(
        "LRN",
        b.x,
        alpha=b.op.number("alpha"),
        beta=b.op.number("beta"),
        bias=b.op.number("knorm"),
        size=b.op.integer("nsize"),
    )


# Activations

ACTIVATIONS = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softrelu": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}


@converts("Activation")
def _activation(b: MxBuilder) -> SSAValue:
    """activation(x) -> relu(x), sigmoid(x), tanh(x), softplus(x) or softsign(x)"""
    return b.apply(ACTIVATIONS[b.op.text("act_type")], b.x)


@converts("LeakyReLU")
def _leaky_relu(b: MxBuilder) -> SSAValue:
    """leaky_relu(x) -> leaky_relu(x), elu(x), selu(x), gelu(x) or p_relu(x, gamma)"""
    kind, slope = b.op.text("act_type"), b.op.number("slope")
    if kind == "prelu":
        gamma, rank = b.input(1), b.rank(b.x)
        axes = range(1, rank - 1) if b.rank(gamma) == 1 else range(0)
        return b.apply("PRelu", b.x, b.unsqueeze(gamma, axes))
    if kind == "elu":
        return b.apply("Elu", b.x, alpha=slope)
    if kind in ("selu", "gelu"):
        return b.apply(kind.capitalize(), b.x)
    if kind == "rrelu":
        slope = (b.op.number("lower_bound") + b.op.number("upper_bound")) / 2
    return b.apply("LeakyRelu", b.x, alpha=slope)


@converts("Dropout")
def _dropout(b: MxBuilder) -> SSAValue:
    """dropout(x) -> x. Refused if it is random in inference, too."""
    if b.op.text("mode") == "always":
        raise Refusal("random", "drops numbers at random")
    return b.x


@converts("log_softmax", "softmax", "softmin")
def _softmax(b: MxBuilder) -> SSAValue:
    """softmax(x) -> softmax(x / temperature), log_softmax and softmin alike"""
    if b.op.get("use_length"):
        raise Refusal("attribute", "use_length is true, expected all numbers to count")
    x, temperature = b.x, b.op.get("temperature")
    if isinstance(temperature, int | float) and float(temperature) != 1.0:
        x = b.apply("Div", x, b.scalar("temperature", temperature, x))
    if b.kind == "softmin":
        x = b.apply("Neg", x)
    op_type = "LogSoftmax" if b.kind == "log_softmax" else "Softmax"
    result = b.apply(op_type, x, axis=b.axis(x, b.op.integer("axis")))
    dtype = b.op.text("dtype")
    return b.cast(result, b.named_element(dtype)) if dtype else result


@converts("SoftmaxActivation", "SoftmaxOutput")
def _softmax_output(b: MxBuilder) -> SSAValue:
    """softmax_output(x, label) -> softmax(x) over the channels, the last axis, or all but the batch"""
    rank = b.rank(b.x)
    if b.kind == "SoftmaxOutput":
        axis = 1 if b.op.flag("multi_output") else rank - 1 if b.op.flag("preserve_shape") else 0
    else:
        axis = 1 if b.op.text("mode") == "channel" else rank - 1
    if axis or rank <= 2:
        return b.apply("Softmax", b.x, axis=axis or rank - 1)
    flat = b.apply("Softmax", b.apply("Flatten", b.x, axis=1), axis=1)
    return b.reshape(flat, [0, *b.static(b.x, "the shape of the result", 1)])


@converts("LogisticRegressionOutput")
def _logistic(b: MxBuilder) -> SSAValue:
    """logistic_regression_output(x, label) -> sigmoid(x)"""
    return b.apply("Sigmoid", b.x)


# Pictures made larger


@converts("UpSampling")
def _up_sampling(b: MxBuilder) -> SSAValue:
    """up_sampling(x) -> resize(x), or conv_transpose(x, w) if it is bilinear"""
    scale = b.op.integer("scale")
    if b.op.text("sample_type") == "bilinear":
        kernel, pad = 2 * scale - scale % 2, scale // 2
        return b.apply(
            "ConvTranspose",
            b.x,
            b.input(1),
            kernel_shape=[kernel] * 2,
            strides=[scale] * 2,
            pads=[pad] * 4,
            group=b.op.integer("num_filter"),
        )
    if len(b.op.operands) > 1:
        raise Refusal("operand-count", "makes several inputs larger at once")
    scales = b.constant("scales", np.array([1, 1, scale, scale], np.float32))
    return b.apply(
        "Resize",
        b.x,
        None,
        scales,
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


@converts("_contrib_BilinearResize2D")
def _bilinear_resize(b: MxBuilder) -> SSAValue:
    """bilinear_resize(x) -> resize(x), linear, with the corners or half of a pixel aligned"""
    sizes = b.static(b.x, "how much larger the picture becomes", 2)
    output_sizes = _resized(b, sizes)
    if output_sizes == [*sizes]:
        return b.x
    aligned = b.op.flag("align_corners")
    front = b.shape(b.x)[:2]
    scales: SSAValue | None = None
    shape: SSAValue | None = None
    if min(front) >= 0:
        shape = b.ints("sizes", [*front, *output_sizes])
    else:
        scales = b.constant("scales", _scales(sizes, output_sizes, aligned))
    return b.apply(
        "Resize",
        b.x,
        None,
        scales,
        shape,
        mode="linear",
        coordinate_transformation_mode="align_corners" if aligned else "half_pixel",
    )


def _scales(sizes: Sequence[int], output_sizes: Sequence[int], aligned: bool) -> Array:
    """The scales that make these sizes. Refuses if rounding them would move the pixels."""
    exact = np.array([1, 1, *(n / size for n, size in zip(output_sizes, sizes, strict=True))])
    scales = exact.astype(np.float32)
    if [int(n) for n in scales[2:] * np.array(sizes, np.float32)] != [*output_sizes]:
        raise Refusal("dynamic-shape", "the sizes of the result are no multiple of unknown ones")
    if not aligned and any(scales != exact):
        raise Refusal("dynamic-shape", "the sizes of the result are no multiple of unknown ones")
    return scales


def _resized(b: MxBuilder, sizes: Sequence[int]) -> list[int]:
    """The sizes of the result of a resize, by its mode."""
    mode = b.op.text("mode")
    if mode == "like":
        return [*b.static(b.input(1), "the size of the result", 2)]
    factors = [b.op.get(f"scale_{name}") for name in ("height", "width")]
    if mode == "size" and all(s is None for s in factors):
        return [b.op.integer("height"), b.op.integer("width")]
    scales = [1.0 if s is None else float(s) for s in factors if not isinstance(s, tuple | str)]
    if mode == "size":
        return [int(scale * size) for scale, size in zip(scales, sizes, strict=True)]
    raise Refusal("attribute", f"mode is {mode}, expected size or like")
