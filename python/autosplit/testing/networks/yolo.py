"""YOLOv8n with its detection head, as ultralytics exports it."""

from __future__ import annotations

import numpy as np

from autosplit.testing.networks.builder import Array, Net

CLASSES = 80
BINS = 16
"""Of the distribution that stands for each side of a box."""


def yolov8n(n: Net, size: int = 640) -> None:
    x = n.input("images", (1, 3, size, size))
    x = _conv(n, _conv(n, x, 3, 16, 3, 2), 16, 32, 3, 2)
    x = _conv(n, _c2f(n, x, 32, 32, 1, sums=True), 32, 64, 3, 2)
    fine = _c2f(n, x, 64, 64, 2, sums=True)
    middle = _c2f(n, _conv(n, fine, 64, 128, 3, 2), 128, 128, 2, sums=True)
    x = _c2f(n, _conv(n, middle, 128, 256, 3, 2), 256, 256, 1, sums=True)
    coarse = _pyramid_pool(n, x)
    up = n.op("Concat", _doubled(n, coarse), middle, axis=1)
    between = _c2f(n, up, 384, 128, 1)
    up = n.op("Concat", _doubled(n, between), fine, axis=1)
    first = _c2f(n, up, 192, 64, 1)
    down = n.op("Concat", _conv(n, first, 64, 64, 3, 2), between, axis=1)
    second = _c2f(n, down, 192, 128, 1)
    down = n.op("Concat", _conv(n, second, 128, 128, 3, 2), coarse, axis=1)
    third = _c2f(n, down, 384, 256, 1)
    n.output(_detections(n, [(first, 64), (second, 128), (third, 256)], size), "output0")


def _conv(n: Net, x: str, inner: int, outer: int, kernel: int = 1, stride: int = 1) -> str:
    return n.silu(n.conv(x, inner, outer, kernel, stride=stride))


def _c2f(n: Net, x: str, inner: int, outer: int, blocks: int, *, sums: bool = False) -> str:
    half = outer // 2
    x = _conv(n, x, inner, outer)
    parts = n.ops("Split", 2, x, np.array([half, half]), axis=1)
    for _ in range(blocks):
        y = _conv(n, _conv(n, parts[-1], half, half, 3), half, half, 3)
        parts.append(n.op("Add", parts[-1], y) if sums else y)
    return _conv(n, n.op("Concat", *parts, axis=1), half * len(parts), outer)


def _pyramid_pool(n: Net, x: str) -> str:
    parts = [_conv(n, x, 256, 128)]
    for _ in range(3):
        parts.append(
            n.op("MaxPool", parts[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2])
        )
    return _conv(n, n.op("Concat", *parts, axis=1), 512, 256)


def _doubled(n: Net, x: str) -> str:
    scales = n.constant(np.array([1, 1, 2, 2], np.float32), "scales")
    return n.op(
        "Resize",
        x,
        "",
        scales,
        coordinate_transformation_mode="asymmetric",
        mode="nearest",
        nearest_mode="floor",
    )


def _detections(n: Net, levels: list[tuple[str, int]], size: int) -> str:
    flat: list[str] = []
    for x, width in levels:
        boxes = _conv(n, _conv(n, x, width, 64, 3), 64, 64, 3)
        boxes = n.conv(boxes, 64, 4 * BINS, norm=False)
        scores = _conv(n, _conv(n, x, width, CLASSES, 3), CLASSES, CLASSES, 3)
        scores = n.conv(scores, CLASSES, CLASSES, norm=False)
        joined = n.op("Concat", boxes, scores, axis=1)
        flat.append(n.reshape(joined, 1, 4 * BINS + CLASSES, -1))
    joined = n.op("Concat", *flat, axis=2)
    sides, scores = n.ops("Split", 2, joined, np.array([4 * BINS, CLASSES]), axis=1)
    return n.op("Concat", _boxes(n, sides, size), n.op("Sigmoid", scores), axis=1)


def _boxes(n: Net, sides: str, size: int) -> str:
    """The distances to the four sides, each the mean of a distribution, and from them the boxes."""
    anchors, strides = _anchors(size)
    x = n.transpose(n.reshape(sides, 1, 4, BINS, anchors.shape[-1]), 0, 2, 1, 3)
    bins = np.arange(BINS, dtype=np.float32).reshape(1, BINS, 1, 1)
    mean = n.op("Conv", n.op("Softmax", x, axis=1), n.constant(bins), kernel_shape=[1, 1])
    x = n.reshape(mean, 1, 4, anchors.shape[-1])
    near = n.op("Slice", x, np.array([0]), np.array([2]), np.array([1]))
    far = n.op("Slice", x, np.array([2]), np.array([4]), np.array([1]))
    places = n.constant(anchors, "anchors")
    start, end = n.op("Sub", places, near), n.op("Add", places, far)
    centre = n.op("Div", n.op("Add", start, end), 2.0)
    boxes = n.op("Concat", centre, n.op("Sub", end, start), axis=1)
    return n.op("Mul", boxes, n.constant(strides, "strides"))


def _anchors(size: int) -> tuple[Array, Array]:
    """The centres of the cells of all levels, [1, 2, n], and the sizes of the cells, [1, n]."""
    places: list[Array] = []
    strides: list[Array] = []
    for stride in (8, 16, 32):
        cells = np.arange(size // stride, dtype=np.float32) + 0.5
        y, x = np.meshgrid(cells, cells, indexing="ij")
        places.append(np.stack([x.ravel(), y.ravel()]))
        strides.append(np.full(x.size, stride, np.float32))
    return np.concatenate(places, axis=1)[np.newaxis], np.concatenate(strides)[np.newaxis]
