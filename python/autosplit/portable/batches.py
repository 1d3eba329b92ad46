"""Any number of samples on networks for some numbers of samples at once."""

from __future__ import annotations

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.portable.names import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any


def parts(count: int, sizes: Collection[int]) -> list[int]:
    """Which sizes so many samples are run in: the largest that are full, at the end the smallest.

    Only that last one may take more samples than there are.
    """
    sizes_of_parts: list[int] = []
    while count > 0:
        full = [size for size in sizes if size <= count]
        sizes_of_parts.append(max(full) if full else min(sizes))
        count -= sizes_of_parts[-1]
    return sizes_of_parts


class Batches:
    """Runs a model that exists for several numbers of samples.

    `where`: the folder, for messages. `inputs`: those whose first size is the number of samples, as that of
    every output is; others are the same for all samples. `runs`: by the number, what runs it.
    """

    def __init__(
        self,
        where: str,
        inputs: Sequence[str],
        runs: Mapping[int, Callable[[Mapping[str, Any]], Mapping[str, Any]]],
    ):
        self.where = where
        self.inputs = {bare(name) for name in inputs}
        self.runs = runs

    def count(self, feeds: Mapping[str, Any]) -> int | None:
        """How many samples are given; None if the inputs that say it are missing.

        Raises AutosplitError if they disagree, and if there are none.
        """
        rows = {
            name: (np.shape(value) or (0,))[0]
            for name, value in feeds.items()
            if bare(name) in self.inputs
        }
        if not rows:
            return None
        counts = set(rows.values())
        if len(counts) > 1 or 0 in counts:
            sizes = ", ".join(f"{name!r} {count}" for name, count in rows.items())
            raise AutosplitError(
                f"{self.where}: how many samples there are, the first sizes of the inputs say: {sizes}; "
                "expected the same number of all, and one or more"
            )
        return int(counts.pop())

    def infer(self, feeds: Mapping[str, Any], count: int) -> dict[str, Any]:
        """Runs so many samples; what is run together may be filled up with copies of the last one."""
        pieces: list[tuple[Mapping[str, Any], int]] = []
        start = 0
        for size in parts(count, self.runs):
            kept = min(size, count - start)
            piece = {
                name: _piece(np.asarray(value), start, size) if bare(name) in self.inputs else value
                for name, value in feeds.items()
            }
            pieces.append((self.runs[size](piece), kept))
            start += kept
        return {
            name: np.concatenate([one[name][:kept] for one, kept in pieces])
            for name in pieces[0][0]
        }


def _piece(array: Any, start: int, size: int) -> Any:
    """So many samples from `start` on, the last one repeated where there are fewer."""
    piece = array[start : start + size]
    if len(piece) == size:
        return piece
    return np.concatenate([piece, np.repeat(piece[-1:], size - len(piece), axis=0)])
