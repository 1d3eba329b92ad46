"""Forms of ops with which some chips only have trouble, measured by `autosplit probe`.

A form is described here; the chips' tables say which chips have it, in which modes, and what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.rules import MOST_WEIGHTS, Query
from autosplit.lowering.convert_onnx_to_top.shapes import (
    MOST_SPANS,
    Shape,
    elements_gathered,
    points_gathered,
    reversed_rows,
    scatter_rounds,
    scattered,
    spans,
)
from autosplit.lowering.convert_onnx_to_top.varying import refused_varying
from autosplit.lowering.fold import AnyArray


@dataclass(frozen=True)
class Form:
    """Some of the ops of some types."""

    op_types: tuple[str, ...]
    text: str
    """What is special about them, behind the op type: `has groups`."""
    holds: Callable[[Query], bool] = lambda _q: True


def _many_runs(q: Query) -> bool:
    """Whether constant positions are so far apart that they become a Gather, not slices that are joined."""
    indices: AnyArray | None = q.array(1)
    shape = q.shape(0)
    if indices is None or shape is None or any(d < 0 for d in shape):
        return False
    return any(
        positions.size * count > MOST_WEIGHTS
        and len(spans([int(p) for p in positions.reshape(-1)])) > MOST_SPANS
        for positions, count in _taken(q, indices, shape)
    )


def _taken(q: Query, indices: AnyArray, shape: Shape) -> list[tuple[AnyArray, int]]:
    """The constant positions at which an op takes elements, and of how many it takes them."""
    axis, count = q.integer("axis", 0) % max(len(shape), 1), prod(shape)
    kind = q.op.op_type
    if kind == "Gather":
        return [(np.asarray(indices % shape[axis]), shape[axis])]
    if kind == "GatherElements":
        return [(elements_gathered(indices, shape, axis).reshape(-1), count)]
    if kind == "GatherND":
        rows, inner = points_gathered(indices, shape, q.integer("batch_dims", 0))
        return [(np.array(rows), count // inner)]
    if kind == "ReverseSequence":
        time_axis = q.integer("time_axis", 0)
        rows = reversed_rows(indices.reshape(-1).tolist(), shape[time_axis], time_axis == 0)
        return [(np.array(rows), len(rows))]
    given = prod(q.shape(2) or ())
    along = axis if kind == "ScatterElements" else None
    if q.text("reduction", "none") == "none":
        return [(scattered(indices, shape, along), count + given)]
    return [(places, count + given) for places in scatter_rounds(indices, shape, along)]


def _looked_up(q: Query) -> bool:
    """Whether computed positions are so many, in so long a table, that they become a Gather, no product."""
    if q.is_constant(1):
        return False
    shape, indices = q.shape(0) or (), q.shape(1) or ()
    if q.dynamic or any(d < 0 for d in (*shape, *indices)):
        return True
    axis = q.integer("axis", 0)
    if q.op.op_type == "Gather":
        return shape[axis] * prod(indices) > MOST_WEIGHTS
    if q.op.op_type == "GatherElements":
        return prod(shape) * prod(indices) > MOST_WEIGHTS
    counted = q.integer("batch_dims", 0) + sum(indices[-1:])
    return prod(shape[:counted]) * prod(indices[:-1]) > MOST_WEIGHTS


FORMS: Mapping[str, Form] = {
    "computed-indices": Form(
        ("Gather", "GatherElements", "GatherND"),
        f"has computed indices, that many that a product would have more than {MOST_WEIGHTS} weights",
        _looked_up,
    ),
    "log-softmax": Form(("LogSoftmax",), "takes the logarithm in one step with the rest"),
    "many-runs": Form(
        (
            *("Gather", "GatherElements", "GatherND", "ReverseSequence"),
            *("ScatterElements", "ScatterND"),
        ),
        f"takes elements from more than {MOST_SPANS} runs of positions, that many that a product would have "
        f"more than {MOST_WEIGHTS} weights",
        _many_runs,
    ),
}
"""By the name that tables have for them."""


def refused_form(q: Query) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form; None where it does not."""
    if (refusal := refused_varying(q)) is not None:
        return refusal
    for name, evidence in q.chip.dynamic_forms.items():
        form = FORMS[name]
        if not q.dynamic and q.op.op_type in form.op_types and form.holds(q):
            return q.refuse(
                "dynamic-op",
                f"{form.text}, which needs a sub-model compiled with --dynamic ({evidence})",
            )
    return wrong_form(q, "F32") or (None if q.mode == "F32" else _in_mode(q))


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


F16_LARGEST = 65504.0


def _in_mode(q: Query) -> ReasonAttr | None:
    """Why the op is refused in a mode narrower than F32."""
    limit, count = EXACT.get(q.mode), _positions(q)
    if limit is not None and count > limit:
        return q.refuse(
            "size",
            f"counts positions up to {count} on the chip, exact only up to {limit} in {q.mode}",
        )
    if q.mode == "F16" and q.op.op_type == "Pad" and (value := q.array(2)) is not None:
        largest = max((abs(float(v)) for v in value.reshape(-1)), default=0.0)
        if F16_LARGEST < largest < inf:
            return q.refuse("operand-value", f"fills with {largest:g}, which is infinite in F16")
    return wrong_form(q, q.mode)


def _positions(q: Query) -> int:
    """How many positions an op counts that are computed on the chip; 0 where none are."""
    kind, shape = q.op.op_type, q.shape(0) or ()
    if kind == "OneHot":
        return max(q.ints(1) or [0])
    gathers = kind in ("Gather", "GatherElements", "GatherND") and not q.is_constant(1)
    if gathers and kind != "Gather":
        return prod(shape)
    if kind not in ("ArgMax", "ArgMin", "Hardmax", "TopK") and not gathers:
        return 0
    axis = q.integer("axis", -1 if kind in ("Hardmax", "TopK") else 0)
    return shape[axis] if -len(shape) <= axis < len(shape) else 0
