"""top-flatten-products: products of pictures in channels-last order, as products of rows.

In two bytes, TPU-MLIR does not compile many products of [n, h, w, c] with a matrix, above all those of few
channels: step 4 ends with an assertion. Those of [1, n * h * w, c] it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.devices import DEFAULT_CHIP, get_chip
from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import TopOp, is_dynamic, make_op
from autosplit.lowering.convert_top_to_onnx.base import is_weight
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.top.copies import TopPattern

MODES = ("BF16", "F16")
"""The modes in which activations have two bytes."""

TRANSPOSES = ("left_transpose", "output_transpose", "hdim_is_batch")
"""Attributes for which the first three dimensions are not all rows."""


class FlattenProduct(TopPattern):
    """`x @ weights` -> `reshape(reshape(x) @ weights)`, where x is [n, h, w, c]."""

    KINDS = ("MatMul",)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        picture, weights, *others = op.operands
        before, after = static_shape(picture.type), static_shape(op.outputs[0].type)
        if before is None or after is None or len(before) != 4:
            return
        if not is_weight(weights) or len(static_shape(weights.type) or ()) != 2:
            why(op, "its matrix is computed, or one of several")
            return
        if any(op.flag(name) for name in TRANSPOSES) or not op.flag("keep_dims"):
            why(op, "it transposes what it reads or makes, or drops dimensions")
            return
        read, made = ([1, prod(before[:-1]), size] for size in (before[-1], after[-1]))
        rows = self._reshape(picture, read, self.fresh(f"{op.names[0]}/rows"))
        names, type = [self.fresh(f"{op.names[0]}/flat")], TensorType(f32, made)
        product = make_op("MatMul", [rows.outputs[0], weights, *others], [type], names, op.attrs)
        back = self._reshape(product.outputs[0], after, op.names[0])
        rewriter.replace(op, [rows, product, back], [back.outputs[0]])

    def _reshape(self, value: SSAValue, shape: Sequence[int], name: str) -> TopOp:
        return make_op("Reshape", [value], [TensorType(f32, shape)], [name], {"shape": list(shape)})


@dataclass(frozen=True)
class TopFlattenProductsPass(ModulePass):
    """A product of [n, h, w, c] with a matrix is one of [1, n * h * w, c], on chips that need it.

    In F16 and BF16, TPU-MLIR does not compile many of the former for them. Modules whose sizes vary stay as
    they are: the Reshape behind a product has fixed sizes.
    """

    name = "top-flatten-products"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        needed = self.mode in MODES and "picture-products" in get_chip(self.target).workarounds
        if needed and not is_dynamic(op):
            apply_patterns(op, [FlattenProduct(op)], recursive=False)
