"""Turns masks that select between scores and a constant into summands, which a product's kernel adds."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import WhereOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.fold import AnyArray, folded_constant

HIDDEN = -1e4
"""A score of this or less is meant to have no weight after the softmax."""

LOWEST = -1e30
"""The summand instead: scores vanish next to it, so entirely hidden rows stay uniform."""


class MaskBySum(BuildingPattern[WhereOp]):
    """`softmax(where(seen, scores, -10000)) -> softmax(scores + where(seen, 0, -1e30))`.

    Masks of the same condition become one. Refused if the constant is not far below all scores.
    """

    def __init__(self, values: ModuleValues):
        super().__init__(values)
        self.known: dict[tuple[SSAValue, int], SSAValue] = {}

    def rewrite(self, op: WhereOp, rewriter: PatternRewriter, /) -> None:
        if not _feeds_softmax(op.results[0]):
            return
        condition, *branches = op.operands
        index = next((i for i in (0, 1) if self._hides(branches[i])), None)
        if index is None or element_type(op.results[0].type) != f32:
            why(op, "it does not put a number far below all scores in the place of some")
            return
        scores = branches[1 - index]
        if shape_of(scores.type) != shape_of(op.results[0].type):
            why(op, "the mask makes the scores larger")
            return
        mask = self._mask(op, condition, index, rewriter)
        masked = make_node(
            "Add",
            [scores, mask],
            [op.value_name(0)],
            result_types=[op.results[0].type],
            node_name=op.node_name.data,
            location=op.location,
        )
        rewriter.replace(op, masked)

    def _hides(self, value: SSAValue) -> bool:
        array = self.values.array(value)
        return array is not None and array.size == 1 and float(array.reshape(-1)[0]) <= HIDDEN

    def _mask(
        self, op: OnnxOp, condition: SSAValue, hidden: int, rewriter: PatternRewriter
    ) -> SSAValue:
        """The summand: 0 where scores are visible."""
        if (mask := self.known.get((condition, hidden))) is not None:
            return mask
        name = self.values.fresh(f"{op.value_name(0) or 'scores'}__mask")
        numbers = [np.float32(LOWEST if i == hidden else 0) for i in (0, 1)]
        array = self.values.array(condition)
        if array is not None:
            mask_array: AnyArray = np.where(array, numbers[0], numbers[1])
            ops: list[Operation] = [
                folded_constant(name, mask_array, self.values.store, op.location)
            ]
        else:
            constants = [
                folded_constant(
                    self.values.fresh(f"{name}_{i}"), np.array([n], np.float32), None, op.location
                )
                for i, n in enumerate(numbers)
            ]
            shape = shape_of(condition.type)
            choice = make_node(
                "Where",
                [condition, *(s.results[0] for s in constants)],
                [name],
                result_types=[TensorType(f32, list(shape or ()))],
                node_name=name,
                location=op.location,
            )
            ops = [*constants, choice]
        rewriter.insert(ops, self._insert_point(condition, op))
        self.known[condition, hidden] = ops[-1].results[0]
        return ops[-1].results[0]

    @staticmethod
    def _insert_point(condition: SSAValue, op: OnnxOp) -> InsertPoint:
        """Right behind the producer of the condition, so that all later masks can use it too."""
        producer = condition.owner
        if isinstance(producer, Operation):
            return InsertPoint.after(producer)
        return InsertPoint.at_start(producer)


def _feeds_softmax(value: SSAValue) -> bool:
    """Whether a softmax is the only user of a value, possibly through another sum."""
    while value.has_one_use():
        user = next(iter(value.uses)).operation
        if not isinstance(user, OnnxOp) or user.domain != "" or not user.results:
            return False
        if user.op_type == "Softmax":
            return True
        if user.op_type != "Add":
            return False
        value = user.results[0]
    return False
