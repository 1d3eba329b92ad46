"""What all ops of the dialect share: TPU-MLIR's attribute names, and locations that are names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Self, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    NoneType,
    Signedness,
    StringAttr,
    UnknownLoc,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, var_operand_def, var_region_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from autosplit.core.errors import nearest
from autosplit.dialects.numbers import (
    parse_optional_number,
    parse_optional_numbers,
    print_numbers,
)
from autosplit.dialects.top.spec import (
    BOOL,
    DICTS,
    F64,
    F64S,
    I32,
    I32S,
    I64,
    I64S,
    SI32,
    STRING,
    UI32,
    VARIADIC,
    AttrValue,
    OpSpec,
)

_INTEGERS = {
    I64: i64,
    I32: i32,
    SI32: IntegerType(32, Signedness.SIGNED),
    UI32: IntegerType(32, Signedness.UNSIGNED),
}
_LISTS = {I64S: I64, I32S: I32, F64S: F64}


@lru_cache(1 << 12)
def _integer(value: int, type: IntegerType) -> IntegerAttr:
    return IntegerAttr(value, type)


def to_attribute(type: str, value: object) -> Attribute:
    """The IR's form of a Python value for one of the types of the table; numpy scalars are accepted.

    Raises ValueError if the value is not of the type.
    """
    if type == STRING and isinstance(value, str):
        return StringAttr(value)
    if type == BOOL and isinstance(value, bool | np.bool_):
        return BoolAttr.from_bool(bool(value))
    if type == F64 and _is_number(value):
        return FloatAttr(float(cast("float", value)), f64)
    if type in _INTEGERS and _fits(type, value):
        return _integer(int(cast("int", value)), _INTEGERS[type])
    if type in _LISTS and isinstance(value, list | tuple | np.ndarray):
        items = cast("Sequence[object]", value)
        return ArrayAttr([to_attribute(_LISTS[type], item) for item in items])
    if type == DICTS and isinstance(value, list | tuple):
        return ArrayAttr([_to_dictionary(item) for item in cast("Sequence[object]", value)])
    raise ValueError(f"{value!r} is not of type {type}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _fits(type: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    bits = 64 if type == I64 else 32
    low, high = (0, 1 << bits) if type == UI32 else (-(1 << (bits - 1)), 1 << (bits - 1))
    return low <= int(cast("int", value)) < high


def _to_dictionary(value: object) -> DictionaryAttr:
    """A dictionary of `top.Custom`, whose values determine their own types."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not a dictionary")
    items = cast("dict[str, object]", value)
    return DictionaryAttr(
        {name: to_attribute(_type_of(item), item) for name, item in items.items()}
    )


def _type_of(value: object) -> str:
    match value:
        case bool():
            return BOOL
        case str():
            return STRING
        case int():
            return I64
        case list():
            return I64S if all(_fits(I64, v) for v in cast("list[object]", value)) else F64S
        case _:
            return F64


def to_python(attribute: Attribute) -> AttrValue:
    """The Python value of an attribute that `to_attribute` could have made. Raises ValueError for others."""
    match attribute:
        case StringAttr():
            return attribute.data
        case IntegerAttr() if attribute.type == i1:
            return bool(attribute.value.data)
        case IntegerAttr():
            return int(attribute.value.data)
        case FloatAttr():
            return float(attribute.value.data)
        case DictionaryAttr():
            return cast("AttrValue", {k: to_python(v) for k, v in attribute.data.items()})
        case ArrayAttr():
            return cast("AttrValue", [to_python(item) for item in attribute])
        case _:
            raise ValueError(f"{attribute} is not a value of an attribute of the dialect")


