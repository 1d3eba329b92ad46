"""Weights as the chips round them to 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.devices import LEVELS

BY_CHANNEL = frozenset({"Conv"})
"""Kinds whose weights have steps by channel, the first dimension."""

PRODUCTS = frozenset({*BY_CHANNEL, "MatMul"})
"""Kinds whose weights are rounded."""


def rounded_weights(
    array: NDArray[Any], ratio: float = 0.0, *, by_channel: bool
) -> NDArray[np.float32]:
    """What 8 bits leave of weights. `ratio`: their steps are that, divided by powers of two; 0: any."""
    axes = tuple(range(1, array.ndim)) if by_channel else None
    most = np.maximum(np.abs(array).max(axis=axes, keepdims=True), 1e-12)
    steps = most / LEVELS
    if ratio:
        # The result in steps of its own is a whole number that was shifted to the right.
        shifts = np.clip(np.floor(np.log2(ratio / steps)), 0, 31)
        steps = ratio / 2.0**shifts
    whole = np.clip(np.rint(array / steps), -LEVELS - 1, LEVELS)
    return (whole * steps).astype(np.float32)
