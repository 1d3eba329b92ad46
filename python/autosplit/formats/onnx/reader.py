"""ModelProto -> a module of the `onnx` dialect, losslessly up to a topological order of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
)
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.units import first_of
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.build import build_node
from autosplit.dialects.onnx.operands import misfit
from autosplit.dialects.onnx.ops import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.onnx.tensors import text_attr
from autosplit.dialects.order import Cycle, topological_order
from autosplit.dialects.platform import (
    PlatformOp,
    ProtoAttr,
    UnknownType,
    set_type,
    tell_apart,
    value_name,
)
from autosplit.formats.onnx.check import check_node
from autosplit.formats.onnx.nodes import bodies_of
from autosplit.formats.onnx.values import (
    ELEMENT_OF_CODE,
    check_sparse,
    read_tensor,
    stored_weight,
    type_of_proto,
    value_info,
)
from autosplit.formats.onnx.writer import attribute_order, attribute_proto

Array = NDArray[np.generic]


def read_model(
    proto: ModelProto,
    store: WeightStore,
    folder: Path,
    large: Mapping[str, Callable[[], Array]] | None = None,
) -> ModuleOp:
    """The module of a model. Tensors that are large or external go into `store`.

    `large`: loaders of those initializers of the outermost graph whose bytes `proto` lacks. Raises
    AutosplitError for an invalid graph: values with no or two definitions, cycles, tensors whose data does
    not fit, external data outside of `folder`.
    """
    check_text(proto)
    functions = {(f.domain, f.name) for f in proto.functions}
    opsets = {"" if o.domain == "ai.onnx" else o.domain: o.version for o in proto.opset_import}
    reader = _Reader(store, folder, functions, opsets, large or {})
    module = ModuleOp([reader.read_graph(proto.graph, _Scope(None))])
    attributes: dict[str, Attribute] = {
        "platform.name": StringAttr("onnx"),
        "onnx.ir_version": IntegerAttr(proto.ir_version, i64),
        "onnx.opsets": DictionaryAttr(
            {(o.domain or "ai.onnx"): IntegerAttr(o.version, i64) for o in proto.opset_import}
        ),
    }
    rest = ModelProto()
    _copy_fields(proto, rest, leave=("ir_version", "graph", "opset_import"))
    plain = all(
        o.domain != "ai.onnx" and (o.domain or not o.HasField("domain")) for o in proto.opset_import
    )
    if not plain or len({o.domain for o in proto.opset_import}) != len(proto.opset_import):
        rest.opset_import.extend(proto.opset_import)
    if rest.ByteSize():
        attributes["onnx.rest"] = ProtoAttr.of(rest.SerializeToString(deterministic=True))
    module.attributes.update(attributes)
    tell_apart(op for op in module.walk() if isinstance(op, PlatformOp))
    return module


def check_text(proto: ModelProto) -> None:
    """Raises AutosplitError if a name is not UTF-8: protobuf then returns it as bytes."""
    texts = [proto.producer_name, proto.producer_version, proto.domain, proto.doc_string]
    texts += [o.domain for o in proto.opset_import] + [f.name for f in proto.functions]
    texts += [t for p in proto.metadata_props for t in (p.key, p.value)]
    _check_strings(texts, "the model's header")
    _check_graph_text(proto.graph)
    for function in proto.functions:
        texts = [function.domain, function.overload, *function.input, *function.output]
        texts += [o.domain for o in function.opset_import]
        _check_strings(texts, "a function")
        _check_node_text([*function.node, NodeProto(attribute=function.attribute_proto)])


def _check_graph_text(graph: GraphProto) -> None:
    _check_strings([graph.name, graph.doc_string], "the graph")
    for infos in (graph.input, graph.output, graph.value_info):
        for info in infos:
            dims = info.type.tensor_type.shape.dim if info.HasField("type") else ()
            texts = [info.name, info.doc_string, *(d.dim_param for d in dims)]
            _check_strings(texts, "an input, output or value")
    for tensor in graph.initializer:
        external = [t for e in tensor.external_data for t in (e.key, e.value)]
        _check_strings([tensor.name, tensor.doc_string, *external], "an initializer")
    _check_strings([s.values.name for s in graph.sparse_initializer], "an initializer")
    _check_node_text(graph.node)


def _check_node_text(nodes: Iterable[NodeProto]) -> None:
    for node in nodes:
        texts = [*node.input, *node.output, node.name, node.op_type, node.domain]
        texts += [node.overload, node.doc_string]
        _check_strings(texts, "a node")
        for attribute in node.attribute:
            texts = [attribute.name, attribute.ref_attr_name, attribute.doc_string]
            _check_strings(texts, "an attribute")
            for body in bodies_of(attribute) or ():
                _check_graph_text(body)


def _check_strings(texts: list[str], where: str) -> None:
    for text in texts:
        if not isinstance(cast("object", text), str):
            raise AutosplitError(f"the ONNX model is damaged: {where} has a text that is not UTF-8")


class _Scope:
    """The values visible in a graph by name: its own and those of the graphs around it."""

    def __init__(self, outer: _Scope | None):
        self.values: dict[str, SSAValue] = {}
        self.outer = outer

    def find(self, name: str) -> SSAValue | None:
        scope: _Scope | None = self
        while scope is not None:
            if (value := scope.values.get(name)) is not None:
                return value
            scope = scope.outer
        return None

    def all_names(self) -> list[str]:
        outer = self.outer.all_names() if self.outer is not None else []
        return [*self.values, *outer]


class _Reader:
    def __init__(
        self,
        store: WeightStore,
        folder: Path,
        functions: set[tuple[str, str]],
        opsets: Mapping[str, int],
        large: Mapping[str, Callable[[], Array]],
    ):
        self.store = store
        self.large = large
        self.folder = folder
        self.functions = functions
        self.opsets = opsets

    def read_graph(self, graph: GraphProto, scope: _Scope) -> GraphOp:
        """The op for a graph; its values are added to `scope`."""
        constants = _initializer_names(graph)
        _check_definitions(graph, constants)
        inputs = [i for i in graph.input if i.name not in constants]
        rest = GraphProto()
        types = self._types(graph, rest)
        block = Block(arg_types=[type_of_proto(i.type) for i in inputs])
        for info, argument in zip(inputs, block.args, strict=True):
            scope.values[info.name] = argument
        for op in self._initializers(graph, {} if scope.outer else self.large):
            block.add_op(op)
            scope.values[op.node_name.data] = op.results[0]
        for node in sorted_nodes(graph.node):
            op = self.read_node(node, scope, types)
            block.add_op(op)
            for name, result in zip(node.output, op.results, strict=True):
                if name:
                    scope.values[name] = result
        results = [self._find(o.name, scope, "the graph's outputs") for o in graph.output]
        block.add_op(ReturnOp(results))
        _drop_wrong_types(graph, block, rest)
        self._keep_infos(graph, rest, scope, results)
        _copy_fields(graph, rest, leave=_GRAPH_FIELDS, unless_empty=("name",))
        listed = [i.name for i in graph.input] if len(inputs) != len(graph.input) else None
        return GraphOp(
            graph.name,
            [i.name for i in inputs],
            [o.name for o in graph.output],
            Region(block),
            listed_inputs=listed,
            rest=ProtoAttr.of(rest.SerializeToString(deterministic=True))
            if rest.ByteSize()
            else None,
        )

    def _types(self, graph: GraphProto, rest: GraphProto) -> dict[str, Attribute]:
        """The types of the nodes' results, by name. What does not round-trip goes into `rest`."""
        outputs = {o.name for o in graph.output}
        produced = {name for node in graph.node for name in node.output if name}
        types: dict[str, Attribute] = {}
        for info in graph.value_info:
            type = type_of_proto(info.type)
            exact = info.name in produced and info.name not in types and info.name not in outputs
            if not exact or not _is_written_as(info, type) or isinstance(type, UnknownType):
                rest.value_info.append(info)
            types.setdefault(info.name, type)
        for info in graph.output:
            if not isinstance(type := type_of_proto(info.type), UnknownType):
                types[info.name] = type
        return types

    def _keep_infos(
        self, graph: GraphProto, rest: GraphProto, scope: _Scope, results: list[SSAValue]
    ) -> None:
        for info in graph.input:
            if not _is_written_as(info, scope.values[info.name].type):
                rest.input.append(info)
        for info, value in zip(graph.output, results, strict=True):
            if not _is_written_as(info, value.type):
                rest.output.append(info)

    def _initializers(
        self, graph: GraphProto, large: Mapping[str, Callable[[], Array]]
    ) -> Iterator[InitializerOp]:
        for proto in graph.initializer:
            if (load := large.get(proto.name)) is not None:
                attr = stored_weight(proto, proto.name, self.store, load)
            else:
                attr = read_tensor(proto, proto.name, self.store, self.folder, named=True)
            yield InitializerOp(proto.name, attr, _tensor_type(proto))
        for proto in graph.sparse_initializer:
            yield _sparse_initializer(proto)

    def _find(self, name: str, scope: _Scope, reader: str) -> SSAValue:
        if (value := scope.find(name)) is not None:
            return value
        raise AutosplitError(
            f"{name!r}, which {reader} reads, is neither an input nor a constant nor a node's output"
        )

    def read_node(self, node: NodeProto, scope: _Scope, types: dict[str, Attribute]) -> OnnxOp:
        """The op for a node; its inputs must be in `scope`."""
        key = (node.domain, node.op_type)
        opaque = key in self.functions or bool(node.overload)
        if not opaque:
            check_node(node, self.opsets, _described(node))
        fields: dict[str, Attribute] = {}
        graphs: list[tuple[str, GraphOp]] = []
        graph_stubs: list[AttributeProto] = []
        for attribute in node.attribute:
            name = attribute.name
            if name in fields or any(name == stub.name for stub in graph_stubs):
                raise AutosplitError(f"{_described(node)} has the attribute {name!r} twice")
            bodies = bodies_of(attribute)
            if bodies is None:
                fields[name] = self._field(attribute, node)
                continue
            spelled = name if attribute.type == AttributeProto.GRAPH else f"{name}[]"
            graphs += [(spelled, self.read_graph(g, _Scope(scope))) for g in bodies]
            graph_stubs.append(_stub(attribute))
        op = build_node(
            "" if node.domain == "ai.onnx" else node.domain,
            node.op_type,
            [self._find(n, scope, _described(node)) if n else None for n in node.input],
            list(node.output),
            fields,
            graphs,
            result_types=[types.get(n, _UNKNOWN) if n else _UNKNOWN for n in node.output],
            node_name=node.name,
            opaque=opaque,
        )
        rest = _node_rest(node, op, graph_stubs)
        if rest is not None:
            op.properties["rest"] = rest
        return op

    def _field(self, attribute: AttributeProto, node: NodeProto) -> Attribute:
        if attribute.type == AttributeProto.TENSOR and not attribute.HasField("doc_string"):
            key = tensor_key(node, attribute)
            attr = read_tensor(attribute.t, key, self.store, self.folder, named=False)
            if not isinstance(attr, ProtoAttr):
                return attr
        else:
            attr = _plain_field(attribute)
        for sparse in _sparse_tensors(attribute):
            check_sparse(sparse, f"attribute {attribute.name!r} of {_described(node)}")
        original = attribute.SerializeToString(deterministic=True)
        if attr is not None and not isinstance(attr, ProtoAttr):
            rebuilt = attribute_proto(attribute.name, attr, None)
            if rebuilt.SerializeToString(deterministic=True) == original:
                return attr
        return ProtoAttr.of(original)


