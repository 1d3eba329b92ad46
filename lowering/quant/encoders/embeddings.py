"""Dequantizes rows of an integer table after gathering, instead of the whole table in every run."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import GatherOp
from autosplit.dialects.quant import (
    DequantizeCastOp,
    StorageCastOp,
    uniform_of,
    with_element,
)
from autosplit.lowering.building import BuildingPattern
from autosplit.lowering.rewriting import why


class GatherBytes(BuildingPattern[GatherOp]):
    """`gather(dcast(scast(table)), rows) -> dcast(scast(gather(table, rows)))`.

    Refused for a table with parameters by the channel.
    """

    def rewrite(self, op: GatherOp, rewriter: PatternRewriter, /) -> None:
        real = op.operands[0].owner
        stored = real.input.owner if isinstance(real, DequantizeCastOp) else None
        if not isinstance(real, DequantizeCastOp) or not isinstance(stored, StorageCastOp):
            return
        uniform = uniform_of(real.input.type)
        if uniform is None or uniform.is_per_axis:
            why(op, "its table is dequantized by the channel")
            return
        result = op.results[0].type
        name = op.value_name(0)
        gathered = make_node(
            "Gather",
            [stored.input, op.operands[1]],
            [self.values.fresh(f"{name}__bytes")],
            attributes=op.fields,
            result_types=[with_element(result, uniform.storage)],
            node_name=op.node_name.data,
        )
        quantized = StorageCastOp(gathered.results[0], with_element(result, uniform))
        dequantized = DequantizeCastOp(quantized.output, result, value_name=name)
        rewriter.replace(op, [gathered, quantized, dequantized])
