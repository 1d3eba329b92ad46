"""An ONNX file without its large weights, which are read when they are asked for.

A model that is parsed as a whole is in memory two or three times: as bytes, as a message, and as arrays.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path

import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, TensorProto

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.formats.onnx.values import is_plain, tensor_proto_type
from autosplit.formats.onnx.weights import FUNCTION, GRAPH, INITIALIZER, is_bare, read_stub
from autosplit.formats.onnx.wire import BYTES, VARINT, Damaged, fields

Array = NDArray[np.generic]

Loaders = dict[str, Callable[[], Array]]
"""What reads tensors, by name."""

LARGE = 1 << 18
"""Bytes of a weight that is left in the file."""


def read_file(path: Path) -> tuple[ModelProto, Loaders]:
    """The model in a file; what reads its large initializers, by name, which have no bytes in the message.

    Raises DecodeError for a file that is none, or is damaged.
    """
    if path.stat().st_size > LARGE:
        file = _File(path)
        try:
            if (parts := _read_apart(file)) is not None:
                return parts
        except (Damaged, DecodeError, AutosplitError):
            # Parsing all of it tells what is wrong.
            pass
    return ModelProto.FromString(path.read_bytes()), {}


class _File:
    """A file that stays open, so that its bytes are those that were there at first.

    Reading raises AutosplitError if somebody has written into it.
    """

    def __init__(self, path: Path):
        self.path = path
        self.file = path.open("rb")
        weakref.finalize(self, self.file.close)
        self.state = self._state()
        self._lock = threading.Lock()

    def _state(self) -> tuple[int, int]:
        state = os.fstat(self.file.fileno())
        return state.st_size, state.st_mtime_ns

    def read(self, start: int, length: int) -> bytes:
        self.file.seek(start)
        return self.file.read(length)

    def array(self, dtype: np.dtype[np.generic], shape: tuple[int, ...], start: int) -> Array:
        array = np.empty(shape, dtype)
        with self._lock:
            self.file.seek(start)
            count = self.file.readinto(array.reshape(-1).view(np.uint8).data)
        if count != array.nbytes or self._state() != self.state:
            raise AutosplitError(f"{self.path}: was changed while it was in use; try again")
        return array


def _read_apart(file: _File) -> tuple[ModelProto, Loaders] | None:
    """None for a model with functions, whose inlining needs the whole message."""
    proto, large = ModelProto(), Loaders()
    rest = list[bytes]()
    for number, before, start, end in _fields(file, 0, file.state[0]):
        if number == FUNCTION:
            return None
        if number != GRAPH:
            rest.append(file.read(before, end - before))
            continue
        graph = list[bytes]()
        for inner, ahead, begin, stop in _fields(file, start, end):
            if inner != INITIALIZER:
                graph.append(file.read(ahead, stop - ahead))
            else:
                proto.graph.initializer.append(_tensor(file, begin, stop, large))
        proto.graph.MergeFrom(GraphProto.FromString(b"".join(graph)))
    proto.MergeFrom(ModelProto.FromString(b"".join(rest)))
    return proto, large


def _fields(file: _File, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, where its head begins, where its contents do, and where they end."""
    file.file.seek(start)
    before = start
    for number, wire, at, value in list(fields(file.file, end)):
        stop = at if wire == VARINT else at + (value or 0)
        if stop > end:
            raise Damaged
        yield number, before, at if wire == BYTES else before, stop
        before = stop


def _tensor(file: _File, start: int, end: int, large: Loaders) -> TensorProto:
    """An initializer; without its bytes if these are many and it is nothing but name, type and bytes."""
    if end - start < LARGE:
        return TensorProto.FromString(file.read(start, end - start))
    proto, at, size = read_stub(file.file, start, end - start)
    if at < 0:
        return proto
    type = tensor_proto_type(proto)
    dtype, shape = dtype_of(type), type.get_shape()
    whole = dtype is not None and is_plain(type) and prod(shape) * dtype.itemsize == size
    if dtype is None or not whole or not is_bare(proto) or proto.name in large:
        return TensorProto.FromString(file.read(start, end - start))
    large[proto.name] = lambda: file.array(dtype, shape, at)
    return proto
