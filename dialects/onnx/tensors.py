"""Types and attributes of tensors in the `onnx` dialect, and their conversion to and from numpy arrays.

Numpy is imported only if an array is created.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import (
    AnyDenseElement,
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import LocalType, ProtoAttr, WeightAttr, parse_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """The element type of a tensor of strings.

    Example: `tensor<4x!onnx.string>`
    """

    name = "onnx.string"


@irdl_attr_definition
class SequenceType(LocalType):
    """A list of values of one type.

    Example: `!onnx.sequence<tensor<?xf32>>`
    """

    name = "onnx.sequence"
    WHAT: ClassVar[str] = "a sequence"
    EXCHANGED: ClassVar[bool] = True
    element: Attribute = param_def()


@irdl_attr_definition
class OptionalType(LocalType):
    """A value that may be absent.

    Example: `!onnx.optional<tensor<?xf32>>`
    """

    name = "onnx.optional"
    WHAT: ClassVar[str] = "an optional value"
    EXCHANGED: ClassVar[bool] = True
    element: Attribute = param_def()


@irdl_attr_definition
class MapType(LocalType):
    """A dictionary: the type of its keys and of its values.

    Example: `!onnx.map<i64, tensor<f32>>`
    """

    name = "onnx.map"
    WHAT: ClassVar[str] = "a map"
    EXCHANGED: ClassVar[bool] = True
    key: Attribute = param_def()
    value: Attribute = param_def()


@irdl_attr_definition
class SparseTensorType(LocalType):
    """A tensor in coordinate form, with the shape and elements of the dense one.

    Example: `!onnx.sparse_tensor<tensor<?x8xf32>>`
    """

    name = "onnx.sparse_tensor"
    WHAT: ClassVar[str] = "a sparse tensor"
    dense: Attribute = param_def()


@irdl_attr_definition
class BitsAttr(ParametrizedAttribute):
    """A constant whose elements `dense<...>` would not bring through text unchanged: infinities, NaNs,
    float types of 8 bits and fewer, complex numbers, integers of 4 bits and fewer.

    The bytes of the elements in little-endian C order, as numpy (with `ml_dtypes`) stores them.
    Example: `#onnx.bits<"000080FF" : tensor<f32>>`
    """

    name = "onnx.bits"
    data: BytesAttr = param_def()
    type: TensorType[Attribute] = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            text = parser.parse_str_literal("the elements in hexadecimal")
            parser.parse_punctuation(":")
            type = parser.parse_attribute()
        try:
            return [BytesAttr(bytes.fromhex(text)), type]
        except ValueError:
            parser.raise_error(f"expected hexadecimal digits, found {text[:16]!r}")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.data.hex().upper())
            printer.print_string(" : ")
            printer.print_attribute(self.type)


@irdl_attr_definition
class StringsAttr(ParametrizedAttribute):
    """A constant tensor of strings, its elements in C order.

    Example: `#onnx.strings<["a", "b"], tensor<2x!onnx.string>>`
    """

    name = "onnx.strings"
    values: ArrayAttr[StringAttr | BytesAttr] = param_def()
    type: TensorType[Attribute] = param_def()


@irdl_attr_definition
class TensorAttr(ParametrizedAttribute):
    """A constant with its encoding in the model file: the TensorProto's name, and whether the
    elements lie in `raw_data` (`raw`) or in the field of their type (`typed`).

    A constant without a name in `raw_data` is the bare value: a dense attribute, bits or a weight.
    Example: `#onnx.tensor<"shape", typed, dense<[1, -1]> : tensor<2xi64>>`
    """

    name = "onnx.tensor"
    tensor_name: StringAttr = param_def()
    encoding: StringAttr = param_def()
    value: Attribute = param_def()

    @classmethod
    def of(cls, name: str, encoding: str, value: Attribute) -> TensorAttr:
        return cls(StringAttr(name), StringAttr(encoding), value)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            name = parse_name(parser, "the tensor's name")
            parser.parse_punctuation(",")
            encoding = parser.parse_identifier()
            parser.parse_punctuation(",")
            value = parser.parse_attribute()
        return [StringAttr(name), StringAttr(encoding), value]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.tensor_name.data)
            printer.print_string(f", {self.encoding.data}, ")
            printer.print_attribute(self.value)

    def verify(self) -> None:
        if self.encoding.data not in ("raw", "typed"):
            raise VerifyException(f"the encoding is raw or typed, found {self.encoding.data!r}")
        if isinstance(self.value, TensorAttr | ProtoAttr) or not isinstance(
            self.value, TENSOR_ATTRS
        ):
            raise VerifyException(
                f"the value is a dense attribute, bits, strings or a weight, found {self.value}"
            )


TENSOR_ATTRS = (DenseIntOrFPElementsAttr, BitsAttr, StringsAttr, WeightAttr, TensorAttr, ProtoAttr)
"""Attributes that hold a tensor; a `#platform.proto` is a serialized TensorProto or SparseTensorProto."""


def tensor_type(attr: Attribute) -> TensorType[Attribute] | None:
    """The type of the tensor that an attribute holds; None for a proto."""
    match attr:
        case TensorAttr():
            return tensor_type(attr.value)
        case DenseIntOrFPElementsAttr() | BitsAttr() | StringsAttr() | WeightAttr():
            return cast("TensorType[Attribute]", attr.type)
        case _:
            return None


def tensor_attr(array: Array) -> Attribute:
    """The attribute for a small array: dense if its text is exact, bits otherwise.

    Strings, arrays of `object`, `str` or `bytes`, are `#onnx.strings`. Raises ValueError for a dtype
    without an element type.
    """
    import numpy as np

    from autosplit.core.dtypes import tensor_type_of

    if array.dtype.kind in "OUS":
        items = cast("list[str | bytes]", array.reshape(-1).tolist())
        texts = [text_attr(v.encode() if isinstance(v, str) else v) for v in items]
        return StringsAttr(ArrayAttr(texts), TensorType(StringType(), array.shape))
    type = tensor_type_of(array)
    if not _is_dense(array):
        return BitsAttr(BytesAttr(np.ascontiguousarray(array).tobytes()), type)
    # xDSL stores true as the integer -1 of one bit.
    data = np.where(array, 255, 0).astype(np.uint8) if array.dtype == np.bool_ else array
    dense_type = cast("TensorType[AnyDenseElement]", type)
    return DenseIntOrFPElementsAttr(dense_type, BytesAttr(np.ascontiguousarray(data).tobytes()))


def tensor_array(attr: Attribute, store: WeightStore | None = None) -> Array | None:
    """The array that an attribute holds; None if it is not a tensor, or a weight and there is no store.

    Tensors of strings are arrays of `object`. Raises AutosplitError if the store lacks the weight.
    """
    match attr:
        case TensorAttr():
            return tensor_array(attr.value, store)
        case WeightAttr():
            return None if store is None else store.array(attr)
        case DenseIntOrFPElementsAttr() | BitsAttr():
            return _decode(attr.data.data, cast("TensorType[Attribute]", attr.type))
        case StringsAttr():
            values = np_objects([as_text(v) for v in attr.values])
            return values.reshape(attr.type.get_shape())
        case ProtoAttr():
            return _decode_proto(attr.data.data)
        case _:
            return None


def np_objects(values: Sequence[object]) -> Array:
    """A one-dimensional array of `object`."""
    import numpy as np

    array = np.empty(len(values), object)
    array[:] = list(values)
    return cast("Array", array)


def text_attr(data: bytes) -> StringAttr | BytesAttr:
    """A string attribute that round-trips through text; xDSL reads non-ASCII as bytes."""
    return StringAttr(data.decode()) if data.isascii() else BytesAttr(data)


def as_text(attr: StringAttr | BytesAttr) -> str | bytes:
    """The text of a string attribute; bytes if it is not UTF-8."""
    if isinstance(attr, StringAttr):
        return attr.data
    try:
        return attr.data.decode()
    except UnicodeDecodeError:
        return attr.data


def _decode(data: bytes, type: TensorType[Attribute]) -> Array:
    import numpy as np

    from autosplit.core.dtypes import dtype_of

    dtype = dtype_of(type)
    if dtype is None:
        raise AutosplitError(f"constants of type {type} have no bytes that can be read")
    if dtype == np.bool_:
        return (np.frombuffer(data, np.uint8) != 0).reshape(type.get_shape())
    return np.frombuffer(data, dtype).reshape(type.get_shape())


def _decode_proto(data: bytes) -> Array:
    import numpy as np
    from google.protobuf.message import DecodeError
    from onnx import SparseTensorProto, TensorProto, numpy_helper

    to_array = cast("Callable[[TensorProto], Array]", cast("Any", numpy_helper).to_array)
    try:
        proto = TensorProto.FromString(data)
    except DecodeError:
        proto = TensorProto()
    if proto.data_type:
        return to_array(proto)
    sparse = SparseTensorProto.FromString(data)
    values, indices = to_array(sparse.values), to_array(sparse.indices)
    dense: Array = np.zeros(tuple(sparse.dims), values.dtype)
    try:
        if indices.ndim == 2:
            dense[tuple(indices.T)] = values
        else:
            dense.reshape(-1)[indices] = values
    except (IndexError, ValueError) as error:
        raise AutosplitError(f"a sparse tensor is none: {error}") from None
    return dense


def _is_dense(array: Array) -> bool:
    from autosplit.core.dtypes import text_is_exact

    if array.dtype.kind in "bui":
        return array.dtype.name not in ("int4", "uint4", "int2", "uint2")
    return array.dtype.name in _FLOATS and text_is_exact(array)


_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
