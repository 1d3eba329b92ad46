"""The records that make up the table of the dialect's ops (`table.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

BOOL = "bool"
I64 = "i64"
I32 = "i32"
SI32 = "si32"
UI32 = "ui32"
F64 = "f64"
STRING = "string"
I64S = "i64[]"
I32S = "i32[]"
F64S = "f64[]"
DICTS = "dictionary[]"

AttrValue: TypeAlias = (
    "bool | int | float | str | list[int] | list[float] | list[dict[str, AttrValue]]"
)
"""An attribute's value in Python."""

ONE = "one"
OR_NONE = "or none"
OPTIONAL = "optional"
VARIADIC = "variadic"


@dataclass(frozen=True)
class PortSpec:
    """An operand or a result by the name that TPU-MLIR gives it.

    Its `count` is `one`; `or none`, where its type may be `none` (of an operand: a `top.None` stands for it);
    `optional`, where it may be left out; or `variadic`.
    """

    name: str
    count: str = ONE


@dataclass(frozen=True)
class AttrSpec:
    """An attribute: its type, whether an op must have it, its default, the strings that it may be."""

    name: str
    type: str
    required: bool = False
    default: AttrValue | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpSpec:
    """One kind of op: its operands, results and attributes in the order in which TPU-MLIR lists them."""

    kind: str
    operands: tuple[PortSpec, ...]
    results: tuple[PortSpec, ...]
    attrs: dict[str, AttrSpec]
    regions: tuple[str, ...] = ()
    terminator: bool = False

    @property
    def counts(self) -> tuple[int, int | None]:
        """The minimum and maximum number of operands; None if there is no limit."""
        return _counts(self.operands)

    @property
    def result_counts(self) -> tuple[int, int | None]:
        """The minimum and maximum number of results; None if there is no limit."""
        return _counts(self.results)


def _counts(ports: tuple[PortSpec, ...]) -> tuple[int, int | None]:
    needed = sum(port.count in (ONE, OR_NONE) for port in ports)
    unlimited = any(port.count == VARIADIC for port in ports)
    return needed, None if unlimited else len(ports)
