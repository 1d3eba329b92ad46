"""The function library of a GraphDef: the call graph, and which calls have side effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.platform import ProtoAttr
from autosplit.dialects.tf import TfOp, state
from autosplit.dialects.tf.attributes.proto import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    NodeDef,
    new_attr,
    new_graph,
    new_library,
)
from autosplit.dialects.tf.graphs import (
    FILLS,
    READS,
    VISIBLE,
)
from autosplit.dialects.tf.ops import DECLARED
from autosplit.dialects.tf.outputs import custom_outputs


def is_visible(op_type: str) -> bool:
    """Whether running a node of a type is observable; not for types that call functions."""
    if op_type in READS | FILLS or op_type.startswith(_RANDOM):
        return False
    cls = DECLARED.get(op_type)
    return cls is None or op_type in VISIBLE or (cls in state.OPS and op_type[:6] != "Tensor")


_RANDOM = ("Multinomial", "Random", "TruncatedNormal")


@dataclass
class FunctionLibrary:
    """The functions of a graph."""

    proto: FunctionDefLibrary
    functions: dict[str, FunctionDef] = field(default_factory=dict[str, FunctionDef])
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    """The names of the outputs of functions and custom ops, see `custom_outputs`."""

    @classmethod
    def of(cls, data: bytes, module: ModuleOp | None = None) -> FunctionLibrary:
        """`module`: the one that the graph is of, where bodies of functions are to be read."""
        proto = new_library(data)
        functions = {f.signature.name: f for f in proto.function}
        outputs = {name: _outputs(function) for name, function in functions.items()}
        return cls(proto, functions, outputs | ({} if module is None else custom_outputs(module)))

    def reached(self, names: Iterable[str]) -> dict[str, FunctionDef]:
        """The functions with these names, and those that they call."""
        functions: dict[str, FunctionDef] = {}
        pending = list(names)
        while pending:
            name = pending.pop()
            if name in functions or (function := self.functions.get(name)) is None:
                continue
            functions[name] = function
            for node in function.node_def:
                pending += called(node)
        return functions

    def effects(self, function: FunctionDef, within: tuple[str, ...] = ()) -> list[str]:
        """The nodes of a function whose execution is observable."""
        within = (*within, function.signature.name)
        nodes = {node.name: node for node in function.node_def}
        # TensorFlow 1 graphs do not list them; functions run them nevertheless.
        visible = [node.name for node in function.node_def if node.op in VISIBLE]
        names = dict.fromkeys([*sorted(function.control_ret.values()), *visible])
        return [n for n in names if n in nodes and self._has_effect(nodes[n], nodes, within)]

    def _has_effect(
        self, node: NodeDef, nodes: Mapping[str, NodeDef], within: tuple[str, ...]
    ) -> bool:
        if node.op in ("Identity", "NoOp"):
            # They stand for what they wait for, and for reads of former variables.
            waits = [nodes[i[1:]] for i in node.input if i.startswith("^") and i[1:] in nodes]
            return any(self._has_effect(before, nodes, within) for before in waits)
        names = [name for name in called(node) if name in self.functions]
        if not names:
            return is_visible(node.op)
        return any(name in within or self.effects(self.functions[name], within) for name in names)

    def only(self, names: Iterable[str]) -> bytes:
        """The part of the library reachable from `names`, serialized."""
        reachable = self.reached(names)
        library = new_library()
        for function in self.proto.function:
            if function.signature.name in reachable:
                library.function.append(function)
        for gradient in self.proto.gradient:
            if gradient.function_name in reachable:
                library.gradient.append(gradient)
        return library.SerializeToString(deterministic=True)


def called(node: NodeDef) -> Iterator[str]:
    """The names of the functions that a node calls, itself or through its attributes."""
    yield node.op
    for value in node.attr.values():
        yield from _functions(value)


def _functions(value: AttrValue) -> Iterator[str]:
    match value.WhichOneof("value"):
        case "func":
            yield value.func.name
        case "list":
            yield from (f.name for f in value.list.func)
        case _:
            return


def called_by(op: TfOp) -> Iterator[str]:
    """The names of the functions that an op calls."""
    yield op.op_type
    for attr in op.node_attrs.data.values():
        if isinstance(attr, ProtoAttr):
            yield from _functions(new_attr(attr.data.data))


def without_unused(rest: ProtoAttr, ops: Iterable[TfOp]) -> ProtoAttr:
    """A GraphDef without its nodes, with only the functions reachable from `ops`."""
    graph = new_graph(rest.data.data)
    if not graph.library:
        return rest
    graph.library = FunctionLibrary.of(graph.library).only(
        name for op in ops for name in called_by(op)
    )
    return ProtoAttr.of(graph.SerializeToString(deterministic=True))


def _outputs(function: FunctionDef) -> list[str]:
    """The names of the outputs of a function, as spelled in `dialects/tf/outputs.py`."""
    outputs: list[str] = []
    for arg in function.signature.output_arg:
        several = arg.number_attr or arg.type_list_attr
        outputs.append(f"{arg.name}*{several}" if several else arg.name)
    return outputs
