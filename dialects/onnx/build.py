"""Making ops of the `onnx` dialect, and reading its constants.

Import all of it from `autosplit.dialects.onnx.ops`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue
from xdsl.irdl import OptOperandDef, VarOperandDef, VarResultDef

from autosplit.dialects.onnx.base import (
    OWN_PROPERTIES,
    GraphOp,
    InitializerOp,
    OnnxOp,
    OpaqueOp,
    name_hint,
    strings,
)
from autosplit.dialects.onnx.fields import field_attr, plain_value
from autosplit.dialects.onnx.tensors import tensor_array, tensor_attr
from autosplit.dialects.platform import ProtoAttr, UnknownType, WeightAttr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]


@cache
def _shape_of_class(cls: type[OnnxOp]) -> tuple[int, int, bool, bool, tuple[str, ...]]:
    """(required inputs, declared inputs, variadic, single output, region names) of a declared op."""
    definition = cls.get_irdl_definition()
    kinds = [d for _, d in definition.operands]
    required = 0
    for i, kind in enumerate(kinds):
        if not isinstance(kind, OptOperandDef | VarOperandDef):
            required = i + 1
    variadic = bool(kinds) and type(kinds[-1]) is VarOperandDef
    results = [d for _, d in definition.results]
    single = len(results) == 1 and not isinstance(results[0], VarResultDef)
    names = tuple(name for name, _ in definition.regions)
    return required, len(kinds), variadic, single, names


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
        known = definition.properties.get(name)
        if known is None or name in OWN_PROPERTIES or not known.constr.verifies(attr):
            return False
    return True


def op_class(domain: str, op_type: str) -> type[OnnxOp] | None:
    """The declared op of a domain (`""` or `"ai.onnx"` is ONNX's own); None where there is none."""
    from autosplit.dialects.onnx.ops import OP_CLASSES

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
    """Makes a node from attributes of the IR: of its declared class where that fits, else opaque."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    if result_types is None:
        result_types = [UnknownType()] * len(output_names)
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(node_name),
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
    """Makes a node: its declared op where one fits, an `onnx.opaque` otherwise.

    `attributes` are plain Python values (int, float, str, bytes, lists of them, arrays), attributes of the
    IR, or a GraphOp for a body. Result types that are not given are `!platform.unknown`. Raises ValueError
    for an attribute that ONNX cannot hold.
    """
    given = attributes or {}
    op = build_node(
        domain,
        op_type,
        inputs,
        output_names,
        {k: field_attr(v) for k, v in given.items() if not isinstance(v, GraphOp)},
        [(k, v) for k, v in given.items() if isinstance(v, GraphOp)],
        result_types=result_types,
        node_name=node_name,
    )
    if location is not None:
        op.location = location
    return op


def make_constant(
    name: str,
    array: Array,
    store: WeightStore | None,
    location: LocationAttr | None = None,
) -> InitializerOp:
    """An initializer called `name`: in the IR when it is small or there is no store, else in the store.

    Raises ValueError for a dtype that has no element type.
    """
    from autosplit.core.dtypes import tensor_type_of
    from autosplit.core.weights import INLINE_LIMIT, digest

    if store is None or array.size <= INLINE_LIMIT or array.dtype.kind in "OUS":
        return InitializerOp(name, tensor_attr(array), None, location)
    key, count = name, 1
    while key in store:
        count += 1
        key = f"{name}#{count}"
    store.make(key, lambda: array)
    value = WeightAttr(StringAttr(key), StringAttr(digest(array)), tensor_type_of(array))
    return InitializerOp(name, value, None, location)


def constant_array(value: SSAValue, store: WeightStore | None) -> Array | None:
    """The array of an initializer's or Constant node's result; None for any other value.

    Strings are arrays of `object`. None too where it is a weight and `store` is None. Raises AutosplitError
    where the store lacks the weight.
    """
    if not isinstance(value, OpResult):
        return None
    op = value.op
    if isinstance(op, InitializerOp):
        return tensor_array(op.value, store)
    if not isinstance(op, OnnxOp) or op.op_type != "Constant" or op.domain not in ("", "ai.onnx"):
        return None
    for name, attr in op.fields.items():
        return _constant_field(name, attr, store)
    return None


def _constant_field(name: str, attr: Attribute, store: WeightStore | None) -> Array | None:
    import numpy as np

    if name in ("value", "sparse_value"):
        if isinstance(attr, ProtoAttr):
            return _constant_proto(attr)
        return tensor_array(attr, store)
    dtypes = {"value_int": np.int64, "value_ints": np.int64}
    dtypes |= {"value_float": np.float32, "value_floats": np.float32}
    if name in dtypes:
        return np.array(plain_value(attr), dtypes[name])
    if name in ("value_string", "value_strings"):
        return np.array(plain_value(attr), object)
    return None


def _constant_proto(attr: ProtoAttr) -> Array | None:
    from onnx import AttributeProto

    proto = AttributeProto.FromString(attr.data.data)
    inner = proto.t if proto.type == AttributeProto.TENSOR else proto.sparse_tensor
    return tensor_array(ProtoAttr.of(inner.SerializeToString(deterministic=True)))
