"""Converts attributes of ONNX nodes between the IR and Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.tensors import as_text, tensor_array, tensor_attr, text_attr
from autosplit.dialects.platform import ProtoAttr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]


def plain_value(attr: Attribute, store: WeightStore | None = None) -> object:
    """An attribute of a node as a Python value; see `OnnxOp.attribute`."""
    match attr:
        case IntegerAttr():
            return attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr() | BytesAttr():
            return as_text(attr)
        case DenseArrayBase():
            return number_list(attr)
        case ArrayAttr():
            return [plain_value(a, store) for a in attr]
        case ProtoAttr():
            return _proto_value(attr.data.data)
        case _:
            array = tensor_array(attr, store)
            if array is None:
                raise AutosplitError(f"the value {attr} is a weight and no store is at hand")
            return array


def number_list(attr: DenseArrayBase) -> list[int] | list[float]:
    """The numbers of an array attribute."""
    return list(cast("Iterable[int]", cast("Any", attr).get_values()))


def int_list(attr: DenseArrayBase) -> list[int]:
    """The numbers of an array attribute of integers."""
    return [int(v) for v in number_list(attr)]


def _proto_value(data: bytes) -> object:
    from onnx import AttributeProto, helper, numpy_helper

    proto = AttributeProto.FromString(data)
    if proto.type == AttributeProto.TENSOR:
        return cast("Any", numpy_helper).to_array(proto.t)
    return cast("object", helper.get_attribute_value(proto))


def field_attr(value: object) -> Attribute:
    """An attribute of a node from a Python value: the inverse of `plain_value`.

    An empty list is one of integers. Raises ValueError for anything that no ONNX attribute can be.
    """
    match value:
        case Attribute():
            return value
        case bool() | int():
            return _integer(int(value))
        case float():
            return FloatAttr(value, f32)
        case str() | bytes():
            return text_attr(value.encode() if isinstance(value, str) else value)
        case _:
            pass
    if isinstance(value, list | tuple):
        return _list_attr(cast("Sequence[object]", value))
    import numpy as np

    if isinstance(value, np.integer | np.bool_):
        return IntegerAttr(int(cast("int", value)), i64)
    if isinstance(value, np.floating):
        return FloatAttr(float(cast("float", value)), f32)
    if isinstance(value, np.ndarray):
        return tensor_attr(cast("Array", value))
    raise ValueError(f"no ONNX attribute can hold {value!r}")


@lru_cache(1 << 12)
def _integer(value: int) -> IntegerAttr:
    return IntegerAttr(value, i64)


@lru_cache(1 << 12)
def _integers(values: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def _list_attr(values: Sequence[object]) -> Attribute:
    attrs = [field_attr(v) for v in values]
    if all(isinstance(a, IntegerAttr) for a in attrs):
        return _integers(tuple(a.value.data for a in attrs if isinstance(a, IntegerAttr)))
    if all(isinstance(a, IntegerAttr | FloatAttr) for a in attrs):
        floats = [float(a.value.data) for a in attrs if isinstance(a, IntegerAttr | FloatAttr)]
        return ArrayAttr([FloatAttr(v, f32) for v in floats])
    if all(isinstance(a, StringAttr | BytesAttr) for a in attrs):
        return ArrayAttr(attrs)
    raise ValueError(f"no ONNX attribute can hold {values!r}")
