"""Converts attributes between MXNet's text and Python values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from autosplit.dialects.mx.spec import (
    BOOL,
    FLOAT,
    FLOATS,
    INT,
    SHAPE,
    SHAPES,
    AttrSpec,
    AttrValue,
)

_TRUE = frozenset({"True", "true", "1"})
_FALSE = frozenset({"False", "false", "0"})
_INT = re.compile(r"[+-]?\d+[lL]?")
_WORDS = {
    BOOL: "True or False",
    INT: "an integer",
    FLOAT: "a number",
    SHAPE: "a tuple of integers",
    FLOATS: "a tuple of numbers",
    SHAPES: "a tuple of tuples of integers",
}


def parse_value(spec: AttrSpec, text: str) -> AttrValue:
    """The value that `text` stands for. Raises ValueError, in words, if it is invalid."""
    if spec.or_none and text == "None":
        return None
    try:
        value = _parse(spec.kind, text.strip())
    except ValueError:
        raise ValueError(f"is {text!r}, expected {_WORDS[spec.kind]}") from None
    if spec.choices and value not in spec.choices:
        raise ValueError(f"is {text!r}, expected one of {', '.join(spec.choices)}")
    return value


def _parse(kind: str, text: str) -> AttrValue:
    if kind == BOOL:
        if text not in _TRUE | _FALSE:
            raise ValueError(text)
        return text in _TRUE
    if kind == INT:
        return _int(text)
    if kind == FLOAT:
        return _float(text)
    if kind == SHAPE:
        return tuple(None if item == "None" else _int(item) for item in _items(text))
    if kind == FLOATS:
        return tuple(_float(item) for item in _items(text))
    if kind == SHAPES:
        return tuple(tuple(_int(n) for n in _items(item)) for item in _nested(text))
    return text


def _int(text: str) -> int:
    if text in _TRUE | _FALSE:
        # MXNet's parser takes a Boolean for a number, as Python does.
        return int(text in _TRUE)
    if _INT.fullmatch(text) is None:
        raise ValueError(text)
    return int(text.rstrip("lL"))


def _float(text: str) -> float:
    return float(text.removesuffix("f"))


def _items(text: str) -> list[str]:
    """The items of `(1, 2)`, `[1, 2]` or `1`."""
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    items = [item.strip() for item in text.split(",")]
    if items[-1] == "":
        # Python writes a tuple of one as `(1,)`.
        items.pop()
    return items


def _nested(text: str) -> list[str]:
    """The tuples in `((1, 2), (3, 4))`, as text."""
    if text[:1] + text[-1:] not in ("()", "[]"):
        raise ValueError(text)
    content = text[1:-1]
    items = re.findall(r"[(\[][^()\[\]]*[)\]]", content)
    if re.sub(r"[(\[][^()\[\]]*[)\]]", "", content).strip(" ,"):
        raise ValueError(text)
    return items


def to_text(value: object) -> str:
    """An attribute as MXNet's own Python code writes it: `str` of the value."""
    if isinstance(value, list):
        return str(tuple(cast("list[object]", value)))
    return value if isinstance(value, str) else str(value)


def holds(condition: str, get: Mapping[str, AttrValue]) -> bool:
    """Whether a node with these attributes, defaults included, meets the condition of a `PortSpec`."""
    return all(_holds_one(part, get) for part in condition.split("&")) if condition else True


def _holds_one(condition: str, get: Mapping[str, AttrValue]) -> bool:
    name, unlike, value = condition.partition("!=")
    if unlike and name:
        return to_text(get.get(name)) != value
    name, alike, value = condition.partition("=")
    if alike:
        return to_text(get.get(name)) == value
    if condition.startswith("!"):
        return not get.get(condition[1:])
    return bool(get.get(condition))
