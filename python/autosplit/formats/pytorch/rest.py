"""What a program's file says beyond its ops, as JSON on the module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr

from autosplit.dialects.aten.graph import GraphOp
from autosplit.formats.pytorch.schema import Json

REST = "aten.rest"
"""The attribute of the module."""


def module_rest(module: ModuleOp) -> Json:
    """What the file says beyond the ops; empty for a module that is of no file."""
    attr = module.attributes.get(REST)
    return cast("Json", json.loads(attr.data)) if isinstance(attr, StringAttr) else {}


def abstract(part: Any, places: Mapping[str, int]) -> Any:
    """JSON with the places of values for their names, so that it stays true where these change."""
    return _mapped(part, places)


def concrete(part: Any, names: Mapping[int, str]) -> Any:
    """The reverse of `abstract`. Raises KeyError for a place that there is not."""
    return _mapped(part, names)


def _mapped(part: Any, table: Mapping[Any, Any], *, in_argument: bool = False) -> Any:
    if isinstance(part, list):
        return [_mapped(item, table, in_argument=in_argument) for item in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    found: Json = {}
    for key, item in cast("Json", part).items():
        inside = in_argument or key == "arg" or key.startswith("as_")
        if key == "as_graph":
            found[key] = item
        elif inside and key in ("name", "as_name") and not isinstance(item, dict | list):
            found[key] = table[item]
        else:
            found[key] = _mapped(item, table, in_argument=inside)
    return found


def keep_rest(program: Json, graph: GraphOp, rest: Json) -> Json:
    """All of a program that its ops do not say."""
    return rest
