"""Poolings: windows that move, and those that cover all of an input."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.families.activations import LOWEST
from autosplit.lowering.convert_onnx_to_top.families.convolutions import wrong_pads
from autosplit.lowering.convert_onnx_to_top.families.elementwise import binary, unary
from autosplit.lowering.convert_onnx_to_top.families.norms import other_norm
from autosplit.lowering.convert_onnx_to_top.families.reductions import over
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.steps import as_result, padded, reshape, sizes
from autosplit.lowering.shared.windows import rounded_down


@refuses("AveragePool", "LpPool", "MaxPool")
def refuse_pool(q: Query) -> ReasonAttr | None:
    dilated = any(d != 1 for d in q.integers("dilations") or ())
    if (dilated or q.op.op_type == "LpPool") and (refusal := fixed_sizes(q)):
        return refusal
    if q.op.op_type == "LpPool" and (refusal := other_norm(q)):
        return refusal
    if q.integer("ceil_mode", 0) and any(d < 0 for d in q.shape(0) or (-1,)):
        return q.refuse("dynamic-shape", "has ceil_mode and unknown sizes")
    pads = q.integers("pads") or []
    half = len(pads) // 2
    if q.integer("ceil_mode", 0) and (refusal := _windows_behind(q, pads)):
        return refusal
    uneven = bool(q.integer("count_include_pad", 0)) and pads[:half] != pads[half:]
    if (uneven or _three_axes(q)) and (refusal := fixed_sizes(q)):
        return refusal
    return q.attribute_is("storage_order", 0, 0, "positions are row-major") or wrong_pads(q)


def _windows_behind(q: Query, pads: list[int]) -> ReasonAttr | None:
    """Refuses windows that begin behind the input: some runtimes leave them out, and some do not."""
    sizes, out = (q.shape(0) or ())[2:], (q.result_shape() or ())[2:]
    n = len(sizes)
    strides, pads = q.integers("strides") or [1] * n, pads or [0] * (2 * n)
    dimensions = zip(sizes, out, strides, pads[:n], strict=True)
    if all((o - 1) * s < i + p for i, o, s, p in dimensions):
        if all(count <= o for count, o in zip(rounded_down(q.op, sizes), out, strict=True)):
            return None
        return q.refuse(
            "attribute", "has ceil_mode = 1, and a window that begins in the padding behind"
        )
    return q.refuse(
        "attribute",
        f"has ceil_mode = 1 and makes {shape_text(out)} of {shape_text(sizes)}, with a window that "
        "begins behind that",
    )


def _three_axes(q: Query) -> bool:
    """Whether a pooling is written out as one of two axes."""
    pools = ("AveragePool", "GlobalAveragePool", "MaxPool")
    return len(q.shape(0) or ()) == 5 and q.op.op_type in pools


@converts("MaxPool")
def max_pool(c: Conversion) -> SSAValue:
    """A MaxPool. Three dimensions are two poolings: in one, BM1684 was measured to never give less than 0."""
    if _is_dilated(c):
        return as_result(c, _steps(c, c.operand(0), "Max", LOWEST))
    kernel, strides, pads, end = _window(c)
    n, x = len(kernel), c.operand(0)
    pads = pads[:n] + end
    if _is_whole_row(c, kernel, pads):
        return _largest(c)
    if n < 3:
        return c.emit("MaxPool", [x], _attrs(kernel, strides, pads))
    return _planes(c, x, "MaxPool", kernel, strides, pads)


def _is_whole_row(c: Conversion, kernel: Sequence[int], pads: Sequence[int]) -> bool:
    """Whether a pooling covers whole rows of one dimension, which the chip needs written otherwise."""
    if len(kernel) != 1 or any(pads) or "pooled-rows" not in c.q.chip.workarounds:
        return False
    shape = c.q.shape(0)
    return shape is not None and kernel[0] == shape[-1]


def _planes(
    c: Conversion,
    x: SSAValue,
    kind: str,
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
) -> SSAValue:
    """A pooling of three dimensions: of the last two, then of the first."""
    batch, channels, depth, *plane = sizes(x)
    shape = c.shape()
    x = reshape(c, x, (batch, channels * depth, *plane), "planes")
    attrs = _attrs(kernel[1:], strides[1:], [*pads[1:3], *pads[4:]])
    middle = (batch, channels * depth, *shape[3:])
    x = c.emit(kind, [x], attrs, shape=middle, suffix="pooled_planes")
    x = reshape(c, x, (batch, channels, depth, prod(shape[3:])), "columns")
    attrs = _attrs([kernel[0], 1], [strides[0], 1], [pads[0], 0, pads[3], 0])
    columns = (batch, channels, shape[2], prod(shape[3:]))
    x = c.emit(kind, [x], attrs, shape=columns, suffix="pooled_columns")
    return reshape(c, x, shape)


def _is_dilated(c: Conversion) -> bool:
    return any(d != 1 for d in c.q.integers("dilations") or [])


def _steps(c: Conversion, x: SSAValue, kind: str, outside: float) -> SSAValue:
    """Windows one axis after the other: as many slices as a window is long, joined by `kind`."""
    kernel, strides, pads, end = _window(c)
    n = len(kernel)
    dilations = c.q.integers("dilations") or [1] * n
    x = padded(c, x, pads[:n] + end, outside, "padded")
    for axis in range(n):
        shape = list(sizes(x))
        shape[2 + axis] = c.shape()[2 + axis]
        total: SSAValue | None = None
        for i in range(kernel[axis]):
            name = f"axis{axis}_{i}"
            start = i * dilations[axis]
            attrs: dict[str, AttrValue] = {
                "offset": [start],
                "steps": [strides[axis]],
                "ends": [start + (shape[2 + axis] - 1) * strides[axis] + 1],
                "axes": [2 + axis],
            }
            operands = [x, c.none(), c.none(), c.none()]
            part = c.emit("Slice", operands, attrs, shape=shape, suffix=name)
            joined = f"{name}_{kind.lower()}"
            total = part if total is None else binary(c, kind, total, part, joined)
        assert total is not None
        x = total
    return x


def _dilated_average(c: Conversion) -> SSAValue:
    """Sums of windows, times one over the number of elements in each."""
    kernel, strides, pads, _ = _window(c)
    n = len(kernel)
    dilations = c.q.integers("dilations") or [1] * n
    counts_padding = bool(c.q.integer("count_include_pad", 0))
    counts = np.ones((), np.float32)
    for axis, size in enumerate((c.q.shape(0) or ())[2:]):
        places = np.arange(c.shape()[2 + axis])[:, None] * strides[axis] - pads[axis]
        places = places + np.arange(kernel[axis]) * dilations[axis]
        first, last = (-pads[axis], size + pads[n + axis]) if counts_padding else (0, size)
        inside = ((places >= first) & (places < last)).sum(axis=1)
        counts = np.multiply.outer(counts, inside)
    shares = c.weight(1 / counts.reshape(1, 1, *c.shape()[2:]), "shares")
    return binary(c, "Mul", _steps(c, c.operand(0), "Add", 0.0), shares)


@converts("LpPool")
def lp_pool(c: Conversion) -> SSAValue:
    """The sum of sizes, or the root of the sum of squares, of each window."""
    x = c.operand(0)
    if c.q.integer("p", 2) == 1:
        return as_result(c, _steps(c, unary(c, "Abs", x, "size"), "Add", 0.0))
    return unary(c, "Sqrt", _steps(c, binary(c, "Mul", x, x, "square"), "Add", 0.0))


@refuses("GlobalLpPool")
def refuse_global_lp_pool(q: Query) -> ReasonAttr | None:
    return other_norm(q) or fixed_sizes(q)


@converts("GlobalLpPool")
def global_lp_pool(c: Conversion) -> SSAValue:
    """The same over whole pictures."""
    x = c.operand(0)
    axes = list(range(2, len(sizes(x))))
    if c.q.integer("p", 2) == 1:
        return over(c, unary(c, "Abs", x, "size"), axes, "ReduceSum")
    total = over(c, binary(c, "Mul", x, x, "square"), axes, "ReduceSum", "sum")
    return unary(c, "Sqrt", total)


@converts("AveragePool")
def average_pool(c: Conversion) -> SSAValue:
    """An AvgPool. Padding that counts, but not alike at both ends, is a Pad of its own.

    The part of the last window of ceil_mode that is beyond the padding never counts. Three dimensions are two
    poolings: in one, BM1684 was measured to give numbers of 1e18 in some runs.
    """
    if _is_dilated(c):
        return _dilated_average(c)
    kernel, strides, pads, end = _window(c)
    n = len(kernel)
    counts_padding = bool(c.q.integer("count_include_pad", 0)) and any(pads)
    x = c.operand(0)
    if counts_padding and (n > 2 or not pads[:n] == end == pads[n:]):
        end = [e - p for e, p in zip(end, pads[n:], strict=True)]
        x = padded(c, x, pads, 0.0, "padded")
        pads, counts_padding = [0] * n + end, False
    else:
        pads = pads[:n] + end
    if _is_whole_row(c, kernel, pads):
        return _average(c)
    attrs = _attrs(kernel, strides, pads)
    if n < 3:
        return c.emit(
            "AvgPool", [x], attrs | ({"count_include_pad": True} if counts_padding else {})
        )
    return _planes(c, x, "AvgPool", kernel, strides, pads)


def _attrs(
    kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int]
) -> dict[str, AttrValue]:
    return {"kernel_shape": list(kernel), "strides": list(strides), "pads": list(pads)}


def _window(c: Conversion) -> tuple[list[int], list[int], list[int], list[int]]:
    """Kernel, strides, pads, and the end pads, which hold the last windows of ceil_mode too."""
    kernel = c.q.integers("kernel_shape") or []
    n = len(kernel)
    strides = c.q.integers("strides") or [1] * n
    pads = c.q.integers("pads") or [0] * (2 * n)
    end = pads[n:]
    shape, out = c.q.shape(0) or (), c.shape()
    if any(d < 0 for d in (*shape, *out)):
        return kernel, strides, pads, end
    dilations = c.q.integers("dilations") or [1] * n
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if c.q.integer("ceil_mode", 0):
        dimensions = zip(shape[2:], out[2:], reach, strides, pads[:n], end, strict=True)
        end = [max((o - 1) * s + r - i - p, e) for i, o, r, s, p, e in dimensions]
    extents = [i + p + e for i, p, e in zip(shape[2:], pads[:n], end, strict=True)]
    # A window that covers the whole axis has no next one, and chips refuse large strides.
    strides = [
        1 if r == extent else s for r, extent, s in zip(reach, extents, strides, strict=True)
    ]
    return kernel, strides, pads, end


@converts("GlobalMaxPool")
def global_max_pool(c: Conversion) -> SSAValue:
    """The largest element of whole pictures."""
    return _largest(c)


def _largest(c: Conversion) -> SSAValue:
    """A Reduce: in a pooling over whole planes, BM1684X was measured to miss the largest element of some."""
    axes = list(range(2, len(c.shape())))
    attrs: dict[str, AttrValue] = {"axes": axes, "keepdims": True, "mode": "ReduceMax"}
    return c.emit("Reduce", [c.operand(0)], attrs)


@refuses("GlobalAveragePool")
def refuse_global_average_pool(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q) if _three_axes(q) else None


@converts("GlobalAveragePool")
def global_average_pool(c: Conversion) -> SSAValue:
    """The average of whole pictures."""
    return _average(c)


def _average(c: Conversion) -> SSAValue:
    """A pooling with a window as large as the input, of two dimensions at most."""
    x = c.operand(0)
    batch, channels, *kernel = sizes(x)
    if any(k < 0 for k in kernel):
        return c.emit("AvgPool", [x], _attrs([], [], []))
    if len(kernel) == 3 or _is_whole_row(c, kernel, [0, 0]):
        kernel = [prod(kernel[:-1]), kernel[-1]]
        x = reshape(c, x, (batch, channels, *kernel), "flat")
        attrs = _attrs(kernel, [1, 1], [0] * 4)
        x = c.emit("AvgPool", [x], attrs, shape=(batch, channels, 1, 1), suffix="pooled")
        return reshape(c, x, c.shape())
    n = len(kernel)
    return c.emit("AvgPool", [x], _attrs(kernel, [1] * n, [0] * (2 * n)))
