"""Which element type a functional op gives where the update that it stands for keeps that of its tensor."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ComplexType,
    FixedBitwidthType,
    IntegerType,
    TensorType,
    f32,
    i1,
)
from xdsl.ir import Attribute

from autosplit.core.dtypes import dim_names, ranked_type
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall
from autosplit.lowering.reduce_mutation.updates import Twin

KEEPING = frozenset({"copy", "fill", "zero", "_native_batch_norm_legit_functional"})
"""Ops that give the element type of what they update, whatever else they read."""

TRUTHS = frozenset(
    {
        *("eq", "ne", "lt", "le", "gt", "ge", "less", "less_equal", "greater", "greater_equal"),
        *("not_equal", "logical_and", "logical_or", "logical_xor", "logical_not"),
    }
)
"""Ops that give booleans; an update writes them as numbers of the tensor's own type."""

PLACES = frozenset({"condition", "index", "indices", "mask"})
"""Arguments that say where, so that their types do not count."""


def result_type(call: AtenCall, twin: Twin, type: Attribute) -> Attribute:
    """The type of what the twin of an update gives for a tensor of type `type`."""
    own = element_type(type)
    if own is None or shape_of(type) is None or twin.spec.base in KEEPING:
        return type
    if twin.spec.base in TRUTHS:
        return _with_elements(type, i1)
    best = own
    for slot, value in zip(call.slots, call.op.operands, strict=True):
        if slot.is_tensor and not slot.writes and slot.name not in PLACES:
            best = _joined(best, not shape_of(type), value.type)
    return type if best == own else _with_elements(type, best)


def _joined(own: Attribute, is_scalar: bool, other: Attribute) -> Attribute:
    """The element type of an operation on two tensors: a scalar counts only if it is of a higher kind."""
    found = element_type(other)
    if found is None or found == own or _kind(found) < _kind(own):
        return own
    if _kind(found) > _kind(own):
        return found
    if shape_of(other) == () and not is_scalar:
        return own
    return _wider(own, found)


def _wider(first: Attribute, second: Attribute) -> Attribute:
    """The type that holds the numbers of two types of one kind, as PyTorch chooses it."""
    low, high = sorted((first, second), key=_width)
    if _kind(high) != 1:
        return high if _width(low) < _width(high) else f32
    is_mixed = (_is_unsigned(high) and not _is_unsigned(low)) or _width(low) == _width(high)
    return IntegerType(min(2 * _width(high), 64)) if is_mixed else high


def _is_unsigned(type: Attribute) -> bool:
    return str(type).startswith("u")


def _kind(type: Attribute) -> int:
    """Booleans, integers, real and complex numbers, in the order in which PyTorch promotes them."""
    if isinstance(type, IntegerType):
        return 0 if type == i1 else 1
    return 3 if isinstance(type, ComplexType) else 2


def _width(type: Attribute) -> int:
    return type.bitwidth if isinstance(type, FixedBitwidthType) else 0


def _with_elements(type: Attribute, element: Attribute) -> Attribute:
    tensor = cast("TensorType[Attribute]", type)
    return ranked_type(element, tensor.get_shape(), dim_names(tensor))
