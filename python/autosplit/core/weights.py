"""Tensors that live outside the IR.

The IR holds a tensor's key, type and digest (`#platform.weight`); the bytes stay in the model file and are
read only where a pass or an emitter needs them. A `WeightStore` maps keys to loaders. Modules name the
files their weights come from in the attribute `platform.stores`; `store_for` finds or opens them.
"""

from __future__ import annotations

import hashlib
import os
import weakref
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import StoreAttr, WeightAttr

Array = NDArray[np.generic]

INLINE_LIMIT = 1024
"""Constants of at most this many elements are dense attributes in the IR; larger ones are weights."""


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

    def add(self, key: str, load: Callable[[], Array], source: object = None) -> None:
        self._loaders[key] = load
        self._sources[key] = source

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
                f"weight {key!r} is not{where or ' in any known file'}: "
                "give the model file with --weights"
            )
        return self._loaders[key]()

    def source(self, key: str) -> object:
        """What the front end parsed the tensor from; None where there is no such thing."""
        return self._sources.get(key)

    def update(self, other: WeightStore) -> None:
        """Adds all tensors of `other`."""
        self._loaders.update(other._loaders)
        self._sources.update(other._sources)
        self.mapped |= other.mapped

    def share(self, other: WeightStore) -> None:
        """Makes this store and `other`, which is of the same file, hold the same, also what comes later."""
        if self._loaders is other._loaders:
            return
        other.update(self)
        self._loaders, self._sources, self.mapped = other._loaders, other._sources, other.mapped


_open_stores: dict[str, WeakSet[WeightStore]] = {}
"""Stores by file digest, so that modules and their clones find theirs without opening files again."""

search_paths: list[Path] = []
"""Folders and model files in which `store_for` looks; autosplit-opt adds the input's folder and --weights."""


def register(store: WeightStore, module: ModuleOp) -> None:
    """Names `store` in `module`. The caller keeps the store alive."""
    _note(store)
    # A name that is not UTF-8 cannot stand in text; the store is found by its digest.
    name = os.fsencode(store.path.name).decode(errors="replace") if store.path else ""
    attr = StoreAttr(StringAttr(name), StringAttr(store.file_digest))
    module.attributes["platform.stores"] = ArrayAttr([attr])


def _note(store: WeightStore) -> None:
    """Lets `store` be found by its digest as long as it lives."""
    if (other := _noted(store.file_digest)) is not None:
        store.share(other)
    _open_stores.setdefault(store.file_digest, WeakSet()).add(store)


def _noted(file_digest: str) -> WeightStore | None:
    """A store that lives and has this digest; several share all that they hold."""
    return next(iter(_open_stores.get(file_digest, ())), None)


def hold(store: WeightStore, module: ModuleOp) -> None:
    """Registers `store`, and keeps it as long as `module` lives."""
    register(store, module)
    keep(store, module)


_keepers: weakref.WeakKeyDictionary[ModuleOp, dict[str, WeightStore]] = weakref.WeakKeyDictionary()
"""The stores, by digest, that live as long as a module."""


def keep(store: WeightStore, module: ModuleOp) -> None:
    """Keeps `store`, and the files that it reads from, as long as `module` lives."""
    _keepers.setdefault(module, {})[store.file_digest] = store


def hand_over(made: ModuleOp, module: ModuleOp) -> None:
    """Keeps what is kept for `made` as long as `module` lives, too."""
    _keepers.setdefault(module, {}).update(_keepers.get(made, {}))


def store_for(module: ModuleOp) -> WeightStore:
    """The store with all weights of `module`.

    Looks among the open stores first, then for the named files in `search_paths`. A file that is found but
    has another digest is an error; one that is not found leaves its weights missing, and reading one of
    them is the error.
    """
    found = [store for entry in _entries(module) if (store := _find(entry)) is not None]
    if len(found) == 1:
        return found[0]
    # What conversions of the module add must be found by those that come later.
    key = "+".join(store.file_digest for store in found)
    union = _noted(key)
    if union is None:
        union = WeightStore(file_digest=key)
        for store in found:
            union.update(store)
        _note(union)
    keep(union, module)
    return union


def _entries(module: ModuleOp) -> list[StoreAttr]:
    attr: Attribute | None = module.attributes.get("platform.stores")
    entries = cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else ()
    return [entry for entry in entries if isinstance(entry, StoreAttr)]


def open_store(path: Path, file_digest: str = "") -> WeightStore:
    """The tensors of a model file, or of an archive that `write_archive` made.

    `file_digest`: the store's, where it is known already.
    """
    if path.suffix == ARCHIVE_SUFFIX:
        return read_archive(path)
    from autosplit.platforms import check_readable, detect_platform

    check_readable(path)
    return detect_platform(path).weights(path, file_digest)


def open_stores(module: ModuleOp, folder: Path, unchanged: Collection[str]) -> None:
    """Opens files of a folder that `module` names, and keeps them as long as it lives.

    Those of `unchanged`: they are known to be what the module was written with, so they are not read for
    their digests again.
    """
    for entry in _entries(module):
        known = entry.digest.data
        if entry.path.data in unchanged and _noted(known) is None:
            store = open_store(folder / entry.path.data, known)
            _note(store)
            keep(store, module)


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

    Raises AutosplitError for a file that is no archive; reading an array does for one that is damaged.
    """
    try:
        store = WeightStore(path, digest_of(path))
        with _archive(path) as archive:
            names = archive.namelist()
    except _UNREADABLE as error:
        raise AutosplitError(f"{path}: cannot be read as an archive of weights: {error}") from None
    for name in names:
        store.add(name.removesuffix(".npy"), lambda name=name: _read_member(path, name))
    return store


def _archive(path: Path) -> zipfile.ZipFile:
    # Names are UTF-8 in all archives; those of TPU-MLIR do not say so.
    return zipfile.ZipFile(path, metadata_encoding="utf-8")


def _read_member(path: Path, name: str) -> Array:
    try:
        with _archive(path) as archive:
            data = archive.read(name)
        array: object = np.load(BytesIO(data), allow_pickle=False)
    except _UNREADABLE as error:
        raise AutosplitError(f"{path}: {name} cannot be read: {error}") from None
    if not isinstance(array, np.ndarray):
        raise AutosplitError(f"{path}: {name} is an archive, expected an array")
    return cast("Array", array)


_kept: list[WeightStore] = []


def _find(entry: StoreAttr) -> WeightStore | None:
    if (store := _noted(entry.digest.data)) is not None:
        return store
    other: tuple[Path, str] | None = None
    for base in search_paths:
        path = base if base.is_file() else base / entry.path.data
        if path.is_file():
            opened = open_store(path)
            if opened.file_digest == entry.digest.data:
                # What conversions add must be found by those that come later.
                _note(opened)
                _kept.append(opened)
                return opened
            # Folders of several splits may be searched, and their files are called alike.
            other = other or (path, opened.file_digest)
    if other is None:
        return None
    raise AutosplitError(
        f"{other[0]} is not the file that the module was made from: "
        f"its digest is {other[1]}, expected {entry.digest.data}"
    )
