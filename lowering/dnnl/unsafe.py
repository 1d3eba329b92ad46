"""Quantized operands that the library accepts but computes wrongly, or crashes on.

Measured with 3.2, on processors with and without VNNI and AVX-512: it makes one partition of each of them
and reports it as supported. Only the conversion can prevent wrong numbers, so these ops stay ONNX ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import prod
from typing import TypeAlias

from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.dnnl import AttrValue, DnnlOp, dtype_name
from autosplit.dialects.platform import shape_of
from autosplit.lowering.quant.convolutions.ones import spoils_last_channels
from autosplit.lowering.shared.fold import AnyArray

Unsafe: TypeAlias = "tuple[str, str] | None"
"""The code and the sentence of a reason."""

_BINARY = frozenset({"Add", "Divide", "Maximum", "Minimum", "Multiply", "Select", "Subtract"})
_KEEPS = frozenset({"StaticReshape", "StaticTranspose", "TypeCast"})
"""Kinds that the library looks through between a dequantize and its user."""


def unsafe_operand(
    kind: str, inputs: Sequence[SSAValue | AnyArray], attrs: Mapping[str, AttrValue]
) -> Unsafe:
    """Why an op of the library must not read these operands, if dequantized ones are among them."""
    values = [v if isinstance(v, SSAValue) else None for v in inputs]
    if kind in ("Convolution", "ConvTranspose"):
        filters = _filter(values[1], 1 if kind == "ConvTranspose" else 0)
        return _source(values[0]) or filters or _lost_sums(values[0], values[1], attrs)
    if kind == "MatMul":
        rank = 0 if values[1] is None else len(shape_of(values[1].type) or ())
        columns = rank - 2 if attrs.get("transpose_b") else rank - 1
        return _source(values[0]) or _axis(values[1], columns)
    if kind == "AvgPool":
        return _padded_average(values[0], attrs)
    if kind in _BINARY:
        sources = next((cause for v in values if (cause := _source(v))), None)
        return sources or _broadcast(values) or _last_channels(kind, inputs)
    return None


def unsafe_quantize(value: SSAValue, dtype: str) -> Unsafe:
    """Why a value must not be quantized to the library's type `dtype`."""
    pool = value.owner
    if not isinstance(pool, DnnlOp) or pool.kind not in ("AvgPool", "MaxPool"):
        return None
    traced = _dequantized(pool.inputs[0])
    stored = None if traced is None else dtype_name(traced[0].inputs[0].type)
    if stored in (None, dtype):
        return None
    return "dtype", f"is {dtype} behind a pool of {stored}, the library's pools keep the type"


def _dequantized(value: SSAValue | None) -> tuple[DnnlOp, bool] | None:
    """The dequantize that a value comes from, and whether it was moved since."""
    moved = False
    while value is not None and isinstance(op := value.owner, DnnlOp):
        if op.kind == "Dequantize":
            return op, moved
        if op.kind not in _KEEPS:
            return None
        moved |= op.kind != "TypeCast"
        value = op.inputs[0]
    return None


def _is_per_axis(op: DnnlOp) -> bool:
    return op.text("qtype") == "per_channel"


def _source(value: SSAValue | None) -> Unsafe:
    """Only weights may have per-channel scales: otherwise the library crashes or mixes up the scales."""
    traced = _dequantized(value)
    if traced is None or not _is_per_axis(traced[0]):
        return None
    return "per-axis", (
        f"reads {traced[0].identity!r} with scales along dimension {traced[0].integer('axis')}, the library "
        "has several scales for weights only"
    )


def _filter(value: SSAValue | None, channels: int) -> Unsafe:
    traced = _dequantized(value)
    if traced is None:
        return None
    op = traced[0]
    if any(zero := op.ints("zps")):
        return "weights-zero-point", (
            f"has weights with the zero point {max(zero, key=abs)}, the library's have 0"
        )
    if (dtype := dtype_name(op.inputs[0].type)) != "s8":
        return "weights-dtype", f"has weights stored as {dtype}, the library's are s8"
    return _axis(value, channels)


def _lost_sums(
    source: SSAValue | None, value: SSAValue | None, attrs: Mapping[str, AttrValue]
) -> Unsafe:
    """Depthwise kernels that the library packs in blocks of 8 x 8, 8 channels by 8 elements.

    It thereby loses the sums of the kernels, which it subtracts if the source is signed or has a zero point.
    Up to 128 elements, a kernel must have just 8 for that; threads share longer ones, 8 elements at a time.
    With AVX2 it happens in 1 and 2 dimensions, with AVX-512 to 8 channels in 3, in 3.2 and 3.6: a plan is
    carried to other processors, so none takes these.
    """
    shape = None if value is None or _dequantized(value) is None else shape_of(value.type)
    if shape is None or attrs.get("groups", 1) != shape[0] or shape[1] != 1:
        return None
    elements = prod(shape[2:])
    if shape[0] % 8 or elements % 8 or 8 < elements <= 128 or _needs_no_sums(source):
        return None
    return "operand", (
        f"has {counted(shape[0], 'kernel')} of {counted(elements, 'element')}, one for each channel, "
        "whose sums the library loses where it needs them: for a source that is signed or has a zero "
        "point"
    )


