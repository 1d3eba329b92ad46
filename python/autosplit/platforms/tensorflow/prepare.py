"""Fixing the inputs and outputs of an imported TensorFlow graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.platform import LocalType, element_type, platform_graph
from autosplit.dialects.tf import (
    GraphOp,
    ShapeAttr,
    TfOp,
    make_constant,
    make_placeholder,
    tensor_type,
)
from autosplit.dialects.tf.graphs import (
    FILLS,
    ControlFlow,
    acts,
    ancestors,
    control_flow,
    nodes_of,
    sinks,
    touches,
)
from autosplit.formats.tensorflow.reader import PLACEHOLDERS
from autosplit.formats.tensorflow.variables import SETTERS, VARIABLES, why_not_frozen
from autosplit.lowering.convert_tf_to_onnx.tf_inline_calls import inline_calls, quiet_calls
from autosplit.platforms import Model, errors_at
from autosplit.platforms.preparing import check_shape, together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


def prepare(
    model: Model, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> None:
    """See `TensorFlow.prepare`."""
    graph = platform_graph(model.module)
    if not isinstance(graph, GraphOp):
        raise AutosplitError(f"expected a tf.graph, found {graph.name}")
    # What is asked for by name stays there under it.
    named = [name if ":" in name else f"{name}:0" for name in (*inputs, *outputs)]
    with errors_at(model):
        inline_calls(model.module, graph, named)
        _prepare(graph, inputs, outputs, quiet_calls(model.module, graph))
        _check_frozen(graph, model.path)
        _check_filled(graph)


def _prepare(
    graph: GraphOp,
    inputs: Mapping[str, Sequence[int] | None],
    outputs: Sequence[str],
    quiet: set[TfOp],
) -> None:
    values, flow = graph.values(), control_flow(graph)
    named = outputs or [name.data for name in graph.outputs or ()]
    wanted = [_find(values, name, "output") for name in named] or sinks(graph, flow)
    if not wanted:
        raise AutosplitError(
            "the graph has no tensor that nothing reads; say which are its outputs"
        )
    _check_outputs(flow, wanted)
    names = list(dict.fromkeys(v.op.value_name(v.index) for v in wanted if isinstance(v.op, TfOp)))
    tensors: list[str] = []
    for name, shape in inputs.items():
        value = _find(values, name, "input")
        tensor = _set_input(value, shape)
        if tensor in tensors:
            raise AutosplitError(f"input {tensor!r} appears twice")
        tensors.append(tensor)
    _drop_idle_controls(graph, quiet)
    values = graph.values()
    needed = ancestors(values[name] for name in names)
    for op in nodes_of(graph):
        if op.op_type in ("Placeholder", "PlaceholderV2") and op in needed:
            tensors.append(op.value_name(0))
    tensors = list(dict.fromkeys(tensors))
    kept = needed | {values[name].owner for name in tensors}
    _drop([op for op in nodes_of(graph) if op not in kept])
    graph.set_ends(tensors, names)


TABLES = ("HashTable", "HashTableV2")
"""Tables that cannot be read before they are filled; those that are mutable are empty until then."""

FILLERS = FILLS | {"InitializeTable", "InitializeTableFromTextFile", "LookupTableImport"}
"""What fills them, the ops of their first kind among it."""


def _check_frozen(graph: GraphOp, path: Path | None) -> None:
    """Raises if the graph reads variables or tables that nothing in it gives a value before."""
    unset = [
        op.node_name.data
        for op in nodes_of(graph)
        if op.op_type in VARIABLES and not _is_set_when_read(op, SETTERS)
    ]
    if unset:
        raise AutosplitError(why_not_frozen(path, unset))
    for op in nodes_of(graph):
        if op.op_type in TABLES and not _is_set_when_read(op, FILLERS):
            raise AutosplitError(
                f"nothing that the graph runs fills table {op.node_name.data!r} ({op.op_type}), which only a "
                "session does that is told to: save the model as a SavedModel that does, and give its folder"
            )


def _is_set_when_read(state: TfOp, kinds: Collection[str]) -> bool:
    """Whether all that uses a variable or table waits for an op of these kinds, which sets it.

    A graph that is not frozen has such ops too, but they run only if a session is told to run them: nothing
    that reads waits for them.
    """
    users = _users(state)
    setters = {op for op in users if op.op_type in kinds}
    readers = [op for op in users if op not in setters]
    return bool(setters) and all(not setters.isdisjoint(ancestors(op.operands)) for op in readers)


def _users(state: TfOp) -> list[TfOp]:
    """The ops that use a variable or table, also where its handle reaches them through others."""
    users: dict[TfOp, None] = {}
    passing = [state]
    while passing:
        for value in passing.pop().outputs:
            for use in value.uses:
                user = use.operation
                if not isinstance(user, TfOp) or user in users:
                    continue
                users[user] = None
                if _gives_handle(user):
                    passing.append(user)
    return [op for op in users if not _gives_handle(op)]


def _gives_handle(op: TfOp) -> bool:
    return any(isinstance(v.type, LocalType) for v in op.outputs)


FILLED = {
    "QueueDequeue": ("QueueEnqueue",),
    "ReaderRead": ("QueueEnqueue",),
    "IteratorGetNext": ("MakeIterator", "OneShotIterator"),
}
"""What takes values out of something, by a part of the type's name -> what puts them in."""


