"""Copies of bytes between the steps of a plan, in the longest pieces that lie together."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]


def copier(target: Array, source: Array) -> Callable[[], None]:
    """A call that copies one array to the other; the source may be broadcast.

    Elements that lie together in both are moved as one, whatever their number: numpy copies single bytes with
    strides ten times more slowly.
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
    if length in (0, size):
        return partial(np.copyto, target, source)
    shape = [n for n, _, _ in dims]
    wide = _as_words(target, length, shape, [step for _, step, _ in dims])
    read = _as_words(source, length, shape, [step for _, _, step in dims])
    return partial(np.copyto, wide, read)


def _as_words(array: Array, length: int, shape: Sequence[int], steps: Sequence[int]) -> Array:
    """The memory of an array as elements of so many bytes. The caller keeps the memory alive."""
    memory = (ctypes.c_char * length).from_address(array.ctypes.data)
    dtype: np.dtype[Any] = np.dtype((np.void, length))
    first: Array = np.frombuffer(memoryview(memory).cast("B"), dtype, 1)
    return np.lib.stride_tricks.as_strided(first, shape, steps)
