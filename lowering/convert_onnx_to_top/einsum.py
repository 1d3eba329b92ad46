"""Equations of Einsum: what their subscripts are."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import TypeAlias

Term: TypeAlias = str
"""The subscripts of one operand, one letter for each dimension."""


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[Term], Term]:
    """The subscripts of the operands and of the result; an ellipsis becomes letters of its own.

    Raises ValueError for an equation that is malformed or does not fit the ranks.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"has {len(terms)} terms for {len(ranks)} operands")
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        result = ("..." if "..." in left else "") + "".join(
            sorted(s for s in set(letters) if letters.count(s) == 1)
        )
    free = [s for s in reversed(ascii_uppercase) if s not in equation]
    hidden = [
        rank - len(t.replace("...", "")) for t, rank in zip(terms, ranks, strict=True) if "..." in t
    ]
    most = "".join(free[: max([0, *hidden])])
    found = [_expand(t, rank, most) for t, rank in zip(terms, ranks, strict=True)]
    result = result.replace("...", most)
    for term in (*found, result):
        if not all(s.isalpha() for s in term) or len(set(term)) != len(term):
            raise ValueError("has a term that is not made of different letters")
    if not set(result) <= set("".join(found)):
        raise ValueError("has a result with letters that no operand has")
    return found, result


def _expand(term: str, rank: int, hidden: str) -> Term:
    count = rank - len(term.replace("...", ""))
    if count < 0 or ("..." not in term and count):
        raise ValueError(f"has term {term!r} for an operand of rank {rank}")
    return term.replace("...", hidden[len(hidden) - count :])
