"""The question whether one op can run on one chip, and the conditions beyond the row of its type.

A condition looks at an op in its canonical form and returns the reason for which the tool chain cannot be
trusted with it, or None. It stands beside the conversion, in the file of its subject.

    @refuses("Clip")
    def refuse_clip(q: Query) -> ReasonAttr | None:
        ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.ir import SSAValue

from autosplit.core.weights import Array
from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, shape_of, shape_text, type_text, value_name
from autosplit.lowering.convert_onnx_to_top.parts.shapes import Shape
from autosplit.lowering.shared.fold import Constants

Condition: TypeAlias = "Callable[[Query], ReasonAttr | None]"

EXTRA: dict[str, Condition] = {}
"""By ONNX op type; importing the families fills it."""

INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")


MOST_WEIGHTS = 1 << 24
"""Weights of samples that are computed on the chip are no more than these, 64 MiB."""


EXACT_INTEGERS = 1 << 24
"""Integers up to this one are exact in float32, in which the tool chain holds positions."""


@dataclass(frozen=True)
class Query:
    """The question whether one op can run on one chip."""

    op: OnnxOp
    chip: Chip
    constants: Constants
    dynamic: bool
    mode: str = "F32"
    """What the chip computes in."""

    def value(self, index: int) -> SSAValue | None:
        """Operand `index`; None if it is left out."""
        inputs = self.op.inputs
        return inputs[index] if index < len(inputs) else None

    def is_constant(self, index: int) -> bool:
        value = self.value(index)
        return value is not None and self.constants.is_constant(value)

    def array(self, index: int) -> Array | None:
        """The array that constant operand `index` holds; None if it is left out."""
        value = self.value(index)
        return None if value is None else self.constants.array(value)

    def ints(self, index: int) -> list[int] | None:
        """A constant operand's integers; None if it is left out."""
        array = self.array(index)
        return None if array is None else [int(i) for i in array.reshape(-1)]

    def shape(self, index: int) -> Shape | None:
        """The dimensions of an operand, negative where one is unknown."""
        value = self.value(index)
        return None if value is None else _dims(value)

    def result_shape(self, index: int = 0) -> Shape | None:
        return _dims(self.op.results[index])

    def kind(self, index: int) -> str:
        """The element type of an operand, as the IR writes it."""
        value = self.value(index)
        return "" if value is None else _kind(value)

    def result_kind(self, index: int = 0) -> str:
        """The element type of a result."""
        return _kind(self.op.results[index])

    def operand(self, index: int) -> str:
        """How a reason speaks of an operand: its index and its name."""
        value = self.value(index)
        name = "" if value is None else _name(value)
        return f"operand {index} ({name!r})" if name else f"operand {index}"

    def result(self, index: int) -> str:
        """How a reason speaks of a result."""
        return f"result {index} ({self.op.value_name(index)!r})"

    def integer(self, name: str, default: int) -> int:
        return int(cast("int", self.op.attribute(name, default)))

    def integers(self, name: str) -> list[int] | None:
        numbers = self.op.attribute(name)
        return None if numbers is None else [int(i) for i in cast("list[int]", numbers)]

    def text(self, name: str, default: str) -> str:
        value = self.op.attribute(name, default)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    def refuse(self, code: str, text: str) -> ReasonAttr:
        """The reason, with the op type in front."""
        return ReasonAttr.of(code, f"{self.op.op_type} {text}")

    def attribute_is(self, name: str, default: int, needed: int, why: str) -> ReasonAttr | None:
        """Refuses an integer attribute that is not the one value that is computed."""
        value = self.integer(name, default)
        if value == needed:
            return None
        return self.refuse("attribute", f"has {name} = {value}, needs {needed}: {why}")


def _kind(value: SSAValue) -> str:
    element = element_type(value.type)
    return str(element) if element is None else type_text(element)


def _dims(value: SSAValue) -> Shape | None:
    return shape_of(value.type)


def _name(value: SSAValue) -> str:
    try:
        return value_name(value)
    except ValueError:
        return ""


def refuses(*op_types: str) -> Callable[[Condition], Condition]:
    """Registers a function as the condition of ONNX op types."""

    def register(function: Condition) -> Condition:
        EXTRA.update(dict.fromkeys(op_types, function))
        return function

    return register


@refuses(
    *("AffineGrid", "Expand", "MeanVarianceNormalization", "RMSNormalization", "ReduceL2"),
    *("ReduceLogSum", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare", "Trilu"),
)
def fixed_sizes(q: Query) -> ReasonAttr | None:
    """Refuses sizes that vary, for ops that are written out for the very sizes."""
    shapes = [q.shape(i) for i in range(len(q.op.inputs))] + [q.result_shape()]
    varying = next((s for s in shapes if s is not None and any(d < 0 for d in s)), None)
    if varying is None:
        return None
    return q.refuse(
        "dynamic-shape",
        f"is written out for fixed sizes, and has a tensor of {shape_text(varying)}",
    )
