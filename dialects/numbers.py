"""Numbers in the text of ops whose types follow from a table: `strides = [1, 1]`, `epsilon = 0.001`.

Long lists of equal numbers are short: `[64 x 0]`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.parser import AttrParser
from xdsl.printer import Printer

from autosplit.core.units import counted

SHORTENED = 17
"""Lists of at least this many equal numbers print as the count and the number."""

LONGEST = 1 << 24
"""The most numbers in a list that is written like that."""


def print_numbers(
    printer: Printer, value: float | Sequence[float], spell: Callable[[float], str] = str
) -> None:
    """Prints a number, or a list of them. `spell` gives the text of a float."""
    if isinstance(value, int | float):
        printer.print_string(_text(value, spell))
        return
    with printer.in_square_brackets():
        if len(value) >= SHORTENED and len({str(v) for v in value}) == 1:
            printer.print_string(f"{len(value)} x ")
            value = value[:1]
        printer.print_list(value, lambda v: printer.print_string(_text(v, spell)))


def _text(value: float, spell: Callable[[float], str]) -> str:
    text = str(value) if isinstance(value, int) else spell(value)
    # The parser requires a point in every float.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def parse_optional_numbers(parser: AttrParser, *, floats: bool) -> list[int | float] | None:
    """Reads `[1, 2, 3]`, or `[64 x 0]` for as many equal numbers; None if no list begins."""
    if parser.parse_optional_punctuation("[") is None:
        return None
    if parser.parse_optional_punctuation("]") is not None:
        return []
    values = [_parse_number(parser, floats)]
    if parser.parse_optional_keyword("x") is not None:
        if not 0 < values[0] <= LONGEST or values[0] % 1:
            parser.raise_error(
                f"found {counted(values[0], 'equal number')}, expected 1 to {LONGEST}"
            )
        values = [_parse_number(parser, floats)] * int(values[0])
    else:
        while parser.parse_optional_punctuation(",") is not None:
            values.append(_parse_number(parser, floats))
    parser.parse_punctuation("]")
    return values


def parse_optional_number(parser: AttrParser, *, floats: bool) -> int | float | None:
    """Reads a number; None if there is none. With `floats`, `inf` and `nan` are numbers."""
    if not floats:
        return parser.parse_optional_integer(allow_boolean=False)
    sign = -1.0 if parser.parse_optional_punctuation("-") is not None else 1.0
    if (value := parser.parse_optional_number()) is not None:
        return sign * value
    for name, number in (("inf", math.inf), ("nan", math.nan)):
        if parser.parse_optional_keyword(name) is not None:
            return sign * number
    return None


def _parse_number(parser: AttrParser, floats: bool) -> int | float:
    if (value := parse_optional_number(parser, floats=floats)) is None:
        parser.raise_error("expected a number")
    return value
