"""What is computed along axes: the softmax of older opsets, which works on rows, and the mean of an image."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import ReduceMeanOp, ReshapeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.rewriting import why

ON_ROWS = frozenset({"Hardmax", "LogSoftmax", "Softmax"})


class SoftmaxOfRows(OnnxPattern[ReshapeOp]):
    """`reshape(softmax(flatten(x)), shape(x)) -> softmax(x)`, where rows are the last axis of `x`.

    Canonical forms are made before all ranks are known; sizes that vary leave the Reshape in the way of
    chips.
    """

    def rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        soft = _producer(op, 0)
        if soft is None or soft.op_type not in ON_ROWS:
            return
        rows = _producer(soft, 0)
        if attribute(soft, "axis", -1) not in (1, -1) or rows is None or rows.op_type != "Flatten":
            why(op, "what it reshapes is not computed on rows")
            return
        x = rows.operands[0]
        shape, axis = shape_of(x.type), attribute(rows, "axis", 1)
        if not _restores(op, x) or shape is None or axis not in (len(shape) - 1, -1):
            why(op, "it does not restore the shape, or rows are not the last axis")
            return
        fields = {"axis": len(shape) - 1}
        e = self.replacement(op, rewriter)
        e.replace([x], op_type=soft.op_type, drop=("allowzero",), add=fields)


class MeanAsPool(OnnxPattern[ReduceMeanOp]):
    """`reduce_mean(dq(x), [2, 3]) -> squeeze(global_average_pool(dq(x)), [2, 3])`.

    With `keepdims` the pool alone. The library pools 8-bit images, and its ReduceMean takes none. Tensors of
    three dimensions are left alone: a mean over the last one is part of a norm.
    """

    def rewrite(self, op: ReduceMeanOp, rewriter: PatternRewriter, /) -> None:
        image = _producer(op, 0)
        if image is None or image.op_type != "DequantizeLinear":
            why(op, "its operand is not dequantized")
            return
        shape, axes = shape_of(op.operands[0].type) or (), operand(op, 1)
        rank = len(shape)
        array = None if axes is None else self.values.array(axes)
        reduced_axes = [] if array is None else sorted(int(a) % rank for a in array.reshape(-1))
        if rank < 4 or reduced_axes != [*range(2, rank)] or min(shape[2:]) < 0:
            why(op, "it is not over an image whose size is known")
            return
        e = self.replacement(op, rewriter)
        drop = ("keepdims", "noop_with_empty_axes")
        if attribute(op, "keepdims", 1):
            e.replace([op.operands[0]], op_type="GlobalAveragePool", drop=drop)
            return
        element = element_type(op.operands[0].type)
        assert element is not None
        type = TensorType(element, [*shape[:2], *[1] * (rank - 2)])
        pool = e.node("pool", "GlobalAveragePool", [op.operands[0]], type=type)
        e.replace([pool, op.operands[1]], op_type="Squeeze", drop=drop)


def _producer(op: OnnxOp, index: int) -> OnnxOp | None:
    value = operand(op, index)
    owner = None if value is None else value.owner
    return owner if isinstance(owner, OnnxOp) else None


def _restores(op: OnnxOp, x: SSAValue) -> bool:
    """Whether a Reshape gives the shape of `x` again: as it says, or as one size that varies must be."""
    sizes = _producer(op, 1)
    if sizes is not None and sizes.op_type == "Shape" and sizes.operands[0] is x:
        return not attribute(sizes, "start", 0) and attribute(sizes, "end") is None
    shape = shape_of(x.type)
    return shape == shape_of(op.results[0].type) and sum(d < 0 for d in shape or ()) == 1
