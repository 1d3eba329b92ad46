"""The element type in which ATen computes on several operands, as `torch.result_type` says.

Tensors with dimensions come first, then tensors of rank 0, then Python's numbers: what comes later counts
only if it is of a higher kind (Booleans, integers, floats).

    (tensor<2xi8>, tensor<i64>) -> i8
    (tensor<2xi64>, 1.5) -> f32
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeAlias

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType, f32, i1, i64
from xdsl.ir import Attribute

from autosplit.core.dtypes import dtype_of
from autosplit.lowering.shared.refusal import Refusal

Given: TypeAlias = "tuple[Attribute, int] | bool | int | float"
"""An operand: the element type and the rank of a tensor, or a number."""


def is_float(element: Attribute) -> bool:
    """Whether elements are floats."""
    return isinstance(element, AnyFloat)


def is_integer(element: Attribute) -> bool:
    """Whether elements are integers; Booleans are none."""
    return isinstance(element, IntegerType) and element != i1


def promoted(operands: Sequence[Given]) -> Attribute:
    """The element type in which ATen computes on operands."""
    groups: list[list[Attribute]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, tuple):
            element, rank = operand
            groups[0 if rank else 1].append(element)
        else:
            groups[2].append(_of_number(operand))
    found: Attribute | None = None
    for group in groups:
        if group:
            element = reduce(_joined, group)
            found = element if found is None else _combined(found, element)
    if found is None:
        raise Refusal("malformed-op", "has no operands")
    return found


def _of_number(number: float) -> Attribute:
    if isinstance(number, bool):
        return i1
    return i64 if isinstance(number, int) else f32


def _rank(element: Attribute) -> int:
    """0 for Booleans, 1 for integers, 2 for floats."""
    if is_float(element):
        return 2
    if isinstance(element, IntegerType):
        return 0 if element == i1 else 1
    raise Refusal("dtype", f"elements are {element}, expected real numbers")


def _combined(first: Attribute, later: Attribute) -> Attribute:
    """What comes first, unless what comes later is of a higher kind."""
    return first if _rank(first) >= _rank(later) else _joined(first, later)


def _joined(a: Attribute, b: Attribute) -> Attribute:
    """The element type that holds the elements of two types."""
    if a == b:
        return a
    low, high = sorted((a, b), key=_rank)
    if _rank(low) < _rank(high):
        return high
    if is_float(a):
        return _joined_floats(a, b)
    return _joined_integers(a, b)


def _joined_floats(a: Attribute, b: Attribute) -> Attribute:
    assert isinstance(a, AnyFloat)
    assert isinstance(b, AnyFloat)
    if a.bitwidth == b.bitwidth:
        # Of 16 bits: one has the range, the other the precision.
        assert isinstance(a, BFloat16Type) or isinstance(b, BFloat16Type)
        return f32
    return a if a.bitwidth > b.bitwidth else b


def _joined_integers(a: Attribute, b: Attribute) -> Attribute:
    one, other = dtype_of(a), dtype_of(b)
    if one is None or other is None:
        raise Refusal("dtype", f"computes on {a} and {b} together")
    if one.kind == other.kind:
        return a if one.itemsize > other.itemsize else b
    unsigned, signed = (one, other) if one.kind == "u" else (other, one)
    if unsigned.itemsize != 1:
        raise Refusal("dtype", f"computes on {a} and {b} together")
    if signed.itemsize == 1:
        return IntegerType(16)
    return a if signed is one else b
