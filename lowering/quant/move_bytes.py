"""quant-move-bytes: what only moves dequantized values moves the bytes that they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.dnnl.moves import moved_operands, reading_of
from autosplit.dialects.onnx.base import OnnxOp, operand
from autosplit.dialects.onnx.constants import constant_array, make_constant
from autosplit.dialects.onnx.ops import (
    ConcatOp,
    DepthToSpaceOp,
    FlattenOp,
    MaxPoolOp,
    PadOp,
    ReshapeOp,
    ResizeOp,
    SliceOp,
    SpaceToDepthOp,
    SplitOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from autosplit.dialects.platform import set_type, strings
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.canonical import (
    CastThereAndBack,
    QuantizeDequantized,
    UnusedCast,
    is_exact,
)
from autosplit.lowering.quant.chains.channels import BlocksFirst
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why

View: TypeAlias = FlattenOp | ReshapeOp | SqueezeOp | TransposeOp | UnsqueezeOp
Moving: TypeAlias = (
    ConcatOp | DepthToSpaceOp | PadOp | ResizeOp | SliceOp | SpaceToDepthOp | SplitOp | View
)


READERS = (*PRODUCTS, "InstanceNormalization", "LayerNormalization")
"""Ops in front of which views move bytes."""


class MoveBytes(Pattern[Moving]):
    """`move(dcast(x), ...) -> dcast(scast(move(scast(x), ...)))`, the move being one of bytes.

    Refused for operands of several parameters, which no quantized value has together, for parameters by the
    channel, and for what does more than moving or depends on data, such as enlarging by a fraction. Views
    are moves only in front of products and norms.
    """

    def __init__(self, names: Names):
        self.names = names

    def rewrite(
        self,
        op: Moving,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        reals = [v.owner for v in moved_operands(op)]
        if not all(isinstance(real, DequantizeCastOp) for real in reals):
            return
        if isinstance(op, View) and not _leads_to_product(op.results[0]):
            why(op, "no product or norm reads the view, and real numbers are viewed at no cost")
            return
        sources = [real.operands[0] for real in reals if isinstance(real, DequantizeCastOp)]
        uniforms = [uniform_of(source.type) for source in sources]
        uniform = uniforms[0]
        if uniform is None or uniform.is_per_axis or uniform.storage.width.data != 8:
            why(
                op, "it moves what is dequantized by the channel, or from other integers than bytes"
            )
            return
        if any(other != uniform for other in uniforms):
            why(op, "its operands are dequantized by different parameters")
            return
        if reading_of(op, lambda v: constant_array(v, None)) is None or not _pads_zero(op):
            why(op, "it does more than moving, or its sizes are unknown")
            return
        self._move(op, sources, uniform, rewriter)

    def _move(
        self,
        op: OnnxOp,
        sources: list[SSAValue],
        uniform: UniformType,
        rewriter: PatternRewriter,
    ) -> None:
        for index, source in enumerate(sources):
            stored = StorageCastOp(source, with_element(source.type, uniform.storage))
            rewriter.insert(stored, InsertPoint.before(op))
            set_operand(rewriter, op, index, stored.output)
        if isinstance(op, PadOp):
            self._pad_with_zero_point(op, uniform, rewriter)
        names = [op.value_name(i) for i in range(len(op.results))]
        op.properties["value_names"] = strings(
            [self.names.fresh(f"{name}__bytes") if name else "" for name in names]
        )
        for result, name in zip(op.results, names, strict=True):
            real = result.type
            set_type(result, with_element(real, uniform.storage))
            storage_cast = StorageCastOp(result, with_element(real, uniform))
            dequantize = DequantizeCastOp(storage_cast.output, real, value_name=name)
            dequantize.output.name_hint = result.name_hint
            rewriter.insert([storage_cast, dequantize], InsertPoint.after(op))
            rewriter.replace_uses_with_if(
                result, dequantize.output, lambda use, cast=storage_cast: use.operation is not cast
            )

    def _pad_with_zero_point(
        self, op: PadOp, uniform: UniformType, rewriter: PatternRewriter
    ) -> None:
        zero = np.array(int(uniform.zero_points[0]), dtype_of(uniform.storage))
        constant = make_constant(self.names.fresh(f"{op.value_name(0)}__zero"), zero, None)
        rewriter.insert(constant, InsertPoint.before(op))
        inputs = [*op.inputs[:2], constant.results[0]]
        for index, value in enumerate(inputs):
            if value is not None and index < len(op.operands):
                set_operand(rewriter, op, index, value)


class MaximaOfBytes(Pattern[MaxPoolOp]):
    """`maxpool(dcast(x)) -> dcast(qcast(maxpool(dcast(x))))`, the casts being those of x.

    Each result is one of the numbers that it reads, so that quantizing it gives the integer back, and a
    library takes the largest of bytes. Refused where what reads the results quantizes them anyway.
    """

    def __init__(self, names: Names):
        self.names = names

    def rewrite(self, op: MaxPoolOp, rewriter: PatternRewriter, /) -> None:
        real, result = op.operands[0].owner, op.results[0]
        if not isinstance(real, DequantizeCastOp) or len(op.results) > 1:
            return
        if all(isinstance(use.operation, QuantizeCastOp) for use in result.uses):
            return
        uniform = uniform_of(real.input.type)
        if uniform is None or uniform.is_per_axis or not is_exact(uniform):
            why(op, "it reads what is dequantized by the channel, or from integers of many bits")
            return
        name, type = op.value_name(0), result.type
        op.properties["value_names"] = strings([self.names.fresh(f"{name}__real")])
        quantize = QuantizeCastOp(result, with_element(type, uniform), location=op.location)
        dequantize = DequantizeCastOp(quantize.output, type, value_name=name, location=op.location)
        dequantize.output.name_hint = result.name_hint
        rewriter.insert([quantize, dequantize], InsertPoint.after(op))
        rewriter.replace_uses_with_if(
            result, dequantize.output, lambda use: use.operation is not quantize
        )


def _leads_to_product(value: SSAValue) -> bool:
    """Whether a product or a norm of rows reads a value, or a view of it."""
    users = [use.operation for use in value.uses]
    return any(
        kind_of(user) in READERS or (isinstance(user, View) and _leads_to_product(user.results[0]))
        for user in users
    )


def _pads_zero(op: OnnxOp) -> bool:
    """Whether an op pads with an explicit 0, which must become the zero point."""
    if not isinstance(op, PadOp):
        return True
    value = operand(op, 2)
    array = None if value is None else constant_array(value, None)
    return array is not None and not np.any(array)


@dataclass(frozen=True)
class QuantMoveBytesPass(ModulePass):
    """Concat, Pad, Resize, Slice, Split and their like, of dequantized values, move bytes.

    `move(dcast(x), ...) -> dcast(move(x, ...))`. A quarter of the memory moves, the partitions on both
    sides exchange bytes, and a quantize behind it that has the same parameters disappears. The numbers do
    not change. The channels that become pixels are put into the order that is copied fastest, in the weights
    of the convolution in front. Not moved: operands with several scales, as a Concat may have, and what
    computes, such as enlarging by a fraction.

    A MaxPool whose results nothing quantizes gets a quantize and a dequantize behind it, of what it reads,
    which change nothing, so that a library takes the largest of bytes. Views move in front of products and
    norms only.
    """

    name = "quant-move-bytes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if apply_patterns(op, [BlocksFirst(ModuleValues(op))], recursive=False):
            apply_patterns(op, [UnusedCast()], backwards=True)
            update_params(op)
        names = Names(op)
        patterns = (
            MaximaOfBytes(names),
            MoveBytes(names),
            QuantizeDequantized(),
            CastThereAndBack(),
            UnusedCast(),
        )
        apply_patterns(op, patterns)
