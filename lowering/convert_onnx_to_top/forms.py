"""Forms of ops with which some chips only have trouble, measured by `autosplit probe`.

A form is described here; the chips' tables say which chips have it, in which modes, and what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx_base import OnnxOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.convert_onnx_to_top.rules import Query
from autosplit.lowering.convert_onnx_to_top.shapes import (
    MOST_SPANS,
    elements_gathered,
    points_gathered,
    scattered,
    spans,
)
from autosplit.lowering.fold import AnyArray, Constants
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


def _many_runs(q: Query) -> bool:
    """Whether constant positions are so far apart that they become a Gather, not slices that are joined."""
    indices: AnyArray | None = q.array(1)
    shape = q.shape(0)
    if indices is None or shape is None or any(d < 0 for d in shape):
        return False
    axis = q.integer("axis", 0) % max(len(shape), 1)
    positions: AnyArray
    if q.op.op_type == "Gather":
        positions = np.asarray(indices % shape[axis])
    elif q.op.op_type == "GatherElements":
        positions = elements_gathered(indices, shape, axis)
    elif q.op.op_type == "GatherND":
        positions = np.array(points_gathered(indices, shape, q.integer("batch_dims", 0))[0])
    else:
        positions = scattered(indices, shape, axis if q.op.op_type == "ScatterElements" else None)
    return len(spans([int(p) for p in positions.reshape(-1)])) > MOST_SPANS


def _equal_terms(q: Query) -> bool:
    """Whether an Einsum is a product element by element that is then summed along its last axes."""
    terms, _, result = q.text("equation", "").replace(" ", "").partition("->")
    first, *others = terms.split(",")
    computed = not q.is_constant(0) and not q.is_constant(1) and len(first) > 2
    return (
        computed and bool(others) and all(t == first for t in others) and len(result) < len(first)
    )


FORMS: Mapping[str, Form] = {
    "computed-indices": Form(("Gather",), "has computed indices", _computed_indices),
    "many-runs": Form(
        ("Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"),
        f"takes elements from more than {MOST_SPANS} runs of positions",
        _many_runs,
    ),
    "equal-terms": Form(("Einsum",), "sums products of equal subscripts", _equal_terms),
    "three-axes": Form(
        ("AveragePool",), "pools along three axes", lambda q: len(q.shape(0) or ()) == 5
    ),
}
"""By the name that tables have for them."""


JOINED = frozenset({"BatchNormalization", "Relu"})
"""Ops that are right for sizes that vary only where they become part of a convolution."""


def _varies(q: Query) -> ReasonAttr | None:
    """Why an op whose sizes vary is refused on chips that have been shown right for some ops only."""
    known = q.chip.varying_ops
    values = [*q.op.operands, *q.op.results]
    if not q.dynamic or not known or all(-1 not in (shape_of(v.type) or ()) for v in values):
        return None
    if q.op.op_type not in known:
        text = f"is not shown to be right on {q.chip.vendor_name} for sizes that vary"
        return q.refuse("dynamic-shape", text)
    if q.op.op_type in JOINED and not _follows_conv(q.op):
        text = f"follows no Conv, and {q.chip.vendor_name} has no kernel of its own for sizes that vary"
        return q.refuse("dynamic-shape", text)
    if q.op.op_type == "MatMul" and not q.is_constant(1):
        text = (
            f"multiplies two computed operands, wrong on {q.chip.vendor_name} for sizes that vary"
        )
        return q.refuse("dynamic-shape", text)
    return None


def _follows_conv(op: OnnxOp) -> bool:
    before = op.operands[0].owner
    if not isinstance(before, OnnxOp):
        return False
    return before.op_type == "Conv" or (before.op_type in JOINED and _follows_conv(before))


def refused_form(q: Query) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form in every mode; None where it does not."""
    if (refusal := _varies(q)) is not None:
        return refusal
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


EXACT = {"F16": 1 << 11, "BF16": 1 << 8}
"""Integers up to this one are exact in a mode; in INT8, positions were measured to stay exact."""


def _in_mode(q: Query, mode: str) -> ReasonAttr | None:
    limit, count = EXACT.get(mode), _positions(q)
    if limit is None or count <= limit:
        return wrong_form(q, mode)
    return q.refuse(
        "size", f"counts positions up to {count} on the chip, exact only up to {limit} in {mode}"
    )


def _positions(q: Query) -> int:
    """How many positions an op counts that are computed on the chip; 0 where none are."""
    kind, shape = q.op.op_type, q.shape(0) or ()
    if kind == "OneHot":
        return max(q.ints(1) or [0])
    if kind not in ("ArgMax", "ArgMin", "TopK") and not (kind == "Gather" and not q.is_constant(1)):
        return 0
    axis = q.integer("axis", -1 if kind == "TopK" else 0)
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def check_mode(module: ModuleOp, chip: Chip, mode: str) -> dict[Operation, ReasonAttr]:
    """The ops of a module in canonical form that a mode refuses beyond what F32 refuses, with the reasons."""
    from autosplit.lowering.convert_onnx_to_top import top_level_ops

    if mode == "F32":
        return {}
    constants = Constants(store_for(module))
    found = {
        op: _in_mode(Query(op, chip, constants, dynamic=False), mode)
        for op in top_level_ops(module)
    }
    return {op: reason for op, reason in found.items() if reason is not None}
