"""Fixing the inputs and outputs of an imported program, and taking one sub-model out of a module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.dtypes import dim_names, ranked_type
from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.aten.base import AtenOp, is_symbol, reads_number
from autosplit.dialects.aten.build import make_constant, make_input
from autosplit.dialects.aten.graph import (
    GraphOp,
    InputOp,
    ParamOp,
    SourceOp,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.aten.values import attribute_of
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import (
    PlatformGraph,
    element_type,
    platform_graph,
    set_type,
    shape_of,
    strings,
    value_name,
)
from autosplit.formats.pytorch.arguments import symbol_kind
from autosplit.lowering.device.notes import note
from autosplit.platforms import Model
from autosplit.platforms.outlined import graph_body, with_attributes
from autosplit.platforms.pytorch.checks import kept_checks, left_out
from autosplit.platforms.pytorch.sizes import evaluate

if TYPE_CHECKING:
    from autosplit.core.weights import Array
    from autosplit.dialects.device import FuncOp


def graph_of(graph: PlatformGraph) -> GraphOp:
    """A graph as one of PyTorch's. Raises AutosplitError where it is none."""
    if not isinstance(graph, GraphOp):
        raise AutosplitError(f"expected an aten.graph, found {graph.name}")
    return graph


def prepare(
    model: Model, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> None:
    """See `Pytorch.prepare`."""
    graph = graph_of(platform_graph(model.module))
    try:
        note(model.module, _prepare(graph, inputs, outputs))
    except AutosplitError as error:
        if model.path is None:
            raise
        raise AutosplitError(f"{model.path}: {error}") from None


def _prepare(
    graph: GraphOp, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> dict[str, Attribute]:
    """As `prepare`; returns the note on the checks that the graph does not make any more."""
    values = graph.values()
    wanted = [_find(values, name, "output") for name in outputs]
    if not outputs:
        wanted = [name for name, _ in graph.graph_outputs()]
    given: list[str] = []
    sizes: dict[str, int] = {}
    for name, shape in inputs.items():
        found = _find(values, name, "input")
        if found in given:
            raise AutosplitError(f"input {found!r} is given twice")
        _set_input(values[found], found, shape, sizes)
        given.append(found)
    _fix_sizes(graph, sizes)
    values = graph.values()
    needed = _needed(graph, [values[name] for name in wanted])
    for op in nodes_of(graph):
        if isinstance(op, InputOp) and op in needed:
            given.append(op.value_name(0))
    given = list(dict.fromkeys(given))
    checks = kept_checks(graph, needed)
    unchecked = left_out(graph, checks)
    kept = needed | checks | {values[name].owner for name in given}
    for op in reversed(nodes_of(graph)):
        if op not in kept:
            op.detach()
            op.erase()
    graph.set_ends(given, dict.fromkeys(wanted))
    return unchecked


def _find(values: Mapping[str, SSAValue], name: str, what: str) -> str:
    """The name of a value, which may have TensorFlow's `:0`. Raises AutosplitError where there is none."""
    for tried in (name, name.removesuffix(":0")):
        if tried in values:
            return tried
    known = list(values)
    if what == "input":
        known = [n for n, v in values.items() if isinstance(v.owner, InputOp)] or known
    raise AutosplitError(f"{what} {name!r} is not a value of the program{choice(name, known)}")


def _set_input(
    value: SSAValue, name: str, shape: Sequence[int] | None, sizes: dict[str, int]
) -> None:
    """Makes the value an input of the given shape; notes in `sizes` what that fixes."""
    op = value.owner
    assert isinstance(op, AtenOp)
    if shape is not None:
        _check_shape(name, shape_of(value.type), shape)
        _note_sizes(name, value.type, shape, sizes)
        set_type(value, TensorType(element_type(value.type) or f32, shape))
    if isinstance(op, InputOp):
        return
    if isinstance(op, SourceOp):
        raise AutosplitError(
            f"input {name!r} is a parameter of the program; choose one of its inputs, or a value inside"
        )
    placeholder = make_input(name, value.type, symbol_kind(value))
    Rewriter.insert_op(placeholder, InsertPoint.before(op))
    value.replace_all_uses_with(placeholder.results[0])
    for other in op.results:
        if other is not value and other.first_use is not None:
            # The node stays for its other outputs, and its name for theirs.
            raise AutosplitError(
                f"input {name!r} is made together with {op.value_name(other.index)!r}, which the program "
                "reads too; choose another value"
            )
    op.detach()
    op.erase()


def _check_shape(name: str, known: tuple[int, ...] | None, shape: Sequence[int]) -> None:
    """Raises where `shape` is none, or contradicts what the program says."""
    if any(d < -1 for d in shape):
        raise AutosplitError(f"input {name!r}: {list(shape)} is not a shape")
    if known is None:
        return
    if len(known) != len(shape) or any(
        k != d and k >= 0 for k, d in zip(known, shape, strict=True)
    ):
        raise AutosplitError(
            f"input {name!r}: the shape {list(shape)} contradicts the program's, which is "
            f"[{', '.join('?' if d < 0 else str(d) for d in known)}]; see dynamic_shapes of torch.export"
        )


def _note_sizes(name: str, type: Attribute, shape: Sequence[int], sizes: dict[str, int]) -> None:
    """Notes which named sizes a shape fixes. Raises where one of them is another already."""
    if not isinstance(type, TensorType):
        return
    for label, size in zip(dim_names(cast("TensorType[Attribute]", type)), shape, strict=True):
        if not label or size < 0:
            continue
        if sizes.setdefault(label, size) != size:
            raise AutosplitError(
                f"input {name!r}: the size {label} is {size}, and {sizes[label]} elsewhere; the program has "
                "one size there"
            )


def _fix_sizes(graph: GraphOp, sizes: Mapping[str, int]) -> None:
    """Puts the numbers that are known into the types of all values."""
    if not sizes:
        return
    for value in graph.values().values():
        set_type(value, _fixed(value.type, sizes))


def _fixed(type: Attribute, sizes: Mapping[str, int]) -> Attribute:
    if not isinstance(type, TensorType):
        return type
    tensor = cast("TensorType[Attribute]", type)
    shape, names = [*tensor.get_shape()], dim_names(tensor)
    for place, label in enumerate(names):
        number = evaluate(label, sizes) if label and shape[place] < 0 else None
        if number is not None:
            shape[place], names[place] = number, ""
    return ranked_type(tensor.element_type, shape, names)


def _needed(graph: GraphOp, values: Iterable[SSAValue]) -> set[object]:
    """The ops that the values depend on, what writes to these too, and what is written back."""
    found: set[object] = set()
    pending: list[object] = [value.owner for value in values]
    pending += [op for op in nodes_of(graph) if isinstance(op, WriteBackOp) or _updates_state(op)]
    writers = _writers(graph)
    while pending:
        op = pending.pop()
        if op in found or not isinstance(op, AtenOp):
            continue
        found.add(op)
        pending += [value.owner for value in op.operands]
        pending += [w for value in (*op.operands, *op.results) for w in writers.get(value, ())]
    return found


def _updates_state(op: AtenOp) -> bool:
    return any(_root(value) is not None for value in op.written())


def _root(value: SSAValue) -> object:
    """The source whose memory a value may be; None where that is none."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, SourceOp):
            return owner
        if isinstance(owner, AtenOp):
            pending += owner.aliased(value.index if isinstance(value, OpResult) else 0)
    return None


def _writers(graph: GraphOp) -> dict[SSAValue, list[AtenOp]]:
    """The ops that may write to the memory of each value, through views too."""
    views: dict[SSAValue, set[SSAValue]] = {}
    found: dict[SSAValue, list[AtenOp]] = {}
    for op in nodes_of(graph):
        for i, result in enumerate(op.results):
            shared = op.aliased(i)
            views[result] = {result}.union(*(views[v] for v in shared))
        for value in op.written():
            for alias in views[value]:
                found.setdefault(alias, []).append(op)
    return found


def fix_input(model: Model, name: str, array: Array) -> None:
    """Puts a constant in the place of the input `name`."""
    graph = graph_of(platform_graph(model.module))
    op = graph.values()[name].owner
    assert isinstance(op, InputOp)
    if is_symbol(op.results[0]):
        raise AutosplitError(f"input {name!r} is a number, which no constant can stand for")
    constant = make_constant(op.node_name.data, array, model.store)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    op.results[0].replace_all_uses_with(constant.results[0])
    op.detach()
    op.erase()
    if graph.inputs is not None:
        outputs = None if graph.outputs is None else [n.data for n in graph.outputs]
        graph.set_ends([n.data for n in graph.inputs if n.data != name], outputs)


def standalone(module: ModuleOp, func: FuncOp) -> ModuleOp:
    """See `Pytorch.standalone`."""
    body, ends = graph_body(
        func, lambda name, value: make_input(name, value.type, symbol_kind(value))
    )
    inputs = [name.data for name in func.input_names]
    # A folder of the original's has other names for them.
    graph = GraphOp(body, inputs, [value_name(v) for v in ends])
    for op in nodes_of(graph):
        _take_numbers(op)
    return with_attributes(graph, module, "aten.")


def _take_numbers(op: AtenOp) -> None:
    """Gives an op the numbers where it reads tensors that hold them: sizes that are known by now."""
    held = {
        i: _number(value.owner)
        for i, value in enumerate(op.operands)
        if isinstance(value.owner, ParamOp) and reads_number(op, i)
    }
    if not held:
        return
    ports = op.operand_ports()
    arguments = dict(op.node_args.data)
    given = op.given()
    for port in dict.fromkeys(ports[i] for i in held):
        items = [held.get(i, op.operands[i]) for i, name in enumerate(ports) if name == port]
        found = given[port]
        if isinstance(found, list):
            rest = iter(items)
            arguments[port] = attribute_of(
                [next(rest) if isinstance(item, SSAValue) else item for item in found]
            )
        else:
            (arguments[port],) = (
                attribute_of(item) for item in items if not isinstance(item, SSAValue)
            )
    more = {k: v for k, v in op.properties.items() if k in ("target", "value_names")}
    if op.symbols is not None and (left := [n for n in op.symbols if n.data not in arguments]):
        more["symbols"] = strings(n.data for n in left)
    left = [(ports[i], value) for i, value in enumerate(op.operands) if i not in held]
    types = [result.type for result in op.results]
    made = type(op).make(op.node_name.data, arguments, left, types, more=more)
    made.attributes.update(op.attributes)
    Rewriter.replace_op(op, made)


def _number(op: ParamOp) -> bool | float:
    array = tensor_array(op.value)
    assert array is not None
    return cast("bool | float", array.reshape(()).item())
