"""Writes a module of the `mx` dialect as a symbol and its parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.target import Target

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array, WeightStore, store_for
from autosplit.dialects.device import FuncOp, ReturnOp
from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.build import attrs_of
from autosplit.dialects.mx.graph import (
    GraphOp,
    NullOp,
    ParamOp,
    VariableOp,
    arg_nodes,
    nodes_of,
    row_pointers,
)
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import WeightAttr, element_type, shape_of, value_name
from autosplit.formats.mxnet.params import (
    PLAIN,
    ArrayRecord,
    number_of_dtype,
    record_of,
    write_params,
)
from autosplit.formats.mxnet.symbol_json import symbol_text

Json = dict[str, Any]

_TODAY: Json = {"attrs": {"mxnet_version": ["int", 10901]}}
"""The graph attributes of a symbol that was not read from a file."""


@dataclass(frozen=True)
class SymbolFiles:
    """A symbol and its parameters, ready to be written."""

    text: str
    """The symbol, as JSON."""
    params: Mapping[str, ArrayRecord | bytes]
    """The arrays, by their names in files."""

    def write(self, symbol: Path, params: Path) -> bool:
        """Writes the symbol, and its parameters if it has any; returns whether it has."""
        symbol.write_text(self.text, encoding="utf-8", newline="")
        if self.params:
            write_params(params, self.params)
        return bool(self.params)


def module_rest(module: ModuleOp) -> Json:
    """What the model's file has besides its nodes; see `reader`."""
    attr = module.attributes.get("mx.rest")
    return cast("Json", json.loads(attr.data)) if isinstance(attr, StringAttr) else {}


def uses_np_shape(module: ModuleOp) -> bool:
    """Whether the model's shapes are those of numpy, where a shape without sizes is a scalar."""
    attrs = module_rest(module).get("graph", {}).get("attrs", {})
    return bool(attrs.get("is_np_shape", ["int", 0])[-1])


def export_model(module: ModuleOp, graph: GraphOp, store: WeightStore | None) -> SymbolFiles:
    """The whole model; an imported one is written as in its files.

    Raises AutosplitError for weights that are missing.
    """
    rest = module_rest(module)
    nodes = nodes_of(graph)
    values = graph.values()
    outputs = [values[name.data] for name in graph.outputs or ()]
    outputs = outputs or [value for _, value in graph.graph_outputs()]
    explicit_nodes = [op for op in nodes if not _is_implied(op)]
    if rest.get("reordered") or rest.get("count") != len(explicit_nodes):
        text = _text(nodes, {}, outputs, module)
    else:
        raw = _as_read(explicit_nodes, outputs, rest)
        text = symbol_text(raw, rest.get("style", "mxnet")) + rest.get("tail", "")
    return SymbolFiles(text, _params(nodes, module, store))


def export_func(module: ModuleOp, func: FuncOp, store: WeightStore | None) -> SymbolFiles:
    """One sub-model: variables for its inputs, then its nodes in order.

    Raises AutosplitError for weights that are missing.
    """
    block = func.body.block
    variables: dict[SSAValue, NullOp] = {
        argument: NullOp.create(
            result_types=[argument.type],
            properties=_variable(name.data, argument.type, np_shape=uses_np_shape(module)),
        )
        for name, argument in zip(func.input_names, block.args, strict=True)
    }
    nodes: list[MxOp] = [*variables.values()]
    nodes += [op for op in block.ops if isinstance(op, MxOp)]
    terminator = block.last_op
    outputs = list(terminator.operands) if isinstance(terminator, ReturnOp) else []
    arguments: dict[SSAValue, SSAValue] = {
        argument: op.results[0] for argument, op in variables.items()
    }
    return SymbolFiles(_text(nodes, arguments, outputs, module), _params(nodes, module, store))


def export_values(module: ModuleOp, graph: GraphOp, values: Sequence[SSAValue]) -> str:
    """The symbol of a whole model that returns these values, as JSON."""
    return _text(nodes_of(graph), {}, values, module)


def _variable(name: str, type: Attribute, *, np_shape: bool) -> dict[str, Attribute]:
    """The properties of an input of a sub-model, with what is known of its type."""
    texts: dict[str, str] = {}
    element = element_type(type)
    dtype = None if element is None else dtype_of(element)
    number = None if dtype is None else number_of_dtype(dtype)
    if number is not None:
        texts["__dtype__"] = str(number)
    if shape := shape_of(type):
        unknown = -1 if np_shape else 0
        texts["__shape__"] = str(tuple(unknown if d < 0 else d for d in shape))
    return {"node_name": StringAttr(name), "node_attrs": attrs_of(texts)}


def _text(
    nodes: Sequence[MxOp],
    arguments: Mapping[SSAValue, SSAValue],
    outputs: Sequence[SSAValue],
    module: ModuleOp,
) -> str:
    """A symbol as current MXNet writes it. `arguments`: replacements of values that no node produces."""
    indices = {op: i for i, op in enumerate(nodes)}

    def entry(value: SSAValue) -> list[int]:
        value = arguments.get(value, value)
        owner = value.owner
        if not isinstance(owner, MxOp) or owner not in indices:
            raise AutosplitError(
                f"{value_name(value)!r}, which a node reads, is not a tensor of a symbol: "
                "this comes before convert-mx-to-onnx"
            )
        return [indices[owner], owner.results.index(value), 0]

    json_nodes: list[Json] = []
    for op in nodes:
        texts = op.texts
        node: Json = {"op": _op_of(op), "name": op.node_name.data}
        node |= {"attrs": texts} if texts else {}
        node["inputs"] = [entry(value) for value in op.operands]
        if (graphs := _rest_of(op).get("subgraphs")) is not None:
            node["subgraphs"] = graphs
        json_nodes.append(node)
    raw = {
        "nodes": json_nodes,
        "arg_nodes": arg_nodes(nodes),
        "node_row_ptr": row_pointers(nodes),
        "heads": [entry(value) for value in outputs],
    }
    # MXNet takes a symbol without a version for an old one.
    graph: Json = module_rest(module).get("graph", _TODAY)
    raw |= {"attrs": graph["attrs"]} if "attrs" in graph else {}
    return symbol_text(raw)


