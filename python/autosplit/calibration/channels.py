"""What corrections need to know of each channel of a value: how large its numbers are, and their mean.

As with calibrators, nothing is kept of a sample, and what has seen some samples merges with what has seen
others: the results are the same, bit by bit, whoever has seen what in which order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from autosplit.calibration.calibrators import BUCKETED, KnownNumbers, MinMax, RangeFinder

Floats = NDArray[np.floating[Any]]

DIGITS = 4
"""The digits of a mean that a recipe keeps."""

_BITS, _SHIFT = 24, 173
"""The bits of a float32's fraction, and how far to shift so that all fractions are integers."""


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
        """Takes in what another one has seen."""
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
        """Takes in what another one has seen."""
        if other.count:
            self._take(other.count, other.sums)

    def _take(self, count: int, sums: NDArray[Any]) -> None:
        self.sums = self.sums + sums if self.count else sums
        self.count += count

    def means(self) -> list[float]:
        """The means, of `DIGITS` digits; none before the first sample."""
        unit = self.count << _SHIFT
        return [float(f"{total / unit:.{DIGITS}g}") for total in self.sums]


OCTAVES, STEPS = 56, 8
"""What a channel's counts tell apart: so many powers of two, from `LEAST` on, in so many steps each."""

LEAST = -24
"""The exponent of the numbers below which all count as 0."""

BINS = OCTAVES * STEPS

_STEP_BITS = 20
"""How far to shift a float32 so that its exponent and the upper bits of its fraction are left."""


def _middles() -> NDArray[np.float64]:
    """The numbers that bins stand for, those that are not negative first."""
    steps = np.arange(BINS)
    numbers = np.ldexp(1 + (steps % STEPS + 0.5) / STEPS, steps // STEPS + LEAST)
    numbers[0] = 0.0
    return np.concatenate([numbers, -numbers])


@dataclass
class ChannelCounts:
    """What a calibrator sees of a value, and how many numbers of each channel have which size.

    Bins are parts of powers of two, so that scaling a channel by one moves its counts: the range of all
    channels, scaled, is known without seeing the numbers again.
    """

    axis: int
    whole: RangeFinder
    peaks: ChannelPeaks = field(default_factory=ChannelPeaks)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2 * BINS), np.int64))

    def add(self, array: NDArray[np.float32]) -> None:
        """Sees numbers, all of them finite."""
        self.whole.add(array)
        rows = np.ascontiguousarray(np.moveaxis(array, self.axis, 0), np.float32)
        rows = rows.reshape(rows.shape[0], -1)
        if not rows.size:
            return
        self.peaks.add(rows.min(axis=1), rows.max(axis=1))
        bits = rows.view(np.uint32)
        steps = ((bits >> _STEP_BITS) & (256 * STEPS - 1)).astype(np.int64) - (127 + LEAST) * STEPS
        np.clip(steps, 0, BINS - 1, out=steps)
        steps += (bits >> 31).astype(np.int64) * BINS
        steps += np.arange(rows.shape[0])[:, np.newaxis] * (2 * BINS)
        counts = np.bincount(steps.reshape(-1), minlength=rows.shape[0] * 2 * BINS)
        self._take(counts.reshape(-1, 2 * BINS))

    def merge(self, other: Self) -> None:
        """Takes in what another one has seen."""
        self.whole.merge(other.whole)
        self.peaks.merge(other.peaks)
        if other.counts.size:
            self._take(other.counts)

    def _take(self, counts: NDArray[np.int64]) -> None:
        self.counts = self.counts + counts if self.counts.size else counts

    def range(self) -> tuple[float, float]:
        """The range of the channels as they were seen."""
        return self.whole.range()

    def scaled(self, exponents: Sequence[int]) -> RangeFinder:
        """What the calibrator would be had it seen the channels multiplied by powers of two.

        One that averages over samples becomes `MinMax`: the averages of channels are not known.
        """
        scales = np.ldexp(1.0, np.array(exponents))
        low = float(np.min(self.peaks.lows * scales, initial=0.0))
        high = float(np.max(self.peaks.highs * scales, initial=0.0))
        if not isinstance(self.whole, BUCKETED):
            return MinMax(low, high)
        rows, bins = np.nonzero(self.counts)
        numbers = np.clip(_middles()[bins] * scales[rows], low, high)
        buckets = KnownNumbers.of(numbers, self.counts[rows, bins], MinMax(low, high))
        return replace(self.whole, buckets=buckets)
