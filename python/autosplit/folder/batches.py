"""Folders for several batch sizes: a folder of sub-models for each, all in one folder.

out/                 for the first number, a folder as any other
  batch_4/           for 4 samples at once, complete in itself
  graph_infos.json   its entry autosplit.batches names the others
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.folder.compiled import note_own
from autosplit.folder.infos_reader import FILE_NAME, GraphInfos

BATCHES, BATCH = "batches", "batch"
"""The names of the entries in graph_infos.json: of the whole, and of a further number."""


PREFIX = "batch_"
"""The prefix of the folders for further numbers."""


@dataclass(frozen=True)
class BatchFolders:
    """The numbers of samples that a folder is for."""

    inputs: Sequence[str]
    """The inputs whose first size is the number of samples; the first size of every output is."""
    places: Mapping[int, str]
    """By the number, its folder; `.` for the first one."""

    @property
    def first(self) -> int:
        """The number that the folder itself is for."""
        return next(iter(self.places))

    @property
    def others(self) -> dict[int, str]:
        """The folders inside it."""
        return {size: place for size, place in self.places.items() if place != "."}


def place_of(size: int) -> str:
    """The folder for so many samples, beside those of the first number."""
    return f"{PREFIX}{size}"


def read_batches(infos: GraphInfos) -> BatchFolders | None:
    """What a folder says of further numbers of samples; None if it is for one only."""
    noted = infos.own.get(BATCHES)
    if noted is None:
        return None
    data = cast("dict[str, Any]", noted if isinstance(noted, dict) else {})
    try:
        places = {int(size): str(place) for size, place in data["folders"].items()}
        inputs = [str(name) for name in data["inputs"]]
    except (KeyError, AttributeError, TypeError, ValueError):
        places, inputs = {}, []
    expected = [".", *map(place_of, [*places][1:])]
    if not places or [*places.values()] != expected or not set(inputs) <= set(infos.inputs):
        raise AutosplitError(
            f"{infos.folder / FILE_NAME}: {BATCHES} is not what split writes; split again with --batches"
        )
    return BatchFolders(inputs, places)


def net_name(infos: GraphInfos, name: str) -> str:
    """The name of a sub-model's network: another one for each number, so that one bmodel can hold all."""
    size = infos.own.get(BATCH)
    return f"{name}_b{size}" if isinstance(size, int) else name


def note_batches(folder: Path, sizes: Sequence[int], tried: Sequence[int] = ()) -> None:
    """Notes in a folder and those inside it what they are for. Raises if samples cannot be told apart.

    `tried`: further numbers, whose folders are there for nothing else.
    """
    first, *more = sizes
    folders = {first: ".", **{size: place_of(size) for size in more}}
    infos = {first: GraphInfos.load(folder)}
    infos |= {size: GraphInfos.load(folder / place_of(size)) for size in (*more, *tried)}
    inputs = _sized(infos, infos[first].inputs, "input")
    outputs = [*dict.fromkeys(infos[first].outputs.values())]
    left = [name for name in outputs if name not in _sized(infos, outputs, "output")]
    if left:
        raise AutosplitError(
            f"--batches: the first size of output {left[0]!r} is not the number of samples, so there is no "
            "telling what is whose; leave out --batches, or that output with --output"
        )
    if not inputs:
        raise AutosplitError(
            "--batches: no input's first size is the number of samples; leave out --batches"
        )
    note_own(
        folder,
        BATCHES,
        {"inputs": inputs, "folders": {str(size): place for size, place in folders.items()}},
    )
    for size in more:
        note_own(folder / folders[size], BATCH, size)


def _sized(infos: Mapping[int, GraphInfos], names: Sequence[str], what: str) -> list[str]:
    """Those of the inputs or outputs whose first size is the number of samples; all else must be the same."""
    sized: list[str] = []
    for name in names:
        shapes = {
            size: one.tensors[name].shape for size, one in infos.items() if name in one.tensors
        }
        if len(shapes) == len(infos) and len(set(shapes.values())) == 1:
            continue
        rests = {None if shape is None else shape[1:] for shape in shapes.values()}
        if len(shapes) != len(infos) or len(rests) > 1 or None in rests:
            text = ", ".join(f"{list(shape or ())} for {size}" for size, shape in shapes.items())
            raise AutosplitError(
                f"--batches: {what} {name!r} is {text}: only its first size may differ; leave out --batches"
            )
        if all(shape and shape[0] == size for size, shape in shapes.items()):
            sized.append(name)
    return sized
