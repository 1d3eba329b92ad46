"""All models that are probed, for every op type of `RULES` that some chip may take."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from autosplit.probe import (
    cases_composed,
    cases_dynamic,
    cases_elementwise,
    cases_layers,
    cases_sizes,
    cases_views,
)
from autosplit.probe.case import Case

DYNAMIC = " dynamic"
"""What is behind a mode in records of models whose sizes vary: `F32 dynamic`."""

LARGE = " large"
"""As above, of the sizes of real networks."""


@cache
def all_cases() -> dict[str, Case]:
    """The one-op models by key, sorted. Raises ValueError if two share one."""
    families = (cases_composed, cases_elementwise, cases_layers, cases_views)
    return _by_key(case for family in families for case in family.cases())


@cache
def dynamic_cases() -> dict[str, Case]:
    """The models whose sizes vary, by key, sorted. Raises ValueError if two share one."""
    return _by_key(cases_dynamic.cases())


@cache
def large_cases() -> dict[str, Case]:
    """One-op models of the sizes of real networks, by key, sorted. Raises ValueError if two share one."""
    return _by_key(cases_sizes.cases())


def cases_of(mode: str) -> dict[str, Case]:
    """What is probed in a mode of records, such as `F32` or `F32 dynamic`."""
    if mode.endswith(DYNAMIC):
        return dynamic_cases()
    return large_cases() if mode.endswith(LARGE) else all_cases()


def _by_key(cases: Iterable[Case]) -> dict[str, Case]:
    by_key: dict[str, Case] = {}
    for case in cases:
        if case.key in by_key:
            raise ValueError(f"two cases are called {case.key!r}")
        by_key[case.key] = case
    return dict(sorted(by_key.items()))
