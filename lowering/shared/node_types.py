"""The types of one node's results, as the inference of the onnx package finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import cast

import onnx
from onnx import OperatorSetIdProto, TensorProto, TypeProto, numpy_helper, shape_inference
from onnx.checker import ValidationError
from xdsl.ir import Attribute

from autosplit.core.errors import first_line
from autosplit.core.weights import Array
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import UnknownType, static_shape
from autosplit.formats.onnx.values import proto_of_type
from autosplit.formats.onnx.writer import node_proto
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.protos import (
    DEFAULT_OPSET,
    KNOWN_ELEMENTS,
    type_of_proto,
)

_NO_NAMES: frozenset[str] = frozenset()
_IR_VERSION = 10
# The onnx package types its arrays loosely.
_from_array = cast("Callable[[Array], TensorProto]", numpy_helper.from_array)


def infer_results(op: OnnxOp, constants: Constants) -> list[Attribute]:
    """The types of the results of a node of ONNX's own, in opset 21, from those of its operands.

    Unknown where the inference says nothing, as it does where an operand's type is unknown. Raises ValueError
    if the operands' element types do not fit each other.
    """
    unknown: list[Attribute] = [UnknownType()] * len(op.results)
    schema = _schema(op.op_type)
    names = _input_names(op)
    types: dict[str, TypeProto] = {}
    for name, value in zip((n for n in names if n), op.operands, strict=True):
        proto = proto_of_type(value.type)
        if proto is None:
            return unknown
        types[name] = proto
    if schema is None:
        return unknown
    outputs = [f"y{i}" for i in range(len(op.results))]
    node = node_proto(op, names, outputs)
    try:
        inferred = shape_inference.infer_node_outputs(
            schema, node, types, _small(op, names, constants), None, _opsets(), _IR_VERSION
        )
    except ValidationError as error:
        raise ValueError(first_line(error)) from error
    except (shape_inference.InferenceError, RuntimeError):
        return unknown
    protos = (inferred.get(name) for name in outputs)
    read = (None if proto is None else type_of_proto(proto, _NO_NAMES) for proto in protos)
    return [type or UnknownType() for type in read]


def _input_names(op: OnnxOp) -> list[str]:
    """A name for each input, the empty one for those that are left out."""
    names: list[str] = []
    for group in op.operand_groups():
        names += [f"x{len(names) + i}" for i in range(len(group))] or [""]
    while names and not names[-1]:
        names.pop()
    return names


def _small(op: OnnxOp, names: Sequence[str], constants: Constants) -> dict[str, TensorProto]:
    """The operands that are small constants, such as shapes and axes."""
    small: dict[str, TensorProto] = {}
    for name, value in zip((n for n in names if n), op.operands, strict=True):
        shape = static_shape(value.type)
        if shape is None or prod(shape) > KNOWN_ELEMENTS:
            continue
        if (array := constants.array(value)) is not None:
            small[name] = _from_array(array)
    return small


@cache
def _schema(op_type: str) -> onnx.defs.OpSchema | None:
    if not onnx.defs.has(op_type, DEFAULT_OPSET):
        return None
    return onnx.defs.get_schema(op_type, DEFAULT_OPSET, "")


@cache
def _opsets() -> list[OperatorSetIdProto]:
    return [onnx.helper.make_opsetid("", DEFAULT_OPSET)]
