"""Converts types and tensors between ONNX's protobuf messages and the `onnx` dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import SparseTensorProto, TensorProto, TypeProto, ValueInfoProto, numpy_helper
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute

from autosplit.core.dtypes import dim_names, dtype_of, element_type_of, ranked_type
from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.units import counted
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest
from autosplit.dialects.onnx.ops import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    StringsAttr,
    StringType,
    TensorAttr,
    tensor_array,
    tensor_attr,
    tensor_type,
)
from autosplit.dialects.onnx.tensors import text_attr
from autosplit.dialects.platform import (
    ProtoAttr,
    UnknownType,
    WeightAttr,
    shape_of,
)

if TYPE_CHECKING:
    Array = NDArray[np.generic]

_NAMES = {
    "FLOAT": "float32",
    "UINT8": "uint8",
    "INT8": "int8",
    "UINT16": "uint16",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "BOOL": "bool",
    "FLOAT16": "float16",
    "DOUBLE": "float64",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "COMPLEX64": "complex64",
    "COMPLEX128": "complex128",
    "BFLOAT16": "bfloat16",
    "FLOAT8E4M3FN": "float8_e4m3fn",
    "FLOAT8E4M3FNUZ": "float8_e4m3fnuz",
    "FLOAT8E5M2": "float8_e5m2",
    "FLOAT8E5M2FNUZ": "float8_e5m2fnuz",
    "UINT4": "uint4",
    "INT4": "int4",
    "FLOAT4E2M1": "float4_e2m1fn",
    "FLOAT8E8M0": "float8_e8m0fnu",
    "UINT2": "uint2",
    "INT2": "int2",
    "FLOAT6E2M3": "float6_e2m3fn",
    "FLOAT6E3M2": "float6_e3m2fn",
}

# Older supported onnx releases know fewer of these.
_CODES = dict(cast("Iterable[tuple[str, int]]", TensorProto.DataType.items()))
ELEMENT_OF_CODE: dict[int, Attribute] = {
    _CODES[code]: element_type_of(name) for code, name in _NAMES.items() if code in _CODES
} | {_CODES["STRING"]: StringType()}
CODE_OF_ELEMENT = {element: code for code, element in ELEMENT_OF_CODE.items()}

# Types


def type_of_proto(proto: TypeProto) -> Attribute:
    """The IR's type; `!platform.unknown` if the message has none that the IR can represent."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            return _tensor_type(proto.tensor_type)
        case "sequence_type":
            return SequenceType(type_of_proto(proto.sequence_type.elem_type))
        case "optional_type":
            return OptionalType(type_of_proto(proto.optional_type.elem_type))
        case "map_type":
            key = ELEMENT_OF_CODE.get(proto.map_type.key_type)
            if key is None:
                return UnknownType()
            return MapType(key, type_of_proto(proto.map_type.value_type))
        case "sparse_tensor_type":
            dense = _tensor_type(proto.sparse_tensor_type)
            return dense if isinstance(dense, UnknownType) else SparseTensorType(dense)
        case _:
            return UnknownType()


def _tensor_type(proto: TypeProto.Tensor | TypeProto.SparseTensor) -> Attribute:
    element = ELEMENT_OF_CODE.get(proto.elem_type)
    if element is None:
        return UnknownType()
    if not proto.HasField("shape"):
        return UnrankedTensorType(element)
    sizes: list[int] = []
    names: list[str] = []
    for dim in proto.shape.dim:
        is_fixed = dim.HasField("dim_value") and dim.dim_value >= 0
        sizes.append(dim.dim_value if is_fixed else DYNAMIC_INDEX)
        names.append(dim.dim_param)
    return ranked_type(element, sizes, names)


def check_sparse(proto: SparseTensorProto, label: str) -> None:
    """Raises AutosplitError, starting with `label`, if a sparse tensor's indices are invalid."""
    try:
        to_array = cast("Callable[[TensorProto], NDArray[Any]]", cast("Any", numpy_helper).to_array)
        values, indices = to_array(proto.values), to_array(proto.indices)
    except (ValueError, TypeError, OSError, KeyError) as error:
        raise AutosplitError(f"{label} cannot be read: {first_line(error)}") from None
    sizes = np.array(proto.dims, np.int64)
    if indices.size == 0 and values.size == 0:
        return
    if indices.dtype != np.int64 or values.ndim != 1 or len(indices) != len(values):
        raise AutosplitError(
            f"{label}: found places of {indices.dtype.name} and shape {list(indices.shape)} for values of "
            f"shape {list(values.shape)}; expected one of int64 for each"
        )
    if indices.ndim == 1:
        fits = bool(np.all((indices >= 0) & (indices < prod(proto.dims))))
    else:
        is_full = indices.shape == (len(values), len(sizes))
        fits = is_full and bool(np.all((indices >= 0) & (indices < sizes)))
    if not fits:
        raise AutosplitError(f"{label}: found places outside of its shape {list(proto.dims)}")


