"""Poolings, and making pictures larger or smaller. Windows that ONNX would place otherwise are refused.

ATen resizes to sizes, by scale factors, or both: given a factor, it samples by that, else by the ratio of
the sizes. ONNX does the same with `scales` and `sizes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Dim, converts
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.windows import window_means

# Poolings


def _batched(b: AtenBuilder, count: int) -> tuple[SSAValue, bool]:
    """The input as a batch, and whether it is a single picture."""
    unbatched = b.rank(b.x) == count + 1
    return (b.unsqueeze(b.x, [0]), True) if unbatched else (b.x, False)


def _windows(b: AtenBuilder, count: int, x: SSAValue) -> dict[str, object]:
    kernel = b.window("kernel_size", count)
    strides = b.window("stride", count) if b.listed("stride") else kernel
    padding = b.window("padding", count)
    windows: dict[str, object] = {
        "kernel_shape": kernel,
        "strides": strides,
        "pads": [*padding, *padding],
    }
    dilations = [1] * count
    if b.kind.startswith("max_pool"):
        dilations = b.window("dilation", count, 1)
        windows["dilations"] = dilations
    if b.flag("ceil_mode") and _rounds_up(b, x, kernel, strides, padding, dilations):
        windows["ceil_mode"] = 1
    return windows


def _rounds_up(
    b: AtenBuilder,
    x: SSAValue,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
) -> bool:
    """Whether windows at the end are cut off. ATen drops those that lie entirely in the end padding."""
    cut, dropped = False, False
    for size, k, s, p, d in zip(b.shape(x)[2:], kernel, strides, padding, dilations, strict=True):
        reach = d * (k - 1) + 1
        over = -(size + 2 * p - reach) % s if size >= 0 else s - 1
        dropped = dropped or over >= max(reach - p, 1)
        cut = cut or 0 < over < reach - p
        if size < 0 and dropped:
            raise Refusal(
                "dynamic-shape", "how many windows there are follows from an unknown size"
            )
    if cut and dropped:
        raise Refusal("attribute", "a window of the pooling lies in the padding alone")
    return cut


MAX_POOLS = ("max_pool1d", "max_pool2d", "max_pool3d")


@converts(*MAX_POOLS, *(f"{kind}_with_indices" for kind in MAX_POOLS))
def _max_pool(b: AtenBuilder) -> list[SSAValue | None]:
    """max_pool2d(x) -> max_pool(x). Refused where the indices are read."""
    count = int(b.kind[8])
    x, unbatched = _batched(b, count)
    result = b.node("pool", "MaxPool", [x], _windows(b, count, x))
    return [b.squeeze(result, [0]) if unbatched else result]


@converts("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(b: AtenBuilder) -> SSAValue:
    """avg_pool2d(x) -> average_pool(x), times a factor if the divisor is overridden"""
    count = int(b.kind[8])
    x, unbatched = _batched(b, count)
    windows = _windows(b, count, x)
    divisor = b.get("divisor_override") if count > 1 else None
    # What is cut off at the end counts for an overridden divisor only.
    counts = isinstance(divisor, int) or (
        b.flag("count_include_pad") and any(b.window("padding", count))
    )
    if "ceil_mode" in windows and counts:
        raise Refusal("attribute", "ceil_mode cuts off windows whose padding counts")
    result = b.node("pool", "AveragePool", [x], {**windows, "count_include_pad": int(counts)})
    if isinstance(divisor, int):
        kernel = b.window("kernel_size", count)
        result = b.apply("Mul", result, b.filled(prod(kernel) / divisor, b.out, "factor"))
    return b.squeeze(result, [0]) if unbatched else result


@converts(
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
)
def _adaptive_avg_pool(b: AtenBuilder) -> SSAValue:
    """adaptive_avg_pool2d(x) -> global_average_pool(x), average_pool(x), or products for other sizes"""
    count = int(b.kind.removeprefix("_")[17])
    x, unbatched = _batched(b, count)
    requested = [
        b.shape(x)[i - count] if n is None else n for i, n in enumerate(b.listed("output_size"))
    ]
    sizes = [n for n in requested if isinstance(n, int)]
    sizes = sizes * count if len(sizes) == 1 else sizes
    if len(sizes) != count:
        raise Refusal("operand-value", "output_size is computed, not constant")
    result = _adapted(b, x, sizes)
    return b.squeeze(result, [0]) if unbatched else result


def _adapted(b: AtenBuilder, x: SSAValue, output_sizes: Sequence[int]) -> SSAValue:
    if set(output_sizes) == {1}:
        return b.apply("GlobalAveragePool", x)
    sizes = b.static(x, "the windows", 2)
    if [*output_sizes] == [*sizes]:
        return x
    if all(size % n == 0 for size, n in zip(sizes, output_sizes, strict=True)):
        window = [size // n for size, n in zip(sizes, output_sizes, strict=True)]
        return b.apply("AveragePool", x, kernel_shape=window, strides=window)
    if len(output_sizes) != 2:
        raise Refusal("attribute", f"output_size {[*output_sizes]} does not divide {[*sizes]}")
    rows, columns = (window_means(size, n) for size, n in zip(sizes, output_sizes, strict=True))
    dtype = b.dtype(x)
    inner = b.apply("MatMul", x, b.constant("columns", columns.T.astype(dtype)))
    return b.apply("MatMul", b.constant("rows", rows.astype(dtype)), inner)


@converts("adaptive_max_pool1d", "adaptive_max_pool2d")
def _adaptive_max_pool(b: AtenBuilder) -> list[SSAValue | None]:
    """adaptive_max_pool2d(x) -> max_pool(x) where the sizes divide. Refused where the indices are read."""
    count = int(b.kind[17])
    x, unbatched = _batched(b, count)
    output_sizes = b.window("output_size", count)
    if set(output_sizes) == {1}:
        result = b.apply("GlobalMaxPool", x)
    else:
        sizes = b.static(x, "the windows", 2)
        if any(size % n for size, n in zip(sizes, output_sizes, strict=True)):
            raise Refusal("attribute", f"output_size {output_sizes} does not divide {[*sizes]}")
        window = [size // n for size, n in zip(sizes, output_sizes, strict=True)]
        result = b.apply("MaxPool", x, kernel_shape=window, strides=window)
    return [b.squeeze(result, [0]) if unbatched else result, None]


# Resizing

LINEAR = ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
NEAREST = ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
NEAREST_EXACT = (
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
)

Attributes = dict[str, object]


@converts(*LINEAR, *(f"{kind}.vec" for kind in LINEAR))
def _linear(b: AtenBuilder) -> SSAValue:
    """upsample_bilinear2d(x) -> resize(x), linear, the pixels' centers or their corners aligned"""
    return _resized(b, {"mode": "linear", **_aligned(b)})


