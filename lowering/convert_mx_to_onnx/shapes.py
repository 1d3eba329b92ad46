"""Ops that change or return the shape of a tensor, or make tensors from a shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.lowering.conversions import Array
from autosplit.lowering.convert_mx_to_onnx.builder import MxBuilder, converts
from autosplit.lowering.convert_mx_to_onnx.reshaping import Copied, Size, reshaped
from autosplit.lowering.shared.refusal import Refusal


def _sizes(b: MxBuilder, value: SSAValue) -> list[Size]:
    """The sizes of a value: numbers where they are known."""
    return [size if size >= 0 else Copied((i,)) for i, size in enumerate(b.shape(value))]


def size_of(b: MxBuilder, value: SSAValue, axis: int) -> SSAValue:
    """A size as a vector of one number, known when the net runs."""
    size = b.shape(value)[axis]
    if size >= 0:
        return b.ints("size", [size])
    return b.apply("Shape", value, start=axis, end=axis + 1)


def to_shape(b: MxBuilder, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """`value` in a shape whose unknown sizes are those of its own, or products of them."""
    unknown = [i for i, size in enumerate(sizes) if isinstance(size, Copied)]
    if len(unknown) == 1 and -1 not in sizes:
        return b.reshape(value, [-1 if isinstance(size, Copied) else size for size in sizes])
    if all(sizes[i] == Copied((i,)) for i in unknown):
        return b.reshape(value, [0 if isinstance(size, Copied) else size for size in sizes])
    return b.apply("Reshape", value, whole_shape(b, value, sizes))


def whole_shape(b: MxBuilder, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """Sizes as a vector, known when the net runs."""
    if not any(isinstance(size, Copied) for size in sizes):
        return b.ints("shape", [size for size in sizes if isinstance(size, int)])
    parts: list[SSAValue] = []
    for size in sizes:
        if isinstance(size, int):
            parts.append(b.ints("size", [size]))
            continue
        product, *others = (size_of(b, value, axis) for axis in size.axes)
        for other in others:
            product = b.apply("Mul", product, other)
        parts.append(product)
    return b.node("shape", "Concat", parts, {"axis": 0})


@converts("Reshape")
def _reshape(b: MxBuilder) -> SSAValue:
    """reshape(x) -> reshape(x), the codes of its `shape` applied"""
    codes = [n for n in b.op.ints("shape") if n is not None]
    if not codes:
        codes = [n or -1 for n in b.op.ints("target_shape") if n is not None]
    sizes = _sizes(b, b.x)
    if b.op.flag("reverse"):
        return to_shape(b, b.x, reshaped(sizes[::-1], codes[::-1])[::-1])
    return to_shape(b, b.x, reshaped(sizes, codes))


@converts("reshape_like")
def _reshape_like(b: MxBuilder) -> SSAValue:
    """reshape_like(x, y) -> reshape(x) in the shape of y, or some axes in those of some of y"""
    x, y = b.x, b.input(1)
    first, last = _span(b, x, "lhs")
    begin, end = _span(b, y, "rhs")
    if (first, last) == (0, b.rank(x)) and any(d < 0 for d in b.shape(y)):
        if (begin, end) != (0, b.rank(y)):
            raise Refusal("dynamic-shape", "some sizes of the other input are unknown")
        return b.apply("Reshape", x, _shape_of(b, y))
    middle = b.static(y, "the shape of the result")[begin:end]
    sizes = _sizes(b, x)
    return to_shape(b, x, [*sizes[:first], *middle, *sizes[last:]])


def _span(b: MxBuilder, value: SSAValue, side: str) -> tuple[int, int]:
    """The axes of a value that an op names: the first, and the one after the last."""
    rank = b.rank(value)
    limits = [b.op.get(f"{side}_{end}") for end in ("begin", "end")]
    ends = [n if isinstance(n, int) else d for n, d in zip(limits, (0, rank), strict=True)]
    begin, end = (n + rank if n < 0 else n for n in ends)
    return begin, end


@converts("Flatten")
def _flatten(b: MxBuilder) -> SSAValue:
    """flatten(x) -> flatten(x), all but the batch in one axis"""
    return b.apply("Flatten", b.x, axis=1)


@converts("expand_dims")
def _expand_dims(b: MxBuilder) -> SSAValue:
    """expand_dims(x) -> unsqueeze(x)"""
    axis = b.op.integer("axis")
    return b.unsqueeze(b.x, [axis if axis >= 0 else axis + b.rank(b.x) + 1])


@converts("squeeze")
def _squeeze(b: MxBuilder) -> SSAValue:
    """squeeze(x) -> squeeze(x), of all sizes of 1 if no axes are named"""
    axes = [b.axis(b.x, a) for a in b.op.ints("axis") if a is not None]
    if not axes:
        axes = [i for i, d in enumerate(b.static(b.x, "the shape of the result")) if d == 1]
    if len(axes) == b.rank(b.x):
        return b.reshape(b.x, [1])
    return b.squeeze(b.x, axes)


@converts("transpose")
def _transpose(b: MxBuilder) -> SSAValue:
    """transpose(x) -> transpose(x), backwards if no axes are named"""
    axes = [b.axis(b.x, a) for a in b.op.ints("axes") if a is not None]
    return b.transpose(b.x, axes or [*range(b.rank(b.x))][::-1])


@converts("SwapAxis")
def _swap_axis(b: MxBuilder) -> SSAValue:
    """swap_axis(x) -> transpose(x)"""
    perm = [*range(b.rank(b.x))]
    first, second = (b.axis(b.x, b.op.integer(name)) for name in ("dim1", "dim2"))
    perm[first], perm[second] = perm[second], perm[first]
    return b.transpose(b.x, perm)


@converts("depth_to_space", "space_to_depth")
def _blocks(b: MxBuilder) -> SSAValue:
    """depth_to_space(x) -> depth_to_space(x), space_to_depth alike"""
    op_type = "DepthToSpace" if b.kind == "depth_to_space" else "SpaceToDepth"
    return b.apply(op_type, b.x, blocksize=b.op.integer("block_size"))


# Broadcasting


@converts("broadcast_to")
def _broadcast_to(b: MxBuilder) -> SSAValue:
    """broadcast_to(x) -> expand(x); a size of 0 is that of x"""
    sizes = [n for n in b.op.ints("shape") if n is not None]
    if len(sizes) != b.rank(b.x):
        raise Refusal("malformed-op", f"shape {sizes} for {b.rank(b.x)} dimensions")
    return _expand(b, b.x, [n or 1 for n in sizes])


@converts("broadcast_axis")
def _broadcast_axis(b: MxBuilder) -> SSAValue:
    """broadcast_axis(x) -> expand(x)"""
    sizes = [1] * b.rank(b.x)
    for axis, size in zip(b.op.ints("axis"), b.op.ints("size"), strict=True):
        sizes[b.axis(b.x, axis or 0)] = size or 1
    return _expand(b, b.x, sizes)


def _expand(b: MxBuilder, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
    if all(n in (1, d) for n, d in zip(sizes, b.shape(x), strict=True)):
        return x
    return b.apply("Expand", x, b.ints("shape", sizes))


@converts("broadcast_like")
def _broadcast_like(b: MxBuilder) -> SSAValue:
    """broadcast_like(x, y) -> expand(x, shape(y)), or some axes to the sizes of some of y"""
    x, y = b.x, b.input(1)
    axes_of_x = [b.axis(x, a) for a in b.op.ints("lhs_axes") if a is not None]
    axes_of_y = [b.axis(y, a) for a in b.op.ints("rhs_axes") if a is not None]
    if not axes_of_x:
        return b.apply("Expand", x, _shape_of(b, y))
    sizes = b.static(y, "the shape of the result")
    pairs = dict(zip(axes_of_x, (sizes[a] for a in axes_of_y), strict=True))
    return _expand(b, x, [pairs.get(i, 1) for i in range(b.rank(x))])


@converts("tile")
def _tile(b: MxBuilder) -> SSAValue:
    """tile(x) -> tile(x), with new axes in front if there are more numbers than axes"""
    times = [n or 0 for n in b.op.ints("reps")]
    rank = b.rank(b.x)
    x = b.unsqueeze(b.x, range(len(times) - rank)) if len(times) > rank else b.x
    times = [1] * (rank - len(times)) + times
    return x if set(times) == {1} else b.apply("Tile", x, b.ints("times", times))


@converts("repeat")
def _repeat(b: MxBuilder) -> SSAValue:
    """repeat(x) -> reshape(tile(unsqueeze(x))), each element several times in its place"""
    count, axis = b.op.integer("repeats"), b.op.get("axis")
    x = b.x
    if not isinstance(axis, int):
        x, axis = b.reshape(x, [-1]), 0
    axis = b.axis(x, axis)
    sizes = _sizes(b, x)
    times = [1] * (len(sizes) + 1)
    times[axis + 1] = count
    tiled = b.apply("Tile", b.unsqueeze(x, [axis + 1]), b.ints("times", times))
    size = sizes[axis]
    if isinstance(size, Copied):
        others = [0 if isinstance(n, Copied) else n for n in sizes]
        return b.reshape(tiled, [*others[:axis], -1, *(_size(n) for n in sizes[axis + 1 :])])
    return to_shape(b, tiled, [*sizes[:axis], size * count, *sizes[axis + 1 :]])


def _size(size: Size) -> int:
    if isinstance(size, Copied):
        raise Refusal("dynamic-shape", "several sizes are unknown")
    return size


# Shapes as values, and tensors of a shape


@converts("shape_array")
def _shape_array(b: MxBuilder) -> SSAValue:
    """shape_array(x) -> shape(x)"""
    return b.apply("Shape", b.x)


@converts("size_array")
def _size_array(b: MxBuilder) -> SSAValue:
    """size_array(x) -> reshape(size(x), [1])"""
    return b.reshape(b.apply("Size", b.x), [1])


@converts("ones_like", "zeros_like")
def _filled_like(b: MxBuilder) -> SSAValue:
    """zeros_like(x) -> expand(0, shape(x)), ones_like alike"""
    fill = b.scalar("value", float(b.kind == "ones_like"), b.x)
    return b.apply("Expand", fill, _shape_of(b, b.x))


def _shape_of(b: MxBuilder, value: SSAValue) -> SSAValue:
    """The shape of a value as a vector."""
    dims = b.shape(value)
    return b.ints("shape", dims) if min(dims, default=0) >= 0 else b.apply("Shape", value)


@converts("_full", "_ones", "_zeros")
def _filled(b: MxBuilder) -> SSAValue:
    """zeros() -> expand(0, shape), ones and full alike"""
    number = b.op.number("value") if b.kind == "_full" else float(b.kind == "_ones")
    shape = [n or 0 for n in b.op.ints("shape")]
    if not shape or 0 in shape:
        raise Refusal("dynamic-shape", "its shape follows from those who read it")
    fill = b.constant("value", _numbers(b, np.array(number)))
    return b.apply("Expand", fill, b.ints("shape", shape))


@converts("_arange")
def _arange(b: MxBuilder) -> SSAValue:
    """arange() -> the numbers. Refused if its length follows from those who read it."""
    start, stop = b.op.number("start"), b.op.get("stop")
    if b.op.flag("infer_range"):
        raise Refusal("dynamic-shape", "its length follows from those who read it")
    if not isinstance(stop, int | float):
        start, stop = 0.0, start
    count = max(int(np.ceil((stop - start) / b.op.number("step"))), 0)
    return b.constant("numbers", _progression(b, start, count))


@converts("_contrib_arange_like")
def _arange_like(b: MxBuilder) -> SSAValue:
    """arange_like(x) -> as many numbers as x has, in its shape, or as an axis has"""
    sizes = b.static(b.x, "how many numbers there are")
    axis, times = b.op.get("axis"), b.op.integer("repeat")
    shape = sizes if not isinstance(axis, int) else (sizes[b.axis(b.x, axis)],)
    count = int(np.prod(shape))
    numbers = _progression(b, b.op.number("start"), -(-count // times))[:count]
    return b.constant("numbers", numbers.astype(b.dtype(b.x)).reshape(shape))


def _progression(b: MxBuilder, start: float, count: int) -> Array:
    """`count` numbers from `start` on, each repeated `repeat` times."""
    numbers = start + np.arange(count) * b.op.number("step")
    numbers = np.repeat(numbers, b.op.integer("repeat"))
    has_type = b.op.SPEC is not None and "dtype" in b.op.SPEC.attrs
    return _numbers(b, numbers) if has_type else numbers


@converts("_eye")
def _eye(b: MxBuilder) -> SSAValue:
    """eye() -> the numbers"""
    rows, columns = b.op.integer("N"), b.op.integer("M")
    return b.constant("numbers", _numbers(b, np.eye(rows, columns or rows, b.op.integer("k"))))


def _numbers(b: MxBuilder, array: Array) -> Array:
    """An array in the element type that the op names."""
    dtype = dtype_of(b.named_element(b.op.text("dtype")))
    return array if dtype is None else array.astype(dtype)


@converts("_contrib_MultiBoxPrior")
def _multi_box_prior(b: MxBuilder) -> SSAValue:
    """multi_box_prior(x) -> the boxes"""
    height, width = b.static(b.x, "the boxes", 2)
    op = b.op
    sizes, ratios, steps, offsets = (
        [np.float32(n or 0) for n in _floats(b, name)]
        for name in ("sizes", "ratios", "steps", "offsets")
    )
    if steps[0] <= 0 or steps[1] <= 0:
        steps = [np.float32(1) / np.float32(height), np.float32(1) / np.float32(width)]
    forms = [(s * np.float32(height) / np.float32(width) / 2, s / 2) for s in sizes]
    roots = [np.sqrt(r) for r in ratios[1:]]
    forms += [
        (sizes[0] * np.float32(height) / np.float32(width) * r / 2, sizes[0] / r / 2) for r in roots
    ]
    half = np.array(forms, np.float32)
    ys = (np.arange(height, dtype=np.float32) + offsets[0]) * steps[0]
    xs = (np.arange(width, dtype=np.float32) + offsets[1]) * steps[1]
    centers = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 1, 2)
    boxes = np.concatenate([centers - half, centers + half], -1).reshape(1, -1, 4)
    return b.constant("boxes", np.clip(boxes, 0, 1) if op.flag("clip") else boxes)


def _floats(b: MxBuilder, name: str) -> list[float]:
    numbers = b.op.get(name)
    return [n for n in numbers if isinstance(n, int | float)] if isinstance(numbers, tuple) else []
