"""What a runner is given: checked against what the split was made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.casting import UnknownInputs, cast_input
from autosplit.core.errors import AutosplitError
from autosplit.inputs.preprocess import bare

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import BorderTensor, GraphInfos
    from autosplit.inputs.values import Value

Array = NDArray[np.generic]


class Feeds:
    """Checks the inputs of a folder's model; `fixed`: the values of inputs that are constants now."""

    def __init__(self, infos: GraphInfos, fixed: Mapping[str, Array]):
        self.infos = infos
        self.fixed = fixed
        self._unknown = UnknownInputs(list(infos.inputs))

    def _fixed_value(self, name: str) -> Array | None:
        """The value of an input that is a constant now; None for other names."""
        return {bare(own): value for own, value in self.fixed.items()}.get(bare(name))

    def checked(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """The inputs by tensor name, in their dtypes. Raises AutosplitError for what does not fit."""
        names = list(self.infos.inputs)
        by_bare = {bare(name): name for name in names}
        values: dict[str, Value] = {}
        for key, value in given.items():
            name = key if key in names else by_bare.get(bare(key))
            if name is None and (known := self._fixed_value(key)) is not None:
                if not np.array_equal(cast("Array", value), known):
                    raise AutosplitError(
                        f"{self.infos.folder}: input {key!r} is fixed to {known.tolist()} in these "
                        "sub-models; split again with another --set, or without it"
                    )
                continue
            if name is None:
                self._unknown.tell(key)
                continue
            if name in values:
                raise AutosplitError(f"{self.infos.folder}: input {name!r} is given twice")
            values[name] = _check_input(
                value,
                self.infos.tensors[name],
                self.infos.varying(name),
                dynamic=self.infos.dynamic,
            )
        read = {t for g in self.infos.graphs for t in g.inputs} | set(self.infos.outputs.values())
        for name in names:
            if name not in values and name in read:
                raise AutosplitError(
                    f"{self.infos.folder}: input {name!r} is missing; the model takes {', '.join(names)}"
                )
        _check_dims(self.infos.own.get("dims"), values)
        return values


def _check_dims(dims: object, values: Mapping[str, Value]) -> None:
    """Raises where inputs have different sizes for one dimension; `dims`: as graph_infos.json has them."""
    known = cast("dict[str, list[tuple[str, int]]]", dims) if isinstance(dims, dict) else {}
    for dim, places in known.items():
        sizes = [(v.shape[i], n) for n, i in places if isinstance(v := values.get(n), np.ndarray)]
        for size, name in sizes[1:]:
            first, by = sizes[0]
            if size != first:
                raise AutosplitError(
                    f"dimension {dim!r} is {first} by input {by!r} and {size} by input {name!r}"
                )


def _check_input(
    value: object, tensor: BorderTensor, varying: Sequence[int] | None, *, dynamic: bool
) -> Value:
    """An input in the dtype that the split was made for; raises unless it has the shape and fits the dtype.

    `varying`: the axes whose sizes may be smaller in a dynamic folder, None where the folder does not say.
    """
    made = fitted(value, tensor)
    if tensor.value is not None or tensor.shape is None:
        return made
    value = cast("Array", made)
    fits = len(value.shape) == len(tensor.shape) and all(
        size < 0
        or found == size
        or (dynamic and found <= size and (varying is None or axis in varying))
        for axis, (found, size) in enumerate(zip(value.shape, tensor.shape, strict=True))
    )
    if not fits:
        what = "expected"
        if dynamic:
            what = "at most" if varying is None else f"of axes {list(varying)} at most, else"
        raise AutosplitError(
            f"input {tensor.name!r}: found shape {list(value.shape)}, {what} {list(tensor.shape)}"
            + ("" if dynamic else "; split again for other sizes, or with --dynamic")
        )
    return value


def fitted(value: Value, tensor: BorderTensor) -> Value:
    """A value as the model takes it, whatever the shape. Raises AutosplitError for other types."""
    what = f"input {tensor.name!r}"
    if tensor.value is not None:
        return tensor.value.fitted(value, what)
    if not isinstance(value, np.ndarray):
        raise AutosplitError(f"{what} is a {type(value).__name__}, expected a numpy array")
    array = cast("Array", value)
    return array if tensor.dtype is None else cast_input(array, tensor.dtype, what)
