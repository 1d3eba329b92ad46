"""A Softmax in 8 bits, along axis 1: what its 255 steps are enough for, and how rows are computed."""

from __future__ import annotations

from autosplit.lowering.convert_onnx_to_top.parts.query import Query

MOST_STEPS = 64
"""Of so many numbers that add up to 1 each has four of 255 steps, on average."""


def is_channel_softmax(q: Query) -> bool:
    """Whether a Softmax along axis 1 is of more numbers than 8 bits are enough for."""
    shape = q.shape(0) or ()
    if len(shape) < 2 or q.integer("axis", -1) % len(shape) != 1:
        return False
    return not 0 <= shape[1] <= MOST_STEPS


def as_rows(q: Query) -> bool:
    """Whether a Softmax of two dimensions, in 8 bits, is computed along the last of three."""
    if q.mode != "INT8" or "row-softmax" not in q.chip.workarounds or is_channel_softmax(q):
        return False
    return len(q.shape(0) or ()) == 2 and q.integer("axis", -1) in (1, -1)
