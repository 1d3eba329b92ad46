"""A batch norm of joined bytes whose scales differ, as a convolution that knows the scale of each channel."""

from __future__ import annotations

from functools import partial

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType, f32, i8
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import BatchNormalizationOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    SMALLEST_SCALE,
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.normalize_onnx.batch_norm import Affine, batch_norm_affine
from autosplit.lowering.quant.chains.products import ACTIVATIONS
from autosplit.lowering.quant.chains.stages import made_by, real_array
from autosplit.lowering.quant.convolutions.ones import Ones, has_channels, is_byte, stored_result
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.fold import Constants

MIDDLE = 128
"""How far the integers of unsigned bytes lie above those of signed ones."""


def constant_affine(constants: Constants, op: BatchNormalizationOp) -> Affine | None:
    """The factors and shifts of a batch norm; None where they are computed, or too small for scales."""
    affine = batch_norm_affine(partial(real_array, constants), op)
    sizes = None if affine is None else np.abs(affine.factor)
    if sizes is None or not ((sizes == 0) | (sizes >= SMALLEST_SCALE)).all():
        return None
    return affine


class ConvolveJoined(Pattern[BatchNormalizationOp]):
    """`batch_norm(concat(dcast(x), dcast(y))) -> conv(dcast(concat(x, y)), signs) + shifts`, by the channel.

    The integers are joined as they are, and the scale that each channel had is in the weights. Unsigned bytes
    among signed ones become signed first, which costs a pass over them once. Refused as for a batch norm of
    one tensor, and where the channels are not what is joined.
    """

    def __init__(self, ones: Ones, constants: Constants):
        self.ones = ones
        self.constants = constants
        self._signed: dict[SSAValue, SSAValue] = {}
        """By unsigned bytes: the same as signed ones."""

    def rewrite(self, op: BatchNormalizationOp, rewriter: PatternRewriter, /) -> None:
        concat = made_by(op.operands[0], "Concat")
        if concat is None or not op.operands[0].has_one_use():
            return
        parts = [v.owner for v in concat.operands]
        casts = [p for p in parts if isinstance(p, DequantizeCastOp)]
        types = [
            t for cast in casts if (t := uniform_of(cast.input.type)) is not None and is_byte(t)
        ]
        shape = shape_of(concat.results[0].type)
        if len(types) < len(parts) or stored_result(op, ACTIVATIONS) is None:
            why(op, "it joins more than bytes, or nothing quantizes it")
            return
        if not has_channels(shape, concat.operands):
            why(op, "its shape is none that a convolution takes")
            return
        counts = [(shape_of(v.type) or (0, 0))[1] for v in concat.operands]
        if int(attribute(concat, "axis", 0)) % len(shape) != 1 or sum(counts) != shape[1]:
            why(op, "what it reads is not joined along the channels")
            return
        if (affine := constant_affine(self.constants, op)) is None:
            why(op, "its statistics are not constants of an inference")
            return
        storage = types[0].storage if len({t.storage for t in types}) == 1 else i8
        bytes_ = [self._stored(cast, storage, rewriter) for cast in casts]
        moved = [MIDDLE * (t.is_unsigned and storage == i8) for t in types]
        scales = np.repeat([float(t.scales[0]) for t in types], counts)
        pairs = zip(types, moved, strict=True)
        zeros = np.repeat([int(t.zero_points[0]) - m for t, m in pairs], counts)
        factors = affine.factor * scales
        value = self._joined(concat, bytes_, storage, rewriter)
        self.ones.replace_by_scaled(op, value, factors, affine.shift - factors * zeros, rewriter)
        rewriter.erase(concat)

    def _stored(
        self, cast: DequantizeCastOp, storage: IntegerType, rewriter: PatternRewriter
    ) -> SSAValue:
        """The integers that a cast dequantizes, of a stored type."""
        type = uniform_of(cast.input.type)
        assert type is not None
        value = cast.input
        if type.storage != storage:
            if value not in self._signed:
                self._signed[value] = self._sign(value, type, rewriter)
            value = self._signed[value]
        stored = StorageCastOp(value, with_element(value.type, storage), location=cast.location)
        rewriter.insert(stored)
        return stored.output

    @staticmethod
    def _sign(value: SSAValue, type: UniformType, rewriter: PatternRewriter) -> SSAValue:
        """Unsigned bytes as signed ones that stand for the same numbers."""
        zero = int(type.zero_points[0]) - MIDDLE
        signed = UniformType.of(i8, f32, type.scales, [zero])
        real = DequantizeCastOp(value, with_element(value.type, f32))
        quantized = QuantizeCastOp(real.output, with_element(value.type, signed))
        owner = value.owner
        place = (
            InsertPoint.after(owner)
            if isinstance(owner, Operation)
            else InsertPoint.at_start(owner)
        )
        rewriter.insert([real, quantized], place)
        return quantized.output

    def _joined(
        self,
        concat: OnnxOp,
        parts: list[SSAValue],
        storage: IntegerType,
        rewriter: PatternRewriter,
    ) -> SSAValue:
        """The bytes side by side, as numbers of one scale, which is 1."""
        shape = shape_of(concat.results[0].type) or ()
        name = self.ones.names.fresh(f"{concat.value_name(0) or 'joined'}__bytes")
        joined = make_node(
            "Concat",
            parts,
            [name],
            attributes={"axis": 1},
            result_types=[TensorType(storage, shape)],
            node_name=concat.node_name.data,
            location=concat.location,
        )
        type = UniformType.of(storage, f32, [1.0], [0])
        cast = StorageCastOp(joined.results[0], TensorType(type, shape), location=concat.location)
        real = DequantizeCastOp(cast.output, TensorType(f32, shape), location=concat.location)
        rewriter.insert([joined, cast, real])
        return real.output
