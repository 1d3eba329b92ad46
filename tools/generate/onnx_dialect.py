"""Writes `dialects/onnx/ops.py` from the schemas that the `onnx` package registers.

    python -m autosplit.tools.generate.onnx_dialect            writes the file
    python -m autosplit.tools.generate.onnx_dialect --check    exits with 1 where it is not up to date

An op is declared once for all opsets: with the union of what its versions from opset 7 on take. An input
that any version may leave out is optional, an attribute of any version is an optional property.
"""

from __future__ import annotations

import keyword
import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from autosplit.dialects.onnx.base import BodyOp
from autosplit.dialects.onnx.operands import RULES
from autosplit.tools.generate.written import formatted, in_dialect, write_files

FIRST_OPSET = 7
DOMAINS = {"": "onnx", "ai.onnx.ml": "onnx.ml", "com.microsoft": "onnx.ms"}
"""The domains that are declared, and what names of their ops begin with; `runtime_dialect` has the last."""

PREFIXES = {"": "", "ai.onnx.ml": "Ml", "com.microsoft": "Ms"}
"""What the classes of a domain's ops begin with."""

HEADER = '''"""The ONNX dialect: a model as it was written, at any opset.

Generated from the operator schemas of onnx {version} by `python -m autosplit.tools.generate.onnx_dialect`;
do not edit. What is written by hand (graphs, constants, opaque nodes, how nodes are made) is in
`base.py` and the files beside it, and can all be imported from here.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from autosplit.dialects.onnx.base import (
    FLOAT,
    INT,
    INTS,
    LIST,
    PROTO,
    PURE,
    SEGMENTS,
    STRING,
    TENSOR,
    BodyOp,
    GraphOp,
    InitializerOp,
    OnnxOp,
    OpaqueOp,
    ReturnOp,
    graph_of,
    name_hint,
)
from autosplit.dialects.onnx.constants import constant_array, make_constant
from autosplit.dialects.onnx.fields import field_attr, plain_value
from autosplit.dialects.onnx.microsoft import MICROSOFT_OPS
from autosplit.dialects.onnx.operands import FittingSizes, OneElementType, Since
from autosplit.dialects.onnx.tensors import (
    BitsAttr,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    StringsAttr,
    StringType,
    TensorAttr,
    tensor_array,
    tensor_attr,
    tensor_type,
)

__all__ = [
{exports}
]
'''

EXPORTS = [
    "BitsAttr",
    "GraphOp",
    "InitializerOp",
    "MapType",
    "OP_CLASSES",
    "Onnx",
    "OnnxOp",
    "OpaqueOp",
    "OptionalType",
    "ReturnOp",
    "SequenceType",
    "SparseTensorType",
    "StringType",
    "StringsAttr",
    "TensorAttr",
    "constant_array",
    "field_attr",
    "graph_of",
    "make_constant",
    "name_hint",
    "plain_value",
    "tensor_array",
    "tensor_attr",
    "tensor_type",
]

KINDS = {
    "INT": "INT",
    "FLOAT": "FLOAT",
    "STRING": "STRING",
    "INTS": "INTS",
    "FLOATS": "LIST",
    "STRINGS": "LIST",
    "TENSOR": "TENSOR",
    "SPARSE_TENSOR": "PROTO",
    "TYPE_PROTO": "PROTO",
    "TENSORS": "PROTO",
}

SAMPLES = {
    "INT": "1 : i64",
    "FLOAT": "1.0 : f32",
    "STRING": '"a"',
    "INTS": "array<i64: 1>",
    "FLOATS": "[1.0 : f32]",
    "STRINGS": '["a"]',
    "TENSOR": "dense<1> : tensor<1xi64>",
}

SHAPES = dict.fromkeys(
    ("Concat", "Conv", "ConvInteger", "ConvTranspose", "FusedConv", "QLinearConv"), "4x4x4"
) | {"FusedGemm": "4x4", "Gemm": "4x4"}
"""The shapes in the examples of ops that do not take vectors."""

ELEMENTS = {
    "float": "f32",
    "double": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "ui64",
    "uint32": "ui32",
    "uint16": "ui16",
    "uint8": "ui8",
    "bool": "i1",
    "string": "!onnx.string",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    "float8e4m3fn": "f8E4M3FN",
    "float8e8m0": "f8E8M0FNU",
}


@dataclass(frozen=True)
class Slot:
    """An input or output: its name in the schema, `Single`, `Optional` or `Variadic`, its types."""

    name: str
    option: str
    types: tuple[str, ...]


