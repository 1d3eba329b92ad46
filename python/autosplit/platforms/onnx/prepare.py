"""Fixing the inputs' shapes and the outputs of an ONNX graph, in place."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import cast

from onnx import GraphProto
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from autosplit.core.dtypes import dim_names, ranked_type
from autosplit.core.errors import AutosplitError, choice, nearest
from autosplit.core.units import counted
from autosplit.dialects.onnx.ops import GraphOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import (
    ANONYMOUS,
    LocalType,
    ProtoAttr,
    element_type,
    external_operands,
    named_location,
    set_type,
    strings,
)
from autosplit.formats.onnx.values import type_of_proto
from autosplit.platforms.preparing import own_name


def prepare_graph(
    graph: GraphOp, inputs: Mapping[str, Sequence[int] | None], outputs: Sequence[str]
) -> None:
    """Gives the inputs their shapes and the graph its outputs; see `autosplit.platforms.Platform.prepare`.

    Nodes, constants and inputs that no output needs are dropped; inputs that are named stay.
    """
    if outputs:
        _set_outputs(graph, outputs)
    cut = _cut(graph, inputs)
    declared = dict(graph.graph_inputs())
    shapes: dict[str, Sequence[int] | None] = {}
    for name, shape in inputs.items():
        own = _input_name(name, declared, graph)
        if own in shapes:
            raise AutosplitError(f"input {own!r} appears twice")
        shapes[own] = shape
    if not graph.graph_outputs():
        raise AutosplitError("the model has no outputs; name some with --output")
    _bind(graph, declared, shapes)
    _prune(graph, keep=set(shapes) if outputs or cut else set(declared))
    _forget_stale(graph)


def _cut(graph: GraphOp, names: Iterable[str]) -> bool:
    """Makes inputs of the tensors inside of the graph that are among `names`. True if there are any."""
    inputs = {name for name, _ in graph.graph_inputs()}
    values = {n: v for n, v in _named(graph) if isinstance(v, OpResult)}
    changed = False
    for name in names:
        inner = own_name(values, name)
        if name.removesuffix(":0") in inputs or inner is None:
            continue
        _make_input(graph, inner, values[inner])
        changed = True
    return changed


def _make_input(graph: GraphOp, name: str, value: OpResult) -> None:
    op = value.op
    if isinstance(op, OnnxOp) and op.IS_CONSTANT:
        raise AutosplitError(f"{name!r} is a constant of the model, not an input")
    if not _can_be_fed(value.type):
        raise AutosplitError(
            f"input {name!r}: its dtype does not follow from the model (its type is {value.type}); choose "
            "another tensor"
        )
    others = [v for v in op.results if v is not value and v.first_use is not None]
    if others:
        raise AutosplitError(
            f"input {name!r} is made together with other tensors that the model reads; choose another tensor"
        )
    block = graph.body.block
    argument = block.insert_arg(value.type, len(block.args), named_location(name))
    value.replace_all_uses_with(argument)
    graph.input_names = strings([*(n.data for n in graph.input_names), name])
    if graph.listed_inputs is not None:
        graph.listed_inputs = strings([*(n.data for n in graph.listed_inputs), name])
    op.detach()
    op.erase()


def fix_input(graph: GraphOp, name: str, constant: Operation) -> None:
    """Puts a constant in the place of the input `name`."""
    block = graph.body.block
    names = [n.data for n in graph.input_names]
    argument = block.args[names.index(name)]
    first = block.first_op
    assert first is not None
    block.insert_op_before(constant, first)
    argument.replace_all_uses_with(constant.results[0])
    block.erase_arg(argument)
    graph.input_names = strings(n for n in names if n != name)
    if graph.listed_inputs is not None:
        graph.listed_inputs = strings(n.data for n in graph.listed_inputs if n.data != name)


def inner_tensors(graph: GraphOp, names: Iterable[str]) -> bool:
    """Whether one of the names is of a value inside of the graph of which the model says no dtype."""
    wanted = {n for name in names for n in (name, name.removesuffix(":0"))}
    return any(n in wanted and not _can_be_fed(v.type) for n, v in _named(graph))


def _can_be_fed(type: Attribute) -> bool:
    """Whether a caller can give values of a type."""
    return element_type(type) is not None or (isinstance(type, LocalType) and type.EXCHANGED)


def _input_name(name: str, declared: Mapping[str, SSAValue], graph: GraphOp) -> str:
    for candidate in (name, name.removesuffix(":0"), f"{name}:0"):
        if candidate in declared:
            return candidate
    listed = [] if graph.listed_inputs is None else [n.data for n in graph.listed_inputs]
    if name in listed:
        raise AutosplitError(f"{name!r} is a constant of the model, not an input")
    raise AutosplitError(
        f"the model has no input {name!r}{nearest(name, list(declared))}; it has {_listed(declared)}"
    )


def _listed(names: Mapping[str, object]) -> str:
    shown = ", ".join(repr(n) for n in list(names)[:8])
    return shown + (", ..." if len(names) > 8 else "") if names else "none"


def _set_outputs(graph: GraphOp, outputs: Sequence[str]) -> None:
    values: dict[str, SSAValue] = dict(graph.graph_inputs())
    for op in graph.body.block.ops:
        if isinstance(op, OnnxOp):
            values |= {n: v for n, v in zip(op.output_names, op.results, strict=True) if n}
    names: list[str] = []
    for name in outputs:
        own = own_name(values, name)
        if own is None:
            raise AutosplitError(
                f"the model has no tensor {name!r}{choice(name, list(values))} to be an output"
            )
        if own not in names:
            names.append(own)
    last = graph.body.block.last_op
    if last is not None:
        last.detach()
        last.erase()
    graph.body.block.add_op(ReturnOp([values[n] for n in names]))
    graph.output_names = strings(names)


def _bind(
    graph: GraphOp, declared: Mapping[str, SSAValue], shapes: Mapping[str, Sequence[int] | None]
) -> None:
    """Sets the inputs' types, and puts sizes for the dimensions' names, the same ones everywhere."""
    sizes: dict[str, tuple[int, str]] = {}
    for name, shape in shapes.items():
        if shape is None:
            continue
        value = declared[name]
        element = element_type(value.type)
        if element is None:
            raise AutosplitError(f"input {name!r} is {value.type}: no shape can be given to it")
        if isinstance(value.type, TensorType):
            _match(name, cast("TensorType[Attribute]", value.type), shape, sizes)
    numbers = {name: size for name, (size, _) in sizes.items()}
    for name, shape in shapes.items():
        if shape is not None:
            set_type(declared[name], _sized_type(declared[name].type, shape, numbers))
    if not sizes:
        return
    # Bodies stay as they are: a branch that these sizes never take may contradict them.
    for op in (graph, *graph.body_ops()):
        for value in _defined(op):
            if isinstance(value.type, TensorType):
                set_type(value, _bound(cast("TensorType[Attribute]", value.type), numbers))


def _match(
    name: str,
    type: TensorType[Attribute],
    shape: Sequence[int],
    sizes: dict[str, tuple[int, str]],
) -> None:
    """Raises if a given shape contradicts the declared one; notes what dimensions' names stand for."""
    declared = type.get_shape()
    shown = "x".join(map(str, shape))
    if len(declared) != len(shape):
        raise AutosplitError(
            f"input {name!r} has {counted(len(declared), 'dimension')} ({_shown(type)}), "
            f"{shown} has {len(shape)}"
        )
    for i, (want, size, symbol) in enumerate(zip(declared, shape, dim_names(type), strict=True)):
        if size < -1:
            raise AutosplitError(f"input {name!r}: dimension {i} of {shown} is negative")
        if size == -1 and want >= 0:
            raise AutosplitError(
                f"input {name!r} is declared as {_shown(type)}: dimension {i} is {want} and cannot vary"
            )
        if size == -1:
            # It stays open.
            continue
        if want >= 0 and want != size:
            raise AutosplitError(
                f"input {name!r} is declared as {_shown(type)}: dimension {i} is {want}, not {size}"
            )
        if symbol in ANONYMOUS:
            continue
        bound, by = sizes.setdefault(symbol, (size, name))
        if bound != size:
            raise AutosplitError(
                f"dimension {symbol!r} is {bound} by input {by!r} and {size} by input {name!r}"
            )


