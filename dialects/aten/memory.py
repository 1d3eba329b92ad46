"""Whether ops that copy only if they must did so when the program was exported.

`reshape` is a view if the layout of its operand allows that, and a copy if not; its schema cannot say which.
The file of a program has the layout of every tensor, so readers record on such ops what they did:

    %y = aten.reshape "r" (%x) <{shape = array<i64: -1>}> {aten.memory = "shared"}
        : (tensor<4x3xf32>) -> tensor<12xf32>

`as_strided` reads elements in memory order. Readers record on it whether that is the order of their indices,
as it is for every array that crosses a border.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

MEMORY = "aten.memory"
"""The attribute: `shared` or `copied`, for `as_strided` `ordered`; absent if the layout does not tell."""

SHARED = StringAttr("shared")
COPIED = StringAttr("copied")
ORDERED = StringAttr("ordered")

RESHAPING = frozenset({"flatten", "ravel", "reshape", "reshape_as"})
CONVERTING = frozenset({"contiguous", "to", "type_as"})


def is_contiguous(sizes: Sequence[int | None], strides: Sequence[int | None]) -> bool | None:
    """Whether elements are in the order of their indices; None if it depends on unknown sizes."""
    step: int | None = 1
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if step is None or stride is None:
            return None
        if stride != step:
            return False
        step = None if size is None else step * max(size, 1)
    return True


def can_view(sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether a tensor of these sizes and strides can be viewed in `shape` without a copy.

    Dimensions that are contiguous with each other form a chunk of memory. A new shape may split chunks, but
    not join them.
    """
    if 0 in sizes:
        return True
    chunks: list[int] = []
    step = 0
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if chunks and stride == step:
            chunks[-1] *= size
        else:
            chunks.append(size)
        step = stride * size
    target_sizes = [size for size in reversed(shape) if size != 1]
    for chunk in chunks:
        remaining = chunk
        while remaining > 1:
            if not target_sizes or remaining % target_sizes[0]:
                return False
            remaining //= target_sizes.pop(0)
    return not target_sizes


def reach(sizes: Sequence[int], strides: Sequence[int], offset: int) -> int:
    """The last memory offset of a tensor of these sizes and strides; -1 if it is empty."""
    if 0 in sizes:
        return -1
    return offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
