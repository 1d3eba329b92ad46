"""Walks the nodes of an ONNX model, including those of bodies, and the functions that they call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto


def short_domain(domain: str) -> str:
    """The domain of ops, "" for that of ONNX, which has two spellings."""
    return "" if domain == "ai.onnx" else domain


def bodies_of(attribute: AttributeProto) -> list[GraphProto] | None:
    """The graphs that an attribute holds; None for any other attribute, and for an empty list."""
    if attribute.type == AttributeProto.GRAPH and attribute.HasField("g"):
        return [attribute.g]
    if attribute.type == AttributeProto.GRAPHS and attribute.graphs:
        return list(attribute.graphs)
    return None


def all_nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Nodes, and those of the bodies in them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for body in bodies_of(attribute) or ():
                yield from all_nodes(body.node)


def drop_unused_functions(proto: ModelProto) -> None:
    """Keeps only the model's functions that the graph calls, directly or indirectly."""
    functions = {(short_domain(f.domain), f.name): f for f in proto.functions}
    used: set[tuple[str, str]] = set()
    pending = [*all_nodes(proto.graph.node)]
    while pending:
        node = pending.pop()
        key = short_domain(node.domain), node.op_type
        if key in functions and key not in used:
            used.add(key)
            pending += all_nodes(functions[key].node)
    copies = [FunctionProto.FromString(f.SerializeToString()) for f in proto.functions]
    del proto.functions[:]
    proto.functions.extend(f for f in copies if (short_domain(f.domain), f.name) in used)
