"""Weights as the chips round them to 8 bits."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.devices import LEVELS

BY_CHANNEL = frozenset({"Conv", "Deconv"})
"""Kinds whose weights have one step per channel, the first dimension."""

PRODUCTS = frozenset({*BY_CHANNEL, "MatMul"})
"""Kinds whose weights are rounded."""

LONGEST = 31
"""The longest shift."""

OVERFLOW = 0.03
"""The share of a product's biases that may be cut off at 16 bits."""

WIDE = 2**15 - 1
"""The largest number of 16 bits."""


def rounded_weights(array: NDArray[Any], *, by_channel: bool) -> NDArray[np.float32]:
    """Weights as 8 bits hold them, in steps of any size."""
    axes = tuple(range(1, array.ndim)) if by_channel else None
    largest = np.maximum(np.abs(array).max(axis=axes, keepdims=True), 1e-12)
    steps = largest / LEVELS
    levels = np.clip(np.rint(array / steps), -LEVELS - 1, LEVELS)
    return (levels * steps).astype(np.float32)


@dataclass(frozen=True)
class ShiftedProduct:
    """A product's weights and bias where its sums are only shifted, as real numbers."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    shift: int
    """By how many bits the sums are shifted to the right."""


def shifted_product(
    weights: NDArray[Any], bias: NDArray[Any] | None, inner: float, outer: float, kind: str
) -> ShiftedProduct | None:
    """What BM1684 makes of a product: its result, in its own steps, is a whole number shifted to the right.

    So all of its weights have one step, `outer / inner` divided by a power of two, and biases are 16 bits in
    steps of `outer` divided by it; so many of them are cut off that they decide about the shift. `inner` and
    `outer`: the steps of what is read and made. None for one that no shift fits, which is in real numbers.
    The numbers are those of TPU-MLIR 1.30.2, whose rules are in its `Conversion/TopToTpu/BM1684`.
    """
    largest = float(np.abs(weights).max(initial=0.0)) * inner / outer
    shift = _shift_of(largest)
    if shift < 0 and kind != "MatMul":
        return None
    shift = max(shift, 0)
    step = outer / 2.0**shift
    if bias is not None:
        while shift and np.mean(np.abs(_nearest(bias / step)) > WIDE) > OVERFLOW:
            shift, step = shift - 1, step * 2
        bias = (np.clip(_nearest(bias / step), -WIDE - 1, WIDE) * step).astype(np.float32)
    scale = np.float32(inner / step)
    levels = np.clip(_nearest(weights * scale), -LEVELS - 1, LEVELS)
    return ShiftedProduct((levels * (step / inner)).astype(np.float32), bias, shift)


def _shift_of(largest: float) -> int:
    """The longest shift with which the largest weight is less than the largest number of 8 bits."""
    if not largest:
        return 0
    mantissa, exponent = frexp(LEVELS / largest)
    longest = exponent - 2 if mantissa == 0.5 else exponent - 1
    return min(longest, LONGEST)


def _nearest(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers; halves go away from 0."""
    return np.trunc(array + np.copysign(0.5, array))
