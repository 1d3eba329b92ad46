"""What is said of the inputs of a model, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.inputs.values import Value

    Array = NDArray[np.generic]


@dataclass(frozen=True)
class Whole:
    """A value that is not an array: a list, a dict, or None for an optional value that is absent."""

    value: Value


@dataclass(frozen=True)
class InputSpec:
    """What the user said of one input: a shape, perhaps a dtype, or an array that has both."""

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    array: Array | None = field(default=None, compare=False)
    varying: tuple[int, ...] = ()
    """The axes whose sizes are the largest of those that vary; with none, all that the model leaves open."""
    picture: Path | None = None
    """A picture to make the array of, and the shape."""
    whole: Whole | None = field(default=None, compare=False)
    """In place of all that, the value of an input that takes no tensor."""

    @classmethod
    def of(cls, value: Value) -> InputSpec:
        """What is said by a value that is given: an array, a list, a dict or None."""
        import numpy as np

        if not isinstance(value, np.ndarray):
            return cls(whole=Whole(value))
        array = cast("Array", value)
        return cls(tuple(array.shape), str(array.dtype), array)

    @property
    def value(self) -> Value:
        """What is given, if anything is."""
        return self.array if self.whole is None else self.whole.value
