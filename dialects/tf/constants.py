"""Constants: the op, and reading them."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, result_def

from autosplit.core.weights import Array, WeightStore
from autosplit.dialects.platform import ProtoAttr, WeightAttr
from autosplit.dialects.tf.attributes import (
    Kind,
    TensorAttr,
    dense_to_array,
)
from autosplit.dialects.tf.attributes.python import python_of_proto
from autosplit.dialects.tf.base import NodeOp, TfOp


@irdl_op_definition
class ConstOp(NodeOp):
    """A constant: dense where it is small, else a reference into the weight store.

    Example:

        %y = tf.Const "n" () <{value = dense<[1, 2]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
    """

    name = "tf.Const"
    output = result_def()
    ATTRIBUTES: ClassVar = {"value": Kind.TENSOR, "dtype": Kind.TYPE}
    OUTPUTS: ClassVar = ("dtype",)
    IS_CONSTANT: ClassVar[bool] = True

    @property
    def value(self) -> Attribute:
        """`DenseIntOrFPElementsAttr`, `TensorAttr`, `WeightAttr`, or `ProtoAttr` (strings, NaN)."""
        return self.node_attrs.data["value"]


def constant_array(value: SSAValue, store: WeightStore | None) -> Array | None:
    """The elements of the result of a Const node, or of an Identity of one; None for all others.

    Strings come as an array of dtype object. Raises AutosplitError for a weight that is not in the store.
    """
    owner = value.owner
    while isinstance(owner, TfOp) and owner.name == "tf.Identity" and len(owner.operands) == 1:
        owner = owner.operands[0].owner
    if not isinstance(owner, ConstOp):
        return None
    match attr := owner.value:
        case DenseIntOrFPElementsAttr():
            return dense_to_array(attr)
        case TensorAttr():
            return dense_to_array(attr.value)
        case WeightAttr():
            return None if store is None else store.array(attr)
        case ProtoAttr():
            array: Any = python_of_proto(attr.data.data)
            # A tensor that no array can hold stays bytes, as in a damaged file.
            return cast("Array", array) if isinstance(array, np.ndarray) else None
        case _:
            return None


OPS = (ConstOp,)
