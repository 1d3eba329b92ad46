"""All one-op models that are probed, for every op type of `RULES` that some chip may take."""

from __future__ import annotations

from functools import cache

from autosplit.probe import cases_elementwise, cases_layers, cases_views
from autosplit.probe.case import Case


@cache
def all_cases() -> dict[str, Case]:
    """The cases by key, sorted. Raises ValueError where two share one."""
    found: dict[str, Case] = {}
    for family in (cases_elementwise, cases_layers, cases_views):
        for case in family.cases():
            if case.key in found:
                raise ValueError(f"two cases are called {case.key!r}")
            found[case.key] = case
    return dict(sorted(found.items()))
