"""What all ops of the dialect share: the library's attribute names, one syntax, JSON identities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, var_operand_def, var_result_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

from autosplit.core.errors import nearest
from autosplit.core.versions import Version
from autosplit.dialects.dnnl.layouts import ints_of
from autosplit.dialects.dnnl.table import (
    BOOL,
    F32,
    F32S,
    S64,
    S64S,
    STRING,
    AttrSpec,
    AttrValue,
    OpSpec,
)
from autosplit.dialects.numbers import (
    parse_optional_number,
    parse_optional_numbers,
    print_numbers,
)
from autosplit.dialects.platform import location_names

_F32_LIMIT = float(2**128 - 2**103)
"""Numbers from here on round to infinity in f32."""


def _is_int(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return -(1 << 63) <= int(cast("int", value)) < 1 << 63


def _is_number(value: object) -> bool:
    """True for numbers that f32 can hold, including infinities and NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    # An integer of any size can be compared, but not converted to float.
    number = cast("float", value)
    return -_F32_LIMIT < number < _F32_LIMIT or (
        not isinstance(value, int) and not math.isfinite(number)
    )


def _items(value: AttrValue) -> list[object]:
    """The elements of a list, a tuple or an array; any other value as a list of itself."""
    if isinstance(value, list | tuple | np.ndarray):
        return list(cast("Sequence[object]", value))
    return [None]


def to_attribute(type: str, value: AttrValue) -> Attribute:
    """The IR's form of a value of one of the library's types; numpy scalars and tuples are accepted.

    Raises ValueError if the value is not of the type.
    """
    if type == STRING and isinstance(value, str):
        return StringAttr(value)
    if type == BOOL and (
        isinstance(value, bool | np.bool_) or (_is_int(value) and value in (0, 1))
    ):
        return BoolAttr.from_bool(bool(value))
    if type == S64 and _is_int(value):
        return IntegerAttr(int(cast("int", value)), i64)
    if type == F32 and _is_number(value):
        return FloatAttr(float(cast("float", value)), f32)
    if type == S64S and all(map(_is_int, items := _items(value))):
        return DenseArrayBase.from_list(i64, [int(cast("int", v)) for v in items])
    if type == F32S and all(map(_is_number, items := _items(value))):
        return DenseArrayBase.from_list(f32, [float(cast("float", v)) for v in items])
    raise ValueError(f"{value!r} is not of type {type}")


def to_python(attribute: Attribute) -> AttrValue:
    """The Python value of an attribute that `to_attribute` could have made. Raises ValueError for others."""
    match attribute:
        case StringAttr():
            return attribute.data
        case IntegerAttr() if attribute.type == BoolAttr.from_bool(True).type:
            return bool(attribute.value.data)
        case IntegerAttr():
            return int(attribute.value.data)
        case FloatAttr():
            return float(attribute.value.data)
        case DenseArrayBase():
            array = cast("DenseArrayBase[Float32Type]", attribute)
            return list(array.get_values()) if array.elt_type == f32 else list(ints_of(array))
        case _:
            raise ValueError(f"{attribute} is not a value of an attribute of the library")


