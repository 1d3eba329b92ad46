"""convert-aten-to-onnx: PyTorch's ops as canonical ONNX ones, in place.

The graph stays an `aten.graph` (or the outlined `device.func` that it is), with `onnx` ops among the other
`aten` ones. Every value of the program keeps its name and its type. The conversions are in files by subject:
`layers` (convolutions, products, norms), `pictures` (poolings, resizing), `sequences` (attention, recurrent
layers), `activations`, `elementwise`, `shapes`, `movement`, `indexing`, `creation`, `reductions` and
`quantized`; `patterns` applies them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import PlatformGraph
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.convert_aten_to_onnx import (
    activations,
    creation,
    elementwise,
    indexing,
    layers,
    movement,
    pictures,
    quantized,
    reductions,
    sequences,
    shapes,
)
from autosplit.lowering.convert_aten_to_onnx.builder import CONVERSIONS
from autosplit.lowering.convert_aten_to_onnx.patterns import (
    ConvertAtenOp,
    ConvertAtenParam,
    KeepUnconvertedAten,
)
from autosplit.lowering.reduce_mutation.kept import Kept, kept_ops
from autosplit.lowering.rewriting import Pattern, apply_to

__all__ = ["CONVERSIONS", "ConvertAtenToOnnxPass", "convert"]

FAMILIES = (
    activations,
    creation,
    elementwise,
    indexing,
    layers,
    movement,
    pictures,
    quantized,
    reductions,
    sequences,
    shapes,
)
"""The modules whose import fills `CONVERSIONS`."""


def _patterns(
    values: ModuleValues, kept: Mapping[Operation, Kept], returned: Collection[SSAValue]
) -> list[Pattern[AtenOp]]:
    rules = CONVERSIONS.by_rule().items()
    return [
        ConvertAtenParam(values, kept),
        *(ConvertAtenOp(values, kept, returned, *of_rule) for of_rule in rules),
        KeepUnconvertedAten(values, kept),
    ]


def convert(module: ModuleOp) -> None:
    """Replaces the aten ops of a module by onnx ops, where there are conversions.

    What stays has the reason as `device.refused`.
    """
    graphs = [g for g in module.walk() if isinstance(g, PlatformGraph | FuncOp)]
    blocks = [g.regions[0].block for g in graphs]
    nodes = [[o for o in block.ops if isinstance(o, AtenOp)] for block in blocks]
    if not any(nodes):
        return
    returned = {v for g in graphs if isinstance(g, PlatformGraph) for _, v in g.graph_outputs()}
    updated = [
        block for block, ops in zip(blocks, nodes, strict=True) if any(o.written() for o in ops)
    ]
    kept = {op: why for block in updated for op, why in kept_ops(block).items()}
    patterns = _patterns(ModuleValues(module), kept, returned)
    for ops in nodes:
        apply_to(ops, patterns)


@dataclass(frozen=True)
class ConvertAtenToOnnxPass(ModulePass):
    """Every aten op with an exact ONNX counterpart becomes that; others get `device.refused`.

    Ops that write to their arguments stay: `reduce-mutation` comes before. Views are ordinary ops then.
    """

    name = "convert-aten-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op)
