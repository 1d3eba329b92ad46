"""Arrays as a model takes them: cast where no value changes, refused in one line where one would.

`numpy.ones(shape)` is float64; scripts give such arrays for bytes, and 64-bit integers for 32-bit ones.
"""

from __future__ import annotations

import logging

import numpy as np

from autosplit.core.errors import AutosplitError, choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.generic]
    DType = np.dtype[Any]

log = logging.getLogger("autosplit")

STRINGS = ("object", "str", "string")
"""What folders call the dtype of strings, of which numpy has several."""


def dtype_by_name(name: str) -> DType:
    """The dtype that numpy or `ml_dtypes` calls so. Raises ValueError if there is none."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        if not hasattr(ml_dtypes, name):
            raise ValueError(f"there is no dtype {name!r}") from None
        return np.dtype(getattr(ml_dtypes, name))


def cast_input(array: Array, expected: str, what: str) -> Array:
    """The array with the dtype of that name; the array itself where it has it already.

    Raises AutosplitError, beginning with `what`, if there is a value that the dtype cannot hold. Numbers
    and strings are never made of each other.
    """
    dtype = array.dtype
    if expected in STRINGS and dtype.kind in "OSU":
        return array
    text = f"{what}: found dtype {dtype.name}, expected {expected}"
    if expected in STRINGS or dtype.kind in "OSUmM" or dtype.names is not None:
        raise AutosplitError(text)
    wanted = dtype_by_name(expected)
    if dtype == wanted:
        return array
    if dtype.kind == "c" and wanted.kind != "c":
        raise AutosplitError(text)
    with np.errstate(all="ignore"):
        try:
            converted = array.astype(wanted)
        except (TypeError, ValueError):
            raise AutosplitError(text) from None
        lost = ~_same(array, converted)
    if lost.any():
        value = array[lost].reshape(-1)[0]
        raise AutosplitError(f"{text}, which cannot hold its {value}; convert the array")
    return converted


class UnknownInputs:
    """Warns of arrays that are given for no input of a model, once for each name."""

    def __init__(self, names: Sequence[str]):
        self.names = list(names)
        self._told: set[str] = set()

    def tell(self, name: str) -> None:
        """Says that `name` is no input, and which the inputs are that it may stand for."""
        if name in self._told:
            return
        self._told.add(name)
        hint = choice(name, self.names) if self.names else ", which has none"
        log.warning("%r is not an input of the model%s; it is not used", name, hint)


def _same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two arrays of numbers have the same value, whatever their dtypes are; NaN is NaN."""
    a, b = (x.astype(np.uint8) if x.dtype.kind == "b" else x for x in (a, b))
    if a.dtype.kind != "c" and b.dtype.kind == "c":
        b = np.real(b)
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        # The way there and back is the identity for integers of one width, signed or not.
        return (b.astype(a.dtype) == a) & ((a < 0) == (b < 0))
    if a.dtype.kind in "iu":
        return _is_integer(b, a)
    if b.dtype.kind in "iu":
        return _is_integer(a, b)
    a, b = _wide(a), _wide(b)
    return (a == b) | ((a != a) & (b != b))


def _is_integer(floats: Array, integers: Array) -> NDArray[np.bool_]:
    info = np.iinfo(integers.dtype.name)
    wide = _wide(floats)
    # The largest integer of 64 bits is not a float, the one behind it is.
    inside = (wide >= float(info.min)) & (wide < float(info.max + 1))
    return inside & (np.trunc(wide) == wide) & (wide.astype(integers.dtype) == integers)


def _wide(array: Array) -> NDArray[Any]:
    """Floats of any kind, and the small integers of `ml_dtypes`, without loss as numpy's own."""
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.longdouble if array.dtype == np.longdouble else np.float64)
