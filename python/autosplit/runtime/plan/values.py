"""The tensors that the steps of a compiled plan read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from autosplit.runtime.plan.memory import MemoryLayout

Array = NDArray[np.generic]


@dataclass
class Value:
    """A tensor of a plan: name, element type, and what is known of its sizes and its layout."""

    name: str
    element: Attribute
    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None
    """-1 for an unknown size; None where the rank is not."""
    order: tuple[int, ...] | None = None
    """The dimensions from outermost to innermost; None is row-major."""
    strides: tuple[int, ...] | None = None
    """Strides that the type gives, in elements."""
    open: bool = False
    """Whether the library may choose the layout."""
    constant: Array | None = None

    @property
    def is_static(self) -> bool:
        return self.shape is not None and all(n >= 0 for n in self.shape)

    @property
    def known_shape(self) -> tuple[int, ...] | None:
        return self.shape if self.is_static else None

    def form(self, shape: Sequence[int]) -> MemoryLayout | None:
        """How the value lies in memory with these sizes; None where that is for the library to say."""
        if self.open:
            return None
        if self.strides is not None:
            return MemoryLayout.of(shape, self.strides)
        return (
            MemoryLayout(tuple(shape))
            if self.order is None
            else MemoryLayout.ordered(shape, self.order)
        )
