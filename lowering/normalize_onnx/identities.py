"""Ops that give their operand."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import operand
from autosplit.dialects.onnx.ops import DropoutOp, FlattenOp, IdentityOp, ReshapeOp
from autosplit.dialects.platform import set_type, static_shape
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.types import join


class DropIdentity(OnnxPattern[IdentityOp | DropoutOp]):
    """`identity(x) -> x`, and a Dropout that does not train; not where a name among `kept` would go."""

    def __init__(self, values: ModuleValues, kept: frozenset[str]):
        super().__init__(values)
        self.kept = kept

    def rewrite(self, op: IdentityOp | DropoutOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, DropoutOp) and not self._is_identity(op):
            why(op, "it trains, or its mask is read")
        elif op.value_name(0) in self.kept:
            why(op, "its name is read")
        else:
            source = op.operands[0]
            set_type(source, join(source.type, op.results[0].type))
            self.replacement(op, rewriter).replace_value(source)

    def _is_identity(self, op: DropoutOp) -> bool:
        if any(r.first_use is not None for r in list(op.results)[1:]):
            return False
        if (training := operand(op, 2)) is None:
            return True
        array = self.values.array(training)
        return array is not None and not array.any()


class ReshapedBack(OnnxPattern[ReshapeOp]):
    """`reshape(reshape(x)) -> x`, to the shape of `x`; the inner one may be a Flatten."""

    def rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        inner = op.operands[0].owner
        if not isinstance(inner, FlattenOp | ReshapeOp):
            return
        source = inner.operands[0]
        shape = static_shape(source.type)
        if shape is None or shape != static_shape(op.results[0].type):
            why(op, "what it reshapes back had another shape, or sizes are unknown")
            return
        self.replacement(op, rewriter).replace_value(source)