def _drop_wrong_types(graph: GraphProto, block: Block, rest: GraphProto) -> None:
    """Drops the declared shapes of values whose consumers contradict them; they go into `rest`.

    Runtimes do not trust them either.
    """
    declared = {info.name: info for info in graph.value_info}
    kept_names = {info.name for info in rest.value_info}
    misfits = [op for op in block.ops if isinstance(op, OnnxOp) and misfit(op) is not None]
    for value in (v for op in misfits for v in op.operands):
        owner = value.owner
        if not isinstance(owner, OnnxOp) or owner.IS_CONSTANT or owner.parent is not block:
            continue
        set_type(value, _UNKNOWN)
        name = value_name(value)
        if name in declared and name not in kept_names:
            rest.value_info.append(declared[name])
            kept_names.add(name)


def tensor_key(node: NodeProto, attribute: AttributeProto) -> str:
    """The key in the store of a tensor that is an attribute."""
    return next((n for n in node.output if n), node.name) or attribute.name


_UNKNOWN = UnknownType()
_GRAPH_FIELDS = ("node", "initializer", "sparse_initializer", "input", "output", "value_info")


def _copy_fields(
    source: Any, target: Any, leave: Iterable[str], unless_empty: Iterable[str] = ()
) -> None:
    """Copies the fields that are set, except `leave`, and `unless_empty` where they are not empty."""
    for field, value in source.ListFields():
        name = field.name
        if name in leave or (name in unless_empty and value):
            continue
        if isinstance(value, bool | int | float | str | bytes):
            try:
                setattr(target, name, value)
            except UnicodeDecodeError as e:
                raise AutosplitError(f"the ONNX model is damaged: {name} is not UTF-8") from e
        else:
            getattr(target, name).MergeFrom(value)


