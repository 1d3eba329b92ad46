"""What a program's file says beyond its ops, as JSON on the module.

Nodes that are written as PyTorch itself writes them leave nothing here but where they came from in the user's
code. What is kept goes by the names of nodes and values; a pass that changes one need not care.
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
"""What a program says of what goes in and comes out, in the graph and in the signature."""


def module_rest(module: ModuleOp) -> Json:
    """What the file says beyond the ops; empty for a module that is of no file."""
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


def keep_rest(program: Json, graph: GraphOp, rest: Json) -> Json:
    """All that a program says and its ops do not; `rest` is what the reader collected."""
    told: Json = program["graph_module"]["graph"]
    names = names_of(graph)
    kept: Json = {"symbols": rest["symbols"], "program": _program(program)}
    metas: Json = told["tensor_values"]
    kept["grad"] = bool(metas) and sum(m["requires_grad"] for m in metas.values()) * 2 > len(metas)
    nodes = {op.node_name.data: op for op in graph.body_ops() if isinstance(op, AtenOp)}
    kept["nodes"] = {
        name: own for name, raw in rest["nodes"].items() if (own := _node(nodes[name], raw, names))
    }
    values: Json = {}
    for value, name in names.items():
        raw = value_meta(told, name)
        if raw is not None and raw != implied_meta(value, kept):
            values[name] = raw
    kept["values"] = values
    derived = signature_of(graph, names)
    signature = program["graph_module"]["signature"]
    said = (told["inputs"], signature["input_specs"], told["outputs"], signature["output_specs"])
    for key, raw, made in zip(SIGNATURE, said, derived, strict=True):
        if raw != made:
            kept[key] = raw
    return kept


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
    kept = {key: item for key, item in module.items() if key not in ("graph", "signature")}
    return {**program, "graph_module": {"graph": graph, **kept}}


def value_meta(graph: Json, name: str) -> Json | None:
    """What a program says of a value; None if it says nothing."""
    tables = ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values")
    return next((graph[t][name] for t in tables if name in graph.get(t, {})), None)


def implied_meta(value: SSAValue, rest: Json) -> Json | None:
    """What a program says of a value where there is nothing special about it."""
    if symbol_kind(value) is not None:
        return None
    grad = rest["grad"]
    if isinstance(value.owner, TensorSource):
        grad = value.owner.kind.data == PARAMETER
    elif isinstance(value.owner, InputOp):
        grad = False
    return meta_of_type(value.type, rest["symbols"], grad=grad)


def is_meta_of(meta: Json, type: Attribute) -> bool:
    """Whether what a file said of a tensor is still true of its type."""
    try:
        return type_of_meta(meta, {}) == type
    except (AttributeError, AutosplitError, KeyError, TypeError, ValueError):
        return False


def _node(op: AtenOp, raw: Json, names: Names) -> Json:
    """What the ops do not say of a node."""
    own: Json = {k: raw[k] for k in ("metadata", "is_hop_single_tensor_return") if k in raw}
    places = _places(op, names)
    implied = written_arguments(op, names)
    if changes := _changes(raw["inputs"], abstract(implied, places)):
        own["target"], own["inputs"] = target_of(op), changes
    results = {op.value_name(i): i for i in range(len(op.results))}
    if raw["outputs"] != abstract(written_outputs(op, names), results):
        own["target"], own["outputs"] = target_of(op), raw["outputs"]
    return own


def _changes(said: Sequence[Json], implied: Sequence[Json]) -> Any:
    """How arguments differ from what is implied: by argument, or all of them."""
    if [a["name"] for a in said] != [a["name"] for a in implied]:
        return list(said)
    return {
        one["name"]: {k: v for k, v in one.items() if v != other[k]}
        for one, other in zip(said, implied, strict=True)
        if one != other
    }


def _places(op: AtenOp, names: Names) -> dict[str, int]:
    """The operands' names with their places, each once."""
    return {name: i for i, name in enumerate(dict.fromkeys(names[v] for v in op.operands))}


def written_node(op: AtenOp, names: Names, rest: Json) -> Json:
    """A node as JSON, as its file has it where it came from one."""
    own: Json = rest.get("nodes", {}).get(op.node_name.data, {})
    is_same = own.get("target") == target_of(op)
    inputs = written_arguments(op, names)
    places = {i: name for name, i in _places(op, names).items()}
    changes: Any = own.get("inputs") if is_same else None
    try:
        if isinstance(changes, list):
            inputs = concrete(changes, places)
        elif changes:
            inputs = [a | concrete(changes.get(a["name"], {}), places) for a in inputs]
    except KeyError:
        # It reads other values than in the file, where it was written in a way of its own.
        pass
    outputs = written_outputs(op, names)
    if is_same and "outputs" in own:
        outputs = concrete(own["outputs"], {i: op.value_name(i) for i in range(len(op.results))})
    return {
        "target": target_of(op),
        "inputs": inputs,
        "outputs": outputs,
        "metadata": own.get("metadata", {}),
        "is_hop_single_tensor_return": own.get("is_hop_single_tensor_return"),
        "name": op.node_name.data,
    }


def written_outputs(op: AtenOp, names: Names) -> list[Json]:
    """The results of a node as JSON."""
    returns = () if op.SPEC is None else op.SPEC.returns
    if len(returns) == 1 and returns[0].type.endswith("[]"):
        return [{"as_tensors": [{"name": names[value]} for value in op.results]}]
    return [written_operand(value, names) for value in op.results]


def signature_of(graph: GraphOp, names: Names) -> tuple[list[Json], ...]:
    """What goes in and comes out of a program, in the order of `SIGNATURE`."""
    sources = [op for op in graph.body_ops() if isinstance(op, SourceOp)]
    inputs = [written_operand(op.results[0], names) for op in sources]
    specs = [
        _input_spec(op, given["as_tensor"])
        if isinstance(op, TensorSource)
        else _user(given, "input")
        for op, given in zip(sources, inputs, strict=True)
    ]
    back = [op for op in graph.body_ops() if isinstance(op, WriteBackOp)]
    returned = [written_operand(value, names) for _, value in graph.graph_outputs()]
    outputs = [written_operand(op.operands[1], names) for op in back] + returned
    output_specs = [_write_back_spec(op, names) for op in back]
    output_specs += [_user(value, "output") for value in returned]
    return inputs, specs, outputs, output_specs


def _user(arg: Json, what: str) -> Json:
    return {f"user_{what}": {"arg": arg}}


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


def abstract(part: Any, places: Mapping[str, int]) -> Any:
    """JSON with the places of values for their names, so that it stays true where these change."""
    return _mapped(part, places)


def concrete(part: Any, names: Mapping[int, str]) -> Any:
    """The reverse of `abstract`. Raises KeyError for a place that there is not."""
    return _mapped(part, names)


def _mapped(part: Any, table: Mapping[Any, Any], *, in_argument: bool = False) -> Any:
    if isinstance(part, list):
        return [_mapped(item, table, in_argument=in_argument) for item in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    mapped: Json = {}
    for key, item in cast("Json", part).items():
        inside = in_argument or key == "arg" or key.startswith("as_")
        if key == "as_graph":
            mapped[key] = item
        elif inside and key in ("name", "as_name") and not isinstance(item, dict | list):
            mapped[key] = table[item]
        else:
            mapped[key] = _mapped(item, table, in_argument=inside)
    return mapped
