"""Reads an ONNX file without its large weights, which are loaded on demand.

Parsing a whole model keeps it in memory two or three times: as bytes, as a message, and as arrays.
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
"""Functions that load tensors, by name."""

LARGE = 1 << 18
"""Weights of at least this many bytes are left in the file."""


def read_file(path: Path) -> tuple[ModelProto, Loaders]:
    """The model in a file without the bytes of its large initializers, and the loaders of these by name.

    Raises DecodeError for a file that is damaged or not a model.
    """
    if path.stat().st_size > LARGE:
        file = _File(path)
        try:
            if (result := _read_apart(file)) is not None:
                return result
        except (Damaged, DecodeError, AutosplitError):
            # Parsing all of it reports what is wrong.
            pass
    return ModelProto.FromString(path.read_bytes()), {}


class _File:
    """A file that stays open, so that replacing it does not affect reads.

    Reading raises AutosplitError if it was modified.
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
    model_fields = list[bytes]()
    for number, field_start, start, end in _fields(file, 0, file.state[0]):
        if number == FUNCTION:
            return None
        if number != GRAPH:
            model_fields.append(file.read(field_start, end - field_start))
            continue
        graph_fields = list[bytes]()
        for graph_number, inner_start, content_start, content_end in _fields(file, start, end):
            if graph_number != INITIALIZER:
                graph_fields.append(file.read(inner_start, content_end - inner_start))
            else:
                proto.graph.initializer.append(_tensor(file, content_start, content_end, large))
        proto.graph.MergeFrom(GraphProto.FromString(b"".join(graph_fields)))
    proto.MergeFrom(ModelProto.FromString(b"".join(model_fields)))
    return proto, large


def _fields(file: _File, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, start of the field, start and end of its contents."""
    file.file.seek(start)
    field_start = start
    for number, wire, at, value in list(fields(file.file, end)):
        content_end = at if wire == VARINT else at + (value or 0)
        if content_end > end:
            raise Damaged
        yield number, field_start, at if wire == BYTES else field_start, content_end
        field_start = content_end


def _tensor(file: _File, start: int, end: int, large: Loaders) -> TensorProto:
    """An initializer, without its bytes if it is large and has only name, type and bytes."""
    if end - start < LARGE:
        return TensorProto.FromString(file.read(start, end - start))
    proto, at, size = read_stub(file.file, start, end - start)
    if at < 0:
        return proto
    type = tensor_proto_type(proto)
    dtype, shape = dtype_of(type), type.get_shape()
    is_complete = dtype is not None and is_plain(type) and prod(shape) * dtype.itemsize == size
    if dtype is None or not is_complete or not is_bare(proto) or proto.name in large:
        return TensorProto.FromString(file.read(start, end - start))
    large[proto.name] = lambda: file.array(dtype, shape, at)
    return proto
