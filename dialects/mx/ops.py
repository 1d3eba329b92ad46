"""The op classes: one for each kind in the table."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.irdl import irdl_op_definition

from autosplit.dialects.mx.base import MxOp, expected_counts
from autosplit.dialects.mx.spec import (
    BOOL,
    FLOAT,
    FLOATS,
    INT,
    SHAPE,
    SHAPES,
    STRING,
    AttrSpec,
    OpSpec,
    PortSpec,
)
from autosplit.dialects.mx.table import ALIASES, OP_TABLE


def _about(spec: OpSpec) -> str:
    """The op's docstring: its inputs and outputs, its attributes, an example."""
    inputs = ", ".join(map(_port, spec.inputs)) or "Nothing"
    outputs = ", ".join(map(_port, spec.outputs)) or "nothing"
    lines = [f"{inputs} to {outputs}."]
    if spec.attrs:
        lines += ["", "| attribute | kind | |", "| --- | --- | --- |"]
        lines += [f"| `{a.name}` | {a.kind} | {_remark(a)} |" for a in spec.attrs.values()]
    return "\n".join([*lines, "", "Example:", "", f"    {example(spec)}", ""])


def _port(port: PortSpec) -> str:
    if port.count:
        return f"{port.name} (`{port.count}` of them)"
    return f"{port.name} (where `{port.when}`)" if port.when else port.name


def _remark(attr: AttrSpec) -> str:
    remarks = ["required" if attr.required else f"default {attr.default!r}"]
    remarks += ["one of " + ", ".join(attr.choices)] if attr.choices else []
    return "; ".join(remarks)


_SAMPLES = {
    BOOL: "True",
    INT: "1",
    FLOAT: "0.5",
    STRING: "text",
    SHAPE: "(1, 1)",
    FLOATS: "(0.5, 0.5)",
    SHAPES: "((1, 1),)",
}


def sample_attrs(spec: OpSpec, *, full: bool = False) -> dict[str, str]:
    """Attributes that a node of this kind may have: those that it needs, or all."""
    return {
        a.name: a.choices[-1] if a.choices else _SAMPLES[a.kind]
        for a in spec.attrs.values()
        if full or a.required
    }


def example(spec: OpSpec, *, full: bool = False) -> str:
    """A node of this kind as text, with what it needs or, if `full`, with all attributes."""
    attrs = sample_attrs(spec, full=full)
    inputs, outputs = expected_counts(spec, attrs)
    attributes = ", ".join(f'{name} = "{text}"' for name, text in attrs.items())
    results = [f"%y{i}" for i in range(outputs)]
    assignment = f"{', '.join(results)} = " if results else ""
    types = ", ".join(["T"] * outputs)
    result_type = types if outputs == 1 else f"({types})"
    return (
        f'{assignment}mx.{spec.kind} "n" ({", ".join(["%x"] * inputs)})'
        f"{f' <{{{attributes}}}>' if attributes else ''} : ({', '.join(['T'] * inputs)}) -> {result_type}"
    )


def _class_of(spec: OpSpec) -> type[MxOp]:
    """The op class of one kind of op."""
    fields: dict[str, object] = {
        "__doc__": _about(spec),
        "__module__": __name__,
        "__qualname__": f"{spec.kind}Op",
        "name": f"mx.{spec.kind}",
        "SPEC": spec,
        # xDSL takes it for a constant by its annotation.
        "__annotations__": {"SPEC": ClassVar},
    }
    cls: Any = type(f"{spec.kind}Op", (MxOp,), fields)
    return irdl_op_definition(cast("type[MxOp]", cls))


DECLARED: dict[str, type[MxOp]] = {kind: _class_of(spec) for kind, spec in OP_TABLE.items()}
"""The op classes by MXNet's name of the kind."""


def declared_class(op_type: str) -> type[MxOp] | None:
    """The class of an op by its name or another name of it; None if the table does not have it."""
    return DECLARED.get(ALIASES.get(op_type, op_type))
