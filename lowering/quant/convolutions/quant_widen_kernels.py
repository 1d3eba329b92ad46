"""quant-widen-kernels: works around convolutions that oneDNN computes wrongly on processors with AMX."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import attribute
from autosplit.dialects.onnx.ops import ConvOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, uniform_of, update_params
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.quant.chains.stages import dequantize_stored, stored_constant
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.shared.dead import remove_dead_ops

MOST_RIGHT = 16
"""With so many channels or fewer nothing was wrong; the pictures of a patch embedding have three."""

WHOLE = 64
"""So many channels, or a multiple, are what the kernel sums up in one go."""


class WidenKernel(OnnxPattern[ConvOp]):
    """`conv(x, w) -> conv(pad(x), [0, w])`, the kernel being as wide as its step, or several of them.

    The new column on the left is 0, and meets the padding of the first window. Results stay bit by bit.
    """

    def rewrite(self, op: ConvOp, rewriter: PatternRewriter, /) -> None:
        kernel = [int(n) for n in attribute(op, "kernel_shape") or ()]
        steps = [int(n) for n in attribute(op, "strides") or ()]
        pads = [int(n) for n in attribute(op, "pads") or ()]
        rank = len(kernel)
        dilations = [int(n) for n in attribute(op, "dilations") or [1] * rank]
        if not kernel or len(steps) != rank or len(pads) != 2 * rank:
            return
        if steps[-1] % 2 or kernel[-1] % steps[-1] or pads[rank - 1]:
            return
        channels = (shape_of(op.operands[0].type) or (0, 0))[1]
        if channels <= MOST_RIGHT or channels % WHOLE == 0 or attribute(op, "group", 1) != 1:
            return
        stored = stored_constant(self.values.constants, op.operands[1])
        if stored is None or not isinstance(op.operands[0].owner, DequantizeCastOp):
            return
        type, array = uniform_of(stored[0].input.type), self.values.array(stored[1])
        if type is None or array is None or type.zero_points.any():
            return
        e = self.replacement(op, rewriter)
        wide = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(1, 0)])
        cast, real = dequantize_stored(e.constant("weights", wide), type, op.location)
        e.insert(cast)
        weights = e.insert(real)
        kernel[-1] += 1
        pads[rank - 1] += dilations[-1]
        fields = {"kernel_shape": kernel, "pads": pads}
        e.replace([op.operands[0], weights, *op.operands[2:]], add=fields)


@dataclass(frozen=True)
class QuantWidenKernelsPass(ModulePass):
    """Gives kernels that are as wide as their step, or several of them, a column of zeros.

    On processors with AMX, oneDNN 3.2 computes such convolutions of bytes wrongly where the step is even, the
    channels are more than 16 and no multiple of 64, and no padding is on the left: the patches of ConvNeXt
    with 96 channels, for one, were off by as much as their results are large. Kernels of another width have
    another implementation. Plans are for all processors, so that none has such a convolution; on the others
    it costs the zeros.
    """

    name = "quant-widen-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not apply_patterns(op, [WidenKernel(ModuleValues(op))], recursive=False):
            return
        remove_dead_ops(op)
        update_params(op)
