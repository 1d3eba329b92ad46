"""The types of the values that conversions make: small, since `infer-shapes` knows more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import ranked_type
from autosplit.dialects import platform
from autosplit.dialects.platform import (
    UnknownType,
    element_type,
)

Shape: TypeAlias = tuple[int, ...]
"""Dimensions; those that are unknown are negative."""


def tensor(element: Attribute | None, shape: Sequence[int] | None) -> Attribute:
    """The tensor type with what is known of it."""
    if element is None:
        return UnknownType()
    if shape is None:
        return UnrankedTensorType(element)
    return ranked_type(element, tuple(d if d >= 0 else DYNAMIC_INDEX for d in shape))


def shape_of(value: SSAValue) -> Shape | None:
    """The dimensions of a value, negative where unknown; None if the rank is unknown."""
    return platform.shape_of(value.type)


def static_of(value: SSAValue) -> Shape | None:
    """The dimensions of a value where all are known."""
    return platform.static_shape(value.type)


def permuted(shape: Shape | None, perm: Sequence[int]) -> Shape | None:
    if shape is None or len(shape) != len(perm):
        return None
    return tuple(shape[p] for p in perm)


def broadcast(shapes: Sequence[Shape | None]) -> Shape | None:
    """The shape of an elementwise result; None if an operand's rank is unknown."""
    ranked = [s for s in shapes if s is not None]
    if len(ranked) != len(shapes):
        return None
    out: list[int] = []
    for i in range(1, max((len(s) for s in ranked), default=0) + 1):
        dims = [s[-i] for s in ranked if len(s) >= i]
        fixed = [d for d in dims if d > 1 or d == 0]
        # An unknown dimension beside ones may be anything; beside a larger one it must be that or 1.
        dim = fixed[0] if fixed else DYNAMIC_INDEX if any(d < 0 for d in dims) else 1
        out.append(dim)
    return tuple(reversed(out))


def join_types(old: Attribute, new: Attribute) -> Attribute:
    """What two types together say about a value; the first wins where they contradict each other."""
    element = element_type(old) or element_type(new)
    a, b = platform.shape_of(old), platform.shape_of(new)
    if a is None:
        return tensor(element, b)
    if b is None or len(a) != len(b):
        return old
    dims = tuple(x if x >= 0 else y for x, y in zip(a, b, strict=True))
    return old if dims == a else tensor(element, dims)
