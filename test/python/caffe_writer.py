"""Caffe networks for tests: written layer by layer, with weights that are the same in every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from autosplit.formats.caffe.proto import new_net

Array: TypeAlias = NDArray[np.float32]


class NetWriter:
    """Writes a network: `layer` adds one that reads the blobs it is given, and returns the one it makes.

    net = NetWriter()
    x = net.input("data", 1, 3, 224, 224)
    net.layer("Convolution", x, "convolution_param { num_output: 8 kernel_size: 3 }", [weight, bias])
    net.save(folder / "net.prototxt", folder / "net.caffemodel")
    """

    def __init__(self, seed: int = 0):
        self.text = 'name: "net"\n'
        self.weights: dict[str, Sequence[Array]] = {}
        self.sizes: dict[str, tuple[int, ...]] = {}
        self.random = np.random.default_rng(seed)

    def input(self, name: str, *sizes: int) -> str:
        """An input of these sizes."""
        dims = " ".join(f"dim: {d}" for d in sizes)
        self.text += (
            f'layer {{ name: "{name}" type: "Input" top: "{name}" '
            f"input_param {{ shape {{ {dims} }} }} }}\n"
        )
        return name

    def layer(
        self,
        kind: str,
        bottoms: str | Sequence[str],
        params: str = "",
        weights: Sequence[Array] = (),
        *,
        name: str = "",
        tops: Sequence[str] = (),
    ) -> str:
        """A layer; its first blob. It is called after its type and place unless `name` says otherwise."""
        name = name or f"{kind.lower()}{self.text.count('layer {')}"
        read = [bottoms] if isinstance(bottoms, str) else bottoms
        lines = [f'bottom: "{b}"' for b in read] + [f'top: "{t}"' for t in tops or [name]]
        self.text += f'layer {{ name: "{name}" type: "{kind}" {" ".join(lines)} {params} }}\n'
        if weights:
            self.weights[name] = weights
        return (tops or [name])[0]

    def floats(self, *sizes: int, low: float = -1.0, high: float = 1.0) -> Array:
        """Numbers between two others."""
        return self.random.uniform(low, high, sizes).astype(np.float32)

    def conv(
        self, bottom: str, channels: int, outputs: int, kernel: int, stride: int = 1, pad: int = 0
    ) -> str:
        """A convolution with a bias, of weights that keep the magnitude of what it reads."""
        scale = (3 / (channels * kernel * kernel)) ** 0.5
        weight = self.floats(outputs, channels, kernel, kernel) * np.float32(scale)
        sizes = f"num_output: {outputs} kernel_size: {kernel} stride: {stride} pad: {pad}"
        bias = self.floats(outputs, low=-0.1, high=0.1)
        return self.layer("Convolution", bottom, f"convolution_param {{ {sizes} }}", [weight, bias])

    def normalized(self, bottom: str, channels: int) -> str:
        """A BatchNorm and a Scale, both in place."""
        own = [self.floats(channels, low=-9, high=9), self.floats(channels, low=40, high=99)]
        self.layer("BatchNorm", bottom, weights=[*own, np.array([50], np.float32)], tops=[bottom])
        factors = [self.floats(channels, low=0.5, high=1.5), self.floats(channels)]
        return self.layer(
            "Scale", bottom, "scale_param { bias_term: true }", factors, tops=[bottom]
        )

    def relu(self, bottom: str) -> str:
        """A ReLU in place."""
        return self.layer("ReLU", bottom, tops=[bottom])

    def save(self, prototxt: Path, caffemodel: Path) -> None:
        """Writes both files."""
        prototxt.write_text(self.text, encoding="utf-8")
        caffemodel.write_bytes(caffemodel_bytes(self.weights))


def caffemodel_bytes(weights: Mapping[str, Sequence[Any]]) -> bytes:
    """A caffemodel with the weights of these layers."""
    net = new_net()
    net.name = "net"
    for name, arrays in weights.items():
        layer = net.layer.add()
        layer.name = name
        for array in arrays:
            blob = layer.blobs.add()
            blob.shape.dim.extend(array.shape)
            blob.data.append(np.ascontiguousarray(array, "<f4").tobytes())
    if not weights:
        net.layer.add().name = "none"
    return net.SerializeToString(deterministic=True)
