"""Reads a GraphDef into a module of the `tf` dialect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from google.protobuf.text_format import ParseError
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.weights import WeightStore, digest, register
from autosplit.dialects.platform import ProtoAttr, UnknownType, named_location
from autosplit.dialects.tf import GraphOp, OpaqueOp, ShapeAttr, TfOp, tensor_type
from autosplit.dialects.tf.attributes.proto import (
    AttrValue,
    GraphDef,
    NodeDef,
    graph_from_text,
    has_unknown_fields,
    new_graph,
    new_library,
    new_node,
)
from autosplit.dialects.tf.attributes.values import AttrReader, is_large, store_weight, weight_attr
from autosplit.dialects.tf.base import CONTROL
from autosplit.dialects.tf.build import class_for
from autosplit.dialects.tf.ops import DECLARED
from autosplit.formats.tensorflow.variables import (
    SAVED_MODELS,
    VARIABLES,
    Frozen,
    freeze_graph,
    freeze_saved_model,
    saved_model_folder,
    why_not_frozen,
)

PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})

# Before this version a placeholder's empty shape meant that the shape is unknown.
_SCALAR_MEANS_UNKNOWN_BEFORE = 24

_TEXT = re.compile(rb"\s*(#[^\n]*\n\s*)*(node|versions|library|version)\s*[:{]")
_OP_TYPE = re.compile(rb"[A-Za-z_>][\w>./]*\Z")


def looks_like_text(head: bytes) -> bool:
    """Whether a file that starts with `head` is a GraphDef in text format."""
    return _TEXT.match(head) is not None


def looks_like_graph(head: bytes) -> bool:
    """Whether a file that starts with `head` may be a GraphDef: its first field is a node."""
    node_field = _first_field(head)
    if node_field is None or node_field[0] != 1:
        return False
    node = head[node_field[1] :]
    field = _first_field(node)
    if field is None or field[0] not in (1, 2):
        return False
    number, start, size = field
    text = node[start : start + size]
    if len(text) < size:
        return len(node) < start + size and text.isascii()
    if number == 2:
        return _OP_TYPE.match(text) is not None
    if not size or not text.isascii() or not text.decode().isprintable():
        return False
    remainder = node[start + size :]
    if len(remainder) < 2:
        return True
    next_field = _first_field(remainder)
    if next_field is None or next_field[0] != 2:
        return False
    _, start, size = next_field
    return _OP_TYPE.match(remainder[start : start + size]) is not None


def looks_like_saved_model(head: bytes, path: Path) -> bool:
    """Whether a file is the `saved_model.pb` of a SavedModel."""
    if path.name in SAVED_MODELS:
        return True
    # saved_model_schema_version = 1, then a MetaGraphDef, which starts with its MetaInfoDef.
    if not head.startswith(b"\x08\x01\x12"):
        return False
    _, start = _varint(head, 3)
    return start > 0 and head[start : start + 1] == b"\x0a"


def looks_like_meta(head: bytes, path: Path) -> bool:
    """Whether a file is a MetaGraphDef, which savers write next to a checkpoint."""
    return path.suffix == ".meta" and head.startswith(b"\x0a")


def _first_field(data: bytes) -> tuple[int, int, int] | None:
    """Number, start and size of the first field if it is length-delimited; else None."""
    if not data or data[0] & 7 != 2:
        return None
    size, start = _varint(data, 1)
    return None if start < 0 else (data[0] >> 3, start, size)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the offset of its end; -1 if it is cut off."""
    value = shift = 0
    for i in range(at, min(at + 10, len(data))):
        value |= (data[i] & 0x7F) << shift
        if data[i] < 0x80:
            return value, i + 1
        shift += 7
    return 0, -1


def graph_without_nodes(data: bytes) -> bytes:
    """A serialized GraphDef without its nodes."""
    other_fields: list[bytes] = []
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        match tag & 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 2:
                size, at = _varint(data, at)
                at += size
            case 5:
                at += 4
            case _:
                # Groups: GraphDef has none. Keeping everything that follows is still lossless.
                at = len(data)
        if tag >> 3 != 1:
            other_fields.append(data[start:at])
    return b"".join(other_fields)


@dataclass(frozen=True)
class ReadGraph:
    """A graph from a file, frozen if that in the file was not."""

    graph: GraphDef
    data: bytes
    """Its serialized form."""
    outputs: list[str] = field(default_factory=list[str])
    """The names of its outputs, if the file has them."""


