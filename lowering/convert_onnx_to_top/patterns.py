"""The patterns of `convert-onnx-to-top`: one for each type of op that has a conversion, and one for others.

The ops of Top go into a function of their own, and the ONNX ops stay: what comes behind an op asks what it
was, its types and constants.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import GIVE_WEIGHTS
from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import location_names, value_name
from autosplit.lowering.convert_onnx_to_top.check import check
from autosplit.lowering.convert_onnx_to_top.families import CONVERSIONS
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, Rewrite, Target
from autosplit.lowering.convert_onnx_to_top.parts.query import Query
from autosplit.lowering.convert_onnx_to_top.precision import f32_reason
from autosplit.lowering.rewriting import Pattern, why


@dataclass
class ChipAnswers:
    """What the chip computes in and for which sizes, and what it refused so far."""

    chip: Chip
    dynamic: bool
    mode: str
    uncertain: Container[SSAValue]
    checked: bool
    """Whether it is known that nothing is refused."""
    refused: dict[Operation, ReasonAttr] = field(default_factory=dict[Operation, ReasonAttr])
    missing: list[SSAValue] = field(default_factory=list[SSAValue])
    """Weights that no file has."""

    def refuses(self, op: OnnxOp, target: Target) -> bool:
        """Whether the chip refuses an op; `--debug-match` says why."""
        if self.checked:
            return False
        reason = check(op, self.chip, target.constants, self.dynamic, self.uncertain, self.mode)
        if reason is None:
            return False
        self.refused[op] = reason
        why(op, reason.text.data)
        return True

    def raise_refusal(self) -> None:
        """Raises AutosplitError if an op was refused, naming the first, or a weight is missing."""
        if self.refused:
            op, reason = next(iter(self.refused.items()))
            raise AutosplitError(
                f"{counted(len(self.refused), 'op')} cannot run on {self.chip.vendor_name}; the first is "
                f"{', '.join(location_names(op.location))!r}: {reason.text.data}"
            )
        if self.missing:
            raise AutosplitError(
                f"the weight {value_name(self.missing[0])!r} is missing: {GIVE_WEIGHTS}"
            )


class ToTop(Pattern[OnnxOp]):
    """An op of one type `->` ops of Top that compute the same, by the conversion of that type."""

    def __init__(self, op_type: str, conversion: Rewrite, target: Target, answers: ChipAnswers):
        self.op_type = op_type
        self.conversion = conversion
        self.target = target
        self.answers = answers

    @property
    def label(self) -> str:
        return f"ToTop({self.op_type})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and op.op_type == self.op_type

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        target, answers = self.target, self.answers
        if answers.refuses(op, target):
            return
        if answers.refused or answers.missing:
            why(op, "another op is not converted, so that none need be")
            return
        if missing := [v for v in op.operands if target.constants.is_missing(v)]:
            answers.missing += missing
            why(op, lambda: f"the weight {value_name(missing[0])!r} is missing")
            return
        q = Query(op, answers.chip, target.constants, answers.dynamic, answers.mode)
        target.builder = rewriter
        target.in_f32 = f32_reason(q) is not None
        converted = self.conversion(Conversion(q, target))
        target.in_f32 = False
        values = [converted] if isinstance(converted, SSAValue) else list(converted)
        target.values.update(zip(op.results, values, strict=False))


class NoConversion(Pattern[OnnxOp]):
    """An op of a type that has no conversion stays, and says why; one that the check takes is our mistake."""

    def __init__(self, target: Target, answers: ChipAnswers):
        self.target = target
        self.answers = answers

    def takes(self, op: Operation) -> bool:
        if not isinstance(op, OnnxOp) or isinstance(op, InitializerOp | GraphOp | ReturnOp):
            return False
        return op.op_type not in CONVERSIONS

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if not self.answers.refuses(op, self.target) and op.op_type != "Constant":
            raise KeyError(op.op_type)


def to_top_patterns(target: Target, answers: ChipAnswers) -> list[Pattern[OnnxOp]]:
    """All of them."""
    rows = (ToTop(t, conversion, target, answers) for t, conversion in CONVERSIONS.items())
    return [*rows, NoConversion(target, answers)]
