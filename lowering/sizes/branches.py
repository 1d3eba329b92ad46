"""Ifs whose condition is known beforehand: notes which branch they take, which is written instead of them.

A runtime infers the types of both branches. With sizes fixed, the one that these sizes never take may make
no sense, as in `if x.shape[1] == 1: Squeeze else Identity`, which exporters write, and the runtime refuses
the model.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import location_names
from autosplit.formats.onnx.branches import TAKEN
from autosplit.lowering.shared.fold import Constants


def is_if(op: Operation) -> bool:
    """Whether an op is ONNX's conditional."""
    return isinstance(op, OnnxOp) and op.op_type == "If" and op.domain == ""


def branch_taken(op: OnnxOp, constants: Constants) -> str:
    """The branch that an If takes; "" where its condition is unknown."""
    condition = constants.array(op.operands[0])
    if condition is None or condition.size != 1:
        return ""
    return "then_branch" if condition.reshape(-1)[0] else "else_branch"


def note_branches(module: ModuleOp, folded: ModuleOp) -> None:
    """Marks the Ifs of `module`, those in bodies too, of which a folded copy has a constant condition."""
    constants = Constants(store_for(folded))
    taken = {
        name: branch
        for op in folded.walk()
        if isinstance(op, OnnxOp) and is_if(op) and (branch := branch_taken(op, constants))
        for name in location_names(op.location)[:1]
    }
    for op in module.walk():
        if isinstance(op, OnnxOp) and is_if(op):
            op.attributes.pop(TAKEN, None)
            if (branch := taken.get(op.identity)) is not None:
                op.attributes[TAKEN] = StringAttr(branch)
