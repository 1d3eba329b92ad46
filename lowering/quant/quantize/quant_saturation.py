"""quant-saturation: which weights get 7 bits, for processors that add two products of bytes in 16 bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import platform_graph
from autosplit.dialects.quant import StatisticsOp
from autosplit.dialects.quant_numpy import quantize
from autosplit.lowering.quant.quantize.quant_insert import activation_type, weight_type
from autosplit.lowering.quant.quantize.quant_select import BITS, selected_operands
from autosplit.lowering.quant.quantize.roles import MOVES, PRODUCTS, kind_of, weights_axis
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before
from autosplit.runtime.dnnl.saturation import (
    LARGEST_BYTE,
    MOST,
    Weights,
    fits,
    isa_name,
    largest_pairs,
    multiplies_one_by_one,
    rows_of_conv,
    rows_of_product,
    rows_of_transposed_conv,
    saturates,
)

WHY = "quant.weights"
"""The attribute of a product that says why its weights get the bits that they get."""

NEVER_ABOVE = {"HardSigmoid": 1.0, "Sigmoid": 1.0, "Softmax": 1.0, "Tanh": 1.0}
"""What the results of an op never exceed."""

CASTS = ("quant.qcast", "quant.dcast", "quant.scast")

AFTER = {
    "device": "device-outline",
    "dnnl": "convert-onnx-to-dnnl",
    **dict.fromkeys(CASTS, "quant-insert"),
}
"""The passes that make what this pass comes before."""


class Saturation:
    """Decides for each product with constant weights."""

    def __init__(self, constants: Constants):
        self.constants = constants

    def decide(self, op: OnnxOp) -> tuple[int, ReasonAttr] | None:
        """The bits of the weights and why; None if the weights are computed or cannot be read."""
        array = self.constants.array(op.operands[1])
        if array is None:
            return None
        weights = quantize(array.astype(np.float32), weight_type(array, weights_axis(op)))
        groups = attribute(op, "group", 1)
        if op.op_type == "Conv" and multiplies_one_by_one(weights.shape, groups):
            return 8, ReasonAttr.of("one-by-one", "a depthwise convolution adds in 32 bits")
        pairs = largest_pairs(_rows(op, weights, groups))
        channel = int(pairs.argmax()) if pairs.size else 0
        pair = int(pairs.max(initial=0))
        byte = self._largest_byte(op.operands[0])
        text = f"two weights of channel {channel} add up to {pair}, and {pair} x {byte} is"
        if fits(pair, byte):
            return 8, ReasonAttr.of("fits", f"{text} no more than {MOST}")
        return 7, ReasonAttr.of("saturation", f"{text} more than {MOST}")

    def _largest_byte(self, value: SSAValue) -> int:
        """What the bytes of a measured value are at most.

        That is 255 for whatever the model may be given, unless the op in front has a limit below the range's.
        """
        stats = value.owner
        ends = tensor_array(stats.layer_stats) if isinstance(stats, StatisticsOp) else None
        if ends is None:
            return LARGEST_BYTE
        limit = np.array(self._limit(value), np.float32)
        byte = int(quantize(limit, activation_type(float(ends[0]), float(ends[1]))))
        # One more: near the middle of two bytes the library may round to the other one.
        return min(byte + 1, LARGEST_BYTE)

    def _limit(self, value: SSAValue) -> float:
        """The largest number that a value can hold."""
        op = value.owner
        while isinstance(op, StatisticsOp) or (isinstance(op, OnnxOp) and kind_of(op) in MOVES):
            op = op.operands[0].owner
        highest = operand(op, 2) if isinstance(op, OnnxOp) and kind_of(op) == "Clip" else None
        bound = None if highest is None else self.constants.array(highest)
        return NEVER_ABOVE.get(kind_of(op), inf) if bound is None else float(bound.item())


def _rows(op: OnnxOp, weights: Weights, groups: int) -> Weights:
    match op.op_type:
        case "Conv":
            return rows_of_conv(weights)
        case "ConvTranspose":
            return rows_of_transposed_conv(weights, groups)
        case "Gemm":
            return rows_of_product(weights, transposed=bool(attribute(op, "transB", 0)))
        case _:
            return rows_of_product(weights, transposed=False)


@dataclass(frozen=True)
class QuantSaturationPass(ModulePass):
    """Every product of `quant-select` says how many bits its weights get, and why, as `quant.weights`.

    For processors without VNNI, which add two products of bytes in 16 bits. A product keeps 8 bits where no
    two weights of one number of its results exceed that for the largest byte that the activations can have,
    and where nothing is added in 16 bits. The others get 7, with which any two fit. Nothing is changed for
    processors with VNNI, or where no instruction set is named.
    """

    name = "quant-saturation"

    isa: str = ""
    """The instruction set of the processor that will compute, by oneDNN's name, as in `avx2`."""
    bits: Callable[[str], int] | None = None
    """The bits of a product by its name where they are known already, else 0; given in Python."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name, AFTER)
        narrow = bool(self.isa) and saturates(isa_name(self.isa))
        saturation = Saturation(Constants(store_for(op)))
        for product in platform_graph(op).body_ops():
            if not isinstance(product, OnnxOp) or kind_of(product) not in PRODUCTS:
                continue
            bits = self.bits(product.identity) if self.bits is not None else 0
            if not selected_operands(product) or not (bits or narrow):
                continue
            known = (bits, ReasonAttr.of("recipe", f"the recipe says {counted(bits, 'bit')}"))
            if (decision := known if bits else saturation.decide(product)) is not None:
                product.attributes[BITS] = IntegerAttr(decision[0], i64)
                product.attributes[WHY] = decision[1]
