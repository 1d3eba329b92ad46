"""Parameters of tests that take long: some run with every change, all of them at night."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def sample(values: Iterable[Any], step: int = 3) -> list[Any]:
    """Each `step`-th runs with every change."""
    return sample_rows([(value,) for value in values], step)


def sample_rows(rows: Iterable[Sequence[Any]], step: int = 3) -> list[Any]:
    """The same for tests of several parameters."""
    return [
        pytest.param(*row, marks=[pytest.mark.nightly] if i % step else [])
        for i, row in enumerate(rows)
    ]