def _tensor_type(proto: TensorProto) -> Attribute:
    return TensorType(ELEMENT_OF_CODE[proto.data_type], list(proto.dims))


def _sparse_initializer(proto: SparseTensorProto) -> InitializerOp:
    element = ELEMENT_OF_CODE.get(proto.values.data_type)
    if element is None:
        raise AutosplitError(f"sparse tensor {proto.values.name!r} has an unknown element type")
    check_sparse(proto, f"sparse tensor {proto.values.name!r}")
    value = ProtoAttr.of(proto.SerializeToString(deterministic=True))
    op = InitializerOp(proto.values.name, value, TensorType(element, list(proto.dims)))
    op.sparse = UnitAttr()
    return op


def _sparse_tensors(attribute: AttributeProto) -> list[SparseTensorProto]:
    if attribute.type == AttributeProto.SPARSE_TENSOR:
        return [attribute.sparse_tensor]
    return list(attribute.sparse_tensors)


def _is_written_as(info: ValueInfoProto, type: Attribute) -> bool:
    new = value_info(info.name, type)
    return new.SerializeToString(deterministic=True) == info.SerializeToString(deterministic=True)


def _initializer_names(graph: GraphProto) -> set[str]:
    names: set[str] = set()
    dense = [t.name for t in graph.initializer] + [s.values.name for s in graph.sparse_initializer]
    for name in dense:
        if not name:
            raise AutosplitError("an initializer has no name")
        if name in names:
            raise AutosplitError(f"there are two initializers called {name!r}")
        names.add(name)
    return names


