"""Ways back of what has weights or windows: convolutions, pools, products, norms, recurrences, resizing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import SSAValue

from autosplit.lowering.convert_top_to_onnx.base import INT64, Back, Inputs, returns

# Windows


def _window(b: Back) -> dict[str, object]:
    op = b.op
    fields: dict[str, object] = {
        "kernel_shape": op.ints("kernel_shape"),
        "strides": op.ints("strides"),
        "pads": op.ints("pads"),
    }
    if "dilations" in op.SPEC.attrs and (dilations := op.ints("dilations")):
        fields["dilations"] = dilations
    if "group" in op.SPEC.attrs:
        fields["group"] = op.integer("group")
    return fields


@returns("Conv")
def conv(b: Back) -> None:
    if any(b.op.ints("inserts")):
        raise b.refusal("puts zeros between the elements of its input, which has no way back")
    _finish_picture(b, "Conv", [b.x(1), b.optional(2)], _window(b))


def _finish_picture(b: Back, op_type: str, others: Inputs, fields: Mapping[str, object]) -> None:
    """A node over windows. TPU-MLIR makes windows of lines those of flat pictures, and leaves the lines."""
    shape = [*b.shape(), 1]
    if len(b.op.ints("kernel_shape")) <= len(shape) - 3:
        b.finish(op_type, [b.x(), *others], fields)
        return
    type = TensorType(f32, [*b.result_shape(), 1])
    picture = b.reshape(b.x(), shape, "picture")
    b.finish_reshaped(b.emit(op_type, [picture, *others], fields, "flat", type))


@returns("Deconv")
def deconv(b: Back) -> None:
    """Weights lie group by group, output channels before input channels; ONNX has it the other way round."""
    fields = _window(b)
    if any(extra := b.op.ints("output_padding")):
        fields["output_padding"] = extra
    weights = b.array(1)
    if weights is None:
        raise b.refusal("has computed weights, which have no way back")
    group, inputs = b.op.integer("group"), b.shape(0)[1]
    kernel = b.op.ints("kernel_shape")
    group_weights = weights.reshape(group, -1, inputs // group, *kernel)
    turned = np.swapaxes(group_weights, 1, 2).reshape(inputs, -1, *kernel)
    other_inputs = [b.constant("weights", turned), b.optional(2)]
    _finish_picture(b, "ConvTranspose", other_inputs, fields)


@returns("AvgPool", "MaxPool")
def pool(b: Back) -> None:
    op = b.op
    fields = _window(b)
    if op.flag("ceil_mode"):
        fields["ceil_mode"] = 1
    if op.flag("is_adaptive") or op.integer("pad_value"):
        raise b.refusal("has windows of varying sizes or pads that are not 0, with no way back")
    kind = "MaxPool"
    if op.kind == "AvgPool":
        kind = "AveragePool"
        fields["count_include_pad"] = int(op.flag("count_include_pad"))
    if op.flag("keepdims"):
        _finish_picture(b, kind, [], fields)
        return
    shape = [*b.shape()[:2], *(1 for _ in op.ints("kernel_shape"))]
    b.finish_reshaped(b.emit(kind, [b.x()], fields, "kept", TensorType(f32, shape)))


# Products


@returns("MatMul")
def matmul(b: Back) -> None:
    op = b.op
    operands = [b.x(0), b.x(1)]
    ranks = [len(b.shape(0)), len(b.shape(1))]
    if op.flag("hdim_is_batch"):
        operands = [_swap(b, operands[i], ranks[i], 1, 2, f"heads_{i}") for i in (0, 1)]
    if op.flag("left_transpose"):
        raise b.refusal("has left_transpose, which TPU-MLIR was measured not to take")
    if op.flag("right_transpose"):
        operands[1] = _swap(b, operands[1], ranks[1], -2, -1, "turned")
    rank = max(ranks)
    swaps: list[tuple[int, int]] = []
    if op.flag("output_transpose"):
        swaps.append((-2, -1))
    if op.flag("hdim_is_batch"):
        swaps.append((1, 2))
    bias = b.optional(2)
    is_shaped = rank != len(b.result_shape())
    if bias is None and not swaps and not is_shaped:
        b.finish("MatMul", operands)
        return
    unknown = TensorType(f32, [-1] * rank)
    value = b.emit("MatMul", operands, suffix="product", type=unknown)
    if bias is not None and not swaps and not is_shaped:
        b.finish("Add", [value, bias])
        return
    if bias is not None:
        value = b.emit("Add", [value, bias], suffix="sum", type=unknown)
    for i, (axis_a, axis_b) in enumerate(swaps):
        value = _swap(b, value, rank, axis_a, axis_b, f"turned_back_{i}")
    if is_shaped:
        b.finish_reshaped(value)
    else:
        b.finish("Identity", [value])


def _swap(b: Back, value: SSAValue, rank: int, axis_a: int, axis_b: int, suffix: str) -> SSAValue:
    """`value` with two dimensions exchanged."""
    order = list(range(rank))
    order[axis_a], order[axis_b] = order[axis_b], order[axis_a]
    type = TensorType(f32, [-1] * rank)
    return b.emit("Transpose", [value], {"perm": order}, suffix, type)


@returns("Einsum")
def einsum(b: Back) -> None:
    b.finish("Einsum", b.all(), {"equation": b.op.text("mode")})


# Norms


def _column(b: Back, index: int, count: int, default: float, suffix: str) -> SSAValue:
    """Operand `index` as a list of `count` numbers; all `default` where it is left out."""
    value = b.optional(index)
    if value is None:
        return b.constant(suffix, np.full(count, default, np.float32))
    return value if b.shape(index) == (count,) else b.reshape(value, [count], suffix)


@returns("BatchNorm")
def batch_norm(b: Back) -> None:
    count = b.shape()[1]
    scale, bias = _column(b, 3, count, 1.0, "scale"), _column(b, 4, count, 0.0, "bias")
    mean, variance = _column(b, 1, count, 0.0, "mean"), _column(b, 2, count, 1.0, "variance")
    fields = {"epsilon": b.op.number("epsilon")}
    b.finish("BatchNormalization", [b.x(), scale, bias, mean, variance], fields)


@returns("Scale")
def scale(b: Back) -> None:
    """A factor and a term for each channel, dimension 1, in whatever shape they come."""
    column = [1, b.shape()[1]] + [1] * (len(b.shape()) - 2)
    columns = [b.reshape(b.x(i), column, f"column_{i}") for i in (1, 2)]
    b.finish("Add", [b.emit("Mul", [b.x(), columns[0]], suffix="scaled"), columns[1]])


@returns("InstanceNorm")
def instance_norm(b: Back) -> None:
    count = b.shape()[1]
    affine = [_column(b, 1, count, 1.0, "scale"), _column(b, 2, count, 0.0, "bias")]
    b.finish("InstanceNormalization", [b.x(), *affine], {"epsilon": b.op.number("eps")})


@returns("GroupNorm")
def group_norm(b: Back) -> None:
    count = b.shape()[1]
    affine = [_column(b, 1, count, 1.0, "scale"), _column(b, 2, count, 0.0, "bias")]
    fields = {"epsilon": b.op.number("eps"), "num_groups": b.op.integer("num_groups")}
    b.finish("GroupNormalization", [b.x(), *affine], fields)


@returns("LayerNorm")
def layer_norm(b: Back) -> None:
    axis = b.op.integer("axis") % len(b.shape())
    weight = b.optional(1)
    if weight is None:
        weight = b.constant("scale", np.ones(b.shape()[axis:], np.float32))
    fields = {"axis": axis, "epsilon": b.op.number("eps")}
    b.finish("LayerNormalization", [b.x(), weight, b.optional(2)], fields)


@returns("RMSNorm")
def rms_norm(b: Back) -> None:
    """`x / sqrt(mean(x * x) + eps) * gamma` along the last dimension."""
    last_axis = b.ints([-1], "axis")
    type = TensorType(f32, [*b.shape()[:-1], 1])
    squares = b.emit("Mul", [b.x(), b.x()], suffix="squares")
    mean = b.emit("ReduceMean", [squares, last_axis], suffix="mean", type=type)
    terms = [mean, b.number(b.op.number("eps"), "eps")]
    root = b.emit(
        "Sqrt", [b.emit("Add", terms, suffix="shifted", type=type)], suffix="root", type=type
    )
    if (gamma := b.optional(1)) is None:
        b.finish("Div", [b.x(), root])
    else:
        b.finish("Mul", [b.emit("Div", [b.x(), root], suffix="normal"), gamma])


@returns("LRN")
def lrn(b: Back) -> None:
    fields = {name: b.op.number(name) for name in ("alpha", "beta", "bias")}
    b.finish("LRN", [b.x()], fields | {"size": b.op.integer("size")})


@returns("Softmax")
def softmax(b: Back) -> None:
    x, beta = b.x(), b.op.number("beta")
    if beta != 1:
        x = b.emit("Mul", [x, b.number(beta, "beta")], suffix="scaled")
    b.finish("LogSoftmax" if b.op.flag("log") else "Softmax", [x], {"axis": b.op.integer("axis")})


# Recurrences


def _direction(b: Back) -> dict[str, object]:
    if b.op.flag("batch_first"):
        raise b.refusal("has the batch first, which has no way back")
    is_bidirectional = b.op.flag("bidirectional")
    return {
        "hidden_size": b.op.integer("hidden_size"),
        "direction": "bidirectional" if is_bidirectional else "forward",
    }


@returns("LSTM")
def lstm(b: Back) -> None:
    if b.optional(6) is not None:
        raise b.refusal("has operand 'cont', which has no way back")
    inputs = [b.x(0), b.x(1), b.x(2), b.optional(3), None, b.optional(4), b.optional(5)]
    b.finish_all("LSTM", inputs, _direction(b))


@returns("GRU")
def gru(b: Back) -> None:
    inputs = [b.x(0), b.x(1), b.x(2), b.optional(3), None, b.optional(4)]
    reset = {"linear_before_reset": int(b.op.flag("linear_before_reset"))}
    b.finish_all("GRU", inputs, _direction(b) | reset)


# Resizing and sampling


NEAREST: Mapping[str, object] = {
    "mode": "nearest",
    "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor",
}
"""The one way in which the chips take the nearest element, whatever transform an op names."""


@returns("Interp")
def interp(b: Back) -> None:
    if not b.is_static():
        raise b.refusal("has unknown sizes, which has no way back")
    fields = NEAREST
    if (mode := b.op.text("mode")) != "nearest":
        fields = {"mode": mode, "coordinate_transformation_mode": b.op.text("coord_mode")}
    b.finish("Resize", [b.x(), None, None, b.ints(b.result_shape(), "sizes")], fields)


@returns("Upsample")
def upsample(b: Back) -> None:
    """Each element becomes a block of `scale_h` by `scale_w`."""
    scales = [1.0, 1.0, float(b.op.integer("scale_h")), float(b.op.integer("scale_w"))]
    factors = b.constant("scales", np.array(scales, np.float32))
    b.finish("Resize", [b.x(), None, factors], NEAREST)


@returns("GridSampler")
def grid_sample(b: Back) -> None:
    modes, paddings = ("linear", "nearest"), ("zeros", "border", "reflection")
    fields = {
        "mode": modes[b.op.integer("mode")],
        "padding_mode": paddings[b.op.integer("padding_mode")],
        "align_corners": int(b.op.flag("align_corners")),
    }
    b.finish("GridSample", [b.x(0), b.x(1)], fields)


@returns("RoiAlign")
def roi_align(b: Back) -> None:
    """The number of the image comes first in each box, where ONNX has an operand of its own for it."""
    count = b.shape(1)[0]
    boxes = _columns(b, 1, 5, [count, 4], "boxes")
    images = b.reshape(_columns(b, 0, 1, [count, 1], "image"), [count], "images")
    op = b.op
    fields = {
        "mode": op.text("mode").lower(),
        "output_height": op.integer("output_height"),
        "output_width": op.integer("output_width"),
        "sampling_ratio": op.integer("sampling_ratio"),
        "spatial_scale": op.number("spatial_scale"),
        "coordinate_transformation_mode": "half_pixel"
        if op.flag("align_corners")
        else "output_half_pixel",
    }
    b.finish("RoiAlign", [b.x(0), boxes, b.cast(images, INT64)], fields)


def _columns(b: Back, start: int, end: int, shape: list[int], suffix: str) -> SSAValue:
    """Some columns of the boxes."""
    bounds = [b.ints([n], f"{suffix}_{i}") for i, n in enumerate((start, end, 1))]
    return b.emit("Slice", [b.x(1), *bounds], suffix=suffix, type=TensorType(f32, shape))
