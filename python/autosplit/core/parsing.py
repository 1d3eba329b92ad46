"""Parses modules from text: our own quickly, and those that MLIR's own tools print.

The latter differ from xDSL's in two points: locations follow the module as aliases, where xDSL does not look
for them; and non-ASCII strings are escaped byte by byte, which xDSL takes for bytes, not for names.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IntegerType
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from autosplit.core.errors import AutosplitError, first_line

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, TypeAttribute

_ALIAS = re.compile(r"^(#[\w.$-]+) = (\S.*)$", re.MULTILINE)
"""A line that defines an alias; a string has no line breaks, so none of these is inside of one."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[\w.$-]+')


_STRING = re.compile(
    r"""//[^\n]*|"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+("?)""",
)
"""A comment, or as much of a string as xDSL's lexer would take; the group is its end, where it has one."""

_TENSOR = re.compile(r"tensor<[\w?*]*>")
"""A type of tensors as it is printed, without an encoding."""


WIDEST = (1 << 24) - 1
"""Bits of the widest integer, as in MLIR: to check that a value fits takes that much memory."""

MOST_ELEMENTS = 1 << 28
"""Elements of the largest constant that text may hold; weights do not stand in it."""


class TypeParser(Parser):
    """xDSL's parser, which reads each type of tensors once: a model has many values and few types."""

    def __init__(self, ctx: Context, text: str, name: str = "<unknown>"):
        super().__init__(ctx, text, name)
        self._types: dict[str, TypeAttribute | None] = {}
        self._dense: set[TypeAttribute | None] = set()
        """Those that constants may have."""
        self.places: dict[Operation, Span] = {}
        """Where the text of each op begins."""

    def parse_optional_operation(self) -> Operation | None:
        token = self._current_token.span
        op = super().parse_optional_operation()
        if op is not None:
            self.places[op] = token
        return op

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self._current_token.span.start
        match = _TENSOR.match(self.lexer.input.content, start)
        if match is None:
            type = super().parse_optional_type()
            self._check_width(type, start)
            return type
        if match[0] not in self._types:
            self._types[match[0]] = super().parse_optional_type()
        else:
            self._resume_from(match.end())
        return self._types[match[0]]

    def _check_width(self, type: TypeAttribute | None, start: int) -> None:
        if isinstance(type, IntegerType) and type.bitwidth > WIDEST:
            self.raise_error(f"integers have at most {WIDEST} bits", start, self.pos)

    def _parse_dense_literal_type(self) -> Any:
        # To make the constraint that a type must keep takes longer than all the rest of a constant.
        start = self.pos
        if (type := self.parse_optional_type()) in self._dense:
            return type
        self._resume_from(start)
        type = super()._parse_dense_literal_type()
        # xDSL writes out a value that stands for all elements.
        if (elements := prod(type.get_shape())) > MOST_ELEMENTS:
            self.raise_error(f"constants have at most {MOST_ELEMENTS} elements, not {elements}")
        self._dense.add(type)
        return type


class MlirParser(TypeParser):
    """One with all strings that are text read as text."""

    def parse_optional_str_literal(self) -> str | None:
        token = self._current_token
        if token.kind != MLIRTokenKind.BYTES_LIT:
            return super().parse_optional_str_literal()
        try:
            text = StringLiteral.from_span(token.span).string_contents
        except UnicodeDecodeError:
            return None
        self._consume_token()
        return text


def parse_text(ctx: Context, text: str, name: str) -> ModuleOp:
    """The module that text of our own holds, not verified; `name` is the file's, for errors.

    Raises ParseError, with the place, and AutosplitError for whatever else is wrong with the text.
    """
    check_strings(text, name)
    return _parse(TypeParser(ctx, text, name))


def parse_mlir(
    ctx: Context,
    text: str,
    name: str,
    *,
    implicit_module: bool = True,
    spans: dict[Operation, Span] | None = None,
) -> ModuleOp:
    """The same for text that MLIR's tools may have printed; `spans` gets where each op begins."""
    check_strings(text, name)
    reader = MlirParser(ctx, with_aliases_first(text), name)
    if spans is not None:
        reader.places = spans
    return _parse(reader, implicit_module)


def _parse(reader: Parser, implicit_module: bool = True) -> ModuleOp:
    try:
        return reader.parse_module(implicit_module)
    except (ParseError, DiagnosticException):
        raise
    except RecursionError:
        file = reader.lexer.input.name
        raise AutosplitError(f"{file}: is nested too deeply to be read") from None
    except Exception as e:
        # What xDSL, and the constructors of attributes, end with where numbers or parameters make no sense:
        # ValueError, KeyError, struct.error, ... The text is to blame in any case.
        raise ParseError(_position_of(reader), f"cannot be parsed: {first_line(e)}") from e


def _position_of(reader: Parser) -> Span:
    """Where a parser stands."""
    source: Input = reader.lexer.input
    start = min(reader.pos, max(source.len - 1, 0))
    return Span(start, min(start + 1, source.len), source)


def check_strings(text: str, name: str) -> None:
    """Raises AutosplitError if a string literal is malformed, or has no end as in a file that was cut off.

    xDSL's lexer takes exponential time for those.
    """
    for match in _STRING.finditer(text):
        if match[1] == "":
            stopped = text[match.end() : match.end() + 1]
            raise AutosplitError(f"{_place(text, match.start(), name)}: {_what_stops(stopped)}")


def _what_stops(character: str) -> str:
    if character == "\\":
        return (
            'a string that begins here has an escape that is none; there are \\\\, \\", \\n, \\t and two '
            "hexadecimal digits, as in \\0A"
        )
    if character:
        return "a string that begins here has no end on its line; a line break in it is written \\n"
    return "a string that begins here has no end; the file may be truncated"


def _place(text: str, at: int, name: str) -> str:
    line = text.count("\n", 0, at) + 1
    return f"{name}:{line}:{at - text.rfind(chr(10), 0, at)}"


def with_aliases_first(text: str) -> str:
    """Text with all aliases of attributes in front of their uses; lines keep their numbers."""
    aliases = {match[1]: match[2] for match in _ALIAS.finditer(text)}
    if not aliases:
        return text
    return "".join((*_in_order(aliases), _ALIAS.sub("", text)))


def _in_order(aliases: dict[str, str]) -> list[str]:
    """Definitions of aliases, for a single line, each behind those that it uses."""
    ordered: dict[str, str] = {}
    entered: set[str] = set()
    pending = list(reversed(aliases))
    while pending:
        name = pending[-1]
        needed = [n for n in _TOKEN.findall(aliases[name]) if n in aliases and n not in ordered]
        if needed and name not in entered:
            entered.add(name)
            pending += needed
            continue
        # Aliases that need each other stay as they are, and the parser says so.
        ordered.setdefault(name, f"{name} = {aliases[name]} ")
        pending.pop()
    return list(ordered.values())
