"""Boxes: rows of left, top, right and bottom edge; behind them a score, where there is one."""

from __future__ import annotations

import numpy as np

from tasks.task import Array, Count


def overlaps(one: Array, others: Array) -> Array:
    """The share that a box has in common with each of the others, of what both cover."""
    low, high = np.maximum(one[:2], others[:, :2]), np.minimum(one[2:4], others[:, 2:4])
    common = np.prod(np.clip(high - low, 0, None), axis=1)
    area = np.prod(one[2:4] - one[:2])
    return common / np.maximum(
        area + np.prod(others[:, 2:4] - others[:, :2], axis=1) - common, 1e-9
    )


def best(boxes: Array, most: float) -> list[int]:
    """The indices of the boxes that overlap none with a better score by more than `most`."""
    left = list(np.argsort(-boxes[:, 4], kind="stable"))
    kept: list[int] = []
    while left:
        kept.append(int(left[0]))
        rest = np.array(left[1:], int)
        left = list(rest[overlaps(boxes[left[0]], boxes[rest]) <= most]) if rest.size else []
    return kept


def matched(found: Array, wanted: Array, least: float = 0.5) -> Count:
    """The boxes that are the same: each of `wanted` has at most one, which overlaps it by half."""
    left = list(range(len(found)))
    same = 0
    for box in wanted:
        if not left:
            break
        common = overlaps(box, found[left])
        if common.max() >= least:
            del left[int(np.argmax(common))]
            same += 1
    return Count(same, len(wanted), len(found))
