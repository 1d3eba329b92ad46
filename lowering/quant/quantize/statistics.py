"""Inserts ranges into the IR, behind the values that ops read as 8 bits."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.dialects.quant import StatisticsOp
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.quant.quantize.quant_select import selected_operands
from autosplit.lowering.quant.quantize.roles import MOVES, kind_of
from autosplit.lowering.rewriting import apply_patterns, set_operand
from autosplit.lowering.shared.fold import Constants

Range = tuple[float, float]


def read_as_bytes(module: ModuleOp, constants: Constants) -> list[SSAValue]:
    """The computed values that ops of a selection read as 8 bits, in the order of these."""
    return list(
        dict.fromkeys(
            value
            for op in platform_graph(module).body_ops()
            for value in (op.operands[number] for number in selected_operands(op))
            if not constants.is_constant(value)
        )
    )


def measured_value(value: SSAValue) -> SSAValue:
    """The value whose range a value has: what only moves numbers has that of what it moves."""
    op = value.owner
    while isinstance(op, Operation) and kind_of(op) in MOVES and selected_operands(op) == (0,):
        value = op.operands[0]
        op = value.owner
    return value


class ReadStatistics(BuildingPattern[OnnxOp]):
    """`op(x) -> op(stats(x))` for what a selected op reads as 8 bits."""

    def __init__(self, values: ModuleValues, ranges: Mapping[SSAValue, Range]):
        super().__init__(values)
        self.ranges = ranges
        self._made: dict[SSAValue, SSAValue] = {}

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        for number in selected_operands(op):
            value = op.operands[number]
            if value in self.ranges:
                set_operand(rewriter, op, number, self._measured(value, rewriter))

    def _measured(self, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
        if value in self._made:
            return self._made[value]
        stats = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), self.ranges[value])
        op = StatisticsOp(value, stats, value_name=self.values.fresh(f"{value_name(value)}_stats"))
        owner = value.owner
        is_argument = isinstance(owner, Block)
        insert_point = InsertPoint.at_start(owner) if is_argument else InsertPoint.after(owner)
        rewriter.insert(op, insert_point)
        self._made[value] = op.output
        return op.output


def insert_statistics(module: ModuleOp, ranges: Mapping[SSAValue, Range]) -> None:
    """Has the ops of a selection read values with their ranges."""
    apply_patterns(module, [ReadStatistics(ModuleValues(module), ranges)], recursive=False)
