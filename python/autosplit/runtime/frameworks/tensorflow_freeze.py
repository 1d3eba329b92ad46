"""Freezing TensorFlow models: variables become constants, and tables are filled by the graph itself.

It runs in its own process, which `formats.tensorflow.variables` starts; only that imports TensorFlow for it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.dialects.tf.graphs import FILLS
from autosplit.formats.tensorflow.variables import VARIABLES
from autosplit.inputs.custom_ops import with_advice
from autosplit.runtime.frameworks.tensorflow import import_tensorflow, load_libraries, one_line

TABLES = frozenset({"HashTableV2", "MutableHashTableV2"})
GATHERS = {"ResourceGather": "GatherV2", "ResourceGatherNd": "GatherNd"}
"""Ops that read rows of a variable -> those that take them from an array; both call the result `output`."""

_MACHINERY = ("Assign", "Apply", "Initialize", "Merge", "Resource", "Restore", "Save", "Scatter")
_KEPT = frozenset(
    {"Merge", "ResourceGather", "ResourceGatherNd", "ScatterNd", "ScatterNdNonAliasingAdd"}
)
"""Ops of inference whose names look like those."""
_GRADIENTS = re.compile(r"gradients(_\d+)?/")
_QUIET = frozenset(
    {
        "IsVariableInitialized",
        "LookupTableImportV2",
        "NoOp",
        "ShardedFilename",
        "VarIsInitializedOp",
    }
)
"""Ops of training, saving and setting up: what depends on them is not for inference."""


def freeze(request: dict[str, Any], out: Path) -> dict[str, Any]:
    """Writes the frozen graph to `out`; returns the names of its outputs, empty where nobody states them."""
    tf = import_tensorflow("freezing")
    load_libraries(tf, [Path(library) for library in request["custom_ops"]])
    graph = tf.Graph()
    with graph.as_default(), tf.compat.v1.Session(graph=graph) as session:
        if request["kind"] == "saved_model":
            signature = _load_saved_model(tf, session, request["path"])
            outputs = {key: info.name for key, info in sorted(signature[1].outputs.items())}
            kept = [_node(name) for name in outputs.values()]
        else:
            signature, outputs = None, dict[str, str]()
            proto = _read(tf, request)
            tf.compat.v1.import_graph_def(proto, name="")
            _restore(tf, session, request["checkpoint"])
            kept = _for_inference(graph)
        frozen = _frozen(tf, session, kept)
        _fill_tables(tf, session, frozen)
    ends = list(dict.fromkeys(outputs.values()))
    if signature is None:
        ends = _sinks(graph, set(kept))
    else:
        ends = _own_names(frozen, signature[0], signature[1], outputs)
    out.write_bytes(frozen.SerializeToString(deterministic=True))
    return {"outputs": ends}


def _node(tensor: str) -> str:
    return tensor.split(":")[0].removeprefix("^")


def _load_saved_model(tf: Any, session: Any, folder: str) -> tuple[str, Any]:
    """Loads what is for serving; returns the signature with its name."""
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    proto: Any = SavedModel()
    binary = Path(folder) / "saved_model.pb"
    if binary.is_file():
        proto.ParseFromString(binary.read_bytes())
    else:
        from google.protobuf.text_format import Parse

        Parse((Path(folder) / "saved_model.pbtxt").read_text(encoding="utf-8"), proto)
    tags = [list(meta.meta_info_def.tags) for meta in proto.meta_graphs]
    serving = [t for t in tags if t == ["serve"]] or [t for t in tags if "serve" in t] or tags
    if not serving:
        raise AutosplitError("the SavedModel holds no graph")
    meta = tf.compat.v1.saved_model.load(session, serving[0], folder)
    signatures = {k: s for k, s in meta.signature_def.items() if len(s.outputs) and k[:2] != "__"}
    if "serving_default" in signatures:
        return "serving_default", signatures["serving_default"]
    if len(signatures) == 1:
        return next(iter(signatures.items()))
    raise AutosplitError(
        "the SavedModel has no signature 'serving_default'"
        + (f", only {', '.join(sorted(signatures))}" if signatures else ", and no other one")
        + ": save it with signatures={'serving_default': ...}"
    )


def _read(tf: Any, request: dict[str, Any]) -> Any:
    data = Path(request["path"]).read_bytes()
    if request["kind"] == "meta":
        return tf.compat.v1.MetaGraphDef.FromString(data).graph_def
    if request["kind"] == "text":
        from google.protobuf.text_format import Parse

        return Parse(data.decode(), tf.compat.v1.GraphDef())
    return tf.compat.v1.GraphDef.FromString(data)


def _restore(tf: Any, session: Any, checkpoint: str) -> None:
    """Gives the graph's variables the values of a checkpoint, as far as they are in it, and fills tables."""
    graph = session.graph
    reader = tf.train.load_checkpoint(checkpoint)
    shapes: dict[str, Any] = reader.get_variable_to_shape_map()
    missing = False
    assigns: list[Any] = []
    feeds: dict[Any, Any] = {}
    for op in graph.get_operations():
        if op.type not in VARIABLES:
            continue
        name = _variable_name(op)
        if name not in shapes:
            missing = True
            continue
        dtype = tf.as_dtype(op.get_attr("dtype"))
        value = tf.compat.v1.placeholder(dtype, shapes[name])
        feeds[value] = reader.get_tensor(name)
        with tf.control_dependencies(None):
            if op.type == "VarHandleOp":
                assigns.append(tf.raw_ops.AssignVariableOp(resource=op.outputs[0], value=value))
            else:
                assign = tf.compat.v1.assign(op.outputs[0], value, validate_shape=False)
                assigns.append(assign.op)
    # Parts of a variable are restored by what the graph's own saver says of them.
    savers = [op for op in graph.get_operations() if op.name.endswith("save/restore_all")]
    if missing and savers:
        where = graph.get_tensor_by_name(savers[0].name.removesuffix("restore_all") + "Const:0")
        session.run(savers[0], {where: checkpoint})
    session.run(assigns, feeds)
    session.run([op for op in graph.get_operations() if op.type in FILLS])


