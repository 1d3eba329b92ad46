"""Memory of a compiled plan: forms of tensors, views of raw memory, and one block that values share.

A step's outputs live from the step that writes them to the last one that reads them; values whose lives do
not meet may lie at the same place.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.runtime.dnnl.reorder import reorder

Array = NDArray[np.generic]

ALIGNMENT = 64
"""Buffers begin at a cache line, which is also the widest vector."""

WORTH_A_REORDER = 8192
"""Bytes from which on the library copies faster than numpy, even if it prepares the copy in each run."""

LARGE_PAGE = 1 << 21
"""How many bytes a large page of most processors has."""


@dataclass(frozen=True)
class MemoryLayout:
    """How a tensor lies in memory: its sizes, and its strides in elements.

    Strides of None are row-major, so that forms of equal tensors are equal.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None

    @classmethod
    def of(cls, shape: Sequence[int], strides: Sequence[int] | None) -> MemoryLayout:
        """The form with these strides; those of a row-major tensor become None."""
        sizes = tuple(shape)
        if strides is None or _same_places(sizes, strides, row_major(sizes)):
            return cls(sizes)
        return cls(sizes, tuple(strides))

    @classmethod
    def ordered(cls, shape: Sequence[int], order: Sequence[int]) -> MemoryLayout:
        """A dense tensor whose dimensions lie in `order`, outermost first."""
        strides = [1] * len(shape)
        step = 1
        for dimension in reversed(order):
            strides[dimension] = step
            step *= max(1, shape[dimension])
        return cls.of(shape, strides)

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The strides in elements, also of a row-major tensor."""
        return row_major(self.shape) if self.strides is None else self.strides

    @cached_property
    def extent(self) -> int:
        """Elements from the first to the last, with both; 0 where the tensor is empty."""
        if not prod(self.shape):
            return 0
        return 1 + sum((n - 1) * step for n, step in zip(self.shape, self.steps, strict=True))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a row-major tensor, in elements."""
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * max(1, shape[i + 1])
    return tuple(strides)


