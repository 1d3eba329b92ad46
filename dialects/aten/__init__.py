"""PyTorch programs as `torch.export` made them, before they are functionalized.

Every node is one op of this dialect: a declared one where the table has its overload (`aten.conv2d`,
`aten.add_.Tensor`), else `aten.opaque`. `spec` says what the table is made of, `values` what an argument
stands for, `graph` what inputs, parameters and states are.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.dialects.aten.base import AtenOp, is_symbol
from autosplit.dialects.aten.graph import (
    GraphOp,
    InputOp,
    ParamOp,
    SourceOp,
    StateOp,
    TensorSource,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.aten.opaque import OpaqueOp
from autosplit.dialects.aten.ops import DECLARED, class_of_target
from autosplit.dialects.aten.values import (
    DeviceAttr,
    DtypeAttr,
    JsonAttr,
    LayoutAttr,
    MemoryFormatAttr,
    NoneAttr,
    ValueAttr,
)

__all__ = [
    "DECLARED",
    "Aten",
    "AtenOp",
    "GraphOp",
    "InputOp",
    "OpaqueOp",
    "ParamOp",
    "SourceOp",
    "StateOp",
    "TensorSource",
    "WriteBackOp",
    "class_of_target",
    "is_symbol",
    "nodes_of",
]

Aten = Dialect(
    "aten",
    [GraphOp, InputOp, ParamOp, StateOp, WriteBackOp, OpaqueOp, *DECLARED.values()],
    [DtypeAttr, LayoutAttr, MemoryFormatAttr, DeviceAttr, NoneAttr, ValueAttr, JsonAttr],
)
