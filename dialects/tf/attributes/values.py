"""Converts AttrValue and TensorProto to attributes of the IR and back, without loss.

Each AttrValue becomes a readable attribute; if that would not serialize to the same bytes again, the
AttrValue itself is kept as `#platform.proto`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, TypeAttribute

from autosplit.core.dtypes import (
    dtype_of,
    element_type_of,
    ranked_type,
)
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest
from autosplit.dialects.platform import (
    ProtoAttr,
    WeightAttr,
)
from autosplit.dialects.tf.attributes import (
    ShapeAttr,
    TensorAttr,
    data_type_of,
    dense,
    dense_to_array,
    element_of,
    ints_of,
    is_dtype,
    is_modelled,
    list_attr,
    string_attr,
    string_bytes,
)
from autosplit.dialects.tf.attributes.proto import (
    REF,
    AttrValue,
    TensorProto,
    TensorShapeProto,
    new_attr,
)

if TYPE_CHECKING:
    Array = NDArray[np.generic]

CONTENT = -1
"""The `count` of a `TensorAttr` whose elements are raw bytes."""
MOST_REPEATED = 1 << 31
"""The most bytes of a constant that is expanded from fewer; a protobuf cannot hold more either."""

# The typed field of a TensorProto by data type.
_FIELDS = {
    1: "float_val", 2: "double_val", 3: "int_val", 4: "int_val", 5: "int_val", 6: "int_val",
    7: "string_val", 8: "scomplex_val", 9: "int64_val", 10: "bool_val", 14: "half_val", 17: "int_val",
    18: "dcomplex_val", 19: "half_val", 22: "uint32_val", 23: "uint64_val", 24: "float8_val",
    25: "float8_val",
}  # fmt: skip


def shape_of(proto: TensorShapeProto) -> tuple[int, ...] | None:
    """The sizes of a shape, -1 for unknown ones; None for an unknown rank."""
    return None if proto.unknown_rank else tuple(d.size for d in proto.dim)


def tensor_size(tensor: TensorProto) -> int:
    """The number of elements of a tensor, from its shape. Raises ValueError if the shape is unknown."""
    shape = shape_of(tensor.tensor_shape)
    if shape is None or any(d < 0 for d in shape):
        raise ValueError("its shape is unknown")
    size = 1
    for d in shape:
        size *= d
    return size


def array_of(tensor: TensorProto) -> Array:
    """The elements of a tensor; strings as an array of dtype object, holding bytes.

    Raw bytes are not copied. Raises ValueError saying what is wrong with a malformed one.
    """
    size = tensor_size(tensor)
    shape = shape_of(tensor.tensor_shape) or ()
    if (tensor.dtype % REF) == 7:
        return _expand(np.array(list(tensor.string_val), dtype=object), size, "").reshape(shape)
    dtype = dtype_of(element_of(tensor.dtype % REF))
    if dtype is None or tensor.dtype % REF not in _FIELDS:
        raise ValueError(f"its elements, of data type {tensor.dtype}, cannot be read")
    if content := tensor.tensor_content:
        if len(content) != size * dtype.itemsize:
            raise ValueError(
                f"it has {counted(len(content), 'byte')} of elements, its shape {list(shape)} of {dtype} "
                f"needs {size * dtype.itemsize}"
            )
        return np.frombuffer(content, dtype=dtype).reshape(shape)
    return _expand(_typed(tensor, dtype), size, dtype).reshape(shape)


def _typed(tensor: TensorProto, dtype: np.dtype[Any]) -> Array:
    """The elements that the typed field holds."""
    field = _FIELDS[tensor.dtype % REF]
    if field == "float8_val":
        return np.frombuffer(tensor.float8_val, dtype=dtype)
    values: Any = getattr(tensor, field)
    if field == "half_val":
        return np.array(values, dtype=np.int64).astype(np.uint16).view(dtype)
    if field == "scomplex_val":
        return np.array(values, dtype=np.float32).view(dtype)
    if field == "dcomplex_val":
        return np.array(values, dtype=np.float64).view(dtype)
    if field == "int_val":
        return np.array(values, dtype=np.int64).astype(dtype)
    return np.array(values, dtype=dtype)


def _expand(values: Array, size: int, dtype: object) -> Array:
    """Repeats the last element up to `size`; no elements at all are zeros."""
    if values.size > size:
        raise ValueError(f"it has {counted(values.size, 'element')}, its shape has room for {size}")
    if values.size == size:
        return values
    if (needed := size * values.itemsize) > MOST_REPEATED:
        raise ValueError(
            f"its shape needs {needed:,} bytes, of which the file holds {values.nbytes:,}; "
            f"at most {MOST_REPEATED:,} are made by repeating the last element"
        )
    if not values.size:
        return np.full(size, b"", dtype=object) if dtype == "" else np.zeros(size, values.dtype)
    return np.concatenate([values, np.broadcast_to(values[-1:], size - values.size)])


def write_tensor(tensor: TensorProto, array: Array, count: int | None = None) -> None:
    """Sets the tensor: `count` elements in the typed field, or raw bytes; None is what is usual."""
    data_type = data_type_of(element_type_of(array.dtype))
    if data_type is None:
        raise ValueError(f"TensorFlow has no data type for {array.dtype}")
    tensor.dtype = data_type
    tensor.tensor_shape.SetInParent()
    for size in array.shape:
        tensor.tensor_shape.dim.add().size = size
    if count is None:
        count = usual_count(array.size)
    if count == CONTENT:
        tensor.tensor_content = array.tobytes()
        return
    values = array.reshape(-1)[:count]
    field = _FIELDS[data_type]
    if field == "float8_val":
        tensor.float8_val = values.tobytes()
        return
    if field == "half_val":
        values = values.view(np.uint16)
    elif field == "scomplex_val":
        values = values.view(np.float32)
    elif field == "dcomplex_val":
        values = values.view(np.float64)
    getattr(tensor, field).extend(values.tolist())


def usual_count(size: int) -> int:
    """How TensorFlow itself writes a tensor: one element in the typed field, more as raw bytes."""
    return size if size <= 1 else CONTENT


def proto_of_array(array: Array) -> AttrValue:
    """An AttrValue that holds the array."""
    value = new_attr()
    write_tensor(value.tensor, array)
    return value


def tensor_attr(value: AttrValue) -> Attribute:
    """The attribute for a tensor that is kept in the IR."""
    tensor = value.tensor
    proto_attr = ProtoAttr.of(value.SerializeToString(deterministic=True))
    try:
        if tensor_size(tensor) > INLINE_LIMIT:
            return proto_attr
        array = array_of(tensor)
    except ValueError:
        return proto_attr
    if tensor.dtype >= REF or array.dtype == object or not is_modelled(array):
        return proto_attr
    attr: Attribute = dense(array)
    count = CONTENT
    if not tensor.tensor_content:
        field = _FIELDS[tensor.dtype]
        typed_values = tensor.float8_val if field == "float8_val" else getattr(tensor, field)
        count = len(typed_values)
    if count != usual_count(array.size):
        attr = TensorAttr(dense(array), IntAttr(count))
    return attr if attr_bytes(attr) == proto_attr.data.data else proto_attr


def weight_attr(
    name: str, value: AttrValue, store: WeightStore
) -> tuple[Attribute, tuple[int, ...] | None]:
    """The attribute for the value of a Const node called `name`, and its shape where that is known.

    Tensors over `INLINE_LIMIT` elements go into the store, which keeps the message. Raises ValueError
    saying what is wrong with a tensor.
    """
    tensor = value.tensor
    shape = shape_of(tensor.tensor_shape)
    if not is_large(tensor):
        if tensor.dtype in _FIELDS:
            array_of(tensor)
        return tensor_attr(value), shape
    store_weight(name, value, store)
    type = ranked_type(element_of(tensor.dtype), shape or ())
    return WeightAttr(StringAttr(name), StringAttr(digest(store.array(name))), type), shape


def is_large(tensor: TensorProto) -> bool:
    """Whether a tensor goes into the store. Raises ValueError if its shape is unknown."""
    if tensor_size(tensor) <= INLINE_LIMIT or tensor.dtype not in _FIELDS:
        return False
    return dtype_of(element_of(tensor.dtype)) is not None


def store_weight(name: str, value: AttrValue, store: WeightStore) -> None:
    """Puts the value of the Const node `name` into the store, which keeps the message."""
    tensor = value.tensor
    store.add(name, lambda: array_of(tensor), value)


class AttrReader:
    """Converts AttrValues to attributes, equal ones only once: graphs are full of them."""

    def __init__(self):
        self._known: dict[bytes, Attribute] = {}

    def read(self, value: AttrValue) -> Attribute:
        """The attribute for a value that is not a Const's."""
        if value.WhichOneof("value") == "tensor":
            return tensor_attr(value)
        data = value.SerializeToString(deterministic=True)
        attr = self._known.get(data)
        if attr is None:
            attr = model_of(value)
            if attr is None or attr_bytes(attr) != data:
                attr = ProtoAttr.of(data)
            self._known[data] = attr
        return attr


