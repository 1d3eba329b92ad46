"""TPU-MLIR's Top dialect: its op set as generated data, the ops and their verifier made from it."""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.dialects.top.base import TopOp, is_dynamic, location_of, names_of
from autosplit.dialects.top.ops import OP_CLASSES, make_op, op_class
from autosplit.dialects.top.spec import AttrSpec, AttrValue, OpSpec, PortSpec
from autosplit.dialects.top.table import OP_TABLE

__all__ = [
    "OP_CLASSES",
    "OP_TABLE",
    "AttrSpec",
    "AttrValue",
    "OpSpec",
    "PortSpec",
    "Top",
    "TopOp",
    "is_dynamic",
    "location_of",
    "make_op",
    "names_of",
    "op_class",
]

Top = Dialect("top", list(OP_CLASSES.values()))
