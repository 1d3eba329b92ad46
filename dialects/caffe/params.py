"""The fields of a layer, as attributes and as Python values.

Numbers are `i64` and `f32`, enums and texts strings, messages dictionaries, repeated fields arrays. For a
field that no message lists, the kind follows from the text: numbers are `i64` and `f64`, and a bare word that
is not a truth value is a symbol, as in `@NEAREST`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute

from autosplit.dialects.caffe.messages import (
    BOOL,
    ENUM,
    FLOAT,
    INT,
    MESSAGES,
    STRING,
    FieldSpec,
)

Value: TypeAlias = "int | float | bool | str | list[Value] | dict[str, Value] | None"
"""A field in Python; None if it is not set and has no default."""


def default_of(spec: FieldSpec) -> Value:
    """The value of a field that is not set."""
    if spec.repeated:
        return []
    if spec.is_message:
        return {}
    if spec.default is None:
        return None
    match spec.kind:
        case "int":
            return int(spec.default)
        case "float":
            return float(spec.default)
        case "bool":
            return spec.default == "true"
        case _:
            return spec.default


def to_value(attr: Attribute) -> Value:
    """An attribute as a Python value."""
    match attr:
        case IntegerAttr():
            return bool(attr.value.data) if attr.type == i1 else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case ArrayAttr():
            return [to_value(item) for item in attr]
        case DictionaryAttr():
            return {name: to_value(item) for name, item in attr.data.items()}
        case _:
            return str(attr).removeprefix("@")


def problem(message: str, params: Mapping[str, Attribute], where: str = "") -> str | None:
    """What is wrong with the fields of a message, naming the first wrong one; None if nothing is."""
    specs = MESSAGES[message]
    for name, attr in params.items():
        if (spec := specs.get(name)) is None:
            continue
        items = cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else (attr,)
        if spec.repeated != isinstance(attr, ArrayAttr):
            return f"{where}{name} is {attr}, expected {'a list' if spec.repeated else 'one value'}"
        for item in items:
            if (text := _problem_of(spec, item, f"{where}{name}")) is not None:
                return text
    return None


def _problem_of(spec: FieldSpec, attr: Attribute, where: str) -> str | None:
    if spec.is_message:
        if not isinstance(attr, DictionaryAttr):
            return f"{where} is {attr}, expected a message"
        return problem(spec.kind, attr.data, f"{where}.")
    value = to_value(attr)
    match spec.kind:
        case "int":
            fits = isinstance(value, int) and not isinstance(value, bool)
        case "float":
            fits = isinstance(attr, FloatAttr)
        case "bool":
            fits = isinstance(value, bool)
        case "enum":
            fits = isinstance(attr, StringAttr) and value in spec.choices
        case _:
            fits = isinstance(attr, StringAttr)
    return None if fits else f"{where} is {attr}, expected {expected(spec)}"


_EXPECTED = {INT: "an integer", FLOAT: "a number", BOOL: "true or false", STRING: "a text"}


def expected(spec: FieldSpec) -> str:
    """What a field must hold, in words."""
    return f"one of {', '.join(spec.choices)}" if spec.kind == ENUM else _EXPECTED[spec.kind]
