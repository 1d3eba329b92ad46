"""Which elements of an axis each element of a resized axis is made of, as ONNX defines Resize."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

TRANSFORMS = (
    "align_corners",
    "asymmetric",
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
)
"""The values of coordinate_transformation_mode that depend on nothing but sizes and scales."""


def coordinates(size: int, output: int, scale: float | np.float32, transform: str) -> Floats | None:
    """Where in the input each output position lies. None for transforms that need more than this.

    `scale` is output over input as the op gives it, which need not be quite what the sizes say. Computed in
    float32, as runtimes do: what is nearest depends on it.
    """
    o, scale = np.arange(output, dtype=np.float32), np.float32(scale)
    half = np.float32(0.5)
    if transform == "asymmetric":
        return o / scale
    if transform == "align_corners":
        return o * np.float32(size - 1) / np.float32(output - 1) if output > 1 else np.zeros_like(o)
    if transform == "pytorch_half_pixel" and output == 1:
        return np.zeros_like(o)
    if transform in ("half_pixel", "pytorch_half_pixel"):
        return (o + half) / scale - half
    if transform == "half_pixel_symmetric":
        middle = np.float32(size / 2) * (1 - np.float32(output) / (scale * np.float32(size)))
        return middle + (o + half) / scale - half
    return None


def nearest_source(
    size: int, output: int, scale: float, transform: str, rounding: str
) -> list[int] | None:
    """The input position of each output position, by nearest Resize; None for unknown transforms or modes."""
    x = coordinates(size, output, scale, transform)
    return None if x is None else _nearest(x, size, rounding)


def is_ambiguous(size: int, output: int, scale: float, transform: str, rounding: str) -> bool:
    """Whether the last bits of a coordinate decide which element is nearest.

    For half_pixel_symmetric, ONNX Runtime computes coordinates in another order than `coordinates`, and
    differently again for scales that are not what sizes say; for the other transforms, in the same order.
    """
    if transform != "half_pixel_symmetric":
        return False
    if abs(scale * size - output) > EDGE:
        return True
    x = coordinates(size, output, scale, transform)
    assert x is not None
    edges = (_nearest(x + side, size, rounding) for side in (-EDGE, EDGE))
    return next(edges) != next(edges)


EDGE = np.float32(1e-4)
"""Coordinates that are closer to each other may be the same one, computed in another order."""


def _nearest(x: Floats, size: int, rounding: str) -> list[int] | None:
    rounded = {
        "round_prefer_floor": np.ceil(x - np.float32(0.5)),
        "round_prefer_ceil": np.floor(x + np.float32(0.5)),
        "floor": np.floor(x),
        "ceil": np.ceil(x),
    }.get(rounding)
    return None if rounded is None else [int(i) for i in np.clip(rounded, 0, size - 1)]


def interpolation(
    size: int,
    output: int,
    x: Floats,
    cubic: float | None,
    exclude_outside: bool,
    width: float = 1.0,
) -> Floats:
    """The matrix, outputs by inputs, that interpolates an axis at `x`: linearly, or by cubics.

    `cubic` is the coefficient of the cubics. Positions outside count as the element at that end, or not at
    all with `exclude_outside`. `width`, more than 1 with antialias, is how much wider the curve is drawn.
    """
    floor = np.floor(x)
    reach = int(np.ceil((1 if cubic is None else 2) * width))
    offsets = np.arange(1 - reach, reach + 1)
    distance = np.abs((x - floor)[:, None] - offsets[None, :]) / width
    weights = np.maximum(1 - distance, 0) if cubic is None else _cubic(distance, cubic)
    positions = floor.astype(np.int64)[:, None] + offsets[None, :]
    if exclude_outside:
        weights = np.where((positions < 0) | (positions >= size), 0, weights)
    if exclude_outside or width > 1:
        weights = weights / weights.sum(axis=1, keepdims=True)
    matrix = np.zeros((output, size))
    rows = np.broadcast_to(np.arange(output)[:, None], positions.shape)
    np.add.at(matrix, (rows, np.clip(positions, 0, size - 1)), weights)
    return matrix


def _cubic(distance: Floats, a: float) -> Floats:
    """Keys' cubic convolution."""
    d = distance
    inner = ((a + 2) * d - (a + 3)) * d * d + 1
    outer = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, inner, np.where(d < 2, outer, 0))
