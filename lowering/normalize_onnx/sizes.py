"""Shape and Size read a value that is there anyway, so that they keep no op from its group."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import InitializerOp, OnnxOp, attribute
from autosplit.dialects.onnx.ops import ShapeOp, SizeOp
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.rewriting import set_operand, why
from autosplit.lowering.sizes.onnx_rules import SAME_SHAPE

SAME_IMAGES = frozenset(
    {
        "AveragePool",
        "BatchNormalization",
        "Conv",
        "ConvTranspose",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "InstanceNormalization",
        "MaxPool",
    }
)
"""Ops whose result has the first size of their first operand."""

QUESTIONS = ("Shape", "Size")


class DeferSize(OnnxPattern[ShapeOp | SizeOp]):
    """`shape(relu(x)) -> shape(x)`, and the like: it reads a value that is there in any case.

    That is an input or a quantized value; where there is none, the last of the values that are made one
    from the other. A result in the middle would have a second reader, and end its group. Where only the
    first size is asked for, values of other shapes serve that share it.
    """

    def rewrite(self, op: ShapeOp | SizeOp, rewriter: PatternRewriter, /) -> None:
        x = op.operands[0]
        above = [x, *_above(x, only_first=_asks_for_first(self.values, op))]
        best = next((v for v in reversed(above) if _is_free(v)), None)
        if best is None:
            # Further down, too, only where all sizes are the same.
            top = [x, *_above(x, only_first=False)][-1]
            best = _last_of_chain(top, op)
            _put_before(best, op)
        if best is x:
            why(op, "no other value of this shape is there in any case")
        else:
            set_operand(rewriter, op, 0, best)


def _above(value: SSAValue, *, only_first: bool) -> Iterator[SSAValue]:
    """The values that a value has all its sizes from, or only its first, the nearest first."""
    kinds = SAME_SHAPE | SAME_IMAGES if only_first else SAME_SHAPE
    while isinstance(maker := value.owner, OnnxOp) and maker.domain == "" and maker.operands:
        if maker.op_type not in kinds or value is not maker.results[0]:
            return
        value = maker.operands[0]
        yield value


def _asks_for_first(values: ModuleValues, op: OnnxOp) -> bool:
    """Whether nothing but the first size is read of a Shape."""
    if op.op_type != "Shape" or attribute(op, "start", 0) != 0:
        return False
    if (end := attribute(op, "end")) is not None:
        return end == 1
    for use in op.results[0].uses:
        reader = use.operation
        if not isinstance(reader, OnnxOp) or (reader.op_type, use.index) != ("Gather", 0):
            return False
        index = values.array(reader.operands[1])
        if index is None or index.any():
            return False
    return op.results[0].first_use is not None


def _is_free(value: SSAValue) -> bool:
    """Whether a value is there whatever is fused: an input, a constant, or integers that end a group."""
    maker = value.owner
    return (
        not isinstance(maker, OnnxOp)
        or maker.op_type == "QuantizeLinear"
        or _is_from_outside(value)
    )


def _is_from_outside(value: SSAValue) -> bool:
    return isinstance(value.owner, Block | InitializerOp)


def _last_of_chain(value: SSAValue, question: OnnxOp) -> SSAValue:
    """The last value that ops make of one, each alone reading what the one before made; integers end it."""
    while (reader := _only_reader(value)) is not None and reader.parent is question.parent:
        value = reader.results[0]
        if reader.op_type == "QuantizeLinear":
            break
    return value


def _only_reader(value: SSAValue) -> OnnxOp | None:
    """The op that keeps the shape of a value and alone reads it, apart from questions for its sizes."""
    readers = [
        use.operation
        for use in value.uses
        if not (isinstance(use.operation, OnnxOp) and use.operation.op_type in QUESTIONS)
    ]
    if len(readers) != 1 or not isinstance(reader := readers[0], OnnxOp) or reader.domain != "":
        return None
    if reader.op_type not in SAME_SHAPE or reader.operands[0] is not value:
        return None
    return reader if all(_is_from_outside(v) for v in reader.operands[1:]) else None


def _put_before(value: SSAValue, question: OnnxOp) -> None:
    """Moves what makes a value, and stands behind the question, in front of it."""
    maker, block = value.owner, question.parent
    if block is None or not isinstance(maker, OnnxOp) or maker.parent is not block:
        return
    if maker.is_before_in_block(question):
        return
    for operand in maker.operands:
        _put_before(operand, question)
    maker.detach()
    block.insert_op_before(maker, question)
