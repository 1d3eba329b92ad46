"""Converts attributes of the `tf` dialect to Python values."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute

from autosplit.dialects.platform import ProtoAttr
from autosplit.dialects.tf.attributes import (
    ShapeAttr,
    TensorAttr,
    dense_to_array,
    ints_of,
    is_array,
)


def to_python(attr: Attribute) -> Any:
    """The Python value of an attribute: see the table in `attributes/__init__.py`. Weights stay."""
    match attr:
        case IntegerAttr():
            value = attr.value.data
            return bool(value) if attr.type == i1 else value
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case BytesAttr():
            try:
                return attr.data.decode()
            except UnicodeDecodeError:
                return attr.data
        case DenseArrayBase():
            return ints_of(attr)
        case ShapeAttr():
            return None if (shape := attr.shape) is None else list(shape)
        case DenseIntOrFPElementsAttr():
            return dense_to_array(attr)
        case TensorAttr():
            return dense_to_array(attr.value)
        case ProtoAttr():
            return python_of_proto(attr.data.data)
        case _:
            pass
    if is_array(attr):
        return [to_python(a) for a in attr.data]
    return attr


def python_of_proto(data: bytes) -> Any:
    """The Python value of an AttrValue that the IR keeps as it is.

    A tensor is an array where its elements can be read, a function its name; else the bytes as they are.
    """
    from autosplit.dialects.tf.attributes.proto import new_attr
    from autosplit.dialects.tf.attributes.values import array_of, model_of, shape_of

    value = new_attr(data)
    match value.WhichOneof("value"):
        case "tensor":
            try:
                return array_of(value.tensor)
            except ValueError:
                return data
        case "func":
            return value.func.name
        case "f":
            return value.f
        case "shape":
            shape = shape_of(value.shape)
            return None if shape is None else list(shape)
        case "placeholder":
            return value.placeholder
        case "list":
            if value.list.func:
                return [f.name for f in value.list.func]
            model = model_of(value)
            return data if model is None else to_python(model)
        case _:
            return data
