"""Converts between element types of the IR and numpy's dtypes.

Types that numpy lacks (bfloat16, the 8-bit and smaller floats, the 2- and 4-bit integers) are those of
`ml_dtypes`, which is imported only when one of them occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    IntegerType,
    NoneAttr,
    Signedness,
    TensorType,
    UnrankedTensorType,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute

from autosplit.dialects.platform import DimsAttr, element_type, strings

DType = np.dtype[Any]

_NUMPY: dict[str, Attribute] = {
    "bool": i1,
    "int8": IntegerType(8),
    "int16": IntegerType(16),
    "int32": IntegerType(32),
    "int64": IntegerType(64),
    "uint8": IntegerType(8, Signedness.UNSIGNED),
    "uint16": IntegerType(16, Signedness.UNSIGNED),
    "uint32": IntegerType(32, Signedness.UNSIGNED),
    "uint64": IntegerType(64, Signedness.UNSIGNED),
    "float16": f16,
    "float32": f32,
    "float64": f64,
    "complex64": ComplexType(f32),
    "complex128": ComplexType(f64),
}

_EXTENDED: dict[str, Attribute] = {
    "bfloat16": BFloat16Type(),
    "float8_e4m3fn": Float8E4M3FNType(),
    "float8_e4m3fnuz": Float8E4M3FNUZType(),
    "float8_e5m2": Float8E5M2Type(),
    "float8_e5m2fnuz": Float8E5M2FNUZType(),
    "float8_e8m0fnu": Float8E8M0FNUType(),
    "float6_e2m3fn": Float6E2M3FNType(),
    "float6_e3m2fn": Float6E3M2FNType(),
    "float4_e2m1fn": Float4E2M1FNType(),
    "int4": IntegerType(4),
    "uint4": IntegerType(4, Signedness.UNSIGNED),
    "int2": IntegerType(2),
    "uint2": IntegerType(2, Signedness.UNSIGNED),
}

_TYPES = {**_NUMPY, **_EXTENDED}
_NAMES = {type: name for name, type in _TYPES.items()}


def dtype_of(type: Attribute) -> DType | None:
    """The numpy dtype of an element type, or of the elements of a tensor type.

    None if there is none: strings, handles, unknown types.
    """
    name = _NAMES.get(element_type(type) or type)
    return None if name is None else dtype_named(name)


@cache
def dtype_named(name: str) -> DType:
    """The dtype that numpy or `ml_dtypes` calls `name`, such as `float32`. Raises ValueError otherwise."""
    if name in _NUMPY:
        return np.dtype(name)
    if name not in _EXTENDED:
        raise ValueError(f"there is no element type for the dtype {name!r}")
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))


@cache
def _name_of(dtype: DType | type[np.generic]) -> str:
    # Cached, since numpy composes the name on each access.
    return np.dtype(dtype).name


def element_type_of(dtype: DType | type[np.generic] | str) -> Attribute:
    """The element type of a numpy dtype, given as such, as a scalar type or by name.

    Raises ValueError if there is none.
    """
    name = dtype if isinstance(dtype, str) else _name_of(dtype)
    if name not in _TYPES:
        raise ValueError(f"there is no element type for the dtype {name!r}")
    return _TYPES[name]


def ranked_type(
    element: Attribute, sizes: Sequence[int], names: Sequence[str] = ()
) -> TensorType[Attribute]:
    """A tensor type with names for its unknown dimensions, `""` for those that have none.

    Cached, since creating a type costs more than looking it up.
    """
    return _ranked_type(element, tuple(sizes), tuple(names) if any(names) else ())


@lru_cache(maxsize=1 << 13)
def _ranked_type(
    element: Attribute, sizes: tuple[int, ...], names: tuple[str, ...]
) -> TensorType[Attribute]:
    return TensorType(element, sizes, DimsAttr(strings(names)) if names else NoneAttr())


def dim_names(type: TensorType[Attribute]) -> list[str]:
    """The names of the dimensions, `""` for those that have none."""
    if isinstance(type.encoding, DimsAttr):
        return [n.data for n in type.encoding.names]
    return [""] * type.get_num_dims()


@cache
def unranked_type(element: Attribute) -> UnrankedTensorType[Attribute]:
    """A tensor type of unknown rank; the same one, as for `ranked_type`."""
    return UnrankedTensorType(element)


def tensor_type_of(array: np.ndarray[Any, Any]) -> TensorType[Attribute]:
    """The type of a numpy array's value. Raises ValueError if its dtype has no element type."""
    return ranked_type(element_type_of(array.dtype), array.shape)


PRINTS_HEX = 100
"""Longer dense attributes whose elements differ print as hexadecimal bytes."""


def text_is_exact(floats: np.ndarray[Any, Any]) -> bool:
    """Whether `dense<...>` in text gives the same floats back.

    xDSL 0.74 prints infinities, NaNs and some large whole floats as hexadecimal integers, which it reads
    as integers; and a tensor that mixes zeros of both signs as a splat.
    """
    with np.errstate(invalid="ignore"):  # a NaN that signals
        values = floats.astype(np.float64).reshape(-1)
    same = values.size == 0 or bool((values == values[0]).all())
    if not same and values.size > PRINTS_HEX:
        return not np.isnan(values).all()
    if same and np.unique(np.signbit(values)).size > 1:
        return False
    # Whole numbers of six digits print as they are.
    with np.errstate(invalid="ignore"):
        probes = values[(values != np.rint(values)) | (np.abs(values) >= 1e6)]
    narrow, digits = floats.dtype.type, {4: 9, 8: 17}.get(floats.dtype.itemsize)
    return all(
        _prints(value, narrow, digits) for value in (probes[:1] if same else probes).tolist()
    )


def _prints(value: float, narrow: type[np.generic], digits: int | None) -> bool:
    if value - value != 0:
        return False  # infinite or not a number
    if cast("float", narrow(float(f"{value:.5e}"))) == value:
        return True
    return digits is None or "." in f"{value:.{digits}g}"
