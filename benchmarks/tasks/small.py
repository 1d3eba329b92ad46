"""Small networks that are made here: digits that numpy learns, and architectures with random weights.

Of those with random weights the classes mean nothing. What is compared is which of them is the largest at
each place of the output, as a task would ask.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto
from onnx.utils import Extractor

from autosplit.testing.networks.builder import Net, build
from autosplit.testing.networks.digits import digits, train_network
from autosplit.testing.quantize import of_fixed_sizes
from tasks.pictures import scene
from tasks.task import Array, Count, Run, planes

SIDE = 64
CLASSES = 12


class Digit:
    """A network that was trained to read handwritten digits of 8 by 8."""

    name = "digits"
    networks: dict[str, str] = {}
    fixed = True

    def __init__(self, kind: str):
        self.kind = kind

    def model(self) -> ModelProto:
        model = train_network(self.kind, digits()[0]).to_onnx()
        return of_fixed_sizes(model, {"image": np.zeros((1, 1, 8, 8), np.float32)})

    def calibration(self) -> list[Array]:
        return [np.uint8(np.rint(image[0] * 255)) for image in digits()[0].images[:32]]

    def held_out(self) -> list[Array]:
        return [np.uint8(np.rint(image[0] * 255)) for image in digits()[1].images[:64]]

    def solve(self, sample: Array, run: Run) -> int:
        (made,) = run(f"digits_{self.kind}", {"image": self._pixels(sample)}).values()
        return int(made.argmax())

    def _pixels(self, sample: Array) -> Array:
        return (sample.astype(np.float32) * np.float32(1 / 255)).reshape(1, 1, 8, 8)

    def same(self, found: int, wanted: int) -> Count:
        # What is read as another one is missing; it is no more than there is.
        return Count(int(found == wanted), 1, int(found == wanted))

    def truth(self, sample: Array) -> None:
        return None


class Neighbour(Digit):
    """What that network reads a digit by, as an embedding: which of ten other pictures is the nearest."""

    name = "neighbours"

    def model(self) -> ModelProto:
        model = super().model()
        *_, classifier = (n for n in model.graph.node if n.op_type in ("Gemm", "MatMul"))
        return Extractor(model).extract_model(["image"], [classifier.input[0]])

    def solve(self, sample: Array, run: Run) -> int:
        pictures = [sample, *self.calibration()[:10]]
        vectors = [self._embedded(picture, run) for picture in pictures]
        return int(np.argmax([vectors[0] @ other for other in vectors[1:]]))

    def _embedded(self, sample: Array, run: Run) -> Array:
        (made,) = run("digits_embedding", {"image": self._pixels(sample)}).values()
        vector = made.reshape(-1).astype(np.float64)
        return vector / max(np.linalg.norm(vector), 1e-12)


class Places:
    """A network with random weights; the largest number at each place of its output."""

    networks: dict[str, str] = {}
    fixed = True

    def __init__(self, network: str, write: Callable[[Net], None], what: str, axis: int):
        self.network = network
        self.write = write
        self.name = what
        self.axis = axis

    def model(self) -> ModelProto:
        return build(self.network, self.write, {"image": self._pixels(self.calibration()[0])})

    def calibration(self) -> list[Array]:
        return [scene("calibration", seed, SIDE, SIDE) for seed in range(12)]

    def held_out(self) -> list[Array]:
        return [scene("held out", seed, SIDE, SIDE) for seed in range(100, 108)]

    def _pixels(self, sample: Array) -> Array:
        return planes(sample, 127.5, 127.5)

    def solve(self, sample: Array, run: Run) -> Array:
        (made,) = run(self.network, {"image": self._pixels(sample)}).values()
        return made.argmax(axis=self.axis).reshape(-1)

    def same(self, found: Array, wanted: Array) -> Count:
        same = int((found == wanted).sum())
        # What is another class is missing; it is no more than there is.
        return Count(same, wanted.size, same)

    def truth(self, sample: Array) -> None:
        return None


def _relu(n: Net, x: str) -> str:
    return n.op("Relu", x)


def segmenter(n: Net) -> None:
    """A U-Net of three levels."""
    x = _relu(n, n.conv(n.input("image", (1, 3, SIDE, SIDE)), 3, 16, 3))
    passed: list[tuple[str, int]] = []
    for width in (16, 32):
        passed.append((x, width))
        x = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        x = _relu(n, n.conv(x, width, 2 * width, 3))
    for across, width in reversed(passed):
        up = n.conv(x, 2 * width, width, 2, stride=2, transposed=True, norm=False)
        x = _relu(n, n.conv(n.op("Concat", across, up, axis=1), 2 * width, width, 3))
    n.output(n.conv(x, 16, CLASSES, norm=False), "classes")


def poser(n: Net) -> None:
    """Down by convolutions with residues, up by transposed ones, to a map for each joint."""
    x = _relu(n, n.conv(n.input("image", (1, 3, SIDE, SIDE)), 3, 24, 3, stride=2))
    for inner, outer in ((24, 48), (48, 96)):
        x = _relu(n, n.conv(x, inner, outer, 3, stride=2))
        x = _relu(n, n.op("Add", x, n.conv(_relu(n, n.conv(x, outer, outer, 3)), outer, outer, 3)))
    for inner, outer in ((96, 48), (48, 32)):
        x = _relu(n, n.conv(x, inner, outer, 4, stride=2, pad=1, transposed=True))
    maps = n.conv(x, 32, CLASSES, norm=False)
    n.output(n.reshape(maps, 1, CLASSES, SIDE * SIDE // 4), "joints")


def encoder(n: Net, width: int = 96, heads: int = 4, count: int = 64) -> None:
    """Patches of 8 by 8 and four layers of attention (ViT)."""
    x = n.conv(n.input("image", (1, 3, SIDE, SIDE)), 3, width, 8, stride=8, pad=0, norm=False)
    x = n.transpose(n.reshape(x, 1, width, count), 0, 2, 1)
    x = n.op("Add", x, n.normal(1, count, width, deviation=0.2))
    deep = width // heads
    for _ in range(4):
        y = n.layer_norm(x, width)
        query, key, value = (
            n.transpose(n.reshape(n.linear(y, width, width), 1, count, heads, deep), *order)
            for order in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
        )
        scores = n.op("Mul", n.op("MatMul", query, key), float(deep**-0.5))
        y = n.op("MatMul", n.op("Softmax", scores, axis=-1), value)
        y = n.reshape(n.transpose(y, 0, 2, 1, 3), 1, count, width)
        x = n.op("Add", x, n.linear(y, width, width))
        y = n.gelu(n.linear(n.layer_norm(x, width), width, 2 * width))
        x = n.op("Add", x, n.linear(y, 2 * width, width))
    n.output(n.linear(n.layer_norm(x, width), width, CLASSES), "tokens")


def reader(n: Net, hidden: int = 48) -> None:
    """Convolutions, then an LSTM both ways along the columns (CRNN)."""
    x = n.input("image", (1, 3, SIDE, SIDE))
    inner = 3
    for outer, stride in ((16, 2), (32, 2), (48, 1)):
        x = _relu(n, n.conv(x, inner, outer, 3, stride=stride))
        inner = outer
    x = n.op("AveragePool", x, kernel_shape=[16, 1], strides=[16, 1])
    x = n.transpose(n.reshape(x, 1, inner, 16), 2, 0, 1)
    deviation = hidden**-0.5
    weights = [n.normal(2, 4 * hidden, size, deviation=deviation) for size in (inner, hidden)]
    bias = n.normal(2, 8 * hidden, deviation=0.1)
    y = n.op("LSTM", x, *weights, bias, hidden_size=hidden, direction="bidirectional")
    y = n.reshape(n.transpose(y, 0, 2, 1, 3), 1, 16, 2 * hidden)
    n.output(n.linear(y, 2 * hidden, CLASSES), "steps")


def keras(n: Net) -> None:
    """As Keras exports a MobileNet: channels last outside, `x * a + b`, a Pad, depthwise convolutions."""
    x = n.transpose(n.input("image", (1, 3, SIDE, SIDE)), 0, 2, 3, 1)
    x = n.op("Add", n.op("Mul", x, 0.5), 0.1)
    x = n.transpose(x, 0, 3, 1, 2)
    x = _six(n, n.conv(_padded(n, x), 3, 16, 3, stride=2, pad=0))
    inner = 16
    for outer, stride in ((32, 1), (48, 2), (48, 1), (96, 2)):
        pad, x = (0, _padded(n, x)) if stride == 2 else (1, x)
        x = _six(n, n.conv(x, inner, inner, 3, stride=stride, groups=inner, pad=pad))
        x = _six(n, n.conv(x, inner, outer))
        inner = outer
    n.output(n.conv(x, inner, CLASSES, norm=False), "places")


def _padded(n: Net, x: str) -> str:
    return n.op("Pad", x, np.array([0, 0, 0, 0, 0, 0, 1, 1], np.int64))


def _six(n: Net, x: str) -> str:
    return n.op("Clip", x, 0.0, 6.0)


AROUND_0 = "mean=127.5,scale=1/127.5"
"""Pictures from -1 to 1."""

SMALL = {
    "digits_cnn": ("classifier (digits, trained here)", Digit("cnn"), "scale=1/255"),
    "digits_embedding": (
        "embedding (of digits, trained here)",
        Neighbour("cnn"),
        "scale=1/255",
    ),
    "keras": (
        "Keras MobileNet (random weights)",
        Places("keras", keras, "places", 1),
        AROUND_0,
    ),
    "segmenter": (
        "segmentation (U-Net, random weights)",
        Places("segmenter", segmenter, "pixels", 1),
        AROUND_0,
    ),
    "poser": (
        "pose (maps of joints, random weights)",
        Places("poser", poser, "joints", 2),
        AROUND_0,
    ),
    "encoder": (
        "transformer encoder (random weights)",
        Places("encoder", encoder, "tokens", 2),
        AROUND_0,
    ),
    "crnn": (
        "OCR with LSTM (CRNN, random weights)",
        Places("crnn", reader, "steps", 2),
        AROUND_0,
    ),
}
"""By name: the kind, the task, what becomes of pictures."""
