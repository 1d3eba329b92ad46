"""A runner's inputs, checked against what the split was made for."""

from __future__ import annotations

import numpy as np

from autosplit.core.casting import UnknownInputs, cast_input
from autosplit.core.errors import AutosplitError
from autosplit.portable.names import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Protocol

    from numpy.typing import NDArray

    from autosplit.portable.ends import End

    Array = NDArray[np.generic]

    class ValueKind(Protocol):
        """What an input is that is not an array."""

        def fitted(self, value: Any, what: str) -> Any:
            """The value as the model takes it; raises AutosplitError for others."""

    class Declared(Protocol):
        """An input as the model declares it."""

        @property
        def name(self) -> str: ...
        @property
        def shape(self) -> tuple[int, ...] | None:
            """-1 where a size is open, None if even the rank is. The largest sizes, where they vary."""
            ...

        @property
        def dtype(self) -> str | None: ...
        @property
        def value(self) -> ValueKind | None:
            """None for arrays."""
            ...


class Feeds:
    """Checks the inputs of a folder's model.

    `where`: the folder, for messages. `needed`: the inputs that are read. `varying`: for each input the axes
    whose sizes may be smaller in a dynamic folder, None if the folder does not say. `dims`: dimensions
    that several inputs share, as graph_infos.json has them. `fixed`: the values of inputs that are constants.
    `ends`: the inputs that are taken as 8-bit integers too, which stay that if `as_integers`.
    """

    def __init__(
        self,
        where: str,
        inputs: Sequence[Declared],
        *,
        needed: Collection[str],
        dynamic: bool,
        varying: Mapping[str, Sequence[int] | None],
        dims: Mapping[str, Sequence[tuple[str, int]]],
        fixed: Mapping[str, Array],
        ends: Mapping[str, End],
        as_integers: bool,
    ):
        self.where = where
        self.inputs = {tensor.name: tensor for tensor in inputs}
        self.needed = needed
        self.dynamic = dynamic
        self.varying = varying
        self.dims = dims
        self.fixed = {bare(name): value for name, value in fixed.items()}
        self.ends = ends
        self.as_integers = as_integers
        self._unknown = UnknownInputs(list(self.inputs))

    def checked(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs by tensor name, in their dtypes. Raises AutosplitError for what does not fit."""
        by_bare = {bare(name): name for name in self.inputs}
        values: dict[str, Any] = {}
        for key, value in feeds.items():
            name = key if key in self.inputs else by_bare.get(bare(key))
            if name is None:
                self._check_other(key, value)
                continue
            if name in values:
                raise AutosplitError(f"{self.where}: input {name!r} appears twice")
            values[name] = self._check(value, self.inputs[name])
        for name in self.inputs:
            if name not in values and name in self.needed:
                names = ", ".join(self.inputs)
                raise AutosplitError(
                    f"{self.where}: input {name!r} is missing; the model takes {names}"
                )
        _check_dims(self.dims, values)
        return values

    def _check_other(self, key: str, value: Any) -> None:
        """What is no input: one that is a constant now must have its value; others are warned of."""
        fixed = self.fixed.get(bare(key))
        if fixed is None:
            self._unknown.tell(key)
        elif not np.array_equal(value, fixed):
            raise AutosplitError(
                f"{self.where}: input {key!r} is fixed to {fixed.tolist()} in these "
                "sub-models; split again with another --set, or without it"
            )

    def _check(self, value: Any, tensor: Declared) -> Any:
        """An input in the dtype that the split was made for.

        Raises AutosplitError unless it has the shape and fits the dtype.
        """
        end = self.ends.get(tensor.name)
        if end is not None and end.is_given(value):
            array = value if self.as_integers else end.real(value)
        else:
            array = fitted(value, tensor)
        if tensor.value is not None or tensor.shape is None:
            return array
        varying = self.varying.get(tensor.name)
        fits = len(array.shape) == len(tensor.shape) and all(
            size < 0
            or array.shape[axis] == size
            or (self.dynamic and array.shape[axis] <= size and (varying is None or axis in varying))
            for axis, size in enumerate(tensor.shape)
        )
        if not fits:
            what = "expected"
            if self.dynamic:
                what = "at most" if varying is None else f"of axes {list(varying)} at most, else"
            raise AutosplitError(
                f"input {tensor.name!r}: found shape {list(array.shape)}, {what} {list(tensor.shape)}"
                + ("" if self.dynamic else "; split again for other sizes, or with --dynamic")
            )
        return array


def _check_dims(dims: Mapping[str, Sequence[tuple[str, int]]], values: Mapping[str, Any]) -> None:
    """Raises if inputs have different sizes for one dimension."""
    for dim, places in dims.items():
        sizes = [
            (values[name].shape[axis], name)
            for name, axis in places
            if isinstance(values.get(name), np.ndarray)
        ]
        for size, name in sizes[1:]:
            first, by = sizes[0]
            if size != first:
                raise AutosplitError(
                    f"dimension {dim!r} is {first} by input {by!r} and {size} by input {name!r}"
                )


def fitted(value: Any, tensor: Declared) -> Any:
    """A value as the model takes it, whatever the shape. Raises AutosplitError for other types."""
    what = f"input {tensor.name!r}"
    if tensor.value is not None:
        return tensor.value.fitted(value, what)
    array: Any = value
    if not isinstance(value, np.ndarray):
        raise AutosplitError(f"{what} is a {type(array).__name__}, expected a numpy array")
    return array if tensor.dtype is None else cast_input(array, tensor.dtype, what)
