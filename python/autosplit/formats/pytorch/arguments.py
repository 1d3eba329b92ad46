"""Converts the arguments of nodes between a program's JSON and the operands and attributes of ops."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.aten.base import AtenOp, is_symbol
from autosplit.dialects.aten.spec import ArgSpec
from autosplit.dialects.aten.values import (
    NONE,
    VALUE,
    Argument,
    DeviceAttr,
    DtypeAttr,
    JsonAttr,
    LayoutAttr,
    MemoryFormatAttr,
    WordAttr,
    attribute_of,
    python_value,
)
from autosplit.formats.pytorch.schema import (
    DTYPE_NUMBERS,
    DTYPES,
    KEYWORD,
    LAYOUT_NUMBERS,
    LAYOUTS,
    MEMORY_FORMAT_NUMBERS,
    MEMORY_FORMATS,
    POSITIONAL,
    Json,
    only_item,
    word_of,
)

_PLAIN = frozenset({"as_bool", "as_int", "as_string"})
_LISTS = frozenset(
    {"as_bools", "as_ints", "as_strings", "as_floats", "as_int_lists", "as_float_lists"}
)
_SYMBOLS = {"as_sym_int": "as_int", "as_sym_float": "as_float", "as_sym_bool": "as_bool"}
_SYMBOL_LISTS = {f"{kind}s": constant for kind, constant in _SYMBOLS.items()}
_WORDS = {
    "as_scalar_type": (DtypeAttr, DTYPES, "dtype"),
    "as_layout": (LayoutAttr, LAYOUTS, "layout"),
    "as_memory_format": (MemoryFormatAttr, MEMORY_FORMATS, "memory format"),
}
_KEPT = frozenset({"as_complex", "as_graph", "as_operator"})
"""Kinds that are kept as JSON; none of them refers to values of the program."""


@dataclass(frozen=True)
class ReadArgument:
    """An argument of a node."""

    attribute: Attribute | None
    """The op's attribute for it; None if it consists of operands only."""
    operands: Sequence[SSAValue] = ()
    is_symbol: bool = False
    """Whether it is a single operand that is a number."""


def read_argument(
    arg: Json, value_of: Callable[[str], SSAValue], spec: ArgSpec | None
) -> ReadArgument:
    """An argument from its JSON, `{"as_ints": [1, 1]}`.

    `spec`: its declaration in the schema; None if there is none. Raises AutosplitError for unsupported
    kinds of argument.
    """
    kind, content = _only(arg)
    if kind == "as_optional_tensor":
        kind, content = _only(content)
    if kind == "as_none":
        return ReadArgument(NONE)
    if kind == "as_tensor":
        return ReadArgument(None, [value_of(content["name"])])
    if kind in _SYMBOLS:
        if "as_name" in content:
            return ReadArgument(None, [value_of(content["as_name"])], is_symbol=True)
        return ReadArgument(attribute_of(content[_SYMBOLS[kind]]))
    if (items := _list_items(kind, content, value_of)) is not None:
        operands = [item for item in items if isinstance(item, SSAValue)]
        if operands and len(operands) == len(items) and spec is not None and spec.is_list:
            return ReadArgument(None, operands)
        return ReadArgument(ArrayAttr(map(_item, items)), operands)
    return ReadArgument(_constant(kind, content))


def _item(item: Argument) -> Attribute:
    return VALUE if isinstance(item, SSAValue) else attribute_of(item)


def _list_items(
    kind: str, items: Any, value_of: Callable[[str], SSAValue]
) -> list[Argument] | None:
    """The items of a list of a kind that may contain values; None for any other kind."""
    if kind == "as_tensors":
        return [value_of(item["name"]) for item in items]
    if kind == "as_optional_tensors":
        return [value_of(i["as_tensor"]["name"]) if "as_tensor" in i else None for i in items]
    if kind in _SYMBOL_LISTS:
        constant = _SYMBOL_LISTS[kind]
        return [value_of(i["as_name"]) if "as_name" in i else i[constant] for i in items]
    return None


def _constant(kind: str, content: Any) -> Attribute:
    if kind == "as_float":
        # JSON has no infinities: they are strings.
        return attribute_of(float(content))
    if kind == "as_floats":
        return attribute_of([float(item) for item in content])
    if kind in _PLAIN or kind in _LISTS:
        return attribute_of(content)
    if kind in _WORDS:
        cls, table, label = _WORDS[kind]
        return cls.of(word_of(table, content, label))
    if kind == "as_device":
        index = content.get("index")
        return DeviceAttr.of(content["type"] if index is None else f"{content['type']}:{index}")
    if kind in _KEPT:
        return JsonAttr.of(json.dumps({kind: content}))
    if kind == "as_custom_obj":
        raise AutosplitError(
            f"has an object of {content.get('class_fqn')} for an argument; only tensors and numbers are read"
        )
    raise AutosplitError(f"has an argument of kind {kind.removeprefix('as_')!r}, which is not read")


