"""What is given for a model's inputs that take no arrays, while it is split and when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from autosplit.core.casting import STRINGS, dtype_by_name
from autosplit.core.errors import AutosplitError
from autosplit.inputs.specs import InputSpec, Whole
from autosplit.inputs.value_types import value_type_of
from autosplit.portable.names import bare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.inputs.value_types import ValueType
    from autosplit.inputs.values import Value
    from autosplit.platforms import Model

    Array = NDArray[np.generic]


def whole_inputs(model: Model, specs: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs; inputs that take no tensors have values as the framework takes them.

    Raises AutosplitError for other values, and for shapes, dtypes and pictures, which say nothing of them.
    """
    from autosplit.dialects.platform import platform_graph, value_name

    where = f"{model.path}: " if model.path is not None else ""
    graph = platform_graph(model.module)
    values = {value_name(result): result for op in graph.body_ops() for result in op.results}
    types = {bare(n): v.type for n, v in {**values, **dict(graph.graph_inputs())}.items() if n}
    wholes = dict(specs)
    for name, spec in specs.items():
        type = types.get(bare(name))
        kind = None if type is None else value_type_of(type)
        if kind is None:
            continue
        what = f"{where}input {name!r}"
        if spec.array is None and spec.whole is None:
            raise AutosplitError(f"{what} is {kind.words}, which has no shape; give its value")
        wholes[name] = InputSpec(whole=Whole(kind.fitted(spec.value, what)))
    return wholes


def random_value(
    random: np.random.Generator, type: ValueType, name: str, option: str = "--input "
) -> Value:
    """An optional array that is there; raises AutosplitError for other types, whose value must be given."""
    inner = type.array
    if inner is None or inner.shape is None or -1 in inner.shape or inner.dtype in (None, *STRINGS):
        end = "npy" if inner is not None else "npz"
        raise AutosplitError(
            f"input {name!r} is {type.words}, so random input will not do; give it, as in "
            f"{option}{name}=file.{end}"
        )
    return random_array(random, inner.shape, dtype_by_name(inner.dtype))


def random_array(
    random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[np.generic] | None
) -> Array:
    """Uniform values that an image model can take: 0..255 for bytes, 0..1 for floats, else 0 or 1."""
    draw = cast("Any", random)  # numpy's stubs leave the type of `integers` open
    dtype = np.dtype(np.float32) if dtype is None else dtype
    try:
        if dtype == np.uint8:
            return draw.integers(0, 256, shape).astype(dtype)
        if dtype.kind in "iub":
            return draw.integers(0, 2, shape).astype(dtype)
        return random.random(shape).astype(dtype)
    except (ValueError, MemoryError):
        raise AutosplitError(
            f"random input of the shape {list(shape)} is more than the memory holds; give smaller sizes"
        ) from None
