"""oneDNN Graph: its ops, logical tensors and partitions, with the library's own names.

`table` is the op set as data. Everything in the dialect follows from it: the ops (`ops`), their verifier
(`check`) with the shapes of their results (`shapes`). `layouts` says how tensors lie in memory, `partition`
holds ops that run as one.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.core.versions import Version
from autosplit.dialects.dnnl.base import DnnlOp, property_type, tensor_id
from autosplit.dialects.dnnl.layouts import (
    AnyLayout,
    LayoutAttr,
    OpaqueLayout,
    OrderLayout,
    StridedLayout,
    UndefLayout,
    dense_strides,
    dtype_name,
    element_type_named,
    layout_of,
    strides_of,
    with_layout,
)
from autosplit.dialects.dnnl.ops import OP_CLASSES, make_op, op_class
from autosplit.dialects.dnnl.partition import GraphOp, PartitionOp, ReturnOp
from autosplit.dialects.dnnl.table import ATTR_CODES, OP_TABLE, AttrSpec, AttrValue, OpSpec

__all__ = [
    "ATTR_CODES",
    "OP_CLASSES",
    "OP_TABLE",
    "AnyLayout",
    "AttrSpec",
    "AttrValue",
    "Dnnl",
    "DnnlOp",
    "GraphOp",
    "LayoutAttr",
    "OpSpec",
    "OpaqueLayout",
    "OrderLayout",
    "PartitionOp",
    "ReturnOp",
    "StridedLayout",
    "UndefLayout",
    "Version",
    "dense_strides",
    "dtype_name",
    "element_type_named",
    "layout_of",
    "make_op",
    "op_class",
    "property_type",
    "strides_of",
    "tensor_id",
    "with_layout",
]

Dnnl = Dialect(
    "dnnl",
    [GraphOp, PartitionOp, ReturnOp, *OP_CLASSES.values()],
    [AnyLayout, UndefLayout, OpaqueLayout, StridedLayout, OrderLayout],
)
