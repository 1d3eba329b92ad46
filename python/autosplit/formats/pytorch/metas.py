"""Converts between a program's tensor metadata and the types of the IR."""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, StringAttr, TensorType, f64, i1, i64
from xdsl.ir import Attribute

from autosplit.core.dtypes import dim_names, dtype_of, element_type_of, ranked_type
from autosplit.core.errors import AutosplitError
from autosplit.dialects.aten.memory import (
    CONVERTING,
    COPIED,
    SHARED,
    can_view,
    is_contiguous,
    reach,
)
from autosplit.dialects.platform import UnknownType
from autosplit.formats.pytorch.schema import (
    DTYPE_NUMBERS,
    DTYPES,
    STRIDED,
    Json,
    contiguous_strides,
    size_text,
    word_of,
)

SYMBOL_TABLES = {
    "sym_int": "sym_int_values",
    "sym_float": "sym_float_values",
    "sym_bool": "sym_bool_values",
}
"""The tables that describe a program's numbers."""

_NUMBERS: dict[str, Attribute] = {"sym_int": i64, "sym_float": f64, "sym_bool": i1}


def symbol_type(kind: str) -> Attribute:
    """The type of a number: a tensor of one element."""
    return ranked_type(_NUMBERS[kind], ())


def type_of_meta(meta: Json | None, symbols: dict[str, Json]) -> Attribute:
    """The type of a tensor. Sizes that are expressions are kept in `symbols`, by their text."""
    if meta is None:
        return UnknownType()
    name = word_of(DTYPES, meta["dtype"], "dtype")
    try:
        element = element_type_of(name)
    except ValueError:
        raise AutosplitError(f"is of {name}, which is not read") from None
    texts = [size_text(size) for size in meta["sizes"]]
    for size, text in zip(meta["sizes"], texts, strict=True):
        if isinstance(text, str):
            symbols.setdefault(text, size)
    sizes = [DYNAMIC_INDEX if isinstance(text, str) else text for text in texts]
    return ranked_type(element, sizes, [text if isinstance(text, str) else "" for text in texts])


def memory_of(base: str, operand: Json, result: Json) -> StringAttr | None:
    """Whether an op that copies only if it must did so, from its operand's and result's layout.

    None if it depends on unknown sizes.
    """
    sizes, strides = numbers_of(operand, "sizes"), numbers_of(operand, "strides")
    if base in CONVERTING:
        is_shared = operand["strides"] == result["strides"] and operand["dtype"] == result["dtype"]
        return SHARED if is_shared else COPIED
    if is_contiguous(sizes, strides):
        return SHARED
    shape = numbers_of(result, "sizes")
    if None in (*sizes, *strides, *shape):
        return None
    known_dims = [[n or 0 for n in dims] for dims in (sizes, strides, shape)]
    return SHARED if can_view(*known_dims) else COPIED


def order_of(meta: Json, sizes: list[int] | None, strides: list[int] | None, offset: int) -> bool:
    """Whether `as_strided` of a tensor with this metadata reads only elements of it, in order.

    Arguments that the program computes are None, and assumed to do so.
    """
    shape = numbers_of(meta, "sizes")
    if meta["storage_offset"] != {"as_int": 0}:
        return False
    if not is_contiguous(shape, numbers_of(meta, "strides")):
        return False
    if sizes is None or strides is None or None in shape:
        return True
    return reach(sizes, strides, offset) < prod(size or 0 for size in shape)


def numbers_of(meta: Json, key: str) -> list[int | None]:
    """Sizes or strides; None for those that are expressions."""
    return [item.get("as_int") for item in meta[key]]


def meta_of_type(type: Attribute, symbols: dict[str, Json], *, grad: bool) -> Json | None:
    """The metadata of a contiguous tensor of a type; None if the type does not determine it."""
    if not isinstance(type, TensorType):
        return None
    tensor = cast("TensorType[Attribute]", type)
    dtype = dtype_of(tensor)
    sizes = list(tensor.get_shape())
    size_entries: list[Any] = []
    for size, name in zip(sizes, dim_names(tensor), strict=True):
        if size >= 0:
            size_entries.append({"as_int": size})
        elif name in symbols:
            size_entries.append(symbols[name])
        else:
            return None
    if dtype is None or any(size < 0 for size in sizes[1:]):
        return None
    # The first size does not affect the strides.
    strides = contiguous_strides([max(size, 1) for size in sizes])
    return {
        "dtype": DTYPE_NUMBERS[dtype.name],
        "sizes": size_entries,
        "requires_grad": grad,
        "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": step} for step in strides],
        "storage_offset": {"as_int": 0},
        "layout": STRIDED,
    }
