"""Casts to integers and back, as PT2E writes them into a program."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, converts
from autosplit.lowering.shared.refusal import Refusal

SPACE = "quantized_decomposed"
KINDS = tuple(
    f"{SPACE}.{verb}_{form}"
    for verb in ("quantize", "dequantize")
    for form in ("per_tensor", "per_tensor.tensor", "per_channel")
)


@converts(*KINDS)
def _cast(b: AtenBuilder) -> SSAValue:
    """quantize_per_tensor(x, scale, zero) -> quantize_linear(x, scale, zero), and the like"""
    dtype = b.named_element("dtype")
    whole = None if dtype is None else dtype_of(dtype)
    if dtype is None or whole is None or whole.kind not in "iu":
        raise Refusal("dtype", f"casts to {dtype}, expected integers")
    narrow = _is_narrow(b, whole)
    x = b.tensor("input")
    per_channel = "per_channel" in b.kind
    scale = _scale(b, "scales" if per_channel else "scale")
    zero = _zero(b, "zero_points" if per_channel else "zero_point", whole, scale)
    attributes = {"axis": b.axis(x, b.integer("axis"))} if per_channel else {}
    if f"{SPACE}.dequantize" in b.kind:
        return b.cast(b.node("real", "DequantizeLinear", [x, scale, zero], attributes), b.out)
    if narrow:
        raise Refusal("attribute", "uses a part of the integers only")
    return b.node("whole", "QuantizeLinear", [x, scale, zero], attributes)


def _is_narrow(b: AtenBuilder, dtype: np.dtype[Any]) -> bool:
    """Whether the range excludes the least or the greatest integer."""
    limits = np.iinfo(dtype)
    low, high = (b.get(name) for name in ("quant_min", "quant_max"))
    return (low, high) != (int(limits.min), int(limits.max))


def _scale(b: AtenBuilder, name: str) -> SSAValue:
    value = b.get(name)
    if not isinstance(value, SSAValue):
        return b.constant("scale", np.array(value, np.float32))
    return _flat(b, b.cast(value, np.float32), name)


def _flat(b: AtenBuilder, value: SSAValue, name: str) -> SSAValue:
    """A vector for channels; else a scalar, even from a vector of one."""
    if name.endswith("s") or not b.rank(value):
        return value
    return b.reshape(value, [])


def _zero(b: AtenBuilder, name: str, dtype: np.dtype[Any], scale: SSAValue) -> SSAValue | None:
    value = b.get(name)
    if value is None:
        return b.constant("zero", np.zeros(b.static(scale, "the zero point"), dtype))
    if not isinstance(value, SSAValue):
        return b.constant("zero", np.array(value).astype(dtype))
    return _flat(b, b.cast(value, dtype.type), name)
