"""Dequantizes rows of an integer table after gathering, instead of the whole table in every run."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import GatherOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.rewriting import why


class GatherBytes(OnnxPattern[GatherOp]):
    """`gather(dcast(scast(table)), rows) -> dcast(scast(gather(table, rows)))`.

    Where each row has a scale of its own, it becomes `cast(gather(table, rows)) * gather(scales, rows)`.
    """

    def rewrite(self, op: GatherOp, rewriter: PatternRewriter, /) -> None:
        real = op.operands[0].owner
        stored = real.input.owner if isinstance(real, DequantizeCastOp) else None
        if not isinstance(real, DequantizeCastOp) or not isinstance(stored, StorageCastOp):
            return
        table, rows = shape_of(real.output.type), shape_of(op.operands[1].type)
        uniform, result = uniform_of(real.input.type), op.results[0].type
        if uniform is None or table is None or rows is None:
            why(op, "the shape of its table or of its rows is unknown")
            return
        axis = int(attribute(op, "axis", 0)) % len(table)
        e = self.replacement(op, rewriter)
        gather = make_node(
            "Gather",
            [stored.input, op.operands[1]],
            [self.values.fresh(f"{op.value_name(0)}__bytes")],
            attributes=op.fields,
            result_types=[with_element(result, uniform.storage)],
            node_name=op.node_name.data,
            location=op.location,
        )
        gathered = e.insert(gather)
        if uniform.axis == axis:
            e.replace_value(_scaled(e, gathered, uniform, axis, len(table)))
            return
        if uniform.axis is not None and uniform.axis > axis:
            axis = uniform.axis + len(rows) - 1
            uniform = uniform.with_params(uniform.scales, uniform.zero_points, axis)
        quantized = StorageCastOp(gathered, with_element(result, uniform), location=op.location)
        name = op.value_name(0)
        e.insert(quantized)
        dequantized = DequantizeCastOp(
            quantized.output, result, value_name=name, location=op.location
        )
        e.replace_value(e.insert(dequantized))


def _scaled(
    e: OnnxReplacement, gathered: SSAValue, type: UniformType, axis: int, rank: int
) -> SSAValue:
    """Integers that are gathered along the dimension of the scales, as real numbers."""
    shape = [-1 if i == axis else 1 for i in range(rank)]
    _, rows = e.op.operands
    result = with_element(e.op.results[0].type, f32)
    real = e.node("real", "Cast", [gathered], {"to": TensorProto.FLOAT}, result)
    if type.zero_points.any():
        zeros = e.constant("zeros", type.zero_points.astype(np.float32).reshape(shape))
        zero = e.node("zero", "Gather", [zeros, rows], {"axis": axis})
        real = e.node("around_zero", "Sub", [real, zero], type=result)
    scales = e.constant("scales", type.scales.astype(np.float32).reshape(shape))
    scale = e.node("scale", "Gather", [scales, rows], {"axis": axis})
    return e.node("scaled", "Mul", [real, scale], type=result)
