"""The dialect's ops, one class for each kind of op in the library's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, traits_def
from xdsl.traits import Pure

from autosplit.core.errors import nearest
from autosplit.dialects.dnnl.base import DnnlOp, named_attributes
from autosplit.dialects.dnnl.check import check_op
from autosplit.dialects.dnnl.table import (
    BOOL,
    F32,
    F32S,
    OP_TABLE,
    S64,
    S64S,
    STRING,
    AttrSpec,
    AttrValue,
    OpSpec,
)

_CLASSES: dict[str, Any] = {
    STRING: StringAttr,
    BOOL: IntegerAttr,
    S64: IntegerAttr,
    S64S: DenseArrayBase,
    F32: FloatAttr,
    F32S: DenseArrayBase,
}

_EXAMPLES: dict[str, AttrValue] = {
    "axes": [1],
    "axis": 1,
    "groups": 1,
    "order": [0, 2, 1],
    "shape": [2, -1],
    "special_zero": True,
    "exclude_pad": True,
    "mode": "nearest",
    "alpha": 0.5,
    "beta": 0.5,
    "min": 0.0,
    "max": 6.0,
    "epsilon": 1.0e-5,
    "scales": [0.5],
}


def _shown(spec: AttrSpec) -> str:
    match spec.type:
        case "bool":
            return "true"
        case "string":
            return '"' + str(_EXAMPLES.get(spec.name, spec.default)) + '"'
        case "s64" | "f32":
            return str(_EXAMPLES[spec.name]).replace("1e-05", "1.0e-05")
        case _:
            fallback = [0, 0] if spec.name.startswith("pads") else [1, 1]
            return str(_EXAMPLES.get(spec.name, fallback))


def example(spec: OpSpec) -> str:
    """The op in the dialect's syntax, with the attributes that it needs."""
    count = spec.counts[-1] if not spec.variadic else 2
    operands = [f"%{p.name}" for p in spec.inputs[:count]]
    if spec.variadic:
        operands = [f"%{spec.inputs[0].name}_{i}" for i in range(count)]
    results = [f"%{p.name}" for p in spec.outputs[: spec.result_counts[0]]]
    needed = [f"{a.name} = {_shown(a)}" for a in spec.attrs.values() if a.required]
    assignment = ", ".join(results) + " = " if results else ""
    attrs = " {" + ", ".join(needed) + "}" if needed else ""
    ins, outs = ", ".join("T" * len(operands)), "T" if len(results) == 1 else "()"
    if len(results) > 1:
        outs = "(" + ", ".join("T" * len(results)) + ")"
    return f"{assignment}dnnl.{spec.kind}({', '.join(operands)}){attrs} : ({ins}) -> {outs}"


def _about(spec: OpSpec) -> str:
    """The op's docstring: what it computes, its attributes, an example."""
    lines = [spec.summary, ""]
    if spec.since > (3, 0):
        lines += [f"Known to the library from {spec.since[0]}.{spec.since[1]} on.", ""]
    if spec.attrs:
        lines += ["| attribute | type | |", "| --- | --- | --- |"]
        lines += [f"| `{a.name}` | {a.type} | {_remark(a)} |" for a in spec.attrs.values()]
        lines.append("")
    return "\n".join([*lines, f"Example: `{example(spec)}`", ""])


def _remark(spec: AttrSpec) -> str:
    default = "" if spec.default is None else f"default {spec.default}".replace("|", "")
    remarks = ["required" if spec.required else default, "one of " + ", ".join(spec.choices)]
    remarks = remarks if spec.choices else remarks[:1]
    if spec.since > (3, 0):
        remarks.append(f"from {spec.since[0]}.{spec.since[1]} on")
    return "; ".join(p for p in remarks if p)


def _class_of(spec: OpSpec) -> type[DnnlOp]:
    """The op class of one kind of op."""
    fields: dict[str, object] = {
        "__doc__": _about(spec),
        "__module__": __name__,
        "__qualname__": f"{spec.kind}Op",
        "name": f"dnnl.{spec.kind}",
        "SPEC": spec,
        "KIND_CODE": spec.code,
        "SINCE": spec.since,
        "ATTRS": spec.attrs,
        "verify_": check_op,
        # xDSL takes these for constants by their annotation.
        "__annotations__": dict.fromkeys(("SPEC", "KIND_CODE", "SINCE", "ATTRS"), ClassVar),
    }
    if spec.kind not in ("End", "Wildcard"):
        fields["traits"] = traits_def(Pure())
    fields |= {name: opt_prop_def(_CLASSES[a.type]) for name, a in spec.attrs.items()}
    cls = cast("type[DnnlOp]", type(f"{spec.kind}Op", (DnnlOp,), fields))
    return irdl_op_definition(cls)


OP_CLASSES: dict[str, type[DnnlOp]] = {kind: _class_of(spec) for kind, spec in OP_TABLE.items()}
"""The op classes by the library's name of the kind, in the order of the library's codes."""


def op_class(kind: str) -> type[DnnlOp]:
    """The class of a kind of op. Raises ValueError, with the nearest name, if there is no such kind."""
    if kind not in OP_CLASSES:
        kinds = list(OP_CLASSES)
        raise ValueError(f"oneDNN Graph has no op {kind!r}{nearest(kind, kinds)}")
    return OP_CLASSES[kind]


def make_op(
    kind: str,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    /,
    *,
    location: LocationAttr | None = None,
    value_names: Sequence[str] | None = None,
    **attrs: AttrValue | None,
) -> DnnlOp:
    """Builds an op of the library's kind `kind`; attributes are Python values, None omits one.

    Raises ValueError for a kind or an attribute that there is not, and for a value of another type.
    """
    cls = op_class(kind)
    properties = named_attributes(cls, attrs)
    if value_names is not None:
        properties["value_names"] = ArrayAttr([StringAttr(n) for n in value_names])
    op = cls.create(operands=operands, result_types=result_types, properties=properties)
    op.location = location or UnknownLoc()
    return op