def _shown(type: TensorType[Attribute]) -> str:
    dims = zip(type.get_shape(), dim_names(type), strict=True)
    return "x".join(str(size) if size >= 0 else (name or "?") for size, name in dims)


def _sized_type(
    type: Attribute, shape: Sequence[int], numbers: Container[str]
) -> TensorType[Attribute]:
    """A type with the given shape. An open size keeps its name where no other input gives it a number."""
    element = element_type(type)
    assert element is not None
    if isinstance(type, TensorType):
        names = dim_names(cast("TensorType[Attribute]", type))
    else:
        names = [""] * len(shape)
    names = [
        "" if size >= 0 or n in numbers or n in ANONYMOUS else n
        for size, n in zip(shape, names, strict=True)
    ]
    return ranked_type(element, [d if d >= 0 else DYNAMIC_INDEX for d in shape], names)


def _bound(type: TensorType[Attribute], numbers: Mapping[str, int]) -> TensorType[Attribute]:
    names = dim_names(type)
    if not any(n in numbers for n in names):
        return type
    pairs = list(zip(type.get_shape(), names, strict=True))
    return ranked_type(
        type.element_type,
        [numbers.get(n, size) for size, n in pairs],
        ["" if n in numbers else n for n in names],
    )


def _defined(op: Operation) -> list[SSAValue]:
    arguments = [a for region in op.regions for block in region.blocks for a in block.args]
    return [*op.results, *arguments]


