"""Which range of numbers 8 bits should cover: calibrators, which see the numbers once and keep none.

What a calibrator keeps does not grow with the samples, and two that have seen different samples merge into
one that has seen both: the results are the same, bit by bit, whoever has seen what in which order. Only a
moving average goes by the order of the samples.

    calibrator = CALIBRATORS["percentile"]()
    for array in arrays:
        calibrator.add(array)
    low, high = calibrator.range()
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
F64 = NDArray[np.float64]

LEVELS = 255
"""Steps between the least and the largest number of 8 bits."""


class RangeFinder(Protocol):
    """What sees the numbers of one value."""

    def add(self, array: Floats) -> None:
        """Sees numbers, all of them finite."""
        ...

    def merge(self, other: Self) -> None:
        """Takes in what another one has seen."""
        ...

    def range(self) -> tuple[float, float]:
        """The least and the largest number that 8 bits should represent; both 0 if no number was seen."""
        ...


@dataclass
class MinMax:
    """From the least to the largest number."""

    low: float = np.inf
    high: float = -np.inf

    def add(self, array: Floats) -> None:
        if array.size:
            self.low, self.high = (
                min(self.low, float(array.min())),
                max(self.high, float(array.max())),
            )

    def merge(self, other: Self) -> None:
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def range(self) -> tuple[float, float]:
        return (self.low, self.high) if self.low <= self.high else (0.0, 0.0)


SHARE = 0.01
"""The share of the latest sample in a moving average."""

CHUNK = 8
"""Samples that are averaged before they join the others: the results are the same where parts of the samples
are whole chunks."""


@dataclass
class Average:
    """A moving average of ends, that begins with the first ones."""

    first: F64
    last: F64
    count: int = 1

    def follow(self, other: Average) -> None:
        """Appends what another one has seen, which began with its own first ends instead of these."""
        self.last = other.last + (1.0 - SHARE) ** other.count * (self.last - other.first)
        self.count += other.count


@dataclass
class MovingAverage:
    """From the least to the largest number, averaged over the samples; later ones weigh more.

    The only calibrator that depends on the order of the samples. What a call of `add` sees is one sample.
    """

    whole: Average | None = None
    """The average of whole chunks."""
    part: Average | None = None

    def add(self, array: Floats) -> None:
        if not array.size:
            return
        ends = np.array([array.min(), array.max()], np.float64)
        one = Average(ends, ends)
        if self.part is None:
            self.part = one
        else:
            self.part.follow(one)
        if self.part.count == CHUNK:
            self.whole, self.part = _joined(self.whole, self.part), None

    def merge(self, other: Self) -> None:
        """Appends the other's samples; the same bytes as in one go where these are whole chunks."""
        self.whole = _joined(_joined(self.whole, self.part), other.whole)
        self.part = other.part

    def range(self) -> tuple[float, float]:
        average = _joined(self.whole, self.part)
        return (0.0, 0.0) if average is None else (float(average.last[0]), float(average.last[1]))


def _joined(before: Average | None, behind: Average | None) -> Average | None:
    if before is None or behind is None:
        return before or behind
    average = Average(before.first, before.last, before.count)
    average.follow(behind)
    return average


BUCKETS = 1 << 16

SAMPLED = 1 << 16
"""So many numbers of an array show how all of them are spread."""

UPPER = 1 if sys.byteorder == "little" else 0
"""Which of the two halves of a float32 has the sign and the exponent."""


def _edges() -> F64:
    """The numbers where the buckets begin: those of bfloat16, in the order of their bits."""
    bits = np.arange(BUCKETS, dtype=np.uint32) << 16
    with np.errstate(invalid="ignore"):
        return bits.view(np.float32).astype(np.float64)


