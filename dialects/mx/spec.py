"""The records that make up the table of the dialect's ops (`table.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

BOOL = "bool"
INT = "int"
FLOAT = "float"
STRING = "string"
SHAPE = "shape"
"""A tuple of integers, each of which may be None."""
FLOATS = "floats"
"""A tuple of floats."""
SHAPES = "shapes"
"""A tuple of tuples of integers."""

AttrValue: TypeAlias = (
    bool
    | int
    | float
    | str
    | tuple[int | None, ...]
    | tuple[float, ...]
    | tuple[tuple[int, ...], ...]
    | None
)
"""An attribute's value in Python."""


@dataclass(frozen=True)
class AttrSpec:
    """An attribute of an op: the kind of its values, and its default."""

    name: str
    kind: str
    required: bool = False
    default: AttrValue = None
    choices: tuple[str, ...] = ()
    """The strings that it may be, for kind `string`; empty if it may be any."""
    or_none: bool = False
    """Whether it may also be `None`."""


@dataclass(frozen=True)
class PortSpec:
    """An input or an output by the name that MXNet gives it.

    `when` says which nodes have it: `attr` if that attribute is true, `!attr` if not, `attr=value` and
    `attr!=value` if it is that text or not; conditions joined by `&` must all hold. The empty string: all.
    `count` is the attribute that says how many there are of it, a
    number or one item for each; the empty string for one.
    """

    name: str
    when: str = ""
    count: str = ""
    hidden: str = "no"
    """Of an output: `no`, `yes`, or the condition under which users of the whole op do not get it."""


@dataclass(frozen=True)
class OpSpec:
    """One kind of op: its inputs, outputs and attributes in MXNet's order."""

    kind: str
    inputs: tuple[PortSpec, ...]
    outputs: tuple[PortSpec, ...]
    attrs: Mapping[str, AttrSpec]
    aux: tuple[str, ...] = ()
    """The inputs that are auxiliary states, which the op may change while it is trained."""


def port(text: str) -> PortSpec:
    """A port as the table writes it: `name`, `name*count`, `name?when`; `name~`, `name~when` if it is hidden.

    `bias?!no_bias` is there unless `no_bias` is true, `data*num_args` as often as `num_args` says, and
    `mean~!output_mean_var` is hidden unless `output_mean_var` is true.
    """
    text, tilde, hidden = text.partition("~")
    text, _, when = text.partition("?")
    name, _, count = text.partition("*")
    return PortSpec(name, when, count, (hidden or "yes") if tilde else "no")


def ports(text: str) -> tuple[PortSpec, ...]:
    """The ports that `text` lists, with spaces between them."""
    return tuple(map(port, text.split()))