def _variable_name(op: Any) -> str:
    """What a checkpoint calls a variable."""
    shared = op.get_attr("shared_name").decode()
    return shared or op.name


def _frozen(tf: Any, session: Any, kept: Sequence[str]) -> Any:
    """The graph of the nodes `kept` with constants for variables that have a value."""
    graph = session.graph
    unset: list[str] = []
    for op in graph.get_operations():
        if op.type not in VARIABLES:
            continue
        if not _is_set(tf, session, op):
            unset.append(op.name)
        elif op.type == "VarHandleOp":
            _add_read(tf, graph, op)
    proto = graph.as_graph_def()
    _open_shapes(tf, proto.node)
    _read_gathered(tf, proto.node, value="")
    for function in proto.library.function:
        _open_shapes(tf, function.node_def)
        _read_gathered(tf, function.node_def, value=":value:0")
    return tf.compat.v1.graph_util.convert_variables_to_constants(
        session, proto, list(kept), variable_names_blacklist=unset
    )


def _open_shapes(tf: Any, nodes: Iterable[Any]) -> None:
    """Takes back what nodes declare of the shapes of handles, which become tensors of other shapes."""
    for node in nodes:
        if "_output_shapes" not in node.attr:
            continue
        shapes = node.attr["_output_shapes"].list.shape
        for types in (node.attr[name].list.type for name in ("T", "Tout") if name in node.attr):
            for i, shape in enumerate(shapes):
                if i < len(types) == len(shapes) and types[i] == tf.resource.as_datatype_enum:
                    shape.Clear()
                    shape.unknown_rank = True


