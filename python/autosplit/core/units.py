"""Formats numbers for people: counts, bytes, shares."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int) -> str:
    """1234567 as `1.23 M`: three digits and a unit."""
    value, unit = float(number), ""
    for larger in ("K", "M", "G", "T"):
        # 999.6 K would print as 1000 K.
        if abs(value) < 999.5:
            break
        value, unit = value / 1000, f" {larger}"
    digits = f"{value:.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
    return f"{digits}{unit}"


def counted(number: object, noun: str, plural: str = "") -> str:
    """A number and what it counts: `1 op`, `3 ops`; `plural` if it is not formed with an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def first_of(texts: Sequence[str], limit: int, separator: str = ", ") -> str:
    """The first texts of a list, and how many more there are: `'a', 'b' and 3 more`."""
    suffix = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return separator.join(texts[:limit]) + suffix


def size(number: int | None) -> str:
    """A number of bytes, such as `1.05 MB`; `?` where it is unknown."""
    if number is None:
        return "?"
    text = count(number)
    return f"{text}B" if " " in text else f"{text} B"


def share(part: int, total: int) -> str:
    """A part as percent; `100 %` and `0 %` only where it is exactly that."""
    if total == 0:
        return "-"
    text = f"{100 * part / total:.1f}"
    if text == "100.0" and part != total:
        return ">99.9 %"
    if text == "0.0" and part:
        return "<0.1 %"
    return f"{text.removesuffix('.0')} %"
