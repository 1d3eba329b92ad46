"""What sees a model's values while it runs on samples, in this process or in another one.

What it has seen merges with what another one has seen, and is the same bytes however samples are spread: see
`calibration.calibrators`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.calibration.channels import ChannelMeans, ChannelPeaks
from autosplit.core.casting import cast_input
from autosplit.core.errors import AutosplitError, choice
from autosplit.inputs.values import Value
from autosplit.runtime.frameworks.onnx import OnnxExecutor

Array = NDArray[np.generic]


@dataclass(frozen=True)
class ValueChannels:
    """The channels of a value: its name, and the dimension that they are."""

    value: str
    axis: int


@dataclass(frozen=True)
class Reduced:
    """What the model computes of a value: the name of the result, the op, and which dimension stays."""

    name: str
    kind: str
    axis: int | None = None


@dataclass
class Observer:
    """A model in a file, and who is told the numbers of its values."""

    model: Path | None
    """None if inputs are all that is watched."""
    inputs: Mapping[str, str]
    """The names of their dtypes; empty if one is not a tensor."""
    groups: Sequence[Sequence[str]]
    """What leaves the model, a run for each group."""
    calibrators: dict[str, Any]
    channels: dict[ValueChannels, ChannelPeaks | ChannelMeans]
    ends: Mapping[str, Sequence[Reduced]]
    reduced: Mapping[ValueChannels, Sequence[Reduced]]
    custom_ops: Sequence[Path] = ()
    threads: int = 0
    """0: as many as the runtime takes by itself."""
    samples: int = 0
    executor: OnnxExecutor | None = None

    def take(self, samples: Iterable[Mapping[str, Value]], watch: Callable[[int], None]) -> None:
        """Runs the model on each sample; `watch` is called with the number of those that are done.

        Raises AutosplitError for a sample that does not fit, and where a value is not finite.
        """
        for feeds in samples:
            self.samples += 1
            try:
                self._take(feeds)
            except AutosplitError:
                self.samples -= 1
                raise
            watch(self.samples)

    def _take(self, sample: Mapping[str, Value]) -> None:
        feeds = {name: self._input(sample, name) for name in self.inputs}
        seen: list[tuple[Any, Sequence[Array]]] = [
            (self.calibrators[name], [self._finite(name, np.asarray(feeds[name]))])
            for name in self.inputs
            if name in self.calibrators
        ]
        for group in self.groups if self.model is not None else ():
            executor = self.loaded()
            try:
                results = executor.run({n: feeds[n] for n in executor.input_names}, group)
            except AutosplitError as error:
                # The user does not know this file.
                message = str(error).removeprefix(f"{executor.path}: ")
                raise AutosplitError(f"sample {self.samples}: {message}") from None
            seen += self._seen_by(group, results)
            if group is not self.groups[-1]:
                # The next group needs the room.
                _tell(seen)
                seen = []
        _tell(seen)

    def _seen_by(
        self, group: Sequence[str], results: Mapping[str, Array]
    ) -> list[tuple[Any, Sequence[Array]]]:
        """Which calibrator gets which numbers: all are checked before any gets them."""
        seers: list[tuple[Any, Sequence[Array]]] = [
            (self.calibrators[name], [self._finite(name, results[name])])
            for name in group
            if name in self.calibrators
        ]
        if group is not self.groups[0]:
            return seers
        for name, ends in self.ends.items():
            both = np.array([results[one.name] for one in ends])
            seers.append((self.calibrators[name], [self._finite(name, both)]))
        for channels, seer in self.channels.items():
            numbers = [
                self._finite(channels.value, results[one.name]) for one in self.reduced[channels]
            ]
            seers.append((seer, numbers))
        return seers

    def _input(self, sample: Mapping[str, Value], name: str) -> Value:
        """An input, in the model's dtype."""
        where = f"sample {self.samples}: "
        if name not in sample:
            hint = choice(name, list(sample))
            raise AutosplitError(f"{where}the input {name!r} is missing{hint}")
        value, dtype = sample[name], self.inputs[name]
        if not dtype or not isinstance(value, np.ndarray):
            return value
        return cast_input(cast("Array", value), dtype, f"{where}input {name!r}")

    def _finite(self, name: str, array: Array) -> NDArray[np.float32]:
        numbers = array.astype(np.float32, copy=False)
        if not np.isfinite(numbers).all():
            raise AutosplitError(
                f"sample {self.samples}: {name!r} holds numbers that are not finite; leave the sample out, "
                "or look at the ops that compute it"
            )
        return numbers

    def ranges(self) -> dict[str, tuple[float, float]]:
        """The range of each value. Raises AutosplitError before the first sample."""
        if not self.samples:
            raise AutosplitError("there is no data: quantizing needs at least one sample")
        return {name: one.range() for name, one in self.calibrators.items()}

    def merge(self, other: Observer) -> None:
        """Adds what another observer has seen, which comes after this one's samples."""
        self.samples += other.samples
        for name, calibrator in other.calibrators.items():
            self.calibrators[name].merge(calibrator)
        for channels, seer in other.channels.items():
            mine: Any = self.channels[channels]
            mine.merge(seer)

    def loaded(self) -> OnnxExecutor:
        """The model in the runtime, that is loaded when it is needed."""
        assert self.model is not None
        if self.executor is None:
            self.executor = OnnxExecutor(
                self.model,
                optimize=True,
                sparing=True,
                threads=self.threads,
                custom_ops=self.custom_ops,
            )
        return self.executor


def _tell(seen: Iterable[tuple[Any, Sequence[Array]]]) -> None:
    for seer, numbers in seen:
        seer.add(*numbers)
