"""Ops that take parts of a tensor, put tensors together, or look elements up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from autosplit.lowering.conversions import END
from autosplit.lowering.convert_mx_to_onnx.builder import MxBuilder, converts
from autosplit.lowering.convert_mx_to_onnx.shapes import size_of
from autosplit.lowering.shared.refusal import Refusal

# Parts


@converts("slice")
def _slice(b: MxBuilder) -> SSAValue:
    """slice(x) -> slice(x); None means up to the end"""
    begin, end, step = b.op.ints("begin"), b.op.ints("end"), b.op.ints("step")
    steps = [1 if s is None else s for s in step] or [1] * len(begin)
    if 0 in steps:
        raise Refusal("malformed-op", "step is 0")
    starts = [
        n if n is not None else 0 if s > 0 else END for n, s in zip(begin, steps, strict=True)
    ]
    ends = [n if n is not None else END if s > 0 else -END for n, s in zip(end, steps, strict=True)]
    return _sliced(b, b.x, starts, ends, range(len(starts)), steps)


@converts("slice_axis")
def _slice_axis(b: MxBuilder) -> SSAValue:
    """slice_axis(x) -> slice(x)"""
    end = b.op.get("end")
    axis = b.axis(b.x, b.op.integer("axis"))
    return b.slice(b.x, axis, b.op.integer("begin"), end if isinstance(end, int) else END)


def _sliced(
    b: MxBuilder,
    x: SSAValue,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> SSAValue:
    parts = zip(("starts", "ends", "axes", "steps"), (starts, ends, axes, steps), strict=True)
    return b.apply("Slice", x, *(b.ints(name, numbers) for name, numbers in parts))


@converts("slice_like")
def _slice_like(b: MxBuilder) -> SSAValue:
    """slice_like(x, y) -> slice(x) to the sizes of y, along some axes or all"""
    x, y = b.x, b.input(1)
    axes = [b.axis(x, a) for a in b.op.ints("axes") if a is not None] or [*range(b.rank(x))]
    sizes = b.shape(y)
    starts, steps = [0] * len(axes), [1] * len(axes)
    if all(sizes[a] >= 0 for a in axes):
        return _sliced(b, x, starts, [sizes[a] for a in axes], axes, steps)
    ends = b.node("ends", "Concat", [size_of(b, y, a) for a in axes], {"axis": 0})
    return b.apply(
        "Slice", x, b.ints("starts", starts), ends, b.ints("axes", axes), b.ints("steps", steps)
    )


@converts("reverse")
def _reverse(b: MxBuilder) -> SSAValue:
    """reverse(x) -> slice(x) backwards"""
    axes = [b.axis(b.x, a) for a in b.op.ints("axis") if a is not None]
    n = len(axes)
    return _sliced(b, b.x, [END] * n, [-END] * n, axes, [-1] * n)


@converts("SliceChannel")
def _slice_channel(b: MxBuilder) -> list[SSAValue]:
    """split(x) -> split(x), each part squeezed with `squeeze_axis`"""
    axis, count = b.axis(b.x, b.op.integer("axis")), b.op.integer("num_outputs")
    parts = [b.x]
    if count > 1:
        size = b.shape(b.x)[axis]
        even = [b.ints("sizes", [size // count] * count)] if size >= 0 else []
        split = {"axis": axis} if even else {"axis": axis, "num_outputs": count}
        parts = b.nodes("split", "Split", [b.x, *even], split, count)
    return [b.squeeze(p, [axis]) for p in parts] if b.op.flag("squeeze_axis") else parts


@converts("_split_v2")
def _split(b: MxBuilder) -> list[SSAValue]:
    """split_v2(x) -> slices of x, which begin at `indices`, or are of the same size"""
    axis = b.axis(b.x, b.op.integer("axis"))
    sections, starts = b.op.integer("sections"), [n or 0 for n in b.op.ints("indices")]
    if sections:
        size = b.shape(b.x)[axis]
        if size < 0:
            raise Refusal("dynamic-shape", "divides an axis of unknown size")
        starts = [i * size // sections for i in range(sections)]
    parts = [b.slice(b.x, axis, s, e) for s, e in zip(starts, [*starts[1:], END], strict=True)]
    return [b.squeeze(p, [axis]) for p in parts] if b.op.flag("squeeze_axis") else parts


@converts("Crop")
def _crop(b: MxBuilder) -> SSAValue:
    """crop(x, y) -> slice(x), of the sizes of y or `h_w`, at an offset or in the middle"""
    like = b.input(1) if len(b.op.operands) > 1 else None
    sizes = b.static(b.x, "the offset", 2)
    output_sizes = [n or 0 for n in b.op.ints("h_w")]
    if like is not None:
        output_sizes = [*b.static(like, "the size of the result", 2)]
    starts = [n or 0 for n in b.op.ints("offset")]
    if b.op.flag("center_crop"):
        starts = [(size - n) // 2 for size, n in zip(sizes, output_sizes, strict=True)]
    ends = [s + n for s, n in zip(starts, output_sizes, strict=True)]
    return _sliced(b, b.x, starts, ends, [2, 3], [1, 1])


@converts("SequenceLast", "SequenceMask", "SequenceReverse")
def _sequence(b: MxBuilder) -> SSAValue:
    """sequence_mask(x) -> x, sequence_last(x) -> its last step, sequence_reverse(x) -> x backwards

    Refused if sequences have lengths.
    """
    if b.op.flag("use_sequence_length"):
        raise Refusal("attribute", "use_sequence_length is true, expected whole sequences")
    axis = b.axis(b.x, b.op.integer("axis"))
    if b.kind == "SequenceMask":
        return b.x
    if b.kind == "SequenceReverse":
        return _sliced(b, b.x, [END], [-END], [axis], [-1])
    return b.squeeze(b.slice(b.x, axis, -1), [axis])


@converts("Pad")
def _pad(b: MxBuilder) -> SSAValue:
    """pad(x) -> pad(x)"""
    width = [n or 0 for n in b.op.ints("pad_width")]
    pads = b.ints("pads", [*width[::2], *width[1::2]])
    mode = b.op.text("mode")
    if mode != "constant":
        return b.apply("Pad", b.x, pads, mode=mode)
    return b.apply("Pad", b.x, pads, b.scalar("value", b.op.number("constant_value"), b.x))


# Joining


@converts("Concat", "_rnn_param_concat")
def _concat(b: MxBuilder) -> SSAValue:
    """concat(x, y, ...) -> concat(x, y, ...)"""
    if len(b.op.operands) == 1:
        return b.x
    return b.apply("Concat", *b.op.operands, axis=b.axis(b.x, b.op.integer("dim")))


@converts("stack")
def _stack(b: MxBuilder) -> SSAValue:
    """stack(x, y, ...) -> concat(unsqueeze(x), unsqueeze(y), ...)"""
    axis = b.op.integer("axis")
    axis = axis if axis >= 0 else axis + b.rank(b.x) + 1
    return b.apply("Concat", *(b.unsqueeze(v, [axis]) for v in b.op.operands), axis=axis)


# Lookups


def _within(b: MxBuilder, indices: SSAValue, size: int, mode: str) -> SSAValue:
    """Indices as integers from 0 to `size` - 1: clipped or wrapped around."""
    integers = b.cast(indices, i64)
    if mode not in ("clip", "wrap"):
        raise Refusal("attribute", f"mode is {mode}, expected clip or wrap")
    if size < 0:
        raise Refusal("dynamic-shape", "looks up in an axis of unknown size")
    if mode == "wrap":
        return b.apply("Mod", integers, b.scalar("size", size, integers))
    first, last = b.scalar("first", 0, integers), b.scalar("last", size - 1, integers)
    return b.apply("Clip", integers, first, last)


@converts("take")
def _take(b: MxBuilder) -> SSAValue:
    """take(x, i) -> gather(x, clip(i)), or i wrapped around"""
    axis = b.axis(b.x, b.op.integer("axis"))
    indices = _within(b, b.input(1), b.shape(b.x)[axis], b.op.text("mode"))
    return b.apply("Gather", b.x, indices, axis=axis)


@converts("Embedding", "_contrib_SparseEmbedding")
def _embedding(b: MxBuilder) -> SSAValue:
    """embedding(i, w) -> gather(w, clip(i))"""
    indices = _within(b, b.x, b.op.integer("input_dim"), "clip")
    return b.apply("Gather", b.input(1), indices, axis=0)


@converts("gather_nd")
def _gather_nd(b: MxBuilder) -> SSAValue:
    """gather_nd(x, i) -> gather_nd(x, transpose(i)), whose last axis has the indices"""
    rank = b.rank(b.input(1))
    indices = b.transpose(b.cast(b.input(1), i64), [*range(1, rank), 0])
    return b.apply("GatherND", b.x, indices)


@converts("pick")
def _pick(b: MxBuilder) -> SSAValue:
    """pick(x, i) -> gather_elements(x, clip(i)) along an axis"""
    named_axis = b.op.get("axis")
    x, index = b.x, b.input(1)
    if named_axis is None:
        raise Refusal("attribute", "axis is None, expected an axis")
    axis = b.axis(x, b.op.integer("axis"))
    indices = _within(b, index, b.shape(x)[axis], b.op.text("mode"))
    if b.rank(indices) == b.rank(x) - 1:
        indices = b.unsqueeze(indices, [axis])
    picked = b.apply("GatherElements", x, indices, axis=axis)
    if b.op.flag("keepdims"):
        return picked
    return b.reshape(picked, [1]) if b.rank(x) == 1 else b.squeeze(picked, [axis])


@converts("one_hot")
def _one_hot(b: MxBuilder) -> SSAValue:
    """one_hot(i) -> where(i == 0 .. depth, on, off)"""
    depth = b.op.integer("depth")
    indices = b.unsqueeze(b.cast(b.x, i64), [b.rank(b.x)])
    hit = b.apply("Equal", indices, b.constant("places", np.arange(depth)))
    element = b.named_element(b.op.text("dtype"))
    on, off = (
        b.cast(b.constant(name, np.array(b.op.number(name), np.float64)), element)
        for name in ("on_value", "off_value")
    )
    return b.apply("Where", hit, on, off)
