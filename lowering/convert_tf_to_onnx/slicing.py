"""Slices of tensors, with bounds that are known or computed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, i64
from xdsl.ir import SSAValue

from autosplit.lowering.convert_tf_to_onnx.builder import (
    INT64_MAX,
    INT64_MIN,
    Builder,
    converts,
)
from autosplit.lowering.convert_tf_to_onnx.types import Shape, shape_of, tensor
from autosplit.lowering.shared.refusal import Refusal

UNKNOWN = DYNAMIC_INDEX


@converts("Slice")
def _slice(b: Builder) -> SSAValue:
    """slice(x, begin, size) -> slice(x, begin, begin + size), to the end where size is -1"""
    x = b.input(0)
    begin, size = b.array(1), b.array(2)
    if begin is not None and size is not None:
        begins = [int(v) for v in begin.reshape(-1)]
        sizes = [int(v) for v in size.reshape(-1)]
        ends = [INT64_MAX if s < 0 else f + s for f, s in zip(begins, sizes, strict=True)]
        shape = shape_of(x) or (UNKNOWN,) * len(begins)
        out = [
            (d - f if d >= 0 else UNKNOWN) if s < 0 else s
            for d, f, s in zip(shape, begins, sizes, strict=True)
        ]
        return b.node(
            "Slice",
            x,
            b.i64(begins, "starts"),
            b.i64(ends, "ends"),
            b.i64(range(len(begins)), "axes"),
            type=tensor(b.element(x), out),
        )
    starts, counts = b.to_i64(1, "starts", vector=True), b.to_i64(2, "size", vector=True)
    open_end = b.node("Less", counts, b.i64(0, "zero"))
    end = b.node("Where", open_end, b.i64(INT64_MAX, "end"), b.node("Add", starts, counts))
    rank = shape_of(x)
    unknown = None if rank is None else (UNKNOWN,) * len(rank)
    return b.node("Slice", x, starts, end, type=tensor(b.element(x), unknown))


@dataclass
class _Spec:
    """What the five masks of a StridedSlice mean for ONNX."""

    entries: list[int] = field(default_factory=list[int])
    """Which entries of begin, end and strides are sliced, and along which axes:"""
    axes: list[int] = field(default_factory=list[int])
    removed: list[int] = field(default_factory=list[int])
    """Axes of the sliced value that are removed."""
    added: list[int] = field(default_factory=list[int])
    """Axes of the result that are new."""


def _read_masks(b: Builder, count: int) -> _Spec:
    """Reads ellipsis, new-axis and shrink masks; axes behind an ellipsis count from the end."""
    ellipsis = int(b.attribute("ellipsis_mask", 0))
    new_axis = int(b.attribute("new_axis_mask", 0)) & ~ellipsis
    shrink = int(b.attribute("shrink_axis_mask", 0)) & ~ellipsis & ~new_axis
    ellipses = [i for i in range(count) if ellipsis >> i & 1]
    if len(ellipses) > 1:
        raise Refusal("malformed-op", "ellipsis_mask has more than one bit")
    split = ellipses[0] if ellipses else count
    spec = _Spec()
    consumed, produced = 0, 0
    for i in range(split):
        if new_axis >> i & 1:
            spec.added.append(produced)
            produced += 1
            continue
        spec.entries.append(i)
        spec.axes.append(consumed)
        if shrink >> i & 1:
            spec.removed.append(consumed)
        else:
            produced += 1
        consumed += 1
    tail = _Spec()
    consumed, produced = 0, 0
    for i in range(count - 1, split, -1):
        if new_axis >> i & 1:
            produced += 1
            tail.added.append(-produced)
            continue
        consumed += 1
        tail.entries.append(i)
        tail.axes.append(-consumed)
        if shrink >> i & 1:
            tail.removed.append(-consumed)
        else:
            produced += 1
    for mine, theirs in (
        (spec.entries, tail.entries),
        (spec.axes, tail.axes),
        (spec.removed, tail.removed),
        (spec.added, tail.added),
    ):
        mine.extend(reversed(theirs))
    return spec


@converts("StridedSlice")
def _strided_slice(b: Builder) -> SSAValue:
    """strided_slice(x, begin, end, strides) -> unsqueeze(squeeze(slice(x)))

    Masked begins and ends leave nothing out; shrunk axes are sliced to one element and
    squeezed. Refused if the strides are computed: their signs decide what a masked end is.
    """
    x = b.input(0)
    strides = b.ints(3, "strides")
    spec = _read_masks(b, len(strides))
    begin, end = b.constants.partial(b.input(1)), b.constants.partial(b.input(2))
    begin_mask, end_mask = int(b.attribute("begin_mask", 0)), int(b.attribute("end_mask", 0))
    shrunk = {e for e, a in zip(spec.entries, spec.axes, strict=True) if a in spec.removed}
    starts: list[int | None] = []
    ends: list[int | None] = []
    for i in spec.entries:
        first = int(begin.values[i]) if begin is not None and begin.known[i] else None
        last = int(end.values[i]) if end is not None and end.known[i] else None
        forward = strides[i] > 0
        if i in shrunk:
            last = None if first is None else first + 1 if first != -1 else INT64_MAX
        else:
            if begin_mask >> i & 1:
                first = 0 if forward else INT64_MAX
            if end_mask >> i & 1:
                last = INT64_MAX if forward else INT64_MIN
        starts.append(first)
        ends.append(last)
    steps = [1 if i in shrunk else strides[i] for i in spec.entries]
    if spec.axes == [0] and spec.removed == [0] and not spec.added and starts[0] is not None:
        out = shape_of(x)
        row = None if out is None else out[1:]
        index = b.i64(starts[0], "index")
        return b.node("Gather", x, index, type=tensor(b.element(x), row), axis=0)
    whole = [
        s == 0 and e == INT64_MAX and t == 1 for s, e, t in zip(starts, ends, steps, strict=True)
    ]
    if not all(whole):
        shape = _sliced(shape_of(x), spec.axes, starts, ends, steps)
        inputs = [
            _bounds(b, 1, spec, starts, None),
            _bounds(b, 2, spec, ends, shrunk),
            b.i64(spec.axes, "axes"),
        ]
        if any(s != 1 for s in steps):
            inputs.append(b.i64(steps, "steps"))
        x = b.node("Slice", x, *inputs, type=tensor(b.element(x), shape))
    if spec.removed:
        shape = shape_of(x)
        if shape is not None:
            removed = {a % len(shape) for a in spec.removed}
            shape = tuple(d for i, d in enumerate(shape) if i not in removed)
        x = b.node("Squeeze", x, b.i64(spec.removed, "gone"), type=tensor(b.element(x), shape))
    if spec.added:
        shape = shape_of(x)
        if shape is not None:
            rank = len(shape) + len(spec.added)
            new = {a % rank for a in spec.added}
            dims = iter(shape)
            shape = tuple(1 if i in new else next(dims) for i in range(rank))
        x = b.node("Unsqueeze", x, b.i64(spec.added, "new"), type=tensor(b.element(x), shape))
    return x


def _sliced(
    shape: Shape | None,
    axes: list[int],
    starts: list[int | None],
    ends: list[int | None],
    steps: list[int],
) -> Shape | None:
    if shape is None:
        return None
    out = list(shape)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        size = out[axis]
        if start is None or end is None or size < 0:
            out[axis] = UNKNOWN
            continue
        stop = None if step < 0 and end < -size else end
        out[axis] = len(range(size)[start:stop:step])
    return tuple(out)


def _bounds(
    b: Builder, index: int, spec: _Spec, values: list[int | None], shrunk: set[int] | None
) -> SSAValue:
    """Begins or ends as an int64 vector: constant where all are known, else chosen at run time.

    `shrunk`: entries whose end is their begin plus one, given for ends.
    """
    what = "starts" if index == 1 else "ends"
    constants = [v for v in values if v is not None]
    if len(constants) == len(values):
        return b.i64(constants, what)
    length = tensor(i64, (len(values),))

    def pick(operand: int) -> SSAValue:
        vector = b.to_i64(operand, f"{what}_all", vector=True)
        return b.node("Gather", vector, b.i64(spec.entries, f"{what}_entries"), type=length, axis=0)

    out = pick(index)
    if shrunk and any(e in shrunk for e in spec.entries):
        first = pick(1)
        last = b.node("Equal", first, b.i64(-1, "minus_one"))
        following = b.node(
            "Where", last, b.i64(INT64_MAX, "end"), b.node("Add", first, b.i64(1, "one"))
        )
        mask = np.asarray([e in shrunk for e in spec.entries])
        out = b.node("Where", b.constant(mask, "shrunk"), following, out)
    if constants:
        mask = np.asarray([v is not None for v in values])
        fixed = b.i64([0 if v is None else v for v in values], f"{what}_fixed")
        out = b.node("Where", b.constant(mask, f"{what}_known"), fixed, out)
    return out


@converts("ReverseV2")
def _reverse(b: Builder) -> SSAValue:
    """reverse(x, axes) -> slice(x, last to first along each axis). Refused if axes are computed."""
    x, axes = b.input(0), b.ints(1, "the axes")
    if not axes:
        return x
    n = len(axes)
    return b.node(
        "Slice",
        x,
        b.i64([INT64_MAX] * n, "starts"),
        b.i64([INT64_MIN] * n, "ends"),
        b.i64(axes, "axes"),
        b.i64([-1] * n, "steps"),
        type=x.type,
    )
