"""A module of the `onnx` dialect -> ModelProto: the whole model, or one outlined sub-model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
)
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import FuncOp
from autosplit.dialects.device import ReturnOp as DeviceReturnOp
from autosplit.dialects.onnx.ops import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import ProtoAttr, UnknownType, WeightAttr, value_name
from autosplit.formats.onnx.branches import has_taken, take_branches
from autosplit.formats.onnx.nodes import drop_unused_functions
from autosplit.formats.onnx.values import CODE_OF_ELEMENT, tensor_proto, value_info

if TYPE_CHECKING:
    from autosplit.formats.onnx.files import ExternalFile


def model_proto(
    module: ModuleOp,
    store: WeightStore | None,
    external: ExternalFile | None = None,
    *,
    elide: bool = False,
) -> ModelProto:
    """The model of a module that has not been outlined.

    Equal to the one that was imported, up to the order of nodes, value infos and initializers. Large tensors
    go into `external` if that is given; with `elide` they are left empty, and `store` is not needed. Raises
    AutosplitError if the module holds no `onnx.graph`, or the store lacks a weight.
    """
    graph = next((op for op in module.body.ops if isinstance(op, GraphOp)), None)
    if graph is None:
        raise AutosplitError(
            "the module holds no onnx.graph: an outlined module is written by graph"
        )
    proto = _model(module)
    writer = _Writer(store, _taken_names(graph), external, elide)
    writer.write_graph(graph, proto.graph)
    return proto


def func_proto(
    module: ModuleOp,
    func: FuncOp,
    store: WeightStore | None,
    external: ExternalFile | None = None,
    *,
    elide: bool = False,
) -> ModelProto:
    """The model of one `device.func` of an outlined module, with the versions of the original.

    An If whose branch is known is replaced by that branch. `external` and `elide` as in `model_proto`.
    """
    if has_taken(func):
        func = func.clone()
        take_branches(func)
    proto = _model(module)
    writer = _Writer(store, _taken_names(func), external, elide)
    writer.write_func(func, proto.graph, _listed_inputs(module))
    drop_unused_functions(proto)
    return proto


def _listed_inputs(module: ModuleOp) -> frozenset[str]:
    """The inputs that the original lists; in old models these include weights."""
    for func in module.body.ops:
        listed = func.attributes.get("onnx.listed_inputs")
        if isinstance(func, FuncOp) and isinstance(listed, ArrayAttr):
            return frozenset(n.data for n in cast("ArrayAttr[StringAttr]", listed))
    return frozenset()


def _model(module: ModuleOp) -> ModelProto:
    rest = module.attributes.get("onnx.rest")
    proto = ModelProto()
    if isinstance(rest, ProtoAttr):
        proto.MergeFromString(rest.data.data)
    version = module.attributes.get("onnx.ir_version")
    if isinstance(version, IntegerAttr):
        proto.ir_version = version.value.data
    opsets = _opsets(module)
    if {o.domain or "ai.onnx": o.version for o in proto.opset_import} != opsets:
        del proto.opset_import[:]
        for domain, number in opsets.items():
            # The default domain is left unset, as exporters do.
            domain_field = {} if domain == "ai.onnx" else {"domain": domain}
            proto.opset_import.append(OperatorSetIdProto(version=number, **domain_field))
    return proto


def _opsets(module: ModuleOp) -> dict[str, int]:
    opsets = module.attributes.get("onnx.opsets")
    if not isinstance(opsets, DictionaryAttr):
        raise AutosplitError(
            'the module has no onnx.opsets, as in {onnx.opsets = {"ai.onnx" = 21}}'
        )
    return {k: v.value.data for k, v in opsets.data.items() if isinstance(v, IntegerAttr)}


def _taken_names(op: Operation) -> set[str]:
    """The names of all values in an op."""
    names: set[str] = set()
    for inner in op.walk():
        if isinstance(inner, OnnxOp):
            names.update(inner.output_names)
        if isinstance(inner, GraphOp | FuncOp):
            names.update(n.data for n in inner.input_names)
            names.update(n.data for n in inner.output_names)
    return names


def _tell_apart(proto: GraphProto) -> None:
    """Makes node names unique: ops that were one node share a name, which ONNX Runtime refuses."""
    all_names = {node.name for node in proto.node}
    used_names: set[str] = set()
    for node in proto.node:
        if node.name in used_names:
            node.name = next(n for i in count(1) if (n := f"{node.name}_{i}") not in all_names)
            all_names.add(node.name)
        elif node.name:
            used_names.add(node.name)


class _Writer:
    """Writes graphs; tracks the name of every value."""

    def __init__(
        self,
        store: WeightStore | None,
        used_names: set[str],
        external: ExternalFile | None,
        elide: bool,
    ):
        self.store = store
        self.used_names = used_names
        self.external = external
        self.elide = elide
        self.names: dict[SSAValue, str] = {}
        self.opens = False
        """Whether sizes are left unknown: in a sub-model, a body might contradict them."""

    def write_graph(self, graph: GraphOp, proto: GraphProto) -> None:
        rest = GraphProto()
        if graph.rest is not None:
            rest.MergeFromString(graph.rest.data.data)
        proto.MergeFrom(rest)
        del proto.input[:], proto.output[:]
        if graph.graph_name.data:
            proto.name = graph.graph_name.data
        for name, value in graph.graph_inputs():
            self.names[value] = name
        declared_names = {v.name for v in rest.value_info} | {n.data for n in graph.output_names}
        self._write_ops(graph.body.block, proto, declared_names)
        types = {n: v.type for n, v in graph.graph_inputs()}
        types |= {
            op.node_name.data: op.results[0].type
            for op in graph.body.block.ops
            if isinstance(op, InitializerOp)
        }
        listed = graph.listed_inputs or graph.input_names
        infos = {i.name: i for i in rest.input}
        proto.input.extend(_info(n.data, types[n.data], infos) for n in listed if n.data in types)
        infos = {o.name: o for o in rest.output}
        for name, value in graph.graph_outputs():
            self._write_output(name, value, proto, infos)

    def write_func(self, func: FuncOp, proto: GraphProto, listed_inputs: frozenset[str]) -> None:
        proto.name = func.sym_name.data
        # A runtime infers types in both branches of an If, even in one that is never taken for these sizes
        # and may contradict them; the original leaves the sizes unknown.
        self.opens = any(op.regions for op in func.body.block.ops)
        for name, value in func.inputs:
            self.names[value] = name
            proto.input.append(value_info(name, self._declared(value)))
        # A caller may replace a weight that is an input, so runtimes do not treat it as a constant. It must
        # stay an input for bit-equal results.
        for op in func.body.block.ops:
            if isinstance(op, InitializerOp) and op.node_name.data in listed_inputs:
                proto.input.append(value_info(op.node_name.data, op.results[0].type))
        declared_names = {n.data for n in func.output_names}
        self._write_ops(func.body.block, proto, declared_names)
        _tell_apart(proto)
        for name, value in func.outputs:
            self._write_output(name, value, proto, {})

    def _write_output(
        self, name: str, value: SSAValue, proto: GraphProto, infos: Mapping[str, ValueInfoProto]
    ) -> None:
        inner = self._name(value)
        if inner != name:
            # An output has the name of its value; another name needs a node of its own.
            proto.node.append(NodeProto(op_type="Identity", input=[inner], output=[name]))
        proto.output.append(_info(name, value.type, infos))

    def _write_ops(self, block: Block, proto: GraphProto, declared_names: set[str]) -> None:
        for op in block.ops:
            match op:
                case InitializerOp():
                    self._write_initializer(op, proto)
                case OnnxOp():
                    self._write_node(op, proto.node.add())
                    self._write_infos(op, proto, declared_names)
                case ReturnOp() | DeviceReturnOp():
                    pass
                case _:
                    dialect = op.name.partition(".")[0]
                    # A partition cannot be converted back; the ops it was made of can.
                    inverse_pass = {
                        "quant": "convert-quant-to-onnx",
                        "dnnl": "convert-dnnl-to-onnx",
                    }.get(dialect)
                    hint = f": run {inverse_pass} first" if inverse_pass and not op.regions else ""
                    raise AutosplitError(
                        f"{op.name} is not an op that an ONNX model can hold{hint}"
                    )

    def _write_initializer(self, op: InitializerOp, proto: GraphProto) -> None:
        name = self._name(op.results[0])
        if op.sparse is not None and isinstance(op.value, ProtoAttr):
            sparse = SparseTensorProto.FromString(op.value.data.data)
            sparse.values.name = name
            proto.sparse_initializer.append(sparse)
            return
        if not isinstance(op.value, WeightAttr) or not (self.elide or self.external):
            proto.initializer.append(tensor_proto(op.value, self.store, name))
            return
        type = op.value.type
        tensor = proto.initializer.add(name=name, dims=type.get_shape())
        tensor.data_type = CODE_OF_ELEMENT[type.element_type]
        if self.external is not None and self.store is not None:
            self.external.write(tensor, self.store.array(op.value))
        else:
            tensor.data_location = TensorProto.EXTERNAL
            tensor.external_data.add(key="digest", value=op.value.digest.data)

    def _write_infos(self, op: OnnxOp, proto: GraphProto, declared_names: set[str]) -> None:
        for result in op.results:
            name = self._name(result)
            if not name or name in declared_names or isinstance(result.type, UnknownType):
                continue
            info = value_info(name, self._declared(result))
            if info.HasField("type"):
                proto.value_info.append(info)

    def _declared(self, value: SSAValue) -> Attribute:
        """The type to declare for a value."""
        return _opened(value.type) if self.opens else value.type

    def _write_node(self, op: OnnxOp, node: NodeProto) -> None:
        """Writes a node: `op.rest`, overridden by everything that the op itself has."""
        rest = NodeProto()
        if op.rest is not None:
            rest.MergeFromString(op.rest.data.data)
        stubs = list(rest.attribute)
        trailing = len(rest.input)
        node.CopyFrom(rest)
        del node.input[:], node.attribute[:]
        node.input.extend("" if v is None else self._name(v) for v in op.inputs)
        node.input.extend([""] * trailing)
        node.output.extend(self._name(r) for r in op.results)
        node.op_type = op.op_type
        if op.domain:
            node.domain = op.domain
        if op.node_name.data:
            node.name = op.node_name.data
        fields = {n: attribute_proto(n, a, self.store) for n, a in op.fields.items()}
        for name, graph in op.graphs:
            self._write_body(name, graph, fields)
        order = {stub.name: stub for stub in stubs}
        if set(order) == set(fields):
            for name, stub in order.items():
                fields[name].MergeFrom(stub)
            fields = {name: fields[name] for name in order}
        node.attribute.extend(fields.values())

    def _write_body(self, spelled: str, graph: GraphOp, fields: dict[str, AttributeProto]) -> None:
        name = spelled.removesuffix("[]")
        if spelled == name:
            fields[name] = AttributeProto(name=name, type=AttributeProto.GRAPH)
            self.write_graph(graph, fields[name].g)
            return
        if name not in fields:
            fields[name] = AttributeProto(name=name, type=AttributeProto.GRAPHS)
        self.write_graph(graph, fields[name].graphs.add())

    def _name(self, value: SSAValue) -> str:
        if value in self.names:
            return self.names[value]
        try:
            name = value_name(value)
        except ValueError:
            name = ""
        if not name and value.uses.get_length():
            # An output that the node omitted, but that an op made by a pass reads.
            count = 0
            while (name := f"value_{count}") in self.used_names:
                count += 1
            self.used_names.add(name)
        self.names[value] = name
        return name


def _opened(type: Attribute) -> Attribute:
    """A tensor type of the same rank of which no size is known."""
    if not isinstance(type, TensorType):
        return type
    tensor = cast("TensorType[Attribute]", type)
    return TensorType(tensor.element_type, [DYNAMIC_INDEX] * tensor.get_num_dims())


def _info(name: str, type: Attribute, infos: Mapping[str, ValueInfoProto]) -> ValueInfoProto:
    """The original declaration of a value if the IR cannot express it, else that of its type."""
    return infos[name] if name in infos else value_info(name, type)


def attribute_order(op: OnnxOp) -> list[str]:
    """The default order in which the attributes of an op are written."""
    graphs = [name.removesuffix("[]") for name, _ in op.graphs]
    return list(dict.fromkeys([*op.fields, *graphs]))


def node_proto(
    op: OnnxOp, inputs: Iterable[str], outputs: Iterable[str], store: WeightStore | None = None
) -> NodeProto:
    """A node with other names for its inputs and outputs, its bodies left out."""
    node = NodeProto(op_type=op.op_type, domain=op.domain, input=inputs, output=outputs)
    node.attribute.extend(attribute_proto(n, attr, store) for n, attr in op.fields.items())
    return node


def attribute_proto(name: str, attr: Attribute, store: WeightStore | None) -> AttributeProto:
    """An attribute of a node. Raises AutosplitError if the store lacks a weight."""
    proto = AttributeProto(name=name)
    match attr:
        case ProtoAttr():
            proto = AttributeProto.FromString(attr.data.data)
        case IntegerAttr():
            proto.type = AttributeProto.INT
            proto.i = attr.value.data
        case FloatAttr():
            proto.type = AttributeProto.FLOAT
            proto.f = attr.value.data
        case StringAttr() | BytesAttr():
            proto.type = AttributeProto.STRING
            proto.s = _bytes(attr)
        case DenseArrayBase():
            is_integer = isinstance(attr.elt_type, IntegerType)
            proto.type = AttributeProto.INTS if is_integer else AttributeProto.FLOATS
            values = cast("Sequence[Any]", cast("Any", attr).get_values())
            (proto.ints if is_integer else proto.floats).extend(values)
        case ArrayAttr():
            _write_list(proto, cast("Sequence[Attribute]", attr.data))
        case _:
            proto.type = AttributeProto.TENSOR
            proto.t.CopyFrom(tensor_proto(attr, store))
    return proto


def _write_list(proto: AttributeProto, items: Sequence[Attribute]) -> None:
    floats = [p.value.data for p in items if isinstance(p, FloatAttr)]
    if floats:
        proto.type = AttributeProto.FLOATS
        proto.floats.extend(floats)
        return
    proto.type = AttributeProto.STRINGS
    proto.strings.extend(_bytes(p) for p in items if isinstance(p, StringAttr | BytesAttr))


def _bytes(attr: StringAttr | BytesAttr) -> bytes:
    return attr.data if isinstance(attr, BytesAttr) else attr.data.encode()