def proto_of_type(type: Attribute) -> TypeProto | None:
    """The message for a type of the IR; None for `!platform.unknown` and types that ONNX lacks."""
    proto = TypeProto()
    match type:
        case TensorType() | UnrankedTensorType():
            return proto if _write_tensor(type, proto.tensor_type) else None
        case SparseTensorType():
            return proto if _write_tensor(type.dense, proto.sparse_tensor_type) else None
        case SequenceType() | OptionalType():
            sequence = isinstance(type, SequenceType)
            wrapper = proto.sequence_type if sequence else proto.optional_type
            wrapper.SetInParent()
            return proto if _write_inner(type.element, wrapper.elem_type) else None
        case MapType():
            if type.key not in CODE_OF_ELEMENT:
                return None
            proto.map_type.key_type = CODE_OF_ELEMENT[type.key]
            return proto if _write_inner(type.value, proto.map_type.value_type) else None
        case _:
            return None


def _write_inner(type: Attribute, proto: TypeProto) -> bool:
    if isinstance(type, UnknownType):
        return True
    inner = proto_of_type(type)
    if inner is None:
        return False
    proto.CopyFrom(inner)
    return True


def _write_tensor(type: Attribute, proto: TypeProto.Tensor | TypeProto.SparseTensor) -> bool:
    if not isinstance(type, TensorType | UnrankedTensorType):
        return False
    code = CODE_OF_ELEMENT.get(cast("Attribute", type.element_type))
    if code is None:
        return False
    proto.elem_type = code
    if isinstance(type, UnrankedTensorType):
        return True
    ranked = cast("TensorType[Attribute]", type)
    proto.shape.SetInParent()
    for size, name in zip(shape_of(ranked) or (), dim_names(ranked), strict=True):
        dim = proto.shape.dim.add()
        if size >= 0:
            dim.dim_value = size
        elif name:
            dim.dim_param = name
    return True


def value_info(name: str, type: Attribute) -> ValueInfoProto:
    """The declaration of a value; only its name if the type is unknown."""
    info = ValueInfoProto(name=name)
    proto = proto_of_type(type)
    if proto is not None:
        info.type.CopyFrom(proto)
    return info


# Tensors


def tensor_proto_type(proto: TensorProto) -> TensorType[Attribute]:
    """The type of a tensor. Raises AutosplitError for an unknown element type."""
    element = ELEMENT_OF_CODE.get(proto.data_type)
    if element is None:
        raise AutosplitError(
            f"tensor {proto.name!r} has the unknown element type {proto.data_type}"
        )
    if any(d < 0 for d in proto.dims):
        raise AutosplitError(f"tensor {proto.name!r} has a negative dimension: {list(proto.dims)}")
    return TensorType(element, list(proto.dims))


def read_tensor(
    proto: TensorProto, key: str, store: WeightStore, folder: Path, *, named: bool
) -> Attribute:
    """The attribute that holds a tensor of a model; large and external ones go into the store.

    `named`: whether the tensor is an initializer, whose name is that of its op. The attribute round-trips to
    an equal message. Raises AutosplitError if the data does not fit the type, or lies outside of
    `folder`.
    """
    if (name := store_tensor(proto, key, store, folder)) is not None:
        content = digest(store.array(name))
        return WeightAttr(StringAttr(name), StringAttr(content), tensor_proto_type(proto))
    type = tensor_proto_type(proto)
    if isinstance(type.element_type, StringType):
        return _read_strings(proto, type, prod(type.get_shape()), named)
    array = _read_array(proto, type)
    encoding = "raw" if proto.HasField("raw_data") else "typed"
    attr = tensor_attr(array)
    name = "" if named else proto.name
    if name or encoding == "typed":
        attr = TensorAttr.of(name, encoding, attr)
    return _checked(attr, proto, named)


