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
            _move_before(best, op)
        if best is x:
            why(op, "no other value of this shape is there in any case")
        else:
            set_operand(rewriter, op, 0, best)


def _above(value: SSAValue, *, only_first: bool) -> Iterator[SSAValue]:
    """The values that a value has all its sizes from, or only its first, the nearest first."""
    op_types = SAME_SHAPE | SAME_IMAGES if only_first else SAME_SHAPE
    while isinstance(op := value.owner, OnnxOp) and op.domain == "" and op.operands:
        if op.op_type not in op_types or value is not op.results[0]:
            return
        value = op.operands[0]
        yield value


def _asks_for_first(values: ModuleValues, op: OnnxOp) -> bool:
    """Whether nothing but the first size is read of a Shape."""
    if op.op_type != "Shape" or attribute(op, "start", 0) != 0:
        return False
    if (end := attribute(op, "end")) is not None:
        return end == 1
    for use in op.results[0].uses:
        user = use.operation
        if not isinstance(user, OnnxOp) or (user.op_type, use.index) != ("Gather", 0):
            return False
        index = values.array(user.operands[1])
        if index is None or index.any():
            return False
    return op.results[0].first_use is not None


def _is_free(value: SSAValue) -> bool:
    """Whether a value is there whatever is fused: an input, a constant, or integers that end a group."""
    producer = value.owner
    return (
        not isinstance(producer, OnnxOp)
        or producer.op_type == "QuantizeLinear"
        or _is_from_outside(value)
    )


def _is_from_outside(value: SSAValue) -> bool:
    return isinstance(value.owner, Block | InitializerOp)


def _last_of_chain(value: SSAValue, question: OnnxOp) -> SSAValue:
    """The last value that ops make of one, each alone reading what the one before made; integers end it."""
    while (user := _only_user(value)) is not None and user.parent is question.parent:
        value = user.results[0]
        if user.op_type == "QuantizeLinear":
            break
    return value


def _only_user(value: SSAValue) -> OnnxOp | None:
    """The op that keeps the shape of a value and alone reads it, apart from questions for its sizes."""
    users = [
        use.operation
        for use in value.uses
        if not (isinstance(use.operation, OnnxOp) and use.operation.op_type in QUESTIONS)
    ]
    if len(users) != 1 or not isinstance(user := users[0], OnnxOp) or user.domain != "":
        return None
    if user.op_type not in SAME_SHAPE or user.operands[0] is not value:
        return None
    return user if all(_is_from_outside(v) for v in user.operands[1:]) else None


def _move_before(value: SSAValue, question: OnnxOp) -> None:
    """Moves the producers of a value that are behind the question in front of it."""
    producer, block = value.owner, question.parent
    if block is None or not isinstance(producer, OnnxOp) or producer.parent is not block:
        return
    if producer.is_before_in_block(question):
        return
    for operand in producer.operands:
        _move_before(operand, question)
    producer.detach()
    block.insert_op_before(producer, question)
