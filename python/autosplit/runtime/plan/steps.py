"""The steps of a compiled plan that are not partitions: ONNX models, and tensors seen with other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from autosplit.core.errors import AutosplitError
from autosplit.runtime.plan.partitions import PartitionStep
from autosplit.runtime.plan.segments import SegmentModel


@dataclass
class SegmentStep:
    """An ONNX model between partitions. Inputs and outputs: the model's names, and values."""

    index: int
    name: str
    model: SegmentModel
    inputs: list[tuple[str, int]]
    outputs: list[tuple[str, int]]
    kind: str = "segment"
    rule: str = ""
    compiles: int = 0


@dataclass
class ViewStep:
    """A segment that only gives a row-major tensor other sizes: it needs neither time nor memory."""

    index: int
    name: str
    source: int
    target: int
    shape: tuple[int, ...]
    """The sizes, of which one may be -1."""
    kind: str = "view"
    rule: str = ""
    compiles: int = 0

    def sized(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The sizes of the result for a source of this shape. Raises AutosplitError where they do not fit."""
        known = prod(n for n in self.shape if n >= 0)
        missing = prod(shape) // max(known, 1)
        found = tuple(n if n >= 0 else missing for n in self.shape)
        if prod(found) != prod(shape):
            raise AutosplitError(
                f"@{self.name}: a tensor of {list(shape)} cannot become one of {list(self.shape)}"
            )
        return found


Step = PartitionStep | SegmentStep | ViewStep
