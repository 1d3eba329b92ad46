"""Builds what a program reads: inputs and constants."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from autosplit.core.dtypes import tensor_type_of
from autosplit.core.weights import INLINE_LIMIT, Array, WeightStore, digest
from autosplit.dialects.aten.graph import CONSTANT, InputOp, ParamOp
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.onnx.tensors import tensor_attr
from autosplit.dialects.platform import WeightAttr


def make_input(name: str, type: Attribute, kind: str | None = None) -> InputOp:
    """An input; `kind`: the kind of number, None for a tensor."""
    properties: dict[str, Attribute] = {} if kind is None else {"kind": StringAttr(kind)}
    op = InputOp.make(name, {}, [], [type], more=properties)
    op.results[0].name_hint = name_hint(name)
    return op


def make_constant(name: str, array: Array, store: WeightStore | None) -> ParamOp:
    """A constant. Arrays over `INLINE_LIMIT` elements go into the store, under the name.

    Raises ValueError for a dtype without an element type.
    """
    type = tensor_type_of(array)
    value: Attribute
    if store is not None and array.size > INLINE_LIMIT:
        store.make(name, lambda: array)
        value = WeightAttr(StringAttr(name), StringAttr(digest(array)), type)
    else:
        value = tensor_attr(array)
    properties = {"value": value, "kind": StringAttr(CONSTANT), "fqn": StringAttr(name)}
    op = ParamOp.make(name, {}, [], [type], more=properties)
    op.results[0].name_hint = name_hint(name)
    return op
