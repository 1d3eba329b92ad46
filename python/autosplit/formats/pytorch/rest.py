"""Keeps what a program's file has beyond its ops, as JSON on the module.

Nodes that are written as PyTorch itself writes them keep only their origin in the user's code. What is kept
is keyed by the names of nodes and values, so passes that change these need not update it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import (
    BUFFER,
    CONSTANT,
    PARAMETER,
    GraphOp,
    InputOp,
    SourceOp,
    TensorSource,
    WriteBackOp,
)
from autosplit.formats.pytorch.arguments import (
    Names,
    symbol_kind,
    written_arguments,
    written_operand,
)
from autosplit.formats.pytorch.metas import meta_of_type, type_of_meta
from autosplit.formats.pytorch.schema import Json

REST = "aten.rest"
"""The attribute of the module."""

SIGNATURE: tuple[str, ...] = ("inputs", "input_specs", "outputs", "output_specs")
"""The parts of the graph and the signature that describe a program's inputs and outputs."""


def module_rest(module: ModuleOp) -> Json:
    """What the file has beyond the ops; empty for a module that was not read from a file."""
    attr = module.attributes.get(REST)
    return cast("Json", json.loads(attr.data)) if isinstance(attr, StringAttr) else {}


def names_of(graph: GraphOp) -> dict[SSAValue, str]:
    """The names of all values of a program."""
    return {value: name for name, value in graph.values().items()}


def target_of(op: AtenOp) -> str:
    """What a `.pt2` calls the op of a node."""
    if op.SPEC is not None:
        return op.SPEC.target
    return cast("StringAttr", op.properties["target"]).data


def keep_rest(program: Json, graph: GraphOp, collected: Json) -> Json:
    """Everything in a program that its ops do not have; `collected` is from the reader."""
    graph_json: Json = program["graph_module"]["graph"]
    names = names_of(graph)
    result: Json = {"symbols": collected["symbols"], "program": _program(program)}
    metas: Json = graph_json["tensor_values"]
    result["grad"] = bool(metas) and sum(m["requires_grad"] for m in metas.values()) * 2 > len(
        metas
    )
    nodes = {op.node_name.data: op for op in graph.body_ops() if isinstance(op, AtenOp)}
    result["nodes"] = {
        name: kept
        for name, raw in collected["nodes"].items()
        if (kept := _node(nodes[name], raw, names))
    }
    values: Json = {}
    for value, name in names.items():
        raw = value_meta(graph_json, name)
        if raw is not None and raw != implied_meta(value, result):
            values[name] = raw
    result["values"] = values
    derived = signature_of(graph, names)
    signature = program["graph_module"]["signature"]
    original = (
        graph_json["inputs"],
        signature["input_specs"],
        graph_json["outputs"],
        signature["output_specs"],
    )
    for key, raw, implied in zip(SIGNATURE, original, derived, strict=True):
        if raw != implied:
            result[key] = raw
    return result


def _program(program: Json) -> Json:
    """A program without its nodes, its values and its signature."""
    module: Json = program["graph_module"]
    graph = {
        key: item
        for key, item in module["graph"].items()
        if key not in ("nodes", "inputs", "outputs") and not key.endswith("_values")
    }
    objects = module["graph"].get("custom_obj_values")
    graph |= {"custom_obj_values": objects} if objects is not None else {}
    module_rest = {key: item for key, item in module.items() if key not in ("graph", "signature")}
    return {**program, "graph_module": {"graph": graph, **module_rest}}


def value_meta(graph: Json, name: str) -> Json | None:
    """A program's metadata of a value; None if it has none."""
    tables = ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values")
    return next((graph[t][name] for t in tables if name in graph.get(t, {})), None)


def implied_meta(value: SSAValue, rest: Json) -> Json | None:
    """The metadata of a value that has nothing special about it."""
    if symbol_kind(value) is not None:
        return None
    grad = rest["grad"]
    if isinstance(value.owner, TensorSource):
        grad = value.owner.kind.data == PARAMETER
    elif isinstance(value.owner, InputOp):
        grad = False
    return meta_of_type(value.type, rest["symbols"], grad=grad)


def is_meta_of(meta: Json, type: Attribute) -> bool:
    """Whether a tensor's metadata from a file still agrees with its type."""
    try:
        return type_of_meta(meta, {}) == type
    except (AttributeError, AutosplitError, KeyError, TypeError, ValueError):
        return False


def _node(op: AtenOp, raw: Json, names: Names) -> Json:
    """What a node has beyond its op."""
    node_rest: Json = {k: raw[k] for k in ("metadata", "is_hop_single_tensor_return") if k in raw}
    operand_index = _operand_index(op, names)
    implied = written_arguments(op, names)
    if changes := _changes(raw["inputs"], abstract(implied, operand_index)):
        node_rest["target"], node_rest["inputs"] = target_of(op), changes
    results = {op.value_name(i): i for i in range(len(op.results))}
    if raw["outputs"] != abstract(written_outputs(op, names), results):
        node_rest["target"], node_rest["outputs"] = target_of(op), raw["outputs"]
    return node_rest