def read_graph(path: Path, custom_ops: Sequence[Path] = ()) -> ReadGraph:
    """The GraphDef of a model: a file of one, binary or text, a SavedModel, a MetaGraphDef.

    Variables are frozen if TensorFlow is installed, with the libraries `custom_ops`, and their values are
    next to the file. Raises AutosplitError naming the file and what is wrong with it.
    """
    if (folder := saved_model_folder(path)) is not None:
        return _frozen(freeze_saved_model(folder, custom_ops))
    data = path.read_bytes()
    if looks_like_saved_model(data[: 1 << 16], path):
        raise AutosplitError(
            f"{path}: belongs to a SavedModel; give the folder that has it as saved_model.pb, beside its "
            "variables"
        )
    if looks_like_meta(data[: 1 << 16], path):
        return _read_meta(path, custom_ops)
    if looks_like_text(data):
        graph, data = _from_text(path, data)
        return _with_variables(path, "text", ReadGraph(graph, data), custom_ops)
    try:
        graph = new_graph(data)
        # Its functions are read later, but errors in them are reported now.
        new_library(graph.library)
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    if not len(graph.node):
        raise AutosplitError(
            f"{path}: holds no node; expected a TensorFlow frozen graph (GraphDef)"
        )
    return _with_variables(path, "graph", ReadGraph(graph, data), custom_ops)


def _frozen(frozen: Frozen) -> ReadGraph:
    return ReadGraph(new_graph(frozen.graph), frozen.graph, frozen.outputs)


def _with_variables(
    path: Path, kind: str, content: ReadGraph, custom_ops: Sequence[Path]
) -> ReadGraph:
    """The graph, frozen if it has variables and their values are next to it."""
    if not any(node.op in VARIABLES for node in content.graph.node):
        return content
    frozen = freeze_graph(path, kind, custom_ops)
    return content if frozen is None else _frozen(frozen)


def _read_meta(path: Path, custom_ops: Sequence[Path]) -> ReadGraph:
    frozen = freeze_graph(path, "meta", custom_ops)
    if frozen is not None:
        return _frozen(frozen)
    raise AutosplitError(f"{path}: {why_not_frozen(path, [])}")


def _from_text(path: Path, data: bytes) -> tuple[GraphDef, bytes]:
    try:
        graph = graph_from_text(data.decode())
    except (ParseError, UnicodeDecodeError) as error:
        raise AutosplitError(f"{path}: is not a GraphDef in text format: {error}") from None
    return graph, graph.SerializeToString(deterministic=True)


def import_file(path: Path, custom_ops: Sequence[Path] = ()) -> tuple[ModuleOp, WeightStore]:
    """The module and the weights of a GraphDef file. Raises AutosplitError on anything wrong with it."""
    content = read_graph(path, custom_ops)
    store = WeightStore(path, digest(content.data))
    try:
        module = import_graph(content.graph, store, graph_without_nodes(content.data))
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    if content.outputs and isinstance(graph := module.body.block.first_op, GraphOp):
        graph.set_ends(None, content.outputs)
    register(store, module)
    return module, store


def import_weights(path: Path, file_digest: str = "") -> WeightStore:
    """The weights of a GraphDef file without its graph, by the same keys."""
    content = read_graph(path)
    store = WeightStore(path, file_digest or digest(content.data))
    for node in content.graph.node:
        value = _constant(node)
        if value is not None and is_large(value.tensor):
            store_weight(node.name, value, store)
    return store


def _constant(node: NodeDef) -> AttrValue | None:
    """The value of a Const node."""
    value = node.attr["value"] if node.op == "Const" and "value" in node.attr else None
    return value if value is not None and value.WhichOneof("value") == "tensor" else None


