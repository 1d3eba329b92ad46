"""Forms of ops with which some chips only have trouble, measured by `autosplit probe`.

A form is described here; the chips' tables say which chips have it, in which modes, and what was measured:
whether it is refused, or computed in f32 in a narrower mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.local_memory import too_large
from autosplit.lowering.convert_onnx_to_top.parts.query import MOST_WEIGHTS, Query
from autosplit.lowering.convert_onnx_to_top.parts.rows import MOST_STEPS, is_channel_softmax
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
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
from autosplit.lowering.shared.fold import AnyArray


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
    updates = prod(q.shape(2) or ())
    along = axis if kind == "ScatterElements" else None
    if q.text("reduction", "none") == "none":
        return [(scattered(indices, shape, along), count + updates)]
    return [(places, count + updates) for places in scatter_rounds(indices, shape, along)]


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


MOST_CLASSES = {"LogSoftmax": 24_000, "Softmax": 1 << 15}
"""So many numbers were measured to be right on BM1688; 32,768 and 47,000 were not."""


def _is_long(q: Query) -> bool:
    shape, axis = q.shape(0) or (), q.integer("axis", -1)
    return -len(shape) <= axis < len(shape) and shape[axis] > MOST_CLASSES[q.op.op_type]


def _is_steep(q: Query) -> bool:
    slopes = q.array(1)
    return slopes is not None and slopes.size > 1 and bool(np.abs(slopes).max() > 1)


def _reflects_halves(q: Query) -> bool:
    """Whether places that are reflected and rounded are reflected at halves.

    Reflected at whole numbers, a half stays as near to the same even number.
    """
    how = (q.text("mode", "linear"), q.text("padding_mode", "zeros"))
    return how == ("nearest", "reflection") and not q.integer("align_corners", 0)


def _is_broadcast(q: Query) -> bool:
    """Whether two computed operands have shapes that differ by more than one number for each channel."""
    if q.is_constant(0) or q.is_constant(1):
        return False
    shapes = [q.shape(0) or (), q.shape(1) or ()]
    rank = max(len(s) for s in shapes)
    ranked = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    if ranked[0] == ranked[1]:
        return False
    plain = [rank > 1 and s[0] == 1 and set(s[2:]) <= {1} for s in ranked]
    return not any(plain)


def _leaves_pads_out(q: Query) -> bool:
    has_pads = any(q.integers("pads") or ()) or q.text("auto_pad", "NOTSET").startswith("SAME")
    return has_pads and not q.integer("count_include_pad", 0)


def _is_odd_slice(q: Query) -> bool:
    return len(q.shape(0) or ()) > 4 or min(q.ints(4) or [1]) < 0


FORMS: Mapping[str, Form] = {
    "backwards": Form(
        ("GRU", "LSTM"),
        "goes backwards",
        lambda q: q.text("direction", "forward") != "forward",
    ),
    "broadcast": Form(
        ("Add", "Div", "Mul", "Sub", "Sum"),
        "has computed operands of shapes that differ by more than one number for each channel",
        _is_broadcast,
    ),
    "channel-softmax": Form(
        ("Softmax",), f"has more than {MOST_STEPS} numbers along axis 1", is_channel_softmax
    ),
    "computed-indices": Form(
        ("Gather", "GatherElements", "GatherND"),
        f"has so many computed indices that a product would need more than {MOST_WEIGHTS} weights",
        _looked_up,
    ),
    "computed-places": Form(
        ("Gather", "GatherElements", "GatherND"),
        "has computed indices",
        lambda q: not q.is_constant(1),
    ),
    "dilated-pool": Form(
        ("MaxPool",), "has dilations", lambda q: max(q.integers("dilations") or [1]) > 1
    ),
    "long-softmax": Form(
        tuple(MOST_CLASSES),
        f"has more than {MOST_CLASSES['Softmax']} numbers along its axis, or, for a logarithm, more than "
        f"{MOST_CLASSES['LogSoftmax']}",
        _is_long,
    ),
    "many-runs": Form(
        (
            *("Gather", "GatherElements", "GatherND", "ReverseSequence"),
            *("ScatterElements", "ScatterND"),
        ),
        f"takes elements from more than {MOST_SPANS} runs of positions, and so many that a product would "
        f"need more than {MOST_WEIGHTS} weights",
        _many_runs,
    ),
    "nearest-reflection": Form(
        ("GridSample",),
        "takes the nearest element, reflects positions and has align_corners = 0, where ONNX Runtime "
        "rounds halves before reflecting",
        _reflects_halves,
    ),
    "odd-slice": Form(
        ("Slice",), "has more than four dimensions or a step backwards", _is_odd_slice
    ),
    "padded-average": Form(("AveragePool",), "has pads that are not counted", _leaves_pads_out),
    "steep-slopes": Form(("PRelu",), "has slopes beyond 1 or -1", _is_steep),
}
"""By the name that tables have for them."""


def refused_form(q: Query) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form; None if it does not."""
    if (refusal := refused_varying(q)) is not None:
        return refusal
    for name, evidence in q.chip.dynamic_forms.items():
        form = FORMS[name]
        if not q.dynamic and q.op.op_type in form.op_types and form.holds(q):
            return q.refuse(
                "dynamic-op",
                f"{form.text}, which needs a sub-model compiled with --dynamic ({evidence})",
            )
    refusal = too_large(q) or _too_many_places(q) or wrong_form(q, "F32")
    return refusal or (None if q.mode == "F32" else _in_mode(q))


