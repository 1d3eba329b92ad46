"""top-correct-biases: biases take back what rounding a product's weights to 8 bits shifts its results by.

    bias + mean(x) * (w - w in 8 bits)

`x` is the product's input, with one mean per channel. Where a chip only shifts sums, as BM1684 does, the
steps of weights and biases depend on those of what is read and made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, f64
from xdsl.ir import Attribute, OpResult
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.weights import store_for
from autosplit.dialects.platform import shape_of
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx.base import is_weight, weight_name
from autosplit.lowering.quant.chains.channel_means import note_means, take_means
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.top.byte_weights import (
    BY_CHANNEL,
    PRODUCTS,
    rounded_weights,
    shifted_product,
)
from autosplit.lowering.top.copies import TopPattern, top_blocks

Array = NDArray[Any]

Channels = tuple[str, int]
"""A value by its name, and the axis of its channels."""

CORRECTABLE = PRODUCTS - {"Deconv"}
"""Kinds whose shift is known from means of channels: a Deconv's depends on the place."""

STEPS = "quant.steps"
"""The attribute of a product that holds the steps of what it reads and makes, where sums are only shifted."""


def correctable_products(module: ModuleOp) -> dict[TopOp, Channels]:
    """The products whose weights and biases are constants of their own, and the channels that each reads."""
    ops = [op for block in top_blocks(module) for op in block.ops if isinstance(op, TopOp)]
    uses = Counter(weight_name(v) for op in ops for v in op.inputs if is_weight(v))
    products: dict[TopOp, Channels] = {}
    for op in ops:
        if op.kind not in CORRECTABLE or len(op.inputs) < 3:
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


def set_steps(module: ModuleOp, steps: Mapping[str, float]) -> None:
    """Notes the steps of what products read and make, by the names of values, for a chip that shifts sums."""
    for op in correctable_products(module):
        source = op.inputs[0]
        assert isinstance(source, OpResult)
        assert isinstance(source.op, TopOp)
        inner, outer = steps.get(source.op.names[source.index]), steps.get(op.names[0])
        if inner is not None and outer is not None:
            op.attributes[STEPS] = DenseArrayBase.from_list(f64, [inner, outer])


class CorrectChipBias(TopPattern):
    """`product(x, w, b) -> product(x, w, b + mean(x) * (w - w in 8 bits))`."""

    KINDS = tuple(sorted(CORRECTABLE))

    def __init__(self, module: ModuleOp, products: Collection[TopOp]):
        super().__init__(module)
        self.products = products

    def rewrite(self, op: TopOp, rewriter: PatternRewriter, /) -> None:
        steps = op.attributes.pop(STEPS, None)
        if (means := take_means(op)) is None:
            return
        rewriter.notify_op_modified(op)
        if op not in self.products:
            why(op, "its weights or its bias are no constants of its own")
            return
        store = store_for(self.module)
        arrays = (store.array(weight_name(value)) for value in op.inputs[1:3])
        weights, bias = (np.asarray(array, np.float32) for array in arrays)
        weights = weights.reshape(shape_of(op.inputs[1].type) or ())
        corrected = _corrected(op, means, steps, weights, bias)
        if isinstance(corrected, str):
            why(op, corrected)
            return
        self.read_array(op, 2, "corrected", corrected, rewriter)


def _corrected(
    op: TopOp, means: Array, steps: Attribute | None, weights: Array, bias: Array
) -> Array | str:
    """The bias of a product that takes back what rounding shifts; or why there is none."""
    if not isinstance(steps, DenseArrayBase):
        rounded = rounded_weights(weights, by_channel=op.kind in BY_CHANNEL)
        return _shifted_back(op, means, weights - rounded, bias)
    inner, outer = (float(step) for step in steps.iter_values())
    before = shifted_product(weights, bias, inner, outer, op.kind)
    if before is None:
        return "no shift fits its sums: it is in real numbers"
    corrected = _shifted_back(op, means, weights - before.weights, bias)
    if isinstance(corrected, str):
        return corrected
    after = shifted_product(weights, corrected, inner, outer, op.kind)
    if after is None or after.shift != before.shift:
        return "more of its biases would be beyond 16 bits"
    return corrected


def _shifted_back(op: TopOp, means: Array, error: Array, bias: Array) -> Array | str:
    """The bias less what an error of the weights shifts the results of each channel by, in the mean."""
    shift = _through_convolution(means, error) if op.kind in BY_CHANNEL else _through(means, error)
    if shift is None or shift.size != bias.size:
        return "the means are not those of its channels"
    return bias + shift.reshape(bias.shape).astype(np.float32)


def _through(means: Array, weights: Array) -> Array | None:
    """The results of a product of matrices for an input of these means."""
    return means @ weights.astype(np.float64) if weights.shape[0] == means.size else None


def _through_convolution(means: Array, weights: Array) -> Array | None:
    """A convolution's results for an input of these means; places on padding count like others."""
    weights = weights.astype(np.float64)
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
    padding count like others. `quant.steps` are the steps of what the product reads and makes, on a chip that
    only shifts sums; its weights' and biases' steps depend on them.
    """

    name = "top-correct-biases"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [CorrectChipBias(op, correctable_products(op))], recursive=False)
