"""convert-mx-to-onnx: MXNet ops as canonical ONNX ones, in place.

The graph stays an `mx.graph` (or the outlined `device.func` that it is), with `onnx` ops among the other
`mx` ones. Every value that MXNet named keeps its name and its shape. The conversions are in files by subject:
`layers` (convolutions, poolings, norms, activations), `elementwise`, `shapes`, `movement`, `reductions`,
`quantized`; `patterns` applies them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from autosplit.dialects.device import FuncOp
from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.graph import LabelOp
from autosplit.dialects.platform import PlatformGraph
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.convert_mx_to_onnx import (
    elementwise,
    layers,
    movement,
    quantized,
    reductions,
    shapes,
)
from autosplit.lowering.convert_mx_to_onnx.builder import CONVERSIONS
from autosplit.lowering.convert_mx_to_onnx.patterns import (
    ConvertMxOp,
    ConvertParam,
    DropLabel,
    KeepUnconvertedMx,
)
from autosplit.lowering.rewriting import Pattern, apply_to

__all__ = ["CONVERSIONS", "ConvertMxToOnnxPass", "convert"]

FAMILIES = (elementwise, layers, movement, quantized, reductions, shapes)
"""The modules whose import fills `CONVERSIONS`."""


def _patterns(values: ModuleValues, returned: Collection[SSAValue]) -> list[Pattern[MxOp]]:
    return [
        ConvertParam(values),
        *(ConvertMxOp(values, returned, *of_rule) for of_rule in CONVERSIONS.by_rule().items()),
        KeepUnconvertedMx(values),
    ]


def convert(module: ModuleOp) -> None:
    """Replaces the mx ops of a module by onnx ops, where there are conversions.

    What stays has the reason as `device.refused`.
    """
    graphs = [g for g in module.walk() if isinstance(g, PlatformGraph | FuncOp)]
    nodes = [[o for o in g.regions[0].block.ops if isinstance(o, MxOp)] for g in graphs]
    if not any(nodes):
        return
    returned = {v for g in graphs if isinstance(g, PlatformGraph) for _, v in g.graph_outputs()}
    patterns = _patterns(ModuleValues(module), returned)
    for ops in nodes:
        labels = [op for op in ops if isinstance(op, LabelOp)]
        apply_to(ops, patterns)
        apply_to(labels, [DropLabel()])


@dataclass(frozen=True)
class ConvertMxToOnnxPass(ModulePass):
    """Every mx op with an exact ONNX counterpart becomes that; others get `device.refused`.

    Types are inferred on the way: which ONNX op does what an mx op does depends on ranks, and a symbol says
    no more than its inputs' shapes.
    """

    name = "convert-mx-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op)
