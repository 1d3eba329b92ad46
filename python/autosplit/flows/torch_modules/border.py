"""Tensors of PyTorch as arrays and back, on the same memory.

An array sees the tensor's own bytes, whatever its strides are; a tensor owns the array that it was made of.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from autosplit.core.casting import dtype_by_name
from autosplit.core.errors import AutosplitError

Array = NDArray[np.generic]

_FOREIGN = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""The types of which numpy itself has none."""

_torch: Any = torch
"""For what has no types."""

_INTEGERS = {1: torch.uint8, 2: torch.int16}


@cache
def _foreign_types() -> dict[torch.dtype, np.dtype[Any]]:
    return {getattr(torch, name): dtype_by_name(name) for name in _FOREIGN}


def to_array(tensor: torch.Tensor, name: str = "") -> Array:
    """The tensor's memory as an array. Raises AutosplitError, naming the input, if there is none."""
    plain: Any = tensor.detach() if tensor.requires_grad else tensor
    try:
        return cast("Array", plain.numpy())
    except (TypeError, RuntimeError):
        return _uncommon_array(plain, f"the input {name!r}" if name else "the tensor")


def _uncommon_array(tensor: Any, what: str) -> Array:
    """The same for types that numpy lacks, and for tensors that only a flag conjugates or negates."""
    if tensor.device.type != "cpu":
        raise AutosplitError(
            f"{what} is on the device {tensor.device}, expected one on the CPU: move it with .cpu()"
        )
    if tensor.layout != torch.strided or tensor.is_quantized:
        kind = "quantized" if tensor.is_quantized else str(tensor.layout).removeprefix("torch.")
        raise AutosplitError(
            f"{what} is {kind}, expected a plain tensor: call its to_dense or dequantize"
        )
    plain = tensor.resolve_conj().resolve_neg()
    if tensor.dtype not in _foreign_types():
        return cast("Array", plain.numpy())
    bits = plain.view(_INTEGERS[tensor.element_size()])
    return cast("Array", bits.numpy().view(_foreign_types()[tensor.dtype]))


def to_tensor(array: Array) -> torch.Tensor:
    """A tensor on the array's memory, which it keeps alive. The array is writeable."""
    if array.dtype.isbuiltin == 1:
        return _torch.from_numpy(array)
    bits = array.view(np.uint8 if array.dtype.itemsize == 1 else np.int16)
    return _torch.from_numpy(bits).view(getattr(torch, array.dtype.name))
