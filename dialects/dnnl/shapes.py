"""The shapes of results: what the library would infer, where it infers, and what it leaves unchecked.

A shape is a tuple of sizes, -1 for unknown ones; None stands for a value of unknown rank.
The functions raise ValueError, in one line, if the operands do not fit together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from autosplit.core.units import counted
from autosplit.dialects.dnnl.base import DnnlOp
from autosplit.dialects.platform import shape_of

Shape: TypeAlias = tuple[int, ...]
Shapes: TypeAlias = list["Shape | None"]


def result_shapes(op: DnnlOp) -> Shapes | None:
    """The shapes of the op's results, None for unknown ones; None for ops that have no rule.

    Raises ValueError if the operands' shapes and the attributes contradict each other.
    """
    return shapes_for(op, [_plain(shape_of(v.type)) for v in op.inputs])


def shapes_for(op: DnnlOp, operands: Shapes) -> Shapes | None:
    """Like `result_shapes`, for operands of other shapes than the op's own."""
    rule = _RULES.get(op.SPEC.shapes)
    return None if rule is None else rule(op, operands)


def _plain(shape: Shape | None) -> Shape | None:
    """The shape with -1 for unknown sizes, whichever negative number the type has."""
    return None if shape is None else tuple(max(d, -1) for d in shape)


def channel_axis(data_format: str, rank: int) -> int:
    """The dimension of an activation that holds the channels."""
    return 1 if data_format == "NCX" else rank - 1


def spatial_axes(data_format: str, rank: int) -> range:
    """The dimensions of an activation that are neither batch nor channels."""
    return range(2, rank) if data_format == "NCX" else range(1, rank - 1)


def weight_axes(weights_format: str, rank: int) -> tuple[int, int, list[int]]:
    """The dimensions of weights that hold outputs, inputs and space, for OIX, XIO, IOX or XOI."""
    letters = [c for c in weights_format if c != "X"]
    first_axis = 0 if weights_format.endswith("X") else rank - 2
    axes = {letter: first_axis + i for i, letter in enumerate(letters)}
    return axes["O"], axes["I"], [i for i in range(rank) if i not in axes.values()]


def auto_pads(
    op: DnnlOp, size: int, kernel: int, stride: int, dilation: int
) -> tuple[int, int] | None:
    """The padding of one dimension by `auto_pad`; None if that depends on an unknown size."""
    mode = op.text("auto_pad")
    if mode == "VALID":
        return 0, 0
    effective = (kernel - 1) * dilation + 1
    if op.kind.startswith("ConvTranspose"):
        total = effective - stride
    elif size < 0:
        return None
    else:
        total = effective - (size % stride or stride)
    total = max(total, 0)
    smaller, larger = total // 2, total - total // 2
    return (larger, smaller) if mode == "SAME_LOWER" else (smaller, larger)


def window_pads(
    op: DnnlOp, sizes: Sequence[int], kernel: Sequence[int]
) -> list[tuple[int, int]] | None:
    """The padding before and after each spatial dimension; None if a size that it needs is unknown."""
    count = len(sizes)
    if op.text("auto_pad") == "None":
        begin = op.ints("pads_begin") or [0] * count
        end = op.ints("pads_end") or [0] * count
        return list(zip(begin, end, strict=True))
    strides, dilations = op.ints("strides"), dilations_of(op, count)
    pads: list[tuple[int, int]] = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        if (pair := auto_pads(op, size, k, stride, dilation)) is None:
            return None
        pads.append(pair)
    return pads


def scale_groups(op: DnnlOp) -> int:
    """How often the axis of a per-channel `dnnl.Dequantize` repeats in its scales; 1 except in one case.

    The weights of a grouped transposed convolution hold the output channels of one group, and the scales are
    for those of all groups, group after group.
    """
    axis, scales = op.integer("axis"), len(op.numbers("scales"))
    shape = shape_of(op.inputs[0].type)
    if op.kind != "Dequantize" or shape is None or not -len(shape) <= axis < len(shape):
        return 1
    value = op.outputs[0]
    while (use := value.get_user_of_unique_use()) is not None and isinstance(use, DnnlOp):
        if use.kind == "ConvTranspose" and len(use.inputs) > 1 and use.inputs[1] is value:
            outputs = weight_axes(use.text("weights_format"), len(shape))[0]
            groups = use.integer("groups")
            fits_all = outputs == axis % len(shape) and scales == shape[axis] * groups
            return groups if fits_all else 1
        if use.kind not in ("TypeCast", "Reorder"):
            return 1
        value = use.outputs[0]
    return 1


