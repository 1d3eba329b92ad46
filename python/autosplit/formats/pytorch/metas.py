"""What a program says of its values: the types of the IR from it, and it again from the types."""

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
"""Where a program says what its numbers are."""

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


def memory_of(base: str, given: Json, made: Json) -> StringAttr | None:
    """What an op that copies only if it must did: the attribute for its operand's and its result's layout.

    None if unknown sizes leave it open.
    """
    sizes, strides = numbers_of(given, "sizes"), numbers_of(given, "strides")
    if base in CONVERTING:
        is_shared = given["strides"] == made["strides"] and given["dtype"] == made["dtype"]
        return SHARED if is_shared else COPIED
    if is_contiguous(sizes, strides):
        return SHARED
    shape = numbers_of(made, "sizes")
    if None in (*sizes, *strides, *shape):
        return None
    known = [[n or 0 for n in listed] for listed in (sizes, strides, shape)]
    return SHARED if can_view(*known) else COPIED


def order_of(given: Json, sizes: list[int] | None, strides: list[int] | None, offset: int) -> bool:
    """Whether `as_strided` of such a tensor, with these arguments, reads just elements of it in order.

    Arguments that the program computes are None; they are taken to do so.
    """
    known = numbers_of(given, "sizes")
    if given["storage_offset"] != {"as_int": 0}:
        return False
    if not is_contiguous(known, numbers_of(given, "strides")):
        return False
    if sizes is None or strides is None or None in known:
        return True
    return reach(sizes, strides, offset) < prod(size or 0 for size in known)


def numbers_of(meta: Json, key: str) -> list[int | None]:
    """Sizes or strides; None for those that are expressions."""
    return [item.get("as_int") for item in meta[key]]


def meta_of_type(type: Attribute, symbols: dict[str, Json], *, grad: bool) -> Json | None:
    """What a program says of a contiguous tensor of a type; None if the type does not tell enough."""
    if not isinstance(type, TensorType):
        return None
    tensor = cast("TensorType[Attribute]", type)
    dtype = dtype_of(tensor)
    sizes = list(tensor.get_shape())
    listed: list[Any] = []
    for size, name in zip(sizes, dim_names(tensor), strict=True):
        if size >= 0:
            listed.append({"as_int": size})
        elif name in symbols:
            listed.append(symbols[name])
        else:
            return None
    if dtype is None or any(size < 0 for size in sizes[1:]):
        return None
    # The first size has no part in the strides.
    strides = contiguous_strides([max(size, 1) for size in sizes])
    return {
        "dtype": DTYPE_NUMBERS[dtype.name],
        "sizes": listed,
        "requires_grad": grad,
        "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": step} for step in strides],
        "storage_offset": {"as_int": 0},
        "layout": STRIDED,
    }
