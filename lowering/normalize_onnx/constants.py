"""Folding: what follows from constants and from shapes is a constant, and a decided If is its branch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeVar

import numpy as np
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.onnx.ops import ConstantOp, IfOp
from autosplit.dialects.onnx.tensors import tensor_type
from autosplit.dialects.platform import element_type, set_type, static_shape
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.rewriting import located, why
from autosplit.lowering.shared.fold import AnyArray, can_fold, evaluate, folded_constant
from autosplit.lowering.shared.types import join
from autosplit.lowering.sizes.branches import branch_taken
from autosplit.lowering.sizes.size_walk import SizeWalk

OpT = TypeVar("OpT", bound=OnnxOp)


class _Constant(BuildingPattern[OpT]):
    """An op `->` constants; `known` gets their values by name, where it is given."""

    def __init__(self, values: ModuleValues, known: dict[str, Attribute] | None):
        super().__init__(values)
        self.known = known

    def become(self, op: OnnxOp, arrays: Sequence[AnyArray], rewriter: PatternRewriter) -> None:
        """Replaces the op's results by constants, all that have a name or a user."""
        for index, (result, array) in enumerate(zip(op.results, arrays, strict=False)):
            if not (name := op.value_name(index)) and result.first_use is None:
                continue
            constant = folded_constant(name, array, self.values.store, op.location)
            constant.results[0].name_hint = result.name_hint
            self.note(name, constant.value)
            rewriter.insert(constant)
            rewriter.replace_all_uses_with(result, constant.results[0])
        self.values.constants.forget(op.results)
        rewriter.erase(op)

    def note(self, name: str, value: Attribute) -> None:
        if self.known is not None and name:
            self.known[name] = value


class ConstantNode(_Constant[ConstantOp]):
    """`Constant {value} -> initializer {value}`; one that holds a tensor keeps the very attribute."""

    def rewrite(self, op: ConstantOp, rewriter: PatternRewriter, /) -> None:
        value = op.fields.get("value")
        if value is not None and (type := tensor_type(value)) is not None:
            initializer = InitializerOp(op.value_name(0), value, type, op.location)
            self.note(op.value_name(0), value)
            rewriter.replace(op, initializer)
            return
        array = self.values.array(op.results[0])
        if array is None or array.dtype.kind in "OUS":
            why(op, "its value is not an array of numbers")
            return
        self.become(op, [array], rewriter)


class FoldConstants(_Constant[OnnxOp]):
    """`op(constants) -> constant`, and the same where all elements follow from sizes that are known.

    With `int8`, weights stay quantized.
    """

    def __init__(
        self,
        values: ModuleValues,
        known: dict[str, Attribute] | None,
        sizes: SizeWalk,
        int8: bool,
    ):
        super().__init__(values, known)
        self.sizes = sizes
        self.int8 = int8

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if not can_fold(op) or not op.operands or (self.int8 and _is_weight(op)):
            return
        if (arrays := self._results(op)) is not None:
            self.become(op, arrays, rewriter)

    def _results(self, op: OnnxOp) -> list[AnyArray] | None:
        """The results of an op, where they follow from constants and from shapes."""
        if op.op_type == "Size" and (shape := static_shape(op.operands[0].type)) is not None:
            return [np.array(np.prod(shape, dtype=np.int64), np.int64)]
        if all(self.values.is_constant(v) for v in op.operands):
            return self._evaluated(op)
        return self._followed(op)

    def _followed(self, op: OnnxOp) -> list[AnyArray] | None:
        """The results of an op of which all elements follow from sizes that are known."""
        arrays: list[AnyArray] = []
        for result in op.results:
            partial = self.sizes.computed(result)
            element = element_type(result.type)
            if partial is None or not all(isinstance(n, int) for n in partial.reshape(-1)):
                return None
            dtype = None if element is None else dtype_of(element)
            try:
                arrays.append(partial.astype(np.int64 if dtype is None else dtype))
            except OverflowError:
                # Sizes are tracked as Python integers, which do not wrap like the model's.
                return None
        return arrays

    def _evaluated(self, op: OnnxOp) -> list[AnyArray] | None:
        sizes = [static_shape(r.type) for r in op.results]
        inputs = sum(prod(static_shape(v.type) or (0,)) for v in op.operands)
        if any(s is not None and prod(s) > max(inputs, 1 << 20) for s in sizes):
            why(op, "its result is much larger than its operands")
            return None
        operands = [None if v is None else self.values.array(v) for v in op.inputs]
        if any(a is None for a, v in zip(operands, op.inputs, strict=True) if v is not None):
            why(op, "the value of an operand is missing")
            return None
        return evaluate(op, operands, self.values.constants.store)


def _is_weight(op: OnnxOp) -> bool:
    """Whether an op dequantizes more than a single number, so that its operand may be quantized weights."""
    if op.op_type != "DequantizeLinear":
        return False
    return static_shape(op.operands[0].type) not in ((), (1,))


class FoldIf(BuildingPattern[IfOp]):
    """`if true { x } else { y } -> x`. Without `simplify` its results get the types of that branch."""

    def __init__(self, values: ModuleValues, simplify: bool):
        super().__init__(values)
        self.simplify = simplify

    def rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        graph = dict(op.graphs).get(branch_taken(op, self.values.constants))
        if graph is None:
            why(op, "its condition is unknown")
            return
        values = [v for _, v in graph.graph_outputs()]
        if not self.simplify:
            for result, value in zip(op.results, values, strict=True):
                if (type := join(result.type, value.type)) != result.type:
                    set_type(result, type)
                    rewriter.notify_op_modified(op)
            return
        for branch_op in list(graph.body.block.ops):
            if not isinstance(branch_op, ReturnOp):
                branch_op.detach()
                rewriter.insert(located(branch_op, op, branch_op))
        for result, value in zip(op.results, values, strict=True):
            rewriter.replace_all_uses_with(result, value)
        rewriter.erase(op)
