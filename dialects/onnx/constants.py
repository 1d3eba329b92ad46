"""Builds and reads constants of the `onnx` dialect. Import this from `autosplit.dialects.onnx.ops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import LocationAttr, StringAttr
from xdsl.ir import Attribute, OpResult, SSAValue

from autosplit.dialects.onnx.base import (
    InitializerOp,
    OnnxOp,
)
from autosplit.dialects.onnx.fields import plain_value
from autosplit.dialects.onnx.tensors import tensor_array, tensor_attr
from autosplit.dialects.platform import ProtoAttr, WeightAttr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]


def make_constant(
    name: str,
    array: Array,
    store: WeightStore | None,
    location: LocationAttr | None = None,
) -> InitializerOp:
    """An initializer called `name`: in the IR when it is small or there is no store, else in the store.

    Raises ValueError for a dtype that has no element type.
    """
    from autosplit.core.dtypes import tensor_type_of
    from autosplit.core.weights import INLINE_LIMIT, digest

    if store is None or array.size <= INLINE_LIMIT or array.dtype.kind in "OUS":
        return InitializerOp(name, tensor_attr(array), None, location)
    key, count = name, 1
    while key in store:
        count += 1
        key = f"{name}#{count}"
    store.make(key, lambda: array)
    value = WeightAttr(StringAttr(key), StringAttr(digest(array)), tensor_type_of(array))
    return InitializerOp(name, value, None, location)


def constant_array(value: SSAValue, store: WeightStore | None) -> Array | None:
    """The array of an initializer's or Constant node's result; None for any other value.

    Strings are arrays of `object`. Also None for a weight if `store` is None. Raises AutosplitError if the
    store lacks the weight.
    """
    if not isinstance(value, OpResult):
        return None
    op = value.op
    if isinstance(op, InitializerOp):
        return tensor_array(op.value, store)
    if not isinstance(op, OnnxOp) or op.op_type != "Constant" or op.domain not in ("", "ai.onnx"):
        return None
    for name, attr in op.fields.items():
        return _constant_field(name, attr, store)
    return None


def _constant_field(name: str, attr: Attribute, store: WeightStore | None) -> Array | None:
    import numpy as np

    if name in ("value", "sparse_value"):
        if isinstance(attr, ProtoAttr):
            return _constant_proto(attr)
        return tensor_array(attr, store)
    dtypes = {"value_int": np.int64, "value_ints": np.int64}
    dtypes |= {"value_float": np.float32, "value_floats": np.float32}
    if name in dtypes:
        return np.array(plain_value(attr), dtypes[name])
    if name in ("value_string", "value_strings"):
        return np.array(plain_value(attr), object)
    return None


def _constant_proto(attr: ProtoAttr) -> Array | None:
    from onnx import AttributeProto

    proto = AttributeProto.FromString(attr.data.data)
    tensor = proto.t if proto.type == AttributeProto.TENSOR else proto.sparse_tensor
    return tensor_array(ProtoAttr.of(tensor.SerializeToString(deterministic=True)))
