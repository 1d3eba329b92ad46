"""How far the outputs of a split model are from those of the whole one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, choice
from autosplit.inputs.values import Value, flat
from autosplit.portable.names import bare

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Difference:
    """How far one output is from its reference."""

    name: str
    equal: bool
    """Whether shape, dtype and every bit are the same; NaNs equal NaNs of the same bits."""
    max_abs: float
    """The largest absolute difference; inf where shapes differ or only one side is NaN."""
    max_rel: float
    """The largest difference relative to the reference's magnitude."""
    close: bool
    """Whether |output - reference| <= atol + rtol * |reference| everywhere."""


def compare(
    outputs: Mapping[str, Value],
    reference: Mapping[str, Value],
    rtol: float = 0.0,
    atol: float = 0.0,
) -> list[Difference]:
    """Compares each output of the reference with the one of the same name, with or without `:0`.

    Raises AutosplitError for one that `outputs` does not have.
    """
    by_bare = {bare(name): value for name, value in outputs.items()}
    differences: list[Difference] = []
    for name, expected in reference.items():
        if bare(name) not in by_bare:
            raise AutosplitError(f"there is no output {name!r}{choice(name, list(outputs))}")
        differences.append(_difference(name, by_bare[bare(name)], expected, rtol, atol))
    return differences


def _difference(name: str, got: Value, expected: Value, rtol: float, atol: float) -> Difference:
    """How far off a value is; for one that is not an array, how far off the worst of its arrays is."""
    ours, theirs = flat({name: got}), flat({name: expected})
    if ours.keys() != theirs.keys():
        return Difference(name, False, float("inf"), float("inf"), False)
    parts = [_array_difference(name, ours[key], theirs[key], rtol, atol) for key in theirs]
    return Difference(
        name,
        all(part.equal for part in parts),
        max((part.max_abs for part in parts), default=0.0),
        max((part.max_rel for part in parts), default=0.0),
        all(part.close for part in parts),
    )


def _array_difference(
    name: str, got: Array, expected: Array, rtol: float, atol: float
) -> Difference:
    if got.shape != expected.shape:
        return Difference(name, False, float("inf"), float("inf"), False)
    if got.dtype.kind in "OSU" or expected.dtype.kind in "OSU":
        same = bool(np.array_equal(got, expected))
        worst = 0.0 if same else float("inf")
        return Difference(name, same, worst, worst, same)
    equal = got.dtype == expected.dtype and got.tobytes() == expected.tobytes()
    if got.size == 0:
        return Difference(name, equal, 0.0, 0.0, True)
    wide = np.complex128 if "c" in (got.dtype.kind, expected.dtype.kind) else np.float64
    a, b = got.astype(wide), expected.astype(wide)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.abs(a - b)
        # Equal infinities and pairs of NaNs are no error; a NaN on one side is the largest error.
        error = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, error)
        error = np.where(np.isnan(error), np.inf, error)
        relative = np.where(error == 0.0, 0.0, error / np.abs(b))
        close = bool(np.all((error == 0.0) | (error <= atol + rtol * np.abs(b))))
    return Difference(name, equal, float(error.max()), float(relative.max()), close)
