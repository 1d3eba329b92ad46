"""Binary arithmetic in the form that fuses: no neutral constants, single numbers second and as vectors."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.ops import AddOp, DivOp, MaxOp, MinOp, MulOp, SubOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.rewriting import set_operand, why
from autosplit.lowering.shared.fold import AnyArray
from autosplit.lowering.shared.types import join

Commutative: TypeAlias = AddOp | MulOp | MaxOp | MinOp


class NumberSecond(OnnxPattern[Commutative]):
    """`add(1, x) -> add(x, 1)`, for a constant of one element where the order does not matter."""

    def rewrite(self, op: Commutative, rewriter: PatternRewriter, /) -> None:
        if len(op.operands) != 2:
            return
        left, right = op.operands
        if self.values.is_constant(right) or _single(self.values, op, 0) is None:
            why(op, "its first operand is not a constant of one element, or both are")
            return
        set_operand(rewriter, op, 0, right)
        set_operand(rewriter, op, 1, left)


class DropNeutral(OnnxPattern[AddOp | SubOp | MulOp | DivOp]):
    """`x + 0`, `x - 0`, `x * 1` and `x / 1` `->` `x`, where type and shape stay."""

    def rewrite(self, op: AddOp | SubOp | MulOp | DivOp, rewriter: PatternRewriter, /) -> None:
        array = self.values.array(op.operands[1])
        neutral = 0 if isinstance(op, AddOp | SubOp) else 1
        if array is None or array.size == 0 or not (array == neutral).all():
            why(op, "its second operand is not neutral")
            return
        x = op.operands[0]
        shape = shape_of(x.type)
        if shape is None or not _fits_into(array.shape, shape):
            why(op, "its constant may change the shape")
        elif join(x.type, op.results[0].type) != x.type:
            why(op, "its result is of another type than its operand")
        else:
            self.replacement(op, rewriter).replace_value(x)


class NumberAsVector(OnnxPattern[Commutative | DivOp | SubOp]):
    """`add(x, 1) -> add(x, [1])`, for a second operand of one f32: the library knows no scalars."""

    def rewrite(self, op: Commutative | DivOp | SubOp, rewriter: PatternRewriter, /) -> None:
        if len(op.operands) != 2:
            return
        array = _single(self.values, op, 1)
        shape = shape_of(op.operands[0].type)
        if array is None or shape is None or array.shape == (1,):
            why(op, "its second operand is not a constant of one element, or a vector")
            return
        # Replacing a constant of higher rank would remove dimensions from the result.
        if element_type(op.operands[1].type) != f32 or not shape or array.ndim > len(shape):
            why(op, "its constant is not of f32, or of a higher rank than its other operand")
            return
        vector = self.replacement(op, rewriter).constant("number", array.reshape(1))
        set_operand(rewriter, op, 1, vector)


def _single(values: ModuleValues, op: OnnxOp, index: int) -> AnyArray | None:
    """The constant of operand `index` where it has one element."""
    array = values.array(op.operands[index])
    return array if array is not None and array.size == 1 and array.dtype.kind in "biuf" else None


def _fits_into(small: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether broadcasting `small` to `shape` leaves `shape` as it is, whatever its unknown sizes are."""
    if len(small) > len(shape):
        return False
    return all(a in (1, b) for a, b in zip(small[::-1], shape[::-1], strict=False))
