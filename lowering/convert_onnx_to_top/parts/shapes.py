"""Arithmetic on shapes, and on the constant operands of ops that move data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from autosplit.lowering.shared.fold import AnyArray, slice_end

Shape = tuple[int, ...]

MOST_BROADCAST_DIMS = 4
"""So many dimensions chips broadcast in; with more, BM1684X was measured to compute wrong numbers."""

MOST_PERMUTED_DIMS = 6
"""So many dimensions chips permute; with seven, BM1684's compiler was measured to stop."""


def broadcast_groups(a: Shape, b: Shape) -> list[tuple[bool, bool]]:
    """How two shapes broadcast: for each run of dimensions that do alike, whether a and b have 1 there."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    groups: list[tuple[bool, bool]] = []
    for m, n in zip(a, b, strict=True):
        if (m, n) == (1, 1):
            continue
        if not groups or groups[-1] != (m == 1, n == 1):
            groups.append((m == 1, n == 1))
    return groups


def moving_groups(order: Sequence[int], shape: Shape) -> list[int]:
    """The first dimensions of what a permutation moves as one, without those of size 1."""
    moved_axes = [i for i in order if shape[i] != 1]
    wide = sorted(moved_axes)
    return [
        axis
        for i, axis in enumerate(moved_axes)
        if i == 0 or wide.index(axis) != wide.index(moved_axes[i - 1]) + 1
    ]


@dataclass(frozen=True)
class Cut:
    """What a Slice takes along one axis: `count` elements from `start` on."""

    axis: int
    start: int
    step: int
    count: int

    def forwards(self) -> Cut:
        """The same elements in their own order."""
        if self.step > 0:
            return self
        return Cut(self.axis, self.start + (self.count - 1) * self.step, -self.step, self.count)

    def is_whole(self, shape: Shape) -> bool:
        """Whether everything is taken."""
        return abs(self.step) == 1 and self.count == shape[self.axis]


def cuts(
    shape: Shape,
    starts: list[int] | None,
    ends: list[int] | None,
    axes: list[int] | None,
    steps: list[int] | None,
) -> list[Cut]:
    """The constant operands of a Slice, by axis."""
    starts, ends = starts or [], ends or []
    result: list[Cut] = []
    for i, (start, stop) in enumerate(zip(starts, ends, strict=True)):
        axis = axes[i] % len(shape) if axes else i
        step = steps[i] if steps else 1
        if step < 0:
            # ONNX begins with the first element where Python begins before it.
            start, stop = max(start, -shape[axis]), slice_end(stop, step)
        span = range(*slice(start, stop, step).indices(shape[axis]))
        result.append(Cut(axis, span.start, step, len(span)))
    return sorted(result, key=lambda cut: cut.axis)


MOST_SPANS = 8
"""As many slices are cut and joined in place of a Gather, which makes BM1684's bmodels dynamic ones."""


def spans(positions: Sequence[int]) -> list[tuple[int, int, int]]:
    """Positions as start, step (1 or more) and count of runs, each as long as it can be."""
    runs: list[tuple[int, int, int]] = []
    for position in positions:
        if not runs:
            runs.append((position, 1, 1))
            continue
        start, step, count = runs[-1]
        gap = position - (start + (count - 1) * step)
        if gap >= 1 and (count == 1 or gap == step):
            runs[-1] = (start, gap, count + 1)
        else:
            runs.append((position, 1, 1))
    return runs


def elements_gathered(indices: AnyArray, shape: Shape, axis: int) -> AnyArray:
    """Where the results of a GatherElements stand in the flat tensor."""
    grid = list(np.indices(indices.shape))
    grid[axis] = indices % shape[axis]
    return np.asarray(np.ravel_multi_index(tuple(grid), shape))


def points_gathered(indices: AnyArray, shape: Shape, batch_dims: int) -> tuple[list[int], int]:
    """The rows that a GatherND takes of a tensor of rows, and how long a row is."""
    depth = indices.shape[-1]
    counted = shape[: batch_dims + depth]
    batches = np.indices(indices.shape[:-1])[:batch_dims]
    points = [*batches, *np.moveaxis(indices, -1, 0)]
    wrapped = [p % d for p, d in zip(points, counted, strict=True)]
    rows = np.ravel_multi_index(tuple(wrapped), counted)
    return [int(r) for r in np.asarray(rows).reshape(-1)], prod(shape[len(counted) :])


def scattered(indices: AnyArray, shape: Shape, axis: int | None) -> AnyArray:
    """Where each element comes from when updates, which stand behind the flat tensor, are put into it.

    `axis`: that of a ScatterElements; None for a ScatterND.
    """
    count = prod(shape)
    sources = np.arange(count)
    if axis is not None:
        target = elements_gathered(indices, shape, axis % len(shape)).reshape(-1)
    else:
        rows, inner = points_gathered(indices, shape, 0)
        target = (np.array(rows, np.int64)[:, None] * inner + np.arange(inner)).reshape(-1)
    sources[target] = count + np.arange(target.size)
    return sources


def scatter_rounds(indices: AnyArray, shape: Shape, axis: int | None) -> list[AnyArray]:
    """As `scattered`, for updates that are joined: in each round an element gets one of them at most."""
    count = prod(shape)
    if axis is not None:
        target = elements_gathered(indices, shape, axis % len(shape)).reshape(-1)
    else:
        rows, inner = points_gathered(indices, shape, 0)
        target = (np.array(rows, np.int64)[:, None] * inner + np.arange(inner)).reshape(-1)
    order = np.argsort(target, kind="stable")
    ranked = target[order]
    starts = np.searchsorted(ranked, ranked)
    nth = np.empty(target.size, np.int64)
    nth[order] = np.arange(target.size) - starts
    rounds: list[AnyArray] = []
    for i in range(int(nth.max(initial=-1)) + 1):
        updates = np.flatnonzero(nth == i)
        sources = np.arange(count)
        sources[target[updates]] = count + updates
        rounds.append(sources)
    return rounds


def reversed_rows(lengths: Sequence[int], steps: int, time_first: bool) -> list[int]:
    """Where the rows of a ReverseSequence come from, of sequences side by side or behind each other."""
    step, which = np.indices((steps, len(lengths)))
    ends = np.array(lengths)[which]
    source = np.where(step < ends, ends - 1 - step, step)
    rows = source * len(lengths) + which if time_first else (which * steps + source).T
    return [int(r) for r in rows.reshape(-1)]


def axis_runs(axes: Sequence[int]) -> list[list[int]]:
    """Sorted axes, those that follow each other together."""
    runs: list[list[int]] = []
    for axis in axes:
        if runs and runs[-1][-1] + 1 == axis:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return runs
