"""Layer norms of channels, which models of images spell out: one op, and a partition where images lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onednn_installed import needs_library
from test_gates import compared
from test_moved_activations import conv
from test_normalize_int8 import Graph, check

RANDOM = np.random.default_rng(9)
AXES = np.int64


def norm(
    g: Graph, x: str, axis: int, shape: tuple[int, ...], axes: tuple[int, int] | None = None
) -> str:
    """A layer norm in nine ops, with a scale and a bias of a shape; `axes` are those of the means."""
    first, second = axes or (axis, axis)
    centred = g("Sub", x, g("ReduceMean", x, axes=[first]))
    variance = g("ReduceMean", g("Pow", centred, g.c(2.0)), axes=[second])
    normed = g("Div", centred, g("Sqrt", g("Add", variance, g.c(1e-6))))
    scale, bias = (g.c(RANDOM.standard_normal(shape)) for _ in range(2))
    return g("Add", g("Mul", normed, scale), bias)


@pytest.mark.parametrize("rank", [3, 4, 5])
@pytest.mark.parametrize("negative", [False, True])
def test_a_norm_of_channels_is_one_op(rank: int, negative: bool, tmp_path: Path):
    shape = (2, 4, 6, 5, 3)[:rank]
    g = Graph(x=RANDOM.standard_normal(shape).astype(np.float32))
    y = norm(g, "x", 1 - rank if negative else 1, (4, *[1] * (rank - 2)))
    kinds = {"Transpose": 2, "LayerNormalization": 1}
    check(g, y, tmp_path, kinds, rtol=1e-5)


def test_a_norm_of_the_last_axis_moves_nothing(tmp_path: Path):
    g = Graph()
    check(g, norm(g, "x", -1, (5,)), tmp_path, {"LayerNormalization": 1}, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((1, 1, 4, 1, 1), (1, 1)),
        ((5,), (1, 1)),
        ((6, 1), (1, 1)),
        ((2, 4, 1, 1), (1, 1)),
        ((4, 1, 1), (1, 2)),
    ],
)
def test_what_is_no_norm_of_channels_stays(
    shape: tuple[int, ...], axes: tuple[int, int], tmp_path: Path
):
    """A scale of another axis or of each image, and means over different axes."""
    g = Graph()
    kinds = {"ReduceMean": 2, "Sub": 1, "Add": 2, "Sqrt": 1, "Div": 1, "Mul": 1}
    y = norm(g, "x", 1, shape, axes)
    loaded = check(g, y, tmp_path, {**kinds, "Pow": 1}, rtol=1e-5)
    assert "LayerNormalization" not in str(loaded.module)


@needs_library
def test_it_is_a_partition_between_convolutions(tmp_path: Path):
    g = Graph()
    y = norm(g, conv(g), 1, (8, 1, 1))
    partitions, outside = compared(g, [conv(g, y, 8)], tmp_path)
    assert outside == []
    assert "LayerNorm" in partitions


def grouped(g: Graph, y: str, groups: int, scales: float = 1.0) -> str:
    """A norm of groups of channels, as PyTorch writes it."""
    rows = g("Reshape", y, g.c([0, groups, -1], AXES))
    ones, zeros = g.c(np.full(groups, scales)), g.c(np.zeros(groups))
    normed = g("InstanceNormalization", rows, ones, zeros, epsilon=1e-5)
    y = g("Reshape", normed, g.c([2, 8, 6, 5], AXES))
    scale, bias = (g.c(RANDOM.standard_normal((8, 1, 1))) for _ in range(2))
    return g("Add", g("Mul", y, scale), bias)


@needs_library
@pytest.mark.parametrize("groups", [1, 4, 8])
def test_a_norm_of_groups_is_a_partition_too(groups: int, tmp_path: Path):
    g = Graph()
    y = grouped(g, g("PRelu", conv(g), g.c([0.25])), groups)
    partitions, outside = compared(g, [conv(g, y, 8)], tmp_path)
    assert outside == []
    assert "LayerNorm" in partitions
    assert sum("LeakyReLU" in one for one in partitions) == 1


@needs_library
def test_a_norm_that_scales_its_groups_is_left_alone(tmp_path: Path):
    g = Graph()
    _, outside = compared(g, [conv(g, grouped(g, conv(g), 4, scales=0.5), 8)], tmp_path)
    assert "InstanceNormalization" in outside


@pytest.mark.parametrize(
    ("slopes", "kind"),
    [
        ([0.25], "LeakyRelu"),
        ([np.inf], "PRelu"),
        ([[[0.0]]], "LeakyRelu"),
        ([-0.5], "PRelu"),
        (np.ones((4, 1, 1)), "PRelu"),
    ],
    ids=["one", "infinite", "none", "negative", "of channels"],
)
def test_one_slope_is_that_of_all(slopes: object, kind: str, tmp_path: Path):
    g = Graph()
    check(g, g("PRelu", "x", g.c(slopes)), tmp_path, {kind: 1})