def dilations_of(op: DnnlOp, count: int) -> list[int]:
    """The dilations of a window over `count` dimensions; 1 where the op has none."""
    dilations = op.ints("dilations") if "dilations" in op.ATTRS else []
    # The library's own default is a list of twelve ones.
    return dilations if len(dilations) == count else [1] * count


def same_dim(a: int, b: int) -> bool:
    """True if two sizes may be the same."""
    return a < 0 or b < 0 or a == b


def same_shape(a: Shape, b: Shape) -> bool:
    """True if two shapes may be the same."""
    return len(a) == len(b) and all(map(same_dim, a, b))


def _merged(a: Shape, b: Shape) -> Shape:
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape that numpy's broadcasting gives. Raises ValueError if it does not apply."""
    rank = max(len(a), len(b))
    left_shape, right_shape = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    sizes: list[int] = []
    for x, y in zip(left_shape, right_shape, strict=True):
        if not same_dim(x, y) and 1 not in (x, y):
            raise ValueError(f"{_list(a)} and {_list(b)} do not broadcast")
        # An unknown size may be 1, but next to a greater one the result is that.
        sizes.append(y if x == 1 else x if y == 1 else max(x, y))
    return tuple(sizes)


def _list(shape: Sequence[int]) -> str:
    return "[" + ", ".join("?" if d < 0 else str(d) for d in shape) + "]"


def _axis(op: DnnlOp, rank: int, name: str = "axis") -> int:
    axis = op.integer(name)
    if not -rank <= axis < rank:
        raise ValueError(f"{name} {axis} is out of range for {counted(rank, 'dimension')}")
    return axis % rank


def _same(op: DnnlOp, shapes: Shapes) -> Shapes:
    return shapes[:1]


def _broadcast(op: DnnlOp, shapes: Shapes) -> Shapes:
    a, b = shapes
    if a is None or b is None:
        return [None]
    if op.text("auto_broadcast") == "none":
        if not same_shape(a, b):
            raise ValueError(f"auto_broadcast is none, the operands are {_list(a)} and {_list(b)}")
        return [_merged(a, b)]
    return [broadcast(a, b)]


def _select(op: DnnlOp, shapes: Shapes) -> Shapes:
    condition, a, b = shapes
    if condition is None or a is None or b is None:
        return [None]
    if op.text("auto_broadcast") == "none":
        if not same_shape(a, b) or not same_shape(condition, a):
            operands = ", ".join(map(_list, (condition, a, b)))
            raise ValueError(f"auto_broadcast is none, the operands are {operands}")
        return [_merged(_merged(a, b), condition)]
    out = broadcast(a, b)
    if not fits(condition, out):
        raise ValueError(f"the condition {_list(condition)} does not broadcast to {_list(out)}")
    return [out]


def fits(shape: Shape, target: Shape) -> bool:
    """True if a tensor may be broadcast to `target` without changing it."""
    if len(shape) > len(target):
        return False
    tail = target[len(target) - len(shape) :]
    return all(s == 1 or same_dim(s, t) for s, t in zip(shape, tail, strict=True))


def _check_window(op: DnnlOp, spatial: int) -> None:
    """Raises unless the lists of a window's attributes have one sensible number for each dimension."""
    names = ["strides", "dilations", "pads_begin", "pads_end", "kernel"]
    for name in names:
        values = op.ints(name) if name in op.ATTRS else []
        if name == "dilations" and op.kind.startswith("MaxPool"):
            if len(values) == 12 != spatial and set(values) == {1}:
                continue
        elif not values and name.startswith("pads"):
            continue
        if name not in op.properties:
            continue
        if len(values) != spatial:
            raise ValueError(
                f"{name} has {counted(len(values), 'number')} for {counted(spatial, 'spatial dimension')}"
            )
        low = 0 if name.startswith("pads") else 1
        if any(v < low for v in values):
            raise ValueError(f"{name} is {values}, expected numbers from {low} on")


