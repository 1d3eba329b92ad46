"""Which segments of a plan compute with several threads.

ONNX Runtime keeps threads for each session. To wake them takes longer than most segments have to compute, and
a plan may have a hundred: so only the few with much to compute have threads, the others run in the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from xdsl.ir import Operation

from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.ops import OnnxOp
from autosplit.dialects.platform import shape_of

MOST = 4
"""How many segments of a plan may have threads."""

ENOUGH = 4e6
"""The work of a segment that is worth threads: so many elements of elementwise ops, a nanosecond each."""

PRODUCT = 0.05
"""The work of a multiply-add, in elements."""

UNKNOWN = 128
"""What an unknown size is taken for; an unknown first one, mostly the batch, for 1."""

PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")

RECURRENT = ("GRU", "LSTM", "RNN")


def pooled(funcs: Iterable[FuncOp]) -> set[str]:
    """The names of the segments that get threads."""
    works = [(work(func), func.sym_name.data) for func in funcs]
    return {name for amount, name in sorted(works, reverse=True)[:MOST] if amount >= ENOUGH}


def work(func: FuncOp) -> float:
    """How much a segment has to compute, in elements of an elementwise op."""
    return sum(_work(op) for op in func.body.block.ops)


def _work(op: Operation) -> float:
    if not isinstance(op, OnnxOp):
        return 0.0
    if op.op_type in RECURRENT or op.regions:
        return ENOUGH
    shapes = [supposed(shape_of(v.type)) for v in (*op.operands, *op.results)]
    most = max(map(prod, shapes), default=0)
    if op.op_type not in PRODUCTS or len(op.operands) < 2:
        return float(most)
    first, second = shapes[:2]
    elements = prod(supposed(shape_of(op.results[0].type)))
    # Each element of the result of a convolution reads one filter, that of a product one row.
    inner = prod(second[1:]) if op.op_type.startswith("Conv") else (first or (1,))[-1]
    return max(float(most), elements * inner * PRODUCT)


def supposed(shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """A shape with `UNKNOWN` for sizes that are not known, and 1 for the first one."""
    if shape is None:
        return (UNKNOWN, UNKNOWN)
    return tuple(n if n >= 0 else UNKNOWN if i else 1 for i, n in enumerate(shape))
