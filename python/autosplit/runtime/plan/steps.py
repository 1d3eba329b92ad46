"""The steps of a compiled plan that are not partitions: ONNX models, views, and copies of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl.moves import Move
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
        fixed = prod(n for n in self.shape if n >= 0)
        missing = prod(shape) // max(fixed, 1)
        sizes = tuple(n if n >= 0 else missing for n in self.shape)
        if prod(sizes) != prod(shape):
            raise AutosplitError(
                f"@{self.name}: a tensor of {list(shape)} cannot become one of {list(self.shape)}"
            )
        return sizes


@dataclass
class MoveStep:
    """An op between partitions that only moves bytes: its results are views of its operand, or copies."""

    index: int
    name: str
    rule: str
    """The type of the op."""
    move: Move
    inputs: list[int]
    outputs: list[int]
    viewed: bool
    """Whether the readers of its results take them where they lie, with any strides."""
    kind: str = "copy"
    compiles: int = 0


Step = PartitionStep | SegmentStep | ViewStep | MoveStep
