"""quant-gate-as-conv: gates and activations between casts become one kernel each, that of a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.ops import BatchNormalizationOp, MulOp, SigmoidOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, update_params
from autosplit.lowering.quant.chains.products import ACTIVATIONS, is_made_by_library
from autosplit.lowering.quant.convolutions.joined import ConvolveJoined, constant_affine
from autosplit.lowering.quant.convolutions.ones import (
    Ones,
    dequantize_of,
    has_channels,
    spoils_last_channels,
    stored_result,
)
from autosplit.lowering.quant.convolutions.scaled import ConvolveScaled
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why
from autosplit.lowering.shared.fold import Constants


class ConvolveGated(Pattern[MulOp]):
    """`dcast(x) * g -> conv(dcast(x), ones) * g`, where a quantize follows.

    `g` is a gate per channel or per position, or a whole tensor, dequantized or not. Of two dequantized
    tensors, the one that was computed last goes through the convolution.

    Refused if the product is larger than its dequantized operand, for tensors without channels or with an
    open number of them, gates of other shapes, channels that the library spoils with the gate, and products
    that something else reads unrounded.
    """

    def __init__(self, ones: Ones):
        self.ones = ones

    def rewrite(self, op: MulOp, rewriter: PatternRewriter, /) -> None:
        if stored_result(op, ("Relu",)) is None:
            return
        if op.operands[0] is op.operands[1]:
            why(op, "it squares its operand")
            return
        shape = shape_of(op.results[0].type)
        if not has_channels(shape, op.operands):
            why(op, "its shape is none that a convolution takes")
            return
        gated = [v for v in op.operands if shape_of(v.type) == shape and dequantize_of(v)]
        if not gated:
            why(op, "no operand as large as the result is dequantized")
            return
        value = max(gated, key=self.ones.made_at)
        index = list(op.operands).index(value)
        gate = op.operands[1 - index]
        if not _is_gate(shape_of(gate.type), shape):
            why(op, "its gate has a shape that the library has no fast kernel for")
            return
        if (swish := _sigmoid_of(gate, value)) is not None:
            self._swish(op, swish, shape, rewriter)
            return
        if spoils_last_channels(shape, shape_of(gate.type) or shape):
            why(op, f"the library spoils the last of {shape[1]} channels where it has no AVX-512")
            return
        ops = self.ones.convolve(op, value, shape[1], len(shape))
        rewriter.insert(ops)
        set_operand(rewriter, op, index, ops[-1].results[0])

    def _swish(
        self, op: MulOp, sigmoid: SigmoidOp, shape: tuple[int, ...], rewriter: PatternRewriter
    ) -> None:
        """`dcast(x) * sigmoid(dcast(x)) -> c * sigmoid(c)` with the convolution `c`."""
        ops = self.ones.convolve(op, sigmoid.operands[0], shape[1], len(shape))
        rewriter.insert(ops, InsertPoint.before(sigmoid))
        set_operand(rewriter, sigmoid, 0, ops[-1].results[0])
        for index, value in enumerate(op.operands):
            if value is not sigmoid.results[0]:
                set_operand(rewriter, op, index, ops[-1].results[0])
                if isinstance(value.owner, Operation) and value.first_use is None:
                    rewriter.erase(value.owner)


def _is_gate(gate: tuple[int, ...] | None, shape: tuple[int, ...]) -> bool:
    """Whether a tensor has one element per channel, per position, or per element of a shape.

    One per image of a batch has a kernel that is not vectorized.
    """
    if gate is None or len(gate) > len(shape):
        return False
    if gate == shape:
        return True
    batch, channels, *spatial = (*[1] * (len(shape) - len(gate)), *gate)
    if batch not in (1, shape[0]) or channels not in (1, shape[1]):
        return False
    if all(n == 1 for n in spatial):
        return batch == 1 or channels != 1
    return tuple(spatial) == shape[2:]


def _sigmoid_of(gate: SSAValue, value: SSAValue) -> SigmoidOp | None:
    """The sigmoid of a gate that is computed from the tensor that it gates."""
    sigmoid = gate.owner
    if not isinstance(sigmoid, SigmoidOp) or not gate.has_one_use():
        return None
    gate_source, value_source = dequantize_of(sigmoid.operands[0]), value.owner
    is_same = (
        gate_source is not None
        and isinstance(value_source, DequantizeCastOp)
        and gate_source.input is value_source.input
    )
    return sigmoid if is_same else None


class ConvolveActivated(Pattern[OnnxOp]):
    """`f(dcast(x)) -> f(conv(dcast(x), ones))` for an activation `f`, where a quantize follows.

    Refused like gates, and where the integers do not come from an op that the library computes: then ONNX
    Runtime has them, and kernels for an activation between casts of its own.
    """

    def __init__(self, ones: Ones):
        self.ones = ones

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if op.domain != "" or op.op_type not in ACTIVATIONS or stored_result(op) is None:
            return
        if (cast := dequantize_of(op.operands[0])) is None:
            return
        shape = shape_of(op.results[0].type)
        if not has_channels(shape, op.operands[:1]):
            why(op, "its shape is none that a convolution takes")
            return
        if not is_made_by_library(cast.input):
            why(op, "what it reads is not computed by an op of the library")
            return
        if op.op_type == "Gelu" and attribute(op, "approximate", "none") != "none":
            why(op, "it approximates another way than the library")
            return
        ops = self.ones.convolve(op, op.operands[0], shape[1], len(shape))
        rewriter.insert(ops)
        set_operand(rewriter, op, 0, ops[-1].results[0])


class ConvolveNormalized(Pattern[BatchNormalizationOp]):
    """`batch_norm(dcast(x)) -> conv(dcast(x), signs) + shifts`, where a quantize follows.

    The factors are the scales of the weights, which are 1 and -1. Refused if the statistics are computed,
    for tensors without channels, and if something else reads the result unrounded.
    """

    def __init__(self, ones: Ones, constants: Constants):
        self.ones = ones
        self.constants = constants

    def rewrite(self, op: BatchNormalizationOp, rewriter: PatternRewriter, /) -> None:
        value = op.operands[0]
        if stored_result(op, ACTIVATIONS) is None or dequantize_of(value) is None:
            return
        shape = shape_of(value.type)
        if not has_channels(shape, op.operands[:1]):
            why(op, "its shape is none that a convolution takes")
            return
        affine = constant_affine(self.constants, op)
        if affine is None:
            why(op, "its statistics are not constants of an inference")
            return
        self.ones.replace_by_scaled(op, value, affine.factor, affine.shift, rewriter)


@dataclass(frozen=True)
class QuantGateAsConvPass(ModulePass):
    """Multiplies what is gated or activated between casts by one first, channel by channel.

    `q(dq(x) * g) -> q(conv(dq(x), ones) * g)` and `q(f(dq(x))) -> q(f(conv(dq(x), ones)))`. oneDNN has no
    kernel for either, but it has one for a convolution and the elementwise ops behind it. So channel
    attention (a pool, two convolutions, a sigmoid, a product) stays bytes in the order of the library: no
    op of it is computed elsewhere. The convolution is depthwise with kernels of one element, all of them
    1: its result equals its operand, so the numbers do not change. A batch norm of bytes, as it stands behind
    the concats of a DenseNet, is such a convolution itself, whose scales are the factors. Where the tensors
    that a concat joins have scales of their own, it knows that of each channel. So are constants that scale
    and shift channels, as they stand behind a norm of groups.

    Refused: tensors without channels or with an open number of them, gates of shapes that the library
    has no fast kernel for, results that another op reads unrounded, and activations of what the library
    does not compute.
    """

    name = "quant-gate-as-conv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ones = Ones(op)
        constants = Constants(store_for(op))
        norms = (ConvolveNormalized(ones, constants), ConvolveJoined(ones, constants))
        scaled = ConvolveScaled(ones, constants)
        patterns = (scaled, ConvolveGated(ones), ConvolveActivated(ones), *norms)
        if apply_patterns(op, patterns, recursive=False):
            update_params(op)
