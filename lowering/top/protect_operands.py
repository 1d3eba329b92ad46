"""top-protect-operands: keeping values that TPU-MLIR's kernels would spoil, on the chips where they do.

On bm1684 some activations, when they are put into a group of layers, compute in the memory of their operand.
Ops of the group that read that operand later read what they left there. Such an operand is copied first. Two
equal copies of one value would be merged again, and spoiled for each other, so no two of them are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.weights import store_for
from autosplit.devices import DEFAULT_CHIP, Chip, get_chip
from autosplit.dialects.top import TopOp
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.top.copies import STEP, TopPattern, top_blocks
from autosplit.lowering.top.identities import Identity, identities


class ProtectOperand(TopPattern):
    """`tanh(x)` -> `tanh(copy(x))`, where others read x and the kernel would compute in its memory."""

    def __init__(self, module: ModuleOp, chip: Chip):
        super().__init__(module)
        self.spoiling = chip.spoiling
        store = store_for(module)
        self.identity_of: dict[SSAValue, Identity] = {}
        self.readers = Counter[Identity]()
        self.copies = Counter[Identity]()
        for block in top_blocks(module):
            self.identity_of |= identities(block, store)
            self.readers += _readers(block, self.identity_of)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if op.kind not in self.spoiling:
            return
        value = self.identity_of[op.inputs[0]]
        if self.readers[value] == 1:
            why(op, "nothing else reads its operand")
            return
        if _is_silu(op, self.readers[value], self.identity_of):
            why(op, "it is the sigmoid of a SiLU, which is one op")
            return
        self.copies[value] += 1
        self.read_copy(op, 0, "kept", rewriter, 1.0 + self.copies[value] * STEP)


def _readers(block: Block, identity_of: Mapping[SSAValue, Identity]) -> Counter[Identity]:
    """How many ops read each value. Views, and ops that the tool chain removes, count as their operands."""
    readers = Counter[Identity]()
    for op in block.ops:
        results = {identity_of.get(result) for result in op.results}
        readers.update({identity_of[v] for v in op.operands if v in identity_of} - results)
    return readers


def _is_silu(op: TopOp, readers: int, identity_of: Mapping[SSAValue, Identity]) -> bool:
    """Whether the op is the sigmoid of x * sigmoid(x) and nothing else reads x: one op, which is right."""
    value, result = op.inputs[0], op.outputs[0]
    if op.kind != "Sigmoid" or readers != 2 or not result.has_one_use():
        return False
    user: Operation = next(iter(result.uses)).operation
    return isinstance(user, TopOp) and user.kind == "Mul" and value in user.inputs


@dataclass(frozen=True)
class TopProtectOperandsPass(ModulePass):
    """An operand that an op would spoil for its other readers is copied, on chips whose kernels do that."""

    name = "top-protect-operands"

    target: str = DEFAULT_CHIP
    """The name of a device table."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        if any(isinstance(o, TopOp) and o.kind in chip.spoiling for o in op.walk()):
            apply_patterns(op, [ProtectOperand(op, chip)], recursive=False)
