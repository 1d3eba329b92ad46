"""top-correct-biases: biases take back what rounding a product's weights to 8 bits shifts its results by.

    bias + mean(x) * (w - w in 8 bits)

`x` is the product's input, with one mean per channel. BM1684's weights have steps of another kind, and how
they are rounded is not known exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.weights import store_for
from autosplit.dialects.platform import shape_of
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx.base import is_weight, weight_name
from autosplit.lowering.quant.chains.channel_means import note_means, take_means
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.top.byte_weights import BY_CHANNEL, PRODUCTS, rounded_weights
from autosplit.lowering.top.copies import TopPattern, top_blocks

Array = NDArray[Any]

Channels = tuple[str, int]
"""A value by its name, and the axis of its channels."""


def correctable_products(module: ModuleOp) -> dict[TopOp, Channels]:
    """The products whose weights and biases are constants of their own, and the channels that each reads."""
    ops = [op for block in top_blocks(module) for op in block.ops if isinstance(op, TopOp)]
    uses = Counter(weight_name(v) for op in ops for v in op.inputs if is_weight(v))
    products: dict[TopOp, Channels] = {}
    for op in ops:
        if op.kind not in PRODUCTS or len(op.inputs) < 3:
            continue
        weights, bias = op.inputs[1:3]
        if not (is_weight(weights) and is_weight(bias)) or uses[weight_name(bias)] > 1:
            continue
        if (channels := _channels(op)) is not None:
            products[op] = channels
    return products


def _channels(op: TopOp) -> Channels | None:
    """The channels that a product reads; None where it reads a weight, or its weights are no plain matrix."""
    source, weights = op.inputs[:2]
    if not isinstance(source, OpResult) or not isinstance(source.op, TopOp):
        return None
    if is_weight(source):
        return None
    rank = len(shape_of(source.type) or ())
    if op.kind in BY_CHANNEL:
        axis = 1
    elif len(shape_of(weights.type) or ()) == 2 and not op.flag("right_transpose"):
        axis = rank - 1
    else:
        return None
    return (source.op.names[source.index], axis) if rank > axis else None


def bias_name(product: TopOp) -> str:
    """The name of the weight that is the bias of a correctable product."""
    return weight_name(product.inputs[2])


def set_means(module: ModuleOp, means: Mapping[str, Sequence[float]]) -> None:
    """Notes the means of the channels that products read, by the names of their biases."""
    for op in correctable_products(module):
        if (channel_means := means.get(bias_name(op))) is not None:
            note_means(op, channel_means)


class CorrectChipBias(TopPattern):
    """`product(x, w, b) -> product(x, w, b + mean(x) * (w - w in 8 bits))`."""

    KINDS = tuple(sorted(PRODUCTS))

    def __init__(self, module: ModuleOp, products: Collection[TopOp]):
        super().__init__(module)
        self.products = products

    def rewrite(self, op: TopOp, rewriter: PatternRewriter, /) -> None:
        if (means := take_means(op)) is None:
            return
        rewriter.notify_op_modified(op)
        if op not in self.products:
            why(op, "its weights or its bias are no constants of its own")
            return
        store = store_for(self.module)
        arrays = (store.array(weight_name(value)) for value in op.inputs[1:3])
        weights, bias = (np.asarray(array, np.float32) for array in arrays)
        shift = _shift(op, means, weights)
        if shift is None or shift.size != bias.size:
            why(op, "the means are not those of its channels")
            return
        shifted = bias + shift.reshape(bias.shape).astype(np.float32)
        self.read_array(op, 2, "corrected", shifted, rewriter)


def _shift(op: TopOp, means: Array, weights: Array) -> Array | None:
    """How far the results of each channel are, in the mean, from those with rounded weights."""
    array = weights.reshape(shape_of(op.inputs[1].type) or ())
    is_conv = op.kind in BY_CHANNEL
    error = array.astype(np.float64) - rounded_weights(array, by_channel=is_conv)
    if is_conv:
        return _through_convolution(means, error)
    return means @ error if error.shape[0] == means.size else None


def _through_convolution(means: Array, weights: Array) -> Array | None:
    """A convolution's results for an input of these means; places on padding count like others."""
    results, inner = weights.shape[:2]
    groups = means.size // inner
    if groups * inner != means.size or results % groups:
        return None
    summed = weights.reshape(groups, results // groups, inner, -1).sum(axis=-1)
    return (summed * means.reshape(groups, 1, inner)).sum(axis=-1).reshape(-1)


@dataclass(frozen=True)
class TopCorrectBiasesPass(ModulePass):
    """A product's bias takes back what rounding its weights to 8 bits changes in the mean.

    `quant.means` on the product are the means of the channels that it reads. Products without it stay as they
    are, and so do those whose weights are computed or whose bias others read. Places of a kernel that lie on
    padding count like others.
    """

    name = "top-correct-biases"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [CorrectChipBias(op, correctable_products(op))], recursive=False)
