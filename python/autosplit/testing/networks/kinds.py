"""Networks of images of other kinds than those of the goals: what plans meet that nobody measured before.

Small, in the manner of what they are named after, not exact.
"""

from __future__ import annotations

import numpy as np

from autosplit.testing.networks.builder import Net
from autosplit.testing.networks.mobile import classified

LAST = np.iinfo(np.int32).max


def _relu(n: Net, x: str) -> str:
    return n.op("Relu", x)


def _pooled(n: Net, x: str, stride: int, size: int = 3) -> str:
    return n.op("MaxPool", x, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[size // 2] * 4)


def _scaled(n: Net, x: str, factor: float, mode: str) -> str:
    place = "asymmetric" if mode == "nearest" else "half_pixel"
    more = {"nearest_mode": "floor"} if mode == "nearest" else {}
    scales = np.array([1, 1, factor, factor], np.float32)
    return n.op("Resize", x, "", scales, mode=mode, coordinate_transformation_mode=place, **more)


def shufflenet(n: Net) -> None:
    """Halves of the channels that are shuffled after each block (ShuffleNetV2)."""
    x = _pooled(n, _relu(n, n.conv(n.input("image", (1, 3, 224, 224)), 3, 24, 3, stride=2)), 2)
    inner, side = 24, 56
    for outer, blocks in ((116, 4), (232, 8), (464, 4)):
        half = outer // 2
        for block in range(blocks):
            if block == 0:
                side //= 2
                left = n.conv(x, inner, inner, 3, stride=2, groups=inner)
                left = _relu(n, n.conv(left, inner, half))
                right = _relu(n, n.conv(x, inner, half))
                right = n.conv(right, half, half, 3, stride=2, groups=half)
            else:
                left, right = n.ops("Split", 2, x, np.array([half, half]), axis=1)
                right = n.conv(_relu(n, n.conv(right, half, half)), half, half, 3, groups=half)
            x = n.op("Concat", left, _relu(n, n.conv(right, half, half)), axis=1)
            x = n.transpose(n.reshape(x, 1, 2, half, side, side), 0, 2, 1, 3, 4)
            x = n.reshape(x, 1, outer, side, side)
            inner = outer
    classified(n, _relu(n, n.conv(x, inner, 1024)), 1024)


def inception(n: Net) -> None:
    """Convolutions of several sizes beside each other (GoogLeNet)."""
    x = _pooled(n, _relu(n, n.conv(n.input("image", (1, 3, 224, 224)), 3, 64, 7, stride=2)), 2)
    x = _pooled(n, _relu(n, n.conv(_relu(n, n.conv(x, 64, 64)), 64, 192, 3)), 2)
    inner = 192
    for number, (one, before3, three, before5, five, pooled) in enumerate(
        (
            (64, 96, 128, 16, 32, 32),
            (128, 128, 192, 32, 96, 64),
            (192, 96, 208, 16, 48, 64),
            (160, 112, 224, 24, 64, 64),
            (256, 160, 320, 32, 128, 128),
        )
    ):
        x = _pooled(n, x, 2) if number == 2 else x
        parts = [
            _relu(n, n.conv(x, inner, one)),
            _relu(n, n.conv(_relu(n, n.conv(x, inner, before3)), before3, three, 3)),
            _relu(n, n.conv(_relu(n, n.conv(x, inner, before5)), before5, five, 5)),
            _relu(n, n.conv(_pooled(n, x, 1), inner, pooled)),
        ]
        x, inner = n.op("Concat", *parts, axis=1), one + three + five + pooled
    classified(n, x, inner)


def resnext(n: Net) -> None:
    """Convolutions in 32 groups, and channel attention before the sum (SE-ResNeXt-50)."""
    x = _pooled(n, _relu(n, n.conv(n.input("image", (1, 3, 224, 224)), 3, 64, 7, stride=2)), 2)
    inner = 64
    for stage, (width, blocks) in enumerate(((128, 3), (256, 4), (512, 6), (1024, 3))):
        outer = 2 * width
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = _relu(n, n.conv(x, inner, width))
            y = n.conv(_relu(n, n.conv(y, width, width, 3, stride=stride, groups=32)), width, outer)
            means = n.op("GlobalAveragePool", y)
            gate = _relu(n, n.conv(means, outer, width // 8, norm=False))
            gate = n.op("Sigmoid", n.conv(gate, width // 8, outer, norm=False))
            short = x if block else n.conv(x, inner, outer, stride=stride)
            x, inner = _relu(n, n.op("Add", n.op("Mul", y, gate), short)), outer
    classified(n, x, inner)


def segmenter(n: Net) -> None:
    """Dilated convolutions and the mean of all beside each other, enlarged linearly (DeepLabV3+)."""
    x = _relu(n, n.conv(n.input("image", (1, 3, 256, 256)), 3, 32, 3, stride=2))
    inner, fine = 32, ""
    for width in (64, 128, 256):
        x = _relu(n, n.conv(x, inner, width, 3, stride=2))
        y = n.conv(_relu(n, n.conv(x, width, width, 3)), width, width, 3)
        x, inner = _relu(n, n.op("Add", y, x)), width
        fine = fine or x
    parts = [_relu(n, n.conv(x, 256, 64))]
    for apart in (2, 4):
        weights = n.normal(64, 256, 3, 3, deviation=0.02)
        fields = {"kernel_shape": [3, 3], "strides": [1, 1], "group": 1}
        y = n.op("Conv", x, weights, dilations=[apart] * 2, pads=[apart] * 4, **fields)
        parts.append(_relu(n, y))
    means = _relu(n, n.conv(n.op("GlobalAveragePool", x), 256, 64, norm=False))
    parts.append(_scaled(n, means, 16, "linear"))
    x = _relu(n, n.conv(n.op("Concat", *parts, axis=1), 256, 64))
    x = n.op("Concat", _scaled(n, x, 4, "linear"), _relu(n, n.conv(fine, 64, 32)), axis=1)
    x = n.conv(_relu(n, n.conv(x, 96, 64, 3)), 64, 21, norm=False)
    n.output(_scaled(n, x, 4, "linear"), "classes")


def enlarger(n: Net) -> None:
    """Residual blocks, and channels that become pixels (EDSR)."""
    x = n.input("image", (1, 3, 128, 128))
    x = first = _relu(n, n.conv(x, 3, 64, 3, norm=False))
    for _ in range(6):
        y = _relu(n, n.conv(x, 64, 64, 3, norm=False))
        x = n.op("Add", n.conv(y, 64, 64, 3, norm=False, gain=0.3), x)
    x = n.op("Add", n.conv(x, 64, 64, 3, norm=False), first)
    x = n.op("DepthToSpace", n.conv(x, 64, 256, 3, norm=False), blocksize=2, mode="CRD")
    n.output(n.conv(_relu(n, x), 64, 3, 3, norm=False), "enlarged")


def focused(n: Net) -> None:
    """Slices of the picture as channels, pools of several sizes, a head without anchors (YOLOX)."""
    x = n.input("image", (1, 3, 320, 320))
    ends, axes, steps = np.array([LAST, LAST]), np.array([2, 3]), np.array([2, 2])
    parts = [n.op("Slice", x, np.array([a, b]), ends, axes, steps) for a in (0, 1) for b in (0, 1)]
    x, inner = n.silu(n.conv(n.op("Concat", *parts, axis=1), 12, 32, 3)), 32
    features: list[str] = []
    for width in (64, 128, 256):
        x, half = n.silu(n.conv(x, inner, width, 3, stride=2)), width // 2
        left, right = n.silu(n.conv(x, width, half)), n.silu(n.conv(x, width, half))
        for _ in range(2):
            y = n.silu(n.conv(n.silu(n.conv(right, half, half)), half, half, 3))
            right = n.op("Add", y, right)
        x, inner = n.silu(n.conv(n.op("Concat", left, right, axis=1), width, width)), width
        features.append(x)
    x = n.op("Concat", x, *(_pooled(n, x, 1, size) for size in (5, 9, 13)), axis=1)
    x = n.silu(n.conv(x, 1024, 256))
    up = _scaled(n, n.silu(n.conv(x, 256, 128)), 2, "nearest")
    y = n.silu(n.conv(n.op("Concat", up, features[1], axis=1), 256, 128, 3))
    heads: list[str] = []
    for at, width, side in ((y, 128, 40), (x, 256, 20)):
        classes = n.silu(n.conv(at, width, 64, 3))
        classes = n.op("Sigmoid", n.conv(classes, 64, 80, norm=False))
        places = n.silu(n.conv(at, width, 64, 3))
        there = n.op("Sigmoid", n.conv(places, 64, 1, norm=False))
        boxes = n.conv(places, 64, 4, norm=False)
        all_of = n.op("Concat", boxes, there, classes, axis=1)
        heads.append(n.reshape(all_of, 1, 85, side * side))
    n.output(n.transpose(n.op("Concat", *heads, axis=2), 0, 2, 1), "boxes")


def darknet(n: Net) -> None:
    """LeakyReLU and pools in turn (YOLOv3-tiny)."""
    x, inner = n.input("image", (1, 3, 416, 416)), 3
    for width in (16, 32, 64, 128, 256):
        x = n.op("LeakyRelu", n.conv(x, inner, width, 3), alpha=0.1)
        x, inner = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), width
    for width, kernel in ((512, 3), (256, 1), (512, 3)):
        x = n.op("LeakyRelu", n.conv(x, inner, width, kernel), alpha=0.1)
        inner = width
    n.output(n.conv(x, inner, 255, norm=False), "boxes")


def ghostnet(n: Net) -> None:
    """Half of the channels are made of the other half by depthwise convolutions (GhostNet)."""

    def ghost(x: str, inner: int, outer: int, act: str) -> str:
        half = outer // 2
        y = n.conv(x, inner, half)
        y = n.op(act, y) if act else y
        z = n.conv(y, half, half, 3, groups=half)
        return n.op("Concat", y, n.op(act, z) if act else z, axis=1)

    x = _relu(n, n.conv(n.input("image", (1, 3, 224, 224)), 3, 16, 3, stride=2))
    inner = 16
    for outer, wide, stride in (
        *((24, 48, 2), (24, 72, 1), (40, 120, 2), (40, 120, 1), (80, 240, 2), (80, 200, 1)),
        *((112, 480, 1), (160, 672, 2), (160, 960, 1)),
    ):
        y = ghost(x, inner, wide, "Relu")
        y = n.conv(y, wide, wide, 3, stride=stride, groups=wide) if stride > 1 else y
        y = ghost(y, wide, outer, "")
        x = n.op("Add", y, x) if stride == 1 and inner == outer else y
        inner = outer
    classified(n, x, inner)


def _normed_channels(n: Net, x: str, width: int) -> str:
    """A layer norm of channels, spelled out."""
    centred = n.op("Sub", x, n.op("ReduceMean", x, axes=[1]))
    variance = n.op("ReduceMean", n.op("Mul", centred, centred), axes=[1])
    y = n.op("Div", centred, n.op("Sqrt", n.op("Add", variance, 1e-6)))
    scale, bias = n.uniform(0.5, 1.5, width, 1, 1), n.normal(width, 1, 1, deviation=0.2)
    return n.op("Add", n.op("Mul", y, scale), bias)


def denoiser(n: Net, width: int = 32, side: int = 128) -> None:
    """Norms of channels, and halves of the channels that multiply each other (NAFNet)."""

    def halves(y: str, inner: int) -> str:
        return n.op("Mul", *n.ops("Split", 2, y, np.array([inner] * 2), axis=1))

    def block(x: str, inner: int) -> str:
        y = n.conv(_normed_channels(n, x, inner), inner, 2 * inner, norm=False)
        y = halves(n.conv(y, 2 * inner, 2 * inner, 3, groups=2 * inner, norm=False), inner)
        weights = n.conv(n.op("GlobalAveragePool", y), inner, inner, norm=False)
        x = n.op("Add", x, n.conv(n.op("Mul", y, weights), inner, inner, norm=False, gain=0.5))
        y = halves(n.conv(_normed_channels(n, x, inner), inner, 2 * inner, norm=False), inner)
        return n.op("Add", x, n.conv(y, inner, inner, norm=False, gain=0.5))

    image = n.input("image", (1, 3, side, side))
    x = block(n.conv(image, 3, width, 3, norm=False), width)
    y = n.conv(x, width, 2 * width, 2, stride=2, pad=0, norm=False)
    for _ in range(2):
        y = block(y, 2 * width)
    y = n.op("DepthToSpace", n.conv(y, 2 * width, 4 * width, norm=False), blocksize=2, mode="CRD")
    x = block(n.op("Add", x, y), width)
    n.output(n.op("Add", image, n.conv(x, width, 3, 3, norm=False)), "clean")


def diffusion(n: Net, width: int = 64, side: int = 64, groups: int = 8) -> None:
    """Norms of groups of channels and SiLU in front of each convolution (a UNet of diffusion)."""

    def normed(x: str, inner: int, side: int) -> str:
        rows = n.reshape(x, 1, groups, inner // groups * side * side)
        ones, zeros = np.ones(groups, np.float32), np.zeros(groups, np.float32)
        y = n.reshape(n.op("InstanceNormalization", rows, ones, zeros), 1, inner, side, side)
        scale, bias = n.uniform(0.5, 1.5, inner, 1, 1), n.normal(inner, 1, 1, deviation=0.2)
        return n.silu(n.op("Add", n.op("Mul", y, scale), bias))

    def block(x: str, inner: int, side: int) -> str:
        y = n.conv(normed(x, inner, side), inner, inner, 3, norm=False)
        y = n.conv(normed(y, inner, side), inner, inner, 3, norm=False, gain=0.5)
        return n.op("Add", x, y)

    x = n.conv(n.input("image", (1, 4, side, side)), 4, width, 3, norm=False)
    x = block(block(x, width, side), width, side)
    y = n.conv(x, width, 2 * width, 3, stride=2, norm=False)
    y = _scaled(n, block(y, 2 * width, side // 2), 2, "nearest")
    joined = n.op("Concat", x, n.conv(y, 2 * width, width, 3, norm=False), axis=1)
    x = block(n.conv(joined, 2 * width, width, norm=False), width, side)
    n.output(n.conv(normed(x, width, side), width, 4, 3, norm=False), "noise")