def wrong_form(q: Query, mode: str) -> ReasonAttr | None:
    """Why the chip's table refuses the op's form in one mode; None if it does not."""
    for name, evidence in q.chip.wrong_forms.get(mode, {}).items():
        form = FORMS[name]
        if q.op.op_type in form.op_types and form.holds(q):
            where = q.chip.vendor_name if mode == "F32" else f"{q.chip.vendor_name} in {mode}"
            return q.refuse("wrong-numbers", f"{form.text}, which {where} gets wrong ({evidence})")
    return None


F16_LARGEST = 65504.0


def _in_mode(q: Query) -> ReasonAttr | None:
    """Why the op is refused in a mode narrower than F32."""
    if q.op.op_type == "Pad" and (value := q.array(2)) is not None:
        largest = max((abs(float(v)) for v in value.reshape(-1)), default=0.0)
        if q.mode == "F16" and F16_LARGEST < largest < inf:
            return q.refuse("operand-value", f"fills with {largest:g}, which is infinite in F16")
        if q.mode == "INT8" and largest > F16_LARGEST:
            return q.refuse(
                "operand-value", f"fills with {largest:g}, beside which 8 bits hold nothing else"
            )
    return _slow_row(q) or wrong_form(q, q.mode)


SEARCHES = ("ArgMax", "ArgMin", "Hardmax", "TopK")
"""The ops that look for the places of maxima and minima on the chip."""


def _too_many_places(q: Query) -> ReasonAttr | None:
    most, shape = q.chip.limit("found-places"), q.shape(0)
    if most is None or not shape or q.op.op_type not in SEARCHES:
        return None
    axis = q.integer("axis", 0 if q.op.op_type.startswith("Arg") else -1)
    if not -len(shape) <= axis < len(shape):
        return None
    count = prod(max(d, 1) for d in shape) // max(shape[axis], 1)
    if count <= most:
        return None
    source = q.chip.limits["found-places"].source
    return q.refuse("size", f"looks for {counted(count, 'place')}, needs up to {most} ({source})")


def _slow_row(q: Query) -> ReasonAttr | None:
    most = q.chip.limit("int8-row")
    if most is None or q.mode != "INT8" or q.op.op_type not in ("Flatten", "Reshape"):
        return None
    row = (q.result_shape() or (0,))[-1]
    if row <= most:
        return None
    return q.refuse(
        "size",
        f"makes a row of {counted(row, 'number')}, needs up to {most} to be compiled in minutes",
    )
