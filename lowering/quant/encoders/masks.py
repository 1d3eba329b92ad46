"""Masks that choose between scores and a constant become summands, which products have for nothing."""

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
"""A score of this or less is meant to have no weight behind the softmax."""

LOWEST = -1e30
"""What is added instead: beside it, no score is left, so that rows that are hidden whole stay even."""


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
        condition, *sides = op.operands
        index = next((i for i in (0, 1) if self._hides(sides[i])), None)
        if index is None or element_type(op.results[0].type) != f32:
            why(op, "it does not put a number far below all scores in the place of some")
            return
        scores = sides[1 - index]
        if shape_of(scores.type) != shape_of(op.results[0].type):
            why(op, "the mask makes the scores larger")
            return
        mask = self._mask(op, condition, index, rewriter)
        new = make_node(
            "Add",
            [scores, mask],
            [op.value_name(0)],
            result_types=[op.results[0].type],
            node_name=op.node_name.data,
            location=op.location,
        )
        rewriter.replace(op, new)

    def _hides(self, value: SSAValue) -> bool:
        array = self.values.array(value)
        return array is not None and array.size == 1 and float(array.reshape(-1)[0]) <= HIDDEN

    def _mask(
        self, op: OnnxOp, condition: SSAValue, hidden: int, rewriter: PatternRewriter
    ) -> SSAValue:
        """What is added: 0 where scores are seen."""
        if (mask := self.known.get((condition, hidden))) is not None:
            return mask
        name = self.values.fresh(f"{op.value_name(0) or 'scores'}__mask")
        numbers = [np.float32(LOWEST if i == hidden else 0) for i in (0, 1)]
        array = self.values.array(condition)
        if array is not None:
            chosen: AnyArray = np.where(array, numbers[0], numbers[1])
            ops: list[Operation] = [folded_constant(name, chosen, self.values.store, op.location)]
        else:
            sides = [
                folded_constant(
                    self.values.fresh(f"{name}_{i}"), np.array([n], np.float32), None, op.location
                )
                for i, n in enumerate(numbers)
            ]
            shape = shape_of(condition.type)
            choice = make_node(
                "Where",
                [condition, *(s.results[0] for s in sides)],
                [name],
                result_types=[TensorType(f32, list(shape or ()))],
                node_name=name,
                location=op.location,
            )
            ops = [*sides, choice]
        rewriter.insert(ops, self._place(condition, op))
        self.known[condition, hidden] = ops[-1].results[0]
        return ops[-1].results[0]

    @staticmethod
    def _place(condition: SSAValue, op: OnnxOp) -> InsertPoint:
        """Right behind what makes the condition, so that all later ones can read it too."""
        maker = condition.owner
        if isinstance(maker, Operation):
            return InsertPoint.after(maker)
        return InsertPoint.at_start(maker)


def _feeds_softmax(value: SSAValue) -> bool:
    """Whether a softmax alone reads a value, perhaps shifted by another sum."""
    while value.has_one_use():
        reader = next(iter(value.uses)).operation
        if not isinstance(reader, OnnxOp) or reader.domain != "" or not reader.results:
            return False
        if reader.op_type == "Softmax":
            return True
        if reader.op_type != "Add":
            return False
        value = reader.results[0]
    return False
