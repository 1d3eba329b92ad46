"""Inputs and outputs of a model that its bmodels have as 8-bit integers; `autosplit convert --io int8`.

Such an input takes the integers as they are, in their dtype, and real numbers in any other one. Outputs are
real numbers unless the integers are asked for.

    real = (integer - zero_point) * step
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.portable.integers import quantized, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.generic]


@dataclass(frozen=True)
class End:
    """An input or output of the model, and what its integers stand for."""

    tensor: str
    dtype: str
    """`int8` or `uint8`."""
    step: float
    zero_point: int

    @property
    def entry(self) -> dict[str, Any]:
        """What files say of it; `read_ends` reads that."""
        return {"dtype": self.dtype, "scale": self.step, "zero_point": self.zero_point}

    def is_given(self, value: Any) -> bool:
        """Whether a value has the integers. Raises AutosplitError for the other kind of 8 bits."""
        array: Any = value
        dtype: str = array.dtype.name if isinstance(value, np.ndarray) else ""
        if dtype in ("int8", "uint8") and dtype != self.dtype:
            raise AutosplitError(
                f"input {self.tensor!r}: is {dtype}; as 8-bit integers it is {self.dtype}, where 1 stands "
                f"for {self.step:.6g}; real numbers are taken in a dtype of floats"
            )
        return dtype == self.dtype

    def real(self, array: Array) -> Array:
        """What integers stand for."""
        return real(array, self)

    def integers(self, array: Array) -> Array:
        """An output as integers, which it may be already."""
        return array if array.dtype.name == self.dtype else quantized(array, self)


def read_ends(
    io: Mapping[str, object], sides: Iterable[tuple[str, Collection[str]]], kept: Collection[str]
) -> dict[str, End]:
    """The ends of a model, by tensor.

    `io`: by sub-model, what of its inputs and outputs are integers: `dtype`, `scale` and `zero_point` by
    tensor. `sides`: of each sub-model the name, and its inputs and outputs. `kept`: the model's own inputs
    and outputs. What the sub-models that have it do not agree on is left out.
    """
    by_tensor: dict[str, list[End | None]] = {}
    for name, tensors in sides:
        entries = _entries(io.get(name))
        for tensor in tensors:
            if tensor in kept:
                by_tensor.setdefault(tensor, []).append(_end(tensor, entries.get(tensor)))
    return {
        tensor: ends[0]
        for tensor, ends in by_tensor.items()
        if ends[0] is not None and all(end == ends[0] for end in ends)
    }


def _entries(value: Any) -> Mapping[str, Any]:
    entries: Any = value
    return entries if isinstance(value, dict) else {}


def _end(tensor: str, entry: Any) -> End | None:
    if entry is None:
        return None
    fields = _entries(entry)
    dtype, step, zero = (fields.get(key) for key in ("dtype", "scale", "zero_point"))
    if dtype not in ("int8", "uint8") or not isinstance(step, float) or not isinstance(zero, int):
        raise AutosplitError(
            f"tensor {tensor!r}: its io is {entry!r}, expected dtype, scale and zero_point; convert again"
        )
    return End(tensor, dtype, step, zero)


def asked_ends(ends: Mapping[str, End], io: str, where: str) -> Mapping[str, End]:
    """What is asked for as integers: all `ends` where `io` is `int8`, none if it is empty.

    Raises AutosplitError for another `io`, and where there are no ends.
    """
    if not io:
        return {}
    if io != "int8":
        raise AutosplitError(f"io is {io!r}, expected int8")
    if not ends:
        raise AutosplitError(
            f"{where}: no input or output of the model is 8-bit integers; convert it with --io int8"
        )
    return ends
