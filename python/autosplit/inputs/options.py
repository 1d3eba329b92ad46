"""What `--input` options say of a model's inputs: shapes, dtypes, files with arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from zipfile import BadZipFile

from autosplit.core.errors import AutosplitError, choice, first_line
from autosplit.core.files import load_arrays
from autosplit.core.units import counted
from autosplit.inputs.preprocess import is_picture
from autosplit.inputs.specs import InputSpec
from autosplit.portable.names import bare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

MOST_ELEMENTS = 2**40
"""Inputs of more elements are taken for a slip; their multiply-adds would not fit into 64 bits."""

_SHAPE = re.compile(
    r"(?P<sizes>(\.\.)?\d+([,x](\.\.)?\d+)*|scalar)(:(?P<dtype>\w+))?|:(?P<alone>\w+)"
)

ABSENT = "none"
"""Says of an optional value that it is absent."""


def divide_input(text: str) -> tuple[str, str]:
    """`NAME=SPEC` as name and spec; without a name the name is empty.

    Both may hold `=`: it is split at the first one with a shape or a file behind it.
    """
    if _is_spec(text):
        return "", text
    places = [i for i, c in enumerate(text) if c == "="]
    for place in places:
        if place and _is_spec(text[place + 1 :]):
            return text[:place], text[place + 1 :]
    if places and places[0]:
        return text[: places[0]], text[places[0] + 1 :]
    return "", text


def _is_spec(text: str) -> bool:
    is_file = text.endswith((".npy", ".npz")) or is_picture(text)
    return (
        text == ABSENT or _SHAPE.fullmatch(text) is not None or (is_file and Path(text).is_file())
    )


def parse_input(text: str) -> tuple[str, InputSpec]:
    """`NAME=1,300,300,3[:uint8]`, `NAME=:uint8`, `NAME=file.npy` or `NAME=photo.jpg`.

    For inputs that are not tensors: `NAME=file.npz`, a sequence of the archive's arrays in their order, and
    `NAME=none`, an optional value that is absent.

    The name is empty if it is left out. `..300` is a size that varies, and that is 300 at most. A dtype
    alone leaves the shape to the model.
    """
    name, spec = divide_input(text)
    if spec == ABSENT:
        return name, InputSpec.of(None)
    if spec.endswith(".npz"):
        return name, InputSpec.of(read_sequence(text, spec))
    shape = _SHAPE.fullmatch(spec)
    if shape is None and is_picture(spec):
        if not Path(spec).is_file():
            raise AutosplitError(f"--input {text}: there is no file {spec}")
        return name, InputSpec(picture=Path(spec))
    if shape is None:
        return name, InputSpec.of(read_array(text, spec))
    if shape["alone"]:
        return name, InputSpec(None, _dtype(text, shape["alone"]))
    sizes: list[int] = []
    varying: list[int] = []
    if shape["sizes"] != "scalar":
        written = re.split("[,x]", shape["sizes"])
        sizes = [int(size.removeprefix("..")) for size in written]
        varying = [axis for axis, size in enumerate(written) if size.startswith("..")]
    if 0 in sizes:
        raise AutosplitError(f"--input {text}: a size is 0; sizes are positive")
    if (elements := prod(sizes)) > MOST_ELEMENTS:
        raise AutosplitError(
            f"--input {text}: that is {counted(elements, 'element')}, more than any model takes "
            f"({MOST_ELEMENTS})"
        )
    return name, InputSpec(tuple(sizes), _dtype(text, shape["dtype"]), varying=tuple(varying))


def _dtype(text: str, name: str | None) -> str | None:
    import numpy as np

    if name is None:
        return None
    try:
        return np.dtype(name).name
    except TypeError as e:
        raise AutosplitError(
            f"--input {text}: there is no dtype {name!r}; they are called uint8, float32, ..."
        ) from e


def read_array(text: str, path: str) -> Array:
    """The array in a .npy file, `text` being the option that names it."""
    import numpy as np

    if not path.endswith(".npy"):
        raise AutosplitError(
            f"--input {text}: expected a shape, as in NAME=1,300,300,3:uint8, a .npy file or a picture"
        )
    try:
        loaded: object = load_arrays(path)
        if not isinstance(loaded, np.ndarray):
            raise ValueError("it is an archive of arrays")
        return cast("Array", loaded)
    except FileNotFoundError as e:
        raise AutosplitError(f"--input {text}: there is no file {path}") from e
    except (OSError, ValueError, EOFError, BadZipFile) as e:
        raise AutosplitError(f"--input {text}: cannot read {path}: {e}") from e


def read_sequence(text: str, path: str) -> list[Array]:
    """The arrays of a .npz file in their order, `text` being the option that names it."""
    try:
        archive: Any = load_arrays(path)
        # Members are read here: a damaged one ends zlib, zipfile or numpy in many ways.
        with archive as loaded:
            return [loaded[name] for name in loaded.files]
    except FileNotFoundError as e:
        raise AutosplitError(f"--input {text}: there is no file {path}") from e
    except Exception as e:
        raise AutosplitError(f"--input {text}: cannot read {path}: {first_line(e)}") from e


def unique(pairs: Sequence[tuple[str, InputSpec]]) -> dict[str, InputSpec]:
    """The specs by name; a name that occurs twice, or none among several, is an error."""
    specs: dict[str, InputSpec] = {}
    for name, spec in pairs:
        if name in specs:
            raise AutosplitError(f"--input: {name!r} appears twice" if name else _NAMELESS)
        specs[name] = spec
    if "" in specs and len(specs) > 1:
        raise AutosplitError(_NAMELESS)
    return specs


def input_specs(names: Sequence[str], texts: Sequence[str]) -> dict[str, InputSpec]:
    """What `--input` options say of a model with inputs of these names; of one input it may be left out.

    Names may come with or without `:0`, and are the model's in the result. A name that is not an input gets a
    warning if all inputs are given; if one is missing, it is taken for a slip, and is an AutosplitError.
    """
    from autosplit.core.casting import UnknownInputs

    specs = unique([parse_input(text) for text in texts])
    if "" in specs and len(names) != 1:
        raise AutosplitError(
            f"--input: the model has {counted(len(names), 'input')}, name the one: {', '.join(names)}"
        )
    own_names = {name.removesuffix(":0"): name for name in names}
    by_name: dict[str, InputSpec] = {}
    others: list[str] = []
    for name, spec in specs.items():
        if (own := own_names.get((name or names[0]).removesuffix(":0"))) is None:
            others.append(name)
        elif own in by_name:
            raise AutosplitError(f"--input: {own!r} appears twice")
        else:
            by_name[own] = spec
    unknown = UnknownInputs(names)
    missing = [name for name in names if name not in by_name]
    for name in others:
        if missing:
            raise AutosplitError(
                f"--input {name}: is not an input of the model{choice(name, missing)}"
            )
        unknown.tell(name)
    return by_name


def joined(inputs: Mapping[str, InputSpec], types: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The inputs, with the shapes and dtypes that `types` has of them and of others.

    Names may come with or without `:0`. Raises AutosplitError if the two contradict each other.
    """
    names = {bare(name): name for name in inputs}
    specs = dict(inputs)
    for name, spec in types.items():
        own = names.get(bare(name), name)
        specs[own] = _joined(own, specs[own], spec) if own in inputs else spec
    return specs


