"""Damage to files, of their bytes and of their structure: the same for the same random state."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

INTEGERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    127,
    255,
    -128,
    2**31 - 1,
    -(2**31),
    2**31,
    2**40,
    2**63 - 1,
    -(2**63),
)
FLOATS = (0.0, -1.0, 0.5, 1e30, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    "",
    "x",
    "y",
    "\0",
    "a/../b",
    "../x",
    "ä",
    "\n",
    '"',
    "%",
    "a" * 300,
    "f32",
    "q",
    "-1",
    "_" * 50 + "a",
)
JSON = (None, True, 0, -1, 2**70, 1.5, float("nan"), "", "x", "\0", [], {}, [[]], {"x": None})

Mutation = Callable[[random.Random, bytes], bytes]


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """Some bytes changed, removed, doubled, inserted, or the end cut off."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(made) + 1) if made else 0
        size = min(rng.choice((1, 2, 8, 64)), len(made) - at)
        match rng.randrange(6):
            case 0:
                made[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = made[at : at + size]
            case 3:
                made[at:at] = rng.randbytes(size)
            case 4:
                made[at : at + size] = bytes([rng.choice((0, 255))]) * size
            case _:
                del made[at:]
    return bytes(made)


def damaged_text(rng: random.Random, data: bytes) -> bytes:
    """Words of a text exchanged, removed, doubled, or replaced by odd ones; sometimes bytes."""
    if rng.random() < 0.2:
        return damaged_bytes(rng, data)
    words = re.findall(r"\w+|\s+|[^\w\s]", data.decode())
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(words))
        other = rng.randrange(len(words))
        match rng.randrange(6):
            case 0:
                words[at], words[other] = words[other], words[at]
            case 1:
                del words[at]
            case 2:
                words.insert(at, words[other])
            case 3:
                numbers = [i for i, word in enumerate(words) if word.isdigit()] or [at]
                words[rng.choice(numbers)] = str(rng.choice(INTEGERS))
            case 4:
                words[at] = rng.choice(TEXTS)
            case _:
                end = min(at + rng.choice((1, 5, 20)), len(words))
                words[at:end] = words[at:end] * 2
    return "".join(words).encode(errors="surrogatepass")


def damaged_json(rng: random.Random, data: bytes) -> bytes:
    """Values of a JSON file removed, exchanged with odd ones or with each other; sometimes its text."""
    if rng.random() < 0.2:
        return damaged_text(rng, data)
    root: Any = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = _json_places(root)
        if not places:
            break
        holder, key = rng.choice(places)
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1:
                other_holder, other_key = rng.choice(places)
                holder[key] = json.loads(json.dumps(other_holder[other_key]))
            case 2 if isinstance(holder, dict):
                holder[rng.choice(TEXTS)] = holder.pop(key)
            case _:
                holder[key] = rng.choice(JSON)
    return json.dumps(root).encode(errors="surrogatepass")


def _json_places(root: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [root]
    while waiting:
        value = waiting.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found.append((value, key))
            if isinstance(value[key], dict | list):
                waiting.append(value[key])
    return found


def damaged_message(message: Any) -> Mutation:
    """Fields of a protobuf of this class removed, doubled or set to odd values; sometimes its bytes."""

    def damage(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.2:
            return damaged_bytes(rng, data)
        proto = message()
        try:
            proto.ParseFromString(data)
        except DecodeError:
            return damaged_bytes(rng, data)
        for _ in range(rng.choice((1, 1, 2, 4))):
            places = _fields(proto)
            if places:
                _damage_field(rng, *rng.choice(places))
        return proto.SerializeToString(deterministic=True)

    return damage


def _fields(proto: Any) -> list[tuple[Any, FieldDescriptor]]:
    """All fields that are set, in this message and in those inside of it."""
    found: list[tuple[Any, FieldDescriptor]] = []
    waiting = [proto]
    while waiting:
        holder = waiting.pop()
        for field, value in holder.ListFields():
            found.append((holder, field))
            if field.type != FieldDescriptor.TYPE_MESSAGE:
                continue
            if hasattr(value, "MergeFrom") and not hasattr(value, "DESCRIPTOR"):
                # A map has another order in every process.
                items = [value[key] for key in sorted(value)] if hasattr(value, "keys") else value
                waiting += [v for v in items if hasattr(v, "ListFields")]
            else:
                waiting.append(value)
    return found


def _damage_field(rng: random.Random, holder: Any, field: FieldDescriptor) -> None:
    value = getattr(holder, field.name)
    is_list = hasattr(value, "append")
    is_map = hasattr(value, "keys")
    if is_map:
        keys = sorted(value)
        if keys and rng.random() < 0.5:
            del value[rng.choice(keys)]
        return
    if rng.random() < 0.25 or (field.type == FieldDescriptor.TYPE_MESSAGE and not is_list):
        holder.ClearField(field.name)
        return
    if is_list:
        at = rng.randrange(len(value))
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if rng.random() < 0.5:
                del value[at]
            else:
                value.add().CopyFrom(value[at])
            return
        if rng.random() < 0.3:
            del value[at]
        elif rng.random() < 0.5:
            value.append(value[at])
        else:
            value[at] = _odd(rng, field, value[at])
        return
    setattr(holder, field.name, _odd(rng, field, value))


def _odd(rng: random.Random, field: FieldDescriptor, value: Any) -> Any:
    """Another value for a field, which it can hold."""
    if isinstance(value, bytes):
        return damaged_bytes(rng, value)
    if isinstance(value, str):
        return rng.choice([*TEXTS, value + "x"])
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return rng.choice(FLOATS)
    if field.type == FieldDescriptor.TYPE_ENUM:
        assert field.enum_type is not None
        return rng.choice(sorted(field.enum_type.values_by_number))
    wide = field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
    limit = 63 if wide else 31
    fits = [i for i in INTEGERS if -(2**limit) <= i < 2**limit]
    return abs(rng.choice(fits[:-1])) if field.cpp_type in (3, 4) else rng.choice(fits)
