"""What is compiled by default: for which version of oneDNN, and how it rounds.

Not in `dialects/dnnl`, since the command line shows the version before it loads a dialect.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, get_args

from autosplit.core.errors import AutosplitError

Version: TypeAlias = tuple[int, int]

Rounding: TypeAlias = Literal["exact", "close"]
"""Whether all is rounded as a quantized model says, or less often, which is nearer to the real model."""

ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)

DEFAULT_ROUNDING: Rounding = "close"

Sums: TypeAlias = Literal["auto", "exact", "close", "fast"]
"""How sums of quantized values are computed; `auto` does as `Rounding` says."""

SUMS: tuple[Sums, ...] = get_args(Sums)

DEFAULT_SUMS: Sums = "auto"


def sums_for(sums: Sums, rounding: Rounding) -> Literal["exact", "close", "fast"]:
    """What `auto` stands for: `fast`, unless all is rounded as the model says."""
    if sums != "auto":
        return sums
    return "exact" if rounding == "exact" else "fast"


DEFAULT_VERSION = "3.2"
"""The version that autosplit installs, and compiles for where none is given."""


OLDEST: Version = (3, 1)
"""The first version that has the Graph API."""

NEWEST: Version = (3, 13)
"""The last version whose ops and attributes are known."""


def parse_version(text: str) -> Version:
    """`3.2` or `3.2.0` as (3, 2). Raises AutosplitError for other text, and versions not known."""
    match = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)*", text)
    if match is None:
        raise AutosplitError(
            f"version {text!r}: expected the version of oneDNN, such as {DEFAULT_VERSION}"
        )
    version = int(match[1]), int(match[2])
    if version < OLDEST:
        raise AutosplitError(f"version {text}: oneDNN Graph is there from version 3.1 on")
    if version[0] > 3:
        raise AutosplitError(
            f"version {text}: autosplit knows oneDNN 3 only, such as {DEFAULT_VERSION}"
        )
    if version > NEWEST:
        range_ = " to ".join(".".join(map(str, v)) for v in (OLDEST, NEWEST))
        raise AutosplitError(f"version {text}: autosplit knows oneDNN {range_}")
    return version