@dataclass
class Op:
    """An op with all of its versions taken together."""

    domain: str
    name: str
    doc: str
    versions: list[int]
    deprecated: bool
    pure: bool
    inputs: list[Slot] = field(default_factory=list["Slot"])
    outputs: list[Slot] = field(default_factory=list["Slot"])
    attributes: dict[str, tuple[str, bool]] = field(default_factory=dict[str, tuple[str, bool]])
    """By name: the kind, and whether the newest version requires it."""
    one_type: list[str] = field(default_factory=list[str])
    """What `OneElementType` is told: operands and results that all versions give one type."""


def read_ops() -> list[Op]:
    """All ops of the declared domains, by domain and name."""
    import onnx.defs

    by_name: dict[tuple[str, str], list[Any]] = {}
    for schema in cast("list[Any]", onnx.defs.get_all_schemas_with_history()):
        if schema.domain in DOMAINS:
            by_name.setdefault((schema.domain, schema.name), []).append(schema)
    return [_merge(_in_use(versions)) for _, versions in sorted(by_name.items())]


def _in_use(versions: list[Any]) -> list[Any]:
    """The versions that a model of opset FIRST_OPSET or later can mean, oldest first."""
    versions = sorted(versions, key=lambda s: s.since_version)
    if versions[0].domain:
        return versions
    old = [i for i, s in enumerate(versions) if s.since_version <= FIRST_OPSET]
    return versions[old[-1] :] if old else versions


def _merge(versions: list[Any]) -> Op:
    latest = versions[-1]
    described = next((s for s in reversed(versions) if s.doc and not s.deprecated), latest)
    op = Op(
        domain=latest.domain,
        name=latest.name,
        doc=str(described.doc or ""),
        versions=[s.since_version for s in versions],
        deprecated=bool(latest.deprecated),
        pure=all(_option(s.node_determinism) != "NonDeterministic" for s in versions),
    )
    op.inputs = _merge_slots([s.inputs for s in versions])
    op.outputs = _merge_slots([s.outputs for s in versions])
    op.one_type = _one_type(versions)
    for schema in versions:
        for attribute in schema.attributes.values():
            kind = _option(attribute.type)
            known = op.attributes.get(attribute.name, (kind, False))[0]
            if known != kind:
                raise ValueError(f"{op.name}.{attribute.name} is {known} and {kind}")
            needed = bool(attribute.required) and schema is latest
            op.attributes[attribute.name] = (kind, needed)
    op.attributes = dict(sorted(op.attributes.items()))
    return op


def _option(value: object) -> str:
    return str(value).rsplit(".", 1)[-1]


def _merge_slots(versions: list[Any]) -> list[Slot]:
    """One list of slots that each of the versions' lists fits."""
    count = max(len(slots) for slots in versions)
    merged: list[Slot] = []
    for i in range(count):
        at = [slots[i] for slots in versions if i < len(slots)]
        options = {_option(slot.option) for slot in at}
        if "Variadic" in options:
            # Nothing can follow, whatever an older version had behind it.
            newest = next(s for s in reversed(at) if _option(s.option) == "Variadic")
            merged.append(Slot(newest.name, "Variadic", tuple(sorted(newest.types))))
            break
        missing = any(i >= len(slots) for slots in versions)
        option = "Optional" if missing or "Optional" in options else "Single"
        merged.append(Slot(at[-1].name, option, tuple(sorted(at[-1].types))))
    return merged


def _one_type(versions: list[Any]) -> list[str]:
    """The groups of operands and results that have one type in every version that has them."""
    inputs = _type_names([s.inputs for s in versions])
    outputs = _type_names([s.outputs for s in versions])
    groups: list[str] = []
    for name in dict.fromkeys(filter(None, inputs)):
        operands = tuple(i for i, other in enumerate(inputs) if other == name)
        results = tuple(i for i, other in enumerate(outputs) if other == name)
        variadic = any(_option(s.inputs[-1].option) == "Variadic" for s in versions if s.inputs)
        if variadic and operands == (0,) and len(inputs) == 1:
            groups.append(f"(results={results})")
        elif len(operands) + len(results) > 1:
            groups.append(f"({operands}, {results})")
    return groups


def _type_names(versions: list[Any]) -> list[tuple[str, ...]]:
    """For each place what the versions call its type; empty if values there have types of their own."""
    names: list[tuple[str, ...]] = []
    for i in range(max(len(slots) for slots in versions)):
        at = [slots[i] if i < len(slots) else None for slots in versions]
        mixed = any(slot is not None and not slot.is_homogeneous for slot in at)
        names.append(() if mixed else tuple("" if slot is None else slot.type_str for slot in at))
    return names


