"""Builds nodes: of the declared class if one fits, else `tf.opaque`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import DictionaryAttr, LocationAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import OptResultDef, VarResultDef

from autosplit.core.dtypes import element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import INLINE_LIMIT, Array, WeightStore, digest
from autosplit.dialects.platform import ProtoAttr, WeightAttr, element_type
from autosplit.dialects.tf.attributes import (
    Kind,
    ShapeAttr,
    dense,
    from_python,
    is_modelled,
    kind_of,
    tensor_type,
)
from autosplit.dialects.tf.base import CONTROL, ManyInputs, TfOp
from autosplit.dialects.tf.constants import ConstOp
from autosplit.dialects.tf.opaque import OpaqueOp, opaque_dtypes
from autosplit.dialects.tf.ops import DECLARED


@cache
def declared_outputs(cls: type[TfOp]) -> int | None:
    """How many data outputs the class declares; None if any number will do."""
    results = cls.get_irdl_definition().results
    if any(isinstance(d, VarResultDef) and not isinstance(d, OptResultDef) for _, d in results):
        return None
    return sum(not isinstance(definition, OptResultDef) for _, definition in results)


def class_for(
    op_type: str, inputs: int, attrs: Mapping[str, Attribute], outputs: int = 0
) -> tuple[type[TfOp], list[Attribute | None]]:
    """The class for a node, and the dtypes of its data outputs; None if a dtype is unknown.

    `outputs`: the minimum number, from their consumers. A node that does not fit the declaration of its type
    (a newer version of it, a malformed one) is opaque.
    """
    opaque: list[Attribute | None] = [None] * max(outputs, 1)
    cls = DECLARED.get(op_type)
    if cls is None and (dtypes := opaque_dtypes(op_type, attrs)) is not None:
        return OpaqueOp, dtypes if len(dtypes) >= outputs else opaque
    if cls is None or (not issubclass(cls, ManyInputs) and cls.input_count(attrs) != inputs):
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
    """A placeholder of the type of `value`. Raises AutosplitError if its dtype is unknown."""
    element = element_type(value.type)
    if element is None:
        raise AutosplitError(
            f"{name!r} cannot be an input: its dtype is unknown (its type is {value.type})"
        )
    return make_node(
        "Placeholder",
        [],
        name,
        attributes={"dtype": element, "shape": ShapeAttr.of_type(value.type)},
        result_types=[value.type],
        done=done,
    )


def make_constant(
    name: str,
    array: Array,
    store: WeightStore | None,
    location: LocationAttr | None = None,
    *,
    done: bool = False,
) -> ConstOp:
    """A Const node. Arrays over `INLINE_LIMIT` elements go into the store, under the node's name.

    Raises ValueError for a dtype that TensorFlow lacks.
    """
    element = element_type_of(array.dtype)
    attr: Attribute
    if store is not None and array.size > INLINE_LIMIT:
        store.make(name, lambda: array)
        attr = WeightAttr(
            StringAttr(name), StringAttr(digest(array)), TensorType(element, array.shape)
        )
    elif is_modelled(array):
        attr = dense(array)
    else:
        from autosplit.dialects.tf.attributes.values import proto_of_array

        attr = ProtoAttr.of(proto_of_array(array).SerializeToString(deterministic=True))
    op = make_node(
        "Const",
        [],
        name,
        attributes={"value": attr, "dtype": element},
        result_types=[tensor_type(element, array.shape)],
        done=done,
        location=location,
    )
    assert isinstance(op, ConstOp)
    return op
