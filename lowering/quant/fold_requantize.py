"""quant-fold-requantize: a sum reads one of its operands as it was computed, not rounded to integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.versions import DEFAULT_ROUNDING, DEFAULT_SUMS, Rounding, Sums, sums_for
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.ops import AddOp, SumOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp, UniformType, uniform_of
from autosplit.lowering.quant.chains.products import product_behind
from autosplit.lowering.quant.chains.ranges import EVERYTHING, is_written, range_of
from autosplit.lowering.quant.convert_onnx_to_quant import is_unused
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, located, set_operand, why
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.protos import opset_of

CLIP_BY_INPUTS = 11
"""The opset from which the bounds of Clip are operands."""


@dataclass(frozen=True)
class Requantize:
    """A quantize and its dequantize, and the product whose values they round."""

    quantize: QuantizeCastOp
    dequantize: DequantizeCastOp
    uniform: UniformType
    product: Operation


class FoldRequantize(Pattern[AddOp | SumOp]):
    """`dcast(qcast(product)) + dcast(b) -> clip(product) + dcast(b)`.

    Refused if an operand is a product that is not rounded already, by the channel, if an operand is
    broadcast, and if something else reads a value on the way.
    """

    def __init__(self, module: ModuleOp, sums: str):
        self.sums = sums
        self.constants = Constants(store_for(module))
        self.names = Names(module)
        self.clip_by_inputs = opset_of(module) >= CLIP_BY_INPUTS
        self.order = {op: i for i, op in enumerate(module.walk())}

    def rewrite(self, join: AddOp | SumOp, rewriter: PatternRewriter, /) -> None:
        pair = self.pair(join)
        if pair is None:
            return
        value = self._clamped(pair, rewriter)
        index = list(join.operands).index(pair.dequantize.output)
        set_operand(rewriter, join, index, value)
        rewriter.erase(pair.dequantize)
        rewriter.erase(pair.quantize)

    def pair(self, join: AddOp | SumOp) -> Requantize | None:
        """The pair that would be removed in front of a sum."""
        if len(join.operands) != 2:
            return None
        if any(self._product(v) is not None for v in join.operands):
            why(join, "an operand is a product that was not rounded, the sum is computed with that")
            return None
        pairs = [p for v in join.operands if (p := self._pair(join, v)) is not None]
        return max(pairs, key=lambda p: self.order[p.product], default=None)

    def _pair(self, join: OnnxOp, value: SSAValue) -> Requantize | None:
        dequantize = value.owner
        if not isinstance(dequantize, DequantizeCastOp):
            return None
        quantize = dequantize.input.owner
        if not isinstance(quantize, QuantizeCastOp):
            return None
        uniform = uniform_of(quantize.output.type)
        if uniform is None or uniform.is_per_axis:
            why(join, "an operand is quantized by the channel, no clip does the same")
            return None
        if not value.has_one_use() or not quantize.output.has_one_use():
            why(join, "the integers of an operand are read elsewhere too")
            return None
        shape = shape_of(value.type)
        if shape is None or shape != shape_of(join.results[0].type):
            why(join, "an operand is broadcast, which no library computes with the product")
            return None
        product = self._product(quantize.input)
        if product is None:
            why(join, "what is quantized is not an integer product, or is read elsewhere too")
            return None
        return Requantize(quantize, dequantize, uniform, product)

    def _product(self, value: SSAValue) -> Operation | None:
        """The integer product that a value comes from, through elementwise ops of one use each."""
        behind = product_behind(value, self.constants)
        return None if behind is None else behind.product

    def _clamped(self, pair: Requantize, rewriter: PatternRewriter) -> SSAValue:
        """The new operand of the sum: the value before the pair, clamped to the pair's range."""
        source = pair.quantize.input
        low, high = pair.uniform.bounds[0]
        if self.sums == "fast" and not is_written(pair.uniform):
            low, high = (0.0 if low == 0 else -math.inf), math.inf
        producer = source.owner
        ends = range_of(producer, self.constants)
        if low <= ends[0] and ends[1] <= high:
            return source
        # Bounds outside the range become those of the range.
        low, high = (min(max(bound, low), high) for bound in ends)
        merged = producer if isinstance(producer, OnnxOp) and self._is_clip(producer) else None
        start = source if merged is None else merged.operands[0]
        ops = self._make_clip(pair, start, low, high)
        clip = ops[-1]
        located(clip, *([] if merged is None else [merged]), pair.quantize, pair.dequantize)
        clip.results[0].name_hint = pair.dequantize.output.name_hint
        rewriter.insert(ops, InsertPoint.before(pair.quantize))
        if merged is not None:
            bounds = [v.owner for v in merged.operands[1:]]
            set_operand(rewriter, pair.quantize, 0, clip.results[0])
            rewriter.erase(merged)
            for bound in bounds:
                if isinstance(bound, Operation) and is_unused(bound):
                    rewriter.erase(bound)
        return clip.results[0]

    def _make_clip(
        self, pair: Requantize, source: SSAValue, low: float, high: float
    ) -> list[OnnxOp]:
        """The clip, and its bounds in front of it."""
        name = pair.dequantize.value_name(0) or self.names.fresh("clamped")
        if (low, high) == (0.0, math.inf):
            return [self._node("Relu", pair, [source], name)]
        if not self.clip_by_inputs:
            return [self._node("Clip", pair, [source], name, min=low, max=high)]
        bounds: list[OnnxOp] = [
            make_constant(self.names.fresh(f"{name}__{role}"), np.array(bound, np.float32), None)
            for role, bound in (("min", low), ("max", high))
        ]
        return [*bounds, self._node("Clip", pair, [source, *(b.results[0] for b in bounds)], name)]

    def _node(
        self, kind: str, pair: Requantize, inputs: list[SSAValue], name: str, **bounds: float
    ) -> OnnxOp:
        return make_node(
            kind,
            inputs,
            [name],
            attributes=bounds,
            result_types=[pair.dequantize.output.type],
            node_name=pair.quantize.node_name.data,
        )

    def _is_clip(self, op: OnnxOp) -> bool:
        known = range_of(op, self.constants) != EVERYTHING
        return op.op_type in ("Relu", "Clip") and op.domain == "" and known


