"""What is known about sizes, and integers from which sizes are computed, while some are unknown.

Unknown sizes of a value are `Number`s (`affine.py`), so that what is computed from them may be known
again. What follows becomes part of the types: `refine_types` and the conversions go on from there.
Ops of ONNX have their rules in `onnx_rules.py`, those of TensorFlow that no conversion has taken in
`tf_rules.py` and `tf_ops.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import (
    dtype_of,
    ranked_type,
)
from autosplit.dialects.platform import (
    element_type,
    set_type,
    shape_of,
    static_shape,
)
from autosplit.lowering.shared.fold import AnyArray, Constants
from autosplit.lowering.shared.types import join
from autosplit.lowering.sizes.affine import Number, is_size, unknown

ELEMENTS_LIMIT = 64
"""Integers are followed in values of at most this many elements."""

Shape: TypeAlias = tuple[Number, ...]
Shapes: TypeAlias = "Sequence[Shape | None]"
"""The shape of each result; None if a rule knows nothing about it."""
ShapeRule: TypeAlias = "Callable[[KnownSizes, Any], Shapes]"
ElementRule: TypeAlias = "Callable[[KnownSizes, Any], Sequence[AnyArray | None]]"
"""The elements of each result, as arrays of `Number`."""
NoteRule: TypeAlias = "Callable[[KnownSizes, Any], None]"


class KnownSizes:
    """What is known about the sizes and small elements of a graph's values; `SizeWalk` finds it."""

    def __init__(self, constants: Constants):
        self.constants = constants
        self._shapes: dict[SSAValue, Shape] = {}
        self._elements: dict[SSAValue, AnyArray | None] = {}
        self._computed: dict[SSAValue, AnyArray] = {}
        self.dead: set[SSAValue] = set()
        """Values in the branch of a conditional that is never taken."""
        self._has_improved = False
        self.facts: dict[str, object] = {}
        """What the rules of a framework remember about the graph."""

    def shape(self, value: SSAValue | None) -> Shape | None:
        """The sizes of a tensor; None if not even the rank is known."""
        if value is None:
            return None
        if (shape := self._shapes.get(value)) is not None:
            return shape
        dims = shape_of(value.type)
        if dims is None:
            return None
        return tuple(d if d >= 0 else _size(value, i) for i, d in enumerate(dims))

    def elements(self, value: SSAValue | None) -> AnyArray | None:
        """The elements of a small tensor of integers or booleans, in its shape; None for other values.

        An element of which nothing is known is a number of its own.
        """
        if value is None:
            return None
        if value not in self._elements:
            self._elements[value] = self._initial_elements(value)
        return self._elements[value]

    def computed(self, value: SSAValue) -> AnyArray | None:
        """The elements of a value if a rule computed them, else None."""
        return self._computed.get(value)

    def integers(self, value: SSAValue | None) -> list[int] | None:
        """The elements of a small tensor as a flat list; None unless all are known."""
        elements = self.elements(value)
        if elements is None:
            return None
        flat = list(elements.reshape(-1))
        return flat if all(isinstance(n, int) for n in flat) else None

    def number(self, value: SSAValue | None) -> Number | None:
        """The only element of a tensor."""
        elements = self.elements(value)
        return None if elements is None or elements.size != 1 else elements.reshape(-1)[0]

    def _initial_elements(self, value: SSAValue) -> AnyArray | None:
        shape = static_shape(value.type)
        if not is_small(value.type) or shape is None:
            return None
        if self.constants.is_constant(value):
            array = self.constants.array(value)
            return None if array is None else array.astype(np.int64).astype(object)
        least = 0 if element_type(value.type) == IntegerType(1) else None
        most = None if least is None else 1
        flat = [unknown("element", value, i, least=least, most=most) for i in range(prod(shape))]
        return numbers(flat).reshape(shape)

    def set_input_shape(self, value: SSAValue, shape: Shape | None) -> None:
        """Sets the shape of an input of a body."""
        if shape is not None:
            self._has_improved |= self._set_shape(value, shape)

    def _set_shape(self, value: SSAValue, shape: Shape) -> bool:
        element = element_type(value.type)
        old = shape_of(value.type)
        if element is None or (old is not None and len(old) != len(shape)):
            return False
        dims = (DYNAMIC_INDEX,) * len(shape) if old is None else old
        sizes = tuple(
            d if d >= 0 else n if is_size(n) else _size(value, i)
            for i, (d, n) in enumerate(zip(dims, shape, strict=True))
        )
        self._shapes[value] = sizes
        new = tuple(n if isinstance(n, int) else DYNAMIC_INDEX for n in sizes)
        if old is not None and new == dims:
            return False
        set_type(value, join(value.type, ranked_type(element, new)))
        return True

    def _set_elements(self, value: SSAValue, array: AnyArray) -> bool:
        shape = static_shape(value.type)
        if array.size > ELEMENTS_LIMIT or (shape is not None and shape != array.shape):
            return False
        array = _in_range(value, array)
        self._elements[value] = self._computed[value] = array
        return shape is None and self._set_shape(value, array.shape)


def _size(value: SSAValue, axis: int) -> Number:
    return unknown("size", value, axis, least=0)


def is_small(type: Attribute) -> bool:
    """Whether a type has integers or booleans, few of them or an unknown number."""
    if not isinstance(element_type(type), IntegerType):
        return False
    shape = shape_of(type)
    return shape is None or all(d < 0 for d in shape) or 0 <= prod(shape) <= ELEMENTS_LIMIT


def _in_range(value: SSAValue, array: AnyArray) -> AnyArray:
    """The elements of a value; those beyond the range of its type, which a runtime wraps, are unknown."""
    element = element_type(value.type)
    dtype = None if element is None else dtype_of(element)
    if dtype is None or dtype.kind not in "iu":
        return array
    flat = list(array.reshape(-1))
    limits = np.iinfo(dtype)
    fits = [_is_in_range(n, int(limits.min), int(limits.max)) for n in flat]
    if all(fits):
        return array
    elements = (
        n if ok else unknown("element", value, i)
        for i, (n, ok) in enumerate(zip(flat, fits, strict=True))
    )
    return numbers(elements).reshape(array.shape)


def _is_in_range(number: Number, low: int, high: int) -> bool:
    if isinstance(number, int):
        return low <= number <= high
    parts = (number.constant, *(n for _, n in number.terms))
    return all(-high <= n <= high for n in parts) and (low < 0 or is_size(number))


def numbers(values: Iterable[Number]) -> AnyArray:
    """A vector of numbers."""
    listed = list(values)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array


def open_size() -> Number:
    """A size of which nothing is known; the value that has it identifies it."""
    return unknown("open", object())


def fixed(shape: Shape | None) -> Shape | None:
    """The known sizes, the others open: what holds in every iteration of a loop."""
    return None if shape is None else tuple(n if isinstance(n, int) else open_size() for n in shape)


def agreed(shapes: Sequence[Shape | None]) -> Shape | None:
    """The shape of a value that is one of several: the sizes that all of them have."""
    ranked = [shape for shape in shapes if shape is not None]
    if not ranked or len(ranked) < len(shapes) or len({len(shape) for shape in ranked}) > 1:
        return None
    return tuple(
        sizes[0] if len(set(sizes)) == 1 else open_size() for sizes in zip(*ranked, strict=True)
    )
