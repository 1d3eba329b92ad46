"""Inputs that are given one value for good: `--set NAME=VALUE`.

The input becomes a constant of the model, so that what follows from it is known: an If on it is the branch
that it takes. The folder remembers the value, for comparisons with the whole model, which still asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted
from autosplit.inputs.options import read_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.ir import Attribute, SSAValue

    from autosplit.platforms import Model

    Array = NDArray[np.generic]

Fixed: TypeAlias = "Mapping[str, float | Array]"
"""Values by input; whole numbers and truth values are numbers too."""

MOST = 1 << 16
"""A folder remembers values of up to so many elements."""


def parse_fixed(texts: Sequence[str]) -> dict[str, float | Array]:
    """What several `NAME=VALUE` say: numbers, true or false, or .npy files.

    Raises AutosplitError for other texts, and for a name that occurs twice.
    """
    values: dict[str, float | Array] = {}
    for text in texts:
        name, value = _parse(text)
        if name in values:
            raise AutosplitError(f"--set {text}: {name!r} is set twice")
        values[name] = value
    return values


def checked_fixed(fixed: object) -> dict[str, float | Array]:
    """What Python's argument `fixed` says; AutosplitError unless it maps names to numbers or arrays."""
    import numpy as np

    if not isinstance(fixed, Mapping | None):
        raise AutosplitError(
            f"fixed is a {type(fixed).__name__}, expected {{name: number or array}}"
        )
    checked: dict[str, float | Array] = {}
    for name, value in cast("Mapping[str, object]", fixed or {}).items():
        if isinstance(value, np.ndarray | np.generic):
            checked[name] = np.asarray(cast("Array", value))
        elif isinstance(value, int | float):
            checked[name] = value
        else:
            raise AutosplitError(
                f"fixed of {name!r} is a {type(value).__name__}, expected a number or an array"
            )
    return checked


def _parse(text: str) -> tuple[str, float | Array]:
    """`NAME=VALUE`; both may hold `=`: it is split at the first one with a value behind it."""
    for place in (i for i, c in enumerate(text) if c == "=" and i):
        name, value = text[:place], text[place + 1 :]
        if (number := _number(value)) is not None:
            return name, number
        if value.endswith(".npy") and Path(value).is_file():
            return name, read_array(text, value)
    raise AutosplitError(
        f"--set {text}: expected NAME=VALUE with a number, true, false or a .npy file, as in sr=16000"
    )


def _number(text: str) -> float | None:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def fix_inputs(model: Model, fixed: Fixed) -> None:
    """Makes inputs of a model constants, in place; notes them in `model.fixed` by the model's names.

    Raises AutosplitError for names that are not inputs and for values that do not fit the input.
    """
    where = f"{model.path}: " if model.path is not None else ""
    for name, value in fixed.items():
        inputs = {n.removesuffix(":0"): (n, v) for n, v in _inputs(model)}
        if name.removesuffix(":0") not in inputs:
            raise AutosplitError(
                f"{where}--set {name}: is not an input of the model{choice(name, list(inputs))}"
            )
        own, input = inputs[name.removesuffix(":0")]
        array = _fitted(value, input, f"{where}--set {name}")
        model.platform.fix(model, own, array)
        model.fixed[own] = array


def _inputs(model: Model) -> list[tuple[str, SSAValue]]:
    """The inputs of a model, with those of TensorFlow that need not be given."""
    from autosplit.dialects.platform import PlatformOp, platform_graph, value_name

    graph = platform_graph(model.module)
    others = [
        (value_name(op.results[0]), op.results[0])
        for op in graph.body_ops()
        if isinstance(op, PlatformOp) and op.op_type == "PlaceholderWithDefault"
    ]
    return [*graph.graph_inputs(), *others]


def _fitted(value: float | Array, input: SSAValue, what: str) -> Array:
    """A value in the dtype and shape of an input."""
    import numpy as np

    from autosplit.core.casting import cast_input
    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.platform import element_type

    kind = element_type(input.type)
    dtype = None if kind is None else dtype_of(kind)
    if dtype is None:
        raise AutosplitError(f"{what}: the input is {input.type}, expected a tensor of numbers")
    if isinstance(value, np.ndarray):
        array = cast_input(value, dtype.name, what)
    elif dtype.kind == "f" and not isinstance(value, bool):
        # What is written in decimals is the nearest number of the input's type.
        array = np.array(value, np.float64).astype(dtype)
    else:
        array = cast_input(np.array(value), dtype.name, what)
    if array.size > MOST:
        raise AutosplitError(
            f"{what}: has {counted(array.size, 'element')}, at most {MOST} can be set"
        )
    return _shaped(array, input.type, what)


def _shaped(array: Array, type: Attribute, what: str) -> Array:
    """An array in the shape that an input has; one number may stand for a tensor of one element."""
    from autosplit.dialects.platform import shape_of

    shape = shape_of(type)
    if shape is None:
        return array
    if array.ndim == 0 and prod(max(size, 1) for size in shape) == 1:
        return array.reshape([1] * len(shape))
    fits = len(shape) == array.ndim and all(
        own in (size, -1) or own < 0 for own, size in zip(shape, array.shape, strict=True)
    )
    if not fits:
        sizes = ",".join("?" if size < 0 else str(size) for size in shape) or "none, it is a scalar"
        raise AutosplitError(f"{what}: found shape {list(array.shape)}, expected sizes {sizes}")
    return array


# In the folder


def plan_entry(fixed: Mapping[str, Array]) -> dict[str, Attribute]:
    """What `device.plan` holds of fixed inputs: JSON text by name; nothing if there are none."""
    from xdsl.dialects.builtin import DictionaryAttr, StringAttr

    if not fixed:
        return {}
    texts = {
        name: StringAttr(
            json.dumps({"dtype": a.dtype.name, "shape": a.shape, "values": a.reshape(-1).tolist()})
        )
        for name, a in fixed.items()
    }
    return {"fixed": DictionaryAttr(texts)}


def fixed_json(plan: Mapping[str, Attribute]) -> dict[str, Any]:
    """What graph_infos.json holds of the entry of `device.plan`."""
    from xdsl.dialects.builtin import DictionaryAttr, StringAttr

    entry = plan.get("fixed")
    if not isinstance(entry, DictionaryAttr):
        return {}
    texts = {name: text.data for name, text in entry.data.items() if isinstance(text, StringAttr)}
    return {"fixed": {name: json.loads(text) for name, text in texts.items()}}


def read_fixed(own: Mapping[str, object], path: Path) -> dict[str, Array]:
    """The values that autosplit's own entries of a graph_infos.json hold, by name.

    Raises AutosplitError, naming the file `path`, for one that is not a value.
    """
    import numpy as np

    from autosplit.core.casting import dtype_by_name

    entries = own.get("fixed")
    arrays: dict[str, Array] = {}
    for name, entry in cast("dict[str, Any]", entries).items() if isinstance(entries, dict) else ():
        try:
            array = np.array(entry["values"], dtype_by_name(entry["dtype"]))
            arrays[name] = array.reshape(entry["shape"])
        except (ValueError, TypeError, KeyError, IndexError, RecursionError, OverflowError):
            raise AutosplitError(
                f"{path}: autosplit.fixed of {name!r} is {str(entry)[:60]}, expected dtype, shape and values"
            ) from None
    return arrays
