"""Types and attributes of the `tf` dialect, and what they are in Python.

A node's attributes are a dictionary in the IR. Their kinds, and how they are written:

| in TensorFlow | in the IR | in Python |
| --- | --- | --- |
| int, float, bool | `1 : i64`, `1.0 : f32`, `true` | int, float, bool |
| string | `"SAME"` | str (bytes where it is not UTF-8) |
| type | `f32`, `!tf.string`, `!tf.dtype<11>` | the IR's type |
| shape | `#tf.shape<[1, -1, 3]>`, `#tf.shape<*>` | list of int, None |
| tensor | `dense<...>`, `#tf.tensor<...>` | numpy array |
| list of ints | `array<i64: 1, 2, 2, 1>` | list of int |
| other lists | `["a", "b"]` | list |
| everything else | `#platform.proto<...>`, the serialized AttrValue | str (a function's name), else bytes |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeIs
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from autosplit.core.dtypes import (
    dtype_of,
    element_type_of,
    ranked_type,
    text_is_exact,
    unranked_type,
)
from autosplit.dialects.platform import (
    LocalType,
    ProtoAttr,
    UnknownType,
    WeightAttr,
)

Array = NDArray[np.generic]


@irdl_attr_definition
class ControlType(LocalType):
    """The value of a control edge: it only means that its producer has run.

    Example: `!tf.control`
    """

    name = "tf.control"
    WHAT: ClassVar[str] = "a control edge"


@irdl_attr_definition
class ResourceType(LocalType):
    """A handle to an object of a session, such as a TensorArray or a variable.

    Example: `!tf.resource`
    """

    name = "tf.resource"
    WHAT: ClassVar[str] = "a handle of a resource"


@irdl_attr_definition
class VariantType(LocalType):
    """An opaque object, such as a TensorList.

    Example: `!tf.variant`
    """

    name = "tf.variant"
    WHAT: ClassVar[str] = "a variant"


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """The dtype of tensors of byte strings.

    Example: `tensor<2x!tf.string>`
    """

    name = "tf.string"


@irdl_attr_definition
class OtherType(ParametrizedAttribute, TypeAttribute):
    """A dtype without a counterpart in the IR, by TensorFlow's number: references, quantized types.

    Example: `!tf.dtype<11>` (DT_QINT8)
    """

    name = "tf.dtype"
    number: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.number.data))


@irdl_attr_definition
class ShapeAttr(ParametrizedAttribute):
    """A shape as an attribute: -1 is an unknown size, `*` an unknown rank.

    Example: `#tf.shape<[1, -1, 3]>`, `#tf.shape<*>`
    """

    name = "tf.shape"
    dims: DenseArrayBase | NoneAttr = param_def()

    @classmethod
    def of(cls, shape: Sequence[int] | None) -> ShapeAttr:
        return cls(NoneAttr() if shape is None else DenseArrayBase.from_list(i64, list(shape)))

    @classmethod
    def of_type(cls, type: Attribute) -> ShapeAttr:
        """The shape of a tensor type; of all other types it is unknown."""
        if not isinstance(type, TensorType):
            return cls.of(None)
        return cls.of([max(d, -1) for d in type.get_shape()])

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The sizes; None if the rank is unknown."""
        if isinstance(self.dims, NoneAttr):
            return None
        return tuple(ints_of(self.dims))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            if parser.parse_optional_punctuation("*") is not None:
                return [NoneAttr()]
            dims = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
            )
            return [DenseArrayBase.from_list(i64, dims)]

    def print_parameters(self, printer: Printer) -> None:
        shape = self.shape
        with printer.in_angle_brackets():
            printer.print_string("*" if shape is None else str(list(shape)))


