"""The weights of products by channel: what of them meets which channel of the input and of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import shape_of, value_name
from autosplit.lowering.building import ModuleValues

Floats = NDArray[np.floating[Any]]

RANKS = {
    "Conv": range(3, 9),
    "ConvTranspose": range(3, 9),
    "Gemm": range(2, 3),
    "MatMul": range(2, 9),
}
"""How many dimensions weights have, by type of the product."""


def channel_counts(op: OnnxOp) -> tuple[int, int] | None:
    """How many channels the input and the result of a product have, by the shape of its weights.

    None if that is unknown or does not fit the product.
    """
    shape = shape_of(op.operands[1].type)
    if shape is None or len(shape) not in RANKS[op.op_type] or min(shape) < 1:
        return None
    groups = int(attribute(op, "group", 1)) if op.op_type.startswith("Conv") else 1
    if groups < 1 or (op.op_type.startswith("Conv") and shape[0] % groups):
        return None
    match op.op_type:
        case "Conv":
            return shape[1] * groups, shape[0]
        case "ConvTranspose":
            return shape[0], shape[1] * groups
        case "Gemm" if attribute(op, "transB", 0):
            return shape[1], shape[0]
        case _:
            return shape[-2], shape[-1]


def grouped(op: OnnxOp, weights: Floats) -> Floats:
    """Weights as groups, inputs of a group, results of a group, and the rest: a view of contiguous ones.

    They fit the product, as `channel_counts` says.
    """
    match op.op_type:
        case "Conv" | "ConvTranspose":
            groups = int(attribute(op, "group", 1))
            view = weights.reshape(groups, weights.shape[0] // groups, weights.shape[1], -1)
            return view.transpose(0, 2, 1, 3) if op.op_type == "Conv" else view
        case "Gemm":
            turned = weights.T if attribute(op, "transB", 0) else weights
            return turned[np.newaxis, :, :, np.newaxis]
        case _:
            view = weights.reshape(-1, *weights.shape[-2:])
            return view.transpose(1, 2, 0)[np.newaxis]


def input_axis(op: OnnxOp) -> int | None:
    """The dimension of a product's first operand that holds its channels."""
    if op.op_type == "Gemm":
        return 0 if attribute(op, "transA", 0) else 1
    return _channels_axis(op, op.operands[0])


def result_axis(op: OnnxOp) -> int | None:
    """The dimension of a product's result that holds its channels."""
    return 1 if op.op_type == "Gemm" else _channels_axis(op, op.results[0])


def _channels_axis(op: OnnxOp, value: SSAValue) -> int | None:
    if op.op_type != "MatMul":
        return 1
    shape = shape_of(value.type)
    return None if not shape else len(shape) - 1


def readable(op: OnnxOp, values: ModuleValues) -> Floats:
    """The constant weights of a product. Raises AutosplitError if nobody has them."""
    array = values.array(op.operands[1])
    if array is None:
        raise AutosplitError(
            f"{op.identity!r}: the weights {value_name(op.operands[1])!r} cannot be read; quantizing needs "
            "them"
        )
    return array


def with_exponents(
    op: OnnxOp, weights: Floats, inner: NDArray[np.int64] | None, outer: NDArray[np.int64] | None
) -> Floats:
    """The weights times powers of two, one for each channel of the input and one for each of the result."""
    scaled = np.array(weights, order="C")
    view = grouped(op, scaled)
    if inner is not None:
        np.ldexp(view, inner.reshape(view.shape[0], -1, 1, 1), out=view)
    if outer is not None:
        np.ldexp(view, outer.reshape(view.shape[0], 1, -1, 1), out=view)
    return scaled


def largest(op: OnnxOp, weights: Floats) -> NDArray[np.float64]:
    """The largest magnitude of the weights between each input and each result of each group."""
    view = grouped(op, np.ascontiguousarray(weights))
    return np.abs(view).max(axis=3, initial=0).astype(np.float64)
