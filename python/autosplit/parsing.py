"""Reading modules as text: our own quickly, and those that MLIR's own tools print.

The latter differ from xDSL's in two points: locations stand behind the module, as aliases, where xDSL does
not look for them; and strings that are not ASCII are written byte by byte, which xDSL takes for bytes, not
for names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import TypeAttribute

_ALIAS = re.compile(r"^(#[\w.$-]+) = (\S.*)$", re.MULTILINE)
"""A line that defines an alias; a string has no line breaks, so none of these is inside of one."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[\w.$-]+')


_TENSOR = re.compile(r"tensor<[\w?*]*>")
"""A type of tensors as it is printed, without an encoding."""


class TypeParser(Parser):
    """xDSL's parser, which reads each type of tensors once: a model has many values and few types."""

    def __init__(self, ctx: Context, text: str, name: str = "<unknown>"):
        super().__init__(ctx, text, name)
        self._types: dict[str, TypeAttribute | None] = {}
        self._dense: set[TypeAttribute | None] = set()
        """Those that constants may have."""

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self._current_token.span.start
        match = _TENSOR.match(self.lexer.input.content, start)
        if match is None:
            return super().parse_optional_type()
        if match[0] not in self._types:
            self._types[match[0]] = super().parse_optional_type()
        else:
            self._resume_from(match.end())
        return self._types[match[0]]

    def _parse_dense_literal_type(self) -> Any:
        # To make the constraint that a type must keep takes longer than all the rest of a constant.
        start = self.pos
        if (type := self.parse_optional_type()) in self._dense:
            return type
        self._resume_from(start)
        type = super()._parse_dense_literal_type()
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


def with_aliases_first(text: str) -> str:
    """Text with all aliases of attributes in front of their uses; lines keep their numbers."""
    found = {match[1]: match[2] for match in _ALIAS.finditer(text)}
    if not found:
        return text
    return "".join((*_in_order(found), _ALIAS.sub("", text)))


def _in_order(aliases: dict[str, str]) -> list[str]:
    """Definitions of aliases, to stand on one line, each behind those that it needs."""
    done: dict[str, str] = {}
    entered: set[str] = set()
    waiting = list(reversed(aliases))
    while waiting:
        name = waiting[-1]
        needed = [n for n in _TOKEN.findall(aliases[name]) if n in aliases and n not in done]
        if needed and name not in entered:
            entered.add(name)
            waiting += needed
            continue
        # Aliases that need each other stay as they are, and the parser says so.
        done.setdefault(name, f"{name} = {aliases[name]} ")
        waiting.pop()
    return list(done.values())