class DnnlOp(IRDLOperation):
    """One op of oneDNN Graph, with the library's own names for its kind and its attributes.

    All kinds share one syntax; lists print without their element types, which the op's table gives:

        %y = dnnl.Convolution(%x, %w) {strides = [1, 1], ...} : (T, T) -> T

    The op's name is its location. Ops that a JSON file gave also carry the file's numbers.
    """

    inputs = var_operand_def()
    outputs = var_result_def()

    value_names = opt_prop_def(ArrayAttr[StringAttr])
    """The names that the results have in the model that the op was made from."""
    op_id = opt_prop_def(IntegerAttr)
    """The op's number in the JSON file that it was read from."""
    output_ids = opt_prop_def(DenseArrayBase)
    """The numbers of the results' logical tensors there."""
    output_properties = opt_prop_def(ArrayAttr[StringAttr])
    """The results' property types there (undef, variable, constant, host_scalar); all undef where absent."""
    input_layouts = opt_prop_def(DictionaryAttr)
    """Layouts that a file gives operands where they are read, by index, where other."""
    spelling = opt_prop_def(StringAttr)
    """The kind as the file spells it, if other than today's spelling."""

    OWN: ClassVar[frozenset[str]] = frozenset(
        {"value_names", "op_id", "output_ids", "output_properties", "input_layouts", "spelling"}
    )
    """The properties that are the project's, not the library's."""

    SPEC: ClassVar[OpSpec]
    KIND_CODE: ClassVar[int]
    """The kind in the library's C enum."""
    SINCE: ClassVar[Version]
    """The first version of the library that knows the kind. Older ones crash on it."""
    ATTRS: ClassVar[dict[str, AttrSpec]]

    @property
    def kind(self) -> str:
        """The library's name of this kind of op, such as `Convolution`."""
        return self.SPEC.kind

    @property
    def identity(self) -> str:
        """The op's name in reasons and plans: the first in its location, or ''."""
        return next(iter(location_names(self.location)), "")

    @property
    def attrs(self) -> dict[str, AttrValue]:
        """The attributes that are set, by the library's names, in the order of the table."""
        return {name: _value(self, name) for name in self.ATTRS if name in self.properties}

    def attr(self, name: str) -> AttrValue | None:
        """An attribute's value, or the library's default if it is not set."""
        return _value(self, name) if name in self.properties else self.ATTRS[name].default

    def text(self, name: str) -> str:
        """A string attribute, or its default."""
        return str(self.attr(name))

    def flag(self, name: str) -> bool:
        """A bool attribute, or its default."""
        return bool(self.attr(name))

    def integer(self, name: str) -> int:
        """An s64 attribute, or its default."""
        return cast("int", self.attr(name))

    def number(self, name: str) -> float:
        """An f32 attribute, or its default."""
        return cast("float", self.attr(name))

    def ints(self, name: str) -> list[int]:
        """An s64[] attribute, or its default; empty if there is neither."""
        return cast("list[int] | None", self.attr(name)) or []

    def numbers(self, name: str) -> list[float]:
        """An f32[] attribute; empty if it is not set."""
        return cast("list[float] | None", self.attr(name)) or []

    def set_attr(self, name: str, value: AttrValue | None) -> None:
        """Sets an attribute, or removes it if `value` is None. Raises ValueError if it does not fit."""
        if value is None:
            self.properties.pop(name, None)
            return
        self.properties[name] = attribute_of(type(self), name, value)

    def needs_version(self) -> Version:
        """The first version that supports the op with its attributes; defaults need not be passed."""
        attribute_versions = (
            spec.since
            for name, spec in self.ATTRS.items()
            if name in self.properties and self.attr(name) != spec.default
        )
        return max([self.SINCE, *attribute_versions])

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        fields = {**{k: self.properties[k] for k in self.ATTRS if k in self.properties}}
        fields |= {k: v for k, v in self.properties.items() if k not in fields}
        if fields:
            printer.print_string(" ")
            with printer.in_braces():
                printer.print_list(fields.items(), lambda kv: _print_field(printer, *kv))
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pos = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        fields = parser.parse_optional_comma_separated_list(
            parser.Delimiter.BRACES, lambda: _parse_field(cls, parser)
        )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(operands, types.inputs.data, pos),
            result_types=types.outputs.data,
            properties=dict(fields or ()),
            attributes=attributes.data if attributes is not None else {},
        )


def _value(op: DnnlOp, name: str) -> AttrValue:
    """The Python value of an attribute that is set, read once: shapes are computed from it often."""
    op_dict: dict[str, Any] = vars(op)
    pairs: dict[str, tuple[Attribute, AttrValue]] = op_dict.setdefault("_values", {})
    attribute = op.properties[name]
    pair = pairs.get(name)
    if pair is None or pair[0] is not attribute:
        pair = pairs[name] = attribute, to_python(attribute)
    value = pair[1]
    # A copy, which the caller may change.
    return value.copy() if isinstance(value, list) else value


