"""Integers that are computed in f32 without a change of any result: those that are only compared.

A chip's tensors are floats, so that an integer beyond 2^24 may be rounded to another one. Rounding keeps the
order, so that a comparison with a constant below 2^24 has the same result. Views in front of it keep the
numbers as they are.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.lowering.convert_onnx_to_top.parts.query import EXACT_INTEGERS, INTEGERS, Query
from autosplit.lowering.convert_onnx_to_top.table import COMPARE, RULES, VIEW
from autosplit.lowering.shared.fold import Constants


def takes_integers(q: Query) -> bool:
    """Whether an op compares integers with small constants, or is a view of such integers."""
    rule = RULES.get(q.op.op_type)
    if rule is None:
        return False
    if rule.kind == COMPARE:
        return any(compares_exactly(q.op, index, q.constants) for index in (0, 1))
    return rule.kind == VIEW and any(only_compared(r, q.constants) for r in q.op.results)


def has_integers(q: Query) -> bool:
    """Whether an op is such a comparison or view."""
    rule = RULES.get(q.op.op_type)
    return rule is not None and rule.kind in (COMPARE, VIEW) and q.kind(0) in INTEGERS


def compares_exactly(op: OnnxOp, index: int, constants: Constants) -> bool:
    """Whether a comparison has the same result with operand `index` rounded to f32."""
    if len(op.inputs) != 2 or (constant := op.inputs[1 - index]) is None:
        return False
    array = constants.array(constant) if constants.is_constant(constant) else None
    if array is None or array.dtype.kind not in "iu":
        return False
    return bool(np.all(np.abs(array.astype(np.float64)) < EXACT_INTEGERS))


def only_compared(value: SSAValue, constants: Constants) -> bool:
    """Whether all that reads a value compares it with small constants, maybe through views."""
    visited, values = set[SSAValue](), [value]
    while values:
        current = values.pop()
        if current in visited:
            continue
        visited.add(current)
        users = [(use.operation, use.index) for use in current.uses]
        if not users or not all(_only_compares(*use, constants) for use in users):
            return False
        views = [op for op, _ in users if not _is_comparison(op)]
        values.extend(r for op in views for r in op.results if r.first_use is not None)
    return True


def _only_compares(user: Operation, index: int, constants: Constants) -> bool:
    """Whether what reads a value compares it with small constants, or is a view of it."""
    if not isinstance(user, OnnxOp):
        return False
    if _is_comparison(user):
        return compares_exactly(user, index, constants)
    rule = RULES.get(user.op_type)
    return rule is not None and rule.kind == VIEW and index not in rule.constant


def _is_comparison(op: Operation) -> bool:
    rule = RULES.get(op.op_type) if isinstance(op, OnnxOp) else None
    return rule is not None and rule.kind == COMPARE
