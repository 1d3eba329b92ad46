"""Replaces Ifs whose branch is known by that branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.base import (
    GraphOp,
    InitializerOp,
    OnnxOp,
    ReturnOp,
)
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import (
    set_type,
    strings,
)

TAKEN = "onnx.taken"
"""The attribute of an If whose condition is known: the name of the branch that it takes."""


def has_taken(op: Operation) -> bool:
    """Whether `op` contains an If whose branch is known."""
    return any(TAKEN in inner.attributes for inner in op.walk())


def take_branches(op: Operation) -> None:
    """Replaces each If under `op` that `note_branches` marked by the branch that is taken."""
    names = Counter(name for inner in op.walk() for name in _defined(inner))
    # Outer Ifs first: dropping a branch drops the Ifs inside it.
    while (choice := next((i for i in op.walk() if TAKEN in i.attributes), None)) is not None:
        branch = choice.attributes.pop(TAKEN)
        if isinstance(choice, OnnxOp) and isinstance(branch, StringAttr):
            _take(choice, branch.data, names)


def _take(op: OnnxOp, branch: str, names: Counter[str]) -> None:
    graph = dict(op.graphs).get(branch)
    if graph is None or not all(_can_be_named(r) for r in op.results):
        return
    for _, other in op.graphs:
        for inner in other.walk():
            names.subtract(_defined(inner))
    names.subtract(op.output_names)
    values = [value for _, value in graph.graph_outputs()]
    moved = [inner for inner in graph.body.block.ops if not isinstance(inner, ReturnOp)]
    for inner in moved:
        inner.detach()
        Rewriter.insert_op(inner, InsertPoint.before(op))
        for defined in inner.walk():
            _rename(defined, names)
    for index, (result, value) in enumerate(zip(op.results, values, strict=True)):
        if name := op.value_name(index):
            names[name] += 1
            is_unshared = value.owner in moved and values.count(value) == 1
            value = _renamed(value, name, result.type) if is_unshared else None
            value = value or _copy_of(values[index], name, op, index)
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _can_be_named(result: OpResult) -> bool:
    """Whether an Identity can produce this result of an If, in every opset."""
    return isinstance(result.type, TensorType | UnrankedTensorType)


def _defined(op: Operation) -> Iterator[str]:
    """The names of values that an op itself defines, without its bodies."""
    if isinstance(op, OnnxOp):
        yield from filter(None, op.output_names)
    if isinstance(op, GraphOp | FuncOp):
        yield from (name.data for name in op.input_names)


def _rename(op: Operation, names: Counter[str]) -> None:
    """Renames the values of an op from a branch that clash with the graph around."""
    if not isinstance(op, OnnxOp):
        names.update(_defined(op))
        return
    new_names = [_free(name, names) if name else "" for name in op.output_names]
    if new_names == op.output_names:
        return
    op.properties["value_names"] = strings(new_names)
    if isinstance(op, InitializerOp):
        op.properties["node_name"] = StringAttr(new_names[0])


def _free(name: str, names: Counter[str]) -> str:
    base, number = name, 1
    while names[name] > 0:
        number += 1
        name = f"{base}_{number}"
    names[name] += 1
    return name


def _renamed(value: SSAValue, name: str, type: Attribute) -> SSAValue | None:
    """A value of the branch with the name and type of the If's result; None if it cannot be renamed."""
    producer = value.owner
    if (
        not isinstance(value, OpResult)
        or not isinstance(producer, OnnxOp)
        or isinstance(producer, InitializerOp)
    ):
        return None
    names = producer.output_names
    names[value.index] = name
    producer.properties["value_names"] = strings(names)
    set_type(value, type)
    return value


def _copy_of(value: SSAValue, name: str, op: OnnxOp, index: int) -> SSAValue:
    """A copy, named `name`, of a value that has another name too."""
    copy = make_node(
        "Identity",
        [value],
        [name],
        result_types=[op.results[index].type],
        node_name=op.node_name.data if index == 0 else "",
        location=op.location,
    )
    Rewriter.insert_op(copy, InsertPoint.before(op))
    return copy.results[0]
