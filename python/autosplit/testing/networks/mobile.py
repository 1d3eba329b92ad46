"""Networks of depthwise convolutions: MobileNetV2, MobileNetV3-large, EfficientNet-B0."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autosplit.testing.networks.builder import Net

Activation = Callable[[str], str]


def classified(n: Net, x: str, width: int, classes: int = 1000) -> None:
    """The mean over space, and one linear layer."""
    flat = n.op("Flatten", n.op("GlobalAveragePool", x), axis=1)
    n.output(n.linear(flat, width, classes, gemm=True), "scores")


def _relu6(n: Net, x: str) -> str:
    return n.op("Clip", x, 0.0, 6.0)


def mobilenet_v2(n: Net) -> None:
    stages = (
        # expansion, channels, blocks, stride of the first
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
        (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    )  # fmt: skip
    x = _relu6(n, n.conv(n.input("image", (1, 3, 224, 224)), 3, 32, 3, stride=2))
    inner = 32
    for expansion, channels, blocks, first in stages:
        for block in range(blocks):
            stride, wide = 1 if block else first, inner * expansion
            y = _relu6(n, n.conv(x, inner, wide)) if expansion > 1 else x
            y = _relu6(n, n.conv(y, wide, wide, 3, stride=stride, groups=wide))
            y = n.conv(y, wide, channels)
            x = n.op("Add", x, y) if block else y
            inner = channels
    classified(n, _relu6(n, n.conv(x, inner, 1280)), 1280)


def _gate(n: Net, x: str, width: int, squeezed: int, inner: Activation, outer: Activation) -> str:
    """Channel attention: each channel weighed by what the means of all channels say."""
    gate = inner(n.conv(n.op("GlobalAveragePool", x), width, squeezed, norm=False))
    return n.op("Mul", outer(n.conv(gate, squeezed, width, norm=False, gain=2.0)), x)


def _by_eights(width: int) -> int:
    """The nearest multiple of 8 that takes away no more than a tenth."""
    near = max(8, (width + 4) // 8 * 8)
    return near if near >= 0.9 * width else near + 8


def _hard_sigmoid(n: Net, x: str) -> str:
    return n.op("HardSigmoid", x, alpha=1 / 6, beta=0.5)


_V3_LARGE = (
    # kernel, expanded, channels, channel attention, hard swish, stride
    (3, 16, 16, False, False, 1), (3, 64, 24, False, False, 2), (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2), (5, 120, 40, True, False, 1), (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2), (3, 200, 80, False, True, 1), (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1), (3, 480, 112, True, True, 1), (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2), (5, 960, 160, True, True, 1), (5, 960, 160, True, True, 1),
)  # fmt: skip


def mobilenet_v3_large(n: Net) -> None:
    x = n.conv(n.input("image", (1, 3, 224, 224)), 3, 16, 3, stride=2)
    x, inner = n.op("HardSwish", x), 16
    for kernel, wide, channels, gated, hard, stride in _V3_LARGE:
        act = "HardSwish" if hard else "Relu"
        y = n.op(act, n.conv(x, inner, wide)) if wide != inner else x
        y = n.op(act, n.conv(y, wide, wide, kernel, stride=stride, groups=wide))
        if gated:
            relu: Activation = partial(n.op, "Relu")
            y = _gate(n, y, wide, _by_eights(wide // 4), relu, partial(_hard_sigmoid, n))
        y = n.conv(y, wide, channels)
        x = n.op("Add", y, x) if stride == 1 and inner == channels else y
        inner = channels
    x = n.op("HardSwish", n.conv(x, inner, 960))
    x = n.op("Flatten", n.op("GlobalAveragePool", x), axis=1)
    x = n.op("HardSwish", n.linear(x, 960, 1280, gemm=True))
    n.output(n.linear(x, 1280, 1000, gemm=True), "scores")


def efficientnet_b0(n: Net) -> None:
    stages = (
        # expansion, kernel, stride of the first, channels, blocks
        (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
        (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1),
    )  # fmt: skip
    x = n.silu(n.conv(n.input("image", (1, 3, 224, 224)), 3, 32, 3, stride=2))
    inner = 32
    for expansion, kernel, first, channels, blocks in stages:
        for block in range(blocks):
            stride, wide = 1 if block else first, inner * expansion
            y = n.silu(n.conv(x, inner, wide)) if expansion > 1 else x
            y = n.silu(n.conv(y, wide, wide, kernel, stride=stride, groups=wide))
            y = _gate(n, y, wide, inner // 4, n.silu, partial(n.op, "Sigmoid"))
            y = n.conv(y, wide, channels)
            x = n.op("Add", y, x) if block else y
            inner = channels
    classified(n, n.silu(n.conv(x, inner, 1280)), 1280)
