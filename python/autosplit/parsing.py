"""Reading the text that MLIR's own tools print, which differs from xDSL's in two points.

They put locations behind the module, as aliases, where xDSL does not look for them; and they write strings
that are not ASCII byte by byte, which xDSL takes for bytes, not for names.
"""

from __future__ import annotations

import re

from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

_ALIAS = re.compile(r"^(#[\w.$-]+) = (\S.*)$", re.MULTILINE)
"""A line that defines an alias; a string has no line breaks, so none of these is inside of one."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[\w.$-]+')


class MlirParser(Parser):
    """xDSL's parser, with all strings that are text read as text."""

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
