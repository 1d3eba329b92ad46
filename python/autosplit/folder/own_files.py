"""Which files in a folder autosplit wrote, so that `--force` replaces those and nobody else's."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import cast

from autosplit.folder.batches import PREFIX
from autosplit.folder.compiled import ONE_FILE, known_names
from autosplit.folder.infos_reader import FILE_NAME, PLAN_NAME, context_dir
from autosplit.toolchains.bmodel_compile import WORK


def read_entries(folder: Path) -> dict[str, object] | None:
    """What graph_infos.json of a split folder says, of ours or of the original AutoSplit; None for others."""
    try:
        data: object = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    entries = _object(data)
    return entries if "graphs" in entries else None


def foreign_files(folder: Path, entries: dict[str, object], files: Collection[str]) -> list[str]:
    """Those of `files`, relative paths in a split folder, that no split, compilation or conversion wrote.

    `entries`: what its graph_infos.json says. Folders do not count, only what is in them.
    """
    from autosplit.folder.compile_script import script_name

    own = _object(entries.get("autosplit"))
    listed = own.get("files")
    own_files = {FILE_NAME, PLAN_NAME, ONE_FILE, *_object(listed)}
    prefixes = (f".{FILE_NAME}.",)
    graphs = entries["graphs"]
    for index, value in enumerate(cast("list[object]", graphs) if isinstance(graphs, list) else []):
        graph = _object(value)
        own_files |= {str(name) for name in _object(graph.get("model_info")).values()}
        if graph.get("device") == "cpu":
            continue
        inner = str(graph.get("context_dir", context_dir(index)))
        own_files |= {script_name(inner), *(f"{inner}/{name}" for name in known_names(index))}
        prefixes += (f"{inner}/{WORK}/", f".{inner}.")
        if listed is None or _is_for_vendors_compiler(folder / script_name(inner)):
            # What those compilers leave beside a bmodel is not recorded.
            prefixes += (f"{inner}/",)
    inside: list[str] = []
    for place in _batch_places(own):
        # A folder of its own.
        prefixes += (f"{place}/",)
        held = [name.removeprefix(f"{place}/") for name in files if name.startswith(f"{place}/")]
        if (inner := read_entries(folder / place)) is not None:
            held = foreign_files(folder / place, inner, held)
        inside += [f"{place}/{name}" for name in held]
    return sorted(inside) + sorted(
        name
        for name in files
        if name not in own_files and not name.startswith(prefixes) and not _is_folder(folder / name)
    )


def _batch_places(own: dict[str, object]) -> list[str]:
    """The folders for other numbers of samples, see `folder.batches`."""
    folders = _object(_object(own.get("batches")).get("folders"))
    return [str(place) for place in folders.values() if str(place).startswith(PREFIX)]


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_for_vendors_compiler(script: Path) -> bool:
    """Whether a compile script is one for the vendor's older compilers, all of which are called bmnet..."""
    try:
        first = script.read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, ValueError):
        return False
    return "with bmnet" in first


def _object(value: object) -> dict[str, object]:
    """A JSON object; an empty one for anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
