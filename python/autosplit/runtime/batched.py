"""A runner's folders for other numbers of samples, each loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from autosplit.folder.batches import read_batches
from autosplit.portable.batches import Batches

if TYPE_CHECKING:
    from autosplit.folder.batches import BatchFolders
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.values import Value
    from autosplit.runtime.runner import Timing, Watch


class Runs(Protocol):
    """A runner."""

    steps: list[Timing]

    def infer_once(
        self, input_tensors: Mapping[str, Value], watch: Watch | None = None
    ) -> dict[str, Value]: ...
    def close(self) -> None: ...


class BatchRunners:
    """Runs any number of samples, by the runner of a folder and those of the folders inside it."""

    def __init__(self, own: Runs, batches: BatchFolders, load: Callable[[str], Runs], where: str):
        self._batches = batches
        self._load = load
        self._loaded: dict[int, Runs] = {batches.first: own}
        self._where = where

    def infer(
        self, feeds: Mapping[str, Value], watch: Watch | None
    ) -> tuple[dict[str, Any], Sequence[Timing]]:
        """The outputs, and what each sub-model took."""
        steps: list[Timing] = []

        def run(size: int, piece: Mapping[str, Any]) -> Mapping[str, Any]:
            runner = self._runner(size)
            outputs = runner.infer_once(piece, watch)
            ending = "" if size == self._batches.first else f"_b{size}"
            steps.extend(replace(step, name=f"{step.name}{ending}") for step in runner.steps)
            return outputs

        runs = {size: partial(run, size) for size in self._batches.places}
        batches = Batches(self._where, self._batches.inputs, runs)
        count = batches.count(feeds)
        if count is None or count == self._batches.first:
            return dict(run(self._batches.first, feeds)), steps
        return batches.infer(feeds, count), steps

    def close(self) -> None:
        """Closes the folders inside."""
        for size, runner in self._loaded.items():
            if size != self._batches.first:
                runner.close()

    def _runner(self, size: int) -> Runs:
        if size not in self._loaded:
            self._loaded[size] = self._load(self._batches.places[size])
        return self._loaded[size]


def open_batches(own: Runs, infos: GraphInfos, load: Callable[[Path], Runs]) -> BatchRunners | None:
    """For a folder that `split --batches` wrote; None for another. `load` loads a folder inside."""
    batches = read_batches(infos)
    if batches is None:
        return None
    return BatchRunners(own, batches, lambda place: load(infos.folder / place), str(infos.folder))
