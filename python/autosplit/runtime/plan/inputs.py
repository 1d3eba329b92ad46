"""A plan's inputs: their checks, and where they lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.casting import UnknownInputs, cast_input
from autosplit.core.errors import AutosplitError
from autosplit.runtime.plan.memory import Located, MemoryLayout, address_of

if TYPE_CHECKING:
    from autosplit.runtime.plan.program import Program
    from autosplit.runtime.plan.values import Value

Array = NDArray[np.generic]


class Inputs:
    """The inputs of a program: `values` are each one's name, number and value."""

    def __init__(self, program: Program):
        self.values = [(name, index, program.values[index]) for name, index in program.inputs]
        self._names = [name for name, _ in program.inputs]
        self._unknown = UnknownInputs(self._names)
        read = {v for stretch in program.stretches for v in stretch.reads}
        self._needed = read | {index for _, index in program.outputs}

    def check(
        self, feeds: Mapping[str, Array], memory: dict[int, Located]
    ) -> tuple[dict[int, Array], list[tuple[str, int]]]:
        """The inputs by value, row-major or channels-last, whose places are noted in `memory`.

        Also the names and bytes of those that were copied for that. Raises AutosplitError for one that is
        missing or does not fit; names that are no inputs are warned of, once.
        """
        for name in feeds:
            if name not in self._names:
                self._unknown.tell(name)
        arrays: dict[int, Array] = {}
        copied: list[tuple[str, int]] = []
        for name, index, value in self.values:
            array = feeds.get(name)
            if array is None:
                if index in self._needed:
                    raise AutosplitError(
                        f"input {name!r} is missing; the plan takes {', '.join(self._names)}"
                    )
                continue
            array = _check_feed(name, array, value)
            form = _form_of(array)
            arrays[index] = array if form else np.ascontiguousarray(array)
            if form is None:
                copied.append((name, array.nbytes))
            memory[index] = address_of(arrays[index]), form or MemoryLayout(array.shape)
        return arrays, copied


def _check_feed(name: str, feed: object, value: Value) -> Array:
    """An input in the dtype that the plan takes; raises AutosplitError unless it fits that and the shape."""
    if not isinstance(feed, np.ndarray):
        raise AutosplitError(f"input {name!r} is a {type(feed).__name__}, expected a numpy array")
    array = cast("Array", feed)
    if array.dtype != value.dtype:
        array = cast_input(array, value.dtype.name, f"input {name!r}")
    if value.shape is None:
        return array
    fits = array.ndim == len(value.shape) and all(
        n in (want, -1) or want < 0 for n, want in zip(array.shape, value.shape, strict=True)
    )
    if not fits:
        shape = ["?" if n < 0 else n for n in value.shape]
        raise AutosplitError(
            f"input {name!r} has the shape {list(array.shape)}, expected [{', '.join(map(str, shape))}]"
        )
    return array


def _form_of(array: Array) -> MemoryLayout | None:
    """How an array lies in memory, row-major or, as images may, channels-last; None where neither."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return MemoryLayout(array.shape)
    if array.ndim not in (3, 4, 5) or not flags.aligned:
        return None
    form = MemoryLayout.ordered(array.shape, [0, *range(2, array.ndim), 1])
    return form if np.moveaxis(array, 1, -1).flags.c_contiguous else None
