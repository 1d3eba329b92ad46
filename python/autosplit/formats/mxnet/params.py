"""Files of MXNet arrays (`.params`): reading and writing them without MXNet.

A file is a list of arrays and a list of their names. Each array is a record that starts with its version:
arrays of MXNet before 0.12 (no version, and then `V1`), those since, which may be sparse (`V2`), and
those of numpy's semantics, where a shape without sizes is a scalar (`V3`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import BFloat16Type

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import Array

MAGIC = 0x112
"""The first 8 bytes of a file; 8 more are reserved."""

V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA

PLAIN, ROW_SPARSE, CSR = "default", "row_sparse", "csr"
_STORAGES = {0: PLAIN, 1: ROW_SPARSE, 2: CSR}
_AUXILIARY = {PLAIN: 0, ROW_SPARSE: 1, CSR: 2}

_DTYPES = {
    0: "float32",
    1: "float64",
    2: "float16",
    3: "uint8",
    4: "int32",
    5: "int8",
    6: "int64",
    7: "bool",
    8: "int16",
    9: "uint16",
    10: "uint32",
    11: "uint64",
    12: "bfloat16",
}
"""numpy's names of the dtypes by MXNet's numbers."""

_NUMBERS = {name: number for number, name in _DTYPES.items()}

_MOST_DIMS = 64
_CPU = struct.pack("<ii", 1, 0)


def dtype_of_number(number: int) -> np.dtype[Any] | None:
    """The dtype of an MXNet number; None if there is none."""
    name = _DTYPES.get(number)
    if name == "bfloat16":
        return dtype_of(BFloat16Type())
    return None if name is None else np.dtype(name)


def number_of_dtype(dtype: np.dtype[Any]) -> int | None:
    """MXNet's number for a dtype; None if MXNet does not have it."""
    return _NUMBERS.get(dtype.name)


@dataclass(frozen=True)
class ArrayRecord:
    """One array of a file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    storage: str
    load: Callable[[], Array]
    """Loads the elements; a sparse array becomes dense. Raises AutosplitError."""
    data: memoryview
    """The raw record in the file."""


class _Cursor:
    """Reads a file's bytes from front to back."""

    def __init__(self, data: memoryview):
        self.data = data
        self.at = 0
        self.what = "its head"
        """What is being read, for errors."""

    def take(self, size: int) -> memoryview:
        """The next bytes. Raises ValueError if the file ends too early."""
        remaining = len(self.data) - self.at
        if size > remaining:
            raise ValueError(
                f"is cut off: {self.what} needs {counted(size, 'byte')}, and only {remaining} are left"
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self, format: str) -> tuple[int, ...]:
        return struct.unpack(f"<{format}", self.take(struct.calcsize(f"<{format}")))

    def number(self, format: str) -> int:
        return self.numbers(format)[0]

    def dims(self, format: str = "q", count: int | None = None) -> tuple[int, ...] | None:
        """A shape, preceded by its rank unless `count` gives it; None for an unknown one."""
        rank = self.number("i") if count is None else count
        if rank == -1:
            return None
        if not 0 <= rank <= _MOST_DIMS:
            raise ValueError(f"is damaged: {self.what} has {counted(rank, 'dimension')}")
        return self.numbers(f"{rank}{format}")


def looks_like_params(head: bytes) -> bool:
    """Whether a file that starts with `head` holds MXNet arrays."""
    return head[:8] == struct.pack("<Q", MAGIC)


def read_params(path: Path) -> dict[str, ArrayRecord]:
    """The arrays of a file by name, as spelled there (`arg:conv0_weight`), in its order.

    Raises AutosplitError, naming the file, if it is damaged or not such a file.
    """
    if not path.exists():
        raise AutosplitError(f"{path}: there is no such file")
    if path.is_dir():
        raise AutosplitError(f"{path}: is a directory; expected a file of MXNet parameters")
    size = path.stat().st_size
    if size < 24:
        raise AutosplitError(
            f"{path}: is no file of MXNet parameters: it has only {counted(size, 'byte')}"
        )
    # Not memory-mapped: truncating a mapped file would kill the process.
    data = memoryview(path.read_bytes())
    try:
        return _read(data)
    except ValueError as error:
        raise AutosplitError(f"{path}: {error}") from None


def _read(data: memoryview) -> dict[str, ArrayRecord]:
    cursor = _Cursor(data)
    magic, _ = cursor.numbers("QQ")
    if magic != MAGIC:
        raise ValueError(
            f"is no file of MXNet parameters: it starts with {bytes(data[:8])!r}, "
            f"expected {struct.pack('<Q', MAGIC)!r}"
        )
    count = cursor.number("Q")
    records: list[ArrayRecord | None] = []
    for i in range(count):
        cursor.what = f"array {i} of {count}"
        records.append(_read_record(cursor))
    cursor.what = "the list of names"
    name_count = cursor.number("Q")
    if name_count != count:
        mismatch = "without names" if name_count == 0 else f"and {name_count} names"
        raise ValueError(f"has {counted(count, 'array')} {mismatch}; expected a name for each")
    names: list[str] = []
    for _ in range(count):
        raw = bytes(cursor.take(cursor.number("Q")))
        try:
            names.append(raw.decode())
        except UnicodeDecodeError:
            raise ValueError(f"is damaged: an array is called {raw[:40]!r}") from None
    by_name: dict[str, ArrayRecord] = {}
    for name, record in zip(names, records, strict=True):
        if name in by_name:
            raise ValueError(f"has two arrays that are called {name!r}")
        if record is None:
            raise ValueError(f"array {name!r} has no elements, not even a shape")
        by_name[name] = record
    return by_name


