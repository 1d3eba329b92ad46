"""Constants: the op, and reading and making them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, LocationAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, result_def

from autosplit.core.dtypes import element_type_of
from autosplit.dialects.platform import ProtoAttr, WeightAttr
from autosplit.dialects.tf.attributes import (
    Kind,
    TensorAttr,
    dense,
    dense_to_array,
    is_modelled,
    tensor_type,
)
from autosplit.dialects.tf.base import NodeOp, TfOp
from autosplit.dialects.tf.build import make_node

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]


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
    """The elements of a value that a Const node makes, or an Identity of one; None for all others.

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
            import numpy as np

            from autosplit.dialects.tf.values import python_of_proto

            found: Any = python_of_proto(attr.data.data)
            # What no array can be made of stays bytes, as in a damaged file.
            return cast("Array", found) if isinstance(found, np.ndarray) else None
        case _:
            return None


def make_constant(
    name: str,
    array: Array,
    store: WeightStore | None,
    location: LocationAttr | None = None,
    *,
    done: bool = False,
) -> ConstOp:
    """A Const node. Arrays over `INLINE_LIMIT` elements go into the store, under the node's name.

    Raises ValueError for a dtype that TensorFlow lacks.
    """
    from autosplit.core.weights import INLINE_LIMIT, digest

    element = element_type_of(array.dtype)
    attr: Attribute
    if store is not None and array.size > INLINE_LIMIT:
        store.make(name, lambda: array)
        attr = WeightAttr(
            StringAttr(name), StringAttr(digest(array)), TensorType(element, array.shape)
        )
    elif is_modelled(array):
        attr = dense(array)
    else:
        from autosplit.dialects.tf.values import proto_of_array

        attr = ProtoAttr.of(proto_of_array(array).SerializeToString(deterministic=True))
    op = make_node(
        "Const",
        [],
        name,
        attributes={"value": attr, "dtype": element},
        result_types=[tensor_type(element, array.shape)],
        done=done,
        location=location,
    )
    assert isinstance(op, ConstOp)
    return op


OPS = (ConstOp,)
