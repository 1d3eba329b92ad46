"""convert-caffe-to-onnx: Caffe layers as canonical ONNX ops, in place.

The graph stays a `caffe.graph` (or the outlined `device.func` that it is), with `onnx` ops among the other
`caffe` ones. Every value keeps its name. The conversions are in files by subject: `windows` (convolutions and
pooling), `elementwise`, `norms`, `movement`, `priors`; `patterns` applies them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.dialects.caffe import layers_of
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.convert_caffe_to_onnx import (
    elementwise,
    movement,
    norms,
    priors,
    windows,
)
from autosplit.lowering.convert_caffe_to_onnx.builder import CONVERSIONS
from autosplit.lowering.convert_caffe_to_onnx.patterns import ConvertLayer, KeepLayer
from autosplit.lowering.rewriting import apply_to
from autosplit.lowering.shared.blocks import outer_blocks

__all__ = ["CONVERSIONS", "FAMILIES", "ConvertCaffeToOnnxPass", "convert"]

FAMILIES = (elementwise, movement, norms, priors, windows)
"""The modules whose import fills `CONVERSIONS`."""


def convert(module: ModuleOp) -> None:
    """Replaces the layers of a module by onnx ops, where there are conversions.

    What stays has the reason as `device.refused`.
    """
    values = ModuleValues(module)
    patterns = [ConvertLayer(values, *row) for row in CONVERSIONS.by_rule().items()]
    for block in outer_blocks(module):
        holder = block.parent_op()
        if holder is not None:
            apply_to(layers_of(holder), [*patterns, KeepLayer(values)])


@dataclass(frozen=True)
class ConvertCaffeToOnnxPass(ModulePass):
    """Every Caffe layer with an exact ONNX counterpart becomes that; others get `device.refused`.

    Values get the sizes that follow from the inputs'.
    """

    name = "convert-caffe-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op)
