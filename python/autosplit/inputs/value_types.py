"""Inputs of a model that are not arrays: sequences, maps and optional values, as callers give them.

| type | given as | in graph_infos.json |
| --- | --- | --- |
| an array | a numpy array | `{"shape": [-1, 3], "dtype": "float32"}` |
| a sequence | a list, or a tuple | `{"sequence": TYPE}` |
| an optional value | None, or the value | `{"optional": TYPE}` |
| a map | a dict from `key`, int64 or strings, to scalars | `{"map": TYPE, "key": "int64"}` |

Nothing here needs a framework.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.casting import STRINGS, cast_input, dtype_by_name
from autosplit.core.errors import AutosplitError
from autosplit.inputs.values import Value, kind_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from autosplit.core.json import Json

Array = NDArray[np.generic]
Kind: TypeAlias = Literal["sequence", "optional", "map"]

WORDS: Mapping[Kind, str] = {
    "sequence": "a sequence",
    "optional": "an optional value",
    "map": "a map",
}


@dataclass(frozen=True)
class ArrayType:
    """An array inside of another value; None and -1 where the model does not say."""

    shape: tuple[int, ...] | None = None
    dtype: str | None = None

    def fitted(self, value: Value, what: str) -> Value:
        """The array in this dtype. Raises AutosplitError, beginning with `what`, if it does not fit."""
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if not isinstance(value, np.ndarray):
            raise AutosplitError(f"{what} is {_described(value)}, expected a numpy array")
        array = cast("Array", value)
        if self.dtype is not None:
            array = cast_input(array, self.dtype, what)
        fits = self.shape is None or (
            len(self.shape) == array.ndim
            and all(want in (-1, size) for want, size in zip(self.shape, array.shape, strict=True))
        )
        if not fits:
            raise AutosplitError(
                f"{what}: found shape {list(array.shape)}, expected {list(self.shape or ())}"
            )
        return array

    def to_json(self) -> dict[str, Json]:
        entry: dict[str, Json] = {"shape": None if self.shape is None else [*self.shape]}
        if self.dtype is not None:
            entry["dtype"] = self.dtype
        return entry


@dataclass(frozen=True)
class ValueType:
    """A sequence, a map or an optional value, and what it holds."""

    kind: Kind
    element: ArrayType | ValueType
    key: str | None = None
    """Of a map: `int64` or `object`, which are strings."""

    @property
    def words(self) -> str:
        return WORDS[self.kind]

    @property
    def array(self) -> ArrayType | None:
        """What an optional array is where it is there; None for anything else."""
        is_array = self.kind == "optional" and isinstance(self.element, ArrayType)
        return cast("ArrayType", self.element) if is_array else None

    def fitted(self, value: Value, what: str) -> Value:
        """The value as the framework takes it, arrays cast where nothing is lost.

        Raises AutosplitError, beginning with `what`, for anything that is no such value.
        """
        if self.kind == "optional":
            return None if value is None else self.element.fitted(value, what)
        if self.kind == "map":
            return self._fitted_map(value, what)
        if not isinstance(value, list | tuple):
            raise AutosplitError(f"{what} is {_described(value)}, expected a list of values")
        items = cast("list[Value]", value)
        return [self.element.fitted(item, f"{what}[{i}]") for i, item in enumerate(items)]

    def _fitted_map(self, value: Value, what: str) -> Value:
        if not isinstance(value, dict):
            raise AutosplitError(f"{what} is {_described(value)}, expected a dict")
        fitted: dict[Value, Value] = {}
        for key, item in cast("dict[Value, Value]", value).items():
            fits = isinstance(key, str) if self.key in STRINGS else hasattr(key, "__index__")
            if not fits or isinstance(key, bool):
                raise AutosplitError(f"{what}: found the key {key!r}, expected keys of {self.key}")
            fitted[key if isinstance(key, str) else int(key)] = self._scalar(
                item, f"{what}[{key!r}]"
            )
        return fitted

    def _scalar(self, item: Value, what: str) -> Value:
        # Casting a Python float loses nothing that counts: it has no dtype of its own.
        dtype = self.element.dtype if isinstance(self.element, ArrayType) else None
        if isinstance(item, float) and dtype not in (None, *STRINGS):
            item = np.asarray(item, dtype)
        value = self.element.fitted(np.asarray(item), what)
        return value.item() if np.ndim(value) == 0 else value

    def gathered(self, name: str, arrays: Mapping[str, Array]) -> Value:
        """The value that `autosplit.inputs.values.flat` made arrays of; what is not there is empty."""
        if self.kind == "map":
            keys, values = (arrays.get(f"{name}.{part}") for part in ("keys", "values"))
            pairs = zip(
                () if keys is None else keys, () if values is None else values, strict=False
            )
            return {key.item(): value for key, value in pairs}
        if self.kind == "sequence":
            places = range(len(arrays))
            parts = [f"{name}[{i}]" for i in places if holds(arrays, f"{name}[{i}]")]
            return [_gathered(self.element, part, arrays) for part in parts]
        return _gathered(self.element, name, arrays) if holds(arrays, name) else None

    def to_json(self) -> dict[str, Json]:
        entry: dict[str, Json] = {self.kind: self.element.to_json()}
        if self.key is not None:
            entry["key"] = self.key
        return entry


def holds(arrays: Mapping[str, Array], name: str) -> bool:
    """Whether some of the arrays are those of the value `name`, as `flat` calls them."""
    return any(n == name or n.startswith((f"{name}[", f"{name}.")) for n in arrays)


def _gathered(type: ArrayType | ValueType, name: str, arrays: Mapping[str, Array]) -> Value:
    return arrays.get(name) if isinstance(type, ArrayType) else type.gathered(name, arrays)


def read_type(data: object) -> ArrayType | ValueType:
    """The type that `to_json` wrote. Raises ValueError for anything else."""
    if not isinstance(data, dict):
        raise ValueError(f"found {data!r}, expected an object")
    entry = cast("dict[str, object]", data)
    for kind in WORDS:
        if kind not in entry:
            continue
        key = entry.get("key")
        if kind == "map" and key not in ("int64", *STRINGS):
            raise ValueError(f"found {key!r} as the key of a map, expected int64 or object")
        return ValueType(kind, read_type(entry[kind]), cast("str | None", key))
    shape, dtype = entry.get("shape"), entry.get("dtype")
    sizes = cast("list[object]", shape) if isinstance(shape, list) else []
    if not isinstance(shape, list | None) or not all(type(d) is int and d >= -1 for d in sizes):
        raise ValueError(f"found the shape {shape!r}, expected sizes")
    if not isinstance(dtype, str | None):
        raise ValueError(f"found the dtype {dtype!r}, expected its name")
    if dtype not in (None, *STRINGS):
        dtype_by_name(dtype)
    return ArrayType(None if shape is None else tuple(cast("list[int]", sizes)), dtype)


def value_type_of(type: Attribute) -> ValueType | None:
    """The type of a value that a caller gives and that is not a tensor; None for others."""
    value_type = _type_of(type)
    return value_type if isinstance(value_type, ValueType) else None


def _type_of(type: Attribute) -> ArrayType | ValueType:
    from xdsl.dialects.builtin import TensorType

    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.onnx.tensors import MapType, OptionalType, SequenceType, StringType
    from autosplit.dialects.platform import element_type

    match type:
        case SequenceType():
            return ValueType("sequence", _type_of(type.element))
        case OptionalType():
            return ValueType("optional", _type_of(type.element))
        case MapType():
            key = "object" if isinstance(type.key, StringType) else "int64"
            return ValueType("map", _type_of(type.value), key)
        case _:
            kind = element_type(type)
            dtype = None if kind is None else dtype_of(kind)
            name = "object" if isinstance(kind, StringType) else None
            sizes = type.get_shape() if isinstance(type, TensorType) else None
            shape = None if sizes is None else tuple(max(size, -1) for size in sizes)
            return ArrayType(shape, name if dtype is None else dtype.name)


def _described(value: Value) -> str:
    kind = kind_of(value)
    if kind in ("sequence", "map"):
        return f"a {kind}"
    if kind == "absent":
        return "None"
    return "an array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
