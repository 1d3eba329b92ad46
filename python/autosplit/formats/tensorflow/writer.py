"""Writes modules of the `tf` dialect as GraphDefs: whole models, sub-models, and their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.target import Target

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, store_for
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import ProtoAttr, element_type
from autosplit.dialects.tf import GraphOp, ShapeAttr, TfOp, data_type_of
from autosplit.dialects.tf.attributes.proto import GraphDef, NodeDef, new_graph, to_text
from autosplit.dialects.tf.attributes.values import write_attr
from autosplit.dialects.tf.graphs import nodes_of, topological
from autosplit.formats.tensorflow.functions import without_unused
from autosplit.formats.tensorflow.reader import spelled, split_input


def export_graph(module: ModuleOp, graph: GraphOp, store: WeightStore | None) -> GraphDef:
    """The GraphDef of a whole model; that of an imported one equals the file's."""
    proto = _empty_graph(module)
    for op in nodes_of(graph):
        _write_node(proto.node.add(), op, {}, store)
    _drop_absent_neighbours(proto)
    return proto


def export_func(module: ModuleOp, func: FuncOp, store: WeightStore | None) -> GraphDef:
    """The GraphDef of one sub-model: placeholders for its inputs, then its nodes in order.

    Raises AutosplitError for an input whose dtype is unknown, and for weights that are missing.
    """
    nodes = topological(nodes_of(func))
    proto = _empty_graph(module, nodes)
    arguments: dict[SSAValue, str] = {}
    for name, value in func.inputs:
        node = name.removesuffix(":0")
        arguments[value] = node
        _write_placeholder(proto.node.add(), node, value, func)
    for op in nodes:
        _write_node(proto.node.add(), op, arguments, store)
    _drop_absent_neighbours(proto)
    return proto


_TOGETHER = b"loc:@"


def _drop_absent_neighbours(proto: GraphDef) -> None:
    """Removes colocation with nodes that the graph lacks, which TensorFlow refuses."""
    names = {node.name.encode() for node in proto.node}
    for node in proto.node:
        if "_class" not in node.attr:
            continue
        classes = list(node.attr["_class"].list.s)
        kept = [s for s in classes if not s.startswith(_TOGETHER) or s[len(_TOGETHER) :] in names]
        if kept == classes:
            continue
        del node.attr["_class"]
        if kept:
            node.attr["_class"].list.s.extend(kept)


def _empty_graph(module: ModuleOp, nodes: Sequence[TfOp] | None = None) -> GraphDef:
    """A GraphDef with the model's versions and functions, or only the functions that `nodes` call."""
    rest = module.attributes.get("tf.rest")
    if isinstance(rest, ProtoAttr) and nodes is not None:
        rest = without_unused(rest, nodes)
    return new_graph(rest.data.data if isinstance(rest, ProtoAttr) else b"")


def _write_placeholder(node: NodeDef, name: str, value: SSAValue, func: FuncOp) -> None:
    element = element_type(value.type)
    data_type = None if element is None else data_type_of(element)
    if data_type is None:
        raise AutosplitError(
            f"input {name!r} of {func.sym_name.data} has the type {value.type}; "
            "expected a tensor whose dtype TensorFlow knows"
        )
    node.name, node.op = name, "Placeholder"
    node.attr["dtype"].type = data_type
    # Without a shape, readers take a placeholder for a scalar.
    shape = node.attr["shape"].shape
    shape.SetInParent()
    sizes = ShapeAttr.of_type(value.type).shape
    shape.unknown_rank = sizes is None
    for size in sizes or ():
        shape.dim.add().size = size


def _write_node(
    node: NodeDef, op: TfOp, arguments: Mapping[SSAValue, str], store: WeightStore | None
) -> None:
    if op.rest is not None:
        node.ParseFromString(op.rest.data.data)
    node.name, node.op = op.node_name.data, op.op_type
    if op.device is not None:
        node.device = op.device.data
    node.input.extend(_inputs(op, arguments))
    for name, attr in op.node_attrs.data.items():
        write_attr(node.attr[name], attr, store)


def _inputs(op: TfOp, arguments: Mapping[SSAValue, str]) -> list[str]:
    """The node's inputs, spelled as in the file if they have not changed."""
    data = [_input(value, arguments) for value in op.inputs]
    # A control input from another sub-model has nothing to wait for.
    producers = [v.owner for v in op.controls]
    local_producers = [m for m in producers if isinstance(m, TfOp) and m.parent is op.parent]
    inputs = data + [f"^{m.node_name.data}" for m in local_producers]
    if op.spelled_inputs is None:
        return inputs
    spelled_inputs = [s.data for s in op.spelled_inputs]
    split_inputs = [split_input(s) for s in spelled_inputs]
    normalized = [spelled(name, k) for name, k in split_inputs if k >= 0]
    normalized += [f"^{name}" for name, k in split_inputs if k < 0]
    return spelled_inputs if normalized == inputs else inputs


def _input(value: SSAValue, arguments: Mapping[SSAValue, str]) -> str:
    if (name := arguments.get(value)) is not None:
        return name
    owner = value.owner
    if not isinstance(owner, TfOp):
        raise AutosplitError(f"an op reads {value}, which is not a tensor of a TensorFlow node")
    return spelled(owner.node_name.data, owner.results.index(value))


def write_graph(graph: GraphDef, path: Path) -> None:
    """Writes a GraphDef; the same graph gives the same bytes."""
    path.write_bytes(graph.SerializeToString(deterministic=True))


def graph_text(graph: GraphDef) -> str:
    """The GraphDef in protobuf's text format, with the maps in the order of their keys."""
    return to_text(graph)


@dataclass(frozen=True)
class GraphDefTextTarget(Target):
    """The GraphDef in text format: of the model, or of sub-model `graph` of an outlined module."""

    name = "graphdef-text"

    graph: int | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(graph_text(self._graph(module)))

    def _graph(self, module: ModuleOp) -> GraphDef:
        platform = module.attributes.get("platform.name")
        if isinstance(platform, StringAttr) and platform.data != "tensorflow":
            raise PassFailedException(f"the module is of {platform.data}, expected tensorflow")
        store = store_for(module)
        ops = list(module.body.block.ops)
        if self.graph is None:
            graphs = [op for op in ops if isinstance(op, GraphOp)]
            if not graphs:
                raise PassFailedException(
                    "found no tf.graph; of an outlined module, say which sub-model: graphdef-text{graph=0}"
                )
            return export_graph(module, graphs[0], store)
        symbol_name = f"graph_{self.graph}"
        for op in ops:
            if isinstance(op, FuncOp) and op.sym_name.data == symbol_name:
                return export_func(module, op, store)
        raise PassFailedException(f"found no device.func @{symbol_name} in the module")
