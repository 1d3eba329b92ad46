"""Ifs whose branch is known: writing that branch in their place."""

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
    """Whether there is an If in `op` of which the branch is known."""
    return any(TAKEN in inner.attributes for inner in op.walk())


def take_branches(op: Operation) -> None:
    """Puts the branch that is taken in the place of each If under `op` that `note_branches` marked."""
    names = Counter(name for inner in op.walk() for name in _defined(inner))
    # A branch that is gone takes the Ifs in it with it, so outer ones come first.
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
            own = value.owner in moved and values.count(value) == 1
            value = _called(value, name, result.type) if own else None
            value = value or _copied(values[index], name, op, index)
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _can_be_named(result: OpResult) -> bool:
    """Whether an Identity can give a result of an If, in every opset."""
    return isinstance(result.type, TensorType | UnrankedTensorType)


def _defined(op: Operation) -> Iterator[str]:
    """The names of values that an op defines, its bodies aside."""
    if isinstance(op, OnnxOp):
        yield from filter(None, op.output_names)
    if isinstance(op, GraphOp | FuncOp):
        yield from (name.data for name in op.input_names)


def _rename(op: Operation, names: Counter[str]) -> None:
    """Gives the values of an op from a branch names that no value in the graph around has."""
    if not isinstance(op, OnnxOp):
        names.update(_defined(op))
        return
    own = [_free(name, names) if name else "" for name in op.output_names]
    if own == op.output_names:
        return
    op.properties["value_names"] = strings(own)
    if isinstance(op, InitializerOp):
        op.properties["node_name"] = StringAttr(own[0])


def _free(name: str, names: Counter[str]) -> str:
    wanted, number = name, 1
    while names[name] > 0:
        number += 1
        name = f"{wanted}_{number}"
    names[name] += 1
    return name


def _called(value: SSAValue, name: str, type: Attribute) -> SSAValue | None:
    """A value of the branch under the name and type that the If gives it; None if it keeps its own."""
    maker = value.owner
    if (
        not isinstance(value, OpResult)
        or not isinstance(maker, OnnxOp)
        or isinstance(maker, InitializerOp)
    ):
        return None
    names = maker.output_names
    names[value.index] = name
    maker.properties["value_names"] = strings(names)
    set_type(value, type)
    return value


def _copied(value: SSAValue, name: str, op: OnnxOp, index: int) -> SSAValue:
    """A copy, called `name`, of a value that other names stand for too."""
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
