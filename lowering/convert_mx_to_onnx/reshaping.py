"""The codes in the `shape` of a Reshape, applied to sizes of which some may be unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from autosplit.core.units import counted
from autosplit.lowering.shared.refusal import Refusal


@dataclass(frozen=True)
class Copied:
    """An unknown size: the product of the sizes of some axes of the input."""

    axes: tuple[int, ...]


Size: TypeAlias = "int | Copied"
"""A size: a number, -1 if it follows from the others, or an unknown one of the input."""


def reshaped(sizes: Sequence[Size], codes: Sequence[int]) -> list[Size]:
    """The shape that `codes` make of `sizes`.

    0 copies a size, -1 follows from the others, -2 copies all that follow, -3 multiplies two, -4 splits one
    into the next two numbers. Refuses what does not fit.
    """
    out: list[Size] = []
    at = 0
    pending = iter(codes)
    for code in pending:
        if code > 0 or code == -1:
            out.append(code)
            at += 1
        elif code == 0:
            out.append(_size(sizes, at))
            at += 1
        elif code == -2:
            out += sizes[at:]
            at = len(sizes)
        elif code == -3:
            out.append(_product([_size(sizes, at), _size(sizes, at + 1)]))
            at += 2
        elif code == -4:
            out += _divided(_size(sizes, at), next(pending, 0), next(pending, 0))
            at += 1
        else:
            raise Refusal("attribute", f"shape has {code}, expected a size or one of 0 to -4")
    return _completed(sizes, out)


def _size(sizes: Sequence[Size], index: int) -> Size:
    if index >= len(sizes):
        raise Refusal("malformed-op", f"shape reads axis {index}, the input has {len(sizes)}")
    return sizes[index]


def _product(sizes: Sequence[Size]) -> Size:
    if all(isinstance(size, int) for size in sizes):
        return prod(size for size in sizes if isinstance(size, int))
    if any(isinstance(size, int) and size != 1 for size in sizes):
        return -1
    return Copied(tuple(a for size in sizes if isinstance(size, Copied) for a in size.axes))


def _divided(size: Size, first: int, second: int) -> list[Size]:
    if isinstance(size, int) and -1 in (first, second) and max(first, second) > 0:
        other = size // max(first, second)
        return [other if first == -1 else first, other if second == -1 else second]
    return [first, second]


def _completed(sizes: Sequence[Size], out: list[Size]) -> list[Size]:
    """The shape with its -1 as a number, if all other sizes are known."""
    if out.count(-1) > 1:
        raise Refusal("dynamic-shape", "several sizes of the result are unknown")
    if -1 not in out or not all(isinstance(n, int) for n in (*sizes, *out)):
        return out
    total = prod(n for n in sizes if isinstance(n, int))
    product = prod(n for n in out if isinstance(n, int) and n != -1)
    if product == 0 or total % product:
        raise Refusal("malformed-op", f"{counted(total, 'element')} cannot make the shape {out}")
    return [total // product if n == -1 else n for n in out]
