"""What preparing a program needs that no other platform has: named sizes, memory that is updated, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from autosplit.core.dtypes import dim_names, ranked_type
from autosplit.core.errors import AutosplitError
from autosplit.dialects.aten.base import AtenOp, reads_number
from autosplit.dialects.aten.graph import (
    ParamOp,
    SourceOp,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.aten.values import attribute_of
from autosplit.dialects.named_graph import OrderedGraph
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import (
    set_type,
    strings,
)
from autosplit.formats.pytorch.rest import module_rest
from autosplit.formats.pytorch.schema import Json
from autosplit.platforms.pytorch.sizes import evaluate


def named_sizes(shapes: Mapping[str, tuple[Attribute, Sequence[int]]]) -> dict[str, int]:
    """The numbers that named sizes have where inputs have shapes: their types before, and the shapes.

    Raises AutosplitError where a size would be two numbers.
    """
    sizes: dict[str, int] = {}
    for name, (type, shape) in shapes.items():
        _note_sizes(name, type, shape, sizes)
    return sizes


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


ALWAYS_FROM = 2
"""PyTorch tells sizes from 0 and 1 whatever a module does, so that most ranges begin here."""


def check_ranges(graph: OrderedGraph, sizes: Mapping[str, int]) -> None:
    """Raises AutosplitError for a size that the program was not exported for."""
    module = graph.parent_op()
    assert isinstance(module, ModuleOp)
    program: Json = module_rest(module).get("program", {})
    ranges: Json = program.get("range_constraints") or {}
    for label, size in sizes.items():
        limits: Json = ranges.get(label) or {}
        least, most = limits.get("min_val") or 0, limits.get("max_val")
        if (least <= ALWAYS_FROM or size >= least) and (most is None or size <= most):
            continue
        wanted = f"at least {least}" if most is None else f"{least} to {most}"
        raise AutosplitError(
            f"the size {label} is {size}, and the program was exported for {wanted}; see dynamic_shapes of "
            "torch.export"
        )


def fix_sizes(graph: OrderedGraph, sizes: Mapping[str, int]) -> None:
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


def needed_ops(graph: OrderedGraph, values: Iterable[SSAValue]) -> set[object]:
    """The ops that the values depend on, what writes to these too, and what is written back."""
    needed: set[object] = set()
    pending: list[object] = [value.owner for value in values]
    pending += [op for op in nodes_of(graph) if isinstance(op, WriteBackOp) or _updates_state(op)]
    writers = _writers(graph)
    while pending:
        op = pending.pop()
        if op in needed or not isinstance(op, AtenOp):
            continue
        needed.add(op)
        pending += [value.owner for value in op.operands]
        pending += [w for value in (*op.operands, *op.results) for w in writers.get(value, ())]
    return needed


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


def _writers(graph: OrderedGraph) -> dict[SSAValue, list[AtenOp]]:
    """The ops that may write to the memory of each value, through views too."""
    views: dict[SSAValue, set[SSAValue]] = {}
    writers: dict[SSAValue, list[AtenOp]] = {}
    for op in nodes_of(graph):
        for i, result in enumerate(op.results):
            shared = op.aliased(i)
            views[result] = {result}.union(*(views[v] for v in shared))
        for value in op.written():
            for alias in views[value]:
                writers.setdefault(alias, []).append(op)
    return writers


def take_numbers(graph: OrderedGraph) -> None:
    """Gives ops the numbers where they read tensors that hold them."""
    for op in nodes_of(graph):
        _take_numbers(op)


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
    values = op.arguments()
    for port in dict.fromkeys(ports[i] for i in held):
        items = [held.get(i, op.operands[i]) for i, name in enumerate(ports) if name == port]
        argument = values[port]
        if isinstance(argument, list):
            rest = iter(items)
            arguments[port] = attribute_of(
                [next(rest) if isinstance(item, SSAValue) else item for item in argument]
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
    replacement = type(op).make(op.node_name.data, arguments, left, types, more=more)
    replacement.attributes.update(op.attributes)
    Rewriter.replace_op(op, replacement)


def _number(op: ParamOp) -> bool | float:
    array = tensor_array(op.value)
    assert array is not None
    return cast("bool | float", array.reshape(()).item())
