"""Builds nodes: of the declared class if one fits, else `mx.opaque`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, LocationAttr, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import tensor_type_of
from autosplit.core.weights import INLINE_LIMIT, Array, WeightStore, digest
from autosplit.dialects.mx.base import MxOp, all_values, check_attrs, expected_counts, present
from autosplit.dialects.mx.graph import NullOp, ParamOp
from autosplit.dialects.mx.opaque import OpaqueOp
from autosplit.dialects.mx.ops import declared_class
from autosplit.dialects.mx.values import to_text
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.onnx.tensors import tensor_attr, text_attr
from autosplit.dialects.platform import UnknownType, WeightAttr


def class_for(
    op_type: str, name: str, inputs: int, texts: Mapping[str, str], outputs: int = 0
) -> tuple[type[MxOp], int]:
    """The class for a node, and its number of outputs; `outputs`: the minimum.

    A node that does not fit the declaration of its type is opaque. Raises ValueError for an attribute that
    is missing or does not parse.
    """
    cls = declared_class(op_type)
    if cls is None or cls.SPEC is None:
        return OpaqueOp, max(outputs, 1)
    check_attrs(cls.SPEC, name, texts)
    input_count, output_count = expected_counts(cls.SPEC, texts)
    if input_count != inputs or output_count < max(outputs, 1):
        return OpaqueOp, max(outputs, 1)
    return cls, output_count


def input_names(op_type: str, texts: Mapping[str, str]) -> list[str]:
    """MXNet's names of the inputs of such a node, as far as they are known."""
    cls = declared_class(op_type)
    if cls is None or cls.SPEC is None:
        return []
    try:
        return [port.name for port in present(cls.SPEC.inputs, all_values(cls.SPEC, texts))]
    except ValueError:
        return []


def make_node(
    op_type: str,
    inputs: Sequence[SSAValue],
    node_name: str,
    *,
    attributes: Mapping[str, object] | None = None,
    result_types: Sequence[Attribute] | None = None,
    outputs: int = 0,
    location: LocationAttr | None = None,
) -> MxOp:
    """A node of any type.

    `attributes`: text, or Python values, which become the text that MXNet's own Python code writes for
    them. `result_types`: those of the outputs, hidden ones too; unknown by default. `outputs`: the minimum
    number of outputs, for types that the table does not have. Raises ValueError for an attribute
    that is missing or does not parse.
    """
    texts = {name: to_text(value) for name, value in (attributes or {}).items()}
    if result_types is not None:
        outputs = max(outputs, len(result_types))
    cls, count = class_for(op_type, node_name, len(inputs), texts, outputs)
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(node_name),
        "node_attrs": attrs_of(texts),
    }
    if cls is OpaqueOp:
        properties["op"] = StringAttr(op_type)
    elif cls.SPEC is not None and cls.SPEC.kind != op_type:
        properties["spelled_op"] = StringAttr(op_type)
    types = list(result_types or ())
    types += [UnknownType()] * (count - len(types))
    op = cls.create(operands=inputs, result_types=types, properties=properties)
    op.location = op.default_location() if location is None else location
    return op


def attrs_of(texts: Mapping[str, str]) -> DictionaryAttr:
    """The attributes of a node as the IR has them."""
    return DictionaryAttr({name: text_attr(text.encode()) for name, text in texts.items()})


def make_placeholder(name: str, type: Attribute, texts: Mapping[str, str] | None = None) -> NullOp:
    """A variable that a caller gives, with these attributes."""
    op = NullOp.create(
        result_types=[type],
        properties={"node_name": StringAttr(name), "node_attrs": attrs_of(texts or {})},
    )
    op.location = op.default_location()
    op.results[0].name_hint = name_hint(name)
    return op


def make_constant(
    name: str,
    array: Array,
    store: WeightStore | None,
    location: LocationAttr | None = None,
) -> ParamOp:
    """A parameter. Arrays over `INLINE_LIMIT` elements go into the store, under the name.

    Raises ValueError for a dtype without an element type.
    """
    value: Attribute
    if store is not None and array.size > INLINE_LIMIT:
        store.make(name, lambda: array)
        value = WeightAttr(StringAttr(name), StringAttr(digest(array)), tensor_type_of(array))
    else:
        value = tensor_attr(array)
    return make_param(name, value, tensor_type_of(array), location=location)


def make_param(
    name: str,
    value: Attribute,
    type: TensorType[Attribute],
    *,
    kind: str = "arg",
    storage: str = "",
    texts: Mapping[str, str] | None = None,
    location: LocationAttr | None = None,
) -> ParamOp:
    """A parameter that holds `value`, with the attributes `texts`."""
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(name),
        "node_attrs": attrs_of(texts or {}),
        "value": value,
        "kind": StringAttr(kind),
    }
    if storage:
        properties["storage"] = StringAttr(storage)
    op = ParamOp.create(result_types=[type], properties=properties)
    op.location = op.default_location() if location is None else location
    op.results[0].name_hint = name_hint(name)
    return op
