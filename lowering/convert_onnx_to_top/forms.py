"""Forms of ops with which some chips only have trouble, measured by `autosplit probe`.

A form is described here; the chips' tables say which chips have it, in which modes, and what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.rules import Query
from autosplit.lowering.fold import Constants
from autosplit.weights import store_for


@dataclass(frozen=True)
class Form:
    """Some of the ops of some types."""

    op_types: tuple[str, ...]
    text: str
    """What is special about them, behind the op type: `has groups`."""
    holds: Callable[[Query], bool] = lambda _q: True


def _computed_indices(q: Query) -> bool:
    return not q.is_constant(1)


def _three_axes(q: Query) -> bool:
    return len(q.shape(0) or ()) == 5


FORMS: Mapping[str, Form] = {
    "max-pool-3d": Form(("MaxPool",), "has windows of three axes", _three_axes),
    "computed-indices": Form(("Gather",), "has computed indices", _computed_indices),
}
"""By the name that tables have for them."""


def refused_form(q: Query) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form in every mode; None where it does not."""
    for name, evidence in q.chip.dynamic_forms.items():
        form = FORMS[name]
        if not q.dynamic and q.op.op_type in form.op_types and form.holds(q):
            return q.refuse(
                "dynamic-op",
                f"{form.text}, which needs a sub-model compiled with --dynamic ({evidence})",
            )
    return wrong_form(q, "F32")


def wrong_form(q: Query, mode: str) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form in one mode; None where it does not."""
    for name, evidence in q.chip.wrong_forms.get(mode, {}).items():
        form = FORMS[name]
        if q.op.op_type in form.op_types and form.holds(q):
            where = q.chip.vendor_name if mode == "F32" else f"{q.chip.vendor_name} in {mode}"
            return q.refuse("wrong-numbers", f"{form.text}, which {where} gets wrong ({evidence})")
    return None


def check_mode(module: ModuleOp, chip: Chip, mode: str) -> dict[Operation, ReasonAttr]:
    """The ops of a module in canonical form that a mode refuses beyond what F32 refuses, with the reasons."""
    from autosplit.lowering.convert_onnx_to_top import top_level_ops

    if mode == "F32":
        return {}
    constants = Constants(store_for(module))
    found = {
        op: wrong_form(Query(op, chip, constants, dynamic=False), mode)
        for op in top_level_ops(module)
    }
    return {op: reason for op, reason in found.items() if reason is not None}
