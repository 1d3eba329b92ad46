"""top-separate-twins: no op reads a value twice.

In sub-models whose sizes vary, the emulator of bm1684x is killed by a signal at `x * x` in a group of layers
that also gives `x` to another group (measured: Abs, Mul, ReduceMean, and the Add of the first and the last).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.top import TopOp, is_dynamic
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import STEP, TopPattern


class SeparateTwins(TopPattern):
    """`x * x` -> `copy(x) * x`; no two copies of a value are alike."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self.copies = Counter[SSAValue]()

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if len(op.inputs) != 2 or op.inputs[0] is not op.inputs[1]:
            return
        self.copies[op.inputs[0]] += 1
        self.read_copy(op, 0, "kept", rewriter, 1.0 - self.copies[op.inputs[0]] * STEP)


@dataclass(frozen=True)
class TopSeparateTwinsPass(ModulePass):
    """No op of a module whose sizes vary (`module.top_run_mode`) reads a value twice: one is a copy."""

    name = "top-separate-twins"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if is_dynamic(op):
            apply_patterns(op, [SeparateTwins(op)], recursive=False)
