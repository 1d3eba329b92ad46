"""Files of arrays that users hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from autosplit.core.errors import first_line


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