def _check_filled(graph: GraphOp) -> None:
    """Raises if the graph waits for values that nothing in it makes: a run would never end."""
    kinds = {op.op_type for op in nodes_of(graph)}
    for op in nodes_of(graph):
        for takes, fills in FILLED.items():
            if takes in op.op_type and not any(f in kind for kind in kinds for f in fills):
                raise AutosplitError(
                    f"{op.node_name.data!r} ({op.op_type}) waits for values that nothing in the graph gives: "
                    f"make what it gives inputs, as in --input {op.value_name(0)}=1,224,224,3"
                )


def _drop_idle_controls(graph: GraphOp, quiet: set[TfOp]) -> None:
    """Drops control edges that wait for nothing with an effect.

    Such an edge orders ops that do not care about order (exporters leave many, from what was a read of a
    variable), and would tie both of its ends into one sub-model. Loops and conditionals keep theirs: there
    they say where an op belongs. `quiet`: calls of functions without effects.
    """
    inside = control_flow(graph)
    acting: set[TfOp] = set()
    # Who uses a handle waits for others that do; a NoOp stands for what it waits for.
    touching: set[TfOp] = set()
    # What it waits for only by way of what it reads stays, too: TensorFlow leaves such edges out.
    passed: dict[Operation | Block, dict[SSAValue, None]] = {}
    for op in inside.order:
        touched = touches(op)
        behind = dict.fromkeys(w for v in op.operands for w in passed.get(v.owner, ()))
        if op not in inside and (behind or op.controls):
            minded = acting | touching if touched or op.op_type == "NoOp" else acting
            waits = [v for v in op.controls if v.owner in minded or v.owner in inside]
            kept = set(waits)
            behind |= dict.fromkeys(v for v in op.controls if v.owner in touching and v not in kept)
            if touched:
                waits += [v for v in behind if v not in kept]
                behind = {}
            if list(op.controls) != waits:
                op.operands = [*op.inputs, *waits]
        if behind:
            passed[op] = behind
        if (acts(op) and op not in quiet) or any(v.owner in acting for v in op.operands):
            acting.add(op)
        if touched or any(v.owner in touching for v in op.operands):
            touching.add(op)


