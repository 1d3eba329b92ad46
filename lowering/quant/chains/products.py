"""Products of integers, and the ops that a library fuses with them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp
from autosplit.lowering.shared.fold import Constants

PRODUCTS = ("Conv", "ConvTranspose", "MatMul", "Gemm")
"""Ops that a library fuses a sum or an activation with."""

UNARY = (
    "Abs",
    "Clip",
    "Elu",
    "Exp",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Log",
    "Mish",
    "Relu",
    "Round",
    "Sigmoid",
    "Softplus",
    "Sqrt",
    "Tanh",
)
WITH_CONSTANT = ("Add", "Sub", "Mul", "Div")
"""Ops allowed between a product and its quantize, with a constant as the other operand."""


ACTIVATIONS = (
    *("Clip", "Elu", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "Relu", "Sigmoid"),
    "Tanh",
)
"""Ops of one tensor that the library computes behind a convolution at little cost."""

MAKERS = (
    *("Add", "AveragePool", "Conv", "ConvTranspose", "Gemm", "GlobalAveragePool", "GlobalMaxPool"),
    *("MatMul", "MaxPool", "Mul", *ACTIVATIONS),
)
"""Ops whose quantized results are the library's bytes."""


@dataclass(frozen=True)
class ProductBehind:
    """The product that a value comes from, and the number of elementwise ops in between."""

    product: OnnxOp
    steps: int


def product_behind(value: SSAValue, constants: Constants) -> ProductBehind | None:
    """The integer product that a value comes from, through elementwise ops of one use each."""
    steps = 0
    while value.has_one_use():
        op = value.owner
        if not isinstance(op, OnnxOp) or op.domain != "" or len(op.results) != 1:
            return None
        if op.op_type in PRODUCTS:
            return (
                ProductBehind(op, steps)
                if isinstance(op.operands[0].owner, DequantizeCastOp)
                else None
            )
        steps += 1
        if op.op_type in UNARY:
            value = op.operands[0]
            continue
        if op.op_type not in WITH_CONSTANT:
            return None
        computed = [v for v in op.operands if not constants.is_constant(v)]
        if len(computed) != 1:
            return None
        value = computed[0]
    return None


def is_made_by_library(stored: SSAValue) -> bool:
    """Whether quantized values come from an op that the library computes."""
    quantize = stored.owner
    if not isinstance(quantize, QuantizeCastOp):
        return False
    producer = quantize.input.owner
    return isinstance(producer, OnnxOp) and producer.domain == "" and producer.op_type in MAKERS
