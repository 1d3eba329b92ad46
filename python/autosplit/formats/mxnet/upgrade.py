"""Upgrades symbols of old versions of MXNet."""

from __future__ import annotations

from autosplit.dialects.mx.build import input_names
from autosplit.formats.mxnet.symbol_json import Symbol, SymbolNode

_ALL_INPUTS = 900
"""Before this version, nodes omitted auxiliary states and inputs that were not named explicitly."""


def upgrade(symbol: Symbol) -> None:
    """Adds the inputs that nodes of old versions omit, as MXNet does on loading.

    Such an input is a variable named after the node and the input, `bn0_moving_mean`.
    """
    if symbol.version >= _ALL_INPUTS:
        return
    indices = {node.name: i for i, node in enumerate(symbol.nodes) if node.op == "null"}
    for node in list(symbol.nodes):
        for port in input_names(node.op, node.attrs)[len(node.inputs) :]:
            name = f"{node.name}_{port}"
            if name not in indices:
                indices[name] = len(symbol.nodes)
                symbol.nodes.append(SymbolNode("null", name, {}, []))
            node.inputs.append((indices[name], 0))
