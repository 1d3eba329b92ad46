"""Reads a symbol and its parameters into a module of the `mx` dialect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.core.dtypes import element_type_of, tensor_type_of
from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.units import counted
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest, digest_of, register
from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.build import (
    attrs_of,
    class_for,
    input_names,
    make_param,
    make_placeholder,
)
from autosplit.dialects.mx.graph import GraphOp, LabelOp, arg_nodes, row_pointers
from autosplit.dialects.mx.opaque import OpaqueOp
from autosplit.dialects.mx.spec import SHAPE, AttrSpec
from autosplit.dialects.mx.values import parse_value
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.onnx.tensors import tensor_attr
from autosplit.dialects.platform import UnknownType, WeightAttr, free_name
from autosplit.formats.mxnet.params import PLAIN, ArrayRecord, dtype_of_number, read_params
from autosplit.formats.mxnet.symbol_json import (
    Symbol,
    SymbolNode,
    parse_symbol,
)
from autosplit.formats.mxnet.upgrade import upgrade

LEARNED = frozenset(
    {
        "weight",
        "bias",
        "gamma",
        "beta",
        "moving_mean",
        "moving_var",
        "moving_avg",
        "running_mean",
        "running_var",
        "parameters",
    }
)
"""MXNet's names of learned inputs of ops, which a caller does not pass at inference."""

LABEL = "label"
"""MXNet's name of inputs that are only used in training."""


@dataclass(frozen=True)
class Param:
    """An array of a file of parameters."""

    kind: str
    """The prefix of its name in the file: `arg`, `aux` or nothing."""
    record: ArrayRecord


@dataclass
class ParamsFile:
    """The arrays of a file, by their names in the symbol."""

    path: Path | None = None
    arrays: dict[str, Param] = field(default_factory=dict[str, Param])
    file_digest: str = ""

    @classmethod
    def read(cls, path: Path, file_digest: str = "") -> ParamsFile:
        """Raises AutosplitError, naming the file, if it is damaged."""
        arrays: dict[str, Param] = {}
        for name, record in read_params(path).items():
            kind, _, bare = name.partition(":")
            if kind not in ("arg", "aux") or not bare:
                kind, bare = "", name
            if bare in arrays:
                raise AutosplitError(f"{path}: has two arrays for the parameter {bare!r}")
            arrays[bare] = Param(kind, record)
        return cls(path, arrays, file_digest or digest_of(path))

    def store(self) -> WeightStore:
        """The arrays as a store, by name."""
        store = WeightStore(self.path, self.file_digest)
        for name, parameter in self.arrays.items():
            store.add(name, parameter.record.load, parameter.record)
        return store


def import_files(path: Path, params: Path | None) -> tuple[ModuleOp, WeightStore]:
    """The module and the weights of a symbol and its parameters.

    Raises AutosplitError, naming the file, on anything wrong with them.
    """
    try:
        symbol = parse_symbol(path.read_bytes().decode())
    except UnicodeDecodeError:
        raise AutosplitError(f"{path}: is not text; expected a symbol of MXNet, as JSON") from None
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    values = ParamsFile() if params is None else ParamsFile.read(params)
    store = values.store()
    try:
        module = import_symbol(symbol, values)
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    register(store, module)
    return module, store


def import_symbol(symbol: Symbol, params: ParamsFile) -> ModuleOp:
    """The module of a symbol. Raises AutosplitError saying which node is wrong."""
    count = len(symbol.nodes)
    upgrade(symbol)
    order = _order(symbol.nodes)
    builder = _Builder(symbol, params, count)
    builder.check_parameters()
    for index in order:
        builder.add(index)
    block = Block()
    block.add_ops(builder.ops)
    outputs = [_name(builder.values[node], output) for node, output in symbol.heads]
    inputs = [op.value_name(0) for op in builder.ops if op.name == "mx.null"]
    module = ModuleOp([GraphOp(Region(block), inputs, outputs)])
    module.attributes["platform.name"] = StringAttr("mxnet")
    derived = {"arg_nodes": arg_nodes(builder.ops), "node_row_ptr": row_pointers(builder.ops)}
    module.attributes["mx.rest"] = StringAttr(json.dumps(_rest(symbol, count, order, derived)))
    return module


def _rest(
    symbol: Symbol, count: int, order: Sequence[int], derived: Mapping[str, object]
) -> dict[str, object]:
    """What the file has besides its nodes; None for a list that equals the one in `derived`."""
    graph_fields: dict[str, object] = {
        k: None if v == derived.get(k) else v for k, v in symbol.raw.items() if k != "nodes"
    }
    nodes_index = list(symbol.raw).index("nodes")
    rest: dict[str, object] = {
        "graph": graph_fields,
        "nodes_at": nodes_index,
        "style": symbol.style,
        "count": count,
    }
    if symbol.tail:
        rest["tail"] = symbol.tail
    original_order = [i for i in order if i < count]
    if original_order != sorted(original_order):
        rest["reordered"] = True
    return rest


