"""Reads the large tensors of an ONNX file without its graph, for a folder that was read as text."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest_of
from autosplit.formats.onnx.functions import inline_functions
from autosplit.formats.onnx.nodes import bodies_of
from autosplit.formats.onnx.reader import sorted_nodes, tensor_key
from autosplit.formats.onnx.values import free_key, is_plain, store_tensor, tensor_proto_type
from autosplit.formats.onnx.wire import BYTES, VARINT, Damaged, fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

GRAPH, FUNCTION, NODE, INITIALIZER, RAW_DATA = 7, 25, 1, 5, 9
"""Field numbers: two of a model, two of its graph, one of a tensor."""

_PLAIN_FIELDS = ("data_type", "dims", "name")
"""The fields besides its bytes of a tensor that type, name and bytes restore completely."""


@dataclass
class _Tensor:
    """An initializer of the model's graph."""

    proto: TensorProto
    """Without its bytes if these are at `start`."""
    start: int = -1
    size: int = 0


def read_weights(path: Path, file_digest: str = "") -> WeightStore:
    """The tensors that `read_model` would put into a store, by the same keys.

    The bytes of initializers are loaded from the file on demand. Raises AutosplitError for a file
    that is damaged.
    """
    try:
        store = WeightStore(path, file_digest or digest_of(path))
        with path.open("rb") as file:
            # The mapping stays valid if the file is replaced.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            scanned = _scan(file, len(data))
        if scanned is None:
            # Nodes of functions are not among those of the graph, as long as they are not inlined.
            proto = ModelProto.FromString(data[:])
            inline_functions(proto)
            _add_graph(proto.graph, store, path.parent)
            return store
        tensors, nodes = scanned
        for tensor in tensors:
            _add_initializer(tensor, data, store, path.parent)
        _add_nodes(nodes, store, path.parent)
    except (OSError, ValueError, Damaged, DecodeError) as error:
        raise AutosplitError(f"{path}: is not an ONNX model, or a damaged one: {error}") from error
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from error
    return store


def _scan(file: BinaryIO, size: int) -> tuple[list[_Tensor], list[NodeProto]] | None:
    """The initializers and the nodes of the model's graph, in the order of the file.

    None for a model with functions.
    """
    tensors: list[_Tensor] = []
    nodes: list[NodeProto] = []
    for number, start, length in _messages(file, 0, size):
        if number == FUNCTION:
            return None
        if number != GRAPH:
            continue
        for inner, begin, count in _messages(file, start, start + length):
            if inner == INITIALIZER:
                tensors.append(_Tensor(*read_stub(file, begin, count)))
            elif inner == NODE:
                file.seek(begin)
                nodes.append(NodeProto.FromString(file.read(count)))
    return tensors, nodes


def _messages(file: BinaryIO, start: int, end: int) -> list[tuple[int, int, int]]:
    """Number, start and length of each length-delimited field of the message between two offsets."""
    file.seek(start)
    messages = [(n, at, size or 0) for n, wire, at, size in fields(file, end) if wire == BYTES]
    if messages and sum(messages[-1][1:]) > end:
        raise Damaged("it is truncated")
    return messages


def read_stub(file: BinaryIO, start: int, length: int) -> tuple[TensorProto, int, int]:
    """A tensor without its bytes, and their offset and length; -1 and 0 if it has its bytes."""
    end, raw_field, field_start = start + length, (-1, -1, 0), start
    file.seek(start)
    for number, wire, at, value in fields(file, end):
        if number == RAW_DATA and wire == BYTES:
            raw_field = (field_start, at, value or 0)
        field_start = at if wire == VARINT else at + (value or 0)
    head, at, size = raw_field
    file.seek(start)
    if size <= INLINE_LIMIT:
        return TensorProto.FromString(file.read(length)), -1, 0
    prefix = file.read(head - start)
    file.seek(at + size)
    return TensorProto.FromString(prefix + file.read(end - at - size)), at, size


def is_bare(proto: TensorProto) -> bool:
    """Whether a tensor without its bytes has nothing but a type and a name."""
    return all(field.name in _PLAIN_FIELDS for field, _ in proto.ListFields())


def _add_initializer(tensor: _Tensor, data: mmap.mmap, store: WeightStore, folder: Path) -> None:
    proto = tensor.proto
    if tensor.start < 0:
        store_tensor(proto, proto.name, store, folder)
        return
    type = tensor_proto_type(proto)
    dtype, shape = dtype_of(type), type.get_shape()
    count = prod(shape)
    if (
        not is_bare(proto)
        or dtype is None
        or not is_plain(type)
        or count * dtype.itemsize != tensor.size
    ):
        proto.raw_data = data[tensor.start : tensor.start + tensor.size]
        store_tensor(proto, proto.name, store, folder)
        return
    if count <= INLINE_LIMIT:
        return

    def load() -> Array:
        # Pages that were read count as memory; dropped ones are read from the file again.
        data.madvise(mmap.MADV_DONTNEED)
        array = np.frombuffer(data, dtype, count, tensor.start)
        return cast("Array", np.require(array, requirements="A").reshape(shape))

    store.add(free_key(proto.name, store), load)


def _add_nodes(nodes: Sequence[NodeProto], store: WeightStore, folder: Path) -> None:
    for node in sorted_nodes(nodes):
        for attribute in node.attribute:
            if attribute.type == AttributeProto.TENSOR and not attribute.HasField("doc_string"):
                store_tensor(attribute.t, tensor_key(node, attribute), store, folder)
            for body in bodies_of(attribute) or ():
                _add_graph(body, store, folder)


def _add_graph(graph: GraphProto, store: WeightStore, folder: Path) -> None:
    for proto in graph.initializer:
        store_tensor(proto, proto.name, store, folder)
    _add_nodes(graph.node, store, folder)
