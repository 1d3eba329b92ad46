"""Keeping TPU-MLIR from joining ops to one that a chip has no kernel for.

The compiler's first step makes one op, an RMSNorm, of x * (1 / sqrt(mean(x * x) + e)) * weights, for every
chip. For bm1684 it cannot lower that, and aborts. What it does not join is a division by the root, so there
the product with the reciprocal becomes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.rewriter import Rewriter

from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.convert_onnx_to_top.neutral import made_by

if TYPE_CHECKING:
    from xdsl.ir import Block

WITHOUT_RMS_NORM = frozenset({"bm1684"})
"""The chips that have no kernel for it; measured, step 2 of TPU-MLIR 1.30.2 aborts."""


def keep_apart(block: Block, chip: str) -> int:
    """Divides by square roots that values are multiplied with the reciprocals of; returns how many."""
    if chip not in WITHOUT_RMS_NORM:
        return 0
    found = [op for op in block.ops if isinstance(op, TopOp) and op.kind == "Mul"]
    return sum(_divide(op) for op in found if not op.attrs)


def _divide(op: TopOp) -> bool:
    """Makes a division of x * (1 / sqrt(y)); whether it was that."""
    for value, other in (op.inputs, op.inputs[::-1]):
        inverse = made_by(value, "Reciprocal")
        if inverse is None or inverse.number("const_val") != 1.0:
            continue
        root = inverse.inputs[0]
        if made_by(root, "Sqrt") is None:
            continue
        made = make_op("Div", [other, root], [op.outputs[0].type], list(op.names), {})
        Rewriter.replace_op(op, made)
        if inverse.outputs[0].first_use is None:
            Rewriter.erase_op(inverse)
        return True
    return False
