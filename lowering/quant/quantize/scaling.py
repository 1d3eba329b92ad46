"""Scaling channels by powers of two, so that the model computes the same numbers, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.quant.quantize.channels import ChannelGroup
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.quant.quantize.weights import readable, with_exponents
from autosplit.lowering.rewriting import apply_patterns, set_operand
from autosplit.lowering.shared.blocks import protected_names
from autosplit.lowering.shared.dead import remove_dead
from autosplit.lowering.shared.fold import AnyArray, folded_constant

Exponents = NDArray[np.int64]

LIMIT = 24
"""Of an exponent: float32 has room for many such factors."""


def exponents_of(scales: NDArray[np.float64]) -> list[int]:
    """The powers of two that are nearest to factors, given as logarithms of base 2."""
    return [int(e) for e in np.clip(np.rint(scales), -LIMIT, LIMIT)]


@dataclass
class _Change:
    """The exponents of one op: those of its weights, and those of other constants along a dimension."""

    inner: Exponents | None = None
    outer: Exponents | None = None
    constants: list[tuple[int, int, Exponents]] = field(
        default_factory=list[tuple[int, int, Exponents]]
    )


class ScaleConstants(BuildingPattern[OnnxOp]):
    """Constant operands of what makes and reads scaled channels `->` the same times powers of two."""

    def __init__(self, values: ModuleValues, changes: Mapping[Operation, _Change]):
        super().__init__(values)
        self.changes = changes

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if (change := self.changes.get(op)) is None:
            return
        if change.inner is not None or change.outer is not None:
            array = readable(op, self.values)
            self._replace(op, 1, with_exponents(op, array, change.inner, change.outer), rewriter)
        for number, axis, exponents in change.constants:
            array = self.values.array(op.operands[number])
            assert array is not None  # constants of a few numbers are never missing
            shape = [1] * array.ndim
            shape[axis] = exponents.size
            self._replace(op, number, np.ldexp(array, exponents.reshape(shape)), rewriter)

    def _replace(self, op: OnnxOp, number: int, array: AnyArray, rewriter: PatternRewriter) -> None:
        old_value = op.operands[number]
        owner = old_value.owner
        assert isinstance(owner, Operation)  # an initializer or a Constant
        name = self.values.fresh(f"{value_name(old_value)}_scaled")
        scaled = folded_constant(name, array, self.values.store, owner.location)
        rewriter.insert(scaled, InsertPoint.after(owner))
        set_operand(rewriter, op, number, scaled.results[0])


def scale_channels(
    module: ModuleOp, values: ModuleValues, groups: Sequence[tuple[ChannelGroup, Sequence[int]]]
) -> None:
    """Multiplies the channels of each group by powers of two, of the exponents beside it."""
    changes: dict[Operation, _Change] = {}
    for group, exponent_list in groups:
        exponents = np.array(exponent_list, np.int64)
        if not exponents.any():
            continue
        if kind_of(group.maker) in PRODUCTS:
            changes.setdefault(group.maker, _Change()).outer = exponents
        for constant in group.constants:
            change = changes.setdefault(constant.op, _Change())
            change.constants.append((constant.number, constant.axis, exponents))
        for user in group.readers:
            changes.setdefault(user, _Change()).inner = -exponents
    apply_patterns(module, [ScaleConstants(values, changes)], recursive=False)
    block = platform_graph(module).regions[0].block
    remove_dead(block, protected_names(block))
