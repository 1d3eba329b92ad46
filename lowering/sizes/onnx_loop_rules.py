"""The sizes of the results of ONNX's Loop and Scan, and of the inputs of their bodies.

They hold in every round: a loop variable has the sizes that it enters with and that each round returns, and
nothing else is assumed about it. This gives the sizes of scan outputs, and of what they are stacked from, as
in a map over images; a Loop's number of rounds is its trip count, or what its condition counts to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from onnx import TensorProto
from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Block, SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import element_type, set_type, shape_of
from autosplit.lowering.sizes.affine import Number, is_size, maximum, minimum
from autosplit.lowering.sizes.known_sizes import (
    KnownSizes,
    NoteRule,
    Shape,
    ShapeRule,
    Shapes,
    agreed,
    fixed,
    open_size,
)

FOREVER = 1 << 31
"""Trip counts from here on leave the end to the condition."""

EXACT = 1 << 24
"""Below this, integers are as exact in float as they were."""


def _source(value: SSAValue) -> SSAValue:
    while isinstance(op := value.owner, OnnxOp) and op.op_type == "Identity" and op.domain == "":
        value = op.operands[0]
    return value


def _body(op: OnnxOp) -> tuple[Block, list[SSAValue]]:
    """The body of a loop, and what it returns."""
    graph = dict(op.graphs)["body"]
    return graph.body.block, [value for _, value in graph.graph_outputs()]


def _carried(
    s: KnownSizes, initial: SSAValue | None, inside: SSAValue, back: SSAValue
) -> Shape | None:
    """The sizes that a loop variable has in every round, and after the last one."""
    if _source(back) is inside:
        return s.shape(initial)
    return agreed([s.shape(initial), fixed(s.shape(back))])


# Loop


@dataclass(frozen=True)
class _Loop:
    sizes: KnownSizes
    op: OnnxOp
    inside: Sequence[SSAValue]
    """The inputs of the body: the number of the round, the condition, the variables."""
    returned: Sequence[SSAValue]
    """What the body returns: the condition, the variables, what is stacked."""

    @staticmethod
    def of(sizes: KnownSizes, op: OnnxOp) -> _Loop:
        block, returned = _body(op)
        return _Loop(sizes, op, block.args, returned)

    def rounds(self) -> Number:
        """How often the body runs; an unknown number where that depends on data."""
        counts: list[Number] = []
        if (trip := operand(self.op, 0)) is not None:
            if (most := self.sizes.number(trip)) is None:
                return open_size()
            if not isinstance(most, int) or most < FOREVER:
                counts.append(most)
        begins = operand(self.op, 1)
        if begins is not None and self.sizes.number(begins) != 1:
            return open_size()
        for condition in _conditions(self.returned[0]):
            if condition is self.inside[1] or self.sizes.number(condition) == 1:
                continue
            if (count := self.counted(condition)) is None:
                return open_size()
            counts.append(count)
        rounds = reduce(minimum, counts) if counts else open_size()
        return rounds if is_size(rounds) else open_size()

    def counted(self, condition: SSAValue) -> Number | None:
        """The number of rounds of a loop that goes on while its round counter is less than a number."""
        less = condition.owner
        if not isinstance(less, OnnxOp) or less.op_type != "Less" or less.domain != "":
            return None
        first = self.first_count(_number(less.operands[0]))
        last = self.invariant(_number(less.operands[1]))
        if first is None or last is None or (isinstance(last, int) and last >= EXACT):
            return None
        return maximum(last - first + 1, 1)

    def first_count(self, value: SSAValue) -> Number | None:
        """The value in the first round of a counter that grows by one in each round."""
        if (parts := self.sum(value)) is not None:
            first = self.first_count(parts[0])
            return None if first is None else first + parts[1]
        if (index := self.index_of(value)) in (None, 1):
            return None
        if index == 0:
            return 0
        step = self.sum(_number(self.returned[index - 1]))
        return self.sizes.number(self.op.inputs[index]) if step == (value, 1) else None

    def sum(self, value: SSAValue) -> tuple[SSAValue, int] | None:
        """A value as the sum of another one and a number."""
        add = value.owner
        if not isinstance(add, OnnxOp) or add.op_type != "Add" or add.domain != "":
            return None
        for one, other in (add.operands, add.operands[::-1]):
            if isinstance(number := self.sizes.number(other), int):
                return _number(one), number
        return None

    def invariant(self, value: SSAValue) -> Number | None:
        """A number that is the same in every round, else None."""
        number = self.sizes.number(value)
        if number is None:
            number = _integer(self.sizes, value)
        if isinstance(number, int) or not self.is_inside(value):
            return number
        index = self.index_of(value)
        if index is None or index < 2 or _source(self.returned[index - 1]) is not value:
            return None
        return self.sizes.number(self.op.inputs[index])

    def index_of(self, value: SSAValue) -> int | None:
        return next((i for i, v in enumerate(self.inside) if v is value), None)

    def is_inside(self, value: SSAValue) -> bool:
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        return block is self.inside[0].owner


def _loop(s: KnownSizes, op: OnnxOp) -> Shapes:
    loop = _Loop.of(s, op)
    for result, value in zip(op.results, loop.returned[1:], strict=True):
        # If the inference gives up on a loop, its results do not even have a dtype.
        if (element := element_type(value.type)) is not None and element_type(result.type) is None:
            set_type(result, UnrankedTensorType(element))
    carried = op.inputs[2:]
    count = len(carried)
    shapes = [
        _carried(s, *variable)
        for variable in zip(carried, loop.inside[2:], loop.returned[1 : 1 + count], strict=True)
    ]
    rounds = loop.rounds()
    for value in loop.returned[1 + count :]:
        each = fixed(s.shape(value))
        # Without any rounds, a runtime may return anything.
        shapes.append(None if each is None or rounds == 0 else (rounds, *each))
    return shapes


def _enter_loop(s: KnownSizes, op: OnnxOp) -> None:
    block, returned = _body(op)
    for initial, inside, back in zip(op.inputs[2:], block.args[2:], returned[1:], strict=False):
        s.set_input_shape(inside, _carried(s, initial, inside, back))


def _conditions(value: SSAValue) -> Iterator[SSAValue]:
    """The conditions that must all hold for a value to be true."""
    value = _source(value)
    if isinstance(op := value.owner, OnnxOp) and op.op_type == "And" and op.domain == "":
        for part in op.operands:
            yield from _conditions(part)
    else:
        yield value


def _integer(s: KnownSizes, value: SSAValue) -> int | None:
    """A constant that is a whole number, of any type."""
    array = s.constants.array(value) if s.constants.is_constant(value) else None
    if array is None or array.size != 1 or not float(array.reshape(-1)[0]).is_integer():
        return None
    return int(array.reshape(-1)[0])


def _number(value: SSAValue) -> SSAValue:
    """A value before its casts to other types of numbers."""
    value = _source(value)
    while isinstance(op := value.owner, OnnxOp) and op.op_type == "Cast" and op.domain == "":
        if attribute(op, "to") not in (TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64):
            return value
        value = _source(op.operands[0])
    return value


# Scan


def _places(op: OnnxOp, name: str, count: int) -> list[int]:
    return [int(axis) for axis in attribute(op, name, None) or [0] * count]


def _scan(s: KnownSizes, op: OnnxOp) -> Shapes:
    block, returned = _body(op)
    inputs = int(attribute(op, "num_scan_inputs"))
    states = len(op.inputs) - inputs
    shapes = [
        _carried(s, *state)
        for state in zip(op.inputs[:states], block.args[:states], returned[:states], strict=True)
    ]
    rounds = next((n for n in _lengths(s, op, states) if isinstance(n, int)), None)
    rounds = next(iter(_lengths(s, op, states)), open_size()) if rounds is None else rounds
    stacked = returned[states:]
    for value, axis in zip(stacked, _places(op, "scan_output_axes", len(stacked)), strict=True):
        each = fixed(s.shape(value))
        if each is None or rounds == 0:
            shapes.append(None)
            continue
        position = axis % (len(each) + 1)
        shapes.append((*each[:position], rounds, *each[position:]))
    return shapes


def _lengths(s: KnownSizes, op: OnnxOp, states: int) -> Iterator[Number]:
    """The number of rounds according to each scan input."""
    scanned = op.inputs[states:]
    for value, axis in zip(scanned, _places(op, "scan_input_axes", len(scanned)), strict=True):
        if shape := s.shape(value):
            yield shape[axis]


def _enter_scan(s: KnownSizes, op: OnnxOp) -> None:
    block, returned = _body(op)
    states = len(op.inputs) - int(attribute(op, "num_scan_inputs"))
    for initial, inside, back in zip(op.inputs[:states], block.args, returned, strict=False):
        s.set_input_shape(inside, _carried(s, initial, inside, back))
    scanned = op.inputs[states:]
    axes = _places(op, "scan_input_axes", len(scanned))
    for initial, inside, axis in zip(scanned, block.args[states:], axes, strict=True):
        if shape := s.shape(initial):
            position = axis % len(shape)
            s.set_input_shape(inside, (*shape[:position], *shape[position + 1 :]))


def stacked(op: OnnxOp, data: set[SSAValue]) -> set[SSAValue]:
    """The scan outputs of which only the number of rounds is unknown, and does not depend on `data`."""
    block, returned = _body(op)
    carried = len(op.inputs) - 2
    if op.op_type == "Scan":
        carried = len(op.inputs) - int(attribute(op, "num_scan_inputs"))
    elif not data.isdisjoint(filter(None, op.inputs[:2])) or any(
        condition is not block.args[1] and not _is_constant(condition)
        for condition in _conditions(returned[0])
    ):
        return set()
    results = op.results[carried:]
    axes = _places(op, "scan_output_axes", len(results))
    return {r for r, axis in zip(results, axes, strict=True) if _is_open_along(r, axis)}


def _is_constant(value: SSAValue) -> bool:
    return isinstance(op := value.owner, OnnxOp) and op.IS_CONSTANT


def _is_open_along(value: SSAValue, axis: int) -> bool:
    shape = shape_of(value.type)
    return shape is not None and all(d >= 0 for i, d in enumerate(shape) if i != axis % len(shape))


SHAPES: dict[str, ShapeRule] = {"Loop": _loop, "Scan": _scan}
"""The shapes of an op's results, by the op's type."""

ENTERS: dict[str, NoteRule] = {"Loop": _enter_loop, "Scan": _enter_scan}
"""What is noted of the inputs of an op's body before what is inside, by the op's type."""
