"""quant-keep-real: norms, softmaxes and gates read numbers that are not rounded."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.versions import DEFAULT_ROUNDING, Rounding
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.ops import GeluOp
from autosplit.dialects.quant import QuantizeCastOp, uniform_of, update_params
from autosplit.dialects.quant_numpy import dequantize
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.normalize_onnx.activations import FuseActivation
from autosplit.lowering.normalize_onnx.binary import DropNeutral, NumberAsVector, NumberSecond
from autosplit.lowering.normalize_onnx.int8.norms import FuseNorm
from autosplit.lowering.quant.canonical import UnreadQuantize, UnusedCast
from autosplit.lowering.quant.chains.stages import stored_constant
from autosplit.lowering.quant.drop_casts import add_quanta
from autosplit.lowering.quant.encoders.biases import SumConstants
from autosplit.lowering.quant.encoders.embeddings import GatherBytes
from autosplit.lowering.quant.encoders.real_regions import (
    RealRegions,
    is_product,
    readers,
    unrounded,
)
from autosplit.lowering.quant.encoders.rows import MatMulOfRows
from autosplit.lowering.rewriting import Pattern, apply_patterns, apply_to, set_operand, why
from autosplit.lowering.shared.dead import remove_dead_ops
from autosplit.lowering.shared.fold import folded_constant

GELU_APART = 5e-4
"""How far a GELU by tanh is from the exact one: 4.73e-4 at 2.7 on either side of 0."""

HALF_STEP = 0.5
"""How far a value is from its rounded one, in the range that was calibrated."""


class ReadUnrounded(Pattern[OnnxOp]):
    """`norm(dcast(qcast(x))) -> norm(x)`, and so for all ops of a region, and those that scale or shift a
    product by a constant.

    Refused if a product makes `x` and its integers are read elsewhere too: then it makes integers.
    """

    def __init__(self, regions: RealRegions):
        self.regions = regions
        self.sources: set[SSAValue] = set()
        """Values that are read unrounded."""

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if not self.regions.is_real(op):
            return
        for index, value in enumerate(op.operands):
            if (source := unrounded(value)) is None:
                continue
            if is_product(source.owner) and not all(map(self.regions.is_real, readers(source))):
                why(op, "integers of the product that it reads are read elsewhere too")
                continue
            set_operand(rewriter, op, index, source)
            self.sources.add(source)


class FoldStored(Pattern[OnnxOp]):
    """`norm(x, dcast(constant)) -> norm(x, constant)`, the second one of reals, for the same ops."""

    def __init__(self, regions: RealRegions, values: ModuleValues):
        self.regions = regions
        self.values = values

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if not self.regions.is_real(op):
            return
        for index, value in enumerate(op.operands):
            if (constant := stored_constant(self.values.constants, value)) is None:
                continue
            array, type = self.values.array(constant[1]), uniform_of(constant[0].input.type)
            if array is None or type is None:
                why(op, "its constant operand is not known")
                continue
            name = self.values.fresh(constant[0].value_name(0) or "constant")
            real = folded_constant(name, dequantize(array, type), self.values.store, op.location)
            rewriter.insert(real)
            set_operand(rewriter, op, index, real.results[0])


class ExactGelu(OnnxPattern[GeluOp]):
    """`gelu(x, by tanh) -> gelu(x)`, where a quantize with large steps follows.

    oneDNN computes the first one from 3.6 on only. The two differ by `GELU_APART` at most.
    """

    def rewrite(self, op: GeluOp, rewriter: PatternRewriter, /) -> None:
        if attribute(op, "approximate", "none") == "none":
            return
        casts = [u.operation for u in op.results[0].uses]
        types = [uniform_of(c.output.type) for c in casts if isinstance(c, QuantizeCastOp)]
        if len(types) < max(len(casts), 1) or any(
            t is None or float(t.scales.min()) < 4 * GELU_APART for t in types
        ):
            why(op, "its result is not rounded by more than the two differ")
            return
        self.replacement(op, rewriter).replace(op.operands, drop=("approximate",))


FORMS = (
    *(MatMulOfRows, FuseNorm, FuseActivation, NumberSecond, DropNeutral, NumberAsVector),
    *(ExactGelu, SumConstants),
)
"""The forms that ops of a region take once nothing is rounded in between."""


def keep_real(module: ModuleOp) -> None:
    """What `quant-keep-real{rounding=close}` does."""
    values = ModuleValues(module)
    regions = RealRegions(module, values.constants)
    ops = [op for op in module.walk() if isinstance(op, OnnxOp)]
    changed = apply_to(ops, [unrounding := ReadUnrounded(regions)])
    add_quanta(module, len(unrounding.sources) * HALF_STEP)
    changed |= apply_to(ops, [FoldStored(regions, values)])
    changed |= apply_to(ops, [GatherBytes(values)])
    if changed:
        _clean(module)
    forms = [form(values) for form in FORMS]
    while apply_to(reversed(list(module.walk())), forms):
        _clean(module)
        changed = True
    if changed:
        update_params(module)


def _clean(module: ModuleOp) -> None:
    apply_patterns(module, [UnusedCast(), UnreadQuantize()], backwards=True)
    remove_dead_ops(module)


@dataclass(frozen=True)
class QuantKeepRealPass(ModulePass):
    """Norms, softmaxes and gates, and what scales, masks or adds beside them, compute unrounded numbers.

    Quantizers put a quantize and a dequantize between any two ops, but nothing computes these ops on
    integers: there the pair only rounds, and hides a gate or a norm that is spelled in several ops. With
    `rounding=close` such pairs are removed: inside of what is connected with a LayerNormalization, a
    Softmax, a Gelu or what these are spelled with, by elementwise ops and by sums with a matrix product;
    and between a matrix product and the constants that it is scaled or shifted by. What products and
    convolutions read is rounded as before. Results are nearer to those of the real model than with the pairs.

    Sums of images, such as those of two convolutions, keep their integers.
    """

    name = "quant-keep-real"

    rounding: Rounding = DEFAULT_ROUNDING
    """Whether numbers may be rounded less often than the model says. `exact`: nothing is changed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounding == "close":
            keep_real(op)
