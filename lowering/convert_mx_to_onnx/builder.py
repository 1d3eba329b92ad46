"""What the conversions of the single ops share: reading an mx op, building the onnx ops that replace it.

A conversion is a function from a `MxBuilder` to the values that stand for the op's outputs. It may build
before it knows whether it will succeed: where it raises `Refusal`, what it built is thrown away and the mx
op stays as it is, with the reason on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.mx.base import MxOp
from autosplit.lowering.conversions import OnnxBuilder, Results
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.rules import Rules

Conversion: TypeAlias = "Callable[[MxBuilder], Results]"

CONVERSIONS: Rules[Conversion] = Rules()
"""The conversion of each kind of mx op, by MXNet's name of the kind."""

converts = CONVERSIONS.convert


def kind_of(op: MxOp) -> str:
    """MXNet's name of the kind of op."""
    return op.op_type if op.SPEC is None else op.SPEC.kind


@dataclass(frozen=True)
class MxBuilder(OnnxBuilder[MxOp]):
    """Reads one mx op and builds the onnx ops that stand for it, which its pattern inserts."""

    @property
    def kind(self) -> str:
        """MXNet's name of the kind of op."""
        return kind_of(self.op)

    @property
    def x(self) -> SSAValue:
        """The first input."""
        return self.input(0)

    def input(self, index: int) -> SSAValue:
        """Input `index`."""
        if index >= len(self.op.operands):
            raise Refusal("malformed-op", f"has no input {index}")
        return self.op.operands[index]

    def named_element(self, name: str) -> Attribute:
        """The element type that MXNet calls `name`. Refuses those that the IR does not have."""
        try:
            return element_type_of(name)
        except (AutosplitError, TypeError, ValueError):
            raise Refusal("dtype", f"the element type {name} is unknown") from None
