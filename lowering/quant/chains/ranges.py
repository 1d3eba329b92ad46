"""The ranges in which the results of some ops lie, whatever they read."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.quant import UniformType
from autosplit.lowering.quant.chains.stages import number_of
from autosplit.lowering.shared.fold import Constants

Interval = tuple[float, float]

EVERYTHING: Interval = (-math.inf, math.inf)

RANGES: dict[str, Interval] = {
    "Relu": (0.0, math.inf),
    "Sigmoid": (0.0, 1.0),
    "HardSigmoid": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
}
"""The ranges of the results of some ops."""


def is_written(uniform: UniformType) -> bool:
    """Whether a range ends where an activation does that the quantizer left out, such as a ReLU6.

    It is as wide as a number of two digits, which what is measured on data is not, or one end is that of a
    HardTanh or ReLU6, but for the rounding of the zero point.
    """
    (low, high), half = uniform.bounds[0], float(uniform.scales[0]) / 2
    width = high - low
    if abs(float(f"{width:.1e}") - width) <= 1e-6 * width:
        return True
    return abs(low + 1) <= half or min(abs(high - 1), abs(high - 6)) <= half


def range_of(op: object, constants: Constants) -> Interval:
    """The known range of an op's results; of a Clip by its bounds, where these are constant."""
    if not isinstance(op, OnnxOp) or op.domain != "":
        return EVERYTHING
    if op.op_type != "Clip":
        return RANGES.get(op.op_type, EVERYTHING)
    # Bounds are operands since opset 11, attributes before.
    operands = [*op.inputs, None, None][1:3]
    low = _bound(operands[0], float(attribute(op, "min", -math.inf)), constants)
    high = _bound(operands[1], float(attribute(op, "max", math.inf)), constants)
    return EVERYTHING if low is None or high is None else (low, high)


def _bound(value: SSAValue | None, otherwise: float, constants: Constants) -> float | None:
    """A bound of Clip; None if it is computed."""
    return otherwise if value is None else number_of(value, constants)