def _needs_no_sums(source: SSAValue | None) -> bool:
    traced = _dequantized(source)
    return (
        traced is not None
        and dtype_name(traced[0].inputs[0].type) == "u8"
        and not any(traced[0].ints("zps"))
    )


def _axis(value: SSAValue | None, channels: int) -> Unsafe:
    """Scales along another dimension than the result's channels would be applied to the channels."""
    traced = _dequantized(value)
    if traced is None or not _is_per_axis(traced[0]):
        return None
    op, moved = traced
    axis = op.integer("axis") % len(shape_of(op.outputs[0].type) or (1,))
    if axis == channels and not moved:
        return None
    return "weights-axis", (
        f"has weights with scales along dimension {axis}, the library's lie along that of the "
        f"results' channels, {channels}"
    )


def _padded_average(value: SSAValue | None, attrs: Mapping[str, AttrValue]) -> Unsafe:
    """Included padding is a stored 0, which represents 0 only if that is the zero point."""
    traced = _dequantized(value)
    pads = [*_ints(attrs, "pads_begin"), *_ints(attrs, "pads_end")]
    if traced is None or attrs.get("exclude_pad") or not any(pads):
        return None
    if not any(zero := traced[0].ints("zps")):
        return None
    return "zero-point", (
        f"counts padding and reads {traced[0].identity!r} with the zero point {zero[0]}, the library pads "
        "with the stored 0"
    )


def _ints(attrs: Mapping[str, AttrValue], name: str) -> list[int]:
    value = attrs.get(name)
    return [int(v) for v in value] if isinstance(value, list) else []


def _broadcast(values: Sequence[SSAValue | None]) -> Unsafe:
    """A flattened product meets an operand that is not: a broadcast one is read at wrong offsets."""
    products = [v for v in values if v is not None and _behind_flat_product(v, set())]
    for value in products:
        shape = shape_of(value.type) or ()
        for other_value in values:
            if other_value is None or other_value is value:
                continue
            other_shape = shape_of(other_value.type) or ()
            rows = (1,) * (len(shape) - len(other_shape)) + other_shape[:-1]
            if any(d != 1 for d in rows) and rows != shape[:-1]:
                return "broadcast", (
                    f"broadcasts {list(other_shape)} to the product {list(shape)}, which the library flattens"
                )
    return None


def _last_channels(kind: str, inputs: Sequence[SSAValue | AnyArray]) -> Unsafe:
    """Behind a depthwise convolution of bytes, see `spoils_last_channels`.

    The library treats a sum with a dequantized tensor of the same shape differently, and also a common source
    of both operands, as in `x * sigmoid(x)`.
    """
    for value, other in permutations(inputs, 2):
        conv = _depthwise_behind(value)
        shape = None if conv is None else shape_of(conv.outputs[0].type)
        if shape is None or _depthwise_behind(other) is conv:
            continue
        sizes = shape_of(other.type) if isinstance(other, SSAValue) else other.shape
        if kind == "Add" and sizes == shape and isinstance(other, SSAValue) and _dequantized(other):
            continue
        if spoils_last_channels(shape, shape if sizes is None else sizes):
            return "operand", (
                f"reads a tensor of several channels and a depthwise convolution of {shape[1]} of them, "
                "the last of which the library spoils where it has no AVX-512"
            )
    return None


def _depthwise_behind(value: SSAValue | AnyArray) -> DnnlOp | None:
    """The depthwise convolution of bytes that a value comes from through elementwise ops."""
    while isinstance(value, SSAValue) and isinstance(op := value.owner, DnnlOp):
        if op.kind == "Convolution":
            weights = shape_of(op.inputs[1].type) or (0, 0)
            depthwise = weights[1] == 1 and op.attrs.get("groups", 1) == weights[0]
            return op if depthwise and _dequantized(op.inputs[1]) is not None else None
        if op.SPEC.shapes != "same":
            return None
        value = op.inputs[0]
    return None


def _behind_flat_product(value: SSAValue, visited: set[SSAValue]) -> bool:
    """Whether a value comes, through elementwise ops, from a product of a higher-rank tensor by a matrix.

    The library flattens such a product to two dimensions.
    """
    if value in visited:
        return False
    visited.add(value)
    op = value.owner
    if not isinstance(op, DnnlOp):
        return False
    if op.kind == "MatMul":
        left_rank, right_rank = (len(shape_of(v.type) or ()) for v in op.inputs[:2])
        return right_rank == 2 < left_rank
    shape = shape_of(value.type)
    return op.SPEC.shapes in ("same", "broadcast") and any(
        shape_of(v.type) == shape and _behind_flat_product(v, visited) for v in op.inputs
    )
