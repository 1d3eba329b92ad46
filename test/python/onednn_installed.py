"""Which tests need oneDNN: they are left out where it is not installed, and fail where it is damaged."""

from __future__ import annotations

import pytest

from autosplit.core.errors import MissingExtraError
from autosplit.toolchains.onednn import find_library


def has_library() -> bool:
    try:
        find_library()
    except MissingExtraError:
        return False
    return True


needs_library = pytest.mark.skipif(not has_library(), reason="the extra onednn is not installed")
