"""Ops that are computed in f32 in a sub-model of a narrower mode, as its numbers are too coarse for them.

`lowering/top/f32_values.py` says what becomes of their names.
"""

from __future__ import annotations

from math import prod

from autosplit.core.units import counted
from autosplit.lowering.convert_onnx_to_top.forms import FORMS
from autosplit.lowering.convert_onnx_to_top.integers import has_integers
from autosplit.lowering.convert_onnx_to_top.parts.query import Query
from autosplit.lowering.convert_onnx_to_top.varying import f32_varying

EXACT = {"F16": 1 << 11, "BF16": 1 << 8}
"""Integers up to this one are exact in a mode; in INT8, positions were measured to stay exact."""

SUMS = frozenset(
    {
        *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean"),
        *("ReduceSum", "ReduceSumSquare"),
    }
)
POOLS = frozenset({"AveragePool", "GlobalAveragePool", "GlobalLpPool", "LpPool"})

MOST_ADDED = {"F16": 1 << 9, "BF16": 1 << 7}
"""So many numbers a mode adds one by one without being off by more than it is anyway.

Measured on BM1684X and BM1688, of positive numbers: in F16, 1,024 are off by 5e-3, 8,192 by 3e-2 and 16,384
by 5e-1; in BF16, 256 by 1e-2, 1,024 by 6e-2 and 8,192 by 9e-1. In INT8 they reduce in F16.
"""

MOST_AVERAGED = {"F16": 1 << 24, "BF16": 1 << 12}
"""As above for averages over the last axes, which the chips add in other ways: in BF16, 4,096 are off by 5e-3
and 40,000 by 2e-1."""


def f32_reason(q: Query) -> str | None:
    """Why an op is computed in f32 in a narrower mode, to stand behind the op type; None if it is not."""
    if q.mode == "F32":
        return None
    if (limit := EXACT.get(q.mode)) is not None and (count := _positions(q)) > limit:
        return f"counts positions up to {count}, exact only up to {limit} in {q.mode}"
    if has_integers(q):
        return f"has integers, which {q.mode} does not hold"
    if q.op.op_type == "RoiAlign":
        return f"computes where its samples are, too coarsely in {q.mode}"
    if (count := _added(q)) > 0:
        return f"adds {counted(count, 'number')}, too many for {q.mode}"
    for name, evidence in q.chip.f32_forms.get(q.mode, {}).items():
        if name == q.op.op_type:
            return f"would be wrong in {q.mode} ({evidence})"
        form = FORMS.get(name)
        if form is not None and q.op.op_type in form.op_types and form.holds(q):
            return f"{form.text}, which would be wrong in {q.mode} ({evidence})"
    return f32_varying(q)


def _added(q: Query) -> int:
    """How many numbers an op adds that are too many for the mode; 0 where they are not."""
    shape, kind = q.shape(0), q.op.op_type
    mode = "F16" if q.mode == "INT8" and "F16" in q.chip.modes else q.mode
    if shape is None or mode not in MOST_ADDED:
        return 0
    limit = MOST_AVERAGED[mode]
    if kind in POOLS:
        sizes = q.integers("kernel_shape") or shape[2:]
    elif kind == "LpNormalization":
        sizes, limit = [shape[q.integer("axis", -1)]], MOST_ADDED[mode]
    elif kind in SUMS:
        listed = q.ints(1)
        if not listed and q.integer("noop_with_empty_axes", 0):
            return 0
        axes = sorted(axis % len(shape) for axis in listed or range(len(shape)))
        if kind != "ReduceMean" or axes != list(range(len(shape)))[-len(axes) :]:
            limit = MOST_ADDED[mode]
        sizes = [shape[axis] for axis in axes]
    else:
        return 0
    count = prod(max(size, 1) for size in sizes)
    return count if count > limit else 0


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
