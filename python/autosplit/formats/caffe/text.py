"""Protobuf's text format, without a schema: everything in a prototxt is kept, unknown fields too.

A message maps the name of each field to the list of its values. A scalar is kept as spelled; its type is up
to the reader of the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from autosplit.core.errors import AutosplitError

DEEPEST = 50
"""How deep messages may be nested."""


@dataclass(frozen=True)
class Scalar:
    """A value as spelled in the text; `quoted` if it is a string, whose content is `text`."""

    text: str
    line: int
    quoted: bool = False


@dataclass
class Message:
    """A message: its fields in the order in which each first occurs."""

    line: int = 0
    fields: dict[str, list[Value]] = field(default_factory=dict[str, "list[Value]"])

    def scalars(self, name: str) -> list[str]:
        """The texts of a field, in order."""
        return [value.text for value in self.fields.get(name, ()) if isinstance(value, Scalar)]

    def messages(self, name: str) -> list[Message]:
        """The messages of a field, in order."""
        return [value for value in self.fields.get(name, ()) if isinstance(value, Message)]

    def text(self, name: str, default: str = "") -> str:
        """The last text of a field; `default` if there is none."""
        return next(reversed(self.scalars(name)), default)

    def add(self, name: str, *values: Value | str) -> None:
        """Adds values to a field; those that are str are words or numbers."""
        items = [Scalar(v, self.line) if isinstance(v, str) else v for v in values]
        self.fields.setdefault(name, []).extend(items)


Value: TypeAlias = "Scalar | Message"

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v,;]+|\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<word>[-+]?[A-Za-z_0-9.][\w.+-]*)
      | (?P<mark>[:{}<>\[\]])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise AutosplitError(f"line {line}: {text[at : at + 12]!r} is no text of a message")
        kind = match.lastgroup or ""
        if kind != "space":
            yield _Token(kind, match[0], line)
        line += match[0].count("\n")
        at = match.end()
    yield _Token("end", "the end of the file", line)


class _Parser:
    def __init__(self, text: str):
        self._tokens = _tokens(text)
        self._next = next(self._tokens)

    def message(self, end: str, depth: int = 0) -> Message:
        """The fields up to the token `end`."""
        message = Message(self._next.line)
        if depth > DEEPEST:
            raise AutosplitError(
                f"line {message.line}: more than {DEEPEST} messages lie in each other"
            )
        while self._next.text != end or self._next.kind == "string":
            name = self._take("word", "the name of a field").text
            self._field(message, name, depth)
        if end != _END:
            self._advance()
        return message

    def _field(self, message: Message, name: str, depth: int) -> None:
        colon = self._accept(":")
        if self._accept("["):
            while not self._accept("]"):
                message.add(name, self._value(depth, colon))
            return
        message.add(name, self._value(depth, colon))

    def _value(self, depth: int, colon: bool) -> Value:
        for start, end in (("{", "}"), ("<", ">")):
            if self._accept(start):
                return self.message(end, depth + 1)
        if not colon:
            raise self._wrong("':' or '{'")
        token = self._next
        if token.kind != "string":
            return Scalar(self._take("word", "a value").text, token.line)
        parts: list[bytes] = []
        while self._next.kind == "string":
            parts.append(_unescaped(self._advance()))
        return Scalar(b"".join(parts).decode(errors="replace"), token.line, quoted=True)

    def _accept(self, mark: str) -> bool:
        if self._next.kind != "mark" or self._next.text != mark:
            return False
        self._advance()
        return True

    def _take(self, kind: str, description: str) -> _Token:
        if self._next.kind != kind:
            raise self._wrong(description)
        return self._advance()

    def _advance(self) -> _Token:
        token = self._next
        self._next = next(self._tokens, token)
        return token

    def _wrong(self, description: str) -> AutosplitError:
        token = self._next
        shown = token.text if token.kind == "end" else repr(token.text[:40])
        return AutosplitError(f"line {token.line}: found {shown}, expected {description}")


_END = "the end of the file"

_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _unescaped(token: _Token) -> bytes:
    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        if code.isdigit():
            return bytes([int(code, 8) & 0xFF])
        return _PLAIN.get(code, code)

    return _ESCAPE.sub(plain, token.text[1:-1].encode())


def parse_text(text: str) -> Message:
    """The message in a text. Raises AutosplitError, with the line, on a syntax error."""
    return _Parser(text).message(_END)


def print_text(message: Message, indent: str = "") -> str:
    """The text of a message: one field a line."""
    lines: list[str] = []
    for name, values in message.fields.items():
        for value in values:
            if isinstance(value, Message):
                lines.append(f"{indent}{name} {{\n{print_text(value, indent + '  ')}{indent}}}\n")
            else:
                shown = quoted(value.text) if value.quoted else value.text
                lines.append(f"{indent}{name}: {shown}\n")
    return "".join(lines)


def quoted(text: str) -> str:
    """A text as a string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    for mark, code in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        escaped = escaped.replace(mark, code)
    return f'"{escaped}"'
