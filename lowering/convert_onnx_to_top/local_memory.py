"""Recurrences keep their weights in the chip's local memory, which the tool chain does not check.

What does not fit ends the emulator or computes something else: on BM1688 an LSTM of 512 numbers has a cosine
of 0.94. The limits are in the chips' tables, the counting is here.
"""

from __future__ import annotations

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.parts.query import Query

GATES = {"GRU": 3, "LSTM": 4}
"""How many rows of weights a recurrence has for each number of its state."""

NUMBER = 4
"""Bytes of a number: recurrences were measured to be f32 in every mode, but for LSTMs in BF16."""

STATES = 5
"""So many times as long as the gates' results together is what an LSTM holds of each sequence, at most."""


def too_large(q: Query) -> ReasonAttr | None:
    """Why a recurrence does not fit into the chip's lanes; None if it does, and for other ops."""
    op_type = q.op.op_type
    if op_type not in GATES or (op_type == "LSTM" and q.mode == "BF16"):
        return None
    most = q.chip.limit(f"{op_type.lower()}-lane")
    needed = lane_bytes(q)
    if most is None or needed <= most:
        return None
    other = "; in BF16 it is right" if op_type == "LSTM" and "BF16" in q.chip.modes else ""
    return q.refuse(
        "size",
        f"keeps {counted(needed, 'byte')} in each lane of {q.chip.vendor_name}, needs up to {most} "
        f"({q.chip.limits[f'{op_type.lower()}-lane'].source}){other}",
    )


def lane_bytes(q: Query) -> int:
    """What one direction of a recurrence keeps in each lane of the chip: weights, and an LSTM its sequences.

    Rows of weights, one for each number of the state and of the operand, are dealt out to the lanes.
    """
    lanes, gates = q.chip.lanes, GATES[q.op.op_type]
    hidden = max((q.shape(2) or (0,))[-1], 1)
    width = max((q.shape(1) or (0,))[-1], 1)
    batch = max((q.shape(0) or (1, 1))[1], 1)
    copies = 1
    if q.op.op_type == "GRU":
        copies, batch = q.chip.limit("gru-copies") or 1, 0
    rows = -(-hidden // lanes) + copies * -(-width // lanes)
    sequences = -(-batch * (STATES * gates * hidden + width) // lanes)
    return NUMBER * (rows * gates * hidden + sequences)
