"""Layers that move windows over blobs: convolutions, pooling, and products with a whole blob."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.formats.caffe.check import kernel_of
from autosplit.lowering.convert_caffe_to_onnx.builder import CaffeEmitter, converts
from autosplit.lowering.convert_caffe_to_onnx.sizes import (
    axis_of,
    pair,
    pooled,
    result_sizes,
    type_of,
)
from autosplit.lowering.shared.refusal import Refusal


def _single(e: CaffeEmitter) -> None:
    if len(e.op.operands) != 1 or len(e.op.results) != 1:
        raise Refusal("unsupported-op", f"{e.op.op_type} of several blobs at once")


@converts("Convolution", "ConvolutionDepthwise", "Deconvolution")
def _convolution(e: CaffeEmitter) -> SSAValue:
    """convolution(x) -> conv(x, w, b); deconvolution(x) -> conv_transpose(x, w, b)"""
    _single(e)
    if axis_of(e.get("axis"), e.rank(e.x)) != 1:
        raise Refusal("attribute", f"axis is {e.get('axis')}, expected 1")
    axes = e.rank(e.x) - 2
    kernel = kernel_of(e.op, axes)
    is_transposed = e.op.op_type == "Deconvolution"
    weight = e.weight(0).shape
    channels = e.sizes(e.x)[1]
    # The weights decide: layers of depthwise forks leave out the groups.
    group = e.get("group") if is_transposed or channels < 0 else channels // weight[1]
    if not is_transposed and channels >= 0 and group * weight[1] != channels:
        raise Refusal(
            "malformed-op",
            f"reads {counted(channels, 'channel')}, its weights {weight[1]} of each group",
        )
    if is_transposed and 0 <= channels != weight[0]:
        raise Refusal(
            "malformed-op", f"reads {counted(channels, 'channel')}, its weights {weight[0]}"
        )
    return e.emit(
        "ConvTranspose" if is_transposed else "Conv",
        e.x,
        e.blob(0),
        _flat(e, 1) if e.get("bias_term") else None,
        sizes=result_sizes(e.op)[0],
        kernel_shape=list(kernel),
        strides=list(pair(e.op, "stride", 1, axes)),
        pads=list(pair(e.op, "pad", 0, axes)) * 2,
        dilations=list(pair(e.op, "dilation", 1, axes)),
        group=group,
    )


def _flat(e: CaffeEmitter, index: int) -> SSAValue:
    """A weight as a vector."""
    array = e.weight(index)
    return e.blob(index) if array.ndim == 1 else e.constant(f"weight{index}", array.reshape(-1))


@converts("Pooling")
def _pooling(e: CaffeEmitter) -> SSAValue:
    """pooling(x) -> max_pool(x), average_pool(x), or a global one"""
    _single(e)
    kind = e.get("pool")
    if kind == "STOCHASTIC":
        raise Refusal("unsupported-op", "STOCHASTIC pooling chooses at random")
    shape = result_sizes(e.op)[0]
    if shape is None:
        raise Refusal("rank", "how many axes an operand has is not known")
    if e.get("global_pooling"):
        return e.emit("GlobalMaxPool" if kind == "MAX" else "GlobalAveragePool", e.x, sizes=shape)
    kernel, stride, pad = (
        pair(e.op, "kernel_size", 0),
        pair(e.op, "stride", 1),
        pair(e.op, "pad", 0),
    )
    spatial = e.sizes(e.x)[2:]
    for size, out, s, p in zip(spatial, shape[2:], stride, pad, strict=True):
        if size >= 0 and (out - 1) * s >= size + p:
            raise Refusal(
                "not-exact", "its last window lies behind the blob, where nothing is defined"
            )
    floors = [pooled(*part, up=False) for part in zip(spatial, kernel, stride, pad, strict=True)]
    is_rounded_up = e.get("ceil_mode") and (min(spatial) < 0 or floors != list(shape[2:]))
    if (
        is_rounded_up
        and min(spatial) < 0
        and any(k < s for k, s in zip(kernel, stride, strict=True))
    ):
        raise Refusal(
            "dynamic-shape", "where its last window lies depends on the sizes, which are open"
        )
    attributes: dict[str, object] = {
        "kernel_shape": list(kernel),
        "strides": list(stride),
        "pads": list(pad) * 2,
        "ceil_mode": int(bool(is_rounded_up)),
    }
    if kind == "MAX":
        return e.node("maxpool", "MaxPool", [e.x], attributes, type_of(shape))
    attributes["count_include_pad"] = 1
    return e.node("averagepool", "AveragePool", [e.x], attributes, type_of(shape))


@converts("InnerProduct")
def _inner_product(e: CaffeEmitter) -> SSAValue:
    """inner_product(x) -> gemm(flatten(x), w, b); matmul(reshape(x), w) + b behind the second axis"""
    _single(e)
    e.same_in_opencv(when=not e.get("transpose"), field="transpose")
    sizes = e.sizes(e.x)
    axis = axis_of(e.get("axis"), len(sizes))
    weight = e.weight(0)
    inputs = weight.shape[1]
    if min(sizes[axis:]) >= 0 and int(np.prod(sizes[axis:])) != inputs:
        raise Refusal(
            "malformed-op",
            f"reads {int(np.prod(sizes[axis:]))} numbers at once, its weights {inputs}",
        )
    shape = result_sizes(e.op)[0]
    if axis == 1:
        flat = e.x
        if len(sizes) != 2:
            flat = e.emit("Flatten", e.x, sizes=[sizes[0], inputs], axis=1)
        bias = _flat(e, 1) if e.get("bias_term") else None
        return e.emit("Gemm", flat, e.blob(0), bias, sizes=shape, transB=1)
    flat = e.x
    if axis != len(sizes) - 1:
        flat = e.reshape(e.x, [*[0] * axis, inputs], "flat")
    matrix = e.constant("weight0", np.ascontiguousarray(weight.T))
    product = e.emit("MatMul", flat, matrix, sizes=shape)
    if not e.get("bias_term"):
        return product
    return e.emit("Add", product, _flat(e, 1))
