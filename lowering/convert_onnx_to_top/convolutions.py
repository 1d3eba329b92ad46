"""Convolutions, plain and transposed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.top import AttrValue
from autosplit.lowering.convert_onnx_to_top.base import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts import loaded
from autosplit.lowering.convert_onnx_to_top.rules import transposed_pads
from autosplit.lowering.fold import AnyArray


def window(c: Conversion, kernel: Sequence[int]) -> dict[str, AttrValue]:
    """What convolutions of both kinds say of their windows."""
    n = len(kernel)
    return {
        "kernel_shape": list(kernel),
        "strides": c.q.integers("strides") or [1] * n,
        "pads": c.q.integers("pads") or [0] * (2 * n),
        "dilations": c.q.integers("dilations") or [1] * n,
        "group": c.q.integer("group", 1),
    }


@converts("Conv")
def conv(c: Conversion) -> SSAValue:
    """A Conv. In three dimensions, where BM1684 has no dilation, the kernel has zeros instead."""
    shape = c.q.shape(1) or ()
    attrs = window(c, shape[2:])
    dilations = c.q.integers("dilations") or []
    if len(shape) < 5 or set(dilations) <= {1}:
        return c.emit("Conv", [c.operand(0), c.operand(1), c.operand(2)], attrs)
    wide = [(k - 1) * d + 1 for k, d in zip(shape[2:], dilations, strict=True)]
    load = loaded(c, 1)

    def spread() -> AnyArray:
        array = load()
        made = np.zeros((*shape[:2], *wide), np.float32)
        made[(..., *(slice(None, None, d) for d in dilations))] = array
        return made

    weights = c.lazy_weight(spread, (*shape[:2], *wide), "weights")
    attrs |= {"kernel_shape": wide, "dilations": [1] * len(wide)}
    return c.emit("Conv", [c.operand(0), weights, c.operand(2)], attrs)


@converts("ConvTranspose")
def conv_transpose(c: Conversion) -> SSAValue:
    """A Deconv: it has the output channels first, where ONNX has the input channels.

    Groups are a product with zeros between them, and a bias is added apart if there is an odd number of input
    channels: in both cases BM1684 was measured to compute other numbers otherwise.
    """
    inputs, outputs, *kernel = c.q.shape(1) or (0, 0)
    group = c.q.integer("group", 1)
    attrs = window(c, kernel)
    attrs["pads"] = transposed_pads(c.q) or []
    attrs["output_padding"] = c.q.integers("output_padding") or [0] * len(kernel)
    load = loaded(c, 1)
    if outputs == 1 and group == inputs:
        weights = c.lazy_weight(lambda: load().swapaxes(0, 1), (1, inputs, *kernel), "weights")
        return c.emit("Deconv", [c.operand(0), weights, c.operand(2)], attrs)

    def dense() -> AnyArray:
        parts = load().reshape(group, inputs // group, outputs, *kernel)
        made = np.zeros((group, outputs, group, inputs // group, *kernel), np.float32)
        for i, part in enumerate(parts):
            made[i, :, i] = part.swapaxes(0, 1)
        return made.reshape(group * outputs, inputs, *kernel)

    weights = c.lazy_weight(dense, (group * outputs, inputs, *kernel), "weights")
    attrs["group"] = 1
    if inputs % 2 == 0 or c.q.value(2) is None:
        return c.emit("Deconv", [c.operand(0), weights, c.operand(2)], attrs)
    made = c.emit("Deconv", [c.operand(0), weights, c.none()], attrs, suffix="product")
    bias = c.weight(loaded(c, 2)().reshape(1, -1, *(1 for _ in kernel)), "bias")
    return c.emit("Add", [made, bias])