@irdl_attr_definition
class TensorAttr(ParametrizedAttribute):
    """A tensor with an unusual encoding in the file.

    The usual encoding is the typed field for one element, and raw bytes for more. `count` is the number of
    elements in the typed field (the last one is repeated), or -1 for raw bytes.
    Example: `#tf.tensor<dense<7> : tensor<4xi32>, 1>`
    """

    name = "tf.tensor"
    value: DenseIntOrFPElementsAttr = param_def()
    count: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            value = parser.parse_attribute()
            parser.parse_punctuation(",")
            return [value, IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.value)
            printer.print_string(f", {self.count.data}")


ui8, ui16, ui32, ui64, ui4 = (IntegerType(n, Signedness.UNSIGNED) for n in (8, 16, 32, 64, 4))
complex64, complex128 = ComplexType(f32), ComplexType(f64)

_DTYPES: dict[int, Attribute] = {
    1: f32, 2: f64, 3: i32, 4: ui8, 5: i16, 6: i8, 7: StringType(), 8: complex64, 9: i64,
    10: i1, 14: bf16, 17: ui16, 18: complex128, 19: f16, 20: ResourceType(), 21: VariantType(),
    22: ui32, 23: ui64, 24: Float8E5M2Type(), 25: Float8E4M3FNType(), 29: IntegerType(4), 30: ui4,
}  # fmt: skip
_NUMBERS = {type: number for number, type in _DTYPES.items()}


def element_of(data_type: int) -> Attribute:
    """The IR's element type for TensorFlow's DataType number."""
    return _DTYPES.get(data_type) or OtherType(IntAttr(data_type))


def data_type_of(element: Attribute) -> int | None:
    """TensorFlow's DataType number of an element type; None if it has none."""
    return element.number.data if isinstance(element, OtherType) else _NUMBERS.get(element)


def tensor_type(element: Attribute | None, shape: Sequence[int] | None = None) -> Attribute:
    """The type of a value: ranked where `shape` is known; handles and unknown dtypes as they are.

    Negative sizes are unknown ones.
    """
    if element is None:
        return UnknownType()
    if isinstance(element, LocalType):
        return element
    if shape is None:
        return unranked_type(element)
    return ranked_type(element, tuple(DYNAMIC_INDEX if d < 0 else d for d in shape))


def is_dtype(attr: Attribute) -> bool:
    """Whether an attribute is a dtype as `element_of` gives it."""
    return attr in _NUMBERS or isinstance(attr, OtherType)


class Kind(Enum):
    """What an attribute that a node must have holds; `ATTRIBUTES` of an op maps names to these."""

    TYPE = "type"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STRING = "string"
    SHAPE = "shape"
    TENSOR = "tensor"
    FUNC = "func"
    INTS = "list(int)"
    TYPES = "list(type)"

    def accepts(self, attr: Attribute) -> bool:
        """Whether the attribute is of this kind; what the IR does not model is of every kind."""
        return isinstance(attr, ProtoAttr) or _CHECKS[self](attr)


_CHECKS: dict[Kind, Callable[[Attribute], bool]] = {
    Kind.TYPE: is_dtype,
    Kind.INT: lambda a: _is_integer(a, i64),
    Kind.FLOAT: lambda a: isinstance(a, FloatAttr),
    Kind.BOOL: lambda a: _is_integer(a, i1),
    Kind.STRING: lambda a: isinstance(a, StringAttr | BytesAttr),
    Kind.SHAPE: lambda a: isinstance(a, ShapeAttr),
    Kind.TENSOR: lambda a: isinstance(a, DenseIntOrFPElementsAttr | TensorAttr | WeightAttr),
    Kind.FUNC: lambda a: False,
    Kind.INTS: lambda a: isinstance(a, DenseArrayBase) or _is_empty(a),
    Kind.TYPES: lambda a: is_array(a) and all(is_dtype(x) for x in a.data),
}


def _is_integer(attr: Attribute, type: Attribute) -> bool:
    return isinstance(attr, IntegerAttr) and cast("IntegerAttr", attr).type == type


