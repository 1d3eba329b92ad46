"""The sizes that inputs of dynamic cases have: the largest, for which they are compiled, and smaller ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autosplit.probe.case import Shape

Runs = Mapping[str, Sequence[Shape]]

IMAGE: Runs = {
    "batch": ((4, 6, 9, 11), (1, 6, 9, 11), (3, 6, 9, 11)),
    "sizes": ((1, 6, 16, 16), (1, 6, 12, 9), (1, 6, 7, 13)),
}
"""By what varies: the largest shape, and smaller ones."""

ANY: Runs = {"any": ((4, 6, 16, 16), (1, 6, 12, 9), (3, 6, 7, 13))}
"""Batch, height and width vary, for ops that do not look at them one by one."""

LINE: Runs = {
    "batch": ((4, 6, 33), (1, 6, 33), (3, 6, 33)),
    "length": ((2, 6, 33), (2, 6, 12), (2, 6, 19)),
}
ROWS: Runs = {"rows": ((9, 33), (1, 33), (6, 33))}
TOKENS: Runs = {
    "batch": ((4, 7, 32), (1, 7, 32), (3, 7, 32)),
    "length": ((1, 33, 32), (1, 1, 32), (1, 19, 32)),
}
HEADS: Runs = {
    "batch": ((4, 3, 9, 16), (1, 3, 9, 16), (3, 3, 9, 16)),
    "length": ((1, 3, 33, 16), (1, 3, 5, 16), (1, 3, 18, 16)),
}
FIVE: Runs = {
    "batch": ((4, 9, 3, 4, 8), (1, 9, 3, 4, 8), (3, 9, 3, 4, 8)),
    "length": ((1, 33, 3, 4, 8), (1, 5, 3, 4, 8), (1, 18, 3, 4, 8)),
}
TALL: Runs = {"tall": ((1, 4, 600, 250), (1, 4, 333, 250), (1, 4, 101, 77))}
"""More than the local memory of a lane holds."""
EVEN_IMAGE: Runs = {
    "batch": ((4, 6, 6, 10), (1, 6, 6, 10), (3, 6, 6, 10)),
    "sizes": ((1, 6, 16, 18), (1, 6, 12, 6), (1, 6, 8, 14)),
}
EVEN: Runs = {
    "batch": ((4, 8, 6, 10), (1, 8, 6, 10), (3, 8, 6, 10)),
    "sizes": ((1, 8, 16, 18), (1, 8, 12, 6), (1, 8, 6, 14)),
}

PREFIX = "dynamic-"
"""What names of cases begin with."""
