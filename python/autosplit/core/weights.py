"""Tensors that live outside the IR.

The IR holds a tensor's key, type and digest (`#platform.weight`); the bytes stay in the model file and are
read only where a pass or an emitter needs them. A `WeightStore` maps keys to loaders. Modules name the
files their weights come from in the attribute `platform.stores`, which also holds on to the open store; of
modules that were read as text, `platforms/stores.py` opens the files.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import StoreAttr, StoreFile, WeightAttr

Array = NDArray[np.generic]

INLINE_LIMIT = 1024
"""Constants of at most this many elements are dense attributes in the IR; larger ones are weights."""


GIVE_WEIGHTS = "give the model file with --weights (autosplit-opt -o keeps what passes made of it)"
"""What to do where a weight is missing."""


def digest(data: bytes | memoryview | Array) -> str:
    """BLAKE2b over the bytes, 8 bytes long, in hex."""
    buffer = (
        np.ascontiguousarray(data).view(np.uint8).data if isinstance(data, np.ndarray) else data
    )
    return hashlib.blake2b(buffer, digest_size=8).hexdigest()


class WeightStore:
    """The tensors of one model file (or of several, see `store_for`), by key.

    `source` is whatever the front end parsed them from (a proto message by key, say), for emitters that
    want to copy the original bytes rather than re-encode the array.
    """

    def __init__(self, path: Path | None = None, file_digest: str = ""):
        self.path = path
        self.file_digest = file_digest
        self._loaders: dict[str, Callable[[], Array]] = {}
        self._sources: dict[str, object] = {}
        self.mapped: set[str] = set()
        """The keys of tensors that lie in files beside the model's own, and are only mapped."""
        self.made: set[str] = set()
        """The keys of tensors that are in no file of the model."""

    def add(self, key: str, load: Callable[[], Array], source: object = None) -> None:
        self._loaders[key] = load
        self._sources[key] = source

    def make(self, key: str, load: Callable[[], Array]) -> None:
        """Adds a tensor that is made from others, or of nothing."""
        self.add(key, load)
        self.made.add(key)

    def __contains__(self, key: str) -> bool:
        return key in self._loaders

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def array(self, ref: WeightAttr | str) -> Array:
        """The tensor, mapped or decoded. Raises AutosplitError naming a key that is missing."""
        key = ref if isinstance(ref, str) else ref.key.data
        if key not in self._loaders:
            where = f" in {self.path}" if self.path else ""
            raise AutosplitError(
                f"weight {key!r} is not{where or ' in any known file'}: {GIVE_WEIGHTS}"
            )
        return self._loaders[key]()

    def source(self, key: str) -> object:
        """What the front end parsed the tensor from; None if there is no such thing."""
        return self._sources.get(key)

    def update(self, other: WeightStore) -> None:
        """Adds all tensors of `other`."""
        self._loaders.update(other._loaders)
        self._sources.update(other._sources)
        self.mapped |= other.mapped
        self.made |= other.made


def register(store: WeightStore, module: ModuleOp) -> None:
    """Names `store` in `module`, and keeps it as long as the module or a clone of it lives."""
    # A name that is not UTF-8 cannot stand in text; the store is found by its digest.
    name = os.fsencode(store.path.name).decode(errors="replace") if store.path else ""
    _name(module, [StoreFile(name, store.file_digest, lambda: store)])


def find_by(module: ModuleOp, find: Callable[[Sequence[StoreFile]], Iterable[WeightStore]]) -> None:
    """Has the stores of a module that was read as text be found by `find`, once they are asked for."""
    if files := stores_of(module):
        opened = cache(lambda: _joined([*find(files)]))
        _name(module, [replace(file, open=opened) for file in files])


def store_for(module: ModuleOp) -> WeightStore:
    """The store with all weights of `module`; its clones have the same one.

    Weights of a store that nobody registered are missing: reading one of them is an error.
    """
    files = stores_of(module)
    if not files:
        return WeightStore()
    if len({file.open for file in files}) > 1 or files[0].open is None:
        # What conversions of the module add must be found by those that come later.
        find_by(module, _opened)
    store = stores_of(module)[0].open
    weights = store() if store is not None else None
    assert isinstance(weights, WeightStore)
    return weights


def stores_of(module: ModuleOp) -> list[StoreFile]:
    """The files that a module names as those of its weights."""
    attr = module.attributes.get("platform.stores")
    entries = cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else ()
    return [entry.data for entry in entries if isinstance(entry, StoreAttr)]


def _name(module: ModuleOp, files: Iterable[StoreFile]) -> None:
    module.attributes["platform.stores"] = ArrayAttr(map(StoreAttr, files))


def _opened(files: Iterable[StoreFile]) -> Iterator[WeightStore]:
    for file in files:
        if file.open is not None and isinstance(store := file.open(), WeightStore):
            yield store


def _joined(stores: Sequence[WeightStore]) -> WeightStore:
    """The tensors of all stores; the store itself where there is one."""
    if len(stores) == 1:
        return stores[0]
    union = WeightStore(file_digest="+".join(store.file_digest for store in stores))
    for store in stores:
        union.update(store)
    return union


def digest_of(path: Path) -> str:
    """`digest` of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).hexdigest()


ARCHIVE_SUFFIX = ".npz"


def write_archive(file: Path | IO[bytes], arrays: Iterable[tuple[str, Array]]) -> None:
    """Writes named arrays, one after the other, as numpy's savez does, but whatever their names are.

    Same arrays, same bytes.
    """
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                _write_array(member, np.asarray(array))


def _write_array(member: IO[bytes], array: Array) -> None:
    """Does what `numpy.save` does; that copies each array to write it."""
    if not array.flags.c_contiguous or array.dtype.hasobject:
        np.save(member, array, allow_pickle=False)
        return
    format: Any = np.lib.format
    format.write_array_header_1_0(member, format.header_data_from_array_1_0(array))
    member.write(array.reshape(-1).view(np.uint8).data)


_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_archive(path: Path) -> WeightStore:
    """The arrays of an archive by name, each read when it is asked for.

    Raises AutosplitError for a file that is not an archive; reading an array does for one that is damaged.
    """
    try:
        store = WeightStore(path, digest_of(path))
        with _archive(path) as archive:
            names = archive.namelist()
    except _UNREADABLE as error:
        raise AutosplitError(f"{path}: cannot be read as an archive of weights: {error}") from None
    # Opened once: a directory of many members takes longer to read than most of them.
    opened = cache(lambda: _archive(path))
    for name in names:
        store.add(name.removesuffix(".npy"), lambda name=name: _read_member(path, name, opened))
    return store


def _archive(path: Path) -> zipfile.ZipFile:
    # Names are UTF-8 in all archives; those of TPU-MLIR do not say so.
    return zipfile.ZipFile(path, metadata_encoding="utf-8")


def _read_member(path: Path, name: str, opened: Callable[[], zipfile.ZipFile]) -> Array:
    try:
        data = opened().read(name)
        array: object = np.load(BytesIO(data), allow_pickle=False)
    except _UNREADABLE as error:
        raise AutosplitError(f"{path}: {name} cannot be read: {error}") from None
    if not isinstance(array, np.ndarray):
        raise AutosplitError(f"{path}: {name} is an archive, expected an array")
    return cast("Array", array)
