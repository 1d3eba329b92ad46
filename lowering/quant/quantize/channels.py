"""Finds channels that can be scaled together with the producer and all users of a value.

A value whose channels are multiplied by positive numbers, and products behind it whose weights are divided by
them, compute the same. Between them may stand what moves numbers, and what scales with its operand, as Relu
does and Clip does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import SSAValue
from xdsl.traits import IsTerminator

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import shape_of, value_name
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.quant.quantize.weights import channel_counts, input_axis, result_axis

PROPORTIONAL = frozenset({"Abs", "Identity", "LeakyRelu", "Neg", "Relu"})
"""Ops that scale with their one operand, as long as factors are positive."""

FACTORS: Mapping[str, tuple[int, ...]] = {"Div": (0,), "Mul": (0, 1), "PRelu": (0,)}
"""Ops that scale with one of two operands, and which ones these may be."""

SPATIAL = frozenset({"AveragePool", "GlobalAveragePool", "GlobalMaxPool", "MaxPool"})
"""Ops that compute each channel of dimension 1 separately."""

SHAPED = frozenset({"Flatten", "Reshape", "Squeeze", "Unsqueeze"})

NORMS: Mapping[str, tuple[int, ...]] = {
    "BatchNormalization": (1, 2),
    "InstanceNormalization": (1, 2),
    "LayerNormalization": (1, 2),
    "RMSNormalization": (1,),
}
"""Which operands hold a number for each channel of the result."""


@dataclass(frozen=True)
class ScaledConstant:
    """A constant operand that is multiplied where channels are; `axis`: the dimension that holds these."""

    op: OnnxOp
    number: int
    axis: int


@dataclass
class ChannelGroup:
    """The channels of one value, from what makes them to the products that read them."""

    maker: OnnxOp
    count: int
    constants: list[ScaledConstant] = field(default_factory=list[ScaledConstant])
    """What is multiplied, but the weights of a maker that is a product."""
    readers: dict[OnnxOp, None] = field(default_factory=dict[OnnxOp, None])
    """The products whose weights are divided."""
    values: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """What scales, from the maker's result on, and which dimension its channels are."""

    @property
    def name(self) -> str:
        """The value that is made."""
        return value_name(self.maker.results[0])


@dataclass
class _Declined(Exception):
    """Why channels cannot be scaled."""

    text: str


class ChannelTracer:
    """Follows the channels of values of a module."""

    def __init__(self, values: ModuleValues):
        self.values = values

    def of_product(self, op: OnnxOp) -> ChannelGroup | str:
        """The channels of the result of a product; text says why they cannot be scaled."""
        axis = result_axis(op)
        counts = channel_counts(op)
        if not self.values.is_constant(op.operands[1]) or counts is None or axis is None:
            return "its weights are computed, or of an unknown form"
        group = ChannelGroup(op, counts[1])
        if op.op_type != "MatMul" and (bias := operand(op, 2)) is not None:
            constant = self._constant(op, 2, bias, group.count)
            if constant is None:
                return "its bias is not one constant for each channel"
            group.constants.append(constant)
        return self._followed(group, axis)

    def of_norm(self, op: OnnxOp) -> ChannelGroup | str:
        """As `of_product`, for a normalization, or the product with constants that one ends with."""
        shape = shape_of(op.results[0].type)
        if not shape:
            return "its rank is unknown"
        if kind_of(op) == "Mul":
            numbers = [i for i, v in enumerate(op.operands) if self.values.is_constant(v)]
            axis = len(shape) - 1
        else:
            numbers = [i for i in NORMS[kind_of(op)] if operand(op, i) is not None]
            axis = len(shape) - 1 if op.op_type.startswith(("Layer", "RMS")) else 1
        group = ChannelGroup(op, shape[axis])
        for number in numbers:
            constant = self._constant(op, number, op.operands[number], group.count)
            if constant is None:
                return "its scale or its bias is not one constant for each channel of the last dimension"
            group.constants.append(constant)
        return self._followed(group, axis)

    def _constant(
        self, op: OnnxOp, number: int, value: SSAValue, count: int
    ) -> ScaledConstant | None:
        """A constant with a number for each channel along its last dimension."""
        shape = shape_of(value.type)
        if not self.values.is_constant(value) or not shape or shape[-1] != count:
            return None
        return ScaledConstant(op, number, len(shape) - 1)

    def _followed(self, group: ChannelGroup, axis: int) -> ChannelGroup | str:
        if group.count < 2:
            return "it has no channels that could differ"
        if len(group.maker.results) != 1 or shape_of(group.maker.results[0].type) is None:
            return "its shape is unknown"
        try:
            _Walk(self.values, group).run(axis)
        except _Declined as declined:
            return declined.text
        return group