@converts("upsample_bicubic2d", "upsample_bicubic2d.vec")
def _cubic(b: AtenBuilder) -> SSAValue:
    """upsample_bicubic2d(x) -> resize(x), cubic with the coefficient -0.75"""
    return _resized(b, {"mode": "cubic", "cubic_coeff_a": -0.75, **_aligned(b)})


def _aligned(b: AtenBuilder) -> Attributes:
    aligned = b.flag("align_corners")
    return {"coordinate_transformation_mode": "align_corners" if aligned else "half_pixel"}


@converts(*NEAREST, *(f"{kind}.vec" for kind in NEAREST))
def _nearest(b: AtenBuilder) -> SSAValue:
    """upsample_nearest2d(x) -> resize(x), the pixel at floor(i / scale)"""
    return _resized(
        b,
        {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        },
    )


@converts(*NEAREST_EXACT, *(f"{kind}.vec" for kind in NEAREST_EXACT))
def _nearest_exact(b: AtenBuilder) -> SSAValue:
    """upsample_nearest_exact2d(x) -> resize(x), the pixel at floor((i + 0.5) / scale)"""
    # half_pixel is (i + 0.5) / scale - 0.5, and rounding halves up adds the 0.5 again.
    return _resized(
        b,
        {
            "mode": "nearest",
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_ceil",
        },
    )


