"""Networks of dense convolutions: ResNet-50 (v1.5), DenseNet-121, U-Net."""

from __future__ import annotations

from autosplit.testing.networks.builder import Net
from autosplit.testing.networks.mobile import classified


def _stem(n: Net) -> str:
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, 64, 7, stride=2)
    return n.op("MaxPool", n.op("Relu", x), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def resnet50(n: Net) -> None:
    x, inner = _stem(n), 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = n.op("Relu", n.conv(x, inner, width))
            y = n.op("Relu", n.conv(y, width, width, 3, stride=stride))
            y = n.conv(y, width, 4 * width)
            if not block:
                x = n.conv(x, inner, 4 * width, stride=stride)
            x = n.op("Relu", n.op("Add", y, x))
            inner = 4 * width
    classified(n, x, inner)


def densenet121(n: Net) -> None:
    growth, x, width = 32, _stem(n), 64
    for number, layers in enumerate((6, 12, 24, 16)):
        parts = [x]
        for _ in range(layers):
            joined = n.op("Concat", *parts, axis=1) if len(parts) > 1 else x
            y = n.op("Relu", n.batch_norm(joined, width))
            y = n.op("Relu", n.conv(y, width, 4 * growth))
            parts.append(n.conv(y, 4 * growth, growth, 3, norm=False, biased=False))
            width += growth
        x = n.op("Relu", n.batch_norm(n.op("Concat", *parts, axis=1), width))
        if number < 3:
            x = n.conv(x, width, width // 2, norm=False, biased=False)
            x = n.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
            width //= 2
    classified(n, x, width)


def unet(n: Net, size: int = 256) -> None:
    """With 64 to 1024 channels, and transposed convolutions on the way up."""
    x = _twice(n, n.input("image", (1, 3, size, size)), 3, 64)
    passed: list[tuple[str, int]] = []
    for width in (64, 128, 256, 512):
        passed.append((x, width))
        x = n.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        x = _twice(n, x, width, 2 * width)
    for across, width in reversed(passed):
        up = n.conv(x, 2 * width, width, 2, stride=2, transposed=True, norm=False)
        x = _twice(n, n.op("Concat", across, up, axis=1), 2 * width, width)
    n.output(n.conv(x, 64, 2, norm=False), "mask")


def _twice(n: Net, x: str, inner: int, outer: int) -> str:
    x = n.op("Relu", n.conv(x, inner, outer, 3))
    return n.op("Relu", n.conv(x, outer, outer, 3))
