"""quant-equalize: channels between two products that have weights of one size on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import platform_graph
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.quantize.channels import ChannelGroup, ChannelTracer
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.quant.quantize.scaling import exponents_of, scale_channels
from autosplit.lowering.quant.quantize.weights import largest, readable
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.order import expect_before, expect_onnx

F64 = NDArray[np.float64]

ROUNDS = 100
"""How often all pairs are equalized at most: each moves its neighbours."""

SETTLED = 0.01
"""How little a logarithm of base 2 may move in the last round."""


class Equalization:
    """How channels between products are scaled: as logarithms of base 2."""

    def __init__(self, module: ModuleOp, values: ModuleValues):
        self.values = values
        self.groups: list[ChannelGroup] = []
        self.scales: list[F64] = []
        self._sizes: dict[Operation, F64] = {}
        """Of weights, as they are scaled so far: groups, inputs, results."""
        self._biases: dict[Operation, F64] = {}
        tracer = ChannelTracer(values)
        for op in platform_graph(module).body_ops():
            if not isinstance(op, OnnxOp) or kind_of(op) not in PRODUCTS:
                continue
            group = tracer.of_product(op)
            if isinstance(group, str):
                why(op, group)
            elif group.readers:
                self.groups.append(group)
        for group in self.groups:
            for op in (group.maker, *group.readers):
                self._sizes[op] = largest(op, readable(op, values))
            self._biases[group.maker] = self._bias_of(group)
            self.scales.append(np.zeros(group.count))

    def _bias_of(self, group: ChannelGroup) -> F64:
        """The largest number that is added to each channel."""
        largest = np.zeros(group.count)
        for constant in group.constants:
            array: Any = self.values.array(constant.op.operands[constant.number])
            if array is not None:
                other_axes = tuple(i for i in range(array.ndim) if i != constant.axis)
                largest = np.maximum(largest, np.abs(array).max(axis=other_axes, initial=0))
        return largest

    def run(self) -> None:
        """Equalizes pair after pair, until nothing moves."""
        for _ in range(ROUNDS):
            if max((self._equalize(i) for i in range(len(self.groups))), default=0.0) < SETTLED:
                return

    def _equalize(self, index: int) -> float:
        """Makes the weights on both sides of a group of one size; how far a scale moved."""
        group = self.groups[index]
        sizes = self._sizes[group.maker]
        front = np.maximum(sizes.max(axis=1).reshape(-1), self._biases[group.maker])
        behind = np.max([self._sizes[op].max(axis=2).reshape(-1) for op in group.readers], axis=0)
        both_used = (front > 0) & (behind > 0)
        moved = np.zeros(group.count)
        moved[both_used] = (np.log2(behind[both_used]) - np.log2(front[both_used])) / 2
        factors = np.exp2(moved)
        sizes *= factors.reshape(sizes.shape[0], 1, -1)
        self._biases[group.maker] *= factors
        for op in group.readers:
            self._sizes[op] /= factors.reshape(self._sizes[op].shape[0], -1, 1)
        self.scales[index] += moved
        return float(np.abs(moved).max())


def equalize_channels(module: ModuleOp) -> None:
    """Scales the channels between products of a model, as `quant-equalize` does."""
    values = ModuleValues(module)
    equalization = Equalization(module, values)
    equalization.run()
    exponents = [exponents_of(scales) for scales in equalization.scales]
    scale_channels(module, values, list(zip(equalization.groups, exponents, strict=True)))


@dataclass(frozen=True)
class QuantEqualizePass(ModulePass):
    """Channels between two products are scaled so that their weights are as large in front as behind.

    Cross-layer equalization: what a product makes and only products read, perhaps behind a Relu or what else
    scales with its operand, is multiplied by a power of two for each channel, and the weights that read it
    are divided by it. The model computes the same, bit by bit; but channels that 8 bits hold together are of
    more equal size. A bias counts as a weight, so that a channel of little else is not blown up. Clip, as in
    ReLU6, and Sigmoid do not scale with their operands, so that what is in front of them stays.

    Example: `quant-equalize,quant-select`
    """

    name = "quant-equalize"

    equalize: bool = True
    """Whether it is done at all, for pipelines."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_onnx(op)
        expect_before(op, self.name)
        if self.equalize:
            equalize_channels(op)
