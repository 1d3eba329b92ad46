"""Integers that are known only in part: sums of multiples of unknown ones.

A detector's list of boxes is cut to `min(k, n)` entries and then padded by `k - min(k, n)`: `n` is unknown
before the model runs, but the sum is `k` all the same. `Number` is an int where all is known, else an
`AffineExpr`, on which `+`, `-` and `*` work as on integers. Two numbers that are equal as objects are
equal in every run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import gcd, prod
from typing import TypeAlias, cast


@dataclass(frozen=True)
class Atom:
    """An unknown integer: what it is, and the least and the most that it can be.

    Atoms of one name with the same `of` are the same integer: `of` are a value and the position in it, or the
    numbers that it is computed from.
    """

    name: str
    of: tuple[Hashable, ...]
    least: int | None = field(default=None, compare=False)
    most: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class AffineExpr:
    """`constant + sum(factor * atom)`, with at least one atom and no factor 0."""

    terms: frozenset[tuple[Atom, int]]
    constant: int = 0

    def __add__(self, other: Number) -> Number:
        return _combined(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Number:
        return _combined(self, other, -1)

    def __rsub__(self, other: int) -> Number:
        return _combined(other, self, -1)

    def __neg__(self) -> Number:
        return _combined(0, self, -1)

    def __mul__(self, other: Number) -> Number:
        if isinstance(other, int):
            return _number({atom: n * other for atom, n in self.terms}, self.constant * other)
        return product([self, other])

    __rmul__ = __mul__


Number: TypeAlias = "int | AffineExpr"


def _number(terms: dict[Atom, int], constant: int) -> Number:
    nonzero = frozenset((atom, n) for atom, n in terms.items() if n)
    return AffineExpr(nonzero, constant) if nonzero else constant


def _combined(a: Number, b: Number, sign: int) -> Number:
    """a + sign * b"""
    terms = dict(a.terms) if isinstance(a, AffineExpr) else {}
    constant = a.constant if isinstance(a, AffineExpr) else a
    if isinstance(b, int):
        return _number(terms, constant + sign * b)
    for atom, n in b.terms:
        terms[atom] = terms.get(atom, 0) + sign * n
    return _number(terms, constant + sign * b.constant)


def unknown(name: str, *of: Hashable, least: int | None = None, most: int | None = None) -> Number:
    """An integer of which only bounds are known, identified by `name` and `of`."""
    if least is not None and least == most:
        return least
    return AffineExpr(frozenset({(Atom(name, of, least, most), 1)}))


DEPTH = 2
"""How many nested minimums are searched for a bound."""


def least(number: Number, depth: int = DEPTH) -> int | None:
    """The least that a number can be; None if that is unknown."""
    if isinstance(number, int):
        return number
    candidates = [_sum_of_least(number)]
    for atom, n in number.terms if depth else ():
        if atom.name == "least of":
            others = number - n * AffineExpr(frozenset({(atom, 1)}))
            bounds = [least(others + n * part, depth - 1) for part in _parts(atom)]
            finite = [bound for bound in bounds if bound is not None]
            if n < 0:
                candidates.append(max(finite, default=None))
            elif len(finite) == len(bounds):
                candidates.append(min(finite))
    return max((bound for bound in candidates if bound is not None), default=None)


def _sum_of_least(number: AffineExpr) -> int | None:
    total = number.constant
    for atom, n in number.terms:
        bound = atom.least if n > 0 else atom.most
        if bound is None:
            return None
        total += n * bound
    return total


def _parts(atom: Atom) -> frozenset[Number]:
    """The numbers of which an atom is the least."""
    return cast("frozenset[Number]", atom.of[0])


def most(number: Number) -> int | None:
    """The most that a number can be; None if that is unknown."""
    bound = least(-number)
    return None if bound is None else -bound


def is_size(number: Number) -> bool:
    """Whether a number is never negative."""
    bound = least(number)
    return bound is not None and bound >= 0


def product(factors: Iterable[Number]) -> Number:
    """The product of numbers; that of two or more unknown ones is a new unknown number."""
    constant, others = 1, list[AffineExpr]()
    for number in factors:
        if isinstance(number, int):
            constant *= number
        else:
            others.append(number)
    if not constant or not others:
        return constant
    first = others[0]
    if len(others) == 1:
        return first * constant
    # The same product in any order, with common factors outside.
    parts: dict[AffineExpr, int] = {}
    for number in others:
        common = gcd(number.constant, *(n for _, n in number.terms))
        constant *= common
        reduced = quotient(number, common)
        assert isinstance(reduced, AffineExpr)
        for part in _factors(reduced):
            parts[part] = parts.get(part, 0) + 1
    bounds = [(least(part), count) for part, count in parts.items()]
    sizes = [bound**count for bound, count in bounds if bound is not None and bound >= 0]
    low = prod(sizes) if len(sizes) == len(bounds) else None
    return unknown("product", frozenset(parts.items()), least=low) * constant


def _factors(number: AffineExpr) -> list[AffineExpr]:
    """The factors of a product; the number itself if it is none."""
    (atom, n), *others = number.terms
    if others or n != 1 or number.constant or atom.name != "product":
        return [number]
    inner = cast("frozenset[tuple[AffineExpr, int]]", atom.of[0])
    return [part for part, count in inner for _ in range(count)]


def quotient(number: Number, divisor: int) -> Number | None:
    """`number / divisor` if that leaves no remainder whatever the unknown numbers are, else None."""
    if divisor == 0:
        return None
    if isinstance(number, int):
        return number // divisor if number % divisor == 0 else None
    if number.constant % divisor or any(n % divisor for _, n in number.terms):
        return None
    return _number({a: n // divisor for a, n in number.terms}, number.constant // divisor)


def minimum(a: Number, b: Number) -> Number:
    """The smaller of two numbers."""
    smallest: list[Number] = []
    for part in _smallest_of(a) | _smallest_of(b):
        if not any(_below(other, part) for other in smallest):
            smallest = [other for other in smallest if not _below(part, other)]
            smallest.append(part)
    if len(smallest) == 1:
        return smallest[0]
    bounds = [(least(p), most(p)) for p in smallest]
    lows = [low for low, _ in bounds]
    highs = [high for _, high in bounds if high is not None]
    low = None if None in lows else min(n for n in lows if n is not None)
    return unknown("least of", frozenset(smallest), least=low, most=min(highs, default=None))


def _smallest_of(number: Number) -> set[Number]:
    """The numbers of which this one is the smallest."""
    if isinstance(number, AffineExpr) and len(number.terms) == 1 and not number.constant:
        ((atom, n),) = number.terms
        if n == 1 and atom.name == "least of":
            return set(_parts(atom))
    return {number}


def _below(a: Number, b: Number) -> bool:
    """Whether a <= b in every run."""
    return is_size(b - a)


def maximum(a: Number, b: Number) -> Number:
    """The larger of two numbers."""
    return -minimum(-a, -b)


def positive(number: Number) -> Number:
    """1 where a number is greater than 0, else 0."""
    low, high = least(number), most(number)
    if low is not None and low > 0:
        return 1
    if high is not None and high <= 0:
        return 0
    return unknown("positive", number, least=0, most=1)


def zero(number: Number) -> Number:
    """1 where a number is 0, else 0."""
    low, high = least(number), most(number)
    if number == 0:
        return 1
    if (low is not None and low > 0) or (high is not None and high < 0):
        return 0
    return unknown("zero", number, least=0, most=1)


def select(condition: Number, a: Number, b: Number) -> Number:
    """`a` where the condition is 1, `b` where it is 0."""
    if isinstance(condition, int):
        return a if condition else b
    if a == b:
        return a
    for yes, no, test in ((a, b, condition), (b, a, 1 - condition)):
        if (number := _tested(test)) is None:
            continue
        yes, no = _where_positive(yes, number), _where_positive(no, 1 - number)
        if yes == no:
            return yes
        if (selection := _selected(number, yes, no)) is not None:
            return selection
    lows, highs = (least(a), least(b)), (most(a), most(b))
    low = None if lows[0] is None or lows[1] is None else min(lows[0], lows[1])
    high = None if highs[0] is None or highs[1] is None else max(highs[0], highs[1])
    return unknown("selected", condition, a, b, least=low, most=high)


def _tested(condition: Number) -> Number | None:
    """The number that a condition compares with 0: whether it is greater."""
    if not isinstance(condition, AffineExpr) or len(condition.terms) != 1 or condition.constant:
        return None
    ((atom, n),) = condition.terms
    number = atom.of[0] if atom.name == "positive" and n == 1 else None
    return number if isinstance(number, int | AffineExpr) else None


def _where_positive(number: Number, positive: Number) -> Number:
    """A number that is the least of several, as it is where `positive` is greater than 0."""
    parts = _smallest_of(number)
    # Where `positive` is 1 or more, what exceeds it less 1 is not negative.
    minimal = {p for p in parts if not any(is_size(p - q - positive + 1) for q in parts if q != p)}
    return minimal.pop() if len(minimal) == 1 else number


def _selected(number: Number, a: Number, b: Number) -> Number | None:
    """`a` where `number > 0`, else `b`, as the smaller or the larger of the two; None if it is neither.

    With `a - b = c - k * number` and `0 <= c <= k`, `a` is the smaller one where `number` is positive.
    """
    difference = a - b
    if not isinstance(number, AffineExpr):
        return None
    atom, n = next(iter(number.terms))
    multiple = dict(difference.terms).get(atom, 0) if isinstance(difference, AffineExpr) else 0
    if not multiple or multiple % n:
        return None
    factor = multiple // n
    offset = difference - number * factor
    if not isinstance(offset, int):
        return None
    if factor < 0 and 0 <= offset <= -factor:
        return minimum(a, b)
    if factor > 0 and -factor <= offset <= 0:
        return maximum(a, b)
    return None


def floor_quotient(a: Number, b: Number) -> Number | None:
    """`a / b` rounded down, where `b` is a positive integer; else None."""
    if not isinstance(b, int) or b < 1:
        return None
    if (exact := quotient(a, b)) is not None:
        return exact
    if isinstance(a, int):
        return a // b
    low, high = least(a), most(a)
    return unknown(
        "quotient",
        a,
        b,
        least=None if low is None else low // b,
        most=None if high is None else high // b,
    )