def _order(nodes: Sequence[SymbolNode]) -> list[int]:
    """The nodes in topological order. Raises AutosplitError for a cycle."""
    if all(producer < i for i, node in enumerate(nodes) for producer, _ in node.inputs):
        return list(range(len(nodes)))
    order: list[int] = []
    states = [0] * len(nodes)
    for root in range(len(nodes)):
        stack = [(root, False)]
        while stack:
            index, is_expanded = stack.pop()
            if is_expanded:
                states[index] = 2
                order.append(index)
                continue
            if states[index]:
                continue
            states[index] = 1
            stack.append((index, True))
            for producer, _ in reversed(nodes[index].inputs):
                if states[producer] == 1:
                    raise AutosplitError(
                        f"node {nodes[index].name!r} reads {nodes[producer].name!r}, which depends on it: "
                        "the nodes form a cycle"
                    )
                stack.append((producer, False))
    return order


class _Builder:
    """Builds the ops of a symbol one by one."""

    def __init__(self, symbol: Symbol, params: ParamsFile, count: int):
        self.symbol = symbol
        self.nodes = symbol.nodes
        self.params = params
        self.count = count
        """How many nodes the file has; later ones were added by `upgrade`."""
        self.ops: list[MxOp] = []
        self.values: dict[int, MxOp] = {}
        self.used_names: set[str] = set()
        self.reads = _reads(symbol)
        self.roles = _roles(self.nodes)
        for node in self.nodes:
            if node.op == "null" and node.name in self.used_names:
                raise AutosplitError(f"two variables are called {node.name!r}")
            if node.op == "null" and not node.name:
                raise AutosplitError("a variable has no name")
            if node.op == "null":
                self.used_names.add(node.name)

    def check_parameters(self) -> None:
        """Raises if a parameter has no value."""
        arrays = self.params.arrays
        missing = [
            i
            for i, node in enumerate(self.nodes)
            if node.op == "null" and node.name not in arrays and self._is_learned(i)
        ]
        if not missing:
            return
        name = self.nodes[missing[0]].name
        reader, role = self.roles[missing[0]][0]
        example = f"{name!r}, which {reader.op} {reader.name!r} reads as its {role}"
        if self.params.path is None:
            raise AutosplitError(
                f"has {counted(len(missing), 'parameter')}, such as {example}, and there is no file of "
                "their values beside it: give that with --params"
            )
        raise AutosplitError(
            f"{self.params.path} does not fit the symbol: it has no value for {len(missing)} of its "
            f"parameters, such as {example}{nearest(name, list(arrays))}"
        )

    def _is_learned(self, index: int) -> bool:
        roles = self.roles.get(index, [])
        return any(role in LEARNED for _, role in roles)

    def add(self, index: int) -> None:
        node = self.nodes[index]
        op = self._variable(index, node) if node.op == "null" else self._op(index, node)
        if (rest := self._rest_of(index, node)) is not None:
            op.rest = StringAttr(rest)
        self.ops.append(op)
        self.values[index] = op

    def _rest_of(self, index: int, node: SymbolNode) -> str | None:
        """What the file has of a node beyond its op, as JSON."""
        if index >= self.count:
            return json.dumps({"implied": True})
        usual_keys = ["op", "name", "attrs", "inputs"] if node.attrs else ["op", "name", "inputs"]
        entries = [[*entry, 0] for entry in node.inputs]
        original_inputs = node.raw["inputs"]
        rest: dict[str, object] = {
            k: None if k in ("op", "name", "attrs") else v for k, v in node.raw.items()
        }
        original_entries = original_inputs[: len(entries)]
        if original_entries == entries[: len(original_entries)]:
            rest["inputs"] = None
        if list(node.raw) == usual_keys and rest["inputs"] is None:
            return None
        return json.dumps(rest)

    def _variable(self, index: int, node: SymbolNode) -> MxOp:
        if (parameter := self.params.arrays.get(node.name)) is not None:
            return self._param(node, parameter)
        roles = self.roles.get(index, [])
        type = _declared_type(node)
        if roles and all(role == LABEL for _, role in roles):
            op = LabelOp.create(
                result_types=[type],
                properties={
                    "node_name": StringAttr(node.name),
                    "node_attrs": attrs_of(node.attrs),
                },
            )
            op.location = op.default_location()
            return op
        return make_placeholder(node.name, type, node.attrs)

    def _param(self, node: SymbolNode, parameter: Param) -> MxOp:
        record = parameter.record
        declared = _shape_of(node)
        if declared is not None and not _fits(declared, record.shape):
            raise AutosplitError(
                f"{self.params.path} does not fit the symbol: parameter {node.name!r} has the shape "
                f"{list(record.shape)} there, and {_shape_text(declared)} in the symbol"
            )
        array = record.load()
        value: Attribute
        if array.size > INLINE_LIMIT:
            value = WeightAttr(
                StringAttr(node.name), StringAttr(digest(array)), tensor_type_of(array)
            )
        else:
            value = tensor_attr(array)
        return make_param(
            node.name,
            value,
            tensor_type_of(array),
            kind=parameter.kind,
            storage="" if record.storage == PLAIN else record.storage,
            texts=node.attrs,
        )

    def _op(self, index: int, node: SymbolNode) -> MxOp:
        operands: list[SSAValue] = []
        for producer, output in node.inputs:
            source = self.values[producer]
            if output >= len(source.results):
                raise AutosplitError(
                    f"node {node.name!r} reads output {output} of {source.op_type} "
                    f"{source.node_name.data!r}, which has {len(source.results)}"
                )
            operands.append(source.results[output])
        try:
            cls, count = class_for(
                node.op, node.name, len(operands), node.attrs, self.reads.get(index, 0)
            )
        except ValueError as error:
            raise AutosplitError(str(error)) from None
        properties: dict[str, Attribute] = {
            "node_name": StringAttr(node.name),
            "node_attrs": attrs_of(node.attrs),
        }
        if cls is OpaqueOp:
            properties["op"] = StringAttr(node.op)
        elif cls.SPEC is not None and cls.SPEC.kind != node.op:
            properties["spelled_op"] = StringAttr(node.op)
        op = cls.create(
            operands=operands, result_types=[UnknownType()] * count, properties=properties
        )
        self._name(op, node)
        return op

    def _name(self, op: MxOp, node: SymbolNode) -> None:
        """Gives the op a name for which the names of its values are unique."""
        preferred = node.name or f"node{len(self.ops)}"
        tried: set[str] = set()
        while True:
            name = free_name(tried, preferred)
            op.node_name = StringAttr(name)
            names = {op.value_name(i) for i in range(len(op.results))}
            if names.isdisjoint(self.used_names) and name not in self.used_names:
                break
        if name != node.name:
            op.spelled_name = StringAttr(node.name)
        self.used_names |= names | {name}
        op.location = op.default_location()
        for value in op.results:
            value.name_hint = name_hint(name)


