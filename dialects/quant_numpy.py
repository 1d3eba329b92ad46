"""The casts of the `quant` dialect in numpy, as ONNX defines QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.quant import UniformType

Array = np.ndarray[Any, Any]


def quantize(values: NDArray[np.float32], type: UniformType) -> Array:
    """`saturate(round_half_even(values / scale) + zero_point)`, in the stored type of `type`.

    `values` is float32, of any shape that fits the type; the division is in float32. A NaN becomes the
    smallest stored integer, as with x86's instructions. Raises AutosplitError if the shape does not fit.
    """
    scales, zero_points = _broadcast(values, type)
    low, high = type.storage_range
    with np.errstate(all="ignore"):
        rounded = np.rint(values / scales).astype(np.float64) + zero_points
    rounded = np.where(np.isnan(rounded), low, np.clip(rounded, low, high))
    return rounded.astype(np.int64).astype(_storage_dtype(type))


def dequantize(stored: Array, type: UniformType) -> NDArray[np.float32]:
    """`(stored - zero_point) * scale` in float32.

    Raises AutosplitError if the shape does not fit the type.
    """
    scales, zero_points = _broadcast(stored, type)
    with np.errstate(all="ignore"):
        return (stored.astype(np.int64) - zero_points).astype(np.float32) * scales


def _storage_dtype(type: UniformType) -> np.dtype[Any]:
    dtype = dtype_of(type.storage)
    assert dtype is not None  # the verifier of the type admits no other storage
    return dtype


def _broadcast(array: Array, type: UniformType) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Scales and zero points in a shape that broadcasts to that of `array`."""
    if type.axis is None:
        return type.scales[0:1].reshape(()), type.zero_points[0:1].reshape(())
    if type.axis >= array.ndim or array.shape[type.axis] != type.count:
        raise AutosplitError(
            f"an array of shape {list(array.shape)} is not of type {type}: expected {type.count} "
            f"channels along dimension {type.axis}"
        )
    shape = [1] * array.ndim
    shape[type.axis] = type.count
    return type.scales.reshape(shape), type.zero_points.reshape(shape)
