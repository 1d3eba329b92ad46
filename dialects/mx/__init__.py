"""MXNet symbols as their framework wrote them.

Every node of a symbol is one op of this dialect: a declared one where the table has its type
(`mx.Convolution`), else `mx.opaque`. `spec` says what the table is made of, `values` what the text of an
attribute stands for, `graph` what variables are.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.build import make_constant, make_node, make_param, make_placeholder
from autosplit.dialects.mx.graph import GraphOp, LabelOp, NullOp, ParamOp, VariableOp, nodes_of
from autosplit.dialects.mx.opaque import OpaqueOp
from autosplit.dialects.mx.ops import DECLARED, declared_class

__all__ = [
    "DECLARED",
    "GraphOp",
    "LabelOp",
    "Mx",
    "MxOp",
    "NullOp",
    "OpaqueOp",
    "ParamOp",
    "VariableOp",
    "declared_class",
    "make_constant",
    "make_node",
    "make_param",
    "make_placeholder",
    "nodes_of",
]

Mx = Dialect("mx", [GraphOp, NullOp, LabelOp, ParamOp, OpaqueOp, *DECLARED.values()])
