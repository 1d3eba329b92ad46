"""The weights of a caffemodel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import Array, WeightStore, digest
from autosplit.dialects.protos import Repeated
from autosplit.formats.caffe.proto import Blob, Net, new_net, unpacked


def looks_like_caffemodel(head: bytes) -> bool:
    """Whether a file that starts with `head` may be a caffemodel: its name, then a layer."""
    at = 0
    if head[:1] == b"\x0a" and len(head) > 2 and head[1] < 0x80:
        at = 2 + head[1]
    # Field 100, or 2 in the older formats, with a length.
    return head[at : at + 2] == b"\xa2\x06" or (at > 0 and head[at : at + 1] == b"\x12")


@dataclass(frozen=True)
class BlobEntry:
    """One array of a caffemodel: its key, its shape, and a function that loads it as f32."""

    key: str
    shape: tuple[int, ...]
    load: Callable[[], Array]


@dataclass(frozen=True)
class Weights:
    """The contents of a caffemodel."""

    path: Path
    digest: str
    layers: dict[str, list[list[BlobEntry]]]
    """By layer: one list of arrays for each layer of that name that has any."""

    def store(self) -> WeightStore:
        """A store with all arrays, as the file has them."""
        store = WeightStore(self.path, self.digest)
        for blob_lists in self.layers.values():
            for entry in (entry for blobs in blob_lists for entry in blobs):
                store.add(entry.key, entry.load)
        return store


def read_weights(path: Path, file_digest: str = "") -> Weights:
    """The weights of a caffemodel. Raises AutosplitError, naming the file, if it is damaged or not one."""
    data = path.read_bytes()
    by_layer: dict[str, list[list[BlobEntry]]] = {}
    try:
        for name, rank, blobs in _layers(new_net(data)):
            blob_lists = by_layer.setdefault(name, [])
            if not len(blobs):
                continue
            key = f"{name}#{len(blob_lists) + 1}" if blob_lists else name
            # In the formats without shapes, all weights of a layer but the first are vectors.
            ranks = [rank, *[1] * (len(blobs) - 1)]
            blob_lists.append(
                [
                    _entry(b, f"{key}/{i}", r)
                    for i, (b, r) in enumerate(zip(blobs, ranks, strict=True))
                ]
            )
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    if not by_layer:
        raise AutosplitError(f"{path}: holds no layer; expected a caffemodel")
    return Weights(path, file_digest or digest(data), by_layer)


_RANKS = {"Convolution": 4, "Deconvolution": 4, "InnerProduct": 2, "conv": 4, "innerproduct": 2}
_V1_RANKS = {4: 4, 39: 4, 14: 2}
"""The ranks of the first weights, by the layer types of the three formats; others are vectors."""


def _layers(net: Net) -> Iterator[tuple[str, int, Repeated[Blob]]]:
    """Each layer's name, the rank of its first weight where only four sizes are given, and its weights."""
    for layer in net.layer:
        yield layer.name, _RANKS.get(layer.type, 1), layer.blobs
    for old in net.layers:
        if len(old.blobs):
            rank = _V1_RANKS.get(old.type, _RANKS.get(old.layer.type, 1))
            yield old.name or old.layer.name, rank, old.blobs
        else:
            yield old.name or old.layer.name, _RANKS.get(old.layer.type, 1), old.layer.blobs


_RAW = {0: np.dtype("<f8"), 1: np.dtype("<f4"), 2: np.dtype("<f2")}
"""The types of raw data, by NVIDIA's numbers."""


def _entry(blob: Blob, key: str, rank: int) -> BlobEntry:
    shape = _sizes(blob, rank)
    numbers, count = _numbers(blob, key)
    if min(shape, default=0) < 0 or prod(shape) != count:
        shown = "x".join(map(str, shape))
        raise AutosplitError(
            f"weight {key!r} has the sizes {shown} and {counted(count, 'number')}; the file is damaged"
        )
    return BlobEntry(key, shape, lambda: numbers().reshape(shape))


def _sizes(blob: Blob, rank: int) -> tuple[int, ...]:
    """The shape of a blob, without the leading ones of the old format."""
    if not any(blob.HasField(name) for name in ("num", "channels", "height", "width")):
        return tuple(int(d) for d in blob.shape.dim)
    shape = blob.num, blob.channels, blob.height, blob.width
    leading, shape_of_rank = shape[: 4 - rank], shape[4 - rank :]
    return shape_of_rank if all(d == 1 for d in leading) else shape


def _numbers(blob: Blob, key: str) -> tuple[Callable[[], Array], int]:
    """A function that loads the numbers of a blob, flat as f32, and their count."""
    if blob.HasField("raw_data"):
        dtype = _RAW.get(blob.raw_data_type)
        if dtype is None:
            raise AutosplitError(f"weight {key!r} is of integers, expected f16, f32 or f64")
        chunks = [blob.raw_data]
    else:
        doubles = [*blob.double_data, *unpacked(blob, 8)]
        dtype = _RAW[0] if doubles else _RAW[1]
        chunks = doubles or [*blob.data, *unpacked(blob, 5)]
    size = sum(map(len, chunks))
    if size % dtype.itemsize:
        raise AutosplitError(f"weight {key!r} ends in the middle of a number; the file is damaged")

    def load() -> Array:
        return np.frombuffer(b"".join(chunks), dtype).astype(np.float32, copy=False)

    return load, size // dtype.itemsize