def _read_gathered(tf: Any, nodes: Any, *, value: str) -> None:
    """Replaces reads of a variable's rows by a read of the variable, and rows taken from that.

    The conversion does so outside of functions only, and for no batches. `value`: the ending by which a node
    names what such a read gives.
    """
    names = {node.name for node in nodes}
    for node in [n for n in nodes if n.op in GATHERS]:
        handle, *others = node.input
        waits = [name for name in others if name[0] == "^"]
        read = nodes.add(name=_free(f"{node.name}/read", names), op="ReadVariableOp")
        read.input.extend([handle, *waits])
        read.attr["dtype"].CopyFrom(node.attr["dtype"])
        node.input[0] = read.name + value
        node.attr["Tparams"].CopyFrom(node.attr["dtype"])
        if node.op == "ResourceGather":
            axis = nodes.add(name=_free(f"{node.name}/axis", names), op="Const")
            axis.attr["dtype"].type = tf.int32.as_datatype_enum
            batches = node.attr["batch_dims"].i if "batch_dims" in node.attr else 0
            axis.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(batches, tf.int32))
            node.input.insert(2, axis.name + (":output:0" if value else ""))
            node.attr["Taxis"].type = tf.int32.as_datatype_enum
        node.op = GATHERS[node.op]
        for key in ("dtype", "validate_indices"):
            node.attr.pop(key, None)


