"""top-finite-masks: finite masks, for modes that make NaN of infinities in a Softmax or fail on large masks.

Elements that a Softmax should leave out are commonly set to -inf, or to the lowest f32, which becomes -inf
when it is rounded to bf16. Constants that are only read on the way to a Softmax are limited to a size that
stays finite, even where some are added up; the Softmax is 0 there all the same.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.weights import store_for
from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import TopPattern, read_instead, top_blocks
from autosplit.lowering.top.identities import defining_op

LARGEST = {"BF16": 2.0**124, "INT8": 2.0**20}
"""The largest size that stays, by mode.

Measured on the emulators of bm1684x and bm1688: -inf is right in F16 and F32, in BF16 all is NaN. Eight such
masks add up to what bf16 still holds. In INT8, TPU-MLIR 1.30.2 stops at sums with a mask of -1e9, and takes
-1e8.
"""

PASSING = frozenset(
    {
        *("Add", "AddConst", "Cast", "Concat", "LeakyRelu", "MaskedFill", "Mul", "MulConst"),
        *("Permute", "Reshape", "Slice", "Squeeze", "Sub", "SubConst", "Tile", "Unsqueeze"),
        "Where",
    }
)
"""Kinds that a mask passes through on its way to a Softmax."""


def masking_ops(block: Block) -> set[Operation]:
    """The ops of a block that are only read on the way to a Softmax."""
    masking: set[Operation] = set()
    for op in reversed(list(block.ops)):
        if isinstance(op, TopOp) and op.kind in PASSING and _only_masks(op, masking):
            masking.add(op)
    return masking


def _only_masks(op: TopOp, masking: set[Operation]) -> bool:
    users = [use.operation for result in op.results for use in result.uses]
    return bool(users) and all(_is_softmax(user) or user in masking for user in users)


def _is_softmax(op: Operation) -> bool:
    return isinstance(op, TopOp) and op.kind == "Softmax"


class _MaskPattern(TopPattern):
    """A pattern for the ops that are only read on the way to a Softmax."""

    def __init__(self, module: ModuleOp, masking: set[Operation], mode: str):
        super().__init__(module)
        self.masking = masking
        self.mode = mode
        self.largest = LARGEST[mode]

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        if op in self.masking:
            self.limit(op, rewriter)

    @abstractmethod
    def limit(self, op: TopOp, rewriter: PatternRewriter) -> None:
        """Limits the constants that the op masks with."""


class LimitNumbers(_MaskPattern):
    """`x + -inf` -> `x + -largest`, for each number that is an attribute."""

    NAMES = ("const_val", "x_const_val", "y_const_val")

    def limit(self, op: TopOp, rewriter: PatternRewriter) -> None:
        for name in self.NAMES:
            if name in op.attributes and abs(value := op.number(name)) > self.largest:
                op.set_attr(name, float(np.copysign(self.largest, value)))
                rewriter.notify_op_modified(op)


class LimitWeights(_MaskPattern):
    """`x + weight` -> `x + clip(weight, -largest, largest)`; other readers keep the weight as it is."""

    def limit(self, op: TopOp, rewriter: PatternRewriter) -> None:
        store = store_for(self.module)
        for index, value in enumerate(op.operands):
            weight = defining_op(value, "Weight")
            if weight is None:
                continue
            array = store.array(weight.names[0])
            if not np.any(np.abs(array) > self.largest):
                continue
            limited = np.clip(array, -self.largest, self.largest)
            self.read_array(op, index, "finite", limited, rewriter)


class LimitFills(_MaskPattern):
    """`2 - max(1 / x, 2)` -> `2 - min(max(1 / x, 2), largest)`: the -inf that a Where fills in, in BF16."""

    KINDS = ("SubConst",)

    def limit(self, op: TopOp, rewriter: PatternRewriter) -> None:
        value = op.operands[0]
        if self.mode != "BF16" or not _is_infinite(value):
            return
        names, attrs = [self.fresh(f"{op.names[0]}/finite")], {"const_val": self.largest}
        limited = make_op("MinConst", [value], [value.type], names, attrs)
        rewriter.insert(limited, InsertPoint.before(op))
        read_instead(op, 0, limited.results[0], rewriter)


def _is_infinite(value: SSAValue) -> bool:
    """Whether a value is the `max(1 / x, 2)` of a Where that fills in -inf."""
    capped = defining_op(value, "MaxConst")
    return capped is not None and defining_op(capped.inputs[0], "Reciprocal") is not None


@dataclass(frozen=True)
class TopFiniteMasksPass(ModulePass):
    """No constant that is only read on the way to a Softmax is larger than the mode can add up.

    In BF16, the Softmax of an infinity is NaN; in INT8, the tool chain fails on large masks.
    """

    name = "top-finite-masks"

    mode: str = "F32"
    """What the chip computes in; F16 and F32 take masks as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.mode not in LARGEST:
            return
        masking = set[Operation]().union(*map(masking_ops, top_blocks(op)))
        kinds = (LimitNumbers, LimitFills, LimitWeights)
        for kind in kinds:
            apply_patterns(op, [kind(op, masking, self.mode)], recursive=False)