def _check_definitions(graph: GraphProto, constants: set[str]) -> None:
    """Raises if a value of the graph is defined twice."""
    producers: dict[str, str] = {name: "an initializer" for name in constants}
    input_names: set[str] = set()
    for info in graph.input:
        if info.name in input_names:
            raise AutosplitError(f"the graph has two inputs called {info.name!r}")
        input_names.add(info.name)
        producers.setdefault(info.name, "an input")
    for node in graph.node:
        for name in node.output:
            if name in producers:
                raise AutosplitError(
                    f"{name!r} is defined twice: by {producers[name]} and by {_described(node)}"
                )
            if name:
                producers[name] = _described(node)


def _described(node: NodeProto) -> str:
    name = node.name or next((o for o in node.output if o), "")
    return f"{node.op_type} node {name!r}" if name else f"a {node.op_type} node without a name"


def free_names(graph: GraphProto) -> list[str]:
    """The names that a body reads from the graphs around it, without repeats."""
    defined = {i.name for i in graph.input} | _initializer_names(graph)
    defined |= {name for node in graph.node for name in node.output}
    used_names = [name for node in graph.node for name in read_names(node)]
    used_names += [o.name for o in graph.output]
    return [name for name in dict.fromkeys(used_names) if name and name not in defined]


def read_names(node: NodeProto) -> list[str]:
    """The names that a node reads, in its bodies too; "" for an omitted operand."""
    names = list(node.input)
    for attribute in node.attribute:
        for body in bodies_of(attribute) or ():
            names += free_names(body)
    return names


