"""Checks nodes against the schema of their op: number of operands, types of attributes, bodies.

Passes rely on this, and ONNX Runtime refuses models that violate it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import onnx
from onnx import AttributeProto, GraphProto, NodeProto

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.onnx.build import op_class
from autosplit.dialects.onnx.operands import Since

_MANY = 2**31 - 1


@dataclass(frozen=True)
class _Schema:
    """The part of an op's schema that is checked."""

    inputs: tuple[int, int]
    """The minimum and maximum number of inputs."""
    outputs: tuple[int, int]
    attribute_types: Mapping[str, int]
    """The `AttributeProto.type` of each attribute."""
    required: tuple[str, ...]
    since: int
    """The operator set that introduced this version of the op."""


@lru_cache(1 << 12)
def _schema(domain: str, op_type: str, version: int) -> _Schema | None:
    """The schema of an op at an opset; None for ops that ONNX does not define."""
    try:
        schema = cast("Any", onnx.defs.get_schema(op_type, version, domain))
    except onnx.defs.SchemaError:
        return None
    attributes: dict[str, Any] = schema.attributes
    return _Schema(
        (schema.min_input, schema.max_input),
        (schema.min_output, schema.max_output),
        {name: int(attribute.type.value) for name, attribute in attributes.items()},
        tuple(name for name, attribute in attributes.items() if attribute.required),
        schema.since_version,
    )


def schema_version(domain: str, op_type: str, version: int) -> int | None:
    """The operator set that introduced the op as it is at `version`; None for ops that ONNX does not define.

    `domain`: empty for ONNX's own.
    """
    schema = _schema(domain, op_type, version)
    return None if schema is None else schema.since


def check_node(node: NodeProto, opsets: Mapping[str, int], label: str) -> None:
    """Raises AutosplitError if a node violates the schema of its op; the message calls it `label`.

    `opsets`: the versions by domain. Ops in other domains are not checked.
    """
    domain = "" if node.domain == "ai.onnx" else node.domain
    if domain not in opsets:
        if domain == "":
            raise AutosplitError(
                f"{label}: is an op of ONNX, and the model names no opset of these"
            )
        return
    if (schema := _schema(domain, node.op_type, opsets[domain])) is None:
        _check_since(domain, node.op_type, opsets[domain], label)
        return
    _check_count(label, "operand", len(node.input), schema.inputs)
    _check_count(label, "result", len(node.output), schema.outputs)
    for attribute in node.attribute:
        expected_type = schema.attribute_types.get(attribute.name, attribute.type)
        if attribute.type != expected_type:
            raise AutosplitError(
                f"{label}: the attribute {attribute.name!r} is of type {_type_name(attribute.type)}, "
                f"expected {_type_name(expected_type)}"
            )
    present = {attribute.name for attribute in node.attribute}
    if missing := [name for name in schema.required if name not in present]:
        raise AutosplitError(f"{label}: has no attribute {missing[0]!r}, which the op needs")
    if domain == "":
        _check_bodies(node, opsets[domain], label)


def _check_since(domain: str, op_type: str, version: int, label: str) -> None:
    cls = op_class(domain, op_type)
    since = None if cls is None else cls.get_trait(Since)
    if since is not None and version < since.version:
        raise AutosplitError(f"{label}: is of opset {since.version}, the model of opset {version}")


def _check_count(label: str, kind: str, count: int, bounds: tuple[int, int]) -> None:
    low, high = bounds
    if low <= count <= high:
        return
    if low == high:
        expected = f"{low}"
    elif high == _MANY:
        expected = f"at least {low}"
    else:
        expected = f"{low} to {high}"
    raise AutosplitError(f"{label}: has {counted(count, kind)}, expected {expected}")


def _type_name(number: int) -> str:
    try:
        return AttributeProto.AttributeType.Name(cast("Any", number))
    except ValueError:
        return f"number {number}"


def _check_bodies(node: NodeProto, version: int, label: str) -> None:
    """Raises if a body of a Loop, Scan or If has the wrong number of inputs or outputs for the node."""
    for attribute in node.attribute:
        if attribute.type != AttributeProto.GRAPH:
            continue
        takes, gives = _ends(node, version)
        _check_ends(label, attribute.name, attribute.g, takes, gives)


def _ends(node: NodeProto, version: int) -> tuple[int | None, int | None]:
    """How many inputs and outputs a body has; None if unknown."""
    match node.op_type:
        case "If":
            return 0, len(node.output)
        case "Loop":
            # The number of the iteration and the condition come first; the condition comes back.
            return max(len(node.input), 2), len(node.output) + 1
        case "Scan" if version >= 9:
            return len(node.input), len(node.output)
        case _:
            return None, None


def _check_ends(
    label: str, name: str, body: GraphProto, takes: int | None, gives: int | None
) -> None:
    constants = {tensor.name for tensor in body.initializer}
    input_count = sum(info.name not in constants for info in body.input)
    if takes is not None and takes not in (input_count, len(body.input)):
        raise AutosplitError(
            f"{label}: its {name} takes {counted(input_count, 'value')}, expected {takes}"
        )
    if gives is not None and gives != len(body.output):
        raise AutosplitError(
            f"{label}: its {name} gives {counted(len(body.output), 'value')}, expected {gives}"
        )
