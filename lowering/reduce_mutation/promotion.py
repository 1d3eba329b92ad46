"""The element type in which ATen computes on several operands, as `torch.result_type` says.

Tensors with dimensions come first, then tensors of rank 0, then Python's numbers: later ones count only
if they are of a higher kind (Booleans, integers, floats, complex numbers).

    (tensor<2xi8>, tensor<i64>) -> i8
    (tensor<2xi64>, 1.5) -> f32
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    IntegerType,
    TensorType,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute

from autosplit.core.dtypes import dim_names, dtype_of, ranked_type
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall
from autosplit.lowering.reduce_mutation.updates import Twin
from autosplit.lowering.shared.refusal import Refusal

KEEPING = frozenset({"copy", "fill", "zero", "_native_batch_norm_legit_functional"})
"""Ops whose results have the element type of what they update, whatever else they read."""

TRUTHS = frozenset(
    {
        *("eq", "ne", "lt", "le", "gt", "ge", "less", "less_equal", "greater", "greater_equal"),
        *("not_equal", "logical_and", "logical_or", "logical_xor", "logical_not"),
    }
)
"""Ops that return Booleans; an update writes them as numbers of the tensor's own type."""

PLACES = frozenset({"condition", "index", "indices", "mask"})
"""Arguments that select elements: their types do not count."""


Operand: TypeAlias = "tuple[Attribute, int] | bool | int | float"
"""An operand: the element type and the rank of a tensor, or a number."""


def is_float(element: Attribute) -> bool:
    """Whether elements are floats."""
    return isinstance(element, AnyFloat)


def is_integer(element: Attribute) -> bool:
    """Whether elements are integers; Booleans are not."""
    return isinstance(element, IntegerType) and element != i1


def is_complex(element: Attribute) -> bool:
    """Whether elements are complex numbers."""
    return isinstance(element, ComplexType)


def promoted(operands: Sequence[Operand]) -> Attribute:
    """The element type in which ATen computes on operands; raises Refusal if there is none."""
    groups: list[list[Attribute]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, tuple):
            element, rank = operand
            groups[0 if rank else 1].append(element)
        else:
            groups[2].append(_of_number(operand))
    joined = [reduce(_joined, group) for group in groups if group]
    if not joined:
        raise Refusal("malformed-op", "has no operands")
    return reduce(_combined, joined)


def result_type(call: AtenCall, twin: Twin, type: Attribute) -> Attribute:
    """The result type of the twin of an update for a tensor of type `type`."""
    original = element_type(type)
    if original is None or shape_of(type) is None or twin.spec.base in KEEPING:
        return type
    if twin.spec.base in TRUTHS:
        return _with_elements(type, i1)
    types = [
        value.type
        for slot, value in zip(call.slots, call.op.operands, strict=True)
        if slot.is_tensor and not slot.writes and slot.name not in PLACES
    ]
    operands = [(element_type(one), int(shape_of(one) != ())) for one in (type, *types)]
    try:
        best = promoted([(element, rank) for element, rank in operands if element is not None])
    except Refusal:
        # PyTorch does not compute on these together either.
        return type
    return type if best == original else _with_elements(type, best)


def _of_number(number: float) -> Attribute:
    if isinstance(number, bool):
        return i1
    return i64 if isinstance(number, int) else f32


def _rank(element: Attribute) -> int:
    """0 for Booleans, 1 for integers, 2 for floats, 3 for complex numbers."""
    if is_complex(element):
        return 3
    if is_float(element):
        return 2
    if isinstance(element, IntegerType):
        return 0 if element == i1 else 1
    raise Refusal("dtype", f"elements are {element}, expected numbers")


def _combined(first: Attribute, later: Attribute) -> Attribute:
    """The first type, unless the later one is of a higher kind."""
    return first if _rank(first) >= _rank(later) else _joined(first, later)


def _joined(a: Attribute, b: Attribute) -> Attribute:
    """The element type that holds the elements of two types."""
    if a == b:
        return a
    low, high = sorted((a, b), key=_rank)
    if _rank(low) < _rank(high):
        return high
    if is_complex(a):
        return _joined_complex(a, b)
    if is_float(a):
        return _joined_floats(a, b)
    return _joined_integers(a, b)


def _joined_complex(a: Attribute, b: Attribute) -> Attribute:
    left, right = dtype_of(a), dtype_of(b)
    if left is None or right is None:
        raise Refusal("dtype", f"computes on {a} and {b} together")
    return a if left.itemsize > right.itemsize else b


def _joined_floats(a: Attribute, b: Attribute) -> Attribute:
    assert isinstance(a, AnyFloat)
    assert isinstance(b, AnyFloat)
    if a.bitwidth == b.bitwidth:
        # f16 and bf16: one has the precision, the other the range.
        assert isinstance(a, BFloat16Type) or isinstance(b, BFloat16Type)
        return f32
    return a if a.bitwidth > b.bitwidth else b


def _joined_integers(a: Attribute, b: Attribute) -> Attribute:
    left, right = dtype_of(a), dtype_of(b)
    if left is None or right is None:
        raise Refusal("dtype", f"computes on {a} and {b} together")
    if left.kind == right.kind:
        return a if left.itemsize > right.itemsize else b
    unsigned, signed = (left, right) if left.kind == "u" else (right, left)
    if unsigned.itemsize != 1:
        raise Refusal("dtype", f"computes on {a} and {b} together")
    if signed.itemsize == 1:
        return IntegerType(16)
    return a if signed is left else b


def _with_elements(type: Attribute, element: Attribute) -> Attribute:
    tensor = cast("TensorType[Attribute]", type)
    return ranked_type(element, tensor.get_shape(), dim_names(tensor))
