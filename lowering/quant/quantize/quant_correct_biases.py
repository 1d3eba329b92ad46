"""quant-correct-biases: what rounding weights shifts a product's results by goes into its bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.dialects.quant_numpy import dequantize, quantize
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.chains.biases import F64, SHIFTED, ShiftPattern
from autosplit.lowering.quant.chains.channel_means import note_means, take_means
from autosplit.lowering.quant.quantize.quant_insert import weight_type
from autosplit.lowering.quant.quantize.quant_select import bits_of_weights, selected_operands
from autosplit.lowering.quant.quantize.roles import kind_of, weights_axis
from autosplit.lowering.quant.quantize.weights import channel_counts, grouped, input_axis, readable
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.shared.blocks import protected_names
from autosplit.lowering.shared.dead import remove_dead
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before


def correctable_products(module: ModuleOp, constants: Constants) -> list[OnnxOp]:
    """The products of a selection whose biases can take something up."""
    return [
        op
        for op in platform_graph(module).body_ops()
        if isinstance(op, OnnxOp)
        and kind_of(op) in SHIFTED
        and selected_operands(op)
        and _is_correctable(op, constants)
    ]


def _is_correctable(op: OnnxOp, constants: Constants) -> bool:
    bias = None if op.op_type == "MatMul" else operand(op, 2)
    if not constants.is_constant(op.operands[1]) or channel_counts(op) is None:
        why(op, "its weights are computed, or of an unknown form")
        return False
    if bias is not None and not constants.is_constant(bias):
        why(op, "its bias is computed")
        return False
    if input_axis(op) is None or shape_of(op.results[0].type) is None:
        why(op, "its shape is unknown")
        return False
    return True


def set_means(products: Sequence[OnnxOp], means: Mapping[str, Sequence[float]]) -> None:
    """Notes the means of the channels that products read, by the name of the product."""
    for op in products:
        note_means(op, means[op.identity])


class CorrectBias(ShiftPattern):
    """`product(x, w, b) -> product(x, w, b + mean(x) * (w - integers of w))`."""

    def __init__(self, values: ModuleValues, bits: int):
        super().__init__(values)
        self.bits = bits

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if (means := take_means(op)) is not None:
            self.shift(op, self._lost(op, means), rewriter)

    def _lost(self, op: OnnxOp, means: F64) -> F64:
        """How far the results of each channel are from those with rounded weights, in the mean."""
        weights = readable(op, self.values)
        type = weight_type(weights, weights_axis(op), bits_of_weights(op) or self.bits)
        lost = weights.astype(np.float64) - dequantize(quantize(weights, type), type)
        if op.op_type == "Conv":
            lost *= _shares(op, weights.shape[2:])
        view = grouped(op, np.ascontiguousarray(lost))
        shift = (view.sum(axis=3) * means.reshape(view.shape[0], -1, 1)).sum(axis=1)
        if op.op_type == "MatMul":
            # Each of several matrices is another one for the results.
            shift = shift / prod(weights.shape[:-2])
        return shift.reshape(-1)


def _shares(op: OnnxOp, kernel: Sequence[int]) -> F64:
    """For each place of a kernel, the share of the results for which it lies on no padding.

    1 where sizes are unknown.
    """
    count = len(kernel)
    sizes, out = (shape_of(v.type) or () for v in (op.operands[0], op.results[0]))
    pads = list(attribute(op, "pads", [0] * 2 * count))
    strides, dilations = (list(attribute(op, n, [1] * count)) for n in ("strides", "dilations"))
    shares = np.ones(kernel)
    if attribute(op, "auto_pad", "NOTSET") != "NOTSET":
        return shares
    for axis, extent in enumerate(kernel):
        size, results = (s[axis + 2] if len(s) == count + 2 else -1 for s in (sizes, out))
        if size < 1 or results < 1:
            continue
        starts = np.arange(results) * strides[axis] - pads[axis]
        positions = starts + np.arange(extent)[:, np.newaxis] * dilations[axis]
        inside_share = ((positions >= 0) & (positions < size)).mean(axis=1)
        along = [1] * count
        along[axis] = extent
        shares = shares * inside_share.reshape(along)
    return shares


@dataclass(frozen=True)
class QuantCorrectBiasesPass(ModulePass):
    """The mean of what rounding a product's weights changes in its results is taken back by its bias.

    `quant.means` on the product tell what it reads, see the option `correct_biases` of `quant-calibrate`;
    products without stay. Places of a kernel that lie on padding count less. Behind a MatMul, the sum with a
    constant is the bias.

    Example: `quant-select,quant-calibrate{data="photos" correct_biases=true},quant-correct-biases`
    """

    name = "quant-correct-biases"

    weight_bits: Literal[8, 7] = 8
    """As for `quant-insert`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(
            op, self.name, {"quant.scast": "quant-insert", "dnnl": "convert-onnx-to-dnnl"}
        )
        values = ModuleValues(op)
        apply_patterns(op, [CorrectBias(values, self.weight_bits)], recursive=False)
        block = platform_graph(op).regions[0].block
        remove_dead(block, protected_names(block))
