"""Parses and checks the JSON of a symbol, and writes it in MXNet's layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.dialects.mx.base import MOST_PORTS

_LONG = 10
"""Longer lists of numbers, or of pairs of them, are written by MXNet with one line per item."""


@dataclass
class SymbolNode:
    """One node of a symbol, as in its file."""

    op: str
    name: str
    attrs: dict[str, str]
    inputs: list[tuple[int, int]]
    """The indices of node and output of each input."""
    raw: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Symbol:
    """A symbol, as in its file."""

    nodes: list[SymbolNode]
    heads: list[tuple[int, int]]
    raw: dict[str, Any]
    style: str
    """How the file is laid out: `mxnet`, or one of `STYLES`."""
    tail: str = ""
    """The white space at its end."""

    @property
    def version(self) -> int:
        """The version of MXNet that wrote the file, such as 10901 for 1.9.1; 800 if it is not given."""
        version = self._attr("mxnet_version")
        return version if isinstance(version, int) else 800

    @property
    def np_shape(self) -> bool:
        """Whether shapes are those of numpy, where a shape without sizes is a scalar."""
        return bool(self._attr("is_np_shape"))

    def _attr(self, name: str) -> object:
        attrs: object = self.raw.get("attrs")
        attr: object = (
            cast("dict[str, object]", attrs).get(name) if isinstance(attrs, dict) else None
        )
        return cast("list[object]", attr)[-1] if isinstance(attr, list) and attr else None


def parse_symbol(text: str) -> Symbol:
    """The symbol in a text. Raises AutosplitError, in one line, if it is not valid."""
    try:
        # MXNet does not escape control characters.
        raw: object = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise AutosplitError(f"is not JSON: {error}") from None
    if not isinstance(raw, dict) or not isinstance(
        cast("dict[str, object]", raw).get("nodes"), list
    ):
        raise AutosplitError('is not a symbol of MXNet: it has no list "nodes"')
    content = cast("dict[str, Any]", raw)
    nodes = [_node(i, item) for i, item in enumerate(content["nodes"])]
    for node in nodes:
        for producer, _ in node.inputs:
            if producer >= len(nodes):
                raise AutosplitError(
                    f"node {node.name!r} reads node {producer}, and there are only {len(nodes)}; "
                    "the file may be cut off"
                )
    heads = _entries(content.get("heads"), "heads")
    if not heads:
        raise AutosplitError('has no outputs: expected some in the list "heads"')
    for producer, _ in heads:
        if producer >= len(nodes):
            raise AutosplitError(
                f'"heads" names node {producer}, and there are only {len(nodes)}; the file may be cut off'
            )
    return Symbol(nodes, heads, content, _style(content, text), text[len(text.rstrip()) :])


def _node(index: int, item: object) -> SymbolNode:
    if not isinstance(item, dict):
        raise AutosplitError(f"node {index} is {_short(item)}, expected an object")
    raw = cast("dict[str, Any]", item)
    op, name = raw.get("op"), raw.get("name")
    if not isinstance(op, str) or not op or not isinstance(name, str):
        raise AutosplitError(f'node {index} needs an "op" and a "name", both of them text')
    if raw.get("control_deps"):
        raise AutosplitError(
            f"node {name!r} waits for others (control_deps), which sub-models cannot do"
        )
    attrs: dict[str, str] = {}
    # Files of old versions have two of these.
    for key in ("param", "attr", "attrs"):
        node_attrs = raw.get(key, {})
        if not isinstance(node_attrs, dict):
            raise AutosplitError(
                f"{key} of node {name!r} is {json.dumps(node_attrs)[:40]}, expected an object"
            )
        attrs |= cast("dict[str, str]", node_attrs)
    for key, value in attrs.items():
        if not isinstance(cast("object", value), str):
            raise AutosplitError(
                f"attribute {key} of node {name!r} is {_short(value)}, expected text"
            )
    return SymbolNode(
        op, name, attrs, _entries(raw.get("inputs"), f"the inputs of node {name!r}"), raw
    )


def _entries(listed: object, label: str) -> list[tuple[int, int]]:
    """The indices of node and output of each entry `[node, output, version]`; old files omit the version."""
    if not isinstance(listed, list):
        raise AutosplitError(f"{label}: found {json.dumps(listed)[:40]}, expected a list")
    entries: list[tuple[int, int]] = []
    for entry in cast("list[object]", listed):
        numbers: list[object] = [*cast("list[object]", entry)] if isinstance(entry, list) else []
        indices = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n >= 0]
        if len(indices) not in (2, 3) or len(indices) != len(numbers):
            raise AutosplitError(
                f"{label}: found {json.dumps(entry)[:40]}, expected the numbers of a node and of its output"
            )
        if indices[1] >= MOST_PORTS:
            raise AutosplitError(f"{label}: found output {indices[1]} of a node, which none has")
        entries.append((indices[0], indices[1]))
    return entries


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


STYLES: Mapping[str, Mapping[str, Any]] = {
    "json": {},
    "json 2": {"indent": 2},
    "json 4": {"indent": 4},
    "json compact": {"separators": (",", ":")},
}
"""The arguments of `json.dumps`, by style."""


def _style(raw: Mapping[str, Any], text: str) -> str:
    for style in ("mxnet", *STYLES):
        if symbol_text(raw, style).strip() == text.strip():
            return style
    return "mxnet"


def symbol_text(raw: Mapping[str, Any], style: str = "mxnet") -> str:
    """The text of a symbol, in MXNet's own layout or in one of `STYLES`."""
    if style in STYLES:
        return json.dumps(raw, **STYLES[style])
    chunks: list[str] = []
    _write_object(chunks, raw, 0, lines=True)
    return "".join(chunks)


def _write(chunks: list[str], value: object, depth: int, key: str = "") -> None:
    if isinstance(value, dict):
        items = cast("dict[str, object]", value)
        # Each key of nodes and graphs gets a line of its own; so do attributes if there are several.
        lines = key in ("nodes", "subgraphs") or len(items) > 1
        _write_object(chunks, items, depth, lines=lines)
    elif isinstance(value, list):
        _write_list(chunks, cast("list[object]", value), depth, key)
    elif isinstance(value, str):
        chunks.append(_quoted(value))
    else:
        chunks.append(json.dumps(value))


def _write_object(
    chunks: list[str], items: Mapping[str, object], depth: int, *, lines: bool
) -> None:
    _write_items(
        chunks,
        "{}",
        [(f"{_quoted(key)}: ", key, value) for key, value in items.items()],
        depth,
        lines=lines,
    )


def _write_list(chunks: list[str], items: list[object], depth: int, key: str) -> None:
    # Entries and the graph's attributes are written on one line.
    is_entry = key in ("entry", "attr")
    lines = not is_entry and (key in ("nodes", "subgraphs") or len(items) > _LONG)
    inner = key if key in ("nodes", "subgraphs") else "entry"
    _write_items(chunks, "[]", [("", inner, item) for item in items], depth, lines=lines)


def _write_items(
    chunks: list[str],
    brackets: str,
    items: list[tuple[str, str, object]],
    depth: int,
    *,
    lines: bool,
) -> None:
    chunks.append(brackets[0])
    for i, (head, key, value) in enumerate(items):
        chunks.append(", " if i else "")
        if lines:
            chunks.append("\n" + "  " * (depth + 1))
        chunks.append(head)
        _write(chunks, value, depth + 1, key)
    if lines and items:
        chunks.append("\n" + "  " * depth)
    chunks.append(brackets[1])


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'
