"""Logical tensors: layouts as the encoding of tensor types, and the library's element types.

A tensor type without encoding is dense and row-major. So is one that carries another dialect's encoding,
such as the names of its dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Self, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float8E4M3FNType,
    Float8E5M2Type,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    TensorType,
    f16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from autosplit.dialects.platform import element_type

_TYPES: dict[str, Attribute] = {
    "f32": f32,
    "bf16": BFloat16Type(),
    "f16": f16,
    "s8": IntegerType(8),
    "u8": IntegerType(8, Signedness.UNSIGNED),
    "s32": IntegerType(32),
    "s64": IntegerType(64),
    "s4": IntegerType(4),
    "u4": IntegerType(4, Signedness.UNSIGNED),
    "boolean": i1,
    "f8_e4m3": Float8E4M3FNType(),
    "f8_e5m2": Float8E5M2Type(),
}
_NAMES = {type: name for name, type in _TYPES.items()}


def element_type_named(dtype: str) -> Attribute | None:
    """The element type that the library calls `dtype`, such as `u8`; None if it has none of that name."""
    return _TYPES.get(dtype)


def dtype_name(type: Attribute) -> str | None:
    """The library's name of an element type, or of a tensor's; None if it has none."""
    return _NAMES.get(element_type(type) or type)


def ints_of(array: Attribute) -> tuple[int, ...]:
    """The elements of an array of integers."""
    return tuple(cast("DenseArrayBase[IntegerType]", array).get_values())


class LayoutAttr(ParametrizedAttribute):
    """Base of the layouts that a tensor type can carry as its encoding."""


def _ints_in_brackets(parser: AttrParser) -> list[int]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )


def _print_ints(printer: Printer, values: Sequence[int]) -> None:
    with printer.in_square_brackets():
        printer.print_list(values, lambda v: printer.print_string(str(v)))


class _KeptStrides(LayoutAttr):
    """A layout without strides that still keeps those from a file."""

    given: DenseArrayBase = param_def()

    @classmethod
    def of(cls, strides: Sequence[int] = ()) -> Self:
        """The layout, with the meaningless strides of a file, if any."""
        return cls(DenseArrayBase.from_list(i64, strides))

    @property
    def strides(self) -> tuple[int, ...]:
        return ints_of(self.given)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return [DenseArrayBase.from_list(i64, ())]
        strides = _ints_in_brackets(parser)
        parser.parse_punctuation(">")
        return [DenseArrayBase.from_list(i64, strides)]

    def print_parameters(self, printer: Printer) -> None:
        if self.strides:
            with printer.in_angle_brackets():
                _print_ints(printer, self.strides)


@irdl_attr_definition
class AnyLayout(_KeptStrides):
    """The library chooses the layout when it compiles the partition. Example: `#dnnl.any`"""

    name = "dnnl.any"


@irdl_attr_definition
class UndefLayout(_KeptStrides):
    """The layout is not specified. Example: `#dnnl.undef`"""

    name = "dnnl.undef"


@irdl_attr_definition
class OpaqueLayout(LayoutAttr):
    """A private layout of the library, identified by a number from a compiled partition.

    Example: `#dnnl.opaque<17>`
    """

    name = "dnnl.opaque"
    layout_id: IntAttr = param_def()

    @classmethod
    def of(cls, layout_id: int) -> OpaqueLayout:
        return cls(IntAttr(layout_id))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.layout_id.data))

    def verify(self) -> None:
        if self.layout_id.data < 0:
            raise VerifyException(f"a layout's number is not negative, found {self.layout_id.data}")


class _NumbersLayout(LayoutAttr):
    """Base of the layouts that are one number for each dimension."""

    values: DenseArrayBase = param_def()

    @classmethod
    def of(cls, values: Sequence[int]) -> Self:
        return cls(DenseArrayBase.from_list(i64, values))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [DenseArrayBase.from_list(i64, _ints_in_brackets(parser))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_ints(printer, ints_of(self.values))


@irdl_attr_definition
class StridedLayout(_NumbersLayout):
    """Element strides, one for each dimension; negative if unknown.

    Example: `tensor<2x64xf32, #dnnl.strided<[128, 1]>>`
    """

    name = "dnnl.strided"

    @property
    def strides(self) -> tuple[int, ...]:
        return ints_of(self.values)


@irdl_attr_definition
class OrderLayout(_NumbersLayout):
    """Dense, with the dimensions from outermost to innermost: a layout that needs no sizes.

    Channels-last of an NCHW tensor is `tensor<?x64x?x?xui8, #dnnl.order<[0, 2, 3, 1]>>`.
    """

    name = "dnnl.order"

    @classmethod
    def channels_last(cls, rank: int) -> OrderLayout:
        """The order of a channels-first tensor of this rank whose channels are stored innermost."""
        return cls.of([0, *range(2, rank), 1])

    @property
    def order(self) -> tuple[int, ...]:
        return ints_of(self.values)

    def verify(self) -> None:
        if sorted(self.order) != list(range(len(self.order))):
            raise VerifyException(f"an order names each dimension once, found {list(self.order)}")


def layout_of(type: Attribute) -> LayoutAttr | None:
    """The layout that a tensor type carries; None for dense row-major."""
    encoding = (
        cast("TensorType[Attribute]", type).encoding if isinstance(type, TensorType) else None
    )
    return encoding if isinstance(encoding, LayoutAttr) else None


def with_layout(type: TensorType[Attribute], layout: LayoutAttr | None) -> TensorType[Attribute]:
    """The tensor type with this layout; None for dense row-major."""
    return TensorType(type.element_type, type.get_shape(), layout or NoneAttr())


def dense_strides(shape: Sequence[int], order: Sequence[int] | None = None) -> tuple[int, ...]:
    """The strides of a dense tensor whose dimensions nest in `order` (default row-major).

    A stride is -1 if a size that it depends on is unknown.
    """
    order = range(len(shape)) if order is None else order
    strides = [0] * len(shape)
    for position, dim in enumerate(order):
        inner_sizes = [shape[d] for d in order[position + 1 :]]
        strides[dim] = -1 if any(d < 0 for d in inner_sizes) else prod(inner_sizes)
    return tuple(strides)


def strides_of(type: Attribute) -> tuple[int, ...] | None:
    """The element strides of a tensor type, -1 where not known.

    None if the layout has none (any, undef, opaque), and for types that are not ranked tensors.
    """
    if not isinstance(type, TensorType):
        return None
    tensor = cast("TensorType[Attribute]", type)
    shape = tensor.get_shape()
    match layout_of(tensor):
        case None:
            return dense_strides(shape)
        case OrderLayout() as layout:
            return dense_strides(shape, layout.order)
        case StridedLayout() as layout:
            return layout.strides
        case _:
            return None
