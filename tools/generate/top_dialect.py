"""Writes `dialects/top/table.py` from the op definitions that an installed TPU-MLIR brings along.

    python -m autosplit.tools.generate.top_dialect            writes the file, and a lit test with all ops
    python -m autosplit.tools.generate.top_dialect --check    exits with 1 where one is not up to date

Only the signatures are taken: kinds of ops, names of operands, results and attributes, types, defaults,
allowed strings. TPU-MLIR is found as the compiler finds it, through AUTOSPLIT_TPU_MLIR for one.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.dialects.top import spec
from autosplit.dialects.top.examples import example
from autosplit.dialects.top.spec import AttrSpec, AttrValue, OpSpec, PortSpec
from autosplit.toolchains.tpu_mlir import discover
from autosplit.tools.generate.written import every_op_file, formatted, in_dialect, write_files

DEFINITIONS = Path("include/tpu_mlir/Dialect/Top/IR/TopOps.td")
"""The file that is read, below TPU-MLIR's folder."""

HEADER = '''"""The ops of TPU-MLIR's Top dialect, as data.

Generated from the op definitions of TPU-MLIR {version} by `python -m autosplit.tools.generate.top_dialect`;
do not edit. `check.py` knows what the definitions do not say.
"""

from __future__ import annotations

from autosplit.dialects.top.spec import (
    BOOL,
    DICTS,
    F64,
    F64S,
    I32,
    I32S,
    I64,
    I64S,
    OPTIONAL,
    OR_NONE,
    SI32,
    STRING,
    UI32,
    VARIADIC,
    AttrSpec,
    AttrValue,
    OpSpec,
    PortSpec,
)

__all__ = ["OP_TABLE"]

_table: dict[str, OpSpec] = {{}}


def _port(text: str) -> PortSpec:
    name, mark = text.rstrip("?~*"), text[len(text.rstrip("?~*")) :]
    return PortSpec(name, _COUNTS[mark]) if mark else PortSpec(name)


def _op(
    kind: str,
    operands: str,
    results: str,
    *attrs: AttrSpec,
    regions: tuple[str, ...] = (),
    terminator: bool = False,
) -> None:
    ports = [tuple(map(_port, names.split())) for names in (operands, results)]
    named = {{a.name: a for a in attrs}}
    _table[kind] = OpSpec(kind, ports[0], ports[1], named, regions, terminator)


def _need(name: str, type: str, choices: tuple[str, ...] = ()) -> AttrSpec:
    return AttrSpec(name, type, True, None, choices)


def _may(
    name: str, type: str, default: AttrValue | None = None, choices: tuple[str, ...] = ()
) -> AttrSpec:
    return AttrSpec(name, type, False, default, choices)


_COUNTS = {{"?": OPTIONAL, "~": OR_NONE, "*": VARIADIC}}
"""The marks behind the names of operands and results below."""

'''

FOOTER = '''
OP_TABLE: dict[str, OpSpec] = _table
"""All kinds of op by name."""
'''

TYPES = {
    "BoolAttr": spec.BOOL,
    "I64Attr": spec.I64,
    "I32Attr": spec.I32,
    "SI32Attr": spec.SI32,
    "UI32Attr": spec.UI32,
    "F64Attr": spec.F64,
    "StrAttr": spec.STRING,
    "I64ArrayAttr": spec.I64S,
    "I32ArrayAttr": spec.I32S,
    "F64ArrayAttr": spec.F64S,
    "DictArrayAttr": spec.DICTS,
}
"""The types of attributes by what the definitions call them."""

CONSTANTS = {
    value: name for name, value in vars(spec).items() if name.isupper() and value in TYPES.values()
}
"""The names in `spec.py` of those types."""

MARKS = {spec.ONE: "", spec.OPTIONAL: "?", spec.OR_NONE: "~", spec.VARIADIC: "*"}

TENSORS = ("AnyTensor", "AnyRankedTensor")
OR_NONE_TYPES = ("AnyTensorOrNone", "AnyTypeOf<[AnyTensor, NoneType]>", "NoneType")


@dataclass(frozen=True)
class TableGenRecord:
    """A class or a definition: what it is derived from, with what arguments, and its body."""

    name: str
    base: str
    arguments: str
    body: str


def read_ops(text: str) -> tuple[list[OpSpec], dict[str, tuple[str, ...]]]:
    """The ops that the definitions in `text` declare, and the named lists of strings for attributes.

    Raises AutosplitError if they are written in a way that is unknown.
    """
    text = _without_prose(text)
    records = {record.name: record for record in _records(text)}
    choices = {
        record.name: tuple(ast.literal_eval(record.arguments))
        for record in records.values()
        if record.base == "AnyStrAttrOf"
    }
    defined = re.findall(r"^def\s+(Top_\w+Op)\b", text, re.MULTILINE)
    return [_op(records[name], records, choices) for name in defined], choices


