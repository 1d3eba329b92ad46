"""quant-sum-as-conv: a sum of two quantized tensors becomes one kernel, that of a convolution with ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.ops import AddOp, SumOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
)
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why
from autosplit.lowering.shared.fold import writable_store

BETWEEN = ("Relu",)
"""What may stand between the sum and its quantize."""

RANKS = (4, 5)
"""The ranks of images and videos; what has fewer dimensions rarely has its channels in the second."""

BYTE = IntegerType(8)


class ConvolveSummand(Pattern[AddOp | SumOp]):
    """`dcast(a) + dcast(b) -> conv(dcast(a), ones) + dcast(b)`, where a quantize follows.

    Refused for tensors of other ranks than 4 and 5 or with an open number of channels, shapes that are
    broadcast, parameters by the channel, sums of which no operand is stored as the result is, and sums
    that something else reads unrounded.
    """

    def __init__(self, module: ModuleOp):
        self.store = writable_store(module)
        self.names = Names(module)
        self.order = {op: i for i, op in enumerate(module.walk())}

    def rewrite(self, join: AddOp | SumOp, rewriter: PatternRewriter, /) -> None:
        stored = _stored_result(join)
        if stored is None or len(join.operands) != 2:
            return
        sides = [_dequantize(v) for v in join.operands]
        if None in sides or join.operands[0] is join.operands[1]:
            why(join, "it does not sum two dequantized tensors")
            return
        shape = shape_of(join.results[0].type)
        if shape is None or len(shape) not in RANKS or shape[1] < 1:
            why(join, "its shape is none that a convolution takes")
            return
        if any(shape_of(v.type) != shape for v in join.operands):
            why(join, "an operand is broadcast")
            return
        # The kernel writes over its summand, so that has to be stored as the result is.
        fitting = [v for v in join.operands if _uniform(v).storage == stored]
        if not fitting:
            why(join, f"neither operand is stored as {stored}, as its result is")
            return
        # What was computed last is still in the cache, and goes through the convolution.
        summand = min(fitting, key=self._computed)
        index = 1 - list(join.operands).index(summand)
        made = self._times_one(join, join.operands[index], shape[1], len(shape))
        rewriter.insert(made)
        set_operand(rewriter, join, index, made[-1].results[0])

    def _computed(self, value: SSAValue) -> int:
        """The place of the op that made the integers of a dequantized value; -1 for an input."""
        dequantize = value.owner
        assert isinstance(dequantize, DequantizeCastOp)
        maker = dequantize.input.owner
        return self.order[maker] if isinstance(maker, Operation) else -1

    def _times_one(
        self, join: OnnxOp, value: SSAValue, channels: int, rank: int
    ) -> list[Operation]:
        kernel = (channels, 1, *[1] * (rank - 2))
        name = self.names.fresh(f"{join.value_name(0) or 'sum'}__ones")
        ones = make_constant(name, np.ones(kernel, np.int8), self.store)
        uniform = UniformType.of(BYTE, f32, [1.0], [0])
        cast = StorageCastOp(ones.results[0], TensorType(uniform, kernel))
        real = DequantizeCastOp(cast.output, TensorType(f32, kernel))
        conv = make_node(
            "Conv",
            [value, real.output],
            [self.names.fresh(f"{join.value_name(0) or 'sum'}__same")],
            attributes={
                "group": channels,
                "kernel_shape": [1] * (rank - 2),
                "strides": [1] * (rank - 2),
                "dilations": [1] * (rank - 2),
                "pads": [0, 0] * (rank - 2),
            },
            result_types=[value.type],
        )
        for op in (ones, cast, real, conv):
            op.location = join.location
        return [ones, cast, real, conv]


def _uniform(value: SSAValue) -> UniformType:
    dequantize = value.owner
    assert isinstance(dequantize, DequantizeCastOp)
    uniform = uniform_of(dequantize.input.type)
    assert uniform is not None
    return uniform


def _is_byte(uniform: UniformType | None) -> bool:
    return uniform is not None and not uniform.is_per_axis and uniform.storage.width.data == 8


def _dequantize(value: SSAValue) -> DequantizeCastOp | None:
    """The dequantize of bytes that makes a value which nothing else reads."""
    op = value.owner
    if not isinstance(op, DequantizeCastOp) or not value.has_one_use():
        return None
    return op if _is_byte(uniform_of(op.input.type)) else None


def _stored_result(join: OnnxOp) -> IntegerType | None:
    """What the quantize behind a sum stores; None where none reads it, or something else reads it too."""
    value: SSAValue = join.results[0]
    while value.has_one_use():
        user = next(iter(value.uses)).operation
        if isinstance(user, QuantizeCastOp):
            uniform = uniform_of(user.output.type)
            return uniform.storage if uniform is not None and _is_byte(uniform) else None
        if not isinstance(user, OnnxOp) or user.domain != "" or user.op_type not in BETWEEN:
            return None
        value = user.results[0]
    return None


@dataclass(frozen=True)
class QuantSumAsConvPass(ModulePass):
    """Multiplies one operand of a sum by one, channel by channel, if both are dequantized.

    `q(dq(a) + dq(b)) -> q(conv(dq(a), ones) + dq(b))`, also with a ReLU behind the sum. oneDNN has no
    kernel that adds two quantized tensors, but it has one for a convolution, a quantized summand, and
    the ops behind them. So a sum that would take four passes over memory, most of them over float32,
    takes one over bytes. The convolution is depthwise with kernels of one element, all of them 1: its
    result equals its operand, so the numbers do not change.

    Refused: tensors whose rank is not 4 or 5, an open number of channels, shapes that broadcast,
    parameters per channel, sums none of whose operands is stored like the result, and sums that another
    op reads unrounded.
    """

    name = "quant-sum-as-conv"

    sums: Literal["exact", "close", "fast"] = "exact"
    """What the numbers of sums may be; `fast` leaves them to quant-fold-requantize."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.sums == "fast":
            return
        if apply_patterns(op, [ConvolveSummand(op)], recursive=False):
            update_params(op)