def attribute_of(cls: type[DnnlOp], name: str, value: AttrValue) -> Attribute:
    """The IR's form of an attribute of one kind of op.

    Raises ValueError, in one line, if the kind has no such attribute or the value is not of its type.
    """
    spec = cls.ATTRS.get(name)
    if spec is None:
        hint = nearest(name, list(cls.ATTRS))
        raise ValueError(f"dnnl.{cls.SPEC.kind} has no attribute {name!r}{hint}")
    try:
        return to_attribute(spec.type, value)
    except ValueError as e:
        raise ValueError(f"attribute {name!r} of dnnl.{cls.SPEC.kind}: {e}") from None


def _print_field(printer: Printer, name: str, attribute: Attribute) -> None:
    printer.print_string(f"{name} = ")
    value = to_python(attribute) if _is_plain(attribute) else None
    if value is None:
        printer.print_attribute(attribute)
    else:
        print_numbers(printer, cast("float | list[float]", value), _spell)


def _spell(value: float) -> str:
    """The shortest text that gives the f32 back."""
    return str(np.float32(value))


def _is_plain(attribute: Attribute) -> bool:
    """True for numbers, and lists of them, that the syntax spells without their types."""
    if isinstance(attribute, DenseArrayBase):
        return cast("DenseArrayBase[Any]", attribute).elt_type in (i64, f32)
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return cast("IntegerAttr[Any]", attribute).type in (i64, f32)
    return False


def _parse_field(cls: type[DnnlOp], parser: Parser) -> tuple[str, Attribute]:
    pos = parser.pos
    name = parser.parse_identifier("the name of an attribute")
    parser.parse_punctuation("=")
    if name in cls.OWN:
        return name, _parse_own_property(parser, name)
    spec = cls.ATTRS.get(name)
    if spec is None:
        hint = nearest(name, list(cls.ATTRS))
        parser.raise_error(f"dnnl.{cls.SPEC.kind} has no attribute {name!r}{hint}", pos, parser.pos)
    return name, _parse_value(parser, spec.type)


def _parse_own_property(parser: Parser, name: str) -> Attribute:
    match name:
        case "op_id":
            return _parse_value(parser, S64)
        case "output_ids":
            return _parse_value(parser, S64S)
        case _:
            return parser.parse_attribute()


def _parse_value(parser: AttrParser, type: str) -> Attribute:
    """Reads a value as `_print_field` writes it, or as an attribute of any form."""
    floats = type in (F32, F32S)
    if type in (S64S, F32S) and (
        (values := parse_optional_numbers(parser, floats=floats)) is not None
    ):
        return to_attribute(type, cast("AttrValue", values))
    if type in (S64, F32) and (value := parse_optional_number(parser, floats=floats)) is not None:
        if parser.parse_optional_punctuation(":") is not None:
            parser.parse_type()
        return to_attribute(type, value)
    return parser.parse_attribute()


def tensor_id(value: SSAValue) -> int | None:
    """The number of a value's logical tensor in the JSON file that it came from; None if it has none."""
    if isinstance(value, OpResult):
        ids = value.op.properties.get("output_ids")
    else:
        ids = _owner_property(value, "input_ids")
    if not isinstance(ids, DenseArrayBase):
        return None
    return ints_of(cast("Attribute", ids))[cast("OpResult", value).index]


def property_type(value: SSAValue) -> str:
    """A value's property type (undef, variable, constant, host_scalar); undef by default."""
    if isinstance(value, OpResult):
        property_types = value.op.properties.get("output_properties")
    else:
        property_types = _owner_property(value, "input_properties")
    if not isinstance(property_types, ArrayAttr):
        return "undef"
    return cast("ArrayAttr[StringAttr]", property_types).data[cast("OpResult", value).index].data


def _owner_property(value: SSAValue, name: str) -> Attribute | None:
    """A property of the op around a block argument."""
    block = value.owner
    parent = block.parent_op() if not isinstance(block, IRDLOperation) else None
    return None if parent is None else parent.properties.get(name)


def named_attributes(
    cls: type[DnnlOp], attrs: Mapping[str, AttrValue | None]
) -> dict[str, Attribute]:
    """Properties for attributes given as Python values; those that are None are left out."""
    return {k: attribute_of(cls, k, v) for k, v in attrs.items() if v is not None}