def model_of(value: AttrValue) -> Attribute | None:
    """The readable attribute for the value; None if there is none."""
    match value.WhichOneof("value"):
        case "s":
            return string_attr(value.s)
        case "i":
            return IntegerAttr(value.i, i64)
        case "f":
            return FloatAttr(value.f, f32)
        case "b":
            return IntegerAttr(int(value.b), i1)
        case "type":
            return element_of(value.type)
        case "shape":
            return ShapeAttr.of(shape_of(value.shape))
        case "list":
            lists = value.list
        case _:
            return None
    items: list[Attribute] = [
        *(string_attr(s) for s in lists.s),
        *(IntegerAttr(i, i64) for i in lists.i),
        *(FloatAttr(f, f32) for f in lists.f),
        *(IntegerAttr(int(b), i1) for b in lists.b),
        *(element_of(t) for t in lists.type),
        *(ShapeAttr.of(shape_of(s)) for s in lists.shape),
    ]
    return list_attr(items)


def write_attr(value: AttrValue, attr: Attribute, store: WeightStore | None = None) -> None:
    """Sets `value` from `attr`.

    Raises AutosplitError for a weight that the store lacks, and ValueError for an attribute that is none of
    this dialect's.
    """
    match attr:
        case TypeAttribute() if is_dtype(attr):
            # The most frequent kind.
            value.type = cast("int", data_type_of(attr))
        case ProtoAttr():
            value.ParseFromString(attr.data.data)
        case WeightAttr():
            _write_weight(value, attr, store)
        case DenseIntOrFPElementsAttr():
            write_tensor(value.tensor, dense_to_array(attr))
        case TensorAttr():
            write_tensor(value.tensor, dense_to_array(attr.value), attr.count.data)
        case ShapeAttr():
            _write_shape(value.shape, attr)
        case DenseArrayBase():
            value.list.i.extend(ints_of(attr))
        case ArrayAttr():
            _write_list(value, attr)
        case IntegerAttr() if attr.type == i1:
            value.b = bool(attr.value.data)
        case IntegerAttr():
            value.i = attr.value.data
        case FloatAttr():
            value.f = attr.value.data
        case _ if (data := string_bytes(attr)) is not None:
            value.s = data
        case _:
            raise ValueError(f"{attr} is not a value of a TensorFlow attribute")


