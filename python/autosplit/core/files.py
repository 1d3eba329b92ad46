"""Files from users, and output files that they request."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from autosplit.core.errors import AutosplitError, first_line


def check_output(path: Path, *, force: bool, suffixes: Collection[str] = ()) -> None:
    """Raises AutosplitError if a file cannot be written: worth knowing before the long work."""
    if suffixes and path.suffix not in suffixes:
        raise AutosplitError(f"{path}: expected a name that ends with {' or '.join(suffixes)}")
    if path.is_dir():
        raise AutosplitError(f"{path}: is a folder; expected a file to write")
    if path.exists() and not force:
        raise AutosplitError(f"{path}: is there already; --force replaces it")
    if not path.parent.is_dir():
        raise AutosplitError(f"{path}: there is no folder {path.parent}")


def write_text(path: Path, text: str) -> None:
    """Writes a file as a whole. Raises AutosplitError if that is not possible."""
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            staged = Path(folder) / path.name
            staged.write_text(text, "utf-8")
            os.replace(staged, path)
    except OSError as error:
        raise AutosplitError(f"{path}: cannot be written: {error.strerror}") from None


def load_arrays(path: Path | str, mmap_mode: Literal["r"] | None = None) -> object:
    """What numpy finds in a .npy or .npz file, an array or an archive of them; nothing is unpickled.

    Raises OSError, and ValueError for whatever is wrong with the file.
    """
    import numpy as np

    try:
        return np.load(path, mmap_mode=mmap_mode, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:
        # numpy reads the header with Python's own parser, and ends with whatever that and zip raise.
        raise ValueError(first_line(error)) from error
