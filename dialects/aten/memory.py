"""Whether ops that copy only if they must did so when the program was exported.

`reshape` shows the same memory in another shape where the layout of its operand allows that, and copies it
where not; its schema cannot say which. The file of a program has the layout of every tensor, so that readers
note on such ops what they did:

    %y = aten.reshape "r" (%x) <{shape = array<i64: -1>}> {aten.memory = "shared"}
        : (tensor<4x3xf32>) -> tensor<12xf32>

`as_strided` reads elements as they lie in memory. Readers note on it whether they lie in the order of their
indices, as those of every array that crosses a border do.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

MEMORY = "aten.memory"
"""The attribute: `shared` or `copied`, of `as_strided` `ordered`; absent where the layout does not say."""

SHARED = StringAttr("shared")
COPIED = StringAttr("copied")
ORDERED = StringAttr("ordered")

RESHAPING = frozenset({"flatten", "ravel", "reshape", "reshape_as"})
CONVERTING = frozenset({"contiguous", "to", "type_as"})


def is_contiguous(sizes: Sequence[int | None], strides: Sequence[int | None]) -> bool | None:
    """Whether elements lie in the order of their indices; None where unknown sizes leave it open."""
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
    """Whether a tensor of these sizes and strides can be seen in `shape` without a copy.

    Dimensions of which one lies inside the other make one piece of memory. A new shape may part pieces, but
    not join them.
    """
    if 0 in sizes:
        return True
    pieces: list[int] = []
    step = 0
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if pieces and stride == step:
            pieces[-1] *= size
        else:
            pieces.append(size)
        step = stride * size
    wanted = [size for size in reversed(shape) if size != 1]
    for piece in pieces:
        left = piece
        while left > 1:
            if not wanted or left % wanted[0]:
                return False
            left //= wanted.pop(0)
    return not wanted


def reach(sizes: Sequence[int], strides: Sequence[int], offset: int) -> int:
    """The last place in memory that a tensor of these sizes and strides has; -1 where it has none."""
    if 0 in sizes:
        return -1
    return offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
