"""The checks that a program makes while it runs, `_assert_scalar` and its kin: which of them stay.

A check computes nothing, so that it must not change the plan. It stays where the value that it checks is
computed on the CPU anyway.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute

from autosplit.core.dtypes import element_type_of
from autosplit.dialects.aten.base import AtenOp, is_symbol
from autosplit.dialects.aten.graph import InputOp, nodes_of
from autosplit.dialects.aten.spec import CHECKS_OF_NUMBERS
from autosplit.dialects.named_graph import OrderedGraph
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.convert_aten_to_onnx.patterns import REASONS


def kept_checks(graph: OrderedGraph, needed: Collection[object]) -> set[object]:
    """The checks that stay, with the arithmetic on numbers that only they read.

    Those of numbers that `needed` ops make of data, such as `item`: these ops are on the CPU, and what a
    check adds there is arithmetic on a few numbers.
    """
    kept: set[object] = set()
    for op in nodes_of(graph):
        if op.SPEC is None or not op.SPEC.is_check or op.SPEC.base not in CHECKS_OF_NUMBERS:
            continue
        arithmetic = _arithmetic(op, needed)
        if arithmetic is not None:
            kept |= {op, *arithmetic}
    return kept


def _arithmetic(check: AtenOp, needed: Collection[object]) -> set[AtenOp] | None:
    """What computes the number that is checked; None where that depends on more than numbers from data."""
    ops: set[AtenOp] = set()
    of_data = False
    pending = list(check.operands)
    while pending:
        value = pending.pop()
        owner = value.owner
        if not isinstance(owner, AtenOp) or owner in ops:
            continue
        if _is_from_data(owner):
            if owner not in needed:
                return None
            of_data = True
        elif is_symbol(value) and not isinstance(owner, InputOp):
            ops.add(owner)
            pending += owner.operands
        elif not isinstance(owner, InputOp) or owner not in needed:
            return None
    return ops if of_data else None


def _is_from_data(op: AtenOp) -> bool:
    """Whether the op makes a number, or a size, of data: no chip takes it."""
    code, _ = REASONS.get("" if op.SPEC is None else op.SPEC.base, ("", ""))
    return code == "data-dependent"


def left_out(graph: OrderedGraph, kept: Collection[object]) -> dict[str, Attribute]:
    """The note on the checks that are not made, because they do not stay and the types do not prove them."""
    dropped = [
        op
        for op in nodes_of(graph)
        if op.SPEC is not None and op.SPEC.is_check and op not in kept and not _is_proven(op)
    ]
    if not dropped:
        return {}
    return {"unchecked": ArrayAttr([StringAttr(_described(op)) for op in dropped])}


def _is_proven(op: AtenOp) -> bool:
    """Whether the types say that a check of a tensor's metadata holds."""
    if op.SPEC is None or op.SPEC.base != "_assert_tensor_metadata" or op.get("stride") is not None:
        return False
    tensor = op.operands[0]
    dtype, sizes = op.text("dtype"), op.get("size")
    same_type = dtype is None or element_type_of(dtype) == element_type(tensor.type)
    shape = shape_of(tensor.type)
    same_sizes = sizes is None or (shape is not None and op.ints("size") == list(shape))
    return same_type and same_sizes


def _described(op: AtenOp) -> str:
    message = op.text("assert_msg")
    return f"{op.op_type} {op.node_name.data!r}" + (f": {message}" if message else "")
