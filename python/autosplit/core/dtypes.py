"""Element types of the IR and numpy's dtypes, both ways.

Types that numpy lacks (bfloat16, the 8-bit and smaller floats, the 2- and 4-bit integers) are those of
`ml_dtypes`, which is imported only when one of them occurs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

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
    Signedness,
    TensorType,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute

from autosplit.dialects.platform import element_type

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

    None where there is none: strings, handles, unknown types.
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
    # numpy composes the name at each use.
    return np.dtype(dtype).name


def element_type_of(dtype: DType | type[np.generic] | str) -> Attribute:
    """The element type of a numpy dtype, given as such, as a scalar type or by name.

    Raises ValueError where there is none.
    """
    name = dtype if isinstance(dtype, str) else _name_of(dtype)
    if name not in _TYPES:
        raise ValueError(f"there is no element type for the dtype {name!r}")
    return _TYPES[name]


def tensor_type_of(array: np.ndarray[Any, Any]) -> TensorType[Attribute]:
    """The type of a numpy array's value. Raises ValueError where its dtype has no element type."""
    return TensorType(element_type_of(array.dtype), array.shape)
