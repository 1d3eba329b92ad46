"""What a sub-model in INT8, or an op of it, is computed in where it needs real numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autosplit.calibration.overflow import MOST
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx import top_function

if TYPE_CHECKING:
    from autosplit.calibration.calibrate import Tables
    from autosplit.devices import Chip


def other_ways(chip: Chip) -> str:
    """What a message advises where no op of a sub-model in INT8 helps with real numbers."""
    return f"try {'F16' if 'F16' in chip.modes else 'F32'}, or another --calibrator"


def real_mode(tables: Tables, name: str, chip: Chip) -> str:
    """F16 where the chip has it and all that an op reads and makes fits; else F32."""
    if "F16" not in chip.modes:
        return "F32"
    op = next(
        op
        for op in top_function(tables.module).body.block.ops
        if isinstance(op, TopOp) and name in op.names
    )
    around = [op, *(value.owner for value in op.inputs)]
    names = [n for o in around if isinstance(o, TopOp) for n in o.names]
    largest = max((tables.ranges[n].threshold for n in names if n in tables.ranges), default=0.0)
    return "F16" if largest <= MOST else "F32"
