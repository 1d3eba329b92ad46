"""Computes the work of partitions from their shapes."""

from __future__ import annotations

from math import prod

from autosplit.dialects.dnnl import DnnlOp, PartitionOp
from autosplit.dialects.platform import shape_of


def multiply_adds(partition: PartitionOp) -> int | None:
    """The multiply-adds of a partition's products; None if a size is unknown."""
    counts = [_of_product(op) for op in partition.body_ops]
    return None if None in counts else sum(n for n in counts if n is not None)


def _of_product(op: DnnlOp) -> int | None:
    if op.kind not in ("Convolution", "ConvTranspose", "MatMul"):
        return 0
    source, weights, result = (shape_of(v.type) for v in (*op.operands[:2], op.results[0]))
    if source is None or weights is None or result is None or min(*source, *weights, *result) < 0:
        return None
    if op.kind == "MatMul":
        return prod(result) * (source[-2] if op.flag("transpose_a") else source[-1])
    if op.kind == "ConvTranspose":
        return prod(source) * prod(weights) // max(source[1], 1)
    return prod(result) * prod(weights) // max(result[1], 1)