def generate() -> str:
    """The text of the dialect's file, formatted."""
    import onnx

    ops = read_ops()
    names = [f'    "{n}",' for n in sorted(EXPORTS + [class_name(op) for op in ops])]
    parts = [HEADER.format(version=onnx.__version__, exports="\n".join(names))]
    parts += [declaration(op) for op in ops]
    declared = "\n".join(f"    {class_name(op)}," for op in ops)
    parts.append(f"""
_OPS: list[type[OnnxOp]] = [
{declared}
    *MICROSOFT_OPS,
]

OP_CLASSES: dict[tuple[str, str], type[OnnxOp]] = {{
    (op.DOMAIN, op.name.rsplit(".", 1)[1]): op for op in _OPS
}}
\"\"\"The declared ops by domain and op type; ONNX's own domain is `""`.\"\"\"

Onnx = Dialect(
    "onnx",
    [GraphOp, ReturnOp, InitializerOp, OpaqueOp, *_OPS],
    [
        BitsAttr,
        MapType,
        OptionalType,
        SequenceType,
        SparseTensorType,
        StringType,
        StringsAttr,
        TensorAttr,
    ],
)
""")
    return formatted("\n".join(parts), target())


def class_name(op: Op) -> str:
    """The Python class of an op, such as `ConvOp`, `MlScalerOp`."""
    return f"{PREFIXES[op.domain]}{op.name}Op"


def declaration(op: Op) -> str:
    """The text of an op's class."""
    bodies = _bodies(op)
    fields = {n: kind for n, (kind, _) in op.attributes.items() if kind != "GRAPH"}
    traits = [f"Since({op.versions[0]})"] * (op.versions[0] > (1 if op.domain else FIRST_OPSET))
    traits += ["FittingSizes()"] * (f"{DOMAINS[op.domain]}.{op.name}" in RULES)
    traits += [f"OneElementType{group}" for group in op.one_type]
    traits += ["Pure()"] * (op.pure and not bodies)
    taken = _reserved() | set(bodies)
    lines = [
        "@irdl_op_definition",
        f"class {class_name(op)}({'BodyOp' if bodies else 'OnnxOp'}):",
        _docstring(op),
        f'    name = "{DOMAINS[op.domain]}.{op.name}"',
    ]
    if op.domain:
        lines.append(f'    DOMAIN: ClassVar[str] = "{op.domain}"')
    makers = {
        "Single": "operand_def()",
        "Optional": "opt_operand_def()",
        "Variadic": "var_operand_def()",
    }
    for slot in op.inputs:
        lines.append(f"    {_identifier(slot.name, taken, 'in')} = {makers[slot.option]}")
    for name, kind in fields.items():
        own = _identifier(name, taken, "attr")
        spelled = "" if own == name else f', prop_name="{name}"'
        lines.append(f"    {own} = opt_prop_def({KINDS[kind]}{spelled})")
    if [slot.option for slot in op.outputs] == ["Single"]:
        lines.append(f"    {_identifier(op.outputs[0].name, taken, 'out')} = result_def()")
    else:
        lines.append(f"    {_identifier('outputs', taken, 'out')} = var_result_def()")
    lines += [f'    {name} = region_def("single_block")' for name in bodies]
    if needs_segments(op.inputs):
        lines.append("    irdl_options = SEGMENTS")
    if traits == ["Pure()"]:
        lines.append("    traits = PURE")
    elif traits:
        lines.append(f"    traits = traits_def({', '.join(traits)})")
    return "\n".join(lines) + "\n"


def _bodies(op: Op) -> list[str]:
    """The attributes that are graphs; of an If the branch that is taken first, as everybody reads it."""
    names = [name for name, (kind, _) in op.attributes.items() if kind == "GRAPH"]
    return sorted(names, key=lambda name: name != "then_branch")


def needs_segments(inputs: list[Slot]) -> bool:
    """Whether the number of operands alone does not tell which ones are there."""
    loose = [i for i, slot in enumerate(inputs) if slot.option != "Single"]
    return len(loose) > 1 or (len(loose) == 1 and loose[0] != len(inputs) - 1)


def _reserved() -> set[str]:
    return set(dir(BodyOp)) | set(keyword.kwlist) | {"I", "O", "l"}


def _identifier(name: str, taken: set[str], suffix: str) -> str:
    """A Python name for an operand, attribute or result that no other field of the class has."""
    word = re.sub(r"\W", "_", name)
    if word in taken:
        word = f"{word}_{suffix}"
    while word in taken:
        word += "_"
    taken.add(word)
    return word


def _docstring(op: Op) -> str:
    first = _summary(op)
    since = ", ".join(map(str, op.versions))
    notes = f"Versions: {since}."
    if op.deprecated:
        notes += " Deprecated in the last one."
    example = _example(op)
    text = f"{first}\n\n{notes}\nExample:\n\n{example}"
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = [f"    {line}".rstrip() for line in escaped.splitlines()]
    return '    """' + "\n".join(lines).lstrip() + '\n    """'


