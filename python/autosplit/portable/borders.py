"""The border of a TPU sub-model: the folder's names, dtypes and layout outside, those of the bmodel inside.

Inside a bmodel every tensor is float32 unless the compiler was asked for another dtype, so values are cast at
the border:

- integers become floats; one that float32 cannot hold exactly is an error, except the largest and smallest
  of the dtype, which models write for "to the end";
- floats that stand for integers are rounded and saturate at the dtype's ends; a NaN is an error;
- booleans are 0 and 1, and from 0.5 on a float is true;
- integers of the folder that stand for real numbers, as a quantized model has them, become these, or the
  bmodel's own 8-bit integers where it counts in the same steps;
- a network that has a picture's preprocessing in it takes the bytes that the numbers were made of;
- 8-bit integers of the compiler's are `round(x / step)` with the step that the bmodel names.

Bmodels that this project compiles take and give the layout of the folder. In folders of the original
AutoSplit, NHWC tensors of rank 4 are transposed, as the original AutoRunner did it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autosplit.core.casting import dtype_by_name
from autosplit.core.errors import AutosplitError
from autosplit.portable.integers import quantized, real, shifted
from autosplit.portable.names import match
from autosplit.portable.pictures import raw_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.generic]
    from autosplit.portable.networks import BmodelNetwork, BmodelTensor, NetworkPort

    Form = tuple[str, float, int]
    """How a tensor's numbers are stored: dtype, step, zero point."""

EXACT = 1 << 24
"""float32 holds every integer up to this one."""


@dataclass(frozen=True)
class Port:
    """A tensor of the folder, and the network's that it is."""

    border: NetworkPort
    inner: BmodelTensor
    channels_last: bool = False


