"""quant-fold-channel-scales: a depthwise convolution reads one scale, and its weights say the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import ClipOp, ConvOp, ReluOp
from autosplit.dialects.platform import set_type, shape_of
from autosplit.dialects.quant import (
    SMALLEST_SCALE,
    DequantizeCastOp,
    QuantizeCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.quant.canonical import UnusedCast
from autosplit.lowering.quant.chains.affine import FoldAffine
from autosplit.lowering.quant.chains.ranges import EVERYTHING, range_of
from autosplit.lowering.quant.chains.stages import dequantize_stored, stored_constant
from autosplit.lowering.quant.quantize.weights import channel_counts
from autosplit.lowering.rewriting import apply_patterns, apply_to, located, set_operand, why
from autosplit.lowering.shared.dead import remove_dead_ops
from autosplit.lowering.shared.fold import folded_constant

F64 = NDArray[np.float64]

LARGEST_FACTOR = 2.0**24
"""How many times as large as another one a scale of the same tensor may be."""


@dataclass(frozen=True)
class _Reader:
    """A depthwise convolution of what a quantize gives, with constant integers as its weights."""

    conv: ConvOp
    dequantize: DequantizeCastOp
    weights: SSAValue
    """The integers."""
    type: UniformType
    """What they are dequantized by, with the scales that the fold gives them."""


class FoldChannelScales(BuildingPattern[QuantizeCastOp]):
    """`depthwise(dcast(qcast(x)), w) -> depthwise(dcast'(qcast'(x * (S / s))), w * (s / S))`, where `qcast`
    has the scales `s`, one for each channel, and `qcast'` the largest of them, `S`.

    A Relu or Clip in front does what saturating does anyway, or the factor stays behind it. Refused if
    anything but depthwise convolutions with constant weights reads the integers, and for zero points that
    differ.
    """

    def __init__(self, values: ModuleValues):
        super().__init__(values)
        self.factors: list[OnnxOp] = []
        """The ops that multiply by `S / s`."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        type, shape = uniform_of(op.output.type), shape_of(op.input.type)
        if type is None or shape is None or type.axis != 1 or type.storage.width.data != 8:
            return
        if len(set(type.zero_points.tolist())) != 1:
            why(op, "the zero points of its channels differ")
            return
        scales = type.scales.astype(np.float64)
        largest = scales.max()
        if largest > LARGEST_FACTOR * scales.min():
            why(op, f"the largest of its scales is more than {LARGEST_FACTOR:g} of the least")
            return
        readers = self._readers(op, scales / largest)
        if readers is None:
            why(op, "not only depthwise convolutions with constant weights read it")
            return
        plain = type.with_params([float(largest)], type.zero_points[:1])
        before = op.input
        source = self._before_saturation(before, type)
        factor = (largest / scales).reshape(1, -1, *[1] * (len(shape) - 2))
        set_operand(rewriter, op, 0, self._scaled(op, source, factor, rewriter))
        if source is not before and isinstance(before.owner, OnnxOp):
            rewriter.erase(before.owner)
        set_type(op.output, with_element(op.output.type, plain))
        op.properties.pop("source", None)
        for reader in readers:
            reader.dequantize.properties.pop("source", None)
            set_operand(rewriter, reader.conv, 1, _weights(reader, rewriter))
        rewriter.notify_op_modified(op)

    def _readers(self, op: QuantizeCastOp, shares: F64) -> list[_Reader] | None:
        """What reads the integers, if the weights of all of it can take the scales over."""
        readers: list[_Reader] = []
        for use in op.output.uses:
            dequantize = use.operation
            if not isinstance(dequantize, DequantizeCastOp):
                return None
            for user in dequantize.output.uses:
                reader = self._reader(user.operation, dequantize, user.index, shares)
                if reader is None:
                    return None
                readers.append(reader)
        return readers

    def _reader(
        self, conv: object, dequantize: DequantizeCastOp, index: int, shares: F64
    ) -> _Reader | None:
        if not isinstance(conv, ConvOp) or index != 0:
            return None
        counts = channel_counts(conv)
        if counts is None or not counts[0] == attribute(conv, "group", 1) == shares.size:
            return None
        constant = stored_constant(self.values.constants, conv.operands[1])
        type = None if constant is None else uniform_of(constant[0].input.type)
        if constant is None or type is None or type.axis not in (None, 0):
            return None
        scales = type.scales.astype(np.float64) * np.repeat(shares, counts[1] // counts[0])
        if scales.min() < SMALLEST_SCALE:
            return None
        points = np.broadcast_to(type.zero_points, scales.shape)
        return _Reader(conv, dequantize, constant[1], type.with_params(scales, points, 0))

    def _before_saturation(self, value: SSAValue, type: UniformType) -> SSAValue:
        """What the numbers are before a Relu or Clip, where saturating does the same."""
        clip = value.owner
        if not isinstance(clip, ReluOp | ClipOp) or not value.has_one_use():
            return value
        if (ends := range_of(clip, self.values.constants)) == EVERYTHING:
            return value
        low, high = ends
        least, most = type.storage_range
        with np.errstate(over="ignore"):
            lows = np.rint(np.float32(low) / type.scales) + type.zero_points
            highs = np.rint(np.float32(high) / type.scales) + type.zero_points
        return clip.operands[0] if (lows <= least).all() and (highs >= most).all() else value

    def _scaled(
        self, op: QuantizeCastOp, source: SSAValue, factor: F64, rewriter: PatternRewriter
    ) -> SSAValue:
        name = self.values.fresh(f"{op.value_name(0) or 'quantized'}__scaled")
        constant = folded_constant(
            self.values.fresh(f"{name}__factor"),
            factor.astype(np.float32),
            self.values.store,
            op.location,
        )
        scaled = make_node(
            "Mul",
            [source, constant.results[0]],
            [name],
            attributes={},
            result_types=[op.input.type],
            node_name=name,
        )
        rewriter.insert([constant, located(scaled, op)], InsertPoint.before(op))
        self.factors.append(scaled)
        return scaled.results[0]


def _weights(reader: _Reader, rewriter: PatternRewriter) -> SSAValue:
    """The same integers, dequantized with the scales that the fold gives them."""
    cast, real = dequantize_stored(reader.weights, reader.type, reader.conv.location)
    rewriter.insert([cast, real], InsertPoint.before(reader.conv))
    return real.output


@dataclass(frozen=True)
class QuantFoldChannelScalesPass(ModulePass):
    """Gives the integers that a depthwise convolution reads one scale in place of one for each channel.

    Some quantizers measure each channel of what a depthwise convolution reads, which a library cannot take:
    it knows scales by the channel of weights only. But each channel of such a convolution is one of its
    results: `conv(s * q, t * w) = conv(S * q, (t * s / S) * w)`, with the same integers. In front of the
    quantize, `x / s` becomes `(x * (S / s)) / S`, and the factor goes into the product that makes `x`.
    An integer differs where `x / s` lies between two of them, as near as float32 rounds.

    Refused: integers that anything else reads, zero points that differ, weights that are computed.
    """

    name = "quant-fold-channel-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = ModuleValues(op)
        pattern = FoldChannelScales(values)
        if not apply_patterns(op, [pattern], recursive=False):
            return
        apply_to(pattern.factors, [FoldAffine(values)])
        apply_patterns(op, [UnusedCast()], backwards=True)
        remove_dead_ops(op)
        update_params(op)
