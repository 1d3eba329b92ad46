"""Weights as the chips round them to 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.devices import LEVELS

BY_CHANNEL = frozenset({"Conv"})
"""Kinds whose weights have one step per channel, the first dimension."""

PRODUCTS = frozenset({*BY_CHANNEL, "MatMul"})
"""Kinds whose weights are rounded."""


def rounded_weights(
    array: NDArray[Any], ratio: float = 0.0, *, by_channel: bool
) -> NDArray[np.float32]:
    """Weights as 8 bits hold them. With a `ratio`, steps are that divided by powers of two; 0: any."""
    axes = tuple(range(1, array.ndim)) if by_channel else None
    largest = np.maximum(np.abs(array).max(axis=axes, keepdims=True), 1e-12)
    steps = largest / LEVELS
    if ratio:
        # The result, in its own steps, is a whole number shifted to the right.
        shifts = np.clip(np.floor(np.log2(ratio / steps)), 0, 31)
        steps = ratio / 2.0**shifts
    levels = np.clip(np.rint(array / steps), -LEVELS - 1, LEVELS)
    return (levels * steps).astype(np.float32)
