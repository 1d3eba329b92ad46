"""The networks of a bmodel, and what a folder calls their inputs and outputs; the standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from autosplit.core.errors import AutosplitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


@dataclass(frozen=True)
class RawPicture:
    """What a network makes of the bytes of a picture, which it takes in place of the folder's numbers.

    `numbers = (bytes - mean) * scale`
    """

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    """One for each channel, in the order `color`, as `mean`."""
    color: str
    """The order of the folder's channels: `rgb` or `bgr`."""
    given: str
    """The order of the network's channels, which are the last axis there."""
    last: bool
    """Whether the folder's channels are the last axis, too."""


@dataclass(frozen=True)
class NetworkPort:
    """An input or output of a compiled sub-model, as the record of its compilation has it."""

    tensor: str
    """What the folder calls it."""
    name: str
    """What the network calls it, before a suffix of the compiler's such as `_f32`."""
    shape: tuple[int, ...]
    """The largest sizes, where they vary."""
    dtype: str
    """numpy's name of the folder's dtype."""
    network_dtype: str = "float32"
    """What the network takes or gives; `int8` or `uint8` where the value crosses as integers."""
    step: float = 0.0
    """Where the folder's integers stand for real numbers, which the network has: what 1 stands for."""
    zero_point: int = 0
    """Which integer of the folder's stands for 0 then."""
    reason: str = ""
    """Why such a value crosses as float32 all the same; empty if it does not."""
    raw: RawPicture | None = None
    """Where the network takes the bytes of pictures: what it makes of them."""
    network_step: float = 0.0
    """At the model's own ends after `convert --io int8`: what 1 of the network's integers stands for."""
    network_zero_point: int = 0
    """Which of the network's integers stands for 0 then."""

    @property
    def network_shape(self) -> tuple[int, ...]:
        """The shape of what the network takes or gives."""
        if self.raw is None or self.raw.last:
            return self.shape
        batch, channels, height, width = self.shape
        return batch, height, width, channels


@dataclass(frozen=True)
class BmodelTensor:
    """An input or output of a network, as the bmodel has it."""

    name: str
    dtype: str
    """numpy's name, `bfloat16`, or `int4` and `uint4`, which cannot be passed."""
    shapes: tuple[tuple[int, ...], ...]
    """One for each stage; the largest ones where the network is dynamic."""
    scale: float
    zero_point: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first stage."""
        return self.shapes[0]


@dataclass(frozen=True)
class BmodelNetwork:
    """A network of a bmodel."""

    name: str
    is_dynamic: bool
    inputs: tuple[BmodelTensor, ...]
    outputs: tuple[BmodelTensor, ...]


def read_network(entry: Mapping[str, Any]) -> BmodelNetwork:
    """A network as `bmodel_child` describes it."""

    def tensors(listed: list[dict[str, Any]]) -> tuple[BmodelTensor, ...]:
        return tuple(
            BmodelTensor(
                t["name"], t["dtype"], tuple(map(tuple, t["shapes"])), t["scale"], t["zero_point"]
            )
            for t in listed
        )

    return BmodelNetwork(
        entry["name"], entry["is_dynamic"], tensors(entry["inputs"]), tensors(entry["outputs"])
    )


def find_network(
    bmodel: object, networks: Sequence[BmodelNetwork], name: str | None
) -> BmodelNetwork:
    """The network of that name; None is the only one. Raises AutosplitError if there is none."""
    if len(networks) == 1 and name is None:
        return networks[0]
    for network in networks:
        if network.name == name:
            return network
    names = ", ".join(network.name for network in networks)
    wanted = "one" if name is None else repr(name)
    raise AutosplitError(f"{bmodel}: has the networks {names}, expected {wanted}")
