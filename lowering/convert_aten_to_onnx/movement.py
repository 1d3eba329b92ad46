"""Ops that take parts of a tensor, or put tensors together."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.lowering.conversions import END
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Dim, converts
from autosplit.lowering.shared.refusal import Refusal

# Parts


@converts("slice.Tensor", "slice_copy.Tensor")
def _slice(b: AtenBuilder) -> SSAValue:
    """slice(x) -> slice(x); None means up to the end"""
    start = b.dim("start") if b.get("start") is not None else 0
    stop = b.dim("end") if b.get("end") is not None else END
    x = b.x
    axis, step = b.axis(x, b.integer("dim")), b.integer("step")
    size = b.shape(x)[axis]
    if start == 0 and step == 1 and isinstance(stop, int) and (stop == END or 0 <= size <= stop):
        return x
    return b.part(x, axis, start, stop, step)


@converts("narrow")
def _narrow(b: AtenBuilder) -> SSAValue:
    """narrow(x) -> slice(x)"""
    axis, start, length = b.axis(b.x, b.integer("dim")), b.dim("start"), b.integer("length")
    if not isinstance(start, int):
        raise Refusal("operand-value", "start is computed, not constant")
    end = start + length
    return b.part(b.x, axis, start, END if start < 0 <= end else end)


@converts("select.int", "select_copy.int")
def _select(b: AtenBuilder) -> SSAValue:
    """select(x, i) -> gather(x, i)"""
    axis, index = b.axis(b.x, b.integer("dim")), b.dim("index")
    return b.apply("Gather", b.x, b.index(index), axis=axis)


@converts("chunk", "unsafe_chunk")
def _chunk(b: AtenBuilder) -> list[SSAValue]:
    """chunk(x) -> split(x)"""
    axis = b.axis(b.x, b.integer("dim"))
    size, count = b.shape(b.x)[axis], b.integer("chunks")
    if size < 0:
        raise Refusal("dynamic-shape", "divides an axis of unknown size")
    return pieces(b, b.x, axis, _steps(size, -(-size // count)))


def _steps(size: int, step: int) -> list[int]:
    """An axis in pieces of one size; the last one may be smaller."""
    if step == 0:
        return [size]
    return [min(step, size - start) for start in range(0, size, step)]


@converts("split.Tensor", "unsafe_split.Tensor")
def _split(b: AtenBuilder) -> list[SSAValue]:
    """split(x) -> split(x), in pieces of one size"""
    axis, step = b.axis(b.x, b.integer("dim")), b.integer("split_size")
    size = b.shape(b.x)[axis]
    if size >= 0:
        return pieces(b, b.x, axis, _steps(size, step))
    starts = [i * step for i in range(len(b.op.results))]
    return [b.part(b.x, axis, s, e) for s, e in zip(starts, [*starts[1:], END], strict=True)]


@converts("split.sizes", "split_with_sizes", "unsafe_split_with_sizes")
def _split_with_sizes(b: AtenBuilder) -> list[SSAValue]:
    """split_with_sizes(x) -> split(x)"""
    name = "split_size" if b.kind == "split.sizes" else "split_sizes"
    return pieces(b, b.x, b.axis(b.x, b.integer("dim")), b.dims(name))


@converts("tensor_split.indices", "tensor_split.sections")
def _tensor_split(b: AtenBuilder) -> list[SSAValue]:
    """tensor_split(x) -> slices of x, at the indices or in the requested number of parts"""
    axis = b.axis(b.x, b.integer("dim"))
    if b.kind == "tensor_split.indices":
        ends = b.numbers("indices")
        return [b.part(b.x, axis, s, e) for s, e in zip([0, *ends], [*ends, END], strict=True)]
    size, count = b.shape(b.x)[axis], b.integer("sections")
    if size < 0:
        raise Refusal("dynamic-shape", "divides an axis of unknown size")
    whole, more = divmod(size, count)
    return pieces(b, b.x, axis, [whole + (i < more) for i in range(count)])


def pieces(b: AtenBuilder, x: SSAValue, axis: int, sizes: Sequence[Dim]) -> list[SSAValue]:
    """An axis in pieces of these sizes."""
    if len(sizes) == 1:
        return [x]
    inputs = [x, b.vector(sizes)]
    return b.nodes("split", "Split", inputs, {"axis": axis}, len(sizes))


def split_evenly(b: AtenBuilder, x: SSAValue, axis: int, count: int) -> list[SSAValue]:
    """An axis in `count` pieces of one size."""
    size = b.shape(x)[axis]
    if size >= 0 and size % count == 0:
        return pieces(b, x, axis, [size // count] * count)
    return b.nodes("split", "Split", [x], {"axis": axis, "num_outputs": count}, count)


@converts("unbind.int")
def _unbind(b: AtenBuilder) -> list[SSAValue]:
    """unbind(x) -> squeeze(split(x))"""
    axis, count = b.axis(b.x, b.integer("dim")), len(b.op.results)
    return [b.squeeze(p, [axis]) for p in pieces(b, b.x, axis, [1] * count)]


@converts("flip")
def _flip(b: AtenBuilder) -> SSAValue:
    """flip(x) -> slice(x) backwards"""
    axes = [b.axis(b.x, a) for a in b.numbers("dims")]
    if not axes:
        return b.x
    n = len(axes)
    parts = (("starts", [END] * n), ("ends", [-END] * n), ("axes", axes), ("steps", [-1] * n))
    return b.apply("Slice", b.x, *(b.ints(role, numbers) for role, numbers in parts))


@converts("roll")
def _roll(b: AtenBuilder) -> SSAValue:
    """roll(x) -> concat(the last part of x, the first part of x), along each axis"""
    shifts, axes, x = b.numbers("shifts"), b.numbers("dims"), b.x
    flat = not axes
    if flat:
        x, axes = b.reshape(x, [-1]), [0]
    for shift, named in zip(shifts, axes, strict=True):
        axis = b.axis(x, named)
        size = b.shape(x)[axis]
        if size < 0:
            raise Refusal("dynamic-shape", "rolls an axis of unknown size")
        if size == 0 or (cut := -shift % size) == 0:
            continue
        parts = [b.part(x, axis, cut, END), b.part(x, axis, 0, cut)]
        x = b.node("roll", "Concat", parts, {"axis": axis})
    return b.shaped(x, b.sizes(b.x)) if flat else x


@converts("pixel_shuffle", "pixel_unshuffle")
def _pixel_shuffle(b: AtenBuilder) -> SSAValue:
    """pixel_shuffle(x) -> depth_to_space(x) with the channels in front, pixel_unshuffle by transposing"""
    if b.rank(b.x) != 4:
        raise Refusal("rank", f"{b.kind} of {b.rank(b.x)} dimensions, expected 4")
    if b.kind == "pixel_shuffle":
        return b.apply("DepthToSpace", b.x, blocksize=b.integer("upscale_factor"), mode="CRD")
    factor = b.integer("downscale_factor")
    batch, channels, height, width = b.static(b.x, "the shape of the result")
    split = b.reshape(b.x, [batch, channels, height // factor, factor, width // factor, factor])
    moved = b.transpose(split, [0, 1, 3, 5, 2, 4])
    return b.reshape(moved, [batch, channels * factor * factor, height // factor, width // factor])


@converts("channel_shuffle")
def _channel_shuffle(b: AtenBuilder) -> SSAValue:
    """channel_shuffle(x) -> reshape(transpose(reshape(x)))"""
    groups, rank = b.integer("groups"), b.rank(b.x)
    channels = b.static(b.x, "the size of a group", 1)[0]
    sizes = b.sizes(b.x)
    split = b.shaped(b.x, [sizes[0], groups, channels // groups, *sizes[2:]])
    moved = b.transpose(split, [0, 2, 1, *range(3, rank + 1)])
    return b.shaped(moved, sizes)


@converts("tril", "triu")
def _triangle(b: AtenBuilder) -> SSAValue:
    """tril(x) -> trilu(x), triu alike"""
    upper = int(b.kind == "triu")
    return b.apply("Trilu", b.x, b.index(b.dim("diagonal")), upper=upper)


@converts("unfold")
def _unfold(b: AtenBuilder) -> SSAValue:
    """unfold(x) -> transpose(concat of slices of x): windows along an axis, each as a new last axis"""
    axis = b.axis(b.x, b.integer("dimension"))
    width, step, size = b.integer("size"), b.integer("step"), b.shape(b.x)[axis]
    if size < 0:
        raise Refusal("dynamic-shape", "how many windows there are follows from an unknown size")
    starts = range(0, size - width + 1, step)
    if len(starts) > MOST_WINDOWS:
        raise Refusal(
            "unsupported-op",
            f"takes {counted(len(starts), 'window')}, expected at most {MOST_WINDOWS}",
        )
    windows = [b.unsqueeze(b.part(b.x, axis, s, s + width), [axis]) for s in starts]
    stacked = (
        windows[0] if len(windows) == 1 else b.node("unfold", "Concat", windows, {"axis": axis})
    )
    rank = b.rank(stacked)
    return b.transpose(stacked, [*(i for i in range(rank) if i != axis + 1), axis + 1])


MOST_WINDOWS = 64
"""Beyond it, a graph of slices is not worth running."""

# Joining


@converts("cat", "concat", "concatenate")
def _cat(b: AtenBuilder) -> SSAValue:
    """cat(xs) -> concat(xs)"""
    # ATen skips empty vectors, whatever the rank of the others.
    parts = [b.cast(v, b.out) for v in b.tensors("tensors") if b.shape(v) != (0,)]
    if len(parts) < 2:
        return parts[0] if parts else b.tensors("tensors")[0]
    return b.node("cat", "Concat", parts, {"axis": b.axis(parts[0], b.integer("dim"))})


@converts("stack")
def _stack(b: AtenBuilder) -> SSAValue:
    """stack(xs) -> concat(unsqueeze of each)"""
    axis = b.integer("dim")
    axis = axis if axis >= 0 else axis + len(b.out_shape())
    parts = [b.unsqueeze(b.cast(v, b.out), [axis]) for v in b.tensors("tensors")]
    return parts[0] if len(parts) == 1 else b.node("stack", "Concat", parts, {"axis": axis})


@converts("hstack", "vstack")
def _hstack(b: AtenBuilder) -> SSAValue:
    """hstack(xs) -> concat(xs), along the second axis, of vectors along the first"""
    parts = [b.cast(v, b.out) for v in b.tensors("tensors")]
    low = b.rank(parts[0]) < 2
    if b.kind == "vstack":
        parts = [b.unsqueeze(p, [0]) for p in parts] if low else parts
        return b.node("cat", "Concat", parts, {"axis": 0})
    return b.node("cat", "Concat", parts, {"axis": 0 if low else 1})


# Padding


PADS = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
}
"""ONNX's names of the ways to pad."""


