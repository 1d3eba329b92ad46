"""Integers that are computed in f32 without a change of any result.

A chip's tensors are floats, so that an integer beyond 2^24 may be rounded to another one. Rounding keeps the
order, so that a comparison with a constant below 2^24 has the same result; a Cast to f32 rounds anyway, one
to Booleans only asks for 0, and positions are below 2^24. Views in front of these keep the numbers.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, type_text
from autosplit.lowering.convert_onnx_to_top.parts.query import EXACT_INTEGERS, INTEGERS, Query
from autosplit.lowering.convert_onnx_to_top.table import CAST, COMPARE, RULES, VIEW
from autosplit.lowering.shared.fold import Constants


def takes_integers(q: Query) -> bool:
    """Whether an op compares integers with small constants, or is a view of integers that f32 serves."""
    rule = RULES.get(q.op.op_type)
    if rule is None:
        return False
    if rule.kind == COMPARE:
        return any(compares_exactly(q.op, index, q.constants) for index in (0, 1))
    return rule.kind == VIEW and any(serves(r, q.constants) for r in q.op.results)


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


def serves(value: SSAValue, constants: Constants) -> bool:
    """Whether all that reads an integer, maybe through views, has the same results if it is one of f32."""
    visited, values = set[SSAValue](), [value]
    while values:
        current = values.pop()
        if current in visited:
            continue
        visited.add(current)
        users = [(use.operation, use.index) for use in current.uses]
        if not users:
            return False
        for user, index in users:
            if not isinstance(user, OnnxOp) or user.domain != "" or user.op_type not in RULES:
                return False
            if _is_exact(user, index, constants):
                continue
            if not _passes_on(user, index):
                return False
            values.extend(r for r in user.results if r.first_use is not None)
    return True


def _is_exact(user: OnnxOp, index: int, constants: Constants) -> bool:
    """Whether an op has the same results with operand `index` rounded to f32."""
    rule = RULES[user.op_type]
    if rule.kind == COMPARE:
        return compares_exactly(user, index, constants)
    if rule.kind == CAST:
        return index == 0 and type_text(element_type(user.results[0].type)) in ("f32", "i1")
    return index in rule.positions


def _passes_on(user: OnnxOp, index: int) -> bool:
    """Whether an op is a view of operand `index`, or casts it to integers."""
    rule = RULES[user.op_type]
    if rule.kind == CAST:
        return index == 0 and type_text(element_type(user.results[0].type)) in ("i32", "i64")
    return rule.kind == VIEW and index not in rule.constant
