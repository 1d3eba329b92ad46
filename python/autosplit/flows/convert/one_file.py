"""`convert --one-file`: the bmodels of a folder as networks of one file, which share the kernel module."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.folder.compilation import sha256
from autosplit.folder.compiled import ONE_FILE, note_one_file, writing
from autosplit.folder.infos_reader import GraphInfos
from autosplit.runtime.bmodel.one_file import NOTED, part_files, parts_of
from autosplit.toolchains.bmodel_compile import remove_clock
from autosplit.toolchains.children import Children

if TYPE_CHECKING:
    from autosplit.toolchains.tpu_mlir import TpuMlir


def combine(folder: Path, toolchain: TpuMlir, timeout: float) -> Path | None:
    """Writes the file for a folder whose sub-models are all compiled; None where there is none to write.

    Raises AutosplitError where the tool chain refuses.
    """
    infos = GraphInfos.load(folder)
    parts = parts_of(infos)
    if not parts:
        return None
    bmodels = [path.absolute() for path in part_files(infos)]
    with writing(folder), tempfile.TemporaryDirectory(prefix=".one-file.", dir=folder) as scratch:
        combined = Path(scratch).absolute() / ONE_FILE
        command = [str(toolchain.model_tool), "--combine", *map(str, bmodels), "-o", str(combined)]
        done = Children().run(command, Path(scratch), toolchain.environment(), timeout)
        if done.code != 0 or not combined.is_file():
            raise AutosplitError(
                f"{folder}: TPU-MLIR does not make one file of the bmodels: {done.last_line or done.code}"
            )
        remove_clock(str(combined))
        os.replace(combined, folder / ONE_FILE)
    note_one_file(folder, sha256(folder / ONE_FILE), parts)
    return folder / ONE_FILE


def drop_stale(folder: Path) -> None:
    """Removes a file of an earlier run that holds other bmodels than are there now."""
    infos = GraphInfos.load(folder)
    noted = infos.own.get(NOTED)
    if not isinstance(noted, dict) or noted.get("networks") == parts_of(infos):
        return
    with writing(folder):
        (folder / ONE_FILE).unlink(missing_ok=True)
    note_one_file(folder, "", {})