def _read_record(cursor: _Cursor) -> ArrayRecord | None:
    """The next array; None for one that never got a value."""
    start = cursor.at
    version = cursor.number("I")
    if version in (V2, V3):
        storage = _STORAGES.get(number := cursor.number("i"))
        if storage is None:
            raise ValueError(f"is damaged: {cursor.what} has the storage type {number}")
        stored = cursor.dims() if _AUXILIARY[storage] else None
        shape = cursor.dims()
    else:
        storage, stored = PLAIN, None
        shape = cursor.dims() if version == V1 else cursor.dims("I", version)
    if shape is None or (not shape and version != V3):
        return None
    if any(d < 0 for d in shape):
        return None
    cursor.numbers("ii")
    dtype = _read_dtype(cursor)
    arrays = [(_read_dtype(cursor), cursor.dims() or ()) for _ in range(_AUXILIARY[storage])]
    if stored is None:
        stored = shape
    elif 0 in stored and arrays[-1][1]:
        # MXNet may omit the count; it is then that of the indices.
        stored = (arrays[-1][1][0], *(shape[1:] if storage == ROW_SPARSE else ()))
    elements = _read_array(cursor, dtype, stored)
    auxiliary = [_read_array(cursor, aux_dtype, dims) for aux_dtype, dims in arrays]
    raw_record = cursor.data[start : cursor.at]
    if storage == PLAIN:
        return ArrayRecord(shape, dtype, storage, elements, raw_record)
    description = cursor.what

    def load() -> Array:
        try:
            return _dense(storage, shape, elements(), [load_part() for load_part in auxiliary])
        except (IndexError, ValueError) as error:
            raise AutosplitError(f"{description}: its sparse form is damaged: {error}") from None

    return ArrayRecord(shape, dtype, storage, load, raw_record)


def _read_dtype(cursor: _Cursor) -> np.dtype[Any]:
    dtype = dtype_of_number(number := cursor.number("i"))
    if dtype is None:
        raise ValueError(f"is damaged: {cursor.what} has the dtype {number}")
    return dtype


def _read_array(cursor: _Cursor, dtype: np.dtype[Any], shape: Sequence[int]) -> Callable[[], Array]:
    size = dtype.itemsize
    for d in shape:
        if d < 0:
            raise ValueError(f"is damaged: {cursor.what} has the shape {list(shape)}")
        size *= d
    data = cursor.take(size)
    return lambda: np.frombuffer(data, dtype).reshape(tuple(shape))


def _dense(storage: str, shape: tuple[int, ...], data: Array, aux: Sequence[Array]) -> Array:
    array: Array = np.zeros(shape, data.dtype)
    if storage == ROW_SPARSE:
        array[aux[0].astype(np.int64)] = data
        return array
    starts, columns = aux[0].astype(np.int64), aux[1].astype(np.int64)
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    array[rows, columns] = data
    return array


def write_params(path: Path, arrays: Mapping[str, ArrayRecord | bytes]) -> None:
    """Writes arrays by name: records read from a file as they are, others from `record_of`."""
    with path.open("wb") as file:
        file.write(struct.pack("<QQQ", MAGIC, 0, len(arrays)))
        for record in arrays.values():
            file.write(record.data if isinstance(record, ArrayRecord) else record)
        file.write(struct.pack("<Q", len(arrays)))
        for name in arrays:
            text = name.encode()
            file.write(struct.pack("<Q", len(text)) + text)


def record_of(array: Array, storage: str = PLAIN, *, np_shape: bool = False) -> bytes:
    """An array as MXNet writes it. Raises ValueError for one that MXNet cannot represent."""
    number = number_of_dtype(array.dtype)
    if number is None:
        raise ValueError(f"MXNet has no dtype {array.dtype.name}")
    if not np_shape and (array.ndim == 0 or 0 in array.shape):
        raise ValueError(
            f"MXNet has no array of shape {list(array.shape)} unless the symbol is of numpy's semantics"
        )
    head = struct.pack("<Ii", V3 if np_shape else V2, _number_of(storage))
    dtype = struct.pack("<i", number)
    if storage == PLAIN:
        return head + _dims(array.shape) + _CPU + dtype + _bytes(array)
    stored, aux = _sparse(storage, array)
    headers = b"".join(struct.pack("<i", _NUMBERS["int64"]) + _dims(a.shape) for a in aux)
    payload = _bytes(stored) + b"".join(map(_bytes, aux))
    return head + _dims(stored.shape) + _dims(array.shape) + _CPU + dtype + headers + payload


def _sparse(storage: str, array: Array) -> tuple[Array, list[Array]]:
    """The elements that a sparse array stores, and the arrays that locate them."""
    if storage == ROW_SPARSE:
        rows = np.flatnonzero(array.reshape(array.shape[0], -1).any(axis=1)).astype(np.int64)
        return array[rows], [rows]
    rows_of_elements, columns = np.nonzero(array)
    starts = np.searchsorted(rows_of_elements, np.arange(array.shape[0] + 1)).astype(np.int64)
    return array[rows_of_elements, columns], [starts, columns.astype(np.int64)]


def _number_of(storage: str) -> int:
    return next(number for number, name in _STORAGES.items() if name == storage)


def _dims(shape: Iterable[int]) -> bytes:
    dims = tuple(shape)
    return struct.pack(f"<i{len(dims)}q", len(dims), *dims)


def _bytes(array: Array) -> bytes:
    return np.ascontiguousarray(array).tobytes()
