"""Arrays as `bmodel_child` takes and gives them: bytes with a dtype and a shape."""

from __future__ import annotations

import numpy as np

from autosplit.core.errors import AutosplitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from autosplit.portable.networks import BmodelNetwork

    Array = NDArray[np.generic]

PASSED = ("float32", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "bfloat16")
"""The dtypes of networks' tensors that can be passed."""


def packed(
    feeds: Mapping[str, Array], network: BmodelNetwork | None, label: str
) -> tuple[list[dict[str, Any]], list[Array]]:
    """What a request says of a network's inputs, and for each an array whose bytes go with it.

    For bfloat16, float32 arrays are taken. Raises AutosplitError, beginning with `label`, for dtypes that
    cannot be passed.
    """
    expected = {} if network is None else {tensor.name: tensor.dtype for tensor in network.inputs}
    tensors: list[dict[str, Any]] = []
    arrays: list[Array] = []
    for name, array in feeds.items():
        dtype, wanted = array.dtype.name, expected.get(name)
        if wanted == "bfloat16" and dtype == "float32":
            dtype, data = wanted, to_bfloat16(array)
        elif dtype not in PASSED:
            what = f", expected {wanted}" if wanted else ", which cannot be passed"
            raise AutosplitError(f"{label}: input {name!r}: found dtype {dtype}{what}")
        else:
            native = array.astype(array.dtype.newbyteorder("="), copy=False)
            data = np.ascontiguousarray(native).reshape(array.shape)
        tensors.append({"name": name, "dtype": dtype, "shape": list(data.shape)})
        arrays.append(data)
    return tensors, arrays


def unpacked(tensors: Sequence[Mapping[str, Any]], data: Sequence[Any]) -> dict[str, Array]:
    """The outputs of an answer, by the network's names; bfloat16 becomes float32."""
    return {t["name"]: _array(data[i], t["dtype"], t["shape"]) for i, t in enumerate(tensors)}


def _array(data: Any, dtype: str, shape: list[int]) -> Array:
    if dtype == "bfloat16":
        wide = np.frombuffer(data, np.uint16).astype(np.uint32) << 16
        return wide.view(np.float32).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def to_bfloat16(array: Array) -> NDArray[np.uint16]:
    """float32 values rounded to the nearest bfloat16, ties to even, as the bits of that."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded).astype(np.uint16)
