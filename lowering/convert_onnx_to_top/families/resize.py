"""Resizing pictures, and moving blocks between depth and space."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.lowering.convert_onnx_to_top.families.activations import number
from autosplit.lowering.convert_onnx_to_top.families.sampling import (
    TRANSFORMS,
    Floats,
    coordinates,
    interpolation,
    is_ambiguous,
    nearest_source,
)
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import Shape
from autosplit.lowering.convert_onnx_to_top.parts.steps import as_result, permute, reshape, sizes


@refuses("Resize")
def refuse_resize(q: Query) -> ReasonAttr | None:
    x, y = q.shape(0), q.result_shape()
    if x is None or y is None or any(d < 0 for d in (*x, *y)):
        if q.dynamic and repeats(q):
            return None
        return q.refuse("dynamic-shape", "has unknown sizes")
    scales = resize_scales(q, x, y)
    if (policy := q.text("keep_aspect_ratio_policy", "stretch")) != "stretch":
        return q.refuse("attribute", f"has keep_aspect_ratio_policy = {policy!r}, needs 'stretch'")
    transform = q.text("coordinate_transformation_mode", "half_pixel")
    if transform not in TRANSFORMS:
        return q.refuse(
            "attribute",
            f"has coordinate_transformation_mode = {transform!r}, needs one of "
            f"{', '.join(TRANSFORMS)}",
        )
    rounding = q.text("nearest_mode", "round_prefer_floor")
    if q.text("mode", "nearest") == "nearest" and any(
        is_ambiguous(*sizes, transform, rounding) for sizes in zip(x, y, scales, strict=True)
    ):
        return q.refuse(
            "attribute",
            f"makes {shape_text(y)} of {shape_text(x)} with coordinate_transformation_mode = "
            f"{transform!r} and some coordinates just between two elements, where runtimes round differently",
        )
    exact = all(i * s == o for i, s, o in zip(x, scales, y, strict=True))
    if transform == "align_corners" and not exact:
        return q.refuse(
            "attribute",
            f"makes {shape_text(y)} of {shape_text(x)} with scales {scales}, and has "
            "coordinate_transformation_mode = 'align_corners', for which ONNX does not say whether "
            "sizes or scales count",
        )
    return None


def repeats(q: Query, least: int = 2) -> bool:
    """Whether a Resize repeats the pixels of pictures, `least` times or more, whatever their sizes are."""
    scales = q.array(2)
    if scales is None or scales.shape != (4,) or q.integers("axes") is not None:
        return False
    modes = (
        q.text("mode", "nearest"),
        q.text("coordinate_transformation_mode", "half_pixel"),
        q.text("nearest_mode", "round_prefer_floor"),
    )
    is_whole = all(s == int(s) >= least for s in scales[2:]) and (scales[:2] == 1).all()
    return bool(is_whole) and modes == ("nearest", "asymmetric", "floor")


def interpolates(q: Query) -> bool:
    """Whether Top's Interp computes a linear Resize just as ONNX defines it.

    Not where it shrinks, or grows by no whole factor: the compiler crashes for BM1684X and BM1688.
    """
    x, y = q.shape(0) or (), q.result_shape() or ()
    transform = q.text("coordinate_transformation_mode", "half_pixel")
    if len(x) != 4 or x[:2] != y[:2] or any(o % i for i, o in zip(x, y, strict=True)):
        return False
    if transform not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return False
    scales = resize_scales(q, x, y)
    return all(i * s == o for i, s, o in zip(x[2:], scales[2:], y[2:], strict=True))


def resize_scales(q: Query, x: Shape, y: Shape) -> list[float]:
    """Output over input, for each axis, as a Resize gives it or as its sizes imply."""
    scales = [o / i for i, o in zip(x, y, strict=True)]
    operand = q.array(2)
    if operand is not None and operand.size:
        axes = q.integers("axes") or list(range(len(x)))
        for axis, scale in zip(axes, operand.reshape(-1), strict=False):
            scales[axis] = float(scale)
    return scales


@converts("Resize")
def resize(c: Conversion) -> SSAValue:
    """An Interp where it computes what ONNX defines; otherwise each axis is gathered, or times a matrix.

    A matrix of zeros and ones replaces a Gather that would make the bmodel dynamic.
    """
    original = x = c.operand(0)
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
    return original if x is original else as_result(c, x)


def _interp(c: Conversion, x: SSAValue, mode: str, transform: str) -> SSAValue:
    target = c.weight(np.array(c.shape()[2:]), "sizes")
    return c.emit("Interp", [x, target], {"mode": mode, "coord_mode": transform})


def _positions(c: Conversion) -> dict[int, list[int]]:
    """For each axis of a nearest Resize that changes, where its elements come from."""
    shape, out = c.q.shape(0) or (), c.shape()
    transform = c.q.text("coordinate_transformation_mode", "half_pixel")
    rounding = c.q.text("nearest_mode", "round_prefer_floor")
    positions: dict[int, list[int]] = {}
    for axis, (size, output, scale) in enumerate(
        zip(shape, out, resize_scales(c.q, shape, out), strict=True)
    ):
        source = nearest_source(size, output, scale, transform, rounding)
        assert source is not None
        if source != list(range(size)):
            positions[axis] = source
    return positions


def _whole_factors(c: Conversion, positions: dict[int, list[int]]) -> bool:
    """Whether a picture's elements are all repeated equally often."""
    shape = c.q.shape(0) or ()
    if len(shape) != 4 or not positions or min(positions) < 2:
        return False
    # For an axis of size 1, BM1684's kernel is a pooling that its emulator refuses.
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
    gathered = c.emit("Gather", [rows, indices], {"axis": 1}, shape=shape, suffix=f"gathered{axis}")
    return reshape(c, gathered, (*old[:axis], len(source), *old[axis + 1 :]), f"axis{axis}")


def _matrices(c: Conversion, mode: str) -> dict[int, Floats]:
    """For each axis that changes, the matrix that interpolates it."""
    shape, out = c.q.shape(0) or (), c.shape()
    transform = c.q.text("coordinate_transformation_mode", "half_pixel")
    cubic = number(c, "cubic_coeff_a", -0.75) if mode == "cubic" else None
    outside = bool(c.q.integer("exclude_outside", 0))
    matrices: dict[int, Floats] = {}
    for axis, (size, output, scale) in enumerate(
        zip(shape, out, resize_scales(c.q, shape, out), strict=True)
    ):
        x = coordinates(size, output, scale, transform)
        assert x is not None
        width = max(1.0, 1 / scale) if c.q.integer("antialias", 0) else 1.0
        matrix = interpolation(size, output, x, cubic, outside, width)
        if not np.array_equal(matrix, np.eye(size)):
            matrices[axis] = matrix
    return matrices


def _along(c: Conversion, x: SSAValue, axis: int, matrix: Floats) -> SSAValue:
    """The product with a matrix along one axis, which is moved to the end meanwhile."""
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
        product = c.emit("MatMul", [rows, weights, c.none()], shape=flat, suffix=f"product{axis}")
        x = reshape(c, product, shape, f"shaped{axis}")
    inverse = [order.index(i) for i in range(rank)]
    return permute(c, x, inverse, f"axis{axis}")


@refuses("DepthToSpace", "SpaceToDepth")
def refuse_depth_space(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "DCR")
    allowed = ("DCR", "CRD") if q.op.op_type == "DepthToSpace" else ("DCR",)
    if mode not in allowed:
        return q.refuse("attribute", f"has mode = {mode!r}, needs {' or '.join(allowed)}")
    return None


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
