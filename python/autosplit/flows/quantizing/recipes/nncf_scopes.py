"""NNCF's ignored scopes: the ops that stay in float32.

Either the fields of `nncf.IgnoredScope`, alone or as `ignored_scope`, or the list `ignored_scopes` of a
configuration, in which {re} begins a pattern. Patterns match as NNCF matches them: from the beginning of a
name in the fields, anywhere in it in the list. A subgraph is all that lies between two ops, with both. What
matches nothing is an error, unless `validate` is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, cast

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames, OpNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent, json_text

FIELDS = frozenset({"names", "patterns", "types", "subgraphs", "validate"})

PATTERN = "{re}"


def is_ignored_scope(content: FileContent) -> bool:
    """Whether JSON has such fields."""
    return _scope(content) is not None


def _scope(content: FileContent) -> Any:
    """The fields or the list; None if the file has neither."""
    fields = content.object
    if FIELDS - {"validate"} & fields.keys() and fields.keys() <= FIELDS and fields:
        return fields
    for key in ("ignored_scope", "ignored_scopes"):
        if key in fields:
            return fields[key]
    parts: Any = fields.get("compression")
    for part in cast("list[Any]", parts) if isinstance(parts, list) else [parts]:
        if isinstance(part, dict) and "ignored_scopes" in part:
            return cast("dict[str, Any]", part)["ignored_scopes"]
    return None


def read_ignored_scope(content: FileContent, model: ModelNames) -> Recipe:
    """What is kept in float32."""
    scope: Any = _scope(content)
    if isinstance(scope, dict):
        ops = _of_fields(content, cast("dict[str, Any]", scope), model)
    else:
        ops = _of_list(content, content.names(scope, "ignored_scopes"), model)
    kept = {op.name: QuantizedOp(op.type, kept="in NNCF's ignored scope") for op in ops}
    return Recipe(ops=kept)


def _of_fields(
    content: FileContent, fields: Mapping[str, Any], model: ModelNames
) -> Iterable[OpNames]:
    unknown = next((key for key in fields if key not in FIELDS), None)
    if unknown is not None:
        raise content.error(f"there is no field {unknown!r}{choice(unknown, sorted(FIELDS))}")
    strict = fields.get("validate", True) is not False
    search = _Search(content, model, strict)
    ops = [op for name in search.listed(fields, "names") for op in search.named(name)]
    for pattern in search.listed(fields, "patterns"):
        ops += search.matching(pattern, lambda p, name: p.match(name) is not None)
    for type in search.listed(fields, "types"):
        ops += search.typed(type)
    for item in content.items(fields.get("subgraphs", []), "subgraphs"):
        ops += search.between(content.entries(item, "a subgraph"))
    return ops


def _of_list(content: FileContent, items: Iterable[str], model: ModelNames) -> Iterable[OpNames]:
    search = _Search(content, model, strict=True)
    for item in items:
        if PATTERN in item:
            pattern = item.replace(PATTERN, "")
            yield from search.matching(pattern, lambda p, name: p.search(name) is not None)
        else:
            yield from search.named(item)


class _Search:
    """The ops of a model that a scope means."""

    def __init__(self, content: FileContent, model: ModelNames, strict: bool):
        self.content, self.model, self.strict = content, model, strict

    def listed(self, fields: Mapping[str, Any], key: str) -> list[str]:
        return self.content.names(fields.get(key, []), key)

    def named(self, name: str) -> list[OpNames]:
        if not self.strict and name not in self.model.by_name:
            return []
        op = self.model.op(name, self.content.path)
        return [] if op is None else [op]

    def matching(self, text: str, matches: Callable[[re.Pattern[str], str], bool]) -> list[OpNames]:
        try:
            pattern = re.compile(text)
        except re.error as error:
            raise self.content.error(f"{text!r} is no regular expression: {error}") from None
        ops = [op for op in self.model.ops if matches(pattern, op.name)]
        gone = any(matches(pattern, name) for name in self.model.gone)
        if self.strict and not ops and not gone:
            names = [op.name for op in self.model.ops]
            raise self.content.error(
                f"the model has no op that matches {text!r}{choice(text, names)}"
            )
        return ops

    def typed(self, type: str) -> list[OpNames]:
        ops = [op for op in self.model.ops if op.type == type]
        if self.strict and not ops:
            types = sorted({op.type for op in self.model.ops})
            raise self.content.error(
                f"the model has no op of the type {type!r}{choice(type, types)}"
            )
        return ops

    def between(self, subgraph: Mapping[str, Any]) -> list[OpNames]:
        first, last = (
            [op for name in self.listed(subgraph, key) for op in self.named(name)]
            for key in ("inputs", "outputs")
        )
        behind = self._reached(first, lambda op: self._readers.get(op.name, []))
        before = self._reached(last, self._sources)
        return [op for op in self.model.ops if op.name in behind and op.name in before]

    def _sources(self, op: OpNames) -> list[OpNames]:
        return [self.model.makers[i] for i in op.inputs if i in self.model.makers]

    @cached_property
    def _readers(self) -> dict[str, list[OpNames]]:
        readers: dict[str, list[OpNames]] = {}
        for op in self.model.ops:
            for source in self._sources(op):
                readers.setdefault(source.name, []).append(op)
        return readers

    def _reached(
        self, start: Iterable[OpNames], next_of: Callable[[OpNames], list[OpNames]]
    ) -> set[str]:
        todo, reached = list(start), set[str]()
        while todo:
            op = todo.pop()
            if op.name not in reached:
                reached.add(op.name)
                todo += next_of(op)
        return reached


def write_ignored_scope(recipe: Recipe, model: ModelNames) -> str:
    """The fields of `nncf.IgnoredScope`. Raises AutosplitError for an op whose node has no name."""
    for name in recipe.kept:
        op = model.by_name.get(name)
        if op is not None and not op.node:
            raise AutosplitError(
                f"op {name!r} stays in float32, but its node has no name by which NNCF could know it; name "
                "it in the model"
            )
    return json_text({"names": recipe.kept, "patterns": [], "types": [], "subgraphs": []})
