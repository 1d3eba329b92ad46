"""The enum numbers of `.pt2` files for dtypes, layouts and memory formats, and their notation of sizes."""

from __future__ import annotations

import ast
from typing import Any

from autosplit.core.errors import AutosplitError

Json = dict[str, Any]
"""A part of a program's JSON, which `torch/_export/serde/schema.py` of PyTorch describes."""

DTYPES = {
    1: "uint8",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "float16",
    7: "float32",
    8: "float64",
    9: "complex32",
    10: "complex64",
    11: "complex128",
    12: "bool",
    13: "bfloat16",
    28: "uint16",
    29: "float8_e4m3fn",
    30: "float8_e5m2",
    31: "float8_e4m3fnuz",
    32: "float8_e5m2fnuz",
    33: "float8_e8m0fnu",
    34: "uint32",
    35: "uint64",
}
"""PyTorch's names of the dtypes by number; numpy and `ml_dtypes` have the same."""

LAYOUTS = {
    1: "sparse_coo",
    2: "sparse_csr",
    3: "sparse_csc",
    4: "sparse_bsr",
    5: "sparse_bsc",
    6: "_mkldnn",
    7: "strided",
}

MEMORY_FORMATS = {
    1: "contiguous_format",
    2: "channels_last",
    3: "channels_last_3d",
    4: "preserve_format",
}

DTYPE_NUMBERS = {name: number for number, name in DTYPES.items()}
LAYOUT_NUMBERS = {name: number for number, name in LAYOUTS.items()}
MEMORY_FORMAT_NUMBERS = {name: number for number, name in MEMORY_FORMATS.items()}

STRIDED = LAYOUT_NUMBERS["strided"]
POSITIONAL, KEYWORD = 1, 2


def only_item(union: Json) -> tuple[str, Any]:
    """The kind and the value of a union. Raises ValueError if it is empty."""
    for kind, value in union.items():
        return kind, value
    raise ValueError("a kind and its value are missing")


def word_of(table: dict[int, str], number: object, label: str) -> str:
    """PyTorch's name for an enum number. Raises AutosplitError for an unknown one."""
    if not isinstance(number, int) or number not in table:
        raise AutosplitError(f"has the {label} {number!r}, which PyTorch does not have")
    return table[number]


def contiguous_strides(sizes: list[int]) -> list[int]:
    """The strides of a tensor whose elements lie in C order, as PyTorch counts them."""
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def size_text(size: Json) -> int | str:
    """A size as a number, or as text: `s77`, `2*s77 + 1`."""
    if "as_int" in size:
        return int(size["as_int"])
    return expression_text(str(size["as_expr"]["expr_str"]))


def expression_text(text: str) -> str:
    """A sympy expression in the usual notation; files have it as the Python code that builds it."""
    try:
        return _infix(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


_JOINED = {"Add": " + ", "Mul": "*"}


def _infix(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name), *_]):
            return name
        case ast.Call(func=ast.Name(id="Integer"), args=[number]):
            return ast.unparse(number)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _JOINED:
            terms = [_infix(arg) for arg in args]
            if name == "Mul":
                terms = [f"({term})" if " " in term else term for term in terms]
            return _JOINED[name].join(terms)
        case ast.Call(func=ast.Name(id=name), args=args):
            return f"{name}({', '.join(map(_infix, args))})"
        case _:
            return ast.unparse(node)
