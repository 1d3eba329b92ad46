"""A partition's ops in the form in which the library computes them right and fast."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from autosplit.dialects.dnnl import DnnlOp, PartitionOp, dtype_name
from autosplit.runtime.dnnl.process import Library

_MAKERS = frozenset({"Add", "BiasAdd", "Convolution", "ConvTranspose", "MatMul"})
"""Ops whose results the library quantizes in the same kernel, with or without an activation between."""

_LIMITS = {"u8": np.iinfo(np.uint8), "s8": np.iinfo(np.int8)}


def as_told(op: PartitionOp) -> tuple[PartitionOp, list[int]]:
    """The partition, or a copy, as the library gets it; and which operand each argument stands for."""
    return without_shared_inputs(without_idle_clips(op))


def without_shared_inputs(op: PartitionOp) -> tuple[PartitionOp, list[int]]:
    """The partition, or a copy, with every argument read once; and which operand each argument stands for.

    Where one tensor is both what a convolution reads and what is added to it, 3.6 computes wrong sums; two
    tensors that lie in the same memory are right in all versions.
    """
    origins, constants = list(range(len(op.inputs))), list(op.constant_indices)
    if all(argument.uses.get_length() < 2 for argument in op.body.block.args):
        return op, origins
    copy = op.clone()
    block = copy.body.block
    for index, argument in enumerate(list(block.args)):
        for use in list(argument.uses)[1:]:
            if isinstance(use.operation, DnnlOp):
                if index in constants:
                    constants.append(len(block.args))
                use.operation.operands[use.index] = block.insert_arg(argument.type, len(block.args))
                origins.append(index)
    copy.set_constants(constants)
    return copy, origins


def slow_together(ops: Sequence[DnnlOp], library: Library) -> set[SSAValue]:
    """Results that no later op is to be fused to: those of a SoftMax, on a processor without AVX-512.

    Its kernel there has float32 results only: 3.2 takes 180 ms for u8[1, 12, 384, 384] by its reference
    kernel, and 1.7 ms for float32 with a Quantize behind it.
    """
    return set() if library.has_avx512 else {op.results[0] for op in ops if op.kind == "SoftMax"}


def without_idle_clips(op: PartitionOp) -> PartitionOp:
    """The partition, or a copy without each ReLU and Clamp that changes no result.

    An op changes none if only Quantize ops read it, and their least and largest integers stand for its
    bounds: what is beyond saturates to the same integer. ONNX Runtime and OpenVINO leave it out, too.
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
    scales = np.array(reader.numbers("scales"), np.float32)
    zps = np.array(reader.ints("zps") or [0])
    below, above = np.float32(low) / scales + zps, np.float32(high) / scales + zps
    # A bound near the middle between two integers becomes one or the other, as the kernel divides.
    return bool((below <= limits.min + 0.49).all() and (above >= limits.max - 0.49).all())
