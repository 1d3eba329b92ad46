"""One walk over a graph that learns sizes op by op, from the rules of its framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    PlatformOp,
    static_shape,
)
from autosplit.lowering.sizes.known_sizes import (
    ElementRule,
    KnownSizes,
    NoteRule,
    ShapeRule,
    is_small,
)


class SizeWalk(KnownSizes):
    """One pass over a graph: `learn` is called with each op, makers before readers."""

    def learn(self, op: PlatformOp) -> bool:
        """Notes what follows for the results of an op. True where a type became better."""
        if self.dead and not op.op_type.endswith("Merge") and self._is_dead(op):
            return False
        shape_rules, element_rules, note_rules = _rules(isinstance(op, OnnxOp))
        changed = False
        if (note := note_rules.get(op.op_type)) is not None:
            note(self, op)
        rule = shape_rules.get(op.op_type)
        if rule is not None and any(static_shape(r.type) is None for r in op.results):
            for result, shape in zip(op.results, _asked(rule, self, op), strict=False):
                changed |= shape is not None and self._set_shape(result, shape)
        rule = element_rules.get(op.op_type)
        if rule is not None and any(is_small(r.type) for r in op.results):
            for result, array in zip(op.results, _asked(rule, self, op), strict=False):
                changed |= array is not None and self._set_elements(result, array)
        return changed

    def enter(self, op: OnnxOp) -> bool:
        """Notes what follows for the inputs of an op's bodies. True where a type became better."""
        from autosplit.lowering.sizes.onnx_loop_rules import ENTERS

        if op.domain != "" or (rule := ENTERS.get(op.op_type)) is None:
            return False
        self._told = False
        _asked(rule, self, op)
        return self._told

    def _is_dead(self, op: PlatformOp) -> bool:
        if self.dead.isdisjoint(op.operands):
            return False
        self.dead.update(op.results)
        return True


def _asked(rule: Callable[..., Any], sizes: KnownSizes, op: PlatformOp) -> Any:
    """What a rule says; nothing where the operands do not fit each other, which the framework shall say."""
    try:
        return rule(sizes, op)
    except (ValueError, IndexError, TypeError, ArithmeticError):
        return ()


@cache
def _rules(
    onnx: bool,
) -> tuple[Mapping[str, ShapeRule], Mapping[str, ElementRule], Mapping[str, NoteRule]]:
    if onnx:
        from autosplit.lowering.sizes import onnx_rules as rules
        from autosplit.lowering.sizes.onnx_loop_rules import SHAPES

    else:
        from autosplit.lowering.sizes import tf_rules as rules
        from autosplit.lowering.sizes.tf_ops import SHAPES
    return {**SHAPES, **rules.SHAPES}, rules.ELEMENTS, rules.NOTES
