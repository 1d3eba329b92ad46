"""Inlines an ONNX model's local functions: calls become the nodes of their bodies, as `call/node`.

This follows ONNX Runtime: an op that ONNX defines takes precedence over a function of that name, and the
nodes of a body use the model's operator sets. If that would change the meaning of a function, its calls stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import free_name
from autosplit.formats.onnx.check import schema_version
from autosplit.formats.onnx.nodes import all_nodes, bodies_of, drop_unused_functions, short_domain
from autosplit.formats.onnx.reader import check_text

Key = tuple[str, str, str]
"""Domain, name and overload of an op or a function."""

RUNTIME_DOMAIN = "com.microsoft"
"""The domain of ONNX Runtime's own ops, which precede functions; the onnx package does not know them."""

MOST_NODES = 1_000_000
DEEPEST = 50
"""With more nodes or deeper nesting of calls, all calls stay."""


def inline_functions(proto: ModelProto) -> None:
    """Inlines the calls of the model's functions, in place.

    Raises AutosplitError if two functions have one name, and if one calls itself.
    """
    if not proto.functions:
        return
    check_text(proto)
    opsets = {short_domain(o.domain): o.version for o in proto.opset_import}
    # Copies, since what is deleted from a message must not be read any more.
    copies = [FunctionProto.FromString(f.SerializeToString()) for f in proto.functions]
    functions = {_key(f): f for f in copies if not _is_op(_key(f), opsets)}
    if len({_key(f) for f in copies}) < len(copies):
        twice = Counter(_key(f) for f in copies).most_common(1)[0][0]
        raise AutosplitError(f"there are two functions called {_dotted_name(twice)}")
    del proto.functions[:]
    proto.functions.extend(functions.values())
    bodies = _bodies(functions, opsets)
    if not _fits(proto.graph, functions, bodies):
        return
    _Inliner(proto.graph, bodies).inline(proto.graph)
    present = {short_domain(o.domain) for o in proto.opset_import}
    needed = {short_domain(node.domain) for node in all_nodes(proto.graph.node)} - present
    for domain in sorted(needed & opsets.keys()):
        proto.opset_import.add(domain=domain, version=opsets[domain])
    drop_unused_functions(proto)


def _key(function: FunctionProto) -> Key:
    return short_domain(function.domain), function.name, function.overload


def _callee_of(node: NodeProto) -> Key:
    return short_domain(node.domain), node.op_type, node.overload


def _dotted_name(key: Key) -> str:
    return repr(".".join(name for name in key if name))


def _is_op(key: Key, opsets: Mapping[str, int]) -> bool:
    """Whether ONNX defines an op of that name in the model's operator sets, which takes precedence."""
    domain, name, overload = key
    return not overload and schema_version(domain, name, opsets.get(domain, 0)) is not None


def _bodies(
    functions: Mapping[Key, FunctionProto], opsets: dict[str, int]
) -> dict[Key, FunctionProto]:
    """The functions that can be inlined; operator sets they need are added to `opsets`."""
    bodies: dict[Key, FunctionProto] = {}
    for key, function in functions.items():
        imports = {short_domain(o.domain): o.version for o in function.opset_import}
        if key[0] == RUNTIME_DOMAIN or not _is_closed(function):
            continue
        nodes = [n for n in all_nodes(function.node) if _callee_of(n) not in functions]
        if all(_is_same_op(node, imports, opsets) for node in nodes):
            bodies[key] = function
            for domain, version in imports.items():
                opsets.setdefault(domain, version)
    return bodies


def _is_closed(function: FunctionProto) -> bool:
    """Whether the nodes produce all outputs of a function, and none of its inputs."""
    results = {name for node in function.node for name in node.output if name}
    return results.issuperset(function.output) and results.isdisjoint(function.input)


def _is_same_op(node: NodeProto, imports: Mapping[str, int], opsets: Mapping[str, int]) -> bool:
    """Whether the op of a function's node is defined the same in the model's operator set."""
    domain = short_domain(node.domain)
    function_version = imports.get(domain)
    model_version = opsets.get(domain, function_version)
    if function_version is None or model_version is None or function_version == model_version:
        return function_version is not None
    defined = schema_version(domain, node.op_type, function_version)
    return defined is not None and defined == schema_version(domain, node.op_type, model_version)


def _fits(
    graph: GraphProto, functions: Mapping[Key, FunctionProto], bodies: Mapping[Key, FunctionProto]
) -> bool:
    """Whether inlining the calls of a graph yields a reasonable number of nodes.

    Raises AutosplitError for functions that call themselves.
    """
    calls = {key: [_callee_of(n) for n in all_nodes(f.node)] for key, f in functions.items()}
    users: dict[Key, list[Key]] = {key: [] for key in calls}
    pending_counts = {key: sum(k in calls for k in callees) for key, callees in calls.items()}
    for key, callees in calls.items():
        for callee in callees:
            if callee in users:
                users[callee].append(key)
    ready = [key for key, count in pending_counts.items() if not count]
    sizes: dict[Key, tuple[int, int]] = {}
    while ready:
        key = ready.pop()
        sizes[key] = _size(calls[key], {k: sizes[k] for k in calls[key] if k in bodies})
        for user in users[key]:
            pending_counts[user] -= 1
            if not pending_counts[user]:
                ready.append(user)
    if recursive := [key for key in calls if key not in sizes]:
        raise AutosplitError(
            f"the function {_dotted_name(recursive[0])} calls itself, which ONNX does not allow"
        )
    inlined_sizes = {key: size for key, size in sizes.items() if key in bodies}
    nodes, depth = _size([_callee_of(n) for n in all_nodes(graph.node)], inlined_sizes)
    return nodes <= MOST_NODES and depth <= DEEPEST


