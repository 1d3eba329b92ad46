"""Numbers that are known in part, against the integers that they stand for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from autosplit.lowering.sizes.affine import (
    AffineExpr,
    Atom,
    floor_quotient,
    least,
    maximum,
    minimum,
    most,
    positive,
    product,
    quotient,
    select,
    unknown,
    zero,
)

NAMES = ("a", "b", "c")


def atom(name, low=None):
    return unknown(name, least=low)


A, B = atom("a", 0), atom("b", 0)


def evaluate(number, values):
    """The integer that a number is, given those of the unknown ones."""
    if isinstance(number, int):
        return number
    return number.constant + sum(n * _atom(a, values) for a, n in number.terms)


def _atom(a: Atom, values):
    def inner(i):
        return evaluate(a.of[i], values)

    match a.name:
        case "product":
            result = 1
            for part, count in a.of[0]:
                result *= (
                    evaluate(part, values) if isinstance(part, AffineExpr) else _atom(part, values)
                ) ** count
            return result
        case "least of":
            return min(evaluate(part, values) for part in a.of[0])
        case "positive":
            return int(inner(0) > 0)
        case "zero":
            return int(inner(0) == 0)
        case "selected":
            return inner(1) if inner(0) else inner(2)
        case "quotient":
            return inner(0) // inner(1)
        case name:
            return values[name]


@st.composite
def numbers(draw, values, depth=3):
    """A number, built from the unknown ones and small integers, with the integer that it must be."""
    if depth == 0 or draw(st.booleans()):
        if draw(st.booleans()):
            n = draw(st.integers(-6, 6))
            return n, n
        name = draw(st.sampled_from(NAMES))
        return atom(name, 0), values[name]
    deeper = numbers(values, depth - 1)
    (a, x), (b, y) = draw(deeper), draw(deeper)
    match draw(st.sampled_from(("add", "sub", "mul", "min", "max", "select", "zero", "floor"))):
        case "add":
            return a + b, x + y
        case "sub":
            return a - b, x - y
        case "mul":
            return a * b, x * y
        case "min":
            return minimum(a, b), min(x, y)
        case "max":
            return maximum(a, b), max(x, y)
        case "zero":
            return zero(a - b), int(x == y)
        case "floor":
            k = draw(st.integers(1, 4))
            found = floor_quotient(a, k)
            assert found is not None
            return found, x // k
        case _:
            c, z = draw(deeper)
            d, w = draw(deeper)
            return select(positive(a - b), c, d), z if x > y else w


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_numbers_are_the_integers_that_they_stand_for(data):
    values = {name: data.draw(st.integers(0, 9)) for name in NAMES}
    number, integer = data.draw(numbers(values))
    assert evaluate(number, values) == integer
    low, high = least(number), most(number)
    assert low is None or low <= integer
    assert high is None or high >= integer


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_equal_numbers_are_equal_in_every_run(data):
    values = {name: data.draw(st.integers(0, 9)) for name in NAMES}
    (a, x), (b, y) = data.draw(numbers(values)), data.draw(numbers(values))
    if a == b:
        assert x == y


def test_clipped_and_padded_is_what_was_asked_for():
    """The forms in which a list of n boxes becomes one of k."""
    k, n = 7, A
    count = minimum(k, n)
    assert count + (k - count) == k
    for condition, yes, no in (
        (positive(n - k), k, n),
        (positive(k - n), n, k),
        (1 - positive(n - k), n, k),
        (positive(n - k + 1), k, n),
    ):
        assert select(condition, yes, no) == count
    assert select(positive(n - k), n, k) == maximum(n, k)
    assert minimum(minimum(n, k), n) == count
    assert maximum(minimum(n, k), 0) == count
    assert minimum(n + maximum(k - n, 0), k) == k
    assert select(positive(n - k), count, k) == k
    assert select(positive(k - n), k, count) == k
    assert select(positive(n - k), k + 1, n) != count
    assert select(positive(n - k), k, -1) != count


def test_products_and_quotients():
    assert product([A, B, 2]) == B * A * 2
    assert quotient(A * 12, 4) == A * 3
    assert quotient(A * 12 + 2, 4) is None
    assert (A + 1) * B == B * (A + 1)
    assert product([A, B]) * 6 == (A * 2) * (B * 3)
    assert product([A, 0]) == 0
    assert least(product([A, B])) == 0
    assert least(atom("free") * B) is None


def test_bounds_decide_tests():
    assert positive(A + 1) == 1
    assert positive(-A) == 0
    assert zero(A + 1) == 0
    assert isinstance(positive(A), AffineExpr)
    assert minimum(A, A + 3) == A
    assert maximum(A, -2) == A
