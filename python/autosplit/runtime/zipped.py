"""Folders of sub-models that lie in a zip archive."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import FILE_NAME


def unpack(path: Path, folder: Path) -> Path:
    """Unpacks an archive into `folder`; returns the folder there that has graph_infos.json.

    Raises AutosplitError for what is no archive, leaves the folder, or is larger than the disk.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if Path(name).is_absolute() or ".." in Path(name).parts:
                    raise AutosplitError(
                        f"{path}: has the member {name!r}, which leaves the folder"
                    )
            size = sum(member.file_size for member in archive.infolist())
            free = shutil.disk_usage(folder).free
            if size > free:
                raise AutosplitError(
                    f"{path}: holds {size / 1e9:.1f} GB unpacked, and {folder.parent} has {free / 1e9:.1f} GB"
                )
            archive.extractall(folder)
    except FileNotFoundError:
        raise AutosplitError(f"{path}: there is no such file") from None
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise AutosplitError(f"{path}: cannot be read as a zip archive: {error}") from None
    folders = sorted(p.parent for p in folder.glob(f"*/{FILE_NAME}"))
    if not (folder / FILE_NAME).is_file() and len(folders) == 1:
        return folders[0]
    if not (folder / FILE_NAME).is_file():
        raise AutosplitError(f"{path}: has no {FILE_NAME} at its top or in its one folder")
    return folder
