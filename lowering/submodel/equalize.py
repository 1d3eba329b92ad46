"""submodel-equalize: channels of a sub-model in INT8 have weights of one size on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.lowering.quant.own_scales import value_scales
from autosplit.lowering.quant.quantize.quant_equalize import equalize_channels
from autosplit.lowering.shared.order import expect_before, expect_onnx


@dataclass(frozen=True)
class SubmodelEqualizePass(ModulePass):
    """A sub-model is equalized, as `quant-equalize` does it, unless it says which steps its values have.

    For a chip that has one step for all weights of a product: the few channels with large weights then take
    no steps from the others. `convert` asks for it in INT8.
    """

    name = "submodel-equalize"

    equalize: bool = True
    """Whether it is done at all, for pipelines."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_onnx(op)
        expect_before(op, self.name)
        if self.equalize and not value_scales(op):
            equalize_channels(op)
