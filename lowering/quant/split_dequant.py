"""quant-split-dequant: one dequantize for each use of what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from autosplit.dialects.onnx.base import OnnxOp, name_hint, strings
from autosplit.dialects.quant import DequantizeCastOp, QuantOp, StorageCastOp
from autosplit.lowering.quant.names import Names


@dataclass(frozen=True)
class QuantSplitDequantPass(ModulePass):
    """Copies dequantizes, so that each has one user; casts to another float type between them, too.

    A library that computes with integers takes the dequantize of an operand into its kernel; one that another
    op reads as well would have to be computed on its own, and so destroy the fusion of both. A copy
    is the same node under the same name, its value has a name of its own.
    """

    name = "quant-split-dequant"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        order = {inner: i for i, inner in enumerate(op.walk())}
        names = Names(op)
        # Users first: a copy of a cast is one more use of what it reads.
        for inner in reversed(list(order)):
            if isinstance(inner, QuantOp | OnnxOp) and _is_copied(inner):
                _split(inner, order, names)


def _is_copied(op: QuantOp | OnnxOp) -> bool:
    """Whether each user of an op gets its own: dequantizes and the casts around them."""
    if isinstance(op, DequantizeCastOp):
        return True
    if isinstance(op, StorageCastOp):
        return all(isinstance(u.operation, DequantizeCastOp) for u in op.output.uses)
    return _is_cast_of_dequantize(op)


def _is_cast_of_dequantize(op: Operation) -> bool:
    while isinstance(op, OnnxOp) and op.op_type == "Cast" and op.domain == "" and op.operands:
        owner = op.operands[0].owner
        if isinstance(owner, DequantizeCastOp):
            return True
        if not isinstance(owner, Operation):
            return False
        op = owner
    return False


def _split(op: QuantOp | OnnxOp, order: dict[Operation, int], names: Names) -> None:
    result = op.results[0]

    def place(use: Use) -> tuple[bool, int, int]:
        # What a caller reads keeps the name that the model has for it.
        user = use.operation
        return not user.has_trait(IsTerminator), order.get(user, len(order)), use.index

    uses = sorted(result.uses, key=place)
    for use in reversed(uses[1:]):
        copy = op.clone()
        copy.location = op.location
        value_name = op.value_name(0)
        if value_name:
            copy.properties["value_names"] = strings([names.fresh(f"{value_name}__copy")])
        copy.results[0].name_hint = name_hint(value_name)
        Rewriter.insert_op(copy, InsertPoint.after(op))
        order[copy] = order[op]
        use.operation.operands[use.index] = copy.results[0]