def _only(arg: Json) -> tuple[str, Any]:
    """The single item of a union."""
    if len(arg) != 1:
        raise AutosplitError(f"has the argument {arg!r}, expected one kind and its value")
    return only_item(arg)


Names = Mapping[SSAValue, str]


def written_arguments(op: AtenOp, names: Names) -> list[Json]:
    """The arguments of a node as JSON."""
    if op.SPEC is None:
        return [
            {"name": name, "arg": _json_of(op, name, None, names), "kind": POSITIONAL}
            for name in op.arguments()
        ]
    specs = op.SPEC.arg_by_name
    return [
        {
            "name": name,
            "arg": _json_of(op, name, specs[name], names),
            "kind": KEYWORD if specs[name].keyword_only else POSITIONAL,
        }
        for name in op.arguments()
    ]


def _json_of(op: AtenOp, name: str, spec: ArgSpec | None, names: Names) -> Json:
    attr = op.node_args.data.get(name)
    operands = op.values_of(name)
    if isinstance(attr, WordAttr):
        return _json_of_word(attr)
    if isinstance(attr, JsonAttr):
        return json.loads(attr.text.data)
    if attr is None:
        argument = list[Argument](operands) if spec is not None and spec.is_list else operands[0]
    else:
        argument = python_value(attr, iter(operands))
    return written_value(argument, spec.type if spec is not None else "", names)


def _json_of_word(attr: WordAttr) -> Json:
    word = attr.word.data
    match attr:
        case DtypeAttr():
            return {"as_scalar_type": DTYPE_NUMBERS[word]}
        case LayoutAttr():
            return {"as_layout": LAYOUT_NUMBERS[word]}
        case MemoryFormatAttr():
            return {"as_memory_format": MEMORY_FORMAT_NUMBERS[word]}
        case _:
            device, _, index = word.partition(":")
            return {"as_device": {"type": device, "index": int(index) if index else None}}


def written_value(argument: Argument, type: str, names: Names) -> Json:
    """An argument as JSON; `type`: its type in the schema, which distinguishes empty lists."""
    match argument:
        case None:
            return {"as_none": True}
        case bool():
            return {"as_bool": argument}
        case int():
            return {"as_int": argument}
        case float():
            return {"as_float": _number(argument)}
        case str():
            return {"as_string": argument}
        case SSAValue():
            return written_operand(argument, names)
        case list():
            return _json_of_list(argument, type, names)


def written_operand(value: SSAValue, names: Names) -> Json:
    """A value of the program as JSON."""
    if (kind := symbol_kind(value)) is not None:
        return {f"as_{kind}": {"as_name": names[value]}}
    return {"as_tensor": {"name": names[value]}}


def symbol_kind(value: SSAValue) -> str | None:
    """`sym_int`, `sym_float` or `sym_bool` for a value that is a number; None for a tensor."""
    if not is_symbol(value):
        return None
    text = str(value.type)
    return "sym_bool" if "i1" in text else "sym_float" if "f64" in text else "sym_int"


_EMPTY = {"Tensor": "as_tensors", "float": "as_floats", "bool": "as_bools", "str": "as_strings"}


def _json_of_list(items: list[Argument], type: str, names: Names) -> Json:
    if not items:
        return {_EMPTY.get(type.partition("[")[0].rstrip("?"), "as_ints"): []}
    operands = [item for item in items if isinstance(item, SSAValue)]
    if operands and all(not is_symbol(v) for v in operands):
        tensors = [None if v is None else {"name": names[v]} for v in cast("list[Any]", items)]
        if None not in tensors:
            return {"as_tensors": tensors}
        return {
            "as_optional_tensors": [
                {"as_none": True} if t is None else {"as_tensor": t} for t in tensors
            ]
        }
    if operands:
        kind = symbol_kind(operands[0]) or "sym_int"
        constant = _SYMBOLS[f"as_{kind}"]
        return {
            f"as_{kind}s": [
                {"as_name": names[item]} if isinstance(item, SSAValue) else {constant: item}
                for item in items
            ]
        }
    return {_list_kind(items): [_plain(item) for item in items]}


def _list_kind(items: Iterable[Argument]) -> str:
    types = {type(item) for item in items}
    if types == {bool}:
        return "as_bools"
    if types == {float}:
        return "as_floats"
    if types == {str}:
        return "as_strings"
    if types == {list}:
        return "as_int_lists"
    return "as_ints"


def _plain(item: Argument) -> Any:
    return _number(item) if isinstance(item, float) else item


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
