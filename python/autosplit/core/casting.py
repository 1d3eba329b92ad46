"""Arrays as a model takes them: cast where no value changes, refused in one line where one would.

`numpy.ones(shape)` is float64; scripts pass such arrays for bytes, and 64-bit integers for 32-bit ones.
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
"""The names that folders have for the dtype of strings; numpy has several such dtypes."""


def dtype_by_name(name: str) -> DType:
    """The dtype with this name in numpy or `ml_dtypes`. Raises ValueError if there is none."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        if not hasattr(ml_dtypes, name):
            raise ValueError(f"there is no dtype {name!r}") from None
        return np.dtype(getattr(ml_dtypes, name))


def cast_input(array: Array, expected: str, label: str) -> Array:
    """The array with the dtype of that name; the array itself where it has it already.

    Raises AutosplitError, beginning with `label`, if there is a value that the dtype cannot hold. Numbers
    and strings are never made of each other.
    """
    dtype = array.dtype
    if expected in STRINGS and dtype.kind in "OSU":
        return array
    text = f"{label}: found dtype {dtype.name}, expected {expected}"
    if expected in STRINGS or dtype.kind in "OSUmM" or dtype.names is not None:
        raise AutosplitError(text)
    dtype_expected = dtype_by_name(expected)
    if dtype == dtype_expected:
        return array
    if dtype.kind == "c" and dtype_expected.kind != "c":
        raise AutosplitError(text)
    with np.errstate(all="ignore"):
        try:
            converted = array.astype(dtype_expected)
        except (TypeError, ValueError):
            raise AutosplitError(text) from None
        lost = ~_equal_values(array, converted)
    if lost.any():
        value = array[lost].reshape(-1)[0]
        raise AutosplitError(f"{text}, which cannot hold its {value}; convert the array")
    return converted


class UnknownInputs:
    """Warns of arrays whose names are not inputs of a model, once per name."""

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


def _equal_values(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
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
    # The largest 64-bit integer is not a float, but the one after it is.
    in_range = (wide >= float(info.min)) & (wide < float(info.max + 1))
    return in_range & (np.trunc(wide) == wide) & (wide.astype(integers.dtype) == integers)


def _wide(array: Array) -> NDArray[Any]:
    """Floats of any kind, and the small integers of `ml_dtypes`, without loss as numpy's own."""
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.longdouble if array.dtype == np.longdouble else np.float64)
