"""submodel-settle-sizes: whether a sub-model is compiled for fixed sizes or for sizes that vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from autosplit.devices import DEFAULT_CHIP, check_mode, get_chip
from autosplit.inputs.options import parse_shapes
from autosplit.lowering.convert_onnx_to_top import VARYING
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.order import expect_before, expect_onnx
from autosplit.lowering.submodel.fix_inputs import fix_inputs
from autosplit.lowering.submodel.sizes import Sizes, is_varying


def fix_sizes(lowered: ModuleOp, largest: Mapping[str, Sequence[int]]) -> None:
    """Gives a module in canonical ONNX the shapes `largest` of its inputs, and what follows from them.

    What was found out while its sizes were open stays: a shape with a -1 is not one of the largest size.
    """
    fix_inputs(lowered, largest)
    normalize(lowered)


@dataclass(frozen=True)
class SubmodelSettleSizesPass(ModulePass):
    """A sub-model in canonical ONNX is for fixed sizes, or has `device.varying`.

    One whose sizes vary is told the `largest` of its inputs, for which the tool chain plans memory, after
    other ops have taken the places of those that the chip runs at fixed sizes only. One that nothing open
    crosses into is for fixed sizes, whatever varies elsewhere, unless it has ops that the chip runs
    only where sizes vary.
    """

    name = "submodel-settle-sizes"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""
    sizes: Literal["fixed", "open", "varying"] = "fixed"
    """What of the model varies from run to run: nothing, what the types leave open, or all sizes."""
    largest: tuple[str, ...] = ()
    """The largest shapes of inputs, as `NAME=1,3,48,320`, each in quotes."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        check_mode(chip, self.mode)
        expect_before(op, self.name)
        expect_onnx(op)
        if is_varying(op, chip, Sizes(self.sizes), self.mode):
            put_stand_ins(op, chip, self.mode)
            fix_sizes(op, parse_shapes(self.largest))
            op.attributes[VARYING] = UnitAttr()
