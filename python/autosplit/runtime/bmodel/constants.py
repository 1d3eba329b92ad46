"""What a TPU sub-model gives besides what its bmodel computes: outputs that are always the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import GraphEntry, GraphInfos

Array = NDArray[np.generic]


def read_constants(infos: GraphInfos, graph: GraphEntry) -> dict[str, Array]:
    """The outputs of a TPU sub-model that are always the same, by tensor name.

    Raises AutosplitError for an archive that cannot be read, or is not the recorded one.
    """
    if (path := infos.constants_file(graph)) is None:
        return {}
    try:
        loaded: Any = np.load(path, allow_pickle=False)
        with loaded:
            return {name: loaded[name] for name in loaded.files if name in graph.outputs}
    except (OSError, ValueError, EOFError, BadZipFile, AttributeError) as error:
        raise AutosplitError(
            f"{path}: cannot be read: {error}; compile again, with autosplit convert"
        ) from None


class NothingToRun:
    """The executor of a sub-model that has nothing to compute."""

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes nothing."""
        return {}
