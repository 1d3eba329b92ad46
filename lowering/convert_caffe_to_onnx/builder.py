"""What the conversions of the single layers share: reading a layer, making the onnx ops that replace it.

A conversion is a function from an `Emitter` of a layer to the values that stand for its results. It may build
before it knows whether it will succeed: where it raises `Refusal`, what it built is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from xdsl.ir import Attribute, SSAValue

from autosplit.core.weights import Array
from autosplit.dialects.caffe import CaffeOp
from autosplit.dialects.onnx.base import InitializerOp
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.lowering.building import Emitter
from autosplit.lowering.convert_caffe_to_onnx.sizes import Sizes, sizes_of, type_of
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.rules import Rules

Results: TypeAlias = "SSAValue | Sequence[SSAValue]"
Conversion: TypeAlias = "Callable[[CaffeEmitter], Results]"

CONVERSIONS: Rules[Conversion] = Rules()
"""The conversion of each type of layer."""


converts = CONVERSIONS.convert


@dataclass(frozen=True)
class CaffeEmitter(Emitter[CaffeOp]):
    """Makes the onnx ops for a layer. New values are called `VALUE/what`, which no blob need be called."""

    MARK: ClassVar[str] = "/"

    def get(self, name: str) -> Any:
        """A field of the layer."""
        return self.op.get(name)

    @property
    def x(self) -> SSAValue:
        """The first blob that the layer reads."""
        return self.op.operands[0]

    def sizes(self, value: SSAValue) -> Sizes:
        """The sizes of a value, -1 where open. Refuses if not even the number of axes is known."""
        sizes = sizes_of(value.type)
        if sizes is None:
            raise Refusal("rank", "how many axes an operand has is not known")
        return sizes

    def rank(self, value: SSAValue) -> int:
        """The number of axes of a value."""
        return len(self.sizes(value))

    def fixed(self, value: SSAValue, why: str) -> Sizes:
        """The sizes of a value. Refuses if any is open."""
        sizes = self.sizes(value)
        if min(sizes, default=0) < 0:
            raise Refusal("dynamic-shape", f"{why}, and an operand's sizes are open")
        return sizes

    def weight(self, index: int) -> Array:
        """One of the layer's weights. Refuses if it is missing."""
        if index >= len(self.op.weights):
            raise Refusal("malformed-op", f"has no weight {index}")
        array = tensor_array(self.op.weights[index], self.values.constants.store)
        if array is None:
            raise Refusal("malformed-op", f"its weight {index} is {self.op.weights[index]}")
        return array

    def same_in_opencv(self, *, when: bool, field: str) -> None:
        """Refuses a layer unless OpenCV, which runs what stays on the CPU, computes what Caffe does."""
        if not when:
            raise Refusal("not-exact", f"OpenCV, which runs the model, ignores its {field}")

    def blob(self, index: int) -> SSAValue:
        """One of the layer's weights as a constant, as it is."""
        if index >= len(self.op.weights):
            raise Refusal("malformed-op", f"has no weight {index}")
        name = self.fresh(f"weight{index}")
        return self.insert(InitializerOp(name, self.op.weights[index], None, self.op.location))

    def emit(
        self,
        op_type: str,
        *inputs: SSAValue | None,
        role: str = "",
        sizes: Sequence[int] | None = None,
        **attributes: object,
    ) -> SSAValue:
        """A new op of one result, which has the sizes of the first operand unless `sizes` are given."""
        first = next(value for value in inputs if value is not None)
        type: Attribute = first.type if sizes is None else type_of(sizes)
        return self.node(role or op_type.lower(), op_type, inputs, attributes, type)

    def number_of(self, value: float, role: str) -> SSAValue:
        """A constant of no axes."""
        return self.constant(role, np.array(value, np.float32))

    def reshape(self, value: SSAValue, sizes: Sequence[int], role: str = "reshape") -> SSAValue:
        """`value` with other sizes; 0 keeps one, -1 follows from the others."""
        return self.emit(
            "Reshape", value, self.ints(f"{role}_sizes", sizes), role=role, sizes=_or_open(sizes)
        )

    def transpose(self, value: SSAValue, order: Sequence[int], role: str = "transpose") -> SSAValue:
        """`value` with its axes in another order."""
        old = self.sizes(value)
        return self.emit(
            "Transpose", value, role=role, sizes=[old[a] for a in order], perm=list(order)
        )


def _or_open(sizes: Sequence[int]) -> list[int]:
    return [size if size > 0 else -1 for size in sizes]
