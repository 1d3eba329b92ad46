"""Copies of arrays to arrays of other strides, by the library's own kernel and its threads.

They are among oneDNN's primitives, not in its Graph API, and take what is copied as it is: no number changes.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from ctypes import byref, c_int64, c_void_p
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray

from autosplit.runtime.dnnl.api import MAX_NDIMS, ArgumentStruct
from autosplit.runtime.dnnl.process import Library, loaded_library

Array = NDArray[Any]

TYPES = {1: 6, 4: 3}
"""The bytes of an element -> a `dnnl_data_type_t` of that size: u8, f32."""

SOURCE, TARGET = 1, 17
"""`DNNL_ARG_FROM` and `DNNL_ARG_TO`."""

KEPT = 256
"""Kernels of a process that are kept for copies of the same form."""


class _Owner:
    """Makes objects of the library's that live as long as it does."""

    def __init__(self, lib: Library):
        self.library = lib

    def make(self, kind: str, create: str, *arguments: object) -> c_void_p:
        """A new one. Raises AutosplitError where the library refuses."""
        dll, handle = self.library.dll, c_void_p()
        status = getattr(dll, f"dnnl_{create}")(byref(handle), *arguments)
        self.library.check(status, "preparing a copy")
        weakref.finalize(self, getattr(dll, f"dnnl_{kind}_destroy"), handle)
        return handle


class _Kernel(_Owner):
    """The library's copy of tensors of one form to tensors of another, wherever they are."""

    def __init__(self, lib: Library, itemsize: int, shape: Sequence[int], *strides: Sequence[int]):
        """`strides` are those of the target, and of the source, in elements."""
        super().__init__(lib)
        self.target, self.source = (self._described(itemsize, shape, s) for s in strides)
        engine = lib.engine
        chosen = self.make(
            "primitive_desc",
            "reorder_primitive_desc_create",
            *(self.source, engine),
            *(self.target, engine),
            None,
        )
        self.primitive = self.make("primitive", "primitive_create", chosen)

    def _described(self, itemsize: int, shape: Sequence[int], strides: Sequence[int]) -> c_void_p:
        numbers = c_int64 * MAX_NDIMS
        return self.make(
            "memory_desc",
            "memory_desc_create_with_strides",
            *(len(shape), numbers(*shape), TYPES[itemsize], numbers(*strides)),
        )


_kernel = lru_cache(KEPT)(_Kernel)


class Reorder(_Owner):
    """A call that copies one array to another, by this thread's stream. The caller keeps their memory."""

    def __init__(self, kernel: _Kernel, target: Array, source: Array):
        super().__init__(kernel.library)
        self._kernel = kernel
        self._stream = self.library.stream()
        self._arguments = (ArgumentStruct * 2)(
            ArgumentStruct(SOURCE, self._memory(kernel.source, source)),
            ArgumentStruct(TARGET, self._memory(kernel.target, target)),
        )

    def __call__(self) -> None:
        status = self.library.dll.dnnl_primitive_execute(
            self._kernel.primitive, self._stream.handle, len(self._arguments), self._arguments
        )
        self.library.check(status, "copying a tensor")

    def _memory(self, form: c_void_p, array: Array) -> c_void_p:
        return self.make(
            "memory", "memory_create", form, self.library.engine, c_void_p(array.ctypes.data)
        )


def reorder(target: Array, source: Array) -> Reorder | None:
    """A copy by the library; None where it is not loaded, or has none.

    It has them for elements of 1 and 4 bytes with up to `MAX_NDIMS` sizes that lie within each other.
    """
    lib = loaded_library()
    if lib is None or lib.is_asynchronous or target.itemsize not in TYPES:
        return None
    kept = [i for i, n in enumerate(target.shape) if n != 1]
    strides = [
        tuple(array.strides[i] // array.itemsize for i in kept) for array in (target, source)
    ]
    shape = tuple(target.shape[i] for i in kept)
    if not 0 < len(kept) <= MAX_NDIMS or not all(_nests(shape, s) for s in strides):
        return None
    return Reorder(_kernel(lib, target.itemsize, shape, *strides), target, source)


def _nests(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether each step passes over all of the smaller ones, as the library asks.

    Every second one of an odd number of columns does not: the last step ends in the next row.
    """
    reach = 1
    for step, size in sorted(zip(strides, shape, strict=True)):
        if step < reach or not size:
            return False
        reach = step * size
    return True