def _as_read(nodes: Sequence[MxOp], outputs: Sequence[SSAValue], rest: Json) -> Json:
    """The symbol as in its file, except for what has changed since."""
    indices = {op: i for i, op in enumerate(nodes)}

    def entries(values: Iterable[SSAValue], original: object, *, implied: bool = True) -> Any:
        owners = [(v.owner, v) for v in values]
        current = [
            [indices[o], o.results.index(v), 0]
            for o, v in owners
            if isinstance(o, MxOp) and (o in indices or not implied)
        ]
        if isinstance(original, list):
            original_entries = cast("list[list[int]]", original)
            if [e[:2] for e in original_entries] == [e[:2] for e in current]:
                return original_entries
        return current

    original_entries: list[Json] = []
    for op in nodes:
        node_rest = _rest_of(op)
        name = op.node_name if op.spelled_name is None else op.spelled_name
        usual: Json = {"op": _op_of(op), "name": name.data}
        usual |= {"attrs": op.texts} if op.texts else {}
        usual["inputs"] = entries(op.operands, node_rest.get("inputs"))
        node = {k: usual[k] if v is None or k == "inputs" else v for k, v in node_rest.items()}
        original_entries.append(node or usual)
    derived = {"arg_nodes": arg_nodes(nodes), "node_row_ptr": row_pointers(nodes)}
    graph: Json = {k: derived.get(k) if v is None else v for k, v in rest.get("graph", {}).items()}
    graph["heads"] = entries(outputs, graph.get("heads"), implied=False)
    items = list(graph.items())
    items.insert(rest.get("nodes_at", 0), ("nodes", original_entries))
    return dict(items)


def _op_of(op: MxOp) -> str:
    if isinstance(op, VariableOp) or op.spelled_op is None:
        return op.op_type
    return op.spelled_op.data


def _rest_of(op: MxOp) -> Json:
    return {} if op.rest is None else cast("Json", json.loads(op.rest.data))


def _is_implied(op: MxOp) -> bool:
    return bool(_rest_of(op).get("implied"))


def _params(
    nodes: Sequence[MxOp], module: ModuleOp, store: WeightStore | None
) -> dict[str, ArrayRecord | bytes]:
    """The parameters among the nodes, in the order of their file."""
    np_shape = uses_np_shape(module)
    records: dict[str, ArrayRecord | bytes] = {}
    for op in nodes:
        if isinstance(op, ParamOp):
            kind = op.kind.data
            name = f"{kind}:{op.node_name.data}" if kind else op.node_name.data
            records[name] = _record(op, store, np_shape=np_shape)
    if store is None:
        return records
    order = {name: i for i, name in enumerate(store)}
    keys = sorted(records, key=lambda name: order.get(name.partition(":")[2] or name, len(order)))
    return {name: records[name] for name in keys}


def _record(op: ParamOp, store: WeightStore | None, *, np_shape: bool) -> ArrayRecord | bytes:
    """The array of a parameter; its original record if it is from a file."""
    key = op.value.key.data if isinstance(op.value, WeightAttr) else op.node_name.data
    source = None if store is None else store.source(key)
    if isinstance(op.value, WeightAttr):
        if isinstance(source, ArrayRecord):
            return source
        array = (store or WeightStore()).array(op.value)
    else:
        array = tensor_array(op.value)
        assert array is not None
        if isinstance(source, ArrayRecord) and _is_same(source, array):
            return source
    try:
        return record_of(array, PLAIN if op.storage is None else op.storage.data, np_shape=np_shape)
    except ValueError as error:
        raise AutosplitError(f"parameter {op.node_name.data!r}: {error}") from None


def _is_same(source: ArrayRecord, array: Array) -> bool:
    if source.dtype != array.dtype or source.shape != array.shape:
        return False
    return np.ascontiguousarray(source.load()).tobytes() == np.ascontiguousarray(array).tobytes()


@dataclass(frozen=True)
class MxnetSymbolTarget(Target):
    """The symbol as JSON: of the model, or of sub-model `graph` of an outlined module."""

    name = "mxnet-symbol"

    graph: int | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(self._export(module).text)

    def _export(self, module: ModuleOp) -> SymbolFiles:
        platform = module.attributes.get("platform.name")
        if isinstance(platform, StringAttr) and platform.data != "mxnet":
            raise PassFailedException(f"the module is of {platform.data}, expected mxnet")
        ops = list(module.body.block.ops)
        store = store_for(module)
        if self.graph is None:
            graphs = [op for op in ops if isinstance(op, GraphOp)]
            if not graphs:
                raise PassFailedException(
                    "found no mx.graph; of an outlined module, say which sub-model: mxnet-symbol{graph=0}"
                )
            return export_model(module, graphs[0], store)
        symbol_name = f"graph_{self.graph}"
        for op in ops:
            if isinstance(op, FuncOp) and op.sym_name.data == symbol_name:
                return export_func(module, op, store)
        raise PassFailedException(f"found no device.func @{symbol_name} in the module")