def _find(values: Mapping[str, OpResult], name: str, what: str) -> OpResult:
    """The tensor called `name`, with or without its `:0`. Raises AutosplitError if there is none."""
    value = values.get(name) or values.get(f"{name}:0")
    if value is not None:
        return value
    names = list(values)
    if what == "input":
        names = _placeholders(values) or names
    bare = [n.removesuffix(":0") for n in names]
    raise AutosplitError(
        f"{what} {name!r} is not a tensor of the model{choice(name.removesuffix(':0'), bare)}"
    )


def _placeholders(values: Mapping[str, OpResult]) -> list[str]:
    return [n for n, v in values.items() if isinstance(v.op, TfOp) and v.op.op_type in PLACEHOLDERS]


def _check_outputs(flow: ControlFlow, wanted: Sequence[OpResult]) -> None:
    loops, ways = flow.frames, flow.conditionals
    for value in wanted:
        op = value.op
        if not isinstance(op, TfOp):
            continue
        name = op.value_name(value.index)
        if op in loops and not flow.has_one_value(op):
            raise AutosplitError(
                f"output {name!r} is inside of the loop {loops[op][-1]!r}, "
                "where it has a value for each iteration; choose a tensor behind the loop"
            )
        if op in ways and op.op_type not in ("Merge", "RefMerge") and op not in loops:
            raise AutosplitError(
                f"output {name!r} is inside of a conditional, where it may have no value; "
                "choose a tensor behind its Merge"
            )
        if isinstance(value.type, LocalType):
            raise AutosplitError(f"output {name!r} is a handle ({value.type}), expected a tensor")


def _set_input(value: OpResult, shape: Sequence[int] | None) -> str:
    """Makes the tensor an input of the given shape; returns its name."""
    op = value.op
    assert isinstance(op, TfOp)
    name = op.value_name(value.index)
    if value.index != 0:
        raise AutosplitError(
            f"input {name!r} is output {value.index} of a node; expected a first output, as in "
            f"{op.value_name(0)!r}"
        )
    if isinstance(value.type, LocalType) and op.op_type in PLACEHOLDERS:
        # A shape makes no tensor of it: whoever checks the inputs says that it cannot be one.
        return name
    if shape is not None:
        check_shape(name, value.type, shape)
        new_type = tensor_type(element_type(value.type), shape)
        Rewriter.replace_value_with_new_type(value, new_type)
        value = op.results[0]
    if op.op_type == "Placeholder":
        attrs = dict(op.node_attrs.data)
        attrs["shape"] = ShapeAttr.of_type(value.type)
        op.node_attrs = DictionaryAttr(attrs)
        return name
    _replace_by_placeholder(op, value)
    return name


def _replace_by_placeholder(op: TfOp, value: OpResult) -> None:
    """Cuts the graph at the node's first output: a placeholder of its name takes its place."""
    name = op.node_name.data
    for other in op.outputs[1:]:
        if other.first_use is not None:
            raise together(f"{name}:0", f"{name}:{other.index}", "model", "tensor")
    placeholder = make_placeholder(name, value, done=op.done is not None)
    Rewriter.insert_op(placeholder, InsertPoint.before(op))
    value.replace_all_uses_with(placeholder.results[0])
    if op.done is not None and placeholder.done is not None:
        op.done.replace_all_uses_with(placeholder.done)
    _drop([op])


def fix_input(model: Model, name: str, array: Array) -> None:
    """Puts a Const in the place of the placeholder `name`."""
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    op = graph.values()[name].op
    assert isinstance(op, TfOp)
    constant = make_constant(op.node_name.data, array, model.store, done=op.done is not None)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    op.outputs[0].replace_all_uses_with(constant.results[0])
    if op.done is not None and constant.done is not None:
        op.done.replace_all_uses_with(constant.done)
    _drop([op])
    graph.drop_input(name)


def _drop(ops: Sequence[TfOp]) -> None:
    """Erases ops that only each other read; they may form cycles."""
    for op in ops:
        op.operands = ()
    for op in ops:
        op.detach()
        op.erase()