def _write_shape(proto: TensorShapeProto, attr: ShapeAttr) -> None:
    shape = attr.shape
    proto.SetInParent()
    if shape is None:
        proto.unknown_rank = True
        return
    for size in shape:
        proto.dim.add().size = size


def _write_list(value: AttrValue, attr: ArrayAttr[Attribute]) -> None:
    lists = value.list
    lists.SetInParent()
    for item in attr:
        match item:
            case IntegerAttr() if item.type == i1:
                lists.b.append(bool(item.value.data))
            case IntegerAttr():
                lists.i.append(item.value.data)
            case FloatAttr():
                lists.f.append(item.value.data)
            case ShapeAttr():
                _write_shape(lists.shape.add(), item)
            case _ if (data := string_bytes(item)) is not None:
                lists.s.append(data)
            case _ if is_dtype(item):
                lists.type.append(cast("int", data_type_of(item)))
            case _:
                raise ValueError(f"{item} is not an item of a TensorFlow list attribute")


def _write_weight(value: AttrValue, attr: WeightAttr, store: WeightStore | None) -> None:
    if store is None:
        raise AutosplitError(
            f"weight {attr.key.data!r} is not in the module: give the model file with --weights"
        )
    source = store.source(attr.key.data) if attr.key.data in store else None
    if source is not None:
        value.CopyFrom(cast("AttrValue", source))
        return
    write_tensor(value.tensor, store.array(attr))


def attr_bytes(attr: Attribute, store: WeightStore | None = None) -> bytes:
    """The serialized AttrValue of an attribute."""
    value = new_attr()
    write_attr(value, attr, store)
    return value.SerializeToString(deterministic=True)