def _prune(graph: GraphOp, keep: set[str]) -> None:
    """Drops what no output needs, and the inputs that are then unused, except `keep`."""
    block = graph.body.block
    needed: set[Operation] = {op for op in block.ops if isinstance(op, ReturnOp)}
    for op in reversed(list(block.ops)):
        if op not in needed:
            continue
        for value in external_operands(op):
            # What an op in the body of a node reads may be defined in a graph further out.
            if isinstance(value.owner, Operation):
                needed.add(value.owner)
    for op in reversed(list(block.ops)):
        if op not in needed:
            op.detach()
            op.erase()
    pairs = list(zip(graph.input_names.data, block.args, strict=True))
    kept = [(n, a) for n, a in pairs if n.data in keep or a.first_use is not None]
    for _, argument in pairs:
        if all(argument is not a for _, a in kept):
            block.erase_arg(argument)
    graph.input_names = strings(n.data for n, _ in kept)
    _relist(graph)


def _relist(graph: GraphOp) -> None:
    if graph.listed_inputs is None:
        return
    names = {n.data for n in graph.input_names}
    names |= {op.node_name.data for op in graph.body.block.ops if isinstance(op, OnnxOp)}
    graph.listed_inputs = strings(n.data for n in graph.listed_inputs if n.data in names)


def _forget_stale(graph: GraphOp) -> None:
    """Drops what `rest` says of values that are gone or have another type now."""
    for op in graph.walk():
        if not isinstance(op, GraphOp) or op.rest is None:
            continue
        types = {v_name: v.type for v_name, v in _named(op)}
        rest = GraphProto.FromString(op.rest.data.data)
        for infos in (rest.value_info, rest.input, rest.output):
            fresh = [i for i in infos if types.get(i.name) == type_of_proto(i.type)]
            del infos[:]
            infos.extend(fresh)
        quantized = [q for q in rest.quantization_annotation if q.tensor_name in types]
        del rest.quantization_annotation[:]
        rest.quantization_annotation.extend(quantized)
        data = rest.SerializeToString(deterministic=True)
        op.rest = ProtoAttr.of(data) if data else None


def _named(graph: GraphOp) -> list[tuple[str, SSAValue]]:
    pairs = graph.graph_inputs()
    for op in graph.body.block.ops:
        if isinstance(op, OnnxOp):
            pairs += list(zip(op.output_names, op.results, strict=True))
    return pairs
