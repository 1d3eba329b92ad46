"""quant-smooth: channels of different sizes in front of a product become part of its weights."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.ir import Operation, SSAValue

from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR
from autosplit.calibration.channels import ChannelCounts, ChannelPeaks
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.flows.quantizing.observed import ObservedModel
from autosplit.flows.quantizing.observer import ValueChannels
from autosplit.flows.quantizing.sampled import SamplesPass
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.quantize.channels import (
    NORMS,
    ChannelGroup,
    ChannelTracer,
)
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.quant.quantize.scaling import exponents_of, scale_channels
from autosplit.lowering.quant.quantize.weights import input_axis, largest, readable
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.order import expect_before, expect_onnx

EXPONENTS = "quant.exponents"
"""The attribute of an op whose channels have been scaled: by which powers of two."""

SMOOTHED = frozenset({"Gemm", "MatMul"})
"""The products whose inputs are smoothed; depthwise convolutions are others."""

LARGEST = 12
"""The largest exponent of a channel that a depthwise convolution reads."""

ALPHA = 0.5
"""How much of the outliers goes into the weights, by default."""


def exponents_on(op: Operation) -> list[int] | None:
    """The exponents that the pass has noted on an op."""
    exponents = op.attributes.get(EXPONENTS)
    return (
        [int(n) for n in exponents.iter_values()] if isinstance(exponents, DenseArrayBase) else None
    )


class Smoothing:
    """The values whose channels can be scaled in front of matrix products, by name."""

    def __init__(self, module: ModuleOp, values: ModuleValues):
        self.values = values
        self.groups: dict[str, ChannelGroup] = {}
        tracer, taken = ChannelTracer(values), dict[OnnxOp, None]()
        # The last op that can scale channels does.
        for op in reversed(platform_graph(module).body_ops()):
            if not isinstance(op, OnnxOp) or not self._makes(op):
                continue
            norm = kind_of(op) not in PRODUCTS
            group = tracer.of_norm(op) if norm else tracer.of_product(op)
            if isinstance(group, str):
                why(op, group)
            elif self._smoothed(group) and not any(r in taken for r in group.readers):
                self.groups[group.name] = group
                taken |= group.readers
        self.groups = dict(reversed(self.groups.items()))

    def levels(self) -> dict[str, ChannelGroup]:
        """Those of the groups that nothing but depthwise convolutions reads."""
        return {name: group for name, group in self.groups.items() if self._levelled(group)}

    def _smoothed(self, group: ChannelGroup) -> bool:
        """Whether what reads a value is of one kind, and is smoothed."""
        if not group.readers:
            return False
        return self._levelled(group) or all(kind_of(r) in SMOOTHED for r in group.readers)

    def _levelled(self, group: ChannelGroup) -> bool:
        """Whether nothing but depthwise convolutions reads a value."""
        return all(
            kind_of(r) == "Conv" and attribute(r, "group", 1) == group.count for r in group.readers
        )

    def _makes(self, op: OnnxOp) -> bool:
        kind = kind_of(op)
        scales = kind == "Mul" and any(map(self.values.is_constant, op.operands))
        return scales or kind in NORMS or kind in PRODUCTS

    def channels(self, name: str) -> list[ValueChannels]:
        """What the products behind a value read."""
        channels: dict[ValueChannels, None] = {}
        for reader in self.groups[name].readers:
            axis = input_axis(reader)
            assert axis is not None  # the tracer has compared it
            channels[ValueChannels(value_name(reader.operands[0]), axis)] = None
        return list(channels)

    def exponents(
        self, name: str, seen: Mapping[ValueChannels, ChannelPeaks], alpha: float
    ) -> list[int]:
        """How the channels of a value are scaled, for how large they have been."""
        if self._levelled(self.groups[name]):
            return levels_of([seen[channels] for channels in self.channels(name)])
        peaks = np.max([seen[channels].peaks for channels in self.channels(name)], axis=0)
        weights = np.max(
            [
                largest(op, readable(op, self.values)).max(axis=2).reshape(-1)
                for op in self.groups[name].readers
            ],
            axis=0,
        )
        used = (peaks > 0) & (weights > 0)
        scales = np.zeros(peaks.size)
        scales[used] = (1 - alpha) * np.log2(weights[used]) - alpha * np.log2(peaks[used])
        # A factor of all channels changes nothing.
        scales[used] -= np.mean(scales[used]) if used.any() else 0.0
        return exponents_of(scales)


def levels_of(seen: Sequence[ChannelPeaks]) -> list[int]:
    """How far each channel can be scaled up so that no end of the range of all of them moves."""
    lows = np.min([one.lows for one in seen], axis=0)
    highs = np.max([one.highs for one in seen], axis=0)
    used = (lows < 0) | (highs > 0)
    rooms = np.full(used.size, np.inf)
    for ends in (-lows, highs):
        there = ends > 0
        if there.any():
            rooms[there] = np.minimum(rooms[there], np.log2(ends.max() / ends[there]))
    scales = np.where(used, np.floor(rooms), 0.0)
    return [int(e) for e in np.clip(scales, 0, LARGEST)]


@dataclass(frozen=True)
class QuantSmoothPass(SamplesPass):
    """Channels in front of products are scaled so that those with outliers need fewer of the 8 bits.

    SmoothQuant: a channel that reaches far is divided, and the weights that read it are multiplied, by
    `peak^alpha / weight^(1 - alpha)`, rounded to a power of two, so that the model computes the same, bit by
    bit. The norm or the product that makes the channels is scaled; where something else reads them too, as
    the sum behind a norm of BERT, they stay: no op is added. `quant.exponents` tell how channels were scaled.

    A depthwise convolution has weights of its own for each channel, with a scale of their own, so that it
    loses nothing whatever they are multiplied by. Each channel in front of one is therefore multiplied as far
    as neither end of the range of all channels moves, whatever `alpha` is: all of them use the 8 bits.

    The samples are read once more than `quant-calibrate` does.

    Example: `quant-smooth{data="texts" alpha=0.5},quant-select,quant-calibrate{data="texts"},quant-insert`
    """

    name = "quant-smooth"

    smooth: bool = True
    """Whether anything is measured, for pipelines; `exponents` are what is done without."""
    alpha: float = ALPHA
    """How much of the outliers goes into the weights: 0 to 1."""
    exponents: Mapping[str, Sequence[int]] | None = None
    """What is not measured, by the name of the value; given in Python."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_onnx(op)
        expect_before(op, self.name)
        exponents = dict(self.exponents or {})
        if not self.smooth and not exponents:
            return
        if not 0 <= self.alpha <= 1:
            raise AutosplitError(f"an alpha of {self.alpha:g}: expected a number from 0 to 1")
        smoothing = Smoothing(op, values := ModuleValues(op))
        _check_exponents(smoothing, exponents)
        missing = [name for name in smoothing.groups if self.smooth and name not in exponents]
        if missing:
            exponents |= self._measured(op, smoothing, missing)
        scale_groups(
            op, values, [(g, exponents[n]) for n, g in smoothing.groups.items() if n in exponents]
        )

    def _measured(
        self, module: ModuleOp, smoothing: Smoothing, names: Sequence[str]
    ) -> dict[str, list[int]]:
        if isinstance(self.samples, Iterator):
            raise AutosplitError(
                "smoothing reads all samples twice, and these can be read only once: give a list of them"
            )
        job = self.start(module, runs=False)
        seen = {c: ChannelPeaks() for name in names for c in smoothing.channels(name)}
        model = ObservedModel(module, [], DEFAULT_CALIBRATOR, job.model.custom_ops, seen)
        try:
            self.observe(model, self.given_samples(job, module, lambda _: None))
        finally:
            model.close()
        if not model.samples:
            raise AutosplitError("there is no data: smoothing needs at least one sample")
        return {name: smoothing.exponents(name, seen, self.alpha) for name in names}


