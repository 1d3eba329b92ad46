"""What corrections need to know of each channel of a value: how large its numbers are, and their mean.

As with calibrators, nothing is kept of a sample, and what has seen some samples merges with what has seen
others: the results are the same, bit by bit, whoever has seen what in which order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

DIGITS = 4
"""Of a mean: what is left of it in a recipe."""

_BITS, _SHIFT = 24, 173
"""Of a float32: those of its fraction, and how far to shift so that all fractions are integers."""


@dataclass
class ChannelPeaks:
    """The least and the largest number of each channel, and 0."""

    REDUCED: ClassVar[tuple[str, ...]] = ("ReduceMin", "ReduceMax")
    """What a sample is reduced to, by ONNX ops."""

    lows: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    highs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def peaks(self) -> NDArray[np.float64]:
        """The largest magnitudes."""
        return np.maximum(-self.lows, self.highs)

    def add(self, low: Floats, high: Floats) -> None:
        """Sees the least and the largest number of each channel."""
        self._take(low.astype(np.float64), high.astype(np.float64))

    def merge(self, other: ChannelPeaks) -> None:
        """Has seen what another one has, too."""
        if other.lows.size:
            self._take(other.lows, other.highs)

    def _take(self, lows: NDArray[np.float64], highs: NDArray[np.float64]) -> None:
        self.lows = np.minimum(self.lows if self.lows.size else 0.0, lows)
        self.highs = np.maximum(self.highs if self.highs.size else 0.0, highs)


@dataclass
class ChannelMeans:
    """The mean of each channel, each sample counting the same.

    Sums are exact, of integers of any size, so that no order of samples rounds in another way.
    """

    REDUCED: ClassVar[tuple[str, ...]] = ("ReduceMean",)

    count: int = 0
    sums: NDArray[Any] = field(default_factory=lambda: np.zeros(0, object))
    """Python's integers: multiples of a number below the smallest float32."""

    def add(self, means: Floats) -> None:
        """Sees the means of one sample."""
        fractions, exponents = np.frexp(means.astype(np.float32))
        whole = np.ldexp(fractions, _BITS).astype(np.int64).astype(object)
        self._take(1, whole << (exponents + (_SHIFT - _BITS)).astype(object))

    def merge(self, other: ChannelMeans) -> None:
        """Has seen what another one has, too."""
        if other.count:
            self._take(other.count, other.sums)

    def _take(self, count: int, sums: NDArray[Any]) -> None:
        self.sums = self.sums + sums if self.count else sums
        self.count += count

    def means(self) -> list[float]:
        """The means, of `DIGITS` digits; none before the first sample."""
        unit = self.count << _SHIFT
        return [float(f"{total / unit:.{DIGITS}g}") for total in self.sums]
