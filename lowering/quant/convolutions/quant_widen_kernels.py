"""quant-widen-kernels: works around convolutions that oneDNN computes wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import attribute
from autosplit.dialects.onnx.ops import ConvOp, ConvTransposeOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, uniform_of, update_params
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.quant.chains.stages import dequantize_stored, stored_constant
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.shared.dead import remove_dead_ops
from autosplit.lowering.shared.windows import window_of

MOST_RIGHT = 16
"""With so many channels or fewer no wide kernel was wrong; the pictures of a patch embedding have three."""

WHOLE = 64
"""So many channels, or a multiple, are what the kernel sums up in one go."""

FEW = 8
"""With so many channels or fewer no flat kernel was wrong."""


def _widen(
    pattern: OnnxPattern[Any],
    op: ConvOp | ConvTransposeOp,
    rewriter: PatternRewriter,
    zeros: Sequence[tuple[int, int]],
) -> None:
    """Puts zeros in front of and behind the weights along each axis, which meet as much more padding."""
    values = pattern.values
    stored = stored_constant(values.constants, op.operands[1])
    if stored is None or not isinstance(op.operands[0].owner, DequantizeCastOp):
        return
    type, array = uniform_of(stored[0].input.type), values.array(stored[1])
    if type is None or array is None or type.zero_points.any():
        return
    e = pattern.replacement(op, rewriter)
    wide = np.pad(array, [(0, 0), (0, 0), *zeros])
    cast, real = dequantize_stored(e.constant("weights", wide), type, op.location)
    e.insert(cast)
    weights = e.insert(real)
    _, _, dilations, pads, _ = window_of(op)
    more = [
        count * d
        for side in zip(*zeros, strict=True)
        for count, d in zip(side, dilations, strict=True)
    ]
    longer = [a + b for a, b in zip(pads, more, strict=True)]
    fields = {"kernel_shape": [*wide.shape[2:]], "pads": longer}
    e.replace([op.operands[0], weights, *op.operands[2:]], add=fields)


class WidenKernel(OnnxPattern[ConvOp]):
    """`conv(x, w) -> conv(pad(x), [0, w])`, along the axes on which the kernel would be wrong.

    What is new in the kernel is 0, and meets the padding of the first window. Results stay bit by bit.
    """

    def rewrite(self, op: ConvOp, rewriter: PatternRewriter, /) -> None:
        if attribute(op, "kernel_shape") is None or attribute(op, "group", 1) != 1:
            return
        kernel, steps, _, pads, auto = window_of(op)
        channels = (shape_of(op.operands[0].type) or (0, 0))[1]
        axes: list[int] = []
        if _is_flat(kernel, steps, channels):
            axes.append(0)
        if _is_wide(kernel, steps, pads, channels):
            axes.append(len(kernel) - 1)
        if not axes or auto != "NOTSET":
            return
        _widen(self, op, rewriter, [(int(axis in axes), 0) for axis in range(len(kernel))])


class WidenTransposed(OnnxPattern[ConvTransposeOp]):
    """`convtranspose(x, w) -> convtranspose(x, [w, 0])`, where no kernel reaches some of the results.

    These are between two kernels, or behind the last one by `output_padding`, and are the bias alone; now
    zeros are added to it. What the last kernel reaches more is cut off.
    """

    def rewrite(self, op: ConvTransposeOp, rewriter: PatternRewriter, /) -> None:
        if attribute(op, "kernel_shape") is None or attribute(op, "output_shape") is not None:
            return
        kernel, steps, dilations, pads, auto = window_of(op)
        rank = len(kernel)
        more: list[int] = attribute(op, "output_padding") or [0] * rank
        covers = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        axes = zip(steps, covers, more, pads[rank:], strict=True)
        gaps = [max(0, step - cover, end - pad) for step, cover, end, pad in axes]
        if not any(gaps) or auto != "NOTSET":
            return
        zeros = [(0, -(-gap // d)) for gap, d in zip(gaps, dilations, strict=True)]
        _widen(self, op, rewriter, zeros)


def _is_wide(
    kernel: Sequence[int], steps: Sequence[int], pads: Sequence[int], channels: int
) -> bool:
    """As wide as an even step, or several of them."""
    if steps[-1] % 2 or kernel[-1] % steps[-1] or pads[len(kernel) - 1]:
        return False
    return channels > MOST_RIGHT and channels % WHOLE != 0


def _is_flat(kernel: Sequence[int], steps: Sequence[int], channels: int) -> bool:
    """Of three dimensions, and of one plane with a step."""
    return len(kernel) == 3 and kernel[0] == 1 and steps[0] > 1 and channels > FEW


@dataclass(frozen=True)
class QuantWidenKernelsPass(ModulePass):
    """Gives kernels as wide as their step, or several of them, a column of zeros, and flat ones a plane.

    On processors with AMX, oneDNN 3.2 computes such convolutions of bytes wrongly where the step is even, the
    channels are more than 16 and no multiple of 64, and no padding is on the left: the patches of ConvNeXt
    with 96 channels, for one, were off by as much as their results are large. So are kernels of three
    dimensions that have one plane and a step there, as in the shortcuts of networks for videos, with more
    than 8 channels; and with 3.6.2 some of both. Kernels of another size have another implementation. Plans
    are for all processors, so that none has such a convolution; on the others it costs the zeros.

    Transposed convolutions leave results unset that no kernel reaches, on all processors and in both
    versions, where what they read has a zero point: between two kernels that are shorter than the step, and
    in what `output_padding` adds. Their kernels get zeros at the end.
    """

    name = "quant-widen-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = ModuleValues(op)
        if not apply_patterns(op, [WidenKernel(values), WidenTransposed(values)], recursive=False):
            return
        remove_dead_ops(op)
        update_params(op)
