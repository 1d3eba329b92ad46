"""Freezes models whose weights are variables: SavedModels, and graphs with a checkpoint next to them.

TensorFlow does this in a separate process; if it is not installed, the errors say what to do.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from autosplit.core.children import run_child
from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.core.units import first_of

VARIABLES = frozenset({"VarHandleOp", "Variable", "VariableV2"})
"""Types of nodes whose value is not in the graph."""

SETTERS = frozenset({"Assign", "AssignVariableOp"})
"""Types of nodes that assign a variable without reading it."""

SAVED_MODELS = ("saved_model.pb", "saved_model.pbtxt")


@dataclass(frozen=True)
class Frozen:
    """A frozen graph."""

    graph: bytes
    """The serialized GraphDef."""
    outputs: list[str] = field(default_factory=list[str])
    """The names of its outputs; empty if unknown."""


def how_to_freeze() -> str:
    """What to do with a model whose weights are variables."""
    return (
        "freeze it with tensorflow's convert_variables_to_constants_v2 "
        "and write the graph's as_graph_def().SerializeToString() to a .pb file"
    )


def saved_model_folder(path: Path) -> Path | None:
    """The folder of a SavedModel, given as such or by the file in it; None for other paths."""
    folder = path if path.is_dir() else path.parent
    if path.is_dir() or path.name in SAVED_MODELS:
        return folder if any((folder / name).is_file() for name in SAVED_MODELS) else None
    return None


def freeze_saved_model(folder: Path, custom_ops: Sequence[Path] = ()) -> Frozen:
    """The frozen graph of a SavedModel's serving function. Raises AutosplitError if it cannot be frozen."""
    if find_spec("tensorflow") is None:
        raise MissingExtraError(
            "tensorflow",
            "tensorflow",
            f"{folder}: is a SavedModel, and freezing it",
            how_to_freeze(),
        )
    return _freeze({"kind": "saved_model", "path": str(folder)}, folder, custom_ops)


def freeze_graph(path: Path, kind: str, custom_ops: Sequence[Path] = ()) -> Frozen | None:
    """A graph frozen with the checkpoint next to it; None without a checkpoint or TensorFlow.

    `kind`: `graph` or `text` for a GraphDef, `meta` for a MetaGraphDef.
    """
    checkpoint = checkpoint_beside(path)
    if checkpoint is None or find_spec("tensorflow") is None:
        return None
    request = {"kind": kind, "path": str(path), "checkpoint": str(checkpoint)}
    return _freeze(request, path, custom_ops)


def why_not_frozen(path: Path | None, variables: Iterable[str]) -> str:
    """What is wrong with a graph that still reads variables, and what to do."""
    text = "the graph is not frozen"
    if names := [*map(repr, variables)]:
        text += f": variable {first_of(names, 1)} has no value in it"
    checkpoint = None if path is None else checkpoint_beside(path)
    if checkpoint is None:
        return (
            f"{text}; put the checkpoint (its .index and .data files, or the folder variables/) beside it, "
            f"or {how_to_freeze()}"
        )
    if find_spec("tensorflow") is None:
        why = f"{text}; freezing it with {checkpoint.name} beside it"
        return str(MissingExtraError("tensorflow", "tensorflow", why, how_to_freeze()))
    return f"{text}, nor in the checkpoint {checkpoint.name} beside it; {how_to_freeze()}"


def checkpoint_beside(path: Path) -> Path | None:
    """The prefix of the checkpoint next to a graph: the one of its name, the newest, or the only one.

    Raises AutosplitError if several qualify.
    """
    folder = path.parent
    for prefix in (path.with_suffix(""), path):
        if _index(prefix).is_file():
            return prefix
    prefixes = sorted(p.with_suffix("") for p in folder.glob("*.index") if _has_data(p))
    prefixes = prefixes or sorted(p.with_suffix("") for p in (folder / "variables").glob("*.index"))
    if len(prefixes) <= 1:
        return prefixes[0] if prefixes else None
    newest = _named_in_state(folder)
    if newest in prefixes:
        return newest
    raise AutosplitError(
        f"{path}: the graph is not frozen, and beside it are the checkpoints "
        f"{', '.join(p.name for p in prefixes)}; keep one of them there"
    )


def _index(prefix: Path) -> Path:
    return prefix.with_name(prefix.name + ".index")


def _has_data(index: Path) -> bool:
    return any(index.parent.glob(f"{index.stem}.data-*"))


def _named_in_state(folder: Path) -> Path | None:
    """The newest checkpoint according to the file `checkpoint`, which savers write."""
    try:
        text = (folder / "checkpoint").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    newest_line = next(
        (line for line in text.splitlines() if line.startswith("model_checkpoint_path")), ""
    )
    name = newest_line.partition(":")[2].strip().strip('"')
    return folder / Path(name).name if name else None


def _freeze(request: Mapping[str, str], path: Path, custom_ops: Sequence[Path]) -> Frozen:
    full_request = {**request, "custom_ops": [str(library) for library in custom_ops]}
    with tempfile.TemporaryDirectory(prefix="autosplit-") as scratch:
        folder = Path(scratch)
        (folder / "request.json").write_text(json.dumps(full_request), encoding="utf-8")
        answer = run_child(
            "runtime.frameworks.tensorflow_freeze", folder, f"{path}: freezing it in TensorFlow"
        )
        return Frozen((folder / "frozen.pb").read_bytes(), answer["outputs"])