def sorted_nodes(nodes: Iterable[NodeProto]) -> list[NodeProto]:
    """The nodes in the lexicographically first topological order; unchanged if already sorted.

    Raises AutosplitError if there is none.
    """
    nodes = list(nodes)
    producer = {name: i for i, node in enumerate(nodes) for name in node.output if name}
    reads = [{producer[name] for name in read_names(node) if name in producer} for node in nodes]
    if all(i > j for i, read in enumerate(reads) for j in read):
        return nodes
    try:
        return [nodes[i] for i in topological_order(reads)]
    except Cycle as cycle:
        shown = first_of([_described(nodes[i]) for i in cycle.nodes], 6, " -> ")
        raise AutosplitError(f"the graph has a cycle, which ONNX does not allow: {shown}") from None


def _stub(attribute: AttributeProto) -> AttributeProto:
    """An attribute without its value."""
    stub = AttributeProto()
    _copy_fields(attribute, stub, leave=("g", "graphs", "type"))
    return stub


def _node_rest(node: NodeProto, op: OnnxOp, graph_stubs: list[AttributeProto]) -> ProtoAttr | None:
    """What a node has beyond its op; `_Writer._write_node` reads it."""
    rest = NodeProto()
    _copy_fields(
        node, rest, leave=("input", "output", "op_type", "attribute"), unless_empty=("name",)
    )
    if node.domain not in ("", "ai.onnx"):
        rest.ClearField("domain")
    trailing = len(node.input) - len(op.inputs)
    rest.input.extend([""] * trailing)
    order = [a.name for a in node.attribute]
    if order != attribute_order(op) or any(len(s.ListFields()) > 1 for s in graph_stubs):
        by_name = {s.name: s for s in graph_stubs}
        rest.attribute.extend(by_name.get(n, AttributeProto(name=n)) for n in order)
    if not rest.ByteSize():
        return None
    return ProtoAttr.of(rest.SerializeToString(deterministic=True))


def _plain_field(attribute: AttributeProto) -> Attribute | None:
    """The attribute in the IR; None for kinds that are kept as protobuf."""
    match attribute.type:
        case AttributeProto.INT:
            return IntegerAttr(attribute.i, i64)
        case AttributeProto.FLOAT:
            return FloatAttr(attribute.f, f32)
        case AttributeProto.STRING:
            return text_attr(attribute.s)
        case AttributeProto.INTS:
            return DenseArrayBase.from_list(i64, list(attribute.ints))
        case AttributeProto.FLOATS if not attribute.floats:
            return DenseArrayBase.from_list(f32, [])
        case AttributeProto.FLOATS:
            return ArrayAttr([FloatAttr(v, f32) for v in attribute.floats])
        case AttributeProto.STRINGS:
            return ArrayAttr([text_attr(s) for s in attribute.strings])
        case _:
            return None
