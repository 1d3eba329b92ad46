"""8-bit integers of a folder that stand for real numbers, as a quantized model has them.

`real = (integer - zero_point) * step`, computed in float32 as DequantizeLinear does it.
"""

from __future__ import annotations

import numpy as np

from autosplit.core.errors import AutosplitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from numpy.typing import NDArray

    Array = NDArray[np.generic]

    class Counted(Protocol):
        """A tensor of a folder that may hold such integers."""

        @property
        def tensor(self) -> str: ...
        @property
        def dtype(self) -> str: ...
        @property
        def step(self) -> float:
            """What 1 stands for; 0 where the integers are just integers."""
            ...

        @property
        def zero_point(self) -> int: ...


def real(array: Array, border: Counted) -> Array:
    """What the numbers of a border stand for; the array itself where it holds no such integers."""
    if not border.step:
        return array
    centred = array.astype(np.float32) - np.float32(border.zero_point)
    return centred * np.float32(border.step)


def quantized(array: Array, border: Counted) -> Array:
    """Real numbers as the integers of a border, as QuantizeLinear rounds them.

    Raises AutosplitError for NaN, which no integer stands for.
    """
    if np.any(np.isnan(array)):
        raise AutosplitError(
            f"tensor {border.tensor!r}: is NaN on the TPU where {border.dtype} is expected"
        )
    levels = np.rint(array.astype(np.float32) / np.float32(border.step))
    info = np.iinfo(border.dtype)
    return np.clip(levels + np.float32(border.zero_point), info.min, info.max).astype(border.dtype)


def shifted(array: Array, zero_point: int, dtype: str, target: int) -> Array:
    """Integers with `target` for 0 instead of `zero_point`, and another dtype; nothing else is computed.

    What does not fit into the dtype saturates, which does not happen where both hold the same 256 numbers.
    """
    if zero_point == target and array.dtype.name == dtype:
        return array
    moved = array.astype(np.int16) + np.int16(target - zero_point)
    info = np.iinfo(dtype)
    return np.clip(moved, info.min, info.max).astype(dtype)
