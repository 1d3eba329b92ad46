"""Biases that undo the shift of results, in the mean over samples, by rounding weights to 8 bits.

    bias + mean(x) * (w - w in 8 bits)

`x` is what an op reads, the mean is that of each channel. BM1684, whose weights have steps of another kind,
rounds them in a way that is not known exactly.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import OpResult, SSAValue

from autosplit.calibration.channels import ChannelMeans
from autosplit.calibration.chip_switches import BY_CHANNEL, PRODUCTS, rounded_weights
from autosplit.core.weights import read_archive, store_for, write_archive
from autosplit.dialects.platform import shape_of
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx import top_function
from autosplit.lowering.convert_top_to_onnx.base import is_weight, weight_name

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    Array = NDArray[Any]

Channels = tuple[str, int]
"""A value by its name, and the axis of its channels."""


def correctable(module: ModuleOp) -> dict[TopOp, Channels]:
    """The products whose weights and biases are constants of their own, and what each reads."""
    ops = [op for op in top_function(module).body.block.ops if isinstance(op, TopOp)]
    uses = Counter(weight_name(v) for op in ops for v in op.inputs if is_weight(v))
    products: dict[TopOp, Channels] = {}
    for op in ops:
        if op.kind not in PRODUCTS or len(op.inputs) < 3:
            continue
        source, weights, bias = op.inputs[:3]
        if not (is_weight(weights) and is_weight(bias)) or uses[weight_name(bias)] > 1:
            continue
        if (channels := _channels(op, source, weights)) is not None:
            products[op] = channels
    return products


def _channels(op: TopOp, source: SSAValue, weights: SSAValue) -> Channels | None:
    """What a product reads; None where that is a weight, or the weights are no plain matrix."""
    if is_weight(source) or not isinstance(source, OpResult) or not isinstance(source.op, TopOp):
        return None
    rank = len(shape_of(source.type) or ())
    if op.kind in BY_CHANNEL:
        axis = 1
    elif len(shape_of(weights.type) or ()) == 2 and not op.flag("right_transpose"):
        axis = rank - 1
    else:
        return None
    return (source.op.names[source.index], axis) if rank > axis else None


class ReadMeans:
    """The means of the channels that products read, as samples go by."""

    def __init__(self, wanted: Iterable[Channels]):
        self.means: dict[Channels, ChannelMeans] = {channels: ChannelMeans() for channels in wanted}
        self._axes: dict[str, list[int]] = {}
        for name, axis in self.means:
            self._axes.setdefault(name, []).append(axis)

    def see(self, name: str, array: Array) -> None:
        """Takes in a value of a sample."""
        for axis in self._axes.get(name, ()):
            others = tuple(i for i in range(array.ndim) if i != axis)
            self.means[name, axis].add(array.mean(axis=others, dtype=np.float32))


def corrections(
    module: ModuleOp,
    products: Mapping[TopOp, Channels],
    watched: ReadMeans,
    real: Container[str],
) -> dict[str, Array]:
    """The corrected biases, by the names of their weights.

    `real`: names of values whose ops compute with real numbers, and lose nothing.
    """
    store, biases = store_for(module), dict[str, "Array"]()
    for op, channels in products.items():
        if any(name in real for name in op.names):
            continue
        array = np.asarray(store.array(weight_name(op.inputs[1])), np.float32)
        array = array.reshape(shape_of(op.inputs[1].type) or ())
        is_conv = op.kind in BY_CHANNEL
        lost = array.astype(np.float64) - rounded_weights(array, by_channel=is_conv)
        means = np.array(watched.means[channels].means())
        bias = np.asarray(store.array(weight_name(op.inputs[2])), np.float32)
        shift = _through(means, lost) if is_conv else _matrix(means, lost)
        if shift is not None and shift.size == bias.size:
            biases[weight_name(op.inputs[2])] = bias + shift.reshape(bias.shape).astype(np.float32)
    return biases


def _through(means: Array, weights: Array) -> Array | None:
    """What a convolution makes of an input of these means; places on padding count like others."""
    results, inner = weights.shape[:2]
    groups = means.size // inner
    if groups * inner != means.size or results % groups:
        return None
    summed = weights.reshape(groups, results // groups, inner, -1).sum(axis=-1)
    return (summed * means.reshape(groups, 1, inner)).sum(axis=-1).reshape(-1)


def _matrix(means: Array, weights: Array) -> Array | None:
    return means @ weights if weights.shape[0] == means.size else None


def rewrite(archive: Path, biases: Mapping[str, Array]) -> None:
    """Puts biases in place of those of the same names in an archive of weights."""
    store = read_archive(archive)
    staged = archive.with_name(f".{archive.name}")
    arrays = (
        (n, biases[n].reshape(store.array(n).shape) if n in biases else store.array(n))
        for n in store
    )
    write_archive(staged, arrays)
    shutil.move(staged, archive)
