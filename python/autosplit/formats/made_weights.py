"""Weights that passes made, such as folded ones: the module's text names an archive of them, next to it.

A module's other weights stay in the model's own file. Reading the text restores the module as it was before
writing: its weights are found in the archive, which it no longer names.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import (
    ARCHIVE_SUFFIX,
    Array,
    WeightStore,
    digest_of,
    store_for,
    write_archive,
)
from autosplit.dialects.platform import StoreAttr, StoreFile, WeightAttr
from autosplit.dialects.top import TopOp

MADE = "platform.made"
"""The attribute of a written module that names the archive of the weights that passes made."""


@contextmanager
def beside(module: ModuleOp, text: Path) -> Generator[None]:
    """Writes the weights that passes made next to the file `text`; the module names them in the meantime.

    Nothing is written if the module reads none of them, or if `text` is a device. Raises AutosplitError if
    writing fails.
    """
    store = store_for(module)
    arrays = _arrays([key for key in weight_keys(module) if key in store.made], store)
    is_device = text.exists() and not text.is_file()
    if is_device or (first := next(arrays, None)) is None:
        yield
        return
    path = text.with_name(f"{text.name}{ARCHIVE_SUFFIX}")
    try:
        write_archive(path, _chained(first, arrays))
        module.attributes[MADE] = StoreAttr(StoreFile(path.name, digest_of(path)))
    except OSError as e:
        raise AutosplitError(f"{path}: {e.strerror}") from e
    try:
        yield
    finally:
        del module.attributes[MADE]


def _arrays(keys: Iterable[str], store: WeightStore) -> Iterator[tuple[str, Array]]:
    for key in keys:
        try:
            yield key, store.array(key)
        except AutosplitError:
            # The weight that it was made from is missing.
            continue


def _chained(
    first: tuple[str, Array], others: Iterable[tuple[str, Array]]
) -> Iterator[tuple[str, Array]]:
    yield first
    yield from others


def take_made(module: ModuleOp) -> StoreFile | None:
    """Removes the name of the archive from a module, and returns it."""
    file = module.attributes.pop(MADE, None)
    return file.data if isinstance(file, StoreAttr) else None


def made_weights(archive: WeightStore, module: ModuleOp) -> WeightStore:
    """The weights of `module` that passes made, which are in `archive`."""
    store = WeightStore(archive.path, archive.file_digest)
    types = {ref.key.data: ref.type for ref in _references(module)}
    for key in archive:
        dtype = dtype_of(types[key]) if key in types else None
        store.make(key, partial(_array, archive, key, dtype))
    return store


def _array(archive: WeightStore, key: str, dtype: np.dtype[Any] | None) -> Array:
    array = archive.array(key)
    # Archives do not know types such as bf16: their elements are bytes there.
    return array if dtype is None or array.dtype.kind != "V" else array.view(dtype)


def weight_keys(module: ModuleOp) -> Iterator[str]:
    """The keys of the weights that a module reads, each once."""
    weights = (op for op in module.walk() if isinstance(op, TopOp) and op.kind == "Weight")
    keys = (ref.key.data for ref in _references(module))
    return iter(dict.fromkeys((*keys, *(op.names[0] for op in weights))))


def _references(module: ModuleOp) -> Iterator[WeightAttr]:
    for op in module.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            yield from _inside(attribute)


def _inside(attribute: Attribute) -> Iterator[WeightAttr]:
    if isinstance(attribute, WeightAttr):
        yield attribute
    elif isinstance(attribute, DictionaryAttr):
        for item in attribute.data.values():
            yield from _inside(item)
    elif isinstance(attribute, ArrayAttr):
        for item in cast("ArrayAttr[Attribute]", attribute):
            yield from _inside(item)