def _checked(attr: Attribute, proto: TensorProto, named: bool) -> Attribute:
    """`attr` if it round-trips to the same message, else the message itself."""
    original = proto.SerializeToString(deterministic=True)
    rebuilt = tensor_proto(attr, None, proto.name if named else None)
    if rebuilt.SerializeToString(deterministic=True) == original:
        return attr
    return ProtoAttr.of(original)


def _read_strings(
    proto: TensorProto, type: TensorType[Attribute], count: int, named: bool
) -> Attribute:
    if len(proto.string_data) != count:
        raise AutosplitError(
            f"tensor {proto.name!r} has {counted(len(proto.string_data), 'string')}, its shape says {count}"
        )
    strings = ArrayAttr([text_attr(s) for s in proto.string_data])
    attr: Attribute = StringsAttr(strings, type)
    if not named and proto.name:
        attr = TensorAttr.of(proto.name, "typed", attr)
    return _checked(attr, proto, named)


def store_tensor(proto: TensorProto, key: str, store: WeightStore, folder: Path) -> str | None:
    """Adds a tensor that is large or external to the store; returns its key, None for any other.

    Raises AutosplitError for an unknown type; reading the array does for data that does not fit.
    """
    type = tensor_proto_type(proto)
    external = proto.data_location == TensorProto.EXTERNAL
    is_small = prod(type.get_shape()) <= INLINE_LIMIT
    if not external and (is_small or isinstance(type.element_type, StringType)):
        return None
    name = free_key(key, store)
    if external:
        # Mapped again at each use: pages that were read count as memory as long as the mapping lives.
        store.add(name, lambda: map_external(proto, type, folder))
        store.mapped.add(name)
    else:
        store.add(name, lambda: _read_array(proto, type), proto)
    return name


def stored_weight(
    proto: TensorProto, key: str, store: WeightStore, load: Callable[[], Array]
) -> WeightAttr:
    """Adds a tensor that `load` reads to the store; returns its attribute."""
    name = free_key(key, store)
    store.add(name, load)
    return WeightAttr(StringAttr(name), StringAttr(digest(load())), tensor_proto_type(proto))


def free_key(key: str, store: WeightStore) -> str:
    """`key`, with a number appended if the store has it already."""
    name, count = key, 1
    while name in store:
        count += 1
        name = f"{key}#{count}"
    return name


def _read_array(proto: TensorProto, type: TensorType[Attribute]) -> Array:
    dtype = dtype_of(type)
    shape = type.get_shape()
    try:
        if dtype is not None and proto.HasField("raw_data") and is_plain(type):
            array = np.frombuffer(proto.raw_data, dtype)
        else:
            array = np.asarray(cast("Any", numpy_helper).to_array(proto))
        if dtype is not None and array.dtype != dtype:
            raise ValueError(f"it decodes to {array.dtype}, not {dtype}")
        return cast("Array", array.reshape(shape))
    except (ValueError, TypeError) as e:
        raise AutosplitError(
            f"tensor {proto.name!r} does not hold a {type}: {' '.join(str(e).split())}"
        ) from e


