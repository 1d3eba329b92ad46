"""Arguments as attributes of the IR, and as Python values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from autosplit.dialects.onnx.tensors import as_text, text_attr
from autosplit.dialects.platform import PlainClass

Argument: TypeAlias = "bool | int | float | str | SSAValue | list[Argument] | None"
"""An argument in Python: a value of the program, a constant, a list of these, or None."""


class WordAttr(ParametrizedAttribute, metaclass=PlainClass):
    """Base of the attributes that hold a name of PyTorch's."""

    word: StringAttr = param_def()
    KIND: ClassVar[str] = ""
    """How a `.pt2` marks such an argument."""

    @classmethod
    def of(cls, word: str) -> WordAttr:
        """The attribute for a name."""
        return _word(cls, word)


@cache
def _word(cls: type[WordAttr], word: str) -> WordAttr:
    return cls(StringAttr(word))


@irdl_attr_definition
class DtypeAttr(WordAttr):
    """The type of a tensor's elements, as PyTorch calls it. Example: `#aten.dtype<"float32">`"""

    name = "aten.dtype"
    KIND: ClassVar = "as_scalar_type"


@irdl_attr_definition
class LayoutAttr(WordAttr):
    """A tensor's layout. Example: `#aten.layout<"strided">`"""

    name = "aten.layout"
    KIND: ClassVar = "as_layout"


@irdl_attr_definition
class MemoryFormatAttr(WordAttr):
    """The order of a tensor's elements. Example: `#aten.memory_format<"channels_last">`"""

    name = "aten.memory_format"
    KIND: ClassVar = "as_memory_format"


@irdl_attr_definition
class DeviceAttr(WordAttr):
    """A device of PyTorch's. Example: `#aten.device<"cpu">`"""

    name = "aten.device"
    KIND: ClassVar = "as_device"


@irdl_attr_definition
class NoneAttr(ParametrizedAttribute):
    """Python's None. Example: `bias = #aten.none`"""

    name = "aten.none"


@irdl_attr_definition
class ValueAttr(ParametrizedAttribute):
    """The place of an operand in a list that holds constants too: the next one of that argument.

    Example: `aten.view "v" (%x, %n) <{size = [#aten.value, 8 : i64]}>` has the size `[n, 8]`.
    """

    name = "aten.value"


@irdl_attr_definition
class JsonAttr(ParametrizedAttribute):
    """An argument that the compiler keeps but does not read, such as the graph of a branch, as JSON.

    Example: `#aten.json<"{\\22as_complex\\22: {\\22real\\22: 0.0, \\22imag\\22: 1.0}}">`
    """

    name = "aten.json"
    text: StringAttr = param_def()

    @classmethod
    def of(cls, text: str) -> JsonAttr:
        """The attribute for a text."""
        return cls(StringAttr(text))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            if (data := parser.parse_optional_bytes_literal()) is not None:
                return [StringAttr(data.decode())]
            return [StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.text.data)


VALUE = ValueAttr()
NONE = NoneAttr()


def attribute_of(value: float | str | list[Argument] | None) -> Attribute:
    """A constant as an attribute; operands in a list become `#aten.value`."""
    match value:
        case None:
            return NONE
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return text_attr(value.encode())
        case list():
            if value and all(type(item) is int for item in value):
                return DenseArrayBase.from_list(i64, cast("list[int]", value))
            if value and all(type(item) is float for item in value):
                return DenseArrayBase.from_list(f64, cast("list[float]", value))
            return ArrayAttr(
                VALUE if isinstance(item, SSAValue) else attribute_of(item) for item in value
            )


def python_value(attr: Attribute, operands: Iterator[SSAValue]) -> Argument:
    """The Python value of an attribute; `operands` are those for its places, in order.

    Dtypes, layouts, memory formats and devices are their PyTorch names. Raises ValueError for an attribute
    that no argument has.
    """
    match attr:
        case NoneAttr():
            return None
        case IntegerAttr():
            number = cast("IntegerAttr[IntegerType]", attr)
            return bool(number.value.data) if number.type == i1 else number.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr() | BytesAttr():
            return cast("str", as_text(attr))
        case WordAttr():
            return attr.word.data
        case ValueAttr():
            if (operand := next(operands, None)) is None:
                raise ValueError("has fewer operands than places for them")
            return operand
        case ArrayAttr():
            return [python_value(item, operands) for item in attr]
        case DenseArrayBase():
            return list(cast("DenseArrayBase[IntegerType]", attr).get_values())
        case JsonAttr():
            return attr.text.data
        case _:
            raise ValueError(f"is {attr}, expected an argument of PyTorch's")


def places_in(attr: Attribute) -> int:
    """How many operands an attribute has places for."""
    if isinstance(attr, ValueAttr):
        return 1
    if isinstance(attr, ArrayAttr):
        return sum(places_in(item) for item in cast("ArrayAttr[Attribute]", attr))
    return 0


_WORDS = {"True": True, "False": False, "None": None}


@cache
def _parsed_default(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        # Names such as `contiguous_format` and `long`.
        return text


def default_value(text: str | None) -> Argument:
    """The default of an argument, from the schema's text; None if the schema has none."""
    if text is None:
        return None
    value = _parsed_default(text)
    return (
        list(cast("list[Argument]", value)) if isinstance(value, list) else cast("Argument", value)
    )
