"""Temporary folders, whose being full is a user's matter like any other."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from autosplit.core.errors import AutosplitError


@contextmanager
def scratch_folder(purpose: str) -> Generator[Path]:
    """A folder that is gone when the block ends. `purpose`: what it is for, as in "measuring shapes".

    Raises AutosplitError if there is no room for it, or for what the block writes.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="autosplit-") as name:
            yield Path(name)
    except OSError as error:
        why = error.strerror or "it is full"
        raise AutosplitError(
            f"{purpose} needs a temporary folder, and {_place()} cannot be written: {why}; name another "
            "with the environment variable TMPDIR"
        ) from error


def _place() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "none that is usual"
