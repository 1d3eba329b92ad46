"""Builds layers: of the declared class if one fits, else `caffe.opaque`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
)
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import element_type_of
from autosplit.core.weights import INLINE_LIMIT, Array, WeightStore, digest
from autosplit.dialects.caffe.base import CaffeOp, misfit
from autosplit.dialects.caffe.ops import DECLARED, OpaqueOp
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.onnx.tensors import tensor_attr
from autosplit.dialects.platform import WeightAttr, strings


def make_layer(
    kind: str,
    name: str,
    bottoms: Sequence[SSAValue],
    values: Sequence[str],
    *,
    tops: Sequence[str] | None = None,
    params: Mapping[str, Attribute] | None = None,
    blobs: Sequence[Attribute] = (),
    types: Sequence[Attribute] | None = None,
) -> CaffeOp:
    """A layer of any type.

    `values`: the names of the results; `tops`: their blobs in the file, if these differ.
    `params`: the layer's fields, as `params.py` has them. Results are f32 of unknown sizes where
    `types` is not given.
    """
    cls = DECLARED.get(kind, OpaqueOp)
    if cls.SPEC is not None and misfit(cls.SPEC, len(bottoms), len(values), len(blobs)):
        cls = OpaqueOp
    properties: dict[str, Attribute] = {
        "node_name": StringAttr(name),
        "value_names": strings(values),
        "params": DictionaryAttr(dict(params or {})),
    }
    if tops is not None and list(tops) != list(values):
        properties["tops"] = strings(tops)
    if blobs:
        properties["blobs"] = ArrayAttr(list(blobs))
    if cls is OpaqueOp:
        properties["layer_type"] = StringAttr(kind)
    result_types = [UnrankedTensorType(f32)] * len(values) if types is None else types
    op = cls.create(operands=list(bottoms), result_types=list(result_types), properties=properties)
    op.location = op.default_location()
    for value, result in zip(values, op.results, strict=True):
        result.name_hint = name_hint(value)
    return op


def make_input(name: str, type: Attribute) -> CaffeOp:
    """An input of the type `type`."""
    return make_layer("Input", name, [], [name], types=[type])


def make_constant(name: str, array: Array, store: WeightStore | None) -> CaffeOp:
    """A constant. Arrays over `INLINE_LIMIT` elements go into the store, under its name."""
    type = TensorType(element_type_of(array.dtype), array.shape)
    blob: Attribute
    if store is not None and array.size > INLINE_LIMIT:
        store.make(name, lambda: array)
        blob = WeightAttr(StringAttr(name), StringAttr(digest(array)), type)
    else:
        blob = tensor_attr(array)
    return make_layer("Const", name, [], [name], blobs=[blob], types=[type])