class TopOp(IRDLOperation):
    """One op of the Top dialect, with TPU-MLIR's names for its kind, its operands and its attributes.

    All kinds share one syntax; numbers print without their types, which the op's table gives. TPU-MLIR itself
    reads the generic form only, with attributes in plain braces, since it knows no properties. The names of
    the results are the op's location. An operand that may be `none` and is not there is a `top.None`.

        %y = top.Relu(%x) {relu_limit = 6.0} : (T) -> T loc("y")
    """

    inputs = var_operand_def()
    outputs = var_result_def()
    bodies = var_region_def()

    SPEC: ClassVar[OpSpec]

    @property
    def kind(self) -> str:
        """TPU-MLIR's name of this kind of op, such as `Conv`."""
        return self.SPEC.kind

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the results, as the location gives them; empty if it gives none."""
        return names_of(self.location)

    @property
    def attrs(self) -> dict[str, AttrValue]:
        """The attributes that are set, in the order of the table."""
        values = self.attributes
        return {name: to_python(values[name]) for name in self.SPEC.attrs if name in values}

    def attr(self, name: str) -> AttrValue | None:
        """An attribute's value, or its default; None if it has neither."""
        attribute = self.attributes.get(name)
        return self.SPEC.attrs[name].default if attribute is None else to_python(attribute)

    def text(self, name: str) -> str:
        """A string attribute, or its default."""
        return cast("str | None", self.attr(name)) or ""

    def flag(self, name: str) -> bool:
        """A bool attribute, or its default; false where it has neither."""
        return bool(self.attr(name))

    def integer(self, name: str) -> int:
        """An integer attribute, or its default; 0 where it has neither."""
        return cast("int | None", self.attr(name)) or 0

    def number(self, name: str) -> float:
        """A float attribute, or its default; 0 where it has neither."""
        return cast("float | None", self.attr(name)) or 0.0

    def ints(self, name: str) -> list[int]:
        """A list of integers, or its default; empty if it has neither."""
        return cast("list[int] | None", self.attr(name)) or []

    def numbers(self, name: str) -> list[float]:
        """A list of floats, or its default; empty if it has neither."""
        return cast("list[float] | None", self.attr(name)) or []

    def set_attr(self, name: str, value: AttrValue | None) -> None:
        """Sets an attribute, or removes it if `value` is None. Raises ValueError if it does not fit."""
        if value is None:
            self.attributes.pop(name, None)
            return
        self.attributes[name] = attribute_of(self.SPEC, name, value)

    def operand(self, name: str) -> SSAValue | None:
        """The operand of that name; None if it is left out or a `top.None`. Not for variadic ones."""
        index = next(i for i, port in enumerate(self.SPEC.operands) if port.name == name)
        if index >= len(self.inputs) or isinstance(self.inputs[index].type, NoneType):
            return None
        return self.inputs[index]

    def result(self, name: str) -> SSAValue | None:
        """The result of that name; None if its type is `none`. Not for variadic ones."""
        index = next(i for i, port in enumerate(self.SPEC.results) if port.name == name)
        value = self.outputs[index]
        return None if isinstance(value.type, NoneType) else value

    @property
    def variadic(self) -> list[SSAValue]:
        """The operands that stand in the place of the variadic one; empty if the kind has none."""
        ports = self.SPEC.operands
        at = next((i for i, port in enumerate(ports) if port.count == VARIADIC), None)
        if at is None:
            return []
        return list(self.inputs[at : len(self.inputs) - (len(ports) - at - 1)])

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        fields = {n: a for n, a in self.attributes.items() if self._is_shown(n, a)}
        if fields:
            printer.print_string(" ")
            with printer.in_braces():
                printer.print_list(fields.items(), lambda item: self._print_field(printer, *item))
        unlisted = {n: a for n, a in self.attributes.items() if n not in fields}
        printer.print_op_attributes(unlisted, print_keyword=True)
        printer.print_regions(self.regions)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    def _is_shown(self, name: str, attribute: Attribute) -> bool:
        """Whether an attribute prints without its type, which follows from the table."""
        if name not in self.SPEC.attrs:
            return False
        type = self.SPEC.attrs[name].type
        return type in (BOOL, STRING, DICTS) or _is_plain(attribute, type)

    def _print_field(self, printer: Printer, name: str, attribute: Attribute) -> None:
        printer.print_string(f"{name} = ")
        if _is_plain(attribute, self.SPEC.attrs[name].type):
            print_numbers(printer, cast("float | list[float]", to_python(attribute)), repr)
        else:
            printer.print_attribute(attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pos = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        fields = parser.parse_optional_comma_separated_list(
            parser.Delimiter.BRACES, lambda: _parse_field(cls.SPEC, parser)
        )
        unlisted = parser.parse_optional_attr_dict_with_keyword()
        regions = parser.parse_region_list()
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(operands, types.inputs.data, pos),
            result_types=types.outputs.data,
            attributes=dict(fields or ()) | (dict(unlisted.data) if unlisted is not None else {}),
            regions=regions,
        )


