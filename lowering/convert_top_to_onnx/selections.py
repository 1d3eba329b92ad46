"""Ways back of what picks, orders, counts or reduces elements."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import TensorType, f32, i64

from autosplit.lowering.convert_top_to_onnx.base import Back, returns


@returns("Gather")
def gather(b: Back) -> None:
    axis = b.op.integer("axis") % len(b.shape())
    indices = b.positions(1)
    shape = (*b.shape()[:axis], *b.shape(1), *b.shape()[axis + 1 :])
    if len(shape) == len(b.result_shape()):
        b.finish("Gather", [b.x(0), indices], {"axis": axis})
        return
    # One position, whose dimension goes.
    scalar = b.emit(
        "Reshape", [indices, b.ints([], "scalar")], suffix="position", type=TensorType(i64, [])
    )
    b.finish("Gather", [b.x(0), scalar], {"axis": axis})


@returns("GatherElements")
def gather_elements(b: Back) -> None:
    b.finish("GatherElements", [b.x(0), b.positions(1)], {"axis": b.op.integer("axis")})


@returns("GatherND")
def gather_nd(b: Back) -> None:
    b.finish("GatherND", [b.x(0), b.positions(1)], {"batch_dims": b.op.integer("batch_dims")})


REDUCTIONS = ("none", "add", "mul", "max", "min")


def _reduction(b: Back) -> str:
    number = b.op.integer("reduction")
    if not 0 <= number < len(REDUCTIONS):
        raise b.refusal(f"has reduction = {number}, expected 0 to {len(REDUCTIONS) - 1}")
    return REDUCTIONS[number]


@returns("ScatterElements")
def scatter_elements(b: Back) -> None:
    fields = {"axis": b.op.integer("axis"), "reduction": _reduction(b)}
    b.finish("ScatterElements", [b.x(0), b.positions(1), b.x(2)], fields)


@returns("ScatterND")
def scatter_nd(b: Back) -> None:
    b.finish("ScatterND", [b.x(0), b.positions(1), b.x(2)], {"reduction": _reduction(b)})


@returns("TopK")
def top_k(b: Back) -> None:
    """The largest or smallest elements, and where they are."""
    count = b.op.integer("K")
    if count < 0:
        raise b.refusal("computes how many elements it takes, which has no way back")
    fields = {
        "axis": b.op.integer("axis"),
        "largest": int(b.op.flag("largest")),
        "sorted": int(b.op.flag("sorted")),
    }
    _ranked(b, count, fields)


@returns("Sort")
def sort(b: Back) -> None:
    axis = b.op.integer("axis")
    fields = {"axis": axis, "largest": int(b.op.flag("descending")), "sorted": 1}
    _ranked(b, b.shape()[axis], fields)


def _ranked(b: Back, count: int, fields: Mapping[str, object]) -> None:
    values, positions = b.ranked([b.x(0), b.ints([count], "count")], fields)
    if b.has_result(0):
        b.finish("Identity", [values], result=0)
    if b.has_result(1):
        b.finish_as_float(positions, result=1)


@returns("Arg")
def arg(b: Back) -> None:
    """Positions of the largest or smallest elements, and those elements."""
    axis, mode = b.op.integer("axis"), b.op.text("mode")
    keep = int(b.op.flag("keepdims"))
    fields = {
        "axis": axis,
        "keepdims": keep,
        "select_last_index": int(b.op.flag("select_last_index")),
    }
    if b.has_result(0):
        type = TensorType(i64, b.result_shape(0))
        b.finish_as_float(b.emit(mode, [b.x()], fields, "positions", type), result=0)
    if b.has_result(1):
        reduce = "ReduceMax" if mode == "ArgMax" else "ReduceMin"
        b.finish(reduce, [b.x(), b.ints([axis], "axis")], {"keepdims": keep}, result=1)


@returns("Reduce")
def reduce(b: Back) -> None:
    axes = b.ints(b.op.ints("axes"), "axes")
    keep = {"keepdims": int(b.op.flag("keepdims"))}
    if not b.op.flag("keepdims") and len(b.op.ints("axes")) == len(b.shape()):
        # Top has no scalars: they are lists of one element.
        b.finish_reshaped(
            b.emit(b.op.text("mode"), [b.x(), axes], keep, "scalar", TensorType(f32, []))
        )
        return
    b.finish(b.op.text("mode"), [b.x(), axes], keep)


@returns("CumSum")
def cum_sum(b: Back) -> None:
    axis = b.constant("axis", np.array(b.op.integer("axis"), np.int64))
    b.finish("CumSum", [b.x(), axis])


@returns("Trilu")
def trilu(b: Back) -> None:
    diagonal = b.constant("diagonal", np.array(b.op.integer("diagonal"), np.int64))
    b.finish("Trilu", [b.x(), diagonal], {"upper": b.op.integer("upper")})


@returns("Reverse")
def reverse(b: Back) -> None:
    axis = b.op.integer("axis")
    bounds = {"starts": -1, "ends": -(2**62), "axes": axis, "steps": -1}
    b.finish("Slice", [b.x(), *(b.ints([v], k) for k, v in bounds.items())])
