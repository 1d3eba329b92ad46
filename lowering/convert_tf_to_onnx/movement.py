"""Ops that move elements or return shapes: reshaping, joining, gathering, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, i32, i64
from xdsl.ir import Attribute, SSAValue

from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_tf_to_onnx.builder import (
    Builder,
    converts,
)
from autosplit.lowering.convert_tf_to_onnx.types import Shape, permuted, shape_of, tensor
from autosplit.lowering.shared.refusal import Refusal

UNKNOWN = DYNAMIC_INDEX


def _spec_element(b: Builder, name: str, default: Attribute = i32) -> Attribute:
    """The element type that an attribute asks for."""
    value = b.attribute(name, default)
    if not isinstance(value, Attribute):
        raise Refusal("malformed-op", f"{name} is {value!r}, expected a type")
    return value


# Shapes.


@converts("Shape")
def _shape(b: Builder) -> SSAValue:
    """shape(x) -> cast(shape(x))"""
    return b.cast(b.node("Shape", b.input(0)), _spec_element(b, "out_type"))


@converts("ShapeN")
def _shape_n(b: Builder) -> list[SSAValue]:
    """shape_n(x, y) -> cast(shape(x)), cast(shape(y))"""
    element = _spec_element(b, "out_type")
    return [b.cast(b.node("Shape", x), element) for x in b.inputs]


@converts("Size")
def _size(b: Builder) -> SSAValue:
    """size(x) -> cast(size(x))"""
    return b.cast(b.node("Size", b.input(0)), _spec_element(b, "out_type"))


@converts("Rank")
def _rank(b: Builder) -> SSAValue:
    """rank(x) -> the rank, where it is known, else cast(size(shape(x)))"""
    shape = shape_of(b.input(0))
    if shape is not None:
        return b.constant(np.asarray(len(shape), np.int32), "rank")
    return b.cast(b.node("Size", b.node("Shape", b.input(0))), i32)


@converts("Reshape")
def _reshape(b: Builder) -> SSAValue:
    """reshape(x, dims) -> reshape(x, dims)

    A size of 0 means 0 in TensorFlow, as it does in ONNX with allowzero. One dimension that is computed from
    an unknown size becomes -1.
    """
    x = b.input(0)
    partial = b.constants.partial(b.input(1))
    if partial is None or partial.values.ndim != 1 or (~partial.known).sum() > 1:
        dims = b.to_i64(1, "shape", vector=True)
        length = shape_of(dims)
        shape = None if length is None or length[0] < 0 else (UNKNOWN,) * length[0]
        return b.node("Reshape", x, dims, type=tensor(b.element(x), shape), allowzero=1)
    sizes = [
        int(v) if known else -1 for v, known in zip(partial.values, partial.known, strict=True)
    ]
    if not partial.complete and (sizes.count(-1) > 1 or 0 in sizes):
        dims = b.to_i64(1, "shape", vector=True)
        shape = tuple(d if d >= 0 else UNKNOWN for d in sizes)
        return b.node("Reshape", x, dims, type=tensor(b.element(x), shape), allowzero=1)
    attributes: dict[str, Any] = {"allowzero": 1} if 0 in sizes else {}
    return b.node(
        "Reshape",
        x,
        b.i64(sizes, "shape"),
        type=tensor(b.element(x), _filled(sizes, shape_of(x))),
        **attributes,
    )


def _filled(sizes: list[int], shape: Shape | None) -> Shape:
    """The shape of a reshaped value, with the size that -1 stands for if it can be computed."""
    if -1 in sizes and shape is not None and min(shape, default=1) > 0:
        product = int(np.prod([d for d in sizes if d != -1]))
        total = int(np.prod(shape))
        if product > 0 and total % product == 0:
            return tuple(total // product if d == -1 else d for d in sizes)
    return tuple(d if d >= 0 else UNKNOWN for d in sizes)


@converts("Squeeze")
def _squeeze(b: Builder) -> SSAValue:
    """squeeze(x, axes) -> squeeze(x, axes); without axes all dimensions of size 1 are removed"""
    x = b.input(0)
    axes = [int(a) for a in b.attribute("squeeze_dims", None) or b.attribute("axis", [])]
    shape = shape_of(x)
    if not axes:
        is_static = shape is not None and min(shape, default=1) >= 0
        out = tuple(d for d in shape if d != 1) if is_static and shape is not None else None
        return b.node("Squeeze", x, type=tensor(b.element(x), out))
    out = None
    if shape is not None:
        removed = {a % len(shape) for a in axes if len(shape)}
        out = tuple(d for i, d in enumerate(shape) if i not in removed)
    return b.node("Squeeze", x, b.i64(axes, "axes"), type=tensor(b.element(x), out))


def _unsqueezed(b: Builder, x: SSAValue, axis: int) -> SSAValue:
    shape = shape_of(x)
    out = None
    if shape is not None:
        place = axis % (len(shape) + 1)
        out = (*shape[:place], 1, *shape[place:])
    return b.node("Unsqueeze", x, b.i64([axis], "axes"), type=tensor(element_type(x.type), out))


@converts("ExpandDims")
def _expand_dims(b: Builder) -> SSAValue:
    """expand_dims(x, axis) -> unsqueeze(x, [axis]). Refused if the axis is computed."""
    return _unsqueezed(b, b.input(0), b.int(1, "the axis"))


@converts("Transpose")
def _transpose(b: Builder) -> SSAValue:
    """transpose(x, perm) -> transpose(x, perm). Refused if the permutation is computed."""
    x = b.input(0)
    perm = b.ints(1, "the permutation")
    rank = len(perm)
    perm = [p % rank if rank else p for p in perm]
    if sorted(perm) != list(range(rank)):
        raise Refusal("malformed-op", f"perm is {perm}, expected a permutation")
    if rank < 2:
        return x
    shape = permuted(shape_of(x), perm) or (UNKNOWN,) * rank
    return b.node("Transpose", x, type=tensor(b.element(x), shape), perm=perm)


# Joining and splitting.


@converts("ConcatV2", "Concat")
def _concat(b: Builder) -> SSAValue:
    """concat(x, y, ..., axis) -> concat(x, y, ...). Refused if the axis is computed."""
    last = b.op.op_type == "ConcatV2"
    values = b.inputs[:-1] if last else b.inputs[1:]
    axis = b.int(-1 if last else 0, "the axis")
    if len(values) == 1:
        return values[0]
    return b.node("Concat", *values, type=_joined(values, axis), axis=axis)


def _joined(values: Sequence[SSAValue], axis: int) -> Attribute:
    element = element_type(values[0].type)
    shapes = [shape_of(v) for v in values]
    ranked = [s for s in shapes if s is not None]
    if not ranked or len({len(s) for s in ranked}) != 1 or not ranked[0]:
        return tensor(element, None)
    place = axis % len(ranked[0])
    out = [max(dims) for dims in zip(*ranked, strict=True)]
    along = [s[place] for s in ranked]
    is_complete = len(ranked) == len(values) and min(along) >= 0
    out[place] = sum(along) if is_complete else UNKNOWN
    return tensor(element, out)


@converts("Pack")
def _pack(b: Builder) -> SSAValue:
    """pack(x, y, ..., axis) -> concat(unsqueeze(x, axis), unsqueeze(y, axis), ...)"""
    axis = int(b.attribute("axis", 0))
    parts = [_unsqueezed(b, v, axis) for v in b.inputs]
    if len(parts) == 1:
        return parts[0]
    return b.node("Concat", *parts, type=_joined(parts, axis), axis=axis)


@converts("Unpack")
def _unpack(b: Builder) -> list[SSAValue]:
    """unpack(x, axis) -> squeeze(split(x), axis), each part"""
    x = b.input(0)
    axis = int(b.attribute("axis", 0))
    count = len(b.op.outputs)
    parts = [x] if count == 1 else _split_evenly(b, x, axis, count)
    shape = shape_of(x)
    out = None
    if shape:
        place = axis % len(shape)
        out = (*shape[:place], *shape[place + 1 :])
    type = tensor(b.element(x), out)
    return [b.node("Squeeze", p, b.i64([axis], "axes"), type=type) for p in parts]


def _split_evenly(b: Builder, x: SSAValue, axis: int, count: int) -> list[SSAValue]:
    shape = shape_of(x)
    out = None
    if shape:
        place = axis % len(shape)
        size = shape[place] // count if shape[place] >= 0 else UNKNOWN
        out = (*shape[:place], size, *shape[place + 1 :])
    types = [tensor(b.element(x), out)] * count
    return b.nodes("Split", [x], types, "part", axis=axis, num_outputs=count)


@converts("Split")
def _split(b: Builder) -> list[SSAValue]:
    """split(axis, x) -> split(x). Refused if the axis is computed."""
    axis, x = b.int(0, "the axis"), b.input(1)
    count = len(b.op.outputs)
    return [x] if count == 1 else _split_evenly(b, x, axis, count)


@converts("SplitV")
def _split_v(b: Builder) -> list[SSAValue]:
    """split_v(x, sizes, axis) -> split(x, sizes)

    Refused if the axis is computed, and if one size is -1 and does not follow from the others.
    """
    x, axis = b.input(0), b.int(2, "the axis")
    shape = shape_of(x)
    count = len(b.op.outputs)
    if count == 1:
        return [x]
    sizes = b.array(1)
    parts = [UNKNOWN] * count if sizes is None else [int(v) for v in sizes.reshape(-1)]
    if sizes is not None and -1 in parts:
        total = shape[axis % len(shape)] if shape else UNKNOWN
        if total < 0:
            raise Refusal("dynamic-shape", f"sizes are {parts} of an unknown dimension")
        parts[parts.index(-1)] = total - sum(p for p in parts if p >= 0)
    lengths = b.to_i64(1, "sizes", vector=True) if sizes is None else b.i64(parts, "sizes")
    types: list[Attribute] = []
    for part in parts:
        place = axis % len(shape) if shape else 0
        out = (*shape[:place], part, *shape[place + 1 :]) if shape else None
        types.append(tensor(b.element(x), out))
    return b.nodes("Split", [x, lengths], types, "part", axis=axis)


# Gathering and scattering.


@converts("Gather", "GatherV2")
def _gather(b: Builder) -> SSAValue:
    """gather(x, indices, axis) -> gather(x, indices)

    With batch_dims = axis it is gather_nd(x, unsqueeze(indices, -1)) with as many batch dimensions. Refused
    for other batch_dims, and where the axis is computed.
    """
    x, indices = b.input(0), b.input(1)
    axis = b.int(2, "the axis") if len(b.inputs) > 2 else 0
    batch = int(b.attribute("batch_dims", 0))
    shape_of_x, shape_of_indices = shape_of(x), shape_of(indices)
    if batch == 0:
        shape = None
        if shape_of_x is not None and shape_of_indices is not None and shape_of_x:
            place = axis % len(shape_of_x)
            shape = (*shape_of_x[:place], *shape_of_indices, *shape_of_x[place + 1 :])
        return b.node("Gather", x, indices, type=tensor(b.element(x), shape), axis=axis)
    if axis < 0:
        axis += b.rank(x, "the axis counts from the end")
    if batch < 0:
        batch += b.rank(indices, "batch_dims counts from the end")
    if batch != axis:
        raise Refusal("attribute", f"batch_dims is {batch}, expected 0 or the axis, {axis}")
    indices = _unsqueezed(b, b.to_i64(1, "indices"), -1)
    return b.node("GatherND", x, indices, batch_dims=batch)


@converts("GatherNd")
def _gather_nd(b: Builder) -> SSAValue:
    """gather_nd(x, indices) -> gather_nd(x, indices)"""
    return b.node("GatherND", b.input(0), b.to_i64(1, "indices"))


@converts("ScatterNd")
def _scatter_nd(b: Builder) -> SSAValue:
    """scatter_nd(indices, updates, shape) -> scatter_nd(expand(0, shape), indices, updates, add)"""
    indices, updates = b.to_i64(0, "indices"), b.input(1)
    zero = b.scalar(0, updates, "zero")
    base = b.node("Expand", zero, b.to_i64(2, "shape", vector=True))
    return b.node("ScatterND", base, indices, updates, reduction="add")


@converts("TensorScatterUpdate", "TensorScatterAdd")
def _tensor_scatter(b: Builder) -> SSAValue:
    """tensor_scatter_update(x, indices, updates) -> scatter_nd(x, indices, updates), add alike"""
    attributes: dict[str, Any] = {"reduction": "add"} if b.op.op_type.endswith("Add") else {}
    return b.node("ScatterND", b.input(0), b.to_i64(1, "indices"), b.input(2), **attributes)


@converts("OneHot")
def _one_hot(b: Builder) -> SSAValue:
    """one_hot(i, depth, on, off) -> where(unsqueeze(i, -1) == range(depth), on, off)

    ONNX's OneHot counts negative indices from the end, TensorFlow's sets nothing for them. Refused for other
    axes than the last.
    """
    axis = int(b.attribute("axis", -1))
    if axis != -1 and axis != len(shape_of(b.input(0)) or ()):
        raise Refusal("attribute", f"axis is {axis}, expected the last")
    indices = _unsqueezed(b, b.to_i64(0, "indices"), -1)
    depth = b.array(1)
    if depth is not None:
        places = b.i64(range(int(depth.reshape(-1)[0])), "places")
    else:
        end = b.to_i64(1, "depth")
        places = b.node(
            "Range", b.i64(0, "zero"), end, b.i64(1, "one"), type=tensor(i64, (UNKNOWN,))
        )
    return b.node("Where", b.node("Equal", indices, places), b.input(2), b.input(3))


@converts("Where")
def _where(b: Builder) -> SSAValue:
    """where(c) -> transpose(non_zero(c)): a row of indices for each true element"""
    shape = shape_of(b.input(0))
    rank = UNKNOWN if shape is None else len(shape)
    indices = b.node("NonZero", b.input(0), type=tensor(i64, (rank, UNKNOWN)))
    return b.node("Transpose", indices, perm=[1, 0])


# Repeating and padding.


@converts("Tile")
def _tile(b: Builder) -> SSAValue:
    """tile(x, n) -> tile(x, n)"""
    x, repeats = b.input(0), b.array(1)
    shape = shape_of(x)
    out = None
    if shape is not None and repeats is not None:
        times = [int(r) for r in repeats.reshape(-1)]
        out = [d * r if d >= 0 else UNKNOWN for d, r in zip(shape, times, strict=True)]
    return b.node("Tile", x, b.to_i64(1, "repeats", vector=True), type=tensor(b.element(x), out))


@converts("BroadcastTo")
def _broadcast_to(b: Builder) -> SSAValue:
    """broadcast_to(x, dims) -> expand(x, dims)"""
    x, dims = b.input(0), b.array(1)
    shape = None if dims is None else [int(d) for d in dims.reshape(-1)]
    return b.node("Expand", x, b.to_i64(1, "shape", vector=True), type=tensor(b.element(x), shape))


@converts("Fill")
def _fill(b: Builder) -> SSAValue:
    """fill(dims, x) -> expand(x, dims)"""
    x, dims = b.input(1), b.array(0)
    shape = None if dims is None else [int(d) for d in dims.reshape(-1)]
    return b.node("Expand", x, b.to_i64(0, "shape", vector=True), type=tensor(b.element(x), shape))


@converts("Range")
def _range(b: Builder) -> SSAValue:
    """range(start, limit, delta) -> range(start, limit, delta)"""
    x = b.input(0)
    return b.node("Range", *b.inputs, type=tensor(b.element(x), (UNKNOWN,)))


@converts("Pad", "PadV2", "MirrorPad")
def _pad(b: Builder) -> SSAValue:
    """pad(x, [[b, e], ...]) -> pad(x, [b, ..., e, ...]); mirror_pad in mode REFLECT is mode reflect

    Refused for mode SYMMETRIC, which repeats the edge and which ONNX lacks.
    """
    x = b.input(0)
    mode = b.text("mode", "CONSTANT")
    if mode not in ("CONSTANT", "REFLECT"):
        raise Refusal("attribute", f"mode is {mode}, expected REFLECT")
    pairs = b.array(1)
    shape = shape_of(x)
    if pairs is not None:
        pairs = pairs.reshape(-1, 2)
        if shape is None:
            shape = (UNKNOWN,) * len(pairs)
        out = [d + int(p.sum()) if d >= 0 else UNKNOWN for d, p in zip(shape, pairs, strict=True)]
        pads = b.i64(pairs.T.reshape(-1).tolist(), "pads")
    else:
        out = None if shape is None else [UNKNOWN] * len(shape)
        columns = b.transpose(b.to_i64(1, "pairs"), [1, 0])
        pads = b.node("Reshape", columns, b.i64([-1], "flat"), type=tensor(i64, (UNKNOWN,)))
    value = b.input(2) if b.op.op_type == "PadV2" else None
    attributes: dict[str, Any] = {"mode": "reflect"} if mode == "REFLECT" else {}
    return b.node("Pad", x, pads, value, type=tensor(b.element(x), out), **attributes)