def attribute_of(spec: OpSpec, name: str, value: object) -> Attribute:
    """The IR's form of an attribute of one kind of op.

    Raises ValueError, in one line, if the kind has no such attribute or the value does not fit it.
    """
    attr = spec.attrs.get(name)
    if attr is None:
        hint = nearest(name, list(spec.attrs))
        raise ValueError(f"top.{spec.kind} has no attribute {name!r}{hint}")
    try:
        attribute = to_attribute(attr.type, value)
    except ValueError as e:
        raise ValueError(f"attribute {name!r} of top.{spec.kind}: {e}") from None
    if attr.choices and value not in attr.choices:
        allowed = ", ".join(map(repr, attr.choices))
        raise ValueError(
            f"attribute {name!r} of top.{spec.kind} is {value!r}, expected one of {allowed}"
        )
    return attribute


def attributes_of(spec: OpSpec, attrs: Mapping[str, object]) -> dict[str, Attribute]:
    """All attributes of an op; None leaves one out. Raises ValueError if one is wrong or missing."""
    attributes = {n: attribute_of(spec, n, v) for n, v in attrs.items() if v is not None}
    missing = [n for n, attr in spec.attrs.items() if attr.required and n not in attributes]
    if missing:
        raise ValueError(f"top.{spec.kind} needs the attribute {missing[0]!r}")
    return attributes


def _is_plain(attribute: Attribute, type: str) -> bool:
    """Whether an attribute is a number of the table's type, or a list of such, which text spells bare."""
    if type in _LISTS and isinstance(attribute, ArrayAttr):
        items = cast("ArrayAttr[Attribute]", attribute)
        return all(_is_plain(item, _LISTS[type]) for item in items)
    if isinstance(attribute, IntegerAttr):
        return cast("IntegerAttr[IntegerType]", attribute).type == _INTEGERS.get(type)
    return type == F64 and cast("Attribute", getattr(attribute, "type", None)) == f64


def _parse_field(spec: OpSpec, parser: Parser) -> tuple[str, Attribute]:
    pos = parser.pos
    name = parser.parse_identifier("the name of an attribute")
    if name not in spec.attrs:
        hint = nearest(name, list(spec.attrs))
        parser.raise_error(f"top.{spec.kind} has no attribute {name!r}{hint}", pos, parser.pos)
    parser.parse_punctuation("=")
    return name, _parse_value(parser, spec.attrs[name].type)


def _parse_value(parser: Parser, type: str) -> Attribute:
    """Reads a value as an op prints it, or as an attribute of any form."""
    floats = type in (F64, F64S)
    value: object = None
    if type in _LISTS:
        value = parse_optional_numbers(parser, floats=floats)
    elif type == F64 or type in _INTEGERS:
        value = parse_optional_number(parser, floats=floats)
    if value is None:
        return parser.parse_attribute()
    try:
        return to_attribute(type, value)
    except ValueError as error:
        parser.raise_error(str(error))


def names_of(location: LocationAttr) -> tuple[str, ...]:
    """The names that a location gives to results: that of a NameLoc, or those of a FusedLoc's parts."""
    match location:
        case NameLoc():
            return (location.desc.data,)
        case FusedLoc():
            fused_locations = cast("ArrayAttr[LocationAttr]", location.locations)
            return tuple(name for fused in fused_locations for name in names_of(fused))
        case _:
            return ()


def location_of(names: Sequence[str]) -> LocationAttr:
    """The location that gives results these names."""
    locations = [NameLoc(StringAttr(name), NoneAttr()) for name in names]
    if not locations:
        return UnknownLoc()
    return (
        locations[0]
        if len(locations) == 1
        else FusedLoc(ArrayAttr[Attribute](locations), NoneAttr())
    )


def is_dynamic(module: ModuleOp) -> bool:
    """Whether a Top module is compiled for sizes that vary."""
    return module.attributes.get("module.top_run_mode") == StringAttr("DYNAMIC")