def _without_prose(text: str) -> str:
    """The definitions without comments and without documentation and code in `[{...}]`."""
    text = re.sub(r"\[\{.*?\}\]", '""', text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def _records(text: str) -> Iterator[TableGenRecord]:
    head = re.compile(r"^(?:class|def)\s+(\w+)", re.MULTILINE)
    for match in head.finditer(text):
        rest = text[match.end() :].lstrip()
        if rest.startswith("<"):
            rest = rest[_closing(rest) + 1 :].lstrip()
        if not rest.startswith(":"):
            continue
        parents = re.match(r":\s*(\w+)\s*", rest)
        if parents is None:
            raise AutosplitError(f"{match[1]} is derived from nothing that can be read")
        rest, arguments = rest[parents.end() :], ""
        if rest.startswith("<"):
            end = _closing(rest)
            arguments, rest = rest[1:end].strip(), rest[end + 1 :].lstrip()
        body = rest[1 : _closing(rest)] if rest.startswith("{") else ""
        yield TableGenRecord(match[1], parents[1], arguments, body)


_PAIRS = {"<": ">", "[": "]", "(": ")", "{": "}"}


def _closing(text: str) -> int:
    """The index of the bracket that closes the one with which `text` begins."""
    for index, depth, _ in _scan(text):
        if depth == 0:
            return index
    raise AutosplitError(f"a bracket is not closed: {text[:60]!r}")


def _scan(text: str) -> Iterator[tuple[int, int, str]]:
    """Characters outside of strings: index, depth of brackets behind it, the character."""
    depth, quoted, escaped = 0, False, False
    for index, c in enumerate(text):
        if quoted:
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
            continue
        if c == '"':
            quoted, escaped = True, False
            continue
        depth += (c in _PAIRS) - (c in _PAIRS.values())
        yield index, depth, c


def _split(text: str) -> list[str]:
    """The items of a list, at the commas outside of brackets and strings."""
    cuts = [i for i, depth, c in _scan(text) if c == "," and depth == 0]
    items = [text[a + 1 : b].strip() for a, b in pairwise([-1, *cuts, len(text)])]
    return [item for item in items if item]


def _op(
    record: TableGenRecord, records: dict[str, TableGenRecord], choices: dict[str, tuple[str, ...]]
) -> OpSpec:
    kind = _split(record.arguments)[0].strip('"')
    operands: list[PortSpec] = []
    attrs: dict[str, AttrSpec] = {}
    for type, name in _list(record, "arguments", records):
        if "Attr" in type:
            attrs[name] = _attr(kind, name, type, choices)
        else:
            operands.append(PortSpec(name, _count(kind, type)))
    results = [PortSpec(n, _count(kind, t)) for t, n in _list(record, "results", records)]
    regions = tuple(name for _, name in _list(record, "regions", records))
    terminator = "Terminator" in record.arguments
    return OpSpec(kind, tuple(operands), tuple(results), attrs, regions, terminator)


def _list(
    record: TableGenRecord, what: str, records: dict[str, TableGenRecord]
) -> list[tuple[str, str]]:
    """The types and names of an op's `what`, its own or those of the nearest class that says them."""
    at: TableGenRecord | None = record
    while at is not None:
        if (start := re.search(rf"\blet\s+{what}\s*=\s*(?=\()", at.body)) is not None:
            inner = at.body[start.end() :]
            inner = inner[1 : _closing(inner)].strip()
            return [_typed(item) for item in _split(re.sub(r"^(ins|outs|region)\b", "", inner))]
        at = records.get(at.base)
    return []


def _typed(item: str) -> tuple[str, str]:
    type, _, name = item.rpartition("$")
    if not name.isidentifier() or not type:
        return item, "output"
    return type.rstrip().removesuffix(":").rstrip(), name


def _count(kind: str, type: str) -> str:
    for wrapper, count in (("Variadic", spec.VARIADIC), ("Optional", spec.OPTIONAL)):
        if type.startswith(f"{wrapper}<") and type[len(wrapper) + 1 : -1] in (
            *TENSORS,
            *OR_NONE_TYPES,
        ):
            return count
    if type in TENSORS:
        return spec.ONE
    if type in OR_NONE_TYPES:
        return spec.OR_NONE
    raise AutosplitError(f"top.{kind} has an operand or result of type {type!r}, which is unknown")


def _attr(kind: str, name: str, type: str, choices: dict[str, tuple[str, ...]]) -> AttrSpec:
    required, default = True, None
    if type.startswith("OptionalAttr<"):
        required, type = False, type[len("OptionalAttr<") : -1].strip()
    elif type.startswith("DefaultValuedAttr<"):
        required, (type, text) = False, _split(type[len("DefaultValuedAttr<") : -1])
        default = _default(ast.literal_eval(text), type)
    if type in choices:
        return AttrSpec(name, spec.STRING, required, default, choices[type])
    if type not in TYPES:
        raise AutosplitError(f"{name!r} of top.{kind} is of type {type!r}, which is unknown")
    return AttrSpec(name, TYPES[type], required, default)


def _default(text: str, type: str) -> AttrValue:
    if text.startswith("{"):
        items = [item.strip() for item in text.strip("{}").split(",") if item.strip()]
        return [float(i) for i in items] if type.startswith("F64") else [int(i) for i in items]
    if text in ("true", "false"):
        return text == "true"
    value: AttrValue = ast.literal_eval(text)
    return float(value) if type == "F64Attr" and isinstance(value, int) else value


def generate(folder: Path, version: str) -> dict[Path, str]:
    """The texts of the table and of the lit test, by file, for the TPU-MLIR in `folder`."""
    path = folder / DEFINITIONS
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise AutosplitError(f"{path}: cannot be read: {e.strerror}") from e
    ops, choices = read_ops(text)
    ops.sort(key=lambda op: op.kind)
    lists = _shared(ops, choices)
    parts = [HEADER.format(version=version)]
    parts += [f"{name} = {values!r}" for values, name in lists.items()]
    parts += [_line(op, lists) for op in ops]
    parts.append(FOOTER)
    table = in_dialect("top/table.py")
    return {table: formatted("\n".join(parts), table), every_op_file("top"): every_op(ops)}


def _shared(ops: list[OpSpec], choices: dict[str, tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """The lists of strings that several attributes may be, with the constant for each."""
    all_choices = [attr.choices for op in ops for attr in op.attrs.values() if attr.choices]
    names = {values: name for name, values in choices.items()}
    return {
        values: "_"
        + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", names[values].removesuffix("Attr")).upper()
        for values in dict.fromkeys(all_choices)
        if all_choices.count(values) > 1
    }


def _line(op: OpSpec, lists: dict[tuple[str, ...], str]) -> str:
    fields = [repr(op.kind), _ports(op.operands), _ports(op.results)]
    fields += [_field(attr, lists) for attr in op.attrs.values()]
    fields += [f"regions={op.regions!r}"] if op.regions else []
    fields += ["terminator=True"] if op.terminator else []
    return f"_op({', '.join(fields)})"


def _ports(ports: tuple[PortSpec, ...]) -> str:
    """Names with their marks as one literal, of several parts where it is long."""
    lines = textwrap.wrap(" ".join(p.name + MARKS[p.count] for p in ports), 80) or [""]
    return " ".join(repr(line + " " * (line is not lines[-1])) for line in lines)


def _field(attr: AttrSpec, lists: dict[tuple[str, ...], str]) -> str:
    fields = [repr(attr.name), CONSTANTS[attr.type]]
    if attr.default is not None:
        fields.append(repr(attr.default))
    if attr.choices:
        listed = lists.get(attr.choices, repr(attr.choices))
        fields.append(listed if attr.required or attr.default is not None else f"choices={listed}")
    return f"{'_need' if attr.required else '_may'}({', '.join(fields)})"


LIT_HEADER = """// RUN: AUTOSPLIT_ROUNDTRIP

// Each kind of op with all of its attributes. Written by `python -m autosplit.tools.generate.top_dialect`.

builtin.module @net attributes {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32", \
module.top_run_mode = "STATIC", module.weight_file = "weights.npz"} {
func.func @main(%x: tensor<4xf32>) {
  %none = top.None() : () -> none
"""


def every_op(ops: list[OpSpec]) -> str:
    """The text of the lit test that has each op once."""
    lines = [LIT_HEADER]
    for op in ops:
        if op.kind not in ("None", "Yield"):
            lines += _case(op)
    return "\n".join((*lines, "  func.return", "}", "}", ""))


def _case(op: OpSpec) -> list[str]:
    """An op, with a CHECK line before each of its lines."""
    lines = example(op, "tensor<4xf32>", full=True)
    return [text for line in lines for text in (f"  // CHECK: {line.strip()}", f"  {line}")] + [""]


def files() -> Iterable[tuple[Path, str]]:
    """The table and the lit test, from the TPU-MLIR that is installed."""
    toolchain = discover()
    return generate(toolchain.root, toolchain.version).items()


def main(args: list[str] | None = None) -> int:
    """The entry point. Returns 1 where `--check` finds a file out of date."""
    what = "Writes dialects/top/table.py and a lit test."
    return write_files(what, "top_dialect", files, args)


if __name__ == "__main__":
    sys.exit(main())
