"""Samples for a model with another batch size, made from those that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from autosplit.inputs.samples import ALL, Part

if TYPE_CHECKING:
    from autosplit.inputs.samples import Data, Sampled
    from autosplit.inputs.values import Value


class Batched(Protocol):
    """Which inputs hold several samples, and how many."""

    @property
    def inputs(self) -> Sequence[str]: ...
    @property
    def first(self) -> int: ...


def stack_data(data: Data, infos: Sampled, batched: Batched, size: int) -> Data:
    """The samples of `data`, `batched.first` rows each, as samples of `size` rows; none stay none.

    The inputs `batched.inputs` are joined in their first axis; the others are those of the first one in each.
    Where samples do not come out even, the last is filled up with the first ones.
    """
    rows = len(data) * batched.first

    def joined(start: int) -> dict[str, Value]:
        places = [divmod((start + i) % rows, batched.first) for i in range(size)]
        read = {index: data.sample(index) for index in sorted({index for index, _ in places})}
        sample = dict(read[places[0][0]])
        for name in batched.inputs:
            picked = [np.asarray(read[index][name])[row] for index, row in places]
            sample[name] = np.stack(picked)
        return sample

    parts = [Part(lambda start=start: joined(start)) for start in range(0, rows, size)]
    return replace(data, infos=infos, parts={ALL: parts} if parts else {}, _noted=True)
