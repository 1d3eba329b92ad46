"""Which node of a model a tool chain's message speaks of.

Messages name values, which are called as in the model, with a suffix for what a conversion put between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from autosplit.dialects.platform import location_names, platform_graph, value_name
from autosplit.flows.converting.source import read_sub_models
from autosplit.folder.infos_reader import GraphEntry, GraphInfos
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.platforms import platform_of
from autosplit.registry import make_context

_NAMED = re.compile(r'loc\("((?:[^"\\]|\\.)*)"')


def blamed_node(infos: GraphInfos, graph: GraphEntry, cause: str, log: str) -> str | None:
    """The node of the model that a tool chain's message speaks of; None if it speaks of none."""
    nodes = nodes_of_values(infos, graph)
    for text in (cause, log):
        # In a log the last one is nearest to the failure.
        for name in reversed(_NAMED.findall(text)):
            if (node := node_of(name, nodes)) is not None:
                return node
        quoted = re.findall(r"'([^']+)'|\"([^\"]+)\"", text)
        for pair in reversed(quoted):
            if (node := node_of(pair[0] or pair[1], nodes)) is not None:
                return node
    return None


def node_of(name: str, nodes: Mapping[str, str]) -> str | None:
    """The node that a value is from, which may be called as in the model with a suffix."""
    while name not in nodes and "/" in name:
        name = name.rpartition("/")[0]
    return nodes.get(name)


def nodes_of_values(infos: GraphInfos, graph: GraphEntry) -> dict[str, str]:
    """By value of a sub-model in canonical ONNX: the node of the model that it is from."""
    module, funcs = read_sub_models(infos)
    func = funcs[graph.index]
    copy = platform_of(module).standalone(module, func)
    lower_to_onnx(make_context(), copy)
    node_of: dict[str, str] = {}
    for op in platform_graph(copy).body_ops():
        names = location_names(op.location)
        for result in op.results:
            if names and (name := value_name(result)):
                node_of.setdefault(name, names[0])
    return node_of