def _changes(original: Sequence[Json], implied: Sequence[Json]) -> Any:
    """How arguments differ from the implied ones: the changed fields by argument, or all arguments."""
    if [a["name"] for a in original] != [a["name"] for a in implied]:
        return list(original)
    return {
        old["name"]: {k: v for k, v in old.items() if v != new[k]}
        for old, new in zip(original, implied, strict=True)
        if old != new
    }


def _operand_index(op: AtenOp, names: Names) -> dict[str, int]:
    """The index of each distinct operand, by name."""
    return {name: i for i, name in enumerate(dict.fromkeys(names[v] for v in op.operands))}


def written_node(op: AtenOp, names: Names, rest: Json) -> Json:
    """A node as JSON, in its original form if it came from a file."""
    kept: Json = rest.get("nodes", {}).get(op.node_name.data, {})
    is_same = kept.get("target") == target_of(op)
    inputs = written_arguments(op, names)
    operand_names = {i: name for name, i in _operand_index(op, names).items()}
    changes: Any = kept.get("inputs") if is_same else None
    try:
        if isinstance(changes, list):
            inputs = concrete(changes, operand_names)
        elif changes:
            inputs = [a | concrete(changes.get(a["name"], {}), operand_names) for a in inputs]
    except KeyError:
        # Its operands changed, so its original form in the file no longer applies.
        pass
    outputs = written_outputs(op, names)
    if is_same and "outputs" in kept:
        outputs = concrete(kept["outputs"], {i: op.value_name(i) for i in range(len(op.results))})
    return {
        "target": target_of(op),
        "inputs": inputs,
        "outputs": outputs,
        "metadata": kept.get("metadata", {}),
        "is_hop_single_tensor_return": kept.get("is_hop_single_tensor_return"),
        "name": op.node_name.data,
    }


def written_outputs(op: AtenOp, names: Names) -> list[Json]:
    """The results of a node as JSON."""
    returns = () if op.SPEC is None else op.SPEC.returns
    if len(returns) == 1 and returns[0].type.endswith("[]"):
        return [{"as_tensors": [{"name": names[value]} for value in op.results]}]
    return [written_operand(value, names) for value in op.results]


def signature_of(graph: GraphOp, names: Names) -> tuple[list[Json], ...]:
    """The inputs and outputs of a program and their specs, in the order of `SIGNATURE`."""
    sources = [op for op in graph.body_ops() if isinstance(op, SourceOp)]
    inputs = [written_operand(op.results[0], names) for op in sources]
    specs = [
        _input_spec(op, operand["as_tensor"])
        if isinstance(op, TensorSource)
        else _user(operand, "input")
        for op, operand in zip(sources, inputs, strict=True)
    ]
    write_backs = [op for op in graph.body_ops() if isinstance(op, WriteBackOp)]
    returned = [written_operand(value, names) for _, value in graph.graph_outputs()]
    outputs = [written_operand(op.operands[1], names) for op in write_backs] + returned
    output_specs = [_write_back_spec(op, names) for op in write_backs]
    output_specs += [_user(value, "output") for value in returned]
    return inputs, specs, outputs, output_specs


def _user(arg: Json, direction: str) -> Json:
    return {f"user_{direction}": {"arg": arg}}


def _input_spec(op: TensorSource, arg: Json) -> Json:
    fqn = op.fqn.data
    match op.kind.data:
        case "parameter":
            return {"parameter": {"arg": arg, "parameter_name": fqn}}
        case "constant":
            return {"tensor_constant": {"arg": arg, "tensor_constant_name": fqn}}
        case kind:
            return {"buffer": {"arg": arg, "buffer_name": fqn, "persistent": kind == BUFFER}}


def _write_back_spec(op: WriteBackOp, names: Names) -> Json:
    arg = {"name": names[op.operands[1]]}
    target = op.operands[0].owner
    if isinstance(target, TensorSource) and target.kind.data == PARAMETER:
        return {"parameter_mutation": {"arg": arg, "parameter_name": target.fqn.data}}
    if isinstance(target, TensorSource) and target.kind.data != CONSTANT:
        return {"buffer_mutation": {"arg": arg, "buffer_name": target.fqn.data}}
    return {"user_input_mutation": {"arg": arg, "user_input_name": names[op.operands[0]]}}


def abstract(json_value: Any, indices: Mapping[str, int]) -> Any:
    """JSON with values' names replaced by indices, so that it outlives a change of names."""
    return _mapped(json_value, indices)


def concrete(json_value: Any, names: Mapping[int, str]) -> Any:
    """The reverse of `abstract`. Raises KeyError for an index that does not exist."""
    return _mapped(json_value, names)


def _mapped(data: Any, table: Mapping[Any, Any], *, in_argument: bool = False) -> Any:
    if isinstance(data, list):
        return [_mapped(item, table, in_argument=in_argument) for item in cast("list[Any]", data)]
    if not isinstance(data, dict):
        return data
    mapped: Json = {}
    for key, item in cast("Json", data).items():
        inside = in_argument or key == "arg" or key.startswith("as_")
        if key == "as_graph":
            mapped[key] = item
        elif inside and key in ("name", "as_name") and not isinstance(item, dict | list):
            mapped[key] = table[item]
        else:
            mapped[key] = _mapped(item, table, in_argument=inside)
    return mapped
