"""Converts the fields of a message between text and attributes of the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError
from autosplit.dialects.caffe.messages import BOOL, ENUM, FLOAT, INT, MESSAGES, STRING, FieldSpec
from autosplit.dialects.caffe.params import expected
from autosplit.formats.caffe.text import Message, Scalar, Value

_TRUTH = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def attributes_of(
    kind: str, fields: Mapping[str, Sequence[Value]], where: str = ""
) -> dict[str, Attribute]:
    """The fields of a message of `kind`. Raises AutosplitError for the first that does not fit."""
    specs = MESSAGES.get(kind, {})
    attributes: dict[str, Attribute] = {}
    for name, values in fields.items():
        spec, path = specs.get(name), f"{where}{name}"
        if spec is None:
            items = [_unknown(value, path) for value in values]
            if items:
                attributes[name] = items[0] if len(items) == 1 else ArrayAttr(items)
            continue
        items = [_attribute(spec, value, path) for value in values]
        if spec.repeated:
            attributes[name] = ArrayAttr(items)
        elif items:
            # As in protobuf, the last value wins.
            attributes[name] = items[-1]
    return attributes


def _attribute(spec: FieldSpec, value: Value, where: str) -> Attribute:
    if isinstance(value, Message):
        if not spec.is_message:
            raise AutosplitError(f"{where} is a message, expected {expected(spec)}")
        return DictionaryAttr(attributes_of(spec.kind, value.fields, f"{where}."))
    if spec.is_message:
        raise AutosplitError(f"{where} is {value.text!r}, expected a message")
    attribute = _scalar(spec, value)
    if attribute is None:
        raise AutosplitError(f"{where} is {value.text!r}, expected {expected(spec)}")
    return attribute


def _scalar(spec: FieldSpec, value: Scalar) -> Attribute | None:
    text = value.text
    if spec.kind == STRING:
        return StringAttr(text) if value.quoted else None
    if value.quoted:
        return None
    if spec.kind == ENUM:
        if text.isdecimal() and int(text) < len(spec.choices):
            text = spec.choices[int(text)]
        return StringAttr(text) if text in spec.choices else None
    if spec.kind == BOOL:
        return None if text not in _TRUTH else IntegerAttr(int(_TRUTH[text]), i1)
    if spec.kind == INT:
        number = _integer(text)
        if number is None or not -(1 << 31) <= number < 1 << 32:
            return None
        return IntegerAttr(number, i64)
    real = _real(text)
    return None if real is None or spec.kind != FLOAT else FloatAttr(float(np.float32(real)), f32)


def _integer(text: str) -> int | None:
    try:
        number = int(text, 0) if text.lower().startswith(("0x", "-0x")) else int(text)
    except ValueError:
        return None
    return number if -(1 << 63) <= number < 1 << 63 else None


def _real(text: str) -> float | None:
    try:
        return float(text.rstrip("fF") if text[-1:] in "fF" and "inf" not in text.lower() else text)
    except ValueError:
        return None


def _unknown(value: Value, where: str) -> Attribute:
    if isinstance(value, Message):
        return DictionaryAttr(attributes_of("", value.fields, f"{where}."))
    if value.quoted:
        return StringAttr(value.text)
    if value.text in ("true", "false"):
        return IntegerAttr(int(value.text == "true"), i1)
    if (number := _integer(value.text)) is not None:
        return IntegerAttr(number, i64)
    if (real := _real(value.text)) is not None:
        return FloatAttr(real, f64)
    return SymbolRefAttr(value.text)


def message_of(kind: str, attributes: Mapping[str, Attribute]) -> Message:
    """The message of `kind` with these fields; the inverse of `attributes_of`."""
    specs = MESSAGES.get(kind, {})
    message = Message()
    for name, attr in attributes.items():
        items = cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else (attr,)
        message.add(name, *(_value_of(specs.get(name), item) for item in items))
    return message


def _value_of(spec: FieldSpec | None, attr: Attribute) -> Value:
    match attr:
        case DictionaryAttr():
            return message_of("" if spec is None else spec.kind, attr.data)
        case StringAttr():
            return Scalar(attr.data, 0, quoted=spec is None or spec.kind != ENUM)
        case IntegerAttr():
            truth = "true" if attr.value.data else "false"
            return Scalar(truth if attr.type == i1 else str(attr.value.data), 0)
        case FloatAttr():
            dtype = np.float32 if attr.type == f32 else np.float64
            # numpy writes the shortest text that parses to the same number.
            return Scalar(str(dtype(attr.value.data)), 0)
        case SymbolRefAttr():
            return Scalar(attr.string_value(), 0)
        case _:
            raise AutosplitError(f"{attr} cannot be written to a prototxt")
