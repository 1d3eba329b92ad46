"""Bounds of activations that the integers behind them have anyway: nothing computes them twice."""

from __future__ import annotations

import math

import numpy as np
from xdsl.rewriter import Rewriter

from autosplit.dialects.dnnl import DnnlOp, PartitionOp, dtype_name

_MAKERS = frozenset({"Add", "BiasAdd", "Convolution", "ConvTranspose", "MatMul"})
"""Whose results the library quantizes in one kernel, with and without an activation between."""

_LIMITS = {"u8": np.iinfo(np.uint8), "s8": np.iinfo(np.int8)}


def without_idle_clips(op: PartitionOp) -> PartitionOp:
    """The partition, or a copy without each ReLU and Clamp that changes no result.

    Such are those of which only Quantize ops read, if the least and the largest of their integers stand for
    the bounds: what is beyond saturates to the same integer. ONNX Runtime and OpenVINO leave them out, too.
    """
    if not any(_is_idle(inner) for inner in op.body_ops):
        return op
    copy = op.clone()
    for inner in copy.body_ops:
        if _is_idle(inner):
            Rewriter.replace_op(inner, [], [inner.operands[0]])
    return copy


def _is_idle(op: DnnlOp) -> bool:
    maker = op.operands[0].owner if op.kind in ("ReLU", "Clamp") else None
    if not isinstance(maker, DnnlOp) or maker.kind not in _MAKERS:
        return False
    low, high = (0.0, math.inf) if op.kind == "ReLU" else (op.number("min"), op.number("max"))
    uses = list(op.results[0].uses)
    return bool(uses) and all(
        isinstance(use.operation, DnnlOp) and _saturates(use.operation, low, high) for use in uses
    )


def _saturates(reader: DnnlOp, low: float, high: float) -> bool:
    """Whether the bounds become the least and the largest integer of a Quantize."""
    limits = _LIMITS.get(dtype_name(reader.results[0].type) or "")
    if reader.kind != "Quantize" or limits is None:
        return False
    scales, zps = np.float32(reader.numbers("scales")), np.int64(reader.ints("zps") or [0])
    below, above = np.float32(low) / scales + zps, np.float32(high) / scales + zps
    # A bound near the middle between two integers becomes one or the other, as the kernel divides.
    return bool((below <= limits.min + 0.49).all() and (above >= limits.max - 0.49).all())
