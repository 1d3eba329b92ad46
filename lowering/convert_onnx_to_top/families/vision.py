"""Sampling a picture at places that are computed: GridSample, AffineGrid and RoiAlign.

Where a chip has no kernel, a sample is a product with the weights of all elements. Those of linear
interpolation are `max(0, 1 - |place - element|)`, along each axis.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.families.activations import number
from autosplit.lowering.convert_onnx_to_top.families.elementwise import (
    binary,
    clipped,
    closeness,
    compared,
    rounded,
    unary,
)
from autosplit.lowering.convert_onnx_to_top.families.matrices import product
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import (
    MOST_WEIGHTS,
    Query,
    fixed_sizes,
    refuses,
)
from autosplit.lowering.convert_onnx_to_top.parts.steps import permute, plus, reshape, sizes, times
from autosplit.lowering.shared.fold import AnyArray

SAMPLINGS = {"linear": 0, "nearest": 1}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@refuses("GridSample")
def refuse_grid_sample(q: Query) -> ReasonAttr | None:
    for name, default, allowed in (
        ("mode", "linear", ("linear", "nearest")),
        ("padding_mode", "zeros", ("zeros", "border", "reflection")),
    ):
        if (value := q.text(name, default)) not in allowed:
            return q.refuse("attribute", f"has {name} = {value!r}, needs {' or '.join(allowed)}")
    if refusal := fixed_sizes(q):
        return refusal
    count = prod(q.shape(0) or ()) // (q.shape(0) or (1, 1))[1] * prod((q.shape(1) or ())[1:3])
    if "GridSample" not in q.chip.missing_ops or count <= MOST_WEIGHTS:
        return None
    return q.refuse(
        "size",
        f"has {counted(count, 'weight')} as a product, up to {MOST_WEIGHTS}; {q.chip.vendor_name} "
        f"leaves TPU-MLIR's own op to the host ({q.chip.missing_ops['GridSample']})",
    )


@converts("GridSample")
def grid_sample(c: Conversion) -> SSAValue:
    """A GridSampler, or written out where the chip leaves that to the host."""
    if "GridSample" in c.q.chip.missing_ops:
        return _sampled(c)
    attrs = {
        "mode": SAMPLINGS[c.q.text("mode", "linear")],
        "padding_mode": PADDINGS[c.q.text("padding_mode", "zeros")],
        "align_corners": bool(c.q.integer("align_corners", 0)),
    }
    return c.emit("GridSampler", [c.operand(0), c.operand(1)], attrs)


def _sampled(c: Conversion) -> SSAValue:
    """Each sample is a product of the picture with weights for all of its elements."""
    x, grid = c.operand(0), c.operand(1)
    batch, channels, height, width = sizes(x)
    count = prod(sizes(grid)[1:-1])
    rows = reshape(c, grid, (batch * count, 2), "places")
    down = _weights(c, _places(c, rows, 1, height, "y"), height, "y")
    across = _weights(c, _places(c, rows, 0, width, "x"), width, "x")
    down = reshape(c, down, (batch * count, height, 1), "y_column")
    across = reshape(c, across, (batch * count, 1, width), "x_row")
    weights = binary(c, "Mul", down, across, "weights")
    weights = reshape(c, weights, (batch, count, height * width), "weights_rows")
    channels_last = permute(c, x, (0, 2, 3, 1), "channels_last")
    elements = reshape(c, channels_last, (batch, height * width, channels), "elements")
    samples = product(c, weights, elements, suffix="samples")
    return reshape(c, permute(c, samples, (0, 2, 1), "channels_first"), c.shape())


def _places(c: Conversion, rows: SSAValue, column: int, size: int, axis: str) -> SSAValue:
    """A column of the grid as places among elements, computed step by step as ONNX Runtime does."""
    count = sizes(rows)[0]
    attrs = {"offset": [column], "steps": [1], "ends": [column + 1], "axes": [1]}
    operands = [rows, c.none(), c.none(), c.none()]
    x = c.emit("Slice", operands, attrs, shape=(count, 1), suffix=axis)
    x = plus(c, x, 1.0, f"{axis}_from_0")
    corners = bool(c.q.integer("align_corners", 0))
    if corners:
        x = times(c, times(c, x, 0.5, f"{axis}_half"), size - 1, f"{axis}_place")
    else:
        x = plus(c, times(c, x, size, f"{axis}_size"), -1.0, f"{axis}_twice")
        x = times(c, x, 0.5, f"{axis}_place")
    if c.q.text("mode", "linear") == "nearest":
        x = rounded(c, x, f"{axis}_nearest")
    padding = c.q.text("padding_mode", "zeros")
    if padding == "zeros":
        return x
    if padding == "reflection" and size > 1:
        low, span = (0.0, size - 1) if corners else (-0.5, size)
        x = _reflected(c, x, low, span, axis)
    return clipped(c, x, 0.0, size - 1, f"{axis}_inside")


def _reflected(c: Conversion, x: SSAValue, low: float, span: int, axis: str) -> SSAValue:
    """`x` folded into `low` to `low + span`: a triangle wave with a period of `2 span`."""
    u = plus(c, x, -low, f"{axis}_shifted") if low else x
    turns = unary(c, "Floor", times(c, u, 0.5 / span, f"{axis}_turns"), f"{axis}_whole")
    passed = times(c, turns, 2.0 * span, f"{axis}_passed")
    offset = plus(c, binary(c, "Sub", u, passed, f"{axis}_rest"), -span, f"{axis}_middle")
    falling = times(c, unary(c, "Abs", offset, f"{axis}_size_of"), -1.0, f"{axis}_fallen")
    return plus(c, falling, span + low, f"{axis}_folded")


def _weights(c: Conversion, places: SSAValue, size: int, axis: str) -> SSAValue:
    """How much of each of `size` elements is in a sample, for a column of places."""
    elements = c.weight(np.arange(size).reshape(1, size), f"{axis}_elements")
    return closeness(c, places, elements, f"{axis}_weights")


@converts("AffineGrid")
def affine_grid(c: Conversion) -> SSAValue:
    """Each place of the result, with a 1 behind, times the matrix of its picture."""
    theta, shape = c.operand(0), c.shape()
    space = shape[1:-1]
    corners = bool(c.q.integer("align_corners", 0))
    lines = [_line(size, corners) for size in space]
    grid = np.meshgrid(*lines, indexing="ij")
    places = np.stack([*(g.reshape(-1) for g in reversed(grid)), np.ones(prod(space))])
    rows = product(c, theta, c.weight(places, "places"), suffix="rows")
    return reshape(c, permute(c, rows, (0, 2, 1), "points"), shape)


def _line(size: int, corners: bool) -> AnyArray:
    """Places from -1 to 1: from the first element to the last, or from the one's edge to the other's."""
    if corners:
        return np.linspace(-1, 1, size)
    return (2 * np.arange(size) + 1) / size - 1


@refuses("RoiAlign")
def refuse_roi_align(q: Query) -> ReasonAttr | None:
    if (mode := q.text("mode", "avg")) != "avg":
        return q.refuse(
            "attribute",
            f"has mode = {mode!r}, needs 'avg': of weighted elements ONNX and its runtimes take different "
            "maxima",
        )
    if (ratio := q.integer("sampling_ratio", 0)) < 1:
        return q.refuse(
            "attribute",
            f"has sampling_ratio = {ratio}, needs 1 or more: it takes as many samples as regions are large",
        )
    if refusal := fixed_sizes(q):
        return refusal
    batch, channels, height, width = q.shape(0) or (1, 1, 1, 1)
    count, _, out_height, out_width = q.result_shape() or (1, 1, 1, 1)
    numbers = max(
        count * out_height * ratio * batch * height,
        count * out_width * ratio * width,
        count * out_height * channels * width,
    )
    if numbers <= MOST_WEIGHTS << 2:
        return None
    return q.refuse(
        "size", f"makes {counted(numbers, 'number')} on the way, up to {MOST_WEIGHTS << 2}"
    )


@converts("RoiAlign")
def roi_align(c: Conversion) -> SSAValue:
    """Two products for each region: with the weights of rows, then with those of columns.

    The average over samples is one over the weights, as each axis has its own. TPU-MLIR's own op is wrong.
    """
    x = c.operand(0)
    batch, channels, height, width = sizes(x)
    count, _, out_height, out_width = c.shape()
    picture_indices = c.operand(2)
    picture_starts = times(
        c, reshape(c, picture_indices, (count, 1), "pictures"), height, "picture_starts"
    )
    # The pictures are stacked to a tall one, and a sample never reaches into the next.
    down = _region(
        c, 1, out_height, height, "y", batch * height, picture_starts if batch > 1 else None
    )
    across = _region(c, 0, out_width, width, "x", width, None)
    tall = permute(c, x, (0, 2, 1, 3), "tall")
    tall = reshape(c, tall, (batch * height, channels * width), "tall_rows")
    rows = reshape(c, down, (count * out_height, batch * height), "y_rows")
    part = product(c, rows, tall, suffix="rows")
    part = reshape(c, part, (count, out_height, channels, width), "rows_parts")
    part = permute(c, part, (0, 2, 1, 3), "rows_order")
    part = reshape(c, part, (count, channels * out_height, width), "rows_matrix")
    columns = permute(c, across, (0, 2, 1), "x_columns")
    return reshape(c, product(c, part, columns, suffix="samples"), c.shape())


def _region(
    c: Conversion,
    column: int,
    pieces: int,
    size: int,
    axis: str,
    elements: int,
    start: SSAValue | None,
) -> SSAValue:
    """For each region, how much of each element along an axis is in each of its pieces."""
    rois = c.operand(1)
    count = sizes(rois)[0]
    ratio = c.q.integer("sampling_ratio", 0)
    scale = number(c, "spatial_scale", 1.0)
    half_pixel = c.q.text("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    ends: list[SSAValue] = []
    for i, name in ((column, "start"), (column + 2, "end")):
        attrs = {"offset": [i], "steps": [1], "ends": [i + 1], "axes": [1]}
        operands = [rois, c.none(), c.none(), c.none()]
        x = c.emit("Slice", operands, attrs, shape=(count, 1), suffix=f"{axis}_{name}")
        x = times(c, x, scale, f"{axis}_{name}_scaled")
        ends.append(plus(c, x, -0.5, f"{axis}_{name}_half") if half_pixel else x)
    length = binary(c, "Sub", ends[1], ends[0], f"{axis}_length")
    if not half_pixel:
        attrs = {"const_val": 1.0}
        length = c.emit("MaxConst", [length], attrs, shape=(count, 1), suffix=f"{axis}_least")
    # Samples are in the middle of as many equal parts of a piece.
    shares = (np.arange(pieces * ratio) + 0.5) / (pieces * ratio)
    inner = binary(c, "Mul", length, c.weight(shares.reshape(1, -1), f"{axis}_shares"), axis)
    places = binary(c, "Add", inner, ends[0], f"{axis}_places")
    inside = binary(
        c,
        "Mul",
        compared(c, places, "GreaterOrEqual", -1.0, f"{axis}_reached"),
        compared(c, places, "LessOrEqual", float(size), f"{axis}_kept"),
        f"{axis}_inside",
    )
    places = clipped(c, places, 0.0, size - 1, f"{axis}_clipped")
    if start is not None:
        places = binary(c, "Add", places, start, f"{axis}_moved")
    column_shape = (count * pieces * ratio, 1)
    weights = _weights(c, reshape(c, places, column_shape, f"{axis}_column"), elements, axis)
    weights = binary(
        c, "Mul", weights, reshape(c, inside, column_shape, f"{axis}_flags"), f"{axis}_used"
    )
    shape = (count * pieces, ratio, elements)
    parts = reshape(c, weights, shape, f"{axis}_parts")
    attrs = {"axes": [1], "keepdims": False, "mode": "ReduceMean"}
    mean = c.emit("Reduce", [parts], attrs, shape=(shape[0], elements), suffix=f"{axis}_mean")
    return reshape(c, mean, (count, pieces, elements), f"{axis}_regions")
