"""Builds nodes of the `onnx` dialect: of the declared class if one fits, else `onnx.opaque`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import OptOperandDef, VarOperandDef, VarResultDef

from autosplit.dialects.onnx.base import (
    OWN_PROPERTIES,
    GraphOp,
    OnnxOp,
    OpaqueOp,
    name_hint,
)
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.onnx.ops import OP_CLASSES
from autosplit.dialects.platform import (
    ProtoAttr,
    UnknownType,
    name_attr,
    strings,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


@cache
def _shape_of_class(cls: type[OnnxOp]) -> tuple[int, int, bool, bool, tuple[str, ...]]:
    """(required inputs, declared inputs, variadic, single output, region names) of a declared op."""
    definition = cls.get_irdl_definition()
    operand_defs = [d for _, d in definition.operands]
    required = 0
    for i, operand_def in enumerate(operand_defs):
        if not isinstance(operand_def, OptOperandDef | VarOperandDef):
            required = i + 1
    variadic = bool(operand_defs) and type(operand_defs[-1]) is VarOperandDef
    results = [d for _, d in definition.results]
    single = len(results) == 1 and not isinstance(results[0], VarResultDef)
    names = tuple(name for name, _ in definition.regions)
    return required, len(operand_defs), variadic, single, names


def _fits(
    cls: type[OnnxOp],
    inputs: Sequence[SSAValue | None],
    outputs: int,
    fields: Mapping[str, Attribute],
    graphs: Sequence[str],
) -> bool:
    required, declared, variadic, single, regions = _shape_of_class(cls)
    if len(inputs) < required or (len(inputs) > declared and not variadic):
        return False
    definition = cls.get_irdl_definition()
    for i, value in enumerate(inputs):
        kind = definition.operands[min(i, declared - 1)][1]
        if value is None and not isinstance(kind, OptOperandDef):
            return False
    if (single and outputs != 1) or sorted(graphs) != sorted(regions):
        return False
    for name, attr in fields.items():
        property_ = definition.properties.get(name)
        if property_ is None or name in OWN_PROPERTIES or not property_.constr.verifies(attr):
            return False
    return True


def op_class(domain: str, op_type: str) -> type[OnnxOp] | None:
    """The declared op of a domain (`""` or `"ai.onnx"` is ONNX's own); None if there is none."""
    return OP_CLASSES.get(("" if domain == "ai.onnx" else domain, op_type))


def build_node(
    domain: str,
    op_type: str,
    inputs: Sequence[SSAValue | None],
    output_names: Sequence[str],
    fields: Mapping[str, Attribute],
    graphs: Sequence[tuple[str, GraphOp]] = (),
    *,
    result_types: Sequence[Attribute] | None = None,
    node_name: str = "",
    rest: ProtoAttr | None = None,
    opaque: bool = False,
) -> OnnxOp:
    """Builds a node from attributes of the IR: of its declared class if that fits, else opaque."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    if result_types is None:
        result_types = [UnknownType()] * len(output_names)
    properties: dict[str, Attribute] = {
        "node_name": name_attr(node_name),
        "value_names": strings(output_names),
    }
    if rest is not None:
        properties["rest"] = rest
    names = [name for name, _ in graphs]
    cls = None if opaque else op_class(domain, op_type)
    if cls is not None and _fits(cls, inputs, len(output_names), fields, names):
        properties |= cls.group_properties(_segment_sizes(cls, inputs))
        properties |= fields
        order = _shape_of_class(cls)[4]
        graphs = sorted(graphs, key=lambda item: order.index(item[0]))
    else:
        cls = OpaqueOp
        properties |= {"op_type": StringAttr(op_type), "domain": StringAttr(domain)}
        properties |= OpaqueOp.group_properties([int(v is not None) for v in inputs])
        if fields:
            properties["node_fields"] = DictionaryAttr(dict(fields))
        if names:
            properties["region_names"] = strings(names)
    op = cls.create(
        operands=[v for v in inputs if v is not None],
        result_types=result_types,
        properties=properties,
        regions=[Region(Block([graph])) for _, graph in graphs],
    )
    op.location = op.default_location()
    for name, result in zip(output_names, op.results, strict=True):
        result.name_hint = name_hint(name)
    return op


def _segment_sizes(cls: type[OnnxOp], inputs: Sequence[SSAValue | None]) -> list[int]:
    _, declared, variadic, _, _ = _shape_of_class(cls)
    sizes = [int(i < len(inputs) and inputs[i] is not None) for i in range(declared)]
    if variadic:
        sizes[-1] = max(len(inputs) - declared + 1, 0)
    return sizes


def make_node(
    op_type: str,
    inputs: Sequence[SSAValue | None],
    output_names: Sequence[str],
    *,
    attributes: Mapping[str, object] | None = None,
    result_types: Sequence[Attribute] | None = None,
    domain: str = "",
    node_name: str = "",
    location: LocationAttr | None = None,
) -> OnnxOp:
    """Builds a node: its declared op if one fits, an `onnx.opaque` otherwise.

    `attributes` are plain Python values (int, float, str, bytes, lists of them, arrays), attributes of the
    IR, or a GraphOp for a body. Result types that are not given are `!platform.unknown`. Raises ValueError
    for an attribute that ONNX cannot hold.
    """
    fields = attributes or {}
    op = build_node(
        domain,
        op_type,
        inputs,
        output_names,
        {k: field_attr(v) for k, v in fields.items() if not isinstance(v, GraphOp)},
        [(k, v) for k, v in fields.items() if isinstance(v, GraphOp)],
        result_types=result_types,
        node_name=node_name,
    )
    if location is not None:
        op.location = location
    return op