class Borders:
    """The inputs and outputs of a TPU sub-model, and the network's that they are.

    `bmodel` is for messages. `channels_last`: tensors of rank 4 are NHWC outside and NCHW inside. Raises
    AutosplitError if the network's inputs and outputs are not those of the sub-model.
    """

    def __init__(
        self,
        bmodel: object,
        network: BmodelNetwork,
        inputs: Sequence[NetworkPort],
        outputs: Sequence[NetworkPort],
        *,
        channels_last: bool = False,
    ):
        self.network = network
        self.inputs = _ports(bmodel, "input", inputs, network, channels_last)
        self.outputs = _ports(bmodel, "output", outputs, network, channels_last)

    def feeds(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The network's inputs, by its names, made of the folder's tensors."""
        dynamic = self.network.is_dynamic
        return {
            port.inner.name: to_network(values[name], port, dynamic=dynamic)
            for name, port in self.inputs.items()
        }

    def results(
        self, network: Mapping[str, Array], outputs: Collection[str], raw: Collection[str] = ()
    ) -> dict[str, Array]:
        """The named tensors of the folder, from what the network made. Those in `raw` stay as it has them."""
        dynamic = self.network.is_dynamic
        return {
            name: from_network(network[port.inner.name], port, dynamic=dynamic, raw=name in raw)
            for name, port in self.outputs.items()
            if name in outputs
        }

    def form(self, tensor: str) -> Form | None:
        """How the bmodel stores a tensor where that is 8-bit integers, which another may take as they are."""
        port = self.outputs.get(tensor)
        if port is not None:
            return _form(port, port.inner.scale)
        port = self.inputs.get(tensor)
        return None if port is None else _form(port, 1 / (port.inner.scale or 1.0))


def shared_forms(
    borders: Iterable[tuple[Sequence[str], Borders | None]], kept: Collection[str]
) -> frozenset[str]:
    """Tensors that one bmodel makes and others take, all as 8-bit integers of the same meaning.

    `borders`: for each sub-model its inputs and outputs, and what it is on the TPU; None for the CPU. `kept`:
    the model's own inputs and outputs.
    """
    forms: dict[str, set[Form | None]] = {}
    for names, border in borders:
        for name in names:
            forms.setdefault(name, set()).add(None if border is None else border.form(name))
    return frozenset(
        name
        for name, forms_of in forms.items()
        if len(forms_of) == 1 and None not in forms_of and name not in kept
    )


def _form(port: Port, step: float) -> Form | None:
    # Integers of the folder's own are passed on as the folder has them.
    border = port.border
    is_own = border.step or border.raw is not None
    if port.inner.dtype not in ("int8", "uint8") or port.channels_last or is_own:
        return None
    # Steps and their inverses are float32 in the bmodel: what is left agrees on both sides.
    return port.inner.dtype, float(f"{step:.5g}"), port.inner.zero_point


def _ports(
    bmodel: object,
    kind: str,
    borders: Sequence[NetworkPort],
    network: BmodelNetwork,
    channels_last: bool,
) -> dict[str, Port]:
    """The network's tensor for each tensor of the folder."""
    tensors = network.inputs if kind == "input" else network.outputs
    chosen = match([border.name for border in borders], [tensor.name for tensor in tensors])
    if chosen is None:
        has, wants = [t.name for t in tensors], [border.name for border in borders]
        raise AutosplitError(
            f"{bmodel}: has the {kind}s {', '.join(has)}, the sub-model {', '.join(wants)}; is it of another"
            " sub-model? Compile it again, with autosplit convert"
        )
    ports: dict[str, Port] = {}
    for i, border in enumerate(borders):
        inner = tensors[chosen[i]]
        port = Port(border, inner, channels_last and len(inner.shape) == 4)
        _check_shape(bmodel, kind, port)
        ports[border.tensor] = port
    return ports


def _check_shape(bmodel: object, kind: str, port: Port) -> None:
    border = port.border
    outer = _inside(border.shape) if port.channels_last else border.network_shape
    if any(_same_size(outer, shape) for shape in port.inner.shapes):
        return
    raise AutosplitError(
        f"{bmodel}: {kind} {port.border.tensor!r} has the shape {list(port.inner.shape)}, expected"
        f" {list(outer)}; compile it again, with autosplit convert"
    )


def _same_size(outer: Sequence[int], inner: Sequence[int]) -> bool:
    """Whether the shapes agree as far as the outer one is known, ones not counted."""
    if any(size < 0 for size in outer):
        return len(outer) == len(inner) and all(
            size in (-1, inner[axis]) for axis, size in enumerate(outer)
        )
    return [s for s in outer if s != 1] == [s for s in inner if s != 1]


def _inside(shape: Sequence[int]) -> tuple[int, ...]:
    """An NHWC shape as NCHW."""
    return (shape[0], shape[3], shape[1], shape[2]) if len(shape) == 4 else tuple(shape)


def to_network(array: Array, port: Port, *, dynamic: bool) -> Array:
    """An array of the folder as the bmodel takes it."""
    if port.border.raw is not None:
        return raw_bytes(array, port.border.raw, port.border.tensor)
    encoded = _encode(array, port)
    if port.channels_last:
        encoded = encoded.transpose(0, 3, 1, 2)
    elif _is_fixed(port, dynamic=dynamic) and array.shape == tuple(port.border.shape):
        # A scalar, say, of which the bmodel makes one element of rank 1.
        encoded = encoded.reshape(port.inner.shape)
    return encoded


def from_network(array: Array, port: Port, *, dynamic: bool, raw: bool = False) -> Array:
    """An array that the bmodel made as the folder has it; `raw` keeps the bmodel's numbers."""
    shape = port.border.shape
    if port.channels_last:
        array = array.transpose(0, 2, 3, 1)
    elif _is_fixed(port, dynamic=dynamic) and array.size == np.prod(shape, dtype=np.int64):
        array = array.reshape(shape)
    array = array if raw else _decode(array, port)
    return np.ascontiguousarray(array).reshape(array.shape)


def _is_fixed(port: Port, *, dynamic: bool) -> bool:
    """Whether the tensor has one shape outside and one inside."""
    shape = port.border.shape
    return len(port.inner.shapes) == 1 and -1 not in shape and not (dynamic and shape)


def _encode(array: Array, port: Port) -> Array:
    dtype, name = port.inner.dtype, port.border.tensor
    if port.border.step and dtype == port.border.network_dtype != "float32":
        return shifted(array, port.border.zero_point, dtype, port.inner.zero_point)
    if array.dtype.name == dtype:
        return array
    array = real(array, port.border)
    if dtype in ("int8", "uint8"):
        levels = np.rint(array.astype(np.float32) * np.float32(port.inner.scale))
        return _saturated(levels + port.inner.zero_point, np.dtype(dtype), name)
    if dtype in ("float32", "bfloat16"):
        return _exact_floats(array, name)
    if array.dtype.kind in "iub" and np.dtype(dtype).kind in "iu":
        _check_range(array, np.dtype(dtype), name)
    return array.astype(dtype)


def _decode(array: Array, port: Port) -> Array:
    wanted = port.border.dtype or array.dtype.name
    if port.border.step and port.inner.dtype == port.border.network_dtype != "float32":
        return shifted(array, port.inner.zero_point, wanted, port.border.zero_point)
    if array.dtype.name == wanted:
        return array
    if port.inner.dtype in ("int8", "uint8") and port.inner.scale != 1.0:
        centred = array.astype(np.float32) - np.float32(port.inner.zero_point)
        array = centred * np.float32(port.inner.scale)
    if port.border.step:
        return quantized(array, port.border)
    target = _dtype(wanted)
    if target.kind == "b":
        return np.abs(array.astype(np.float32)) >= np.float32(0.5)
    if target.kind in "iu" and array.dtype.kind == "f":
        return _saturated(np.rint(array), target, port.border.tensor)
    if target.kind in "iu":
        _check_range(array, target, port.border.tensor)
    return array.astype(target)


def _dtype(name: str) -> np.dtype[Any]:
    try:
        return dtype_by_name(name)
    except ValueError as error:
        raise AutosplitError(f"{error}, which the record names") from None


def _exact_floats(array: Array, name: str) -> Array:
    if array.dtype.kind in "iu" and array.dtype.itemsize > 2 and array.size:
        info = np.iinfo(array.dtype.name)
        if int(array.min()) < -EXACT or int(array.max()) > EXACT:
            inexact = array[(array != info.min) & (array != info.max)]
            sizes = np.abs(inexact).astype(np.uint64)
            # What is left without the zeros at its end must fit into the 24 bits.
            lowest = np.maximum(sizes & (~sizes + np.uint64(1)), np.uint64(1))
            inexact = inexact[sizes // lowest > EXACT]
            if inexact.size:
                raise AutosplitError(
                    f"tensor {name!r}: the TPU's floats cannot hold the integer {inexact[0]} exactly; keep"
                    " the ops that take it on the CPU (split --pin)"
                )
    return array.astype(np.float32)


def _saturated(values: Array, dtype: np.dtype[Any], name: str) -> Array:
    if np.any(np.isnan(values)):
        raise AutosplitError(f"tensor {name!r}: is NaN on the TPU where {dtype.name} is expected")
    info = np.iinfo(dtype)
    clipped = np.clip(values, float(info.min), float(info.max)).astype(np.float64)
    # The largest 64-bit integers are not floats: what would pass them is set to them.
    with np.errstate(invalid="ignore"):
        integers = clipped.astype(dtype)
    return np.where(clipped >= float(info.max), info.max, integers).astype(dtype)


def _check_range(array: Array, dtype: np.dtype[Any], name: str) -> None:
    info = np.iinfo(dtype)
    if array.size and (int(array.min()) < info.min or int(array.max()) > info.max):
        raise AutosplitError(
            f"tensor {name!r}: found integers from {array.min()} to {array.max()}, which do not fit into the"
            f" {dtype.name} that the bmodel has"
        )