def is_plain(type: TensorType[Attribute]) -> bool:
    """Whether every element takes whole bytes in a file; smaller ones are packed."""
    dtype = dtype_of(type)
    packed = ("int4", "uint4", "int2", "uint2", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")
    return dtype is not None and dtype.name not in packed


def map_external(proto: TensorProto, type: TensorType[Attribute], folder: Path) -> Array:
    """The array of a tensor whose data is in a separate file, memory-mapped.

    Raises AutosplitError if the file is missing, too short, or outside of `folder`.
    """
    entries = {e.key: e.value for e in proto.external_data}
    path = _inside(folder, entries.get("location", ""), proto.name)
    try:
        exists = path.is_file()
    except OSError as e:
        raise AutosplitError(
            f"the external data of tensor {proto.name!r} cannot be opened: {e.strerror}"
        ) from None
    if not exists:
        raise AutosplitError(f"{path}: the external data of tensor {proto.name!r} is missing")
    try:
        offset = int(entries.get("offset", "0") or "0")
        length = int(entries["length"]) if entries.get("length") else None
    except ValueError as e:
        raise AutosplitError(f"tensor {proto.name!r} has external data at no number: {e}") from e
    dtype = dtype_of(type)
    if dtype is None:
        raise AutosplitError(f"tensor {proto.name!r}: {type} cannot be external data")
    count = prod(type.get_shape())
    expected = count * dtype.itemsize
    if not is_plain(type):
        expected = -(-count * _bits(type) // 8)
    size = path.stat().st_size
    if length is None:
        length = expected
    if length != expected or offset < 0 or offset + length > size:
        raise AutosplitError(
            f"{path}: tensor {proto.name!r} takes {counted(expected, 'byte')} at {offset}; the model says "
            f"{length}, the file has {size}"
        )
    if length == 0:
        return cast("Array", np.empty(type.get_shape(), dtype))
    if not is_plain(type):
        filled = TensorProto(dims=proto.dims, data_type=proto.data_type, name=proto.name)
        filled.raw_data = np.memmap(path, np.uint8, "r", offset, (length,)).tobytes()
        return _read_array(filled, type)
    mapped = np.memmap(path, np.uint8, "r", offset, (length,))
    return cast("Array", mapped.view(dtype).reshape(type.get_shape()))


def _bits(type: TensorType[Attribute]) -> int:
    return int("".join(c for c in str(type.element_type) if c.isdigit())[:1])


def _inside(folder: Path, location: str, tensor: str) -> Path:
    """The path of external data, which must lie in the model's folder."""
    if not location:
        raise AutosplitError(f"tensor {tensor!r} has external data without a location")
    if "\0" in location:
        raise AutosplitError(
            f"tensor {tensor!r} has external data at {location!r}, which is not a path"
        )
    path = folder / location
    base = folder.resolve()
    if Path(location).is_absolute() or not path.resolve().is_relative_to(base):
        raise AutosplitError(
            f"tensor {tensor!r} has its data in {location!r}, outside of the model's folder {folder}: "
            "external data must lie beside the model"
        )
    return path


def tensor_proto(
    attr: Attribute, store: WeightStore | None, name: str | None = None
) -> TensorProto:
    """The message for an attribute that holds a tensor, called `name` if that is given.

    Raises AutosplitError if the store lacks a weight.
    """
    proto = _tensor_proto(attr, store)
    if name is not None:
        proto.name = name
    return proto


def _tensor_proto(attr: Attribute, store: WeightStore | None) -> TensorProto:
    if isinstance(attr, ProtoAttr):
        return TensorProto.FromString(attr.data.data)
    if isinstance(attr, WeightAttr) and store is not None:
        source = store.source(attr.key.data)
        if isinstance(source, TensorProto):
            copy = TensorProto()
            copy.CopyFrom(source)
            return copy
    inner = attr.value if isinstance(attr, TensorAttr) else attr
    type = tensor_type(inner)
    if type is None:
        raise AutosplitError(f"{attr} is not a tensor")
    proto = TensorProto(dims=type.get_shape())
    proto.data_type = CODE_OF_ELEMENT[type.element_type]
    if isinstance(attr, TensorAttr) and attr.tensor_name.data:
        proto.name = attr.tensor_name.data
    if isinstance(inner, StringsAttr):
        texts = (s.data for s in inner.values)
        proto.string_data.extend(t.encode() if isinstance(t, str) else t for t in texts)
        return proto
    array = tensor_array(inner, store)
    if array is None:
        raise AutosplitError(f"the weight {inner} has no store to read it from")
    if isinstance(attr, TensorAttr) and attr.encoding.data == "typed":
        _write_typed(proto, array)
    else:
        proto.raw_data = raw_bytes(array)
    return proto


def raw_bytes(array: Array) -> bytes:
    """The elements in the form of `raw_data`: little endian, small integers and floats packed."""
    if array.dtype.name in ("int4", "uint4", "int2", "uint2", "float4_e2m1fn"):
        return cast("TensorProto", cast("Any", numpy_helper).from_array(array)).raw_data
    return np.ascontiguousarray(array).tobytes()


def _write_typed(proto: TensorProto, array: Array) -> None:
    flat: NDArray[Any] = np.ascontiguousarray(array).reshape(-1)
    match flat.dtype.name:
        case "float32":
            proto.float_data.extend(flat.tolist())
        case "complex64":
            proto.float_data.extend(flat.view(np.float32).tolist())
        case "float64":
            proto.double_data.extend(flat.tolist())
        case "complex128":
            proto.double_data.extend(flat.view(np.float64).tolist())
        case "int64":
            proto.int64_data.extend(flat.tolist())
        case "uint32" | "uint64":
            proto.uint64_data.extend(flat.tolist())
        case "float16" | "bfloat16":
            proto.int32_data.extend(flat.view(np.uint16).tolist())
        case name if name.startswith("float8"):
            proto.int32_data.extend(flat.view(np.uint8).tolist())
        case _:
            proto.int32_data.extend(flat.astype(np.int32).tolist())
