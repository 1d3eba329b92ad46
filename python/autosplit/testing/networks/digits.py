"""Handwritten digits, and two small networks that numpy trains to read them: a figure for accuracy.

train, test = digits()
network = train_network("cnn", train)
model = network.to_onnx()
right = top1(network.logits(test.images), test)
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from onnx import ModelProto

from autosplit.testing.models import model_path
from autosplit.testing.networks.builder import Net, build

Floats = NDArray[np.float32]
Weights = dict[str, Floats]
Grads = dict[str, Floats]

BATCH = 64
RATE = 3e-3
"""Of Adam."""


@dataclass(frozen=True)
class Digits:
    """Pictures of 8 by 8, from 0 to 1, and the digits that they show."""

    images: Floats
    labels: NDArray[np.int64]


def digits() -> tuple[Digits, Digits]:
    """899 to learn from and 898 to be tested on, shuffled, of scikit-learn's digits.

    Raises ModelUnavailable if they cannot be downloaded.
    """
    with gzip.open(model_path("digits.csv.gz"), "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.float32)
    rows = cast("Floats", np.random.default_rng(0).permutation(rows))
    images = (rows[:, :64] / 16).reshape(-1, 1, 8, 8)
    labels = rows[:, 64].astype(np.int64)
    return Digits(images[::2], labels[::2]), Digits(images[1::2], labels[1::2])


def top1(logits: NDArray[Any], expected: Digits) -> float:
    """The share of the pictures whose largest logit is that of the digit."""
    is_right: Any = logits.argmax(axis=1) == expected.labels
    return float(is_right.mean())


def _normal(random: np.random.Generator, fan: int, *shape: int) -> Floats:
    return (random.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)


class DigitNetwork:
    """Weights by name, the logits that they compute, and the gradients."""

    epochs: ClassVar[int]
    """How often training sees each picture."""
    weights: Weights

    def logits(self, images: Floats) -> Floats:
        raise NotImplementedError

    def gradients(self, images: Floats, labels: NDArray[np.int64]) -> Grads:
        """Of the mean cross entropy."""
        raise NotImplementedError

    def write(self, net: Net) -> None:
        """As ONNX: `image` to `logits`."""
        raise NotImplementedError

    def to_onnx(self) -> ModelProto:
        """The network as a file has it; the number of pictures is open."""
        model = build("digits", self.write, {"image": np.zeros((1, 1, 8, 8), np.float32)})
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "pictures"
        return model


def _slope(logits: Floats, labels: NDArray[np.int64]) -> Floats:
    """The gradient of the mean cross entropy with respect to the logits."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(labels)), labels] -= 1
    return shares / np.float32(len(labels))


class Mlp(DigitNetwork):
    """Two layers, 64 numbers between them."""

    epochs = 40

    def __init__(self, random: np.random.Generator):
        self.weights = {
            "w1": _normal(random, 64, 64, 64),
            "b1": np.zeros(64, np.float32),
            "w2": _normal(random, 64, 64, 10),
            "b2": np.zeros(10, np.float32),
        }

    def _hidden(self, images: Floats) -> Floats:
        w = self.weights
        return np.maximum(images.reshape(-1, 64) @ w["w1"] + w["b1"], 0)

    def logits(self, images: Floats) -> Floats:
        return self._hidden(images) @ self.weights["w2"] + self.weights["b2"]

    def gradients(self, images: Floats, labels: NDArray[np.int64]) -> Grads:
        hidden = self._hidden(images)
        out = _slope(hidden @ self.weights["w2"] + self.weights["b2"], labels)
        back = (out @ self.weights["w2"].T) * (hidden > 0)
        return {
            "w1": images.reshape(-1, 64).T @ back,
            "b1": back.sum(axis=0),
            "w2": hidden.T @ out,
            "b2": out.sum(axis=0),
        }

    def write(self, net: Net) -> None:
        w = self.weights
        x = net.op("Flatten", net.input("image", (1, 1, 8, 8)))
        x = net.op("Relu", net.op("Gemm", x, w["w1"], w["b1"]))
        net.output(net.op("Gemm", x, w["w2"], w["b2"]), "logits")


