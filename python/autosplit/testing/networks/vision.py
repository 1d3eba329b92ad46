"""Pictures seen with attention, or as if: ViT-small, Swin-tiny, ConvNeXt-tiny."""

from __future__ import annotations

import numpy as np

from autosplit.testing.networks.builder import Array, Net

WINDOW = 7
"""Places on a side of the squares that Swin looks at."""


def convnext_tiny(n: Net) -> None:
    """As torchvision has it: the norm and the two linear layers of a block see channels last."""
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, 96, 4, stride=4, pad=0, norm=False)
    x = _channels_normed(n, x, 96)
    for stage, blocks in enumerate((3, 3, 9, 3)):
        width = 96 << stage
        if stage:
            x = _channels_normed(n, x, width // 2)
            x = n.conv(x, width // 2, width, 2, stride=2, pad=0, norm=False)
        for _ in range(blocks):
            y = n.conv(x, width, width, 7, groups=width, norm=False)
            y = n.layer_norm(n.transpose(y, 0, 2, 3, 1), width)
            y = _mlp(n, y, width)
            scale = n.uniform(0.1, 0.5, width).reshape(width, 1, 1)
            x = n.op("Add", n.op("Mul", n.transpose(y, 0, 3, 1, 2), scale), x)
    x = _channels_normed(n, n.op("GlobalAveragePool", x), 768)
    n.output(n.linear(n.op("Flatten", x, axis=1), 768, 1000, gemm=True), "scores")


def _channels_normed(n: Net, x: str, width: int) -> str:
    y = n.layer_norm(n.transpose(x, 0, 2, 3, 1), width)
    return n.transpose(y, 0, 3, 1, 2)


def _mlp(n: Net, x: str, width: int) -> str:
    return n.linear(n.gelu(n.linear(x, width, 4 * width)), 4 * width, width)


def vit_small(n: Net, width: int = 384, heads: int = 6) -> None:
    """Patches of 16, as timm has it: query, key and value are one linear layer."""
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, width, 16, stride=16, pad=0, norm=False)
    x = n.transpose(n.reshape(x, 1, width, 196), 0, 2, 1)
    x = n.op("Concat", n.constant(n.normal(1, 1, width, deviation=0.02), "class"), x, axis=1)
    x = n.op("Add", x, n.constant(n.normal(1, 197, width, deviation=0.2), "places"))
    for _ in range(12):
        y = _attention(n, n.layer_norm(x, width), 1, 197, width, heads)
        x = n.op("Add", x, n.linear(y, width, width))
        x = n.op("Add", x, _mlp(n, n.layer_norm(x, width), width))
    first = n.op("Gather", n.layer_norm(x, width), n.constant(0), axis=1)
    n.output(n.linear(first, width, 1000, gemm=True), "scores")


def _attention(n: Net, x: str, batch: int, length: int, width: int, heads: int, *added: str) -> str:
    """Softmax(q k + added...) v, of one linear layer that makes q, k and v."""
    size = width // heads
    y = n.reshape(n.linear(x, width, 3 * width), batch, length, 3, heads, size)
    y = n.transpose(y, 2, 0, 3, 1, 4)
    query, key, value = (n.op("Gather", y, n.constant(i), axis=0) for i in range(3))
    query = n.op("Mul", query, float(size**-0.5))
    scores = n.op("MatMul", query, n.transpose(key, 0, 1, 3, 2))
    for term in added:
        scores = n.op("Add", scores, term)
    y = n.op("MatMul", n.op("Softmax", scores, axis=-1), value)
    return n.reshape(n.transpose(y, 0, 2, 1, 3), batch, length, width)


def swin_tiny(n: Net) -> None:
    """As torchvision has it: windows of 7 x 7, moved by 3 in every second block."""
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, 96, 4, stride=4, pad=0, norm=False)
    x = n.layer_norm(n.transpose(x, 0, 2, 3, 1), 96)
    side = 56
    for stage, (blocks, heads) in enumerate(((2, 3), (2, 6), (6, 12), (2, 24))):
        width = 96 << stage
        for block in range(blocks):
            shift = WINDOW // 2 if block % 2 and side > WINDOW else 0
            y = _windows(n, n.layer_norm(x, width), side, width, heads, shift)
            x = n.op("Add", x, y)
            x = n.op("Add", x, _mlp(n, n.layer_norm(x, width), width))
        if stage < 3:
            x, side = _merged(n, x, width), side // 2
    x = n.transpose(n.layer_norm(x, 768), 0, 3, 1, 2)
    flat = n.op("Flatten", n.op("GlobalAveragePool", x), axis=1)
    n.output(n.linear(flat, 768, 1000, gemm=True), "scores")