def _summary(op: Op) -> str:
    """The first sentence of the schema's documentation, on one or two lines."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", op.doc)
    text = re.sub(r"<[^>\n]{1,20}>", "", text)
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text.strip())]
    first = next((p for p in paragraphs if re.search(r"[A-Za-z]{3}", p)), "")
    first = first.strip(" #*=-")
    match = re.search(r"(?<!e\.g)(?<!i\.e)(?<!etc)[.:](?=\s|$)", first)
    sentence = (first[: match.start()] if match else first).rstrip(" .:,")
    if len(sentence) > 190:
        sentence = sentence[:190].rsplit(" ", 1)[0].rstrip(" ,;(") + " ..."
        return "\n".join(_wrap(sentence))
    if not sentence:
        sentence = f"The operator {op.name}"
    return "\n".join(_wrap(sentence[0].upper() + sentence[1:] + "."))


def _wrap(text: str) -> Iterable[str]:

    return textwrap.wrap(text, 95, break_long_words=False, break_on_hyphens=False)


def _example(op: Op) -> str:
    """One op in the dialect's syntax: what it needs, and nothing that it may leave out."""
    inputs = [s for s in op.inputs if s.option != "Optional"] or op.inputs[:1]
    segments = needs_segments(op.inputs)
    last = max([op.inputs.index(s) for s in inputs], default=-1)
    groups: list[str] = []
    types: list[str] = []
    for i, slot in enumerate(op.inputs):
        if slot not in inputs and (not segments or i > last):
            groups += ["_"] if segments else []
            continue
        if slot not in inputs:
            groups.append("_")
            continue
        groups.append(f"%{len(types)}")
        types.append(_type(slot.types, SHAPES.get(op.name, "4")))
    outputs = [s for s in op.outputs if s.option != "Optional"] or op.outputs[:1]
    results = [f"%r{i}" for i in range(len(outputs))]
    values = ", ".join(f'"r{i}"' for i in range(len(outputs)))
    needed = [
        f"{name} = {SAMPLES[kind]}"
        for name, (kind, required) in op.attributes.items()
        if required and kind in SAMPLES
    ]
    fields = f" <{{{', '.join(needed)}}}>" if needed else ""
    bodies = _bodies(op)
    inner = ", ".join(
        f'{{\n      onnx.graph "{n}" () -> [] {{\n        onnx.return\n      }}\n    }}'
        for n in bodies
    )
    regions = f" ({inner})" if bodies else ""
    left = f"{', '.join(results)} = " if results else ""
    out_types = [_type(s.types, SHAPES.get(op.name, "4")) for s in outputs]
    out = out_types[0] if len(out_types) == 1 else f"({', '.join(out_types)})"
    head = f'    {left}{DOMAINS[op.domain]}.{op.name} "n" ({", ".join(groups)}) -> [{values}]'
    if len(head + fields) > 98:
        fields = "\n        " + "\n        ".join(_wrap(fields.strip()))
    head += fields
    tail = f" : ({', '.join(types)}) -> {out}"
    if len(head + regions + tail) > 98:
        tail = "\n        " + "\n        ".join(_wrap(tail.strip()))
    return head + regions + tail


def _type(types: tuple[str, ...], shape: str) -> str:
    allowed = [_spell(t) for t in ("tensor(float)", *types) if t in types]
    known = [t.replace("<4x", f"<{shape}x") for t in allowed if t is not None]
    return known[0] if known else "tensor<*xf32>"


def _spell(type: str) -> str | None:
    """A type of the schemas, such as `seq(tensor(float))`, in the dialect's syntax."""
    match = re.fullmatch(r"(\w+)\((.*)\)", type)
    if match is None:
        return ELEMENTS.get(type)
    kind, inner = match.groups()
    if kind == "map":
        key, value = (part.strip() for part in inner.split(",", 1))
        inner_key, inner_value = _spell(key), _spell(value)
        if inner_key is None or inner_value is None:
            return None
        return f"!onnx.map<{inner_key}, {inner_value}>"
    element = _spell(inner)
    if element is None:
        return None
    match kind:
        case "tensor":
            return f"tensor<4x{element}>"
        case "seq":
            return f"!onnx.sequence<{element}>"
        case "optional":
            return f"!onnx.optional<{element}>"
        case _:
            return None


def target() -> Path:
    """The file that is generated."""
    return in_dialect("onnx/ops.py")


def main(args: list[str] | None = None) -> int:
    """The entry point. Returns 1 where `--check` finds the file out of date."""
    what = "Writes dialects/onnx/ops.py."
    return write_files(what, "onnx_dialect", lambda: [(target(), generate())], args)


if __name__ == "__main__":
    sys.exit(main())