def _free(name: str, taken: set[str]) -> str:
    """A name that no node has; from then on it is taken."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _is_set(tf: Any, session: Any, op: Any) -> bool:
    if op.type == "VarHandleOp":
        return bool(session.run(tf.raw_ops.VarIsInitializedOp(resource=op.outputs[0])))
    return bool(session.run(tf.compat.v1.is_variable_initialized(op.outputs[0])))


def _add_read(tf: Any, graph: Any, op: Any) -> None:
    """A read of a variable where the conversion looks for one."""
    name = f"{op.name}/Read/ReadVariableOp"
    try:
        graph.get_operation_by_name(name)
    except KeyError:
        with tf.name_scope(None):
            dtype = op.get_attr("dtype")
            tf.raw_ops.ReadVariableOp(resource=op.outputs[0], dtype=dtype, name=name)


def _fill_tables(tf: Any, session: Any, frozen: Any) -> None:
    """Puts the contents of tables into the graph: who reads a table waits for its keys and values."""
    for table in [node for node in frozen.node if node.op in TABLES]:
        handle = session.graph.get_tensor_by_name(f"{table.name}:0")
        types = [tf.as_dtype(table.attr[k].type) for k in ("key_dtype", "value_dtype")]
        keys, values = session.run(
            tf.raw_ops.LookupTableExportV2(table_handle=handle, Tkeys=types[0], Tvalues=types[1])
        )
        _redirect(frozen, table.name, f"{table.name}/filled")
        with tf.Graph().as_default() as graph, tf.name_scope(f"{table.name}/"):
            inner = tf.compat.v1.placeholder(tf.resource, name="handle")
            k = tf.constant(keys, types[0], name="keys")
            v = tf.constant(values, types[1], name="values")
            fill = tf.raw_ops.LookupTableImportV2(table_handle=inner, keys=k, values=v, name="fill")
            with tf.control_dependencies([fill]):
                tf.raw_ops.Identity(input=inner, name="filled")
        for node in graph.as_graph_def().node:
            if node.op != "Placeholder":
                added = frozen.node.add()
                added.CopyFrom(node)
                _replace_inputs([added], inner.op.name, table.name)


def _redirect(frozen: Any, old: str, new: str) -> None:
    _replace_inputs(frozen.node, old, new)


def _replace_inputs(nodes: Iterable[Any], old: str, new: str) -> None:
    for node in nodes:
        for i, name in enumerate(node.input):
            if name in (old, f"{old}:0", f"^{old}"):
                node.input[i] = f"^{new}" if name[0] == "^" else new


def _own_names(frozen: Any, signature: str, definition: Any, outputs: dict[str, str]) -> list[str]:
    """Renames ends whose names were made up from the signature to its keys; returns the outputs' names.

    A placeholder `serving_default_x` becomes `x`, a result of a call an Identity with the key's name.
    """
    for key, info in sorted(definition.inputs.items()):
        nodes = {node.name: node for node in frozen.node}
        name = _node(info.name)
        if name == f"{signature}_{key}" and name in nodes and key not in nodes:
            nodes[name].name = key
            _replace_inputs(frozen.node, name, key)
    ends: list[str] = []
    for key, tensor in outputs.items():
        nodes = {node.name: node for node in frozen.node}
        maker = nodes[_node(tensor)]
        if not maker.op.endswith("PartitionedCall") or key in nodes:
            ends.append(tensor)
            continue
        identity = frozen.node.add(name=key, op="Identity", input=[tensor.removesuffix(":0")])
        identity.attr["T"].type = definition.outputs[key].dtype
        ends.append(f"{key}:0")
    return list(dict.fromkeys(ends))


def _for_inference(graph: Any) -> list[str]:
    """The nodes that depend on nothing of training, saving and setting up."""
    left: set[str] = set()
    kept: list[str] = []
    for op in _ordered(graph):
        waits = [t.op.name for t in op.inputs] + [c.name for c in op.control_inputs]
        if _is_machinery(op.type) or any(name in left for name in waits):
            left.add(op.name)
        else:
            kept.append(op.name)
    return kept


def _ordered(graph: Any) -> list[Any]:
    """All nodes, each behind those that it reads, except where loops go back."""
    ordered: dict[Any, None] = {}
    for op in graph.get_operations():
        pending = [(op, False)]
        seen: set[Any] = set()
        while pending:
            at, done = pending.pop()
            if done:
                ordered.setdefault(at)
            elif at not in ordered and at not in seen:
                seen.add(at)
                pending.append((at, True))
                makers = [t.op for t in at.inputs] + list(at.control_inputs)
                pending += [(m, False) for m in makers if m.type != "NextIteration"]
    return list(ordered)


def _is_machinery(kind: str) -> bool:
    if kind in _QUIET or kind.endswith("Summary"):
        return True
    return kind.startswith(_MACHINERY) and kind not in _KEPT


def _sinks(graph: Any, kept: set[str]) -> list[str]:
    """The tensors of the nodes `kept` that nothing reads; those that depend on an input, if any do."""
    fed: set[str] = set()
    ends: list[Any] = []
    for op in _ordered(graph):
        if op.type.startswith("Placeholder") or any(t.op.name in fed for t in op.inputs):
            fed.add(op.name)
        if op.name in kept and op.outputs and not any(t.consumers() for t in op.outputs):
            ends.append(op)
    idle = VARIABLES | TABLES | {"Const"}
    ends = [op for op in ends if op.type not in idle and not _GRADIENTS.match(op.name)]
    chosen = [op for op in ends if op.name in fed and not op.type.startswith("Placeholder")]
    order = {op.name: i for i, op in enumerate(graph.get_operations())}
    return [
        t.name for op in sorted(chosen or ends, key=lambda op: order[op.name]) for t in op.outputs
    ]


def main(args: Sequence[str] | None = None) -> int:
    """Freezes what the folder's request asks for."""
    (name,) = sys.argv[1:] if args is None else args
    folder = Path(name)
    request = cast("dict[str, Any]", json.loads((folder / "request.json").read_text("utf-8")))
    try:
        answer = freeze(request, folder / "frozen.pb")
    except AutosplitError as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        # Whatever TensorFlow refuses is the model's.
        libraries = [Path(library) for library in request["custom_ops"]]
        print(with_advice(one_line(error), libraries), file=sys.stderr)
        return 1
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