class _Walk:
    """From the value that a maker makes to all that reads it."""

    def __init__(self, values: ModuleValues, group: ChannelGroup):
        self.values, self.group = values, group
        self.axes = group.values
        self.joins: dict[OnnxOp, None] = {}
        """Ops that must have no other computed operand."""
        self.factors: dict[OnnxOp, None] = {}
        """Ops that must have only one operand that scales."""

    def run(self, axis: int) -> None:
        """Fills the group. Raises _Declined where something does not scale."""
        todo = [(self.group.maker.results[0], axis)]
        while todo:
            value, axis = todo.pop()
            if (other_axis := self.axes.setdefault(value, axis)) != axis:
                raise _Declined(
                    f"channels are two dimensions of {value_name(value)!r}, {other_axis} too"
                )
            for use in value.uses:
                op = use.operation
                if not isinstance(op, OnnxOp) or op.has_trait(IsTerminator):
                    raise _Declined(f"{value_name(value)!r} leaves the model")
                if op.parent is not self.group.maker.parent:
                    raise _Declined(f"a body inside of the model reads {value_name(value)!r}")
                if self._reads(op, use.index, axis):
                    self.group.readers[op] = None
                    continue
                passed = self._passed(op, use.index, axis)
                todo += [(r, passed) for r in op.results if r not in self.axes]
        for op in self.joins:
            if any(v not in self.axes and not self.values.is_constant(v) for v in op.operands):
                raise _Declined(f"{op.op_type} {op.identity!r} joins what does not scale")
        for op in self.factors:
            if sum(v in self.axes for v in op.operands) > 1:
                raise _Declined(f"{op.op_type} {op.identity!r} multiplies what scales with itself")

    def _reads(self, op: OnnxOp, number: int, axis: int) -> bool:
        """Whether an op is a product whose weights can take what the channels lose."""
        if kind_of(op) not in PRODUCTS or number != 0 or input_axis(op) != axis:
            return False
        counts = channel_counts(op) if self.values.is_constant(op.operands[1]) else None
        return counts is not None and counts[0] == self.group.count

    def _passed(self, op: OnnxOp, number: int, axis: int) -> int:
        """The dimension that holds the channels behind an op that scales with an operand."""
        kind, shape = kind_of(op), shape_of(op.operands[number].type) or ()
        if kind in PROPORTIONAL or (kind in SPATIAL and axis == 1 and len(op.results) == 1):
            return axis
        if kind in FACTORS and number in FACTORS[kind] and self._keeps(op, shape):
            self.factors[op] = None
            return axis
        if kind in ("Add", "Sub") and self._keeps(op, shape):
            self._add(op, 1 - number, axis - len(shape))
            return axis
        if number == 0 and (moved := self._moved(op, kind, shape, axis)) is not None:
            return moved
        if kind == "Concat" and attribute(op, "axis") % len(shape) != axis:
            self.joins[op] = None
            if not any(map(self.values.is_constant, op.operands)):
                return axis
        raise _Declined(f"{op.op_type} {op.identity!r} does not scale with its operand")

    def _keeps(self, op: OnnxOp, shape: tuple[int, ...]) -> bool:
        """Whether an op on two tensors gives each number of one of them its place."""
        return len(shape_of(op.results[0].type) or ()) == len(shape)

    def _add(self, op: OnnxOp, number: int, axis: int) -> None:
        """Notes what is added; `axis` is counted from the end."""
        value = op.operands[number]
        if not self.values.is_constant(value):
            self.joins[op] = None
            return
        shape = shape_of(value.type) or ()
        if len(shape) < -axis or shape[axis] != self.group.count:
            raise _Declined(f"{op.op_type} {op.identity!r} adds a number to several channels")
        self.group.constants.append(ScaledConstant(op, number, len(shape) + axis))

    def _moved(self, op: OnnxOp, kind: str, shape: tuple[int, ...], axis: int) -> int | None:
        """Where channels are behind what only moves numbers; None if that is not in one dimension."""
        out = shape_of(op.results[0].type)
        if kind in SHAPED and out is not None:
            return _same_axis(shape, out, axis)
        if kind == "Transpose":
            order = list(attribute(op, "perm", range(len(shape))[::-1]))
            return order.index(axis)
        if kind == "Slice" and (axes := operand(op, 3)) is not None:
            array = self.values.array(axes)
            keeps = array is not None and all(int(a) % len(shape) != axis for a in array.ravel())
            return axis if keeps else None
        if kind == "Split":
            return axis if attribute(op, "axis", 0) % len(shape) != axis else None
        if kind == "Gather" and out is not None:
            along = attribute(op, "axis", 0) % len(shape)
            shift = len(out) - len(shape)
            return None if along == axis else axis + shift * (along < axis)
        return None


def _same_axis(shape: tuple[int, ...], out: tuple[int, ...], axis: int) -> int | None:
    """The dimension of another shape that a dimension becomes as a whole."""
    behind = shape[axis + 1 :]
    if any(size < 0 for size in behind):
        return None
    for i, size in enumerate(out):
        inner = out[i + 1 :]
        if size == shape[axis] and min(inner, default=0) >= 0 and prod(inner) == prod(behind):
            return i
    return None