def _columns(images: Floats) -> Floats:
    """The window of a kernel of 3 by 3 at each place: [picture, row, column, 9 * channels]."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows: Floats = cast("Any", sliding_window_view)(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(*_places(images), -1)


def _places(images: Floats) -> tuple[int, int, int]:
    return images.shape[0], images.shape[2], images.shape[3]


class Cnn(DigitNetwork):
    """Two convolutions, a pool and a layer."""

    epochs = 12

    def __init__(self, random: np.random.Generator):
        self.weights = {
            "w1": _normal(random, 9, 8, 1, 3, 3),
            "b1": np.zeros(8, np.float32),
            "w2": _normal(random, 72, 16, 8, 3, 3),
            "b2": np.zeros(16, np.float32),
            "w3": _normal(random, 256, 256, 10),
            "b3": np.zeros(10, np.float32),
        }

    def _convolved(self, columns: Floats, number: int) -> Floats:
        """With a ReLU; channels second."""
        weights = self.weights[f"w{number}"]
        sums = columns @ weights.reshape(len(weights), -1).T + self.weights[f"b{number}"]
        return np.maximum(sums, 0).transpose(0, 3, 1, 2)

    def logits(self, images: Floats) -> Floats:
        second = self._convolved(_columns(self._convolved(_columns(images), 1)), 2)
        pooled = _fields(second).max(axis=-1)
        return pooled.reshape(len(images), -1) @ self.weights["w3"] + self.weights["b3"]

    def gradients(self, images: Floats, labels: NDArray[np.int64]) -> Grads:
        count, w = len(images), self.weights
        windows = _columns(images)
        first = self._convolved(windows, 1)
        second_windows = _columns(first)
        second = self._convolved(second_windows, 2)
        fields = _fields(second)
        pooled = fields.max(axis=-1, keepdims=True)
        flat = pooled.reshape(count, -1)
        out = _slope(flat @ w["w3"] + w["b3"], labels)
        # Back to the largest of each field, and on to the input of the second convolution.
        back = (out @ w["w3"].T).reshape(pooled.shape) * (fields == pooled)
        back = back.reshape(count, 16, 4, 4, 2, 2).transpose(0, 1, 2, 4, 3, 5)
        back = back.reshape(second.shape) * (second > 0)
        rows = back.transpose(0, 2, 3, 1).reshape(-1, 16)
        turned = w["w2"][:, :, ::-1, ::-1].transpose(1, 0, 2, 3).reshape(8, -1)
        before = (_columns(back) @ turned.T).transpose(0, 3, 1, 2) * (first > 0)
        rows_before = before.transpose(0, 2, 3, 1).reshape(-1, 8)
        return {
            "w1": (rows_before.T @ windows.reshape(-1, 9)).reshape(w["w1"].shape),
            "b1": rows_before.sum(axis=0),
            "w2": (rows.T @ second_windows.reshape(-1, 72)).reshape(w["w2"].shape),
            "b2": rows.sum(axis=0),
            "w3": flat.T @ out,
            "b3": out.sum(axis=0),
        }

    def write(self, net: Net) -> None:
        w = self.weights
        x = net.input("image", (1, 1, 8, 8))
        for number in (1, 2):
            x = net.op("Conv", x, w[f"w{number}"], w[f"b{number}"], pads=[1, 1, 1, 1])
            x = net.op("Relu", x)
        x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        net.output(net.op("Gemm", net.op("Flatten", x), w["w3"], w["b3"]), "logits")


def _fields(images: Floats) -> Floats:
    """Fields of 2 by 2, their numbers last."""
    count, channels, rows, columns = images.shape
    split = images.reshape(count, channels, rows // 2, 2, columns // 2, 2)
    return split.transpose(0, 1, 2, 4, 3, 5).reshape(count, channels, rows // 2, columns // 2, 4)


DIGIT_NETWORKS: Mapping[str, Callable[[np.random.Generator], DigitNetwork]] = {
    "cnn": Cnn,
    "mlp": Mlp,
}


def train_network(name: str, data: Digits, seed: int = 1) -> DigitNetwork:
    """A network of DIGIT_NETWORKS, trained; the same for one seed."""
    random = np.random.default_rng(seed)
    network = DIGIT_NETWORKS[name](random)
    weights = network.weights
    means = {k: np.zeros_like(w) for k, w in weights.items()}
    squares = {k: np.zeros_like(w) for k, w in weights.items()}
    step = 0
    for _ in range(network.epochs):
        order = random.permutation(len(data.images))
        for start in range(0, len(order), BATCH):
            step += 1
            batch = order[start : start + BATCH]
            for k, g in network.gradients(data.images[batch], data.labels[batch]).items():
                means[k] += np.float32(0.1) * (g - means[k])
                squares[k] += np.float32(0.001) * (g * g - squares[k])
                mean, square = means[k] / (1 - 0.9**step), squares[k] / (1 - 0.999**step)
                weights[k] -= (RATE * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
    return network
