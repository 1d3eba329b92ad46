"""Inputs are cast where no value changes, and refused in one line where one would."""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosplit.core.casting import UnknownInputs, cast_input, dtype_by_name
from autosplit.core.errors import AutosplitError

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "longdouble"]
VALUES = [
    *(
        0,
        1,
        -1,
        7,
        8,
        -8,
        127,
        128,
        -129,
        255,
        256,
        65504,
        65520,
        2**24,
        2**24 + 1,
        2**31,
        2**53 + 1,
    ),
    *(2**63 - 1, 2**63, 2**64 - 1, 0.5, 0.1, -0.0, 1e-40, 1e300, float("inf"), float("nan")),
]


def exact(value: Any) -> Fraction | str:
    """A number as Python has it, without rounding."""
    if isinstance(value, int | np.integer | np.bool_):
        return Fraction(int(value))
    wide = np.longdouble(value)
    if not np.isfinite(wide):
        return str(wide)
    return Fraction(*wide.as_integer_ratio())


def holds(dtype: str, value: Fraction | str) -> bool:
    """Whether a dtype has exactly this value, by Python's own numbers."""
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        return (
            isinstance(value, Fraction) and value.denominator == 1 and info.min <= value <= info.max
        )
    if dtype == "bool":
        return value in (0, 1)
    kind = dtype_by_name(dtype)
    with np.errstate(all="ignore"):
        if isinstance(value, str):
            return exact(np.longdouble(value).astype(kind)) == value
        near = np.longdouble(value.numerator) / np.longdouble(value.denominator)
        return exact(near) == value and exact(near.astype(kind)) == value


@given(st.sampled_from([*INTEGERS, *FLOATS, "bool"]), st.sampled_from(VALUES), st.data())
def test_a_value_is_kept_or_refused(source: str, value: Any, data: st.DataObject):
    target = data.draw(st.sampled_from([*INTEGERS, *FLOATS, "bool"]))
    with np.errstate(all="ignore"):
        try:
            array = np.array([1, value]).astype(dtype_by_name(source))
        except OverflowError:
            return
    kept = all(holds(target, exact(item)) for item in array)
    if not kept:
        with pytest.raises(AutosplitError) as caught:
            cast_input(array, target, "input 'x'")
        said = (
            f"input 'x': found dtype {array.dtype.name}, expected {target}, which cannot hold its "
        )
        assert str(caught.value).startswith(said)
        assert "\n" not in str(caught.value)
        return
    made = cast_input(array, target, "input 'x'")
    assert made.dtype == dtype_by_name(target)
    assert [exact(item) for item in made] == [exact(item) for item in array]


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.array(["a"]), "float32"),
        (np.array([b"a"]), "uint8"),
        (np.ones(2), "object"),
        (np.zeros(2, "M8[s]"), "int64"),
        (np.zeros(2, [("a", "f4")]), "float32"),
        (np.ones(2, "complex64"), "float32"),
        (np.array([{}]), "float32"),
    ],
)
def test_what_is_no_number_of_that_kind(array: Any, dtype: str):
    with pytest.raises(AutosplitError, match=f"found dtype .*, expected {dtype}$"):
        cast_input(array, dtype, "input 'x'")


def test_the_value_that_is_lost_is_named():
    with pytest.raises(AutosplitError, match=r"expected uint8, which cannot hold its 0\.5"):
        cast_input(np.array([[1.0, 0.5]]), "uint8", "input 'x'")


def test_nothing_is_copied_without_need():
    array = np.ones(3, np.float32)
    assert cast_input(array, "float32", "x") is array
    strings = np.array(["a", "b"])
    assert cast_input(strings, "object", "x") is strings
    assert cast_input(np.ones(2, ">f4"), "float32", "x").dtype == np.float32
    assert cast_input(np.array(3), "int8", "x").shape == ()
    assert cast_input(np.zeros((0, 2)), "int8", "x").shape == (0, 2)
    assert cast_input(np.array([1, 2]), "complex64", "x").tolist() == [1, 2]


def test_unknown_names_are_told_once(caplog: pytest.LogCaptureFixture):
    unknown = UnknownInputs(["image", "size"])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            unknown.tell("imgae")
    assert [r.getMessage() for r in caplog.records] == [
        "'imgae' is not an input of the model (did you mean 'image'?); it is not used"
    ]
