"""Dead code: what nothing reads."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.lowering.rewriting import Pattern, apply_to
from autosplit.lowering.shared.blocks import data_order, outer_blocks, protected_names


class Dead(Pattern[OnnxOp]):
    """An ONNX op whose results nothing reads `->` nothing: all ONNX ops are pure.

    Except those with a result that a caller reads by a name among `kept`.
    """

    def __init__(self, kept: frozenset[str] = frozenset()):
        self.kept = kept

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        is_read = any(result.first_use is not None for result in op.results)
        if not is_read and op.results and self.kept.isdisjoint(op.output_names):
            rewriter.erase(op)
            return
        for _, graph in op.graphs:
            remove_dead(graph.body.block)


def remove_dead(block: Block, kept: frozenset[str] = frozenset()) -> None:
    """Erases the dead ops of a block and of the bodies in it, readers before producers."""
    apply_to(reversed(data_order(block)), [Dead(kept)])


def remove_dead_ops(module: ModuleOp) -> None:
    """Erases the dead ops of a module's graphs, but for those that a caller reads."""
    for block in outer_blocks(module):
        remove_dead(block, protected_names(block))
