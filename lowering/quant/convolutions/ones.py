"""Convolutions with ones, which turn an op on dequantized bytes into one that the library fuses.

oneDNN has kernels for a product and the ops behind it, but not for most ops between casts. A depthwise
convolution whose kernels are a single 1 is such a product, and its result equals its operand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    S8,
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
)
from autosplit.lowering.quant.chains.products import UNARY, WITH_CONSTANT
from autosplit.lowering.quant.names import Names
from autosplit.lowering.shared.fold import writable_store

IMAGES = (4, 5)
"""The ranks of images and videos."""

CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})

ELEMENTWISE = frozenset({*UNARY, *WITH_CONSTANT})


ONE = 2
"""The integer that represents 1. Without VNNI the library halves the weights of a signed operand, rounds
them, and doubles the results: an integer of 1 would be lost."""

F64: TypeAlias = NDArray[np.float64]


def spoils_last_channels(shape: Sequence[int], other_shape: Sequence[int]) -> bool:
    """Whether a depthwise convolution of bytes, with results of a shape, must not meet a tensor of another.

    Without AVX-512, oneDNN 3.2 computes 8 channels at a time, and the remainder correctly only if it is one:
    the other tensor is read at wrong offsets, unless all channels read the same. Plans are portable between
    processors, so none contains this.
    """
    if len(other_shape) < len(shape) - 1 or shape[1] % 8 in (0, 1):
        return False
    return other_shape[1 - len(shape)] != 1


class Ones:
    """Builds convolutions with ones for the ops of a module."""

    def __init__(self, module: ModuleOp):
        self.store = writable_store(module)
        self.names = Names(module)
        self._order = {op: i for i, op in enumerate(module.walk())}

    def made_at(self, value: SSAValue) -> int:
        """The position of the op that produced the integers of a dequantized value; -1 for an input."""
        dequantize = value.owner
        assert isinstance(dequantize, DequantizeCastOp)
        producer = dequantize.input.owner
        return self._order.get(producer, -1) if isinstance(producer, Operation) else -1

    def convolve(self, user: OnnxOp, value: SSAValue, channels: int, rank: int) -> list[Operation]:
        """The ops of `conv(value, ones)` for a user of `value`; the last one produces the result."""
        uniform = UniformType.of(S8, f32, [1.0 / ONE], [0])
        weights = np.full(channels, ONE, np.int8)
        return self._convolve(user, value, weights, uniform, rank, None)

    def replace_by_scaled(
        self, op: OnnxOp, value: SSAValue, factors: F64, shifts: F64, rewriter: PatternRewriter
    ) -> None:
        """Replaces an op of one result by `value * factors + shifts`, channel by channel."""
        signs = (np.sign(factors) * ONE).astype(np.int8)
        scales = np.where(factors == 0, 1.0, np.abs(factors)) / ONE
        uniform = UniformType.of(S8, f32, scales, np.zeros(scales.size, np.int64), 0)
        rank = len(shape_of(value.type) or ())
        ops = self._convolve(op, value, signs, uniform, rank, shifts)
        conv = ops[-1]
        conv.properties["value_names"] = op.properties["value_names"]
        conv.results[0].name_hint = op.results[0].name_hint
        rewriter.insert(ops)
        rewriter.replace_all_uses_with(op.results[0], conv.results[0])
        rewriter.erase(op)

    def _convolve(
        self,
        user: OnnxOp,
        value: SSAValue,
        weights: NDArray[np.int8],
        uniform: UniformType,
        rank: int,
        bias: F64 | None,
    ) -> list[Operation]:
        kernel = (weights.size, 1, *[1] * (rank - 2))
        base = user.value_name(0) or "result"
        ones = make_constant(self.names.fresh(f"{base}__ones"), weights.reshape(kernel), self.store)
        cast = StorageCastOp(ones.results[0], TensorType(uniform, kernel))
        real = DequantizeCastOp(cast.output, TensorType(f32, kernel))
        preceding: list[Operation] = [ones, cast, real]
        operands = [value, real.output]
        if bias is not None:
            name = self.names.fresh(f"{base}__shifts")
            preceding.append(shifts := make_constant(name, bias.astype(np.float32), self.store))
            operands.append(shifts.results[0])
        conv = make_node(
            "Conv",
            operands,
            [self.names.fresh(f"{base}__same")],
            attributes={
                "group": weights.size,
                "kernel_shape": [1] * (rank - 2),
                "strides": [1] * (rank - 2),
                "dilations": [1] * (rank - 2),
                "pads": [0, 0] * (rank - 2),
            },
            result_types=[value.type],
        )
        for op in (*preceding, conv):
            op.location = user.location
        return [*preceding, conv]


def has_channels(
    shape: tuple[int, ...] | None, operands: Sequence[SSAValue]
) -> TypeGuard[tuple[int, ...]]:
    """Whether tensors of a shape have channels, a known number, as their second dimension.

    Of three dimensions it may be any, unless a convolution makes an operand.
    """
    if shape is None or len(shape) not in (3, *IMAGES) or shape[1] < 1:
        return False
    return len(shape) in IMAGES or any(map(_is_made_by_convolution, operands))


def _is_made_by_convolution(value: SSAValue) -> bool:
    """Whether a value is of a convolution and elementwise ops behind it, quantized in between or not."""
    pending, visited = [value], set[SSAValue]()
    while pending:
        visited.add(value := pending.pop())
        op = value.owner
        if isinstance(op, OnnxOp) and op.op_type in CONVOLUTIONS:
            return True
        is_cast = isinstance(op, DequantizeCastOp | QuantizeCastOp | StorageCastOp)
        if is_cast or (isinstance(op, OnnxOp) and op.op_type in ELEMENTWISE):
            pending += [v for v in op.operands if v not in visited]
    return False


def is_byte(uniform: UniformType | None) -> bool:
    """Whether a type is stored as 8-bit integers with one scale."""
    return uniform is not None and not uniform.is_per_axis and uniform.storage.width.data == 8


def dequantize_of(value: SSAValue) -> DequantizeCastOp | None:
    """The dequantize of bytes that produces a value, if it has no other user."""
    op = value.owner
    if not isinstance(op, DequantizeCastOp) or not value.has_one_use():
        return None
    return op if is_byte(uniform_of(op.input.type)) else None


def stored_result(op: OnnxOp, between: Collection[str] = ()) -> IntegerType | None:
    """The stored type of the quantize behind an op, with only ops of the types `between` in between.

    None if there is none, or the result has other users.
    """
    value: SSAValue = op.results[0]
    while value.has_one_use():
        user = next(iter(value.uses)).operation
        if isinstance(user, QuantizeCastOp):
            uniform = uniform_of(user.output.type)
            return uniform.storage if uniform is not None and is_byte(uniform) else None
        if not isinstance(user, OnnxOp) or user.domain != "" or user.op_type not in between:
            return None
        value = user.results[0]
    return None
