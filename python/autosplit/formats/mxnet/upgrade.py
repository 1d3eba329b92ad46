"""Symbols of old versions of MXNet as those of today."""

from __future__ import annotations

from autosplit.dialects.mx.build import input_names
from autosplit.formats.mxnet.symbol_json import Symbol, SymbolNode

_ALL_INPUTS = 900
"""Before this version, nodes left out inputs: the auxiliary states, and what nobody had named."""


def upgrade(symbol: Symbol) -> None:
    """Gives nodes of old versions the inputs that they leave out, as MXNet does where it reads them.

    Such an input is a variable that is called as the node and the input are, `bn0_moving_mean`.
    """
    if symbol.version >= _ALL_INPUTS:
        return
    places = {node.name: i for i, node in enumerate(symbol.nodes) if node.op == "null"}
    for node in list(symbol.nodes):
        for port in input_names(node.op, node.attrs)[len(node.inputs) :]:
            name = f"{node.name}_{port}"
            if name not in places:
                places[name] = len(symbol.nodes)
                symbol.nodes.append(SymbolNode("null", name, {}, []))
            node.inputs.append((places[name], 0))