def _resized(b: AtenBuilder, attributes: Attributes) -> SSAValue:
    x = b.tensor("input") if b.kind.endswith(".vec") else b.x
    count = b.rank(x) - 2
    target, factors = _requested(b, count)
    sizes = b.shape(x)[2:]
    out = b.out_shape()[2:]
    if factors is not None and not b.flag_or("align_corners", default=False):
        # A factor other than the ratio of the sizes changes which points are sampled.
        exact = all(
            n >= 0 and m >= 0 and m == n * f for n, m, f in zip(sizes, out, factors, strict=True)
        )
        if not exact:
            return _by_factors(b, x, factors, attributes)
    if factors is not None and any(m < 0 for m in out):
        return _by_factors(b, x, factors, attributes)
    dims: list[Dim] = [m if m >= 0 else d for m, d in zip(out, target or [-1] * count, strict=True)]
    if all(isinstance(m, int) and m == n for m, n in zip(dims, sizes, strict=True)):
        return x
    front = b.shape(x)[:2]
    if min(front) < 0 and all(isinstance(m, int) for m in dims) and min(sizes) >= 0:
        ratios = [int(str(m)) / n for m, n in zip(dims, sizes, strict=True)]
        if all(float(np.float32(r)) == r for r in ratios):
            return _resize(
                b, x, b.constant("scales", np.array([1, 1, *ratios], np.float32)), None, attributes
            )
    return _resize(b, x, None, b.vector([*b.sizes(x)[:2], *dims]), attributes)


def _by_factors(
    b: AtenBuilder, x: SSAValue, factors: Sequence[float], attributes: Attributes
) -> SSAValue:
    if any(float(np.float32(f)) != f for f in factors):
        raise Refusal("attribute", f"scale factors {[*factors]}, which f32 does not hold")
    return _resize(
        b, x, b.constant("scales", np.array([1, 1, *factors], np.float32)), None, attributes
    )


def _resize(
    b: AtenBuilder,
    x: SSAValue,
    scales: SSAValue | None,
    sizes: SSAValue | None,
    attributes: Attributes,
) -> SSAValue:
    inputs = [x, None, scales] if sizes is None else [x, None, None, sizes]
    return b.node("resize", "Resize", inputs, attributes)


def _requested(b: AtenBuilder, count: int) -> tuple[list[Dim], list[float] | None]:
    """The sizes that an op requests, and its sampling factors; None if those follow from the sizes."""
    if b.kind.endswith(".vec"):
        factors = [float(f) for f in b.listed("scale_factors") if isinstance(f, int | float)]
        return b.dims("output_size"), factors or None
    names = ["scales"] if count == 1 else [f"scales_{axis}" for axis in "dhw"[3 - count :]]
    values = [b.get(name) for name in names]
    scales = [float(s) for s in values if isinstance(s, int | float)]
    return b.dims("output_size"), scales if len(scales) == count else None


GRID_MODES = ("linear", "nearest", "cubic")
GRID_PADS = ("zeros", "border", "reflection")


@converts("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def _grid_sampler(b: AtenBuilder) -> SSAValue:
    """grid_sampler(x, grid) -> grid_sample(x, grid)"""
    return b.apply(
        "GridSample",
        b.tensor("input"),
        b.tensor("grid"),
        mode=GRID_MODES[b.integer("interpolation_mode")],
        padding_mode=GRID_PADS[b.integer("padding_mode")],
        align_corners=int(b.flag("align_corners")),
    )