def _joined(name: str, spec: InputSpec, type: InputSpec) -> InputSpec:
    from autosplit.core.casting import cast_input

    if spec.whole is not None:
        raise AutosplitError(
            f"input {name!r}: a shape is said of it, and a value given that has none; leave the shape out"
        )
    if None not in (spec.shape, type.shape) and spec.shape != type.shape:
        raise AutosplitError(
            f"input {name!r}: the shape {_sizes(type.shape)} is said of it, and {_sizes(spec.shape)} is "
            "that of what is given; leave one of them out"
        )
    array = spec.array
    if array is not None and type.dtype is not None:
        array = cast_input(array, type.dtype, f"input {name!r}")
    return replace(
        spec,
        shape=type.shape if spec.shape is None else spec.shape,
        dtype=type.dtype or spec.dtype,
        array=array,
        varying=type.varying or spec.varying,
    )


def _sizes(shape: tuple[int, ...] | None) -> str:
    return ",".join(map(str, shape or ())) or "of a scalar"


_NAMELESS = "--input: several inputs are given; each needs its name, as in NAME=1,300,300,3"


def parse_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """`TENSOR=SIZES`, split at the last `=`; no sizes mean a scalar."""
    name, equals, sizes = text.rpartition("=")
    listed = [size.strip() for size in sizes.split(",")] if sizes.strip() else []
    if not equals or not name or not all(size.isdecimal() and size.isascii() for size in listed):
        raise AutosplitError(f"--shape {text}: expected TENSOR=SIZES, as in crops:0=300,14,14,576")
    return name, tuple(int(size) for size in listed)


def parse_shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The promises by tensor name. Raises AutosplitError if one tensor has two."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, sizes in map(parse_shape, texts):
        if name in shapes:
            raise AutosplitError(f"--shape {name}: appears twice")
        shapes[name] = sizes
    return shapes