def _size(callees: Sequence[Key], sizes: Mapping[Key, tuple[int, int]]) -> tuple[int, int]:
    """The number of nodes after inlining, and the depth of nested calls."""
    bodies = [sizes.get(key, (1, 0)) for key in callees]
    return sum(nodes for nodes, _ in bodies), 1 + max((depth for _, depth in bodies), default=0)


class _Inliner:
    """Inlines the calls of one model."""

    def __init__(self, graph: GraphProto, bodies: Mapping[Key, FunctionProto]):
        self.bodies = bodies
        self.values = set(_value_names(graph))
        self.nodes = {node.name for node in all_nodes(graph.node)}
        self.calls = set[str]()

    def inline(self, graph: GraphProto) -> None:
        """Inlines the calls in a graph and in the bodies in it."""
        pending = list(reversed(graph.node))
        result = GraphProto()
        while pending:
            node = pending.pop()
            if (function := self.bodies.get(_callee_of(node))) is not None and _is_call(
                node, function
            ):
                pending += reversed(self.body(function, node))
                continue
            for attribute in node.attribute:
                for body in bodies_of(attribute) or ():
                    self.inline(body)
            result.node.append(node)
        del graph.node[:]
        graph.node.MergeFrom(result.node)

    def body(self, function: FunctionProto, call: NodeProto) -> list[NodeProto]:
        """The nodes that replace a call, with the call's names of inputs and outputs."""
        base_name = call.name or next((o for o in call.output if o), call.op_type)
        prefix = free_name(self.calls, base_name, first=1)
        arguments = list(call.input) + [""] * (len(function.input) - len(call.input))
        names = {"": ""} | dict(zip(function.input, arguments, strict=True))
        names |= {o: name for o, name in zip(function.output, call.output, strict=False) if name}
        attributes = {a.name: a for a in [*function.attribute_proto, *call.attribute]}
        context = _Call(prefix, attributes)
        nodes = [NodeProto.FromString(node.SerializeToString()) for node in function.node]
        self._define((o for node in nodes for o in node.output), names, prefix)
        for node in nodes:
            self._rename(node, names, context)
        return nodes

    def _define(self, defined: Iterable[str], names: dict[str, str], prefix: str) -> None:
        for name in defined:
            if name not in names:
                names[name] = free_name(self.values, f"{prefix}/{name}", first=1)

    def _rename(self, node: NodeProto, names: Mapping[str, str], call: _Call) -> None:
        base_name = node.name or next((o for o in node.output if o), node.op_type)
        node.name = free_name(self.nodes, f"{call.prefix}/{base_name}", first=1)
        for values in (node.input, node.output):
            values[:] = [names.get(n, f"{call.prefix}/{n}") for n in values]
        attributes: list[AttributeProto] = []
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                if (source := call.attributes.get(attribute.ref_attr_name)) is not None:
                    copy = AttributeProto.FromString(source.SerializeToString())
                    copy.name = attribute.name
                    attributes.append(copy)
                continue
            for body in bodies_of(attribute) or ():
                self._rename_graph(body, dict(names), call)
            attributes.append(AttributeProto.FromString(attribute.SerializeToString()))
        del node.attribute[:]
        node.attribute.extend(attributes)

    def _rename_graph(self, graph: GraphProto, names: dict[str, str], call: _Call) -> None:
        """Renames what a body of a node defines and reads; updates `names` in place."""
        defined = dict.fromkeys(_defined_names(graph))
        for name in defined:
            names.pop(name, None)
        self._define(defined, names, call.prefix)
        for proto in _named_protos(graph):
            proto.name = names.get(proto.name, f"{call.prefix}/{proto.name}")
        for node in graph.node:
            self._rename(node, names, call)


class _Call:
    """A call being inlined: the prefix of its nodes, and its attributes with the function's defaults."""

    def __init__(self, prefix: str, attributes: Mapping[str, AttributeProto]):
        self.prefix = prefix
        self.attributes = attributes


def _is_call(node: NodeProto, function: FunctionProto) -> bool:
    """Whether a node has no more inputs and outputs than the function."""
    return len(node.input) <= len(function.input) and len(node.output) <= len(function.output)


def _named_protos(graph: GraphProto) -> list[Any]:
    """The messages other than nodes that carry the name of a value."""
    sparse = [tensor.values for tensor in graph.sparse_initializer]
    return [*graph.input, *graph.output, *graph.value_info, *graph.initializer, *sparse]


def _defined_names(graph: GraphProto) -> Iterator[str]:
    """The values that a graph defines."""
    yield from (i.name for i in graph.input)
    yield from (t.name for t in graph.initializer)
    yield from (t.values.name for t in graph.sparse_initializer)
    yield from (name for node in graph.node for name in node.output if name)


def _value_names(graph: GraphProto) -> Iterator[str]:
    """The names of all values in a graph and in the bodies in it."""
    yield from (proto.name for proto in _named_protos(graph))
    for node in graph.node:
        yield from (*node.input, *node.output)
        for attribute in node.attribute:
            for body in bodies_of(attribute) or ():
                yield from _value_names(body)
