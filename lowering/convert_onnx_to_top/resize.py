"""Sampling pictures anew: Resize, and moving blocks between depth and space."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_onnx_to_top.activations import number
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts import as_result, permute, reshape, sizes
from autosplit.lowering.convert_onnx_to_top.rules import interpolates, resize_scales
from autosplit.lowering.convert_onnx_to_top.sampling import (
    Floats,
    coordinates,
    interpolation,
    nearest_source,
)


@converts("Resize")
def resize(c: Conversion) -> SSAValue:
    """What Interp computes as ONNX does is one; otherwise each axis is gathered, or times a matrix.

    The matrix is one of zeros and ones where a Gather would make the bmodel a dynamic one.
    """
    first = x = c.operand(0)
    mode = c.q.text("mode", "nearest")
    if mode == "nearest":
        positions = _positions(c)
        if _whole_factors(c, positions):
            return _interp(c, x, "nearest", "asymmetric")
        for axis, source in positions.items():
            if "many-runs" in c.q.chip.dynamic_forms:
                rows = np.eye((c.q.shape(0) or ())[axis])[source]
                x = _along(c, x, axis, rows)
            else:
                x = _gather(c, x, axis, source)
    elif mode == "linear" and interpolates(c.q):
        transform = c.q.text("coordinate_transformation_mode", "half_pixel")
        return _interp(c, x, "linear", transform)
    else:
        for axis, matrix in _matrices(c, mode).items():
            x = _along(c, x, axis, matrix)
    return first if x is first else as_result(c, x)


def _interp(c: Conversion, x: SSAValue, mode: str, transform: str) -> SSAValue:
    target = c.weight(np.array(c.shape()[2:]), "sizes")
    return c.emit("Interp", [x, target], {"mode": mode, "coord_mode": transform})


def _positions(c: Conversion) -> dict[int, list[int]]:
    """For each axis of a nearest Resize that changes, where its elements come from."""
    shape, made = c.q.shape(0) or (), c.shape()
    transform = c.q.text("coordinate_transformation_mode", "half_pixel")
    rounding = c.q.text("nearest_mode", "round_prefer_floor")
    found: dict[int, list[int]] = {}
    for axis, (size, output, scale) in enumerate(
        zip(shape, made, resize_scales(c.q, shape, made), strict=True)
    ):
        source = nearest_source(size, output, scale, transform, rounding)
        assert source is not None
        if source != list(range(size)):
            found[axis] = source
    return found


def _whole_factors(c: Conversion, positions: dict[int, list[int]]) -> bool:
    """Whether a picture's elements are all repeated equally often."""
    shape = c.q.shape(0) or ()
    if len(shape) != 4 or not positions or min(positions) < 2:
        return False
    # Of single elements BM1684's kernel makes a pooling that its emulator refuses.
    return all(
        shape[a] > 1
        and len(source) % shape[a] == 0
        and source == [o * shape[a] // len(source) for o in range(len(source))]
        for a, source in positions.items()
    )


def _gather(c: Conversion, x: SSAValue, axis: int, source: Sequence[int]) -> SSAValue:
    old = sizes(x)
    outer, inner = prod(old[:axis]), prod(old[axis + 1 :])
    rows = reshape(c, x, (outer, old[axis], inner), f"rows{axis}")
    indices = c.weight(np.array(source), f"positions{axis}")
    shape = (outer, len(source), inner)
    made = c.emit("Gather", [rows, indices], {"axis": 1}, shape=shape, suffix=f"gathered{axis}")
    return reshape(c, made, (*old[:axis], len(source), *old[axis + 1 :]), f"axis{axis}")


def _matrices(c: Conversion, mode: str) -> dict[int, Floats]:
    """For each axis that changes, the matrix that interpolates it."""
    shape, made = c.q.shape(0) or (), c.shape()
    transform = c.q.text("coordinate_transformation_mode", "half_pixel")
    cubic = number(c, "cubic_coeff_a", -0.75) if mode == "cubic" else None
    outside = bool(c.q.integer("exclude_outside", 0))
    found: dict[int, Floats] = {}
    for axis, (size, output, scale) in enumerate(
        zip(shape, made, resize_scales(c.q, shape, made), strict=True)
    ):
        x = coordinates(size, output, scale, transform)
        assert x is not None
        width = max(1.0, 1 / scale) if c.q.integer("antialias", 0) else 1.0
        matrix = interpolation(size, output, x, cubic, outside, width)
        if not np.array_equal(matrix, np.eye(size)):
            found[axis] = matrix
    return found


def _along(c: Conversion, x: SSAValue, axis: int, matrix: Floats) -> SSAValue:
    """The product with a matrix along one axis, which is the last one meanwhile."""
    rank = len(sizes(x))
    order = [i for i in range(rank) if i != axis] + [axis]
    x = permute(c, x, order, f"last{axis}")
    weights = c.weight(matrix.T, f"matrix{axis}")
    shape = (*sizes(x)[:-1], len(matrix))
    if c.q.mode == "F32":
        x = c.emit("MatMul", [x, weights, c.none()], shape=shape, suffix=f"product{axis}")
    else:
        # In F16, BM1688's compiler was measured to stop at a product of four dimensions here.
        rows = reshape(c, x, (prod(shape[:-1]), sizes(x)[-1]), f"flat{axis}")
        flat = (sizes(rows)[0], len(matrix))
        made = c.emit("MatMul", [rows, weights, c.none()], shape=flat, suffix=f"product{axis}")
        x = reshape(c, made, shape, f"shaped{axis}")
    back = [order.index(i) for i in range(rank)]
    return permute(c, x, back, f"axis{axis}")


@converts("DepthToSpace", "SpaceToDepth")
def depth_space(c: Conversion) -> SSAValue:
    block = c.q.integer("blocksize", 1)
    attrs = {
        "block_h": block,
        "block_w": block,
        "is_CRD": c.q.text("mode", "DCR") == "CRD",
        "is_inversed": c.op.op_type == "SpaceToDepth",
    }
    return c.emit("Depth2Space", [c.operand(0)], attrs)
