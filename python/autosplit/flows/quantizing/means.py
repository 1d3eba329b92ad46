"""The means of the channels that products read, for correcting their biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from autosplit.calibration.channels import ChannelMeans
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.flows.quantizing.observed import ObservedModel
from autosplit.flows.quantizing.observer import ValueChannels
from autosplit.lowering.quant.quantize.quant_correct_biases import correctable_products
from autosplit.lowering.quant.quantize.weights import channel_counts, input_axis
from autosplit.lowering.shared.fold import Constants

Means = Mapping[str, Sequence[float]]
"""By the name of the op."""


class ProductMeans:
    """What products read, in the mean: what a recipe knows, and what is left to be measured.

    Raises AutosplitError for means of an op that the model does not have, or of another number.
    """

    def __init__(self, module: ModuleOp, means: Means | None):
        self.products = correctable_products(module, Constants(store_for(module)))
        self.means = dict(means or {})
        ops = platform_graph(module).body_ops()
        there = [op.identity for op in ops if isinstance(op, OnnxOp)]
        for name in self.means:
            if name not in there:
                raise AutosplitError(
                    f"the recipe has means for {name!r}, which the model does not have{choice(name, there)}"
                )
        for op in self.products:
            counts, own = channel_counts(op), self.means.get(op.identity)
            assert counts is not None  # or it could not be corrected
            if own is not None and len(own) != counts[0]:
                raise AutosplitError(
                    f"the recipe has {counted(len(own), 'mean')} for {op.identity!r}, which "
                    f"reads {counted(counts[0], 'channel')}"
                )
        self._missing = {
            op.identity: _channels(op) for op in self.products if op.identity not in self.means
        }

    def watched(self) -> dict[ValueChannels, ChannelMeans]:
        """What is to be measured."""
        return {channels: ChannelMeans() for channels in self._missing.values()}

    def measured(self, observed: ObservedModel) -> dict[str, list[float]]:
        """What has been."""
        means = {
            k: seen.means()
            for k, seen in observed.channels.items()
            if isinstance(seen, ChannelMeans)
        }
        return {name: means[channels] for name, channels in self._missing.items()}


def _channels(op: OnnxOp) -> ValueChannels:
    axis = input_axis(op)
    assert axis is not None  # or it could not be corrected
    return ValueChannels(value_name(op.operands[0]), axis)
