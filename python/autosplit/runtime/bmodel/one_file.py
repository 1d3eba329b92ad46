"""The one bmodel that `convert --one-file` makes of all those of a folder, and what is noted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from autosplit.core.errors import AutosplitError
from autosplit.folder.batches import BATCH, net_name, read_batches
from autosplit.folder.compilation import sha256
from autosplit.folder.compiled import ONE_FILE
from autosplit.folder.infos_reader import FILE_NAME, GraphInfos

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

NOTED = "one_file"
"""What it is called among autosplit's entries of graph_infos.json."""


def find_one_file(infos: GraphInfos) -> Path | None:
    """The file that holds all TPU sub-models as they are now; None where there is none.

    Raises AutosplitError where the file is not the one that was written.
    """
    if BATCH in infos.own and (infos.folder.parent / FILE_NAME).is_file():
        # It lies in the folder for the first number of samples.
        return find_one_file(GraphInfos.load(infos.folder.parent))
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
    return {name: digest for name, (_, digest) in _parts(infos).items()}


def part_files(infos: GraphInfos) -> list[Path]:
    """The bmodels of `parts_of`."""
    return [path for path, _ in _parts(infos).values()]


def _parts(infos: GraphInfos) -> dict[str, tuple[Path, str]]:
    """By the network's name each bmodel and its SHA-256, those for other numbers of samples too."""
    files = infos.own.get("files")
    digests: Mapping[str, object] = cast("Any", files) if isinstance(files, dict) else {}
    networks: dict[str, tuple[Path, str]] = {}
    for graph in infos.graphs:
        if graph.device != "tpu" or infos.is_constant(graph):
            continue
        path = infos.bmodel(graph)
        digest = digests.get(path.relative_to(infos.folder).as_posix())
        if not isinstance(digest, str):
            return {}
        networks[net_name(infos, f"graph_{graph.index}")] = path, digest
    batches = read_batches(infos)
    for place in batches.others.values() if batches is not None else ():
        inside = GraphInfos.load(infos.folder / place)
        parts = _parts(inside)
        if not parts and any(
            g.device == "tpu" and not inside.is_constant(g) for g in inside.graphs
        ):
            return {}
        networks |= parts
    return networks