@dataclass
class PendingNode:
    """A node while a graph is built."""

    proto: NodeDef
    inputs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Node and output of each data input."""
    controls: list[int] = field(default_factory=list[int])
    outputs: int = 0
    """A lower bound of how many data outputs are used."""
    waited_for: bool = False
    unusual: bool = False
    """Whether the inputs are spelled differently than by `spelled`."""


def spelled(name: str, output: int) -> str:
    """How a GraphDef spells an input."""
    return name if output == 0 else f"{name}:{output}"


def split_input(text: str) -> tuple[str, int]:
    """Node and output of an input as spelled; the output of a control input is -1."""
    if text.startswith("^"):
        return text[1:], -1
    name, colon, index = text.rpartition(":")
    if colon and index.isdecimal():
        return name, int(index)
    return text, 0


def import_graph(graph: GraphDef, store: WeightStore, rest: bytes) -> ModuleOp:
    """The module that holds a GraphDef; large constants go into the store.

    `rest`: the GraphDef without its nodes, serialized. Raises AutosplitError saying which node is wrong.
    """
    nodes = _resolve(graph)
    reader = AttrReader()
    producer = graph.versions.producer
    ops = [make_op(node, reader, store, producer) for node in nodes]
    block = Block()
    for node, op in zip(nodes, ops, strict=True):
        operands: list[SSAValue] = [ops[source].results[output] for source, output in node.inputs]
        operands += [ops[source].results[-1] for source in node.controls]
        op.operands = operands
    block.add_ops(ops)
    module = ModuleOp([GraphOp(Region(block))])
    module.attributes["platform.name"] = StringAttr("tensorflow")
    module.attributes["tf.rest"] = ProtoAttr.of(rest)
    return module


def _resolve(graph: GraphDef) -> list[PendingNode]:
    """The nodes with the indices of their producers."""
    nodes = [PendingNode(proto) for proto in graph.node]
    index: dict[str, int] = {}
    for i, node in enumerate(nodes):
        name = node.proto.name
        if not name:
            raise AutosplitError(f"node {i}, of type {node.proto.op!r}, has no name")
        if name in index:
            raise AutosplitError(f"two nodes are called {name!r}")
        if ":" in name or name.startswith("^"):
            # TensorFlow refuses it too: in an input, such a name is an output or a control edge.
            raise AutosplitError(f"node {i} is called {name!r}, which names a tensor or an edge")
        index[name] = i
    for node in nodes:
        for text in node.proto.input:
            name, output = split_input(text)
            producer = index.get(name)
            if producer is None:
                raise AutosplitError(
                    f"node {node.proto.name!r} reads {text!r}, of which there is no node"
                    f"{nearest(name, list(index))}; the file may be cut off"
                )
            if output < 0:
                node.controls.append(producer)
                nodes[producer].waited_for = True
                node.unusual |= text != f"^{name}"
                continue
            node.unusual |= bool(node.controls) or text != spelled(name, output)
            node.inputs.append((producer, output))
            nodes[producer].outputs = max(nodes[producer].outputs, output + 1)
    return nodes


def make_op(node: PendingNode, reader: AttrReader, store: WeightStore, producer: int) -> TfOp:
    """The op for a node, without its operands; a large constant goes into the store."""
    proto = node.proto
    name, op_type = proto.name, proto.op
    attrs: dict[str, Attribute] = {}
    shapes: list[tuple[int, ...] | None] = []
    constant = _constant(proto)
    for key in sorted(proto.attr):
        value = proto.attr[key]
        if key == "value" and constant is not None:
            try:
                attrs[key], shape = weight_attr(name, value, store)
            except ValueError as error:
                raise AutosplitError(f"constant {name!r} cannot be read: {error}") from None
            shapes = [shape]
        else:
            attrs[key] = reader.read(value)
    if (declared := DECLARED.get(op_type)) is not None:
        declared.check_inputs(op_type, name, len(node.inputs), attrs)
    cls, dtypes = class_for(op_type, len(node.inputs), attrs, node.outputs)
    if not shapes:
        shapes = _declared_shapes(op_type, attrs, producer)
    if len(shapes) != len(dtypes):
        shapes = [None] * len(dtypes)
    types = [_result_type(t, s) for t, s in zip(dtypes, shapes, strict=True)]
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(name),
        "node_attrs": DictionaryAttr(attrs),
    }
    if proto.device:
        properties["device"] = StringAttr(proto.device)
    if node.unusual:
        properties["spelled_inputs"] = ArrayAttr([StringAttr(s) for s in proto.input])
    if (rest := _rest(proto)) is not None:
        properties["rest"] = rest
    if cls is OpaqueOp:
        properties["op"] = StringAttr(op_type)
    op = cls.create(
        result_types=[*types, CONTROL] if node.waited_for else types,
        properties=properties,
    )
    op.location = named_location(name)
    hint = _hint(name)
    for result in op.results:
        result.name_hint = hint
    return op


def _result_type(element: Attribute | None, shape: Sequence[int] | None) -> Attribute:
    if shape is not None and any(d < -1 for d in shape):
        shape = None
    return UnknownType() if element is None else tensor_type(element, shape)


def _declared_shapes(
    op_type: str, attrs: dict[str, Attribute], producer: int
) -> list[tuple[int, ...] | None]:
    """The shapes that a node's own attributes declare, one per output; empty if they declare none."""
    shape_attr = attrs.get("shape")
    if op_type in PLACEHOLDERS and isinstance(shape_attr, ShapeAttr):
        shape = shape_attr.shape
        if shape == () and op_type == "Placeholder" and producer < _SCALAR_MEANS_UNKNOWN_BEFORE:
            shape = None
        return [shape]
    output_shapes = attrs.get("_output_shapes")
    if not isinstance(output_shapes, ArrayAttr):
        return []
    items = cast("ArrayAttr[Attribute]", output_shapes)
    return [s.shape if isinstance(s, ShapeAttr) else None for s in items]


def _rest(proto: NodeDef) -> ProtoAttr | None:
    """The fields of a node that the compiler does not read."""
    has_rest = (
        proto.HasField("experimental_debug_info")
        or proto.HasField("experimental_type")
        or has_unknown_fields(proto)
    )
    if not has_rest:
        return None
    copy = new_node()
    copy.CopyFrom(proto)
    for name in ("name", "op", "input", "device", "attr"):
        copy.ClearField(name)
    return ProtoAttr.of(copy.SerializeToString(deterministic=True))


_NOT_IN_HINT = re.compile(r"[^A-Za-z0-9_$-]")
_NUMBERED = re.compile(r"_(\d+)\Z")


def _hint(name: str) -> str:
    """A name for SSA values that reads like the node's."""
    # The printer makes equal hints unique by `_1`, so no hint may already look like that.
    text = _NUMBERED.sub(r".\1", _NOT_IN_HINT.sub(".", name))
    return text if text[0].isalpha() else f"n{text}"
