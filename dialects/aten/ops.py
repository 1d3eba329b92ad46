"""The op classes: one for each overload in the table."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.irdl import irdl_op_definition

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.spec import ArgSpec, OpSpec
from autosplit.dialects.aten.table import OP_TABLE


def _about(spec: OpSpec) -> str:
    """The op's docstring: its schema and an example."""
    return f"`{spec.schema}`\n\nExample:\n\n    {example(spec)}\n"


_SAMPLES = {
    "Device": '#aten.device<"cpu">',
    "Generator": "#aten.none",
    "Layout": '#aten.layout<"strided">',
    "MemoryFormat": '#aten.memory_format<"channels_last">',
    "Scalar": "5.000000e-01 : f64",
    "ScalarType": '#aten.dtype<"float32">',
    "Storage": "#aten.none",
    "SymInt": "2 : i64",
    "bool": "true",
    "float": "5.000000e-01 : f64",
    "int": "2 : i64",
    "str": '"text"',
}


def _sample(arg: ArgSpec) -> str:
    bare = arg.type.rstrip("?")
    if not bare.endswith("[]"):
        return _SAMPLES[bare]
    kind = {"SymInt": "i64", "int": "i64", "float": "f64"}.get(bare[:-2])
    sample = _SAMPLES[bare[:-2]].partition(" : ")[0]
    return f"[{_SAMPLES[bare[:-2]]}]" if kind is None else f"array<{kind}: {sample}>"


def example(spec: OpSpec, *, full: bool = False) -> str:
    """A node of this kind as text, with the arguments that it needs or, if `full`, with all."""
    args = [a for a in spec.args if full or a.default is None]
    operands = [a for a in args if a.is_tensor]
    attributes = ", ".join(f"{a.name} = {_sample(a)}" for a in args if not a.is_tensor)
    results = [f"%y{i}" for i in range(len(spec.returns))]
    names = "" if len(results) == 1 else " -> [" + ", ".join(f'"{r[1:]}"' for r in results) + "]"
    assignment = f"{', '.join(results)} = " if results else ""
    types = ", ".join(["T"] * len(results))
    suffix = types if len(results) == 1 else f"({types})"
    return (
        f'{assignment}aten.{spec.kind} "n" ({", ".join(["%x"] * len(operands))}){names}'
        f"{f' <{{{attributes}}}>' if attributes else ''} : ({', '.join(['T'] * len(operands))}) -> {suffix}"
    )


def _class_of(spec: OpSpec) -> type[AtenOp]:
    """The op class of one overload."""
    fields: dict[str, object] = {
        "__doc__": _about(spec),
        "__module__": __name__,
        "__qualname__": f"{spec.kind}Op",
        "name": f"aten.{spec.kind}",
        "SPEC": spec,
        # xDSL takes it for a constant by its annotation.
        "__annotations__": {"SPEC": ClassVar},
    }
    cls: Any = type(f"{spec.kind}Op", (AtenOp,), fields)
    return irdl_op_definition(cast("type[AtenOp]", cls))


DECLARED: dict[str, type[AtenOp]] = {kind: _class_of(spec) for kind, spec in OP_TABLE.items()}
"""The op classes by type: `conv2d`, `add.Tensor`."""

_BY_TARGET = {spec.target: kind for kind, spec in OP_TABLE.items()}


def class_of_target(target: str) -> type[AtenOp] | None:
    """The class of the op that a `.pt2` calls `target`; None if the table does not have it."""
    kind = _BY_TARGET.get(target)
    return None if kind is None else DECLARED[kind]
