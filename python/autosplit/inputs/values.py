"""What a model may take and return beside arrays: sequences, maps and optional values.

ONNX Runtime takes and hands them out as lists, dicts and None, and so do runners. Where arrays are needed,
to write them to a file or to compare them, such a value is several of them, each with a name of its own:

| value | arrays |
| --- | --- |
| a sequence `q` | `q[0]`, `q[1]`, ... |
| a map `m` | `m.keys` and `m.values`, or `m.values[0]`, ... where those are not numbers |
| an optional value that is absent | none |

In a file, where another value or part has such a name already, a number follows: `q[0]#2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.generic]

Value: TypeAlias = Any
"""An array, a list or a dict of values, or None."""

Given: TypeAlias = "Array | Path | str | list[Any] | tuple[Any, ...] | dict[Any, Any] | None"
"""What callers give for an input: a value, or the path of a picture."""


def arrays_of(name: str, value: Value) -> Iterator[tuple[str, Array]]:
    """The arrays that a value consists of, with their names."""
    match value:
        case None:
            return
        case list():
            for i, item in enumerate(cast("list[Value]", value)):
                yield from arrays_of(f"{name}[{i}]", item)
        case dict():
            held = cast("dict[Value, Value]", value)
            yield f"{name}.keys", np.array(list(held))
            values = list(held.values())
            plain = not any(isinstance(v, list | dict) or v is None for v in values)
            yield from arrays_of(f"{name}.values", np.array(values) if plain else values)
        case _:
            yield name, np.asarray(value)


def flat(values: Mapping[str, Value]) -> dict[str, Array]:
    """The arrays that several values consist of, by name.

    Where a part of one value is called as another value, or as a part of one, it gets a number: `q[0]#2`.
    """
    plain = {name for name, value in values.items() if not isinstance(value, list | dict | None)}
    arrays: dict[str, Array] = {}
    for name, value in values.items():
        for part, array in arrays_of(name, value):
            own, count = part, 1
            while own in arrays or (name not in plain and own in plain):
                count += 1
                own = f"{part}#{count}"
            arrays[own] = array
    return arrays


def kind_of(value: Value) -> str:
    """What a value is, in one word: its dtype, `sequence`, `map` or `absent`."""
    match value:
        case None:
            return "absent"
        case list():
            return "sequence"
        case dict():
            return "map"
        case _:
            return np.asarray(value).dtype.name
