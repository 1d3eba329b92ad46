"""The means of the channels that products of a Top module read, as `top-correct-biases` needs them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.calibration.channels import ChannelMeans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autosplit.lowering.top.correct_biases import Channels

    Array = NDArray[Any]


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
