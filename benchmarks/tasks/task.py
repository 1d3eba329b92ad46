"""What a task is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Feeds = Mapping[str, Array]
Outputs = Mapping[str, Array]

Run = Callable[[str, Feeds], Outputs]
"""Runs one of the task's networks, by its name."""


@dataclass(frozen=True)
class Count:
    """How much of what is wanted has been found."""

    same: int
    wanted: int
    found: int

    def __add__(self, other: Count) -> Count:
        return Count(self.same + other.same, self.wanted + other.wanted, self.found + other.found)

    def to_json(self) -> list[int]:
        return [self.same, self.wanted, self.found]


class Task(Protocol):
    """Networks, samples for them, and what is found in a sample."""

    name: str
    """What is found, in one word."""
    networks: Mapping[str, str]
    """By name, the file as `autosplit.testing.models` knows it."""
    fixed: bool
    """Whether all inputs have one size."""

    def calibration(self) -> Sequence[Any]:
        """Samples to quantize with."""
        ...

    def held_out(self) -> Sequence[Any]:
        """Samples to measure with: none of what the others show."""
        ...

    def solve(self, sample: Any, run: Run) -> Any:
        """What is found in a sample."""
        ...

    def same(self, found: Any, wanted: Any) -> Count:
        """How much of two findings is the same."""
        ...

    def truth(self, sample: Any) -> Any | None:
        """What there is to be found, where that is known."""
        ...


def planes(image: Array, mean: Any, deviation: Any) -> Array:
    """Pixels as one float32 picture, channels first."""
    scaled = (image.astype(np.float32) - np.float32(mean)) / np.float32(deviation)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[np.newaxis], np.float32)