def _reads(symbol: Symbol) -> dict[int, int]:
    """A lower bound of how many outputs of each node are used."""
    counts: dict[int, int] = {}
    for producer, output in (*symbol.heads, *(e for node in symbol.nodes for e in node.inputs)):
        counts[producer] = max(counts.get(producer, 0), output + 1)
    return counts


def _roles(nodes: Sequence[SymbolNode]) -> dict[int, list[tuple[SymbolNode, str]]]:
    """The consumers of each variable, and the names of their inputs."""
    roles: dict[int, list[tuple[SymbolNode, str]]] = {}
    for node in nodes:
        ports = input_names(node.op, node.attrs)
        for index, (producer, _) in enumerate(node.inputs):
            if nodes[producer].op == "null":
                role = ports[index] if index < len(ports) else ""
                roles.setdefault(producer, []).append((node, role))
    return roles


def _name(op: MxOp, output: int) -> str:
    if output >= len(op.results):
        raise AutosplitError(
            f'"heads" names output {output} of {op.op_type} {op.node_name.data!r}, '
            f"which has {len(op.results)}"
        )
    return op.value_name(output)


_SHAPE_SPEC = AttrSpec("__shape__", SHAPE, or_none=True)


def _shape_of(node: SymbolNode) -> tuple[int | None, ...] | None:
    """The shape that a variable declares; None if it declares none."""
    text = node.attrs.get("__shape__")
    if text is None:
        return None
    try:
        shape = parse_value(_SHAPE_SPEC, text)
    except ValueError as error:
        raise AutosplitError(f"attribute __shape__ of {node.name!r} {error}") from None
    return shape if isinstance(shape, tuple) and shape else None  # pyright: ignore


def _fits(declared: Sequence[int | None], shape: Sequence[int]) -> bool:
    # 0 and -1 stand for any size.
    return len(declared) == len(shape) and all(
        d is None or d <= 0 or d == s for d, s in zip(declared, shape, strict=True)
    )


def _shape_text(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join(str(d) if d and d > 0 else "?" for d in shape) + "]"


def _declared_type(node: SymbolNode) -> Attribute:
    """The type that a variable declares, by default float32, as in MXNet."""
    number = node.attrs.get("__dtype__", "0")
    dtype = dtype_of_number(int(number)) if number.removeprefix("-").isdecimal() else None
    element = element_type_of(dtype or np.dtype(np.float32))
    shape = _shape_of(node)
    if shape is None:
        return UnrankedTensorType(element)
    return TensorType(element, [d if d and d > 0 else -1 for d in shape])
