"""Element types that conversions to ONNX need."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.platform import element_type
from autosplit.lowering.shared.refusal import Refusal


class Elements:
    """How builders of ONNX ops read element types; they refuse unknown ones."""

    def element(self, value: SSAValue) -> Attribute:
        """The element type. Refuses if it is unknown."""
        element = element_type(value.type)
        if element is None:
            raise Refusal("dtype", "an operand's element type is unknown")
        return element

    def dtype(self, value: SSAValue) -> np.dtype[Any]:
        dtype = dtype_of(self.element(value))
        if dtype is None:
            raise Refusal("dtype", f"elements are {self.element(value)}, expected numbers")
        return dtype

    def is_integer(self, value: SSAValue) -> bool:
        return isinstance(self.element(value), IntegerType)