@converts("constant_pad_nd", "pad")
def _pad(b: AtenBuilder) -> SSAValue:
    """pad(x) -> pad(x); negative numbers cut"""
    value = b.get("value")
    mode = b.text("mode") if b.kind == "pad" else "constant"
    return padded(b, b.numbers("pad"), mode, value if isinstance(value, int | float) else 0)


@converts(*(f"{mode}_pad{n}d" for mode in ("reflection", "replication") for n in (1, 2, 3)))
def _edge_pad(b: AtenBuilder) -> SSAValue:
    """reflection_pad2d(x) -> pad(x), replication_pad2d alike"""
    mode = "reflect" if b.kind.startswith("reflection") else "replicate"
    return padded(b, b.numbers("padding"), mode, 0)


def padded(b: AtenBuilder, pairs: Sequence[int], mode: str, value: float) -> SSAValue:
    """The input with elements added or cut off, pair by pair from the last axis on."""
    rank = b.rank(b.x)
    if not any(pairs):
        return b.x
    before, after = [0] * rank, [0] * rank
    for i in range(len(pairs) // 2):
        before[rank - 1 - i], after[rank - 1 - i] = pairs[2 * i : 2 * i + 2]
    if mode != "constant" and min(pairs) < 0:
        raise Refusal(
            "attribute", f"pads by {[*pairs]} in mode {mode}, expected no negative numbers"
        )
    inputs = [b.x, b.ints("pads", [*before, *after])]
    if mode == "constant" and value:
        inputs.append(b.filled(value, b.element(b.x), "value"))
    return b.node("pad", "Pad", inputs, {"mode": PADS[mode]})
