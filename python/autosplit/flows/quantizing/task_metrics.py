"""Metrics of a model's task, for `--metric`: the class, the text, or the boxes that its outputs say.

top1            the share of rows whose largest number is at the same place
text:LOGITS     the share of rows that read the same text: the largest of each step, repetitions once
boxes:DETECTED  the overlap of the boxes, of both as centre, size and a score a class, as YOLO has them
boxes:BOXES,SCORES  of boxes given by their corners, with a score or one a class
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted

Array = NDArray[Any]
Outputs = Mapping[str, Array]
Function = Callable[[Sequence[Outputs], Sequence[Outputs]], float]

BLANK = 0
"""The class of a text's steps that stands for no letter."""

SHOWN = 0.25
"""From this score on a box counts."""

OVERLAP = 0.5
"""Boxes of one class that overlap more are the same."""

KINDS: Mapping[str, float] = {"boxes": 0.8, "text": 1.0, "top1": 1.0}
"""The metrics, and what they must reach by default."""


def is_kind(text: str) -> bool:
    """Whether `--metric` names one of these, with or without outputs."""
    return text.partition(":")[0] in KINDS


def task_metric(text: str) -> Function:
    """The function that `KIND` or `KIND:OUTPUT,...` names."""
    kind, _, named = text.partition(":")
    names = [name for name in named.split(",") if name]
    if kind == "boxes":
        if len(names) not in (1, 2):
            raise AutosplitError(
                f"metric {text!r}: expected boxes:OUTPUT or boxes:BOXES,SCORES, by the outputs' names"
            )
        return partial(_boxes_score, names=names)
    if len(names) > 1:
        raise AutosplitError(f"metric {text!r}: expected {kind} or {kind}:OUTPUT")
    same = _same_text if kind == "text" else _same_class
    return partial(_share_of_rows, name=names[0] if names else "", same=same)


def _share_of_rows(
    outputs: Sequence[Outputs],
    exact: Sequence[Outputs],
    *,
    name: str,
    same: Callable[[Array, Array], Array],
) -> float:
    shares = [
        same(_output(results, name), _output(one, name))
        for results, one in zip(outputs, exact, strict=True)
    ]
    return float(np.concatenate(shares).mean())


def _output(outputs: Outputs, name: str) -> Array:
    """The output of that name, or the first one."""
    if not name:
        return next(iter(outputs.values()))
    if name not in outputs:
        raise AutosplitError(f"--metric: there is no output {name!r}{choice(name, list(outputs))}")
    return outputs[name]


def _same_class(scores: Array, exact: Array) -> Array:
    width = scores.shape[-1] if scores.ndim else 1
    return np.argmax(scores.reshape(-1, width), -1) == np.argmax(exact.reshape(-1, width), -1)


def _same_text(scores: Array, exact: Array) -> Array:
    if scores.ndim < 2:
        raise AutosplitError(
            f"--metric text: the output has {counted(scores.ndim, 'dimension')}, expected steps and classes"
        )
    steps = scores.shape[-2:]
    pairs = zip(scores.reshape(-1, *steps), exact.reshape(-1, *steps), strict=True)
    return np.array([_text(a) == _text(b) for a, b in pairs])


def _text(steps: Array) -> list[int]:
    """The classes of a text: the largest of each step, each repetition once, without blanks."""
    best = np.argmax(steps, -1)
    kept = np.concatenate([[True], best[1:] != best[:-1]]) & (best != BLANK)
    return best[kept].tolist()


def _boxes_score(
    outputs: Sequence[Outputs], exact: Sequence[Outputs], *, names: Sequence[str]
) -> float:
    scores = [
        _overlap_of(_boxes(results, names), _boxes(one, names))
        for results, one in zip(outputs, exact, strict=True)
    ]
    return float(np.mean(scores))


def _overlap_of(boxes: Array, exact: Array) -> float:
    """The overlaps of the boxes that both have, divided by the larger of the two numbers of boxes."""
    count = max(len(boxes), len(exact))
    if not count:
        return 1.0
    left, whole = list(range(len(boxes))), 0.0
    for box in exact:
        overlaps = {i: iou(boxes[i], box) for i in left if boxes[i][5] == box[5]}
        best = max(overlaps, key=lambda i: overlaps[i], default=-1)
        if best >= 0 and overlaps[best] >= OVERLAP:
            whole += overlaps[best]
            left.remove(best)
    return whole / count


def _boxes(outputs: Outputs, names: Sequence[str]) -> Array:
    """Rows of left, top, right, bottom, score and class; the best ones, no two of them the same."""
    first = _output(outputs, names[0])
    if len(names) == 2:
        corners = first.reshape(-1, 4).astype(np.float64)
        scores = _output(outputs, names[1])
        scores = scores.reshape(len(corners), -1)
    else:
        rows = first.reshape(first.shape[-2:]) if first.ndim > 2 else first
        # There are more boxes than classes.
        rows = (rows if rows.shape[0] > rows.shape[1] else rows.T).astype(np.float64)
        half = rows[:, 2:4] / 2
        corners = np.concatenate([rows[:, :2] - half, rows[:, :2] + half], 1)
        scores = rows[:, 4:]
    best = scores.max(1)
    kept = np.argsort(-best, kind="stable")
    left: list[Array] = []
    for i in kept[best[kept] >= SHOWN]:
        box = np.array([*corners[i], best[i], np.argmax(scores[i])])
        if not any(box[5] == other[5] and iou(box, other) > OVERLAP for other in left):
            left.append(box)
    return np.array(left).reshape(-1, 6)


def iou(a: Array, b: Array) -> float:
    """The intersection of two boxes, given by their corners, divided by their union."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:4], b[2:4])
    shared = float(np.prod(np.maximum(high - low, 0)))
    areas = [float(np.prod(np.maximum(box[2:4] - box[:2], 0))) for box in (a, b)]
    union = sum(areas) - shared
    return shared / union if union > 0 else 0.0
