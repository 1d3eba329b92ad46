"""TPU-MLIR's Top dialect: the input language of its compiler for Sophgo's chips.

A module has one function, `main`, whose arguments are `top.Input` each. Locations matter here: they name
results, weights in the file `module.weight_file`, and lines of a calibration table. Ops print
in MLIR's generic form, as TPU-MLIR reads it. There is one op for each kind that TPU-MLIR defines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import IsTerminator, Pure

from autosplit.core.errors import nearest
from autosplit.core.units import counted
from autosplit.dialects.top.base import TopOp, attributes_of, location_of, to_python
from autosplit.dialects.top.check import check_op
from autosplit.dialects.top.examples import example
from autosplit.dialects.top.spec import ONE, AttrSpec, OpSpec, PortSpec
from autosplit.dialects.top.table import OP_TABLE

IMPURE = frozenset({"Input", "If", "Loop", "Custom", "RandnLike", "Yield"})
"""Kinds that are not removed when unused."""


def _about(spec: OpSpec) -> str:
    """The op's docstring: its operands and results, its attributes, an example."""
    lines = [_summary(spec)]
    if spec.attrs:
        lines += ["", "| attribute | type | |", "| --- | --- | --- |"]
        lines += [f"| `{a.name}` | {a.type} | {_remark(a)} |" for a in spec.attrs.values()]
    example_text = "\n".join(f"    {line}" for line in example(spec))
    return "\n".join([*lines, "", "Example:", "", example_text, ""])


def _summary(spec: OpSpec) -> str:
    operands = ", ".join(map(_port, spec.operands)) or "Nothing"
    results = ", ".join(map(_port, spec.results)) or "nothing"
    needed = ", ".join(f"`{attr.name}`" for attr in spec.attrs.values() if attr.required)
    optional = sum(not attr.required for attr in spec.attrs.values())
    sentences = [f"{operands} to {results}"]
    sentences += [f"needs {needed}"] if needed else []
    sentences += (
        [f"takes {counted(optional, 'attribute')}{' more' * bool(needed)}"] if optional else []
    )
    return "; ".join(sentences) + "."


def _port(port: PortSpec) -> str:
    return port.name if port.count == ONE else f"{port.name} ({port.count})"


def _remark(attr: AttrSpec) -> str:
    default = "" if attr.default is None else f"default {attr.default!r}"
    remarks = ["required" if attr.required else default]
    remarks += ["one of " + ", ".join(attr.choices)] if attr.choices else []
    return "; ".join(remark for remark in remarks if remark)


def _class_of(spec: OpSpec) -> type[TopOp]:
    """The op class of one kind of op."""
    fields: dict[str, object] = {
        "__doc__": _about(spec),
        "__module__": __name__,
        "__qualname__": f"{spec.kind}Op",
        "name": f"top.{spec.kind}",
        "SPEC": spec,
        "verify_": check_op,
        # xDSL takes it for a constant by its annotation.
        "__annotations__": {"SPEC": ClassVar},
    }
    if spec.terminator:
        fields["traits"] = traits_def(IsTerminator())
    elif spec.kind not in IMPURE:
        fields["traits"] = traits_def(Pure())
    cls: Any = type(f"{spec.kind}Op", (TopOp,), fields)
    return irdl_op_definition(cast("type[TopOp]", cls))


OP_CLASSES: dict[str, type[TopOp]] = {kind: _class_of(spec) for kind, spec in OP_TABLE.items()}
"""The op classes by TPU-MLIR's name of the kind."""


def op_class(kind: str) -> type[TopOp]:
    """The class of a kind of op. Raises ValueError, with the nearest name, if there is no such kind."""
    if kind not in OP_CLASSES:
        raise ValueError(f"the Top dialect has no op {kind!r}{nearest(kind, list(OP_CLASSES))}")
    return OP_CLASSES[kind]


def make_op(
    kind: str,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    names: Sequence[str],
    attrs: Mapping[str, object] | None = None,
    regions: Sequence[Region] = (),
) -> TopOp:
    """Makes an op of TPU-MLIR's kind `kind` whose results have the names `names`.

    Attributes are Python values; None leaves one out, and so does a value that is the default. Raises
    ValueError for a kind or an attribute that there is not, for a value that does not fit, for one that is
    missing, and where there are not as many names as results.
    """
    cls = op_class(kind)
    spec = cls.SPEC
    if len(names) != len(result_types) and kind != "None":
        raise ValueError(
            f"top.{kind} has {counted(len(result_types), 'result')} and {counted(len(names), 'name')}"
        )
    values = attributes_of(spec, attrs or {})
    attributes = {
        name: values[name]
        for name, attr in spec.attrs.items()
        if name in values and (attr.default is None or to_python(values[name]) != attr.default)
    }
    op = cls.create(
        operands=operands, result_types=result_types, attributes=attributes, regions=list(regions)
    )
    op.location = location_of(names)
    return op
