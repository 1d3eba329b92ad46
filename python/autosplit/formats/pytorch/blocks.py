"""Inlines blocks such as `torch.no_grad()` into the program around them.

`torch.export` makes a separate graph of such a block, and a node that runs it. A `no_grad` block does not
affect what is computed, nor does one that switches `torch.autocast` off where it is off anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from autosplit.formats.pytorch.schema import Json

GRADIENTS = "torch.ops.higher_order.wrap_with_set_grad_enabled"
AUTOCAST = "torch.ops.higher_order.wrap_with_autocast"

BEFORE_GRAPH = {GRADIENTS: 1, AUTOCAST: 4}
"""How many arguments of a block's node precede its graph."""

TABLES = ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values")
"""The tables of a graph that describe its values, by name."""


def without_blocks(graph: Json, *, is_whole: bool = True) -> Json:
    """A graph with its blocks replaced by their nodes.

    A value of a block whose name is taken gets the block's name as a prefix. A block with arguments other
    than values stays, and so does one of `torch.autocast` that changes anything. `is_whole`: whether it is
    the graph of a program; one inside of it may run where `torch.autocast` is on.
    """
    if not any(_is_no_op(node, is_whole) for node in graph["nodes"]):
        return graph
    inlined = _Inlined(graph, is_whole)
    for node in graph["nodes"]:
        inlined.add(_renamed_node(node, inlined.aliases))
    outputs = _renamed(graph["outputs"], inlined.aliases)
    return {**graph, **inlined.tables, "nodes": inlined.nodes, "outputs": outputs}


def _is_no_op(node: Json, is_whole: bool) -> bool:
    """Whether a node is a block that computes the same as its nodes alone."""
    if node["target"] == GRADIENTS:
        return True
    return (
        is_whole and node["target"] == AUTOCAST and node["inputs"][2]["arg"] == {"as_bool": False}
    )


class _Inlined:
    """Collects the nodes of a graph, with its blocks inlined."""

    def __init__(self, graph: Json, is_whole: bool):
        self._is_whole = is_whole
        self.nodes: list[Json] = []
        self.tables: dict[str, Json] = {name: dict(graph.get(name) or {}) for name in TABLES}
        self.aliases: dict[str, str] = {}
        """Results of blocks that are just arguments of the block, mapped to those arguments."""
        self._used_names = {*names_of(graph["inputs"])}
        for node in graph["nodes"]:
            self._used_names |= _names_of_node(node)

    def add(self, node: Json) -> None:
        if not _is_no_op(node, self._is_whole) or not self._inline(node):
            self.nodes.append(node)

    def _inline(self, node: Json) -> bool:
        """Replaces a block by its nodes; False if that is not possible."""
        arguments = [argument["arg"] for argument in node["inputs"]]
        block, *block_arguments = arguments[BEFORE_GRAPH[node["target"]] :]
        inner = without_blocks(block["as_graph"]["graph"], is_whole=self._is_whole)
        passed = [[*names_of(argument)] for argument in block_arguments]
        input_names, output_names = [*names_of(inner["inputs"])], [*names_of(node["outputs"])]
        inner_results = [*names_of(inner["outputs"])]
        if any(len(names) != 1 for names in passed) or len(input_names) != len(passed):
            return False
        if len(inner_results) != len(output_names):
            return False
        renamed = dict(zip(input_names, (names[0] for names in passed), strict=True))
        for name, outer in zip(inner_results, output_names, strict=True):
            if renamed.setdefault(name, outer) != outer:
                self.aliases[outer] = renamed[name]
        for inner_node in inner["nodes"]:
            for name in sorted(_names_of_node(inner_node) - renamed.keys()):
                renamed[name] = self._free(name, node)
        self.nodes += [_renamed_node(inner_node, renamed) for inner_node in inner["nodes"]]
        for table in TABLES:
            metas: Json = inner.get(table) or {}
            self.tables[table] |= {renamed[n]: v for n, v in metas.items() if n not in input_names}
        return True

    def _free(self, name: str, block: Json) -> str:
        candidate = name
        while candidate in self._used_names:
            candidate = f"{block.get('name') or 'block'}_{candidate}"
        self._used_names.add(candidate)
        return candidate


def _names_of_node(node: Json) -> set[str]:
    node_name = node.get("name")
    return {*names_of(node["outputs"]), *([node_name] if isinstance(node_name, str) else [])}


def names_of(argument: Any) -> Iterator[str]:
    """The names of values in an argument or a list of them, in order, without those inside a graph."""
    if isinstance(argument, dict):
        for key, item in cast("Json", argument).items():
            if key in ("name", "as_name") and isinstance(item, str):
                yield item
            elif key != "as_graph":
                yield from names_of(item)
    elif isinstance(argument, list):
        for item in cast("list[Any]", argument):
            yield from names_of(item)


def _renamed_node(node: Json, names: Mapping[str, str]) -> Json:
    inputs = [{**argument, "arg": _renamed(argument["arg"], names)} for argument in node["inputs"]]
    node_name = node.get("name")
    return {
        **node,
        "inputs": inputs,
        "outputs": _renamed(node["outputs"], names),
        "name": names.get(node_name, node_name) if isinstance(node_name, str) else node_name,
    }


def _renamed(argument: Any, names: Mapping[str, str]) -> Any:
    """An argument or a list of them, with its values renamed."""
    if isinstance(argument, list):
        return [_renamed(item, names) for item in cast("list[Any]", argument)]
    if not isinstance(argument, dict):
        return argument
    renamed: Json = {}
    for key, item in cast("Json", argument).items():
        if key in ("name", "as_name") and isinstance(item, str):
            renamed[key] = names.get(item, item)
        else:
            renamed[key] = item if key == "as_graph" else _renamed(item, names)
    return renamed