def _same_places(shape: Sequence[int], one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two lists of strides put every element at the same place: sizes of 1 do not count."""
    return all(n == 1 or a == b for n, a, b in zip(shape, one, other, strict=True))


def view(address: int, form: MemoryLayout, dtype: np.dtype[Any]) -> Array:
    """The tensor at `address` as an array. The caller keeps the memory alive."""
    count = form.extent
    if count == 0:
        return np.empty(form.shape, dtype)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    flat: Array = np.frombuffer(memoryview(memory).cast("B"), dtype, count)
    if form.strides is None:
        return flat.reshape(form.shape)
    steps = [s * dtype.itemsize for s in form.strides]
    return np.lib.stride_tricks.as_strided(flat, form.shape, steps)


def unplaced(form: MemoryLayout, dtype: np.dtype[Any]) -> Array:
    """An array of this form that lies nowhere: its shape and strides can be asked for, no element."""
    steps = [s * dtype.itemsize for s in form.steps]
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), form.shape, steps)


def address_of(array: Array) -> int:
    """Where an array's first element lies."""
    return array.ctypes.data


def aligned(array: Array) -> Array:
    """A row-major copy of `array` that begins at a multiple of `ALIGNMENT`; read-only."""
    block = Block(array.nbytes)
    data = block.memory[block.start : block.start + array.nbytes]
    kept: Array = data.view(array.dtype).reshape(array.shape)
    np.copyto(kept, array)
    kept.flags.writeable = False
    return kept


def copier(target: Array, source: Array) -> Callable[[], None]:
    """A call that copies one array to the other; the source may be broadcast.

    Elements that lie together in both are moved as one, whatever their number: numpy copies single bytes with
    strides ten times more slowly. Where none do, the library is two to ten times as fast as numpy.
    """
    source = np.broadcast_to(source, target.shape)
    order = sorted(range(target.ndim), key=lambda i: -target.strides[i])
    dims = [
        (target.shape[i], target.strides[i], source.strides[i])
        for i in order
        if target.shape[i] != 1
    ]
    size = length = target.dtype.itemsize
    while dims and dims[-1][1] == dims[-1][2] == length:
        length *= dims.pop()[0]
    if length == size and target.nbytes >= WORTH_A_REORDER:
        call = reorder(target, source)
        if call is not None:
            return call
    if length in (0, size):
        return partial(np.copyto, target, source)
    shape = [n for n, _, _ in dims]
    wide = _as_words(target, length, shape, [step for _, step, _ in dims])
    read = _as_words(source, length, shape, [step for _, _, step in dims])
    return partial(np.copyto, wide, read)


def looker(target: Array, source: Array, table: bytes) -> Callable[[], None]:
    """A call that writes to one array of bytes what a table has for those of the other.

    Where both lie without gaps and in the same order, `bytearray.translate` looks up three bytes a
    nanosecond, that of `bytes` two, and numpy's `take` one.
    """
    order = sorted(range(target.ndim), key=lambda i: -target.strides[i])
    to, of = (array.view(np.uint8).transpose(order) for array in (target, source))
    if not (to.flags.c_contiguous and of.flags.c_contiguous):
        numbers = np.frombuffer(table, np.uint8)
        return lambda: np.copyto(to, numbers[of])
    row, read = to.reshape(-1), of.reshape(-1)
    return lambda: np.copyto(row, np.frombuffer(bytearray(read).translate(table), np.uint8))


def _as_words(array: Array, length: int, shape: Sequence[int], steps: Sequence[int]) -> Array:
    """The memory of an array as elements of so many bytes. The caller keeps the memory alive."""
    memory = (ctypes.c_char * length).from_address(array.ctypes.data)
    dtype: np.dtype[Any] = np.dtype((np.void, length))
    first: Array = np.frombuffer(memoryview(memory).cast("B"), dtype, 1)
    return np.lib.stride_tricks.as_strided(first, shape, steps)


Located = tuple[int, MemoryLayout]
"""Where a value lies in a run, and how."""


class Block:
    """Some bytes that begin at a multiple of `ALIGNMENT`.

    In large pages, where the kernel has them and the bytes are many: a processor finds 512 times the memory
    with as many entries of its tables.
    """

    def __init__(self, size: int, *, large_pages: bool = False):
        self.size = size
        large = large_pages and size >= LARGE_PAGE // 2
        alignment = LARGE_PAGE if large else ALIGNMENT
        bytes = size + alignment
        self.memory: NDArray[np.uint8] = (
            _in_large_pages(bytes) if large else np.empty(bytes, np.uint8)
        )
        self.start = -address_of(self.memory) % alignment
        self.address = address_of(self.memory) + self.start


def _in_large_pages(size: int) -> NDArray[np.uint8]:
    """Memory that the kernel is asked to give in large pages; those that nobody touches take nothing."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # A kernel without them refuses, and gives small ones.
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)


@dataclass(frozen=True)
class Piece:
    """A value that wants `size` bytes from step `first`, which writes it, to step `last`, which reads it.

    `takes` is the piece whose bytes it takes over: an in-place output, written where a piece lies that is
    read for the last time in the same step.
    """

    size: int
    first: int
    last: int
    takes: int | None = None


def arrange(pieces: Sequence[Piece]) -> tuple[list[int], int]:
    """The offset of each piece in one block, and the block's size.

    Pieces that live in the same step never overlap, but for one that takes over another. Larger pieces are
    placed first, each at the lowest offset that is free for its whole life.
    """
    roots = _roots(pieces)
    size, first, last = dict[int, int](), dict[int, int](), dict[int, int]()
    for i, piece in enumerate(pieces):
        root = roots[i]
        size[root] = max(size.get(root, 0), _rounded(piece.size))
        first[root] = min(first.get(root, piece.first), piece.first)
        last[root] = max(last.get(root, piece.last), piece.last)
    offsets: dict[int, int] = {}
    for root in sorted(size, key=lambda r: (-size[r], first[r], r)):
        taken = sorted(
            (offsets[o], offsets[o] + size[o])
            for o in offsets
            if first[o] <= last[root] and first[root] <= last[o]
        )
        offset = 0
        for begin, end in taken:
            if begin - offset >= size[root]:
                break
            offset = max(offset, end)
        offsets[root] = offset
    total = max((offsets[r] + size[r] for r in offsets), default=0)
    return [offsets[r] for r in roots], total


def _roots(pieces: Sequence[Piece]) -> list[int]:
    """For each piece, the first of the chain of pieces whose bytes it takes over."""
    roots: list[int] = []
    for i, piece in enumerate(pieces):
        roots.append(i if piece.takes is None else roots[piece.takes])
    return roots


def _rounded(size: int) -> int:
    return max(ALIGNMENT, -(-size // ALIGNMENT) * ALIGNMENT)
