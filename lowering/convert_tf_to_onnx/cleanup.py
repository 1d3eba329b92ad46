"""What follows the conversions: batch norms re-composed, identities and cancelling transposes removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.ops import (
    IdentityOp,
    InitializerOp,
    OnnxOp,
    ReshapeOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from autosplit.dialects.platform import location_names, name_location
from autosplit.lowering.convert_tf_to_onnx.batch_norm import RecomposeBatchNorm
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.convert_tf_to_onnx.sinking import sinking
from autosplit.lowering.convert_tf_to_onnx.types import static_of
from autosplit.lowering.rewriting import Pattern, apply_to, why
from autosplit.lowering.shared.dead import Dead
from autosplit.lowering.shared.names import rename


def clean_up(block: Block, constants: KnownValues, keep: frozenset[str]) -> None:
    """Simplifies the onnx ops of a block in place. The values called `keep` stay, in their layout."""
    constants.forget()
    dead = [Dead(keep)]
    tidy = [RemoveIdentity(keep), PullName(keep)]
    steps: list[Sequence[Pattern[Any]]] = [
        [FoldConstantMove(constants)],
        tidy,
        dead,
        [RecomposeBatchNorm(constants)],
        sinking(constants, keep),
        tidy,
        dead,
    ]
    for patterns in steps:
        # Not list(block.ops), which counts the ops first, one by one.
        ops = [*iter(block.ops)]
        apply_to(reversed(ops) if patterns is dead else ops, patterns)


class RemoveIdentity(Pattern[IdentityOp]):
    """identity(x) -> x, except for results that must keep their name"""

    def __init__(self, keep: frozenset[str]):
        self.keep = keep

    def rewrite(self, op: IdentityOp, rewriter: PatternRewriter, /) -> None:
        if op.value_name(0) not in self.keep:
            rewriter.replace_all_uses_with(op.results[0], op.operands[0])
            rewriter.erase(op)


class PullName(Pattern[IdentityOp]):
    """A value that only an Identity reads takes the name of the Identity, which is removed."""

    def __init__(self, keep: frozenset[str]):
        self.keep = keep

    def rewrite(self, op: IdentityOp, rewriter: PatternRewriter, /) -> None:
        source = op.operands[0]
        producer = source.owner
        if not isinstance(producer, OnnxOp) or isinstance(producer, InitializerOp):
            return why(op, "no node of ONNX makes its operand")
        index = producer.results.index(source)
        if not source.has_one_use() or producer.value_name(index) in self.keep:
            return why(op, "others read its operand, too")
        if producer.parent is not op.parent:
            return None
        name = op.value_name(0)
        names = [*location_names(producer.location), *location_names(op.location)]
        rewriter.replace_all_uses_with(op.results[0], source)
        rewriter.erase(op)
        rename(producer, index, name)
        producer.location = name_location(names)
        return rewriter.notify_op_modified(producer)


class FoldConstantMove(Pattern[ReshapeOp | SqueezeOp | TransposeOp | UnsqueezeOp]):
    """reshape(constant) -> a constant whose data stays in place; squeeze, unsqueeze and transpose alike"""

    def __init__(self, constants: KnownValues):
        self.constants = constants

    def rewrite(
        self,
        op: ReshapeOp | SqueezeOp | TransposeOp | UnsqueezeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        source = self.constants.source(op.operands[0])
        shape_before = None if source is None else static_of(source.results[0])
        if source is None or shape_before is None:
            return
        perm = list(range(len(shape_before)))
        shape: Sequence[int] | None = None
        if isinstance(op, TransposeOp):
            perm = cast("list[int]", op.attribute("perm"))
        elif (shape := moved_shape(op, shape_before, self.constants)) is None:
            return why(op, "the shape that it gives a constant is unknown")
        name = op.value_name(0)
        new = self.constants.rearrange(source, perm, shape, name, op.location)
        rewriter.replace(op, new)


def moved_shape(op: OnnxOp, shape: Sequence[int], constants: KnownValues) -> Sequence[int] | None:
    """The shape of a reshaped, squeezed or unsqueezed constant; None if it is unknown."""
    operand = constants.array(op.operands[1]) if len(op.operands) > 1 else None
    if operand is None and (op.op_type != "Squeeze" or len(op.operands) > 1):
        return None
    # A view of no bytes: only its shape matters.
    view = np.broadcast_to(np.zeros((), np.bool_), tuple(shape))
    axes = None if operand is None else tuple(int(a) for a in operand.reshape(-1))
    try:
        if op.op_type == "Squeeze":
            return np.squeeze(view, axes).shape
        if op.op_type == "Unsqueeze":
            return np.expand_dims(view, axes or ()).shape
        dims = [int(d) for d in (operand if operand is not None else ())]
        if not op.attribute("allowzero", 0):
            dims = [shape[i] if d == 0 else d for i, d in enumerate(dims)]
        return view.reshape(dims).shape
    except (ValueError, IndexError):
        return None
