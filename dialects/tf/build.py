"""Making any node: the declared class where one fits, else `tf.opaque`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import OptResultDef, VarOperandDef, VarResultDef

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import element_type
from autosplit.dialects.tf.attributes import (
    Kind,
    ShapeAttr,
    from_python,
    kind_of,
    tensor_type,
    to_python,
)
from autosplit.dialects.tf.base import CONTROL, ManyInputs, OpaqueOp, TfOp
from autosplit.dialects.tf.opaque import opaque_dtypes


@cache
def op_classes() -> dict[str, type[TfOp]]:
    """The declared ops by TensorFlow's name of their type."""
    from autosplit.dialects.tf import Tf

    return {
        op.name.removeprefix("tf."): op
        for op in Tf.operations
        if issubclass(op, TfOp) and op is not OpaqueOp
    }


def check_inputs(op_type: str, name: str, inputs: int, attrs: Mapping[str, Attribute]) -> None:
    """Raises AutosplitError where TensorFlow takes another number of data inputs for such a node.

    Newer versions of a type have other attributes, but never other inputs.
    """
    cls = op_classes().get(op_type)
    if cls is None or (expected := _inputs(cls, attrs)) in (None, inputs):
        return
    raise AutosplitError(f"{op_type} {name!r} has {inputs} inputs, expected {expected}")


def _inputs(cls: type[TfOp], attrs: Mapping[str, Attribute]) -> int | None:
    """How many data inputs a node with these attributes has; None where they do not say it."""
    if not issubclass(cls, ManyInputs):
        return _arity(cls)
    counts = [_count(attrs.get(name)) if name else 1 for name in cls.INPUTS]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _count(attr: Attribute | None) -> int | None:
    if isinstance(attr, ArrayAttr):
        return len(cast("ArrayAttr[Attribute]", attr))
    value = None if attr is None else to_python(attr)
    return value if isinstance(value, int) else None


@cache
def _arity(cls: type[TfOp]) -> int | None:
    """How many data inputs the class declares; None where any number will do."""
    if issubclass(cls, ManyInputs):
        return None
    operands = cls.get_irdl_definition().operands
    return sum(not isinstance(definition, VarOperandDef) for _, definition in operands)


@cache
def declared_outputs(cls: type[TfOp]) -> int | None:
    """How many data outputs the class declares; None where any number will do."""
    results = cls.get_irdl_definition().results
    if any(isinstance(d, VarResultDef) and not isinstance(d, OptResultDef) for _, d in results):
        return None
    return sum(not isinstance(definition, OptResultDef) for _, definition in results)


def class_for(
    op_type: str, inputs: int, attrs: Mapping[str, Attribute], outputs: int = 0
) -> tuple[type[TfOp], list[Attribute | None]]:
    """The class for a node, and the dtypes of its data outputs; None where a dtype is not known.

    `outputs`: how many at least, from what reads them. A node that does not fit the declaration of its type
    (a newer version of it, a malformed one) is opaque.
    """
    opaque: list[Attribute | None] = [None] * max(outputs, 1)
    cls = op_classes().get(op_type)
    if cls is None and (dtypes := opaque_dtypes(op_type, attrs)) is not None:
        return OpaqueOp, dtypes if len(dtypes) >= outputs else opaque
    if cls is None or _arity(cls) not in (None, inputs):
        return OpaqueOp, opaque
    for name, declared in cls.ATTRIBUTES.items():
        attr = attrs.get(name)
        if attr is None and isinstance(declared, Kind):
            return OpaqueOp, opaque
        if attr is not None and not kind_of(declared).accepts(attr):
            return OpaqueOp, opaque
    count = declared_outputs(cls)
    dtypes = cls.output_dtypes(attrs)
    if dtypes is None:
        dtypes = opaque if count is None else list[Attribute | None]([None] * count)
    if len(dtypes) < outputs or count not in (None, len(dtypes)):
        return OpaqueOp, opaque
    return cls, dtypes


def make_node(
    op_type: str,
    inputs: Sequence[SSAValue],
    node_name: str,
    *,
    attributes: Mapping[str, object] | None = None,
    controls: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] | None = None,
    outputs: int = 0,
    done: bool = False,
    device: str = "",
    location: LocationAttr | None = None,
) -> TfOp:
    """A node of any type.

    `attributes`: Python values or attributes (`from_python` says what becomes what; dtypes are given as the
    IR's types). `result_types`: those of the data outputs; left out, they have the dtypes that the
    attributes imply and no shapes. `outputs`: how many data outputs at least, for types that do not declare
    it. `controls`: the `done` results to wait for; `done`: whether others wait for this node.
    """
    attrs = {name: from_python(value) for name, value in (attributes or {}).items()}
    if result_types is not None:
        outputs = max(outputs, len(result_types))
    cls, dtypes = class_for(op_type, len(inputs), attrs, outputs)
    types = [tensor_type(t) for t in dtypes] if result_types is None else list(result_types)
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(node_name),
        "node_attrs": DictionaryAttr(attrs),
    }
    if device:
        properties["device"] = StringAttr(device)
    if cls is OpaqueOp:
        properties["op"] = StringAttr(op_type)
    op = cls.create(
        operands=[*inputs, *controls],
        result_types=[*types, CONTROL] if done else types,
        properties=properties,
    )
    op.location = op.default_location() if location is None else location
    return op


def make_placeholder(name: str, value: SSAValue, *, done: bool = False) -> TfOp:
    """A placeholder of the type of `value`. Raises AutosplitError where its dtype is not known."""
    element = element_type(value.type)
    if element is None:
        raise AutosplitError(
            f"{name!r} cannot be an input: its dtype is not known (its type is {value.type})"
        )
    return make_node(
        "Placeholder",
        [],
        name,
        attributes={"dtype": element, "shape": ShapeAttr.of_type(value.type)},
        result_types=[value.type],
        done=done,
    )