def scale_groups(
    module: ModuleOp, values: ModuleValues, groups: Sequence[tuple[ChannelGroup, Sequence[int]]]
) -> None:
    """Scales channels, and notes by what."""
    scale_channels(module, values, groups)
    for group, exponents in groups:
        group.maker.attributes[EXPONENTS] = DenseArrayBase.from_list(i64, list(exponents))


class Levels:
    """The channels in front of depthwise convolutions, which are levelled while ranges are measured.

    `roots`: for each value that is read as 8 bits the one whose range it has. `ranged`: the names of
    values whose ranges are known and not measured. What has been scaled already stays.
    """

    def __init__(
        self, module: ModuleOp, roots: Mapping[SSAValue, SSAValue], ranged: Collection[str]
    ):
        self.module, self.values = module, ModuleValues(module)
        smoothing = Smoothing(module, self.values)
        measured = set(roots.values())
        self.channels: dict[str, list[ValueChannels]] = {}
        """Of each group, what the convolutions read."""
        self.groups: dict[str, ChannelGroup] = {}
        for name, group in smoothing.levels().items():
            channels = smoothing.channels(name)
            read = {reader.operands[0] for reader in group.readers}
            names = [c.value for c in channels]
            # Scaling would change the range of a value in between, which is then unknown.
            fits = read == measured & group.values.keys() and not any(n in ranged for n in names)
            if fits and exponents_on(group.maker) is None:
                self.groups[name], self.channels[name] = group, channels

    def watched(self) -> dict[str, int]:
        """The values whose channels are to be counted, and which dimension these are."""
        return {c.value: c.axis for channels in self.channels.values() for c in channels}

    def apply(self, calibrators: dict[str, Any], means: dict[str, Any]) -> None:
        """Levels the channels by what has been seen, and what has seen them; means too."""
        scaled: list[tuple[ChannelGroup, Sequence[int]]] = []
        for name, group in self.groups.items():
            seen: dict[str, ChannelCounts] = {
                c.value: calibrators[c.value] for c in self.channels[name]
            }
            exponents = levels_of([one.peaks for one in seen.values()])
            if not any(exponents):
                calibrators.update({value: one.whole for value, one in seen.items()})
                continue
            scaled.append((group, exponents))
            calibrators.update({value: one.scaled(exponents) for value, one in seen.items()})
            for reader in group.readers:
                if reader.identity in means:
                    numbers = np.ldexp(means[reader.identity], exponents)
                    means[reader.identity] = [float(n) for n in numbers]
        scale_groups(self.module, self.values, scaled)


def _check_exponents(smoothing: Smoothing, by_name: Mapping[str, Sequence[int]]) -> None:
    """Raises AutosplitError for a value that cannot be smoothed, or another number of channels."""
    for name, exponents in by_name.items():
        if name not in smoothing.groups:
            hint = choice(name, list(smoothing.groups))
            raise AutosplitError(f"the recipe smooths {name!r}, which cannot be{hint}")
        if (count := smoothing.groups[name].count) != len(exponents):
            raise AutosplitError(
                f"the recipe has {counted(len(exponents), 'exponent')} for {name!r}, which has "
                f"{counted(count, 'channel')}"
            )