def ints_of(attr: DenseArrayBase) -> list[int]:
    """The elements of a dense array of integers."""
    return [int(v) for v in cast("Any", attr).get_values()]


def is_array(attr: Attribute) -> TypeIs[ArrayAttr[Attribute]]:
    return isinstance(attr, ArrayAttr)


def _is_empty(attr: Attribute) -> bool:
    return is_array(attr) and not attr.data


def kind_of(value: object) -> Kind:
    """The kind of an attribute whose default is `value`."""
    match value:
        case Kind():
            return value
        case bool():
            return Kind.BOOL
        case int():
            return Kind.INT
        case float():
            return Kind.FLOAT
        case str():
            return Kind.STRING
        case ShapeAttr():
            return Kind.SHAPE
        case tuple():
            return Kind.INTS
        case _:
            return Kind.TYPE


def from_python(value: object) -> Attribute:
    """The attribute for a Python value: see the table at the top of this file.

    A numpy array becomes a tensor, a list a list, an attribute stays as it is. Raises TypeError.
    """
    match value:
        case Attribute():
            return value
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f32)
        case str():
            return string_attr(value.encode())
        case bytes():
            return string_attr(value)
        case list() | tuple():
            return list_attr([from_python(v) for v in cast("Sequence[object]", value)])
        case _:
            pass
    if isinstance(value, np.ndarray):
        return dense(cast("Array", value))
    if isinstance(value, np.generic):
        return from_python(value.item())
    raise TypeError(f"{type(value).__name__} is not a value of a TensorFlow attribute")


def string_attr(data: bytes) -> Attribute:
    """A string attribute; xDSL's text keeps only ASCII as a string."""
    return StringAttr(data.decode()) if data.isascii() else BytesAttr(data)


def string_bytes(attr: Attribute) -> bytes | None:
    """The bytes of a string attribute; None if it is none."""
    if isinstance(attr, StringAttr):
        return attr.data.encode()
    return attr.data if isinstance(attr, BytesAttr) else None


def list_attr(items: Sequence[Attribute]) -> Attribute:
    """A list attribute; a list of ints is a dense array."""
    if items and all(Kind.INT.accepts(a) and isinstance(a, IntegerAttr) for a in items):
        ints = [cast("IntegerAttr", a).value.data for a in items]
        return DenseArrayBase.from_list(i64, ints)
    return ArrayAttr(items)


def dense(array: Array) -> DenseIntOrFPElementsAttr:
    """A dense attribute with the elements of `array`. Raises ValueError for strings and the like."""
    element = element_type_of(array.dtype)
    data = np.ascontiguousarray(array)
    if element == i1:
        # A true boolean is all ones in xDSL's buffers.
        data = data.astype(np.uint8) * np.uint8(255)
    attr_type = ranked_type(element, array.shape)
    return DenseIntOrFPElementsAttr(cast("Any", attr_type), BytesAttr(data.tobytes()))


def dense_to_array(attr: DenseIntOrFPElementsAttr) -> Array:
    """The elements of a dense attribute, in its shape, without copying where possible."""
    shape = attr.get_shape()
    element = cast("Attribute", attr.get_element_type())
    dtype = np.dtype(np.uint8) if element == i1 else dtype_of(element)
    flat: Array = np.frombuffer(attr.data.data, dtype=dtype)
    if element == i1:
        flat = flat != 0
    if flat.size == 1 and shape != (1,):
        return np.broadcast_to(flat, shape) if shape else flat.reshape(())
    return flat.reshape(shape)


def is_modelled(array: Array) -> bool:
    """Whether a dense attribute can hold the array and round-trips through text."""
    if array.dtype.kind in "bui":
        return True
    return _is_float(array.dtype) and text_is_exact(array)


def _is_float(dtype: np.dtype[np.generic]) -> bool:
    try:
        element = element_type_of(dtype)
    except ValueError:
        return False
    return isinstance(element, AnyFloat) and bool(data_type_of(element))
