"""What each kind of ONNX op is to a quantizer."""

from __future__ import annotations

from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import shape_of

PRODUCTS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
"""What 8 bits are for. The operands are 0 and 1."""

MOVES = frozenset(
    {
        "DepthToSpace",
        "Expand",
        "Flatten",
        "Identity",
        "MaxPool",
        "Reshape",
        "Slice",
        "SpaceToDepth",
        "Split",
        "Squeeze",
        "Tile",
        "Transpose",
        "Unsqueeze",
    }
)
"""Results hold numbers of operand 0 and have its scale."""

POOLS = frozenset({"AveragePool", "Concat", "GlobalAveragePool", "Pad", "ReduceMean", "Resize"})
"""Results have a range of their own, and are computed with integers if both sides are: operand 0, all of a
Concat."""

JOINS = frozenset({"Add", "Div", "Mul", "Sub"})
"""What computes one tensor of several."""


def kind_of(op: object) -> str:
    """The type of an op of ONNX's own; empty for any other op."""
    return op.op_type if isinstance(op, OnnxOp) and op.domain == "" else ""


def weights_axis(op: OnnxOp) -> int | None:
    """The dimension of a product's weights that holds its results' channels; None for one scale in all."""
    match op.op_type:
        case "Conv":
            return 0
        case "ConvTranspose":
            # With groups, the dimension holds the channels of one group only.
            return 1 if attribute(op, "group", 1) == 1 else None
        case "Gemm":
            return 0 if attribute(op, "transB", 0) else 1
        case _:
            return 1 if _rank(op.operands[1]) == 2 else None


def _rank(value: SSAValue) -> int:
    return len(shape_of(value.type) or ())
