"""Blocks such as `torch.no_grad()` in a program, whose nodes are nodes of the program itself.

`torch.export` makes a graph of its own of such a block, and a node that runs it. For what is computed a block
of `no_grad` means nothing, and neither does one that switches `torch.autocast` off where it is off anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from autosplit.formats.pytorch.schema import Json

GRADIENTS = "torch.ops.higher_order.wrap_with_set_grad_enabled"
AUTOCAST = "torch.ops.higher_order.wrap_with_autocast"

BEFORE_GRAPH = {GRADIENTS: 1, AUTOCAST: 4}
"""How many arguments the node of a block has before its graph."""

TABLES = ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values")
"""What a graph says of its values, by name."""


def without_blocks(graph: Json, *, is_whole: bool = True) -> Json:
    """A graph with the nodes of its blocks in the place of these.

    A value of a block that has the name of another one is called after the block. A block that is given
    anything but values stays, and so does one of `torch.autocast` that changes anything. `is_whole`: whether
    it is the graph of a program; one inside of it may run where `torch.autocast` is on.
    """
    if not any(_means_nothing(node, is_whole) for node in graph["nodes"]):
        return graph
    inlined = _Inlined(graph, is_whole)
    for node in graph["nodes"]:
        inlined.add(_renamed_node(node, inlined.same))
    outputs = _renamed(graph["outputs"], inlined.same)
    return {**graph, **inlined.tables, "nodes": inlined.nodes, "outputs": outputs}


def _means_nothing(node: Json, is_whole: bool) -> bool:
    """Whether a node is a block that computes what its nodes alone would."""
    if node["target"] == GRADIENTS:
        return True
    return (
        is_whole and node["target"] == AUTOCAST and node["inputs"][2]["arg"] == {"as_bool": False}
    )


class _Inlined:
    """The nodes of a graph, one after the other, without its blocks."""

    def __init__(self, graph: Json, is_whole: bool):
        self._is_whole = is_whole
        self.nodes: list[Json] = []
        self.tables: dict[str, Json] = {name: dict(graph.get(name) or {}) for name in TABLES}
        self.same: dict[str, str] = {}
        """Results of blocks that are values given to them, and these."""
        self._taken = {*names_of(graph["inputs"])}
        for node in graph["nodes"]:
            self._taken |= _names_of_node(node)

    def add(self, node: Json) -> None:
        if not _means_nothing(node, self._is_whole) or not self._inline(node):
            self.nodes.append(node)

    def _inline(self, node: Json) -> bool:
        """Puts a block's nodes in its place, as far as that is possible."""
        arguments = [argument["arg"] for argument in node["inputs"]]
        block, *rest = arguments[BEFORE_GRAPH[node["target"]] :]
        inner = without_blocks(block["as_graph"]["graph"], is_whole=self._is_whole)
        given = [[*names_of(argument)] for argument in rest]
        read, made = [*names_of(inner["inputs"])], [*names_of(node["outputs"])]
        results = [*names_of(inner["outputs"])]
        if any(len(names) != 1 for names in given) or len(read) != len(given):
            return False
        if len(results) != len(made):
            return False
        called = dict(zip(read, (names[0] for names in given), strict=True))
        for name, outer in zip(results, made, strict=True):
            if called.setdefault(name, outer) != outer:
                self.same[outer] = called[name]
        for one in inner["nodes"]:
            for name in sorted(_names_of_node(one) - called.keys()):
                called[name] = self._free(name, node)
        self.nodes += [_renamed_node(one, called) for one in inner["nodes"]]
        for table in TABLES:
            about: Json = inner.get(table) or {}
            self.tables[table] |= {called[n]: v for n, v in about.items() if n not in read}
        return True

    def _free(self, name: str, block: Json) -> str:
        wanted = name
        while wanted in self._taken:
            wanted = f"{block.get('name') or 'block'}_{wanted}"
        self._taken.add(wanted)
        return wanted


def _names_of_node(node: Json) -> set[str]:
    own = node.get("name")
    return {*names_of(node["outputs"]), *([own] if isinstance(own, str) else [])}


def names_of(part: Any) -> Iterator[str]:
    """The names of values in an argument, or in a list of such, in order; not those inside of a graph."""
    if isinstance(part, dict):
        for key, item in cast("Json", part).items():
            if key in ("name", "as_name") and isinstance(item, str):
                yield item
            elif key != "as_graph":
                yield from names_of(item)
    elif isinstance(part, list):
        for item in cast("list[Any]", part):
            yield from names_of(item)


def _renamed_node(node: Json, names: Mapping[str, str]) -> Json:
    inputs = [{**one, "arg": _renamed(one["arg"], names)} for one in node["inputs"]]
    own = node.get("name")
    return {
        **node,
        "inputs": inputs,
        "outputs": _renamed(node["outputs"], names),
        "name": names.get(own, own) if isinstance(own, str) else own,
    }


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """An argument, or a list of such, with its values called otherwise."""
    if isinstance(part, list):
        return [_renamed(item, names) for item in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    renamed: Json = {}
    for key, item in cast("Json", part).items():
        if key in ("name", "as_name") and isinstance(item, str):
            renamed[key] = names.get(item, item)
        else:
            renamed[key] = item if key == "as_graph" else _renamed(item, names)
    return renamed
