"""Ops that make tensors from just a shape and numbers."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Scalar, converts
from autosplit.lowering.reduce_mutation.promotion import is_float
from autosplit.lowering.shared.refusal import Refusal


def _filled(b: AtenBuilder, number: Scalar, shape: SSAValue | None) -> SSAValue:
    """A tensor of one number in the shape of the result, or in one that is computed."""
    fill = b.filled(number, b.out, "value")
    if shape is None:
        dims = b.out_shape()
        return fill if not dims else b.apply("Expand", fill, b.ints("shape", dims))
    return b.apply("Expand", fill, shape)


def _shape(b: AtenBuilder, name: str) -> SSAValue | None:
    """The shape that an argument gives; None if it is known completely."""
    if all(n >= 0 for n in b.out_shape()):
        return None
    sizes = b.out_shape()
    return b.vector([n if n >= 0 else d for n, d in zip(sizes, b.dims(name), strict=True)], "shape")


@converts("full", "new_full")
def _full(b: AtenBuilder) -> SSAValue:
    """full(n) -> expand(n)"""
    value = b.get("fill_value")
    if isinstance(value, SSAValue):
        shape = _shape(b, "size") or b.ints("shape", b.out_shape())
        return b.apply("Expand", b.cast(value, b.out), shape)
    return _filled(b, b.real("fill_value"), _shape(b, "size"))


@converts("new_ones", "new_zeros", "ones", "zeros")
def _zeros(b: AtenBuilder) -> SSAValue:
    """zeros() -> expand(0), ones alike"""
    return _filled(b, int("ones" in b.kind), _shape(b, "size"))


@converts("empty.memory_format", "empty_permuted", "new_empty")
def _empty(b: AtenBuilder) -> SSAValue:
    """empty() -> expand(0): its contents do not matter"""
    return _filled(b, 0, _shape(b, "size"))


@converts("empty_like", "full_like", "ones_like", "zero", "zeros_like")
def _like(b: AtenBuilder) -> SSAValue:
    """zeros_like(x) -> expand(0, shape(x)), zero, ones_like and full_like alike"""
    number = b.real("fill_value") if b.kind == "full_like" else int(b.kind == "ones_like")
    static = all(n >= 0 for n in b.out_shape())
    return _filled(b, number, None if static else b.apply("Shape", b.x))


@converts("fill.Scalar", "fill.Tensor")
def _fill(b: AtenBuilder) -> SSAValue:
    """fill(x, n) -> expand(n, shape(x))"""
    value = b.operand("value", b.out)
    return b.apply("Expand", value, b.vector(b.sizes(b.x)))


@converts("scalar_tensor")
def _scalar_tensor(b: AtenBuilder) -> SSAValue:
    """scalar_tensor(n) -> n"""
    return b.operand("s", b.out)


@converts("arange", "arange.start", "arange.start_step")
def _arange(b: AtenBuilder) -> SSAValue:
    """arange(m, n) -> range(m, n), or the numbers themselves if m and n are known"""
    bound = {name: b.get(name) for name in ("start", "end", "step") if name in b.arguments}
    start, end, step = (bound.get(n, d) for n, d in (("start", 0), ("end", 0), ("step", 1)))
    if all(isinstance(n, int | float) for n in (start, end, step)):
        numbers = _numbers(
            b,
            *(b.real(n) if n in bound else d for n, d in (("start", 0), ("end", 0), ("step", 1))),
        )
        return b.constant("numbers", numbers)
    if is_float(b.out):
        raise Refusal("operand-value", "a range of floats whose bounds are computed")
    wide = [
        b.cast(v, i64) if isinstance(v, SSAValue) else b.filled(int(str(v)), i64)
        for v in (start, end, step)
    ]
    return b.cast(b.apply("Range", *wide), b.out)


def _numbers(
    b: AtenBuilder, start: Scalar, end: Scalar, step: Scalar
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """The numbers of a range, computed as ATen does: the start plus multiples of the step."""
    dtype = dtype_of(b.out)
    if dtype is None or step == 0:
        raise Refusal("malformed-op", f"a range of {b.out} with step {step}")
    count = max(int(np.ceil((float(end) - float(start)) / float(step))), 0)
    if dtype.kind in "iu":
        return (int(start) + np.arange(count, dtype=np.int64) * int(step)).astype(dtype)
    return (start + np.arange(count, dtype=np.float64) * step).astype(dtype)


@converts("linspace")
def _linspace(b: AtenBuilder) -> SSAValue:
    """linspace(m, n) -> the numbers"""
    dtype = dtype_of(b.out)
    if dtype is None:
        raise Refusal("dtype", f"linspace of {b.out}")
    start, end, count = b.real("start"), b.real("end"), b.integer("steps")
    # As ATen: in the result's type, from the nearer end, so that both ends come out exactly.
    exact = np.dtype(np.float64) if dtype.kind in "iu" else dtype
    first, last = np.array([start, end], dtype=exact)
    step = (last - first) / exact.type(max(count - 1, 1))
    positions = np.arange(count).astype(exact)
    near = positions < exact.type(count // 2)
    remaining = exact.type(count - 1) - positions
    numbers = np.where(near, first + step * positions, last - step * remaining)
    return b.constant("numbers", (numbers if count != 1 else np.array([first])).astype(dtype))


@converts("eye", "eye.m")
def _eye(b: AtenBuilder) -> SSAValue:
    """eye(n) -> the numbers"""
    rows = b.integer("n")
    columns = b.integer("m") if b.kind == "eye.m" else rows
    return b.constant("numbers", np.eye(rows, columns).astype(dtype_of(b.out)))
