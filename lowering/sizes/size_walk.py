"""One walk over a graph that learns sizes op by op, from the rules of its framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

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
    """One pass over a graph: `learn` is called with each op, producers before readers."""

    def learn(self, op: PlatformOp) -> bool:
        """Notes what follows for the results of an op. True if a type became better."""
        if self.dead and not op.op_type.endswith("Merge") and self._is_dead(op):
            return False
        shape_rules, element_rules, note_rules = _rules(op.name.partition(".")[0])
        changed = False
        if (note := note_rules.get(op.op_type)) is not None:
            note(self, op)
        rule = shape_rules.get(op.op_type)
        if rule is not None and any(static_shape(r.type) is None for r in op.results):
            for result, shape in zip(op.results, _apply_rule(rule, self, op), strict=False):
                changed |= shape is not None and self._set_shape(result, shape)
        rule = element_rules.get(op.op_type)
        if rule is not None and any(is_small(r.type) for r in op.results):
            for result, array in zip(op.results, _apply_rule(rule, self, op), strict=False):
                changed |= array is not None and self._set_elements(result, array)
        return changed

    def enter(self, op: OnnxOp) -> bool:
        """Notes what follows for the inputs of an op's bodies. True if a type became better."""
        from autosplit.lowering.sizes.onnx_loop_rules import ENTERS

        if op.domain != "" or (rule := ENTERS.get(op.op_type)) is None:
            return False
        self._has_improved = False
        _apply_rule(rule, self, op)
        return self._has_improved

    def _is_dead(self, op: PlatformOp) -> bool:
        if self.dead.isdisjoint(op.operands):
            return False
        self.dead.update(op.results)
        return True


def _apply_rule(rule: Callable[..., Any], sizes: KnownSizes, op: PlatformOp) -> Any:
    """The result of a rule; empty if the operands do not fit each other, which the framework has to say."""
    try:
        return rule(sizes, op)
    except (ValueError, IndexError, TypeError, ArithmeticError):
        return ()


_Rules: TypeAlias = tuple[
    Mapping[str, ShapeRule], Mapping[str, ElementRule], Mapping[str, NoteRule]
]

_FILES = {
    "caffe": ("caffe_rules",),
    "mx": ("mx_rules",),
    "onnx": ("onnx_loop_rules", "onnx_rules"),
    "tf": ("tf_ops", "tf_rules"),
}
"""The modules that have the rules of each dialect; if two have a rule, the last one counts."""


@cache
def _rules(dialect: str) -> _Rules:
    names = _FILES.get(dialect, ())
    modules = [import_module(f"autosplit.lowering.sizes.{name}") for name in names]
    shapes = {op: rule for module in modules for op, rule in module.SHAPES.items()}
    elements: dict[str, ElementRule] = {}
    notes: dict[str, NoteRule] = {}
    for module in modules:
        elements |= getattr(module, "ELEMENTS", {})
        notes |= getattr(module, "NOTES", {})
    return shapes, elements, notes
