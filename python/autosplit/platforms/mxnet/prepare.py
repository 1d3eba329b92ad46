"""Fixing the inputs and outputs of an imported MXNet symbol, and taking one sub-model out of a module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.mx import (
    GraphOp,
    LabelOp,
    MxOp,
    NullOp,
    VariableOp,
    make_constant,
    make_placeholder,
    nodes_of,
)
from autosplit.dialects.mx.graph import tensor_called
from autosplit.dialects.platform import (
    element_type,
    platform_graph,
    set_type,
    shape_of,
    value_name,
)
from autosplit.platforms import Model
from autosplit.platforms.outlined import graph_body, with_attributes

if TYPE_CHECKING:
    from autosplit.core.weights import Array
    from autosplit.dialects.device import FuncOp


def prepare(
    model: Model, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> None:
    """See `Mxnet.prepare`."""
    graph = _graph(model)
    try:
        _prepare(graph, inputs, outputs)
    except AutosplitError as error:
        if model.path is None:
            raise
        raise AutosplitError(f"{model.path}: {error}") from None


def _graph(model: Model) -> GraphOp:
    graph = platform_graph(model.module)
    if not isinstance(graph, GraphOp):
        raise AutosplitError(f"expected an mx.graph, found {graph.name}")
    return graph


def _prepare(
    graph: GraphOp, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> None:
    values = graph.values()
    wanted = [_find(values, name, "output") for name in outputs]
    if not outputs:
        wanted = [name for name, _ in graph.graph_outputs()]
    given: list[str] = []
    for name, shape in inputs.items():
        found = _find(values, name, "input")
        if found in given:
            raise AutosplitError(f"input {found!r} is given twice")
        _set_input(graph, values[found], found, shape)
        given.append(found)
    values = graph.values()
    needed = _ancestors(values[name] for name in wanted)
    for op in nodes_of(graph):
        if isinstance(op, NullOp) and op in needed:
            given.append(op.value_name(0))
    given = list(dict.fromkeys(given))
    kept = needed | {values[name].owner for name in given}
    for op in reversed(nodes_of(graph)):
        if op not in kept:
            op.detach()
            op.erase()
    graph.set_ends(given, dict.fromkeys(wanted))


def _find(values: Mapping[str, SSAValue], name: str, what: str) -> str:
    """The name of a tensor that may be given as its node's. Raises AutosplitError where there is none."""
    if (found := tensor_called(values, name)) is not None:
        return found
    known = list(values)
    if what == "input":
        known = [n for n, v in values.items() if isinstance(v.owner, NullOp)] or known
    raise AutosplitError(f"{what} {name!r} is not a tensor of the model{choice(name, known)}")


def _set_input(graph: GraphOp, value: SSAValue, name: str, shape: Sequence[int] | None) -> None:
    """Makes the tensor an input of the given shape."""
    op = value.owner
    assert isinstance(op, MxOp)
    if shape is not None:
        _check_shape(name, shape_of(value.type), shape)
        set_type(value, TensorType(element_type(value.type) or f32, shape))
    if isinstance(op, NullOp):
        return
    if isinstance(op, VariableOp) and not isinstance(op, LabelOp):
        raise AutosplitError(
            f"input {name!r} is a parameter of the model; choose one of its inputs, or a tensor inside"
        )
    placeholder = make_placeholder(name, value.type, op.texts if isinstance(op, LabelOp) else {})
    Rewriter.insert_op(placeholder, InsertPoint.before(op))
    value.replace_all_uses_with(placeholder.results[0])
    if isinstance(op, LabelOp):
        op.detach()
        op.erase()
        return
    for other in op.results:
        if other is not value and other.first_use is not None:
            # The node stays for its other outputs, and its name for theirs.
            raise AutosplitError(
                f"input {name!r} is made together with {op.value_name(other.index)!r}, which the model "
                "reads too; choose another tensor"
            )
    op.detach()
    op.erase()


def _check_shape(name: str, known: tuple[int, ...] | None, shape: Sequence[int]) -> None:
    """Raises where `shape` is none, or contradicts what the model says."""
    if any(d < -1 for d in shape):
        raise AutosplitError(f"input {name!r}: {list(shape)} is not a shape")
    if known is None:
        return
    if len(known) != len(shape) or any(
        k != d and k >= 0 for k, d in zip(known, shape, strict=True)
    ):
        raise AutosplitError(
            f"input {name!r}: the shape {list(shape)} contradicts the model's, "
            f"which is [{', '.join('?' if d < 0 else str(d) for d in known)}]"
        )


def _ancestors(values: Iterable[SSAValue]) -> set[object]:
    """The ops that the values depend on, their own among them."""
    found: set[object] = set()
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if op not in found and isinstance(op, MxOp):
            found.add(op)
            pending.extend(value.owner for value in op.operands)
    return found


def fix_input(model: Model, name: str, array: Array) -> None:
    """Puts a parameter in the place of the input `name`."""
    graph = _graph(model)
    op = graph.values()[name].owner
    assert isinstance(op, NullOp)
    constant = make_constant(op.node_name.data, array, model.store)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    op.results[0].replace_all_uses_with(constant.results[0])
    op.detach()
    op.erase()
    if graph.inputs is not None:
        outputs = None if graph.outputs is None else [n.data for n in graph.outputs]
        graph.set_ends([n.data for n in graph.inputs if n.data != name], outputs)


def standalone(module: ModuleOp, func: FuncOp) -> ModuleOp:
    """See `Mxnet.standalone`."""
    body, ends = graph_body(func, lambda name, value: make_placeholder(name, value.type))
    inputs = [name.data for name in func.input_names]
    # A folder of the original's has other names for them.
    return with_attributes(GraphOp(body, inputs, [value_name(v) for v in ends]), module, "mx.")