def _stride(size: int) -> int:
    """How far apart the numbers are that are looked at: no row or channel has them all at one place."""
    stride = max(size // SAMPLED, 1)
    while gcd(stride, size) > 1:
        stride += 1
    return stride


@dataclass
class Buckets:
    """How many numbers have the same upper 16 bits as float32: within 1 % of each other.

    Buckets that are there before any number is seen need no range, so that counts of different samples add
    up exactly.
    """

    every: bool = True
    """Whether all numbers of a large array are looked at, or one of several."""
    indices: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    extent: MinMax = field(default_factory=MinMax)

    def add(self, array: Floats) -> None:
        self.extent.add(array)
        halves = np.ascontiguousarray(array, np.float32).reshape(-1).view(np.uint16)
        stride = 1 if self.every else _stride(array.size)
        # No longer than the last one that is used: numbers that are not negative fill the first half.
        self._take(np.bincount(halves[UPPER :: 2 * stride]) * stride)

    def merge(self, other: Self) -> None:
        self.extent.merge(other.extent)
        counts = np.zeros(BUCKETS, np.int64)
        counts[other.indices] = other.counts
        self._take(counts)

    def _take(self, counts: NDArray[np.int64]) -> None:
        if self.indices.size and self.indices[-1] >= counts.size:
            counts = np.pad(counts, (0, int(self.indices[-1]) + 1 - counts.size))
        counts[self.indices] += self.counts
        used = np.flatnonzero(counts)
        self.indices, self.counts = used.astype(np.uint16), counts[used]

    def sorted(self) -> tuple[F64, NDArray[np.int64]]:
        """The middles of the buckets that hold numbers, ascending, and how many they hold."""
        ends = _edges()[self.indices]
        # The next number away from 0; the last bucket has none.
        next_bits = (self.indices.astype(np.uint32) + 1) << 16
        others = next_bits.view(np.float32).astype(np.float64)
        middles = np.where(np.isfinite(others), (ends + others) / 2, ends)
        middles = np.clip(middles, *self.extent.range()) if middles.size else middles
        order = np.argsort(middles, kind="stable")
        return middles[order], self.counts[order]


@dataclass
class KnownNumbers(Buckets):
    """Numbers that need no buckets any more: few, with the count of each."""

    numbers: F64 = field(default_factory=lambda: np.zeros(0))

    @staticmethod
    def of(numbers: F64, counts: NDArray[np.int64], extent: MinMax) -> KnownNumbers:
        order = np.argsort(numbers, kind="stable")
        return KnownNumbers(counts=counts[order], extent=extent, numbers=numbers[order])

    def sorted(self) -> tuple[F64, NDArray[np.int64]]:
        return self.numbers, self.counts


@dataclass
class Percentile:
    """The range without the most extreme numbers on either side."""

    share: float = 1e-5
    """The share of the numbers that is left out on each side."""
    buckets: Buckets = field(default_factory=Buckets)

    def add(self, array: Floats) -> None:
        self.buckets.add(array)

    def merge(self, other: Self) -> None:
        self.buckets.merge(other.buckets)

    def range(self) -> tuple[float, float]:
        numbers, counts = self.buckets.sorted()
        if not numbers.size:
            return 0.0, 0.0
        first, last = _within(counts, self.share)
        low, high = self.buckets.extent.range()
        return (low if first == 0 else float(numbers[first])), (
            high if last >= numbers.size - 1 else float(numbers[last])
        )


def _within(counts: NDArray[np.int64], share: float) -> tuple[int, int]:
    """The first and the last of ascending numbers that are kept without a share of them on each side."""
    upto = np.cumsum(counts)
    cut = share * float(upto[-1])
    first = int(np.searchsorted(upto, cut, side="right"))
    return first, int(np.searchsorted(upto, float(upto[-1]) - cut, side="left"))


TRIES = 64
"""How many limits a search tries on each side."""

SATURATED = 0.01
"""The share of the numbers that a search saturates on each side at most.

Rounding errors have both signs, and products add them up to little. Where many numbers lie close together at
an end, as at the least result of a SiLU, saturating moves all of them to one side, and that adds up.
"""


@dataclass
class Histogram:
    """The range in which the squares of the errors, of rounding and of saturating, add up to the least.

    Both sides are searched in turns, as the observer of the same name of PyTorch does.
    """

    symmetric: bool = False
    """Whether 8 bits reach as far below 0 as above, where there are numbers below."""
    buckets: Buckets = field(default_factory=lambda: Buckets(every=False))

    def add(self, array: Floats) -> None:
        self.buckets.add(array)

    def merge(self, other: Self) -> None:
        self.buckets.merge(other.buckets)

    def range(self) -> tuple[float, float]:
        low, high = self.buckets.extent.range()
        numbers, counts = self.buckets.sorted()
        if low >= high:
            return low, high
        losses = _Losses(numbers, counts)
        low, high = min(low, 0.0), max(high, 0.0)
        shares = np.arange(TRIES, 0, -1) / TRIES
        least, largest = (float(numbers[i]) for i in _within(counts, SATURATED))
        if self.symmetric and low < 0:
            limits = _from(max(-low, high) * shares, max(-least, largest))
            limit = float(limits[np.argmin(losses.between(-limits, limits))])
            return max(low, -limit), min(high, limit)
        highs, lows = _from(high * shares, largest), -_from(-low * shares, -least)
        for _ in range(2):
            high = float(highs[np.argmin(losses.between(low, highs))])
            low = float(lows[np.argmin(losses.between(lows, high))])
        return low, high


def _from(limits: F64, least: float) -> F64:
    """Those of descending limits that are not below one; the first one always."""
    return limits[: max(1, int((limits >= least).sum()))]


class _Losses:
    """What 8 bits between two limits lose of numbers, as squares; numbers that are 0 lose nothing.

    `numbers` ascend. Sums up to each number tell what lies beyond a limit.
    """

    def __init__(self, numbers: F64, counts: NDArray[np.int64]):
        self.numbers = numbers
        weights = counts.astype(np.float64)
        self.sums = [
            np.concatenate([[0.0], np.cumsum(weights * power)])
            for power in (np.ones_like(numbers), numbers, numbers * numbers)
        ]
        used = np.where(numbers != 0, weights, 0.0)
        self.rounded = np.concatenate([[0.0], np.cumsum(used)])

    def between(self, low: F64 | float, high: F64 | float) -> F64:
        """The squares of all errors, for each pair of limits."""
        first = np.searchsorted(self.numbers, low, side="left")
        last = np.searchsorted(self.numbers, high, side="right")
        step = (np.asarray(high) - low) / LEVELS
        rounding = (self.rounded[last] - self.rounded[first]) * step * step / 12
        below = [s[first] for s in self.sums]
        above = [s[-1] - s[last] for s in self.sums]
        return rounding + _squares(below, low) + _squares(above, high)


def _squares(sums: list[F64], limit: F64 | float) -> F64:
    """The squares of how far numbers are from a limit, by their count, sum and sum of squares."""
    count, total, squares = sums
    return np.maximum(squares - 2 * limit * total + limit * limit * count, 0.0)


BINS = 2048
"""The bins of the histogram whose information is compared."""


@dataclass
class Entropy:
    """The range, of one magnitude on both sides, in which 8 bits tell the most of the numbers' distribution.

    The limit with the smallest divergence (Kullback-Leibler) between the distribution, saturated there, and
    what 128 steps leave of it.
    """

    buckets: Buckets = field(default_factory=Buckets)

    def add(self, array: Floats) -> None:
        self.buckets.add(array)

    def merge(self, other: Self) -> None:
        self.buckets.merge(other.buckets)

    def range(self) -> tuple[float, float]:
        low, high = self.buckets.extent.range()
        largest = max(abs(low), abs(high))
        if largest == 0:
            return low, high
        numbers, counts = self.buckets.sorted()
        bins = np.minimum((np.abs(numbers) / largest * BINS).astype(np.int64), BINS - 1)
        weights = np.where(numbers == 0, 0, counts)
        histogram = np.bincount(bins, weights=weights, minlength=BINS).astype(np.float64)
        steps = range(128, BINS + 1, 16)
        best = min(reversed(steps), key=lambda n: _divergence(histogram, n))
        limit = largest * best / BINS
        return max(low, -limit), min(high, limit)


def _divergence(histogram: F64, count: int) -> float:
    """How much of a histogram is lost where the first `count` bins become 128 steps."""
    inside = histogram[:count].copy()
    inside[-1] += histogram[count:].sum()
    groups = np.arange(count) * 128 // count
    used = (histogram[:count] > 0).astype(np.float64)
    sums = np.bincount(groups, weights=histogram[:count], minlength=128)
    kept = np.bincount(groups, weights=used, minlength=128)
    rough = np.where(used > 0, (sums / np.maximum(kept, 1))[groups], 0.0)
    p, q = inside / max(inside.sum(), 1e-300), rough / max(rough.sum(), 1e-300)
    both = (p > 0) & (q > 0)
    lost = float(p[(p > 0) & (q == 0)].sum())
    return float(np.sum(p[both] * np.log(p[both] / q[both]))) + 20.0 * lost


BUCKETED = (Entropy, Histogram, Percentile)
"""The calibrators that count how many numbers have which size."""

CALIBRATORS: Mapping[str, Callable[[], RangeFinder]] = {
    "entropy": Entropy,
    "histogram": Histogram,
    "minmax": MinMax,
    "moving-average": MovingAverage,
    "percentile": Percentile,
}
"""By the name that `--calibrator` takes."""

DEFAULT_CALIBRATOR = "histogram"