def _windows(n: Net, x: str, side: int, width: int, heads: int, shift: int) -> str:
    count, length = side // WINDOW, WINDOW * WINDOW
    x = _rolled(n, x, shift, side)
    x = n.reshape(x, 1, count, WINDOW, count, WINDOW, width)
    x = n.reshape(n.transpose(x, 0, 1, 3, 2, 4, 5), count * count, length, width)
    table = n.normal((2 * WINDOW - 1) ** 2, heads, deviation=0.2)
    bias = table[_places_apart()].reshape(length, length, heads).transpose(2, 0, 1)
    added = [n.constant(bias[np.newaxis], "bias")]
    if shift:
        # One mask for each window, as the parts of the picture that it joins are not neighbours.
        added.append(n.constant(_strangers(side, shift)[:, np.newaxis], "mask"))
    y = n.linear(_attention(n, x, count * count, length, width, heads, *added), width, width)
    y = n.reshape(y, 1, count, count, WINDOW, WINDOW, width)
    y = n.reshape(n.transpose(y, 0, 1, 3, 2, 4, 5), 1, side, side, width)
    return _rolled(n, y, side - shift if shift else 0, side)


def _rolled(n: Net, x: str, shift: int, side: int) -> str:
    """The picture moved up and left by `shift`, what falls out coming in on the other side."""
    for axis in (1, 2) if shift else ():
        parts = [
            n.op("Slice", x, np.array([a]), np.array([b]), np.array([axis]))
            for a, b in ((shift, side), (0, shift))
        ]
        x = n.op("Concat", *parts, axis=axis)
    return x


def _merged(n: Net, x: str, width: int) -> str:
    """Four neighbours become one place."""
    parts: list[str] = []
    for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):
        starts, ends = np.array([row, column]), np.array([np.iinfo(np.int64).max] * 2)
        parts.append(n.op("Slice", x, starts, ends, np.array([1, 2]), np.array([2, 2])))
    y = n.layer_norm(n.op("Concat", *parts, axis=-1), 4 * width)
    return n.op("MatMul", y, n.normal(4 * width, 2 * width, deviation=(4 * width) ** -0.5))


def _places_apart() -> Array:
    """For each pair of places in a window, the row of the table for how they lie to each other."""
    y, x = np.meshgrid(np.arange(WINDOW), np.arange(WINDOW), indexing="ij")
    rows = y.ravel()[:, np.newaxis] - y.ravel() + WINDOW - 1
    columns = x.ravel()[:, np.newaxis] - x.ravel() + WINDOW - 1
    return (rows * (2 * WINDOW - 1) + columns).ravel()


def _strangers(side: int, shift: int) -> Array:
    """-100 for each pair of places of a window that come from different sides of the picture."""
    band = np.zeros(side, np.int64)
    band[side - WINDOW : side - shift], band[side - shift :] = 1, 2
    region = band[:, np.newaxis] * 3 + band
    count = side // WINDOW
    tiles = region.reshape(count, WINDOW, count, WINDOW).transpose(0, 2, 1, 3)
    flat = tiles.reshape(count * count, WINDOW * WINDOW)
    apart = flat[:, np.newaxis, :] != flat[:, :, np.newaxis]
    return np.where(apart, -100.0, 0.0).astype(np.float32)
