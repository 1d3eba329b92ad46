"""Recognizes ONNX files by the outermost layer of their protobuf encoding, without parsing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from autosplit.core.units import counted

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# Field number -> (name, wire type), of the messages in onnx.proto.
MODEL_FIELDS = {
    1: ("ir_version", VARINT),
    2: ("producer_name", BYTES),
    3: ("producer_version", BYTES),
    4: ("domain", BYTES),
    5: ("model_version", VARINT),
    6: ("doc_string", BYTES),
    7: ("graph", BYTES),
    8: ("opset_import", BYTES),
    14: ("metadata_props", BYTES),
    20: ("training_info", BYTES),
    25: ("functions", BYTES),
    26: ("configuration", BYTES),
}
GRAPH_FIELDS = (1, 2, 5, 10, 11, 12, 13, 14, 15, 16)
"""All of a GraphProto's fields, each of them of wire type BYTES."""

TELLING = ("graph", "opset_import", "producer_name")
"""Fields of which an ONNX model has at least one; other formats do not have them at this level."""


class Damaged(Exception):
    """The bytes do not form a protobuf message."""


def _varint(file: BinaryIO) -> int | None:
    """The number at the file's position; None at its end."""
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            return None
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
    raise Damaged


def fields(file: BinaryIO, size: int) -> Iterator[tuple[int, int, int, int | None]]:
    """The fields up to the file's end: number, wire type, start of the contents, their value or length.

    The last item is None if the file ends within the field's head.
    """
    while (start := file.tell()) < size:
        key = _varint(file)
        if key is None:
            yield 0, 0, start, None
            return
        number, wire = key >> 3, key & 7
        if number == 0 or wire not in (VARINT, FIXED64, BYTES, FIXED32):
            raise Damaged
        fixed = {FIXED64: 8, FIXED32: 4}
        value = fixed[wire] if wire in fixed else _varint(file)
        start = file.tell()
        yield number, wire, start, value
        if value is None:
            return
        file.seek(start + (0 if wire == VARINT else value))


LONGEST_PRODUCER = 4096
"""A TensorFlow SavedModel has a message with this field number, longer than any name."""


def looks_like_onnx(file: BinaryIO, size: int) -> bool:
    """Whether the file is an ONNX model, complete or truncated."""
    names: set[str] = set()
    try:
        for number, wire, start, value in fields(file, size):
            if value is None:
                break
            name, expected = MODEL_FIELDS.get(number, ("", -1))
            if wire != expected:
                return False
            if name == "ir_version" and not 0 < value < 1000:
                return False
            if name == "producer_name" and value > LONGEST_PRODUCER:
                return False
            if name == "graph" and not _looks_like_graph(file, start, min(value, size - start)):
                return False
            names.add(name)
    except Damaged:
        return False
    return any(name in names for name in TELLING) and ("ir_version" in names or "graph" in names)


def _looks_like_graph(file: BinaryIO, start: int, length: int) -> bool:
    file.seek(start)
    key = _varint(file) if length else None
    return key is None or (key & 7 == BYTES and key >> 3 in GRAPH_FIELDS)


def truncation(file: BinaryIO, size: int) -> str | None:
    """What is missing from the outermost message of a model's file; None if nothing is."""
    try:
        for number, wire, start, value in fields(file, size):
            name = MODEL_FIELDS.get(number, (f"field {number}", 0))[0]
            if value is None:
                return f"it ends after {counted(size, 'byte')}, within the head of a field"
            if wire != VARINT and start + value > size:
                return f"its {name} takes {counted(value, 'byte')}, the file has {size - start} of them"
    except Damaged:
        return None
    return None
