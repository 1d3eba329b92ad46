"""The one bmodel that `convert --one-file` makes of all those of a folder, and what is noted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from autosplit.core.errors import AutosplitError
from autosplit.folder.compilation import sha256
from autosplit.folder.compiled import ONE_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from autosplit.folder.infos_reader import GraphInfos

NOTED = "one_file"
"""What it is called among autosplit's entries of graph_infos.json."""


def find_one_file(infos: GraphInfos) -> Path | None:
    """The file that holds all TPU sub-models as they are now; None where there is none.

    Raises AutosplitError where the file is another one than was written.
    """
    noted = infos.own.get(NOTED)
    path = infos.folder / ONE_FILE
    if not isinstance(noted, dict) or not path.is_file():
        return None
    if noted.get("networks") != parts_of(infos):
        return None
    if path.is_symlink() or sha256(path) != noted.get("bmodel"):
        raise AutosplitError(
            f"{path}: is not the file that `convert --one-file` wrote; convert again, or remove it"
        )
    return path


def parts_of(infos: GraphInfos) -> dict[str, str]:
    """By the network's name the SHA-256 of each sub-model's bmodel; empty where one was not compiled."""
    files = infos.own.get("files")
    known: Mapping[str, object] = cast("Any", files) if isinstance(files, dict) else {}
    found: dict[str, str] = {}
    for graph in infos.graphs:
        if graph.device != "tpu" or infos.is_constant(graph):
            continue
        name = infos.bmodel(graph).relative_to(infos.folder).as_posix()
        digest = known.get(name)
        if not isinstance(digest, str):
            return {}
        found[f"graph_{graph.index}"] = digest
    return found