@dataclass(frozen=True)
class QuantFoldRequantizePass(ModulePass):
    """Removes the quantize and dequantize between a convolution or product and the sum that it goes into.

    A library fuses `product + dequantized`, but a product that is rounded to integers before the sum is
    a kernel of its own. At most one operand of a sum is changed: none if one is such a product already,
    and the one that is computed last if both could be. It must be an integer product, possibly behind
    elementwise ops, and nothing else may read the values between.

    Quantizing also saturates, and quantizers leave out a ReLU whose lower end is the range's anyway, so
    the pair is replaced by a clip to the range that its integers stand for, which takes over a ReLU
    or Clip before it. There is none if the values are known to lie within. Numbers are not the same
    bits afterwards: each operand of the sum is nearer to what the product really is, by at most half
    a scale of the quantize that was removed.
    """

    name = "quant-fold-requantize"

    sums: Sums = DEFAULT_SUMS
    """What the numbers of sums may be. `exact`: what the model says, nothing is folded. `close`: saturation
    stays, as a clip to the whole range. `fast`: nothing stays of it but a ReLU where the range begins at 0;
    values beyond the range then pass as they are. oneDNN computes a product, a clip and a sum in one kernel,
    but dequantizes the other operand in one of its own; without the clip that is in the kernel, too. `auto`:
    `fast`, unless `rounding` is exact."""
    rounding: Rounding = DEFAULT_ROUNDING
    """Whether values inside of a kernel are rounded as the model says; see `quant-drop-casts`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sums = sums_for(self.sums, self.rounding)
        if sums == "exact":
            return
        apply_patterns(op, [FoldRequantize(op, sums)], recursive=False)
