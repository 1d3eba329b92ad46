"""Ways back of what moves elements about: shapes, orders, parts, joints."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, f32

from autosplit.lowering.convert_top_to_onnx.base import Back, returns

LAST = 2**62
"""An end behind every element."""


@returns("Reshape", "Squeeze", "Unsqueeze", "Flatten", "View")
def view(b: Back) -> None:
    """The same elements in another shape: that of the result's type, where all of it is known."""
    if b.is_static():
        b.finish_reshaped(b.x())
        return
    kind = b.op.kind
    if kind in ("Squeeze", "Unsqueeze"):
        b.finish(kind, [b.x(), b.ints(b.op.ints("axes"), "axes")])
    elif kind == "Reshape" and (shape := b.op.ints("shape")):
        b.finish("Reshape", [b.x(), b.ints(shape, "shape")])
    else:
        raise b.refusal(f"has a result of unknown shape {list(b.result_shape())}")


@returns("Permute")
def permute(b: Back) -> None:
    b.finish("Transpose", [b.x()], {"perm": b.op.ints("order")})


@returns("Transpose")
def transpose(b: Back) -> None:
    order = list(range(len(b.shape())))
    axis_a, axis_b = b.op.integer("dim0"), b.op.integer("dim1")
    order[axis_a], order[axis_b] = order[axis_b], order[axis_a]
    b.finish("Transpose", [b.x()], {"perm": order})


@returns("Concat")
def concat(b: Back) -> None:
    b.finish("Concat", b.all(), {"axis": b.op.integer("axis")})


@returns("Unpack")
def unpack(b: Back) -> None:
    """The slices along a dimension, which goes."""
    axis = b.op.integer("axis")
    for i in range(len(b.op.outputs)):
        index = b.constant(f"index_{i}", np.array(i, np.int64))
        b.finish("Gather", [b.x(), index], {"axis": axis}, result=i)


@returns("Split")
def split(b: Back) -> None:
    axis = b.op.integer("axis") % len(b.shape())
    sizes = [b.result_shape(i)[axis] for i in range(len(b.op.outputs))]
    b.finish_all("Split", [b.x(), b.ints(sizes, "sizes")], {"axis": axis})


@returns("Slice")
def slice_(b: Back) -> None:
    """From `offset` in `steps`: as many elements as the result's type says, where all of it is known."""
    op = b.op
    starts, steps, ends = op.ints("offset"), op.ints("steps"), op.ints("ends")
    axes = op.ints("axes") or list(range(len(starts)))
    if b.is_static() and all(b.shape()[a] >= 0 for a in axes):
        starts, ends = _bounds(b, starts, steps, axes)
    names = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
    b.finish("Slice", [b.x(), *(b.ints(v, k) for k, v in names.items())])


def _bounds(
    b: Back, starts: list[int], steps: list[int], axes: list[int]
) -> tuple[list[int], list[int]]:
    """Starts and ends that hold as many elements as the result has; TPU-MLIR writes ends in several ways."""
    begins: list[int] = []
    stops: list[int] = []
    for start, step, axis in zip(starts, steps, axes, strict=True):
        size, count = b.shape()[axis], b.result_shape()[axis]
        start = start + size if start < 0 else start
        start = max(0, min(start, size - 1 if step < 0 else size))
        end = start + step * count
        begins.append(start)
        stops.append(-LAST if end < 0 else min(end, size))
    return begins, stops


@returns("Tile")
def tile(b: Back) -> None:
    if not (repeats := b.op.ints("tile")):
        repeats = [r // x for x, r in zip(b.shape(), b.result_shape(), strict=True)]
    b.finish("Tile", [b.x(), b.ints(repeats, "repeats")])


@returns("Expand")
def expand(b: Back) -> None:
    shape = list(b.result_shape()) if b.is_static() else b.op.ints("shape")
    b.finish("Expand", [b.x(), b.ints(shape, "shape")])


@returns("Pad")
def pad(b: Back) -> None:
    mode = b.op.text("mode")
    if mode == "symmetric":
        raise b.refusal("has mode 'symmetric', which has no way back")
    pads = b.ints(b.op.ints("paddings"), "pads")
    inputs = [b.x(), pads]
    if mode == "constant":
        inputs.append(b.number(b.op.number("val"), "value"))
    b.finish("Pad", inputs, {"mode": mode})


@returns("Depth2Space")
def depth_to_space(b: Back) -> None:
    """Channels become blocks of positions, or the other way round; by reshaping, as blocks may be oblong."""
    op = b.op
    if not (op.flag("in_is_NCHW") and op.flag("out_is_NCHW")) or op.flag("swap_cr"):
        raise b.refusal("has channels last or swapped, which has no way back")
    n, c, h, w = b.shape()
    p, q = op.integer("block_h"), op.integer("block_w")
    if op.flag("is_inversed"):
        split = [n, c, h // p, p, w // q, q]
        order = [0, 1, 3, 5, 2, 4] if op.flag("is_CRD") else [0, 3, 5, 1, 2, 4]
    elif op.flag("is_CRD"):
        split, order = [n, c // (p * q), p, q, h, w], [0, 1, 4, 2, 5, 3]
    else:
        split, order = [n, p, q, c // (p * q), h, w], [0, 3, 4, 1, 5, 2]
    _rearrange(b, split, order)


def _rearrange(b: Back, split: list[int], order: list[int]) -> None:
    """The input in more dimensions, turned, in the shape of the result."""
    split_value = b.reshape(b.x(), split, "split")
    type = TensorType(f32, [split[i] for i in order])
    b.finish_reshaped(b.emit("Transpose", [split_value], {"perm": order}, "turned", type))


@returns("ShuffleChannel")
def shuffle_channel(b: Back) -> None:
    n, c, *spatial = b.shape()
    group = b.op.integer("group")
    tail = list(range(3, 3 + len(spatial)))
    _rearrange(b, [n, group, c // group, *spatial], [0, 2, 1, *tail])


@returns("SwapDimInner")
def swap_dim_inner(b: Back) -> None:
    """Each dimension with an offset begins there, and what was before comes last."""
    value = b.x()
    offsets = [(axis, o) for axis, o in enumerate(b.op.ints("offset")) if o]
    for axis, offset in offsets:
        halves = [
            b.emit(
                "Slice",
                [value, *(b.ints([v], f"{k}_{axis}") for k, v in bounds.items())],
                suffix=f"half_{axis}",
                type=TensorType(f32, [-1] * len(b.shape())),
            )
            for bounds in (
                {"start": offset, "end": LAST, "axis": axis},
                {"start_2": 0, "end_2": offset, "axis_2": axis},
            )
        ]
        value = b.emit("Concat", halves, {"axis": axis}, f"rolled_{axis}")
    b.finish("Identity", [value])