def _window_size(
    size: int, pads: tuple[int, int], kernel: int, stride: int, dilation: int, *, up: bool = False
) -> int:
    if size < 0 or kernel < 0:
        return -1
    room = size + sum(pads) - (dilation * (kernel - 1) + 1)
    if room < 0:
        raise ValueError(
            f"a window of {kernel} (dilation {dilation}) is larger than {size} + {pads}"
        )
    return (-(-room // stride) if up else room // stride) + 1


def _check_rank(shape: Shape, min_rank: int, label: str) -> None:
    if len(shape) < min_rank:
        raise ValueError(
            f"{label} has {counted(len(shape), 'dimension')}, expected at least {min_rank}"
        )


def _check_bias(op: DnnlOp, shapes: Shapes, channels: int) -> None:
    bias = shapes[2] if len(shapes) > 2 else None
    if bias is not None and not (len(bias) == 1 and same_dim(bias[0], channels)):
        raise ValueError(
            f"the bias is {_list(bias)}, expected [{channels if channels >= 0 else '?'}]"
        )


class _Filters(NamedTuple):
    """The roles of the dimensions of a convolution's source and weights."""

    channel: int
    axes: range
    out_axis: int
    in_axis: int
    space: list[int]
    groups: int


def _check_filters(op: DnnlOp, src: Shape, weights: Shape) -> _Filters:
    """Raises ValueError if a source and weights cannot be those of a convolution, transposed or not."""
    _check_rank(src, 3, "src")
    if len(weights) != len(src):
        raise ValueError(f"src {_list(src)} and weights {_list(weights)} differ in rank")
    rank, data_format = len(src), op.text("data_format")
    _check_window(op, rank - 2)
    groups = op.integer("groups")
    if groups < 1:
        raise ValueError(f"groups is {groups}, expected a number from 1 on")
    return _Filters(
        channel_axis(data_format, rank),
        spatial_axes(data_format, rank),
        *weight_axes(op.text("weights_format"), rank),
        groups,
    )


def _conv(op: DnnlOp, shapes: Shapes) -> Shapes:
    src, weights = shapes[:2]
    if src is None or weights is None:
        return [None]
    channel, axes, out_axis, in_axis, space, groups = _check_filters(op, src, weights)
    outs, ins = weights[out_axis], weights[in_axis]
    if ins >= 0 and not same_dim(src[channel], ins * groups):
        raise ValueError(
            f"src has {counted(src[channel], 'channel')}, expected {ins * groups} for "
            f"weights {_list(weights)} in {counted(groups, 'group')}"
        )
    if outs >= 0 and outs % groups:
        raise ValueError(
            f"{counted(outs, 'output channel')} cannot be divided into {counted(groups, 'group')}"
        )
    _check_bias(op, shapes, outs)
    sizes, kernel = [src[a] for a in axes], [weights[a] for a in space]
    pads = window_pads(op, sizes, kernel)
    result = list(src)
    result[channel] = outs
    strides, dilations = op.ints("strides"), op.ints("dilations")
    for i, axis in enumerate(axes):
        result[axis] = (
            -1
            if pads is None
            else _window_size(sizes[i], pads[i], kernel[i], strides[i], dilations[i])
        )
    return [tuple(result)]


def _conv_transpose(op: DnnlOp, shapes: Shapes) -> Shapes:
    src, weights = shapes[:2]
    if src is None or weights is None:
        return [None]
    channel, axes, out_axis, in_axis, space, groups = _check_filters(op, src, weights)
    if not same_dim(src[channel], weights[in_axis]):
        raise ValueError(
            f"src has {counted(src[channel], 'channel')}, weights {_list(weights)} need {weights[in_axis]}"
        )
    if weights[in_axis] >= 0 and weights[in_axis] % groups:
        raise ValueError(
            f"{counted(weights[in_axis], 'input channel')} cannot be divided into {counted(groups, 'group')}"
        )
    outs = weights[out_axis] * groups if weights[out_axis] >= 0 else -1
    _check_bias(op, shapes, outs)
    extra = output_padding(op, len(axes))
    kernel = [weights[a] for a in space]
    pads = window_pads(op, [src[a] for a in axes], kernel)
    result = list(src)
    result[channel] = outs
    strides, dilations = op.ints("strides"), op.ints("dilations")
    for i, axis in enumerate(axes):
        if pads is None or src[axis] < 0 or kernel[i] < 0:
            result[axis] = -1
            continue
        full = strides[i] * (src[axis] - 1) + dilations[i] * (kernel[i] - 1) + 1
        result[axis] = full - sum(pads[i]) + extra[i]
        if result[axis] < 1:
            raise ValueError(f"the padding {pads[i]} leaves nothing of {counted(full, 'element')}")
    return [tuple(result)]


def output_padding(op: DnnlOp, spatial: int) -> list[int]:
    """What a transposed convolution adds at the end of each spatial dimension. Raises ValueError."""
    extra = op.ints("output_padding")
    if not extra or (len(extra) == 12 != spatial and not any(extra)):
        return [0] * spatial
    if len(extra) != spatial:
        raise ValueError(
            f"output_padding has {counted(len(extra), 'number')} for {counted(spatial, 'spatial dimension')}"
        )
    return extra


def _pool(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None]
    _check_rank(src, 3, "src")
    _check_window(op, len(src) - 2)
    axes = spatial_axes(op.text("data_format"), len(src))
    kernel, strides = op.ints("kernel"), op.ints("strides")
    dilations = dilations_of(op, len(axes))
    pads = window_pads(op, [src[a] for a in axes], kernel)
    up = op.text("rounding_type") == "ceil"
    result = list(src)
    for i, axis in enumerate(axes):
        result[axis] = (
            -1
            if pads is None
            else _window_size(src[axis], pads[i], kernel[i], strides[i], dilations[i], up=up)
        )
    return [tuple(result)]


def _matmul(op: DnnlOp, shapes: Shapes) -> Shapes:
    a, b = shapes[:2]
    if a is None or b is None:
        return [None]
    if not a or not b:
        raise ValueError("an operand is a scalar, expected matrices or vectors")
    left_shape = (1, *a) if len(a) == 1 else a
    right_shape = (*b, 1) if len(b) == 1 else b
    if op.flag("transpose_a") and len(a) > 1:
        left_shape = (*left_shape[:-2], left_shape[-1], left_shape[-2])
    if op.flag("transpose_b") and len(b) > 1:
        right_shape = (*right_shape[:-2], right_shape[-1], right_shape[-2])
    if not same_dim(left_shape[-1], right_shape[-2]):
        raise ValueError(
            f"src {_list(a)} and weights {_list(b)} (transposed: {op.flag('transpose_a')}, "
            f"{op.flag('transpose_b')}) need one inner size, have {left_shape[-1]} and {right_shape[-2]}"
        )
    result = (*broadcast(left_shape[:-2], right_shape[:-2]), left_shape[-2], right_shape[-1])
    if len(a) == 1:
        result = (*result[:-2], result[-1])
    if len(b) == 1:
        result = result[:-1]
    bias = shapes[2] if len(shapes) > 2 else None
    if bias is not None and not fits(bias, result):
        raise ValueError(f"the bias {_list(bias)} does not broadcast to {_list(result)}")
    return [result]


def _concat(op: DnnlOp, shapes: Shapes) -> Shapes:
    ranked = [s for s in shapes if s is not None]
    if not ranked:
        return [None]
    first_shape = ranked[0]
    axis = _axis(op, len(first_shape))
    result = list(first_shape)
    for shape in ranked[1:]:
        if len(shape) != len(first_shape):
            raise ValueError(f"operands {_list(first_shape)} and {_list(shape)} differ in rank")
        for i, (x, y) in enumerate(zip(first_shape, shape, strict=True)):
            if i != axis and not same_dim(x, y):
                raise ValueError(
                    f"operands {_list(first_shape)} and {_list(shape)} differ outside of axis {axis}"
                )
            result[i] = max(result[i], y)
    sizes = [s[axis] for s in ranked]
    complete = len(ranked) == len(shapes) and all(s >= 0 for s in sizes)
    result[axis] = sum(sizes) if complete else -1
    return [tuple(result)]


def _per_channel(op: DnnlOp, shapes: Shapes) -> Shapes:
    """The shape of src, with operands that have one element for each channel."""
    src = shapes[0]
    if src is None:
        return [None]
    _check_rank(src, 2, "src")
    channels = src[channel_axis(op.text("data_format"), len(src))]
    # The parameters of a GroupNorm may be missing.
    for port, shape in zip(op.SPEC.inputs[1:], shapes[1:], strict=False):
        if shape is not None and not (len(shape) == 1 and same_dim(shape[0], channels)):
            raise ValueError(
                f"{port.name} is {_list(shape)}, expected one number for each of "
                f"{counted(channels, 'channel')}"
            )
    return [src]


def _prelu(op: DnnlOp, shapes: Shapes) -> Shapes:
    src, slope = shapes
    if src is None or slope is None:
        return [src]
    channels = src[channel_axis(op.text("data_format"), len(src))] if len(src) > 1 else -1
    is_per_channel = len(slope) == 1 and (slope[0] == 1 or same_dim(slope[0], channels))
    if not (is_per_channel and op.flag("per_channel_broadcast")) and not fits(slope, src):
        raise ValueError(f"the slope {_list(slope)} does not broadcast to {_list(src)}")
    return [src]


def _reduce(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None or "axes" not in op.properties:
        return [None]
    axes = op.ints("axes")
    if any(not -len(src) <= a < len(src) for a in axes):
        raise ValueError(f"axes {axes} are out of range for {counted(len(src), 'dimension')}")
    reduced_axes = [a % len(src) for a in axes]
    if len(set(reduced_axes)) != len(reduced_axes):
        raise ValueError(f"axes {axes} name a dimension twice")
    if op.flag("keep_dims"):
        return [tuple(1 if i in reduced_axes else d for i, d in enumerate(src))]
    return [tuple(d for i, d in enumerate(src) if i not in reduced_axes)]


def _reshape(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    target = op.ints("shape")
    if any(d < -1 for d in target) or target.count(-1) > 1:
        raise ValueError(f"shape {target} holds numbers below -1, or several -1")
    if src is None:
        return [None]
    result = list(target)
    for i, size in enumerate(target):
        if size == 0 and op.flag("special_zero"):
            if i >= len(src):
                raise ValueError(f"shape {target} copies dimension {i} of {_list(src)}")
            result[i] = src[i]
    if any(d < 0 for d in src):
        return [tuple(result)]
    total, elements = prod(src), prod(d for d in result if d >= 0)
    if -1 in target:
        if elements == 0 or total % elements:
            raise ValueError(
                f"shape {target} does not divide the {counted(total, 'element')} of {_list(src)}"
            )
        result[target.index(-1)] = total // elements
    elif total != elements:
        raise ValueError(
            f"shape {target} has {counted(elements, 'element')}, src {_list(src)} has {total}"
        )
    return [tuple(result)]


def _transpose(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None]
    order = op.ints("order")
    if not order:
        return [src[::-1]]
    axes = [a % len(src) if -len(src) <= a < len(src) else -1 for a in order]
    if sorted(axes) != list(range(len(src))):
        raise ValueError(
            f"order {order} does not name each of {counted(len(src), 'dimension')} once"
        )
    return [tuple(src[a] for a in axes)]


def _softmax(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None, None]
    axis = _axis(op, len(src))
    return [src, tuple(1 if i == axis else d for i, d in enumerate(src))]


def _layer_norm(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None, None, None]
    begin = _axis(op, len(src), "begin_norm_axis")
    for port, shape in zip(op.SPEC.inputs[1:], shapes[1:], strict=False):
        if shape is not None and not same_shape(shape, src[begin:]):
            raise ValueError(f"{port.name} is {_list(shape)}, expected {_list(src[begin:])}")
    return [src, src[:begin], src[:begin]]


def _group_norm(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None, None, None]
    _check_rank(src, 2, "src")
    channels, groups = src[channel_axis(op.text("data_format"), len(src))], op.integer("groups")
    if groups < 1 or (channels >= 0 and channels % groups):
        raise ValueError(
            f"{counted(channels, 'channel')} cannot be divided into {counted(groups, 'group')}"
        )
    _per_channel(op, shapes)
    return [src, (src[0], groups), (src[0], groups)]


def _interpolate(op: DnnlOp, shapes: Shapes) -> Shapes:
    src = shapes[0]
    if src is None:
        return [None]
    _check_rank(src, 3, "src")
    axes = spatial_axes(op.text("data_format"), len(src))
    sizes, scales = op.ints("sizes"), op.numbers("scales")
    result = list(src)
    for name, numbers in (("sizes", sizes), ("scales", scales)):
        if numbers and len(numbers) != len(axes):
            raise ValueError(
                f"{name} has {counted(len(numbers), 'number')} for {counted(len(axes), 'spatial dimension')}"
            )
    for i, axis in enumerate(axes):
        if sizes:
            result[axis] = sizes[i]
        else:
            # The library multiplies as float and truncates.
            result[axis] = int(src[axis] * scales[i]) if scales and src[axis] >= 0 else -1
    return [tuple(result)]


def _dropout(op: DnnlOp, shapes: Shapes) -> Shapes:
    return [shapes[0], shapes[0]]


_RULES: dict[str, Callable[[DnnlOp, Shapes], Shapes]] = {
    "same": _same,
    "broadcast": _broadcast,
    "select": _select,
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "pool": _pool,
    "matmul": _matmul,
    "concat": _concat,
    "batch_norm": _per_channel,
    "bias_add": _per_channel,
    "prelu": _prelu,
    "reduce": _reduce,
    "reshape": _reshape,
    "transpose": _transpose,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _layer_norm,
    "group_norm": _group_norm,
    "interpolate": _interpolate,
    "dropout": _dropout,
}
