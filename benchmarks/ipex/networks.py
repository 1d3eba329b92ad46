"""Networks as nn.Modules, of torch alone, that autosplit and Intel's extension for PyTorch both quantize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Network:
    """A network with random weights, and the shape of its input."""

    build: Callable[[], nn.Module]
    shape: tuple[int, ...]

    def module(self) -> nn.Module:
        """The network, with the same weights each time; its norms are not the identity."""
        torch.manual_seed(0)
        module = self.build().eval()
        generator = torch.Generator().manual_seed(1)
        for part in module.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.running_mean = torch.randn(part.num_features, generator=generator) * 0.1
                part.running_var = torch.rand(part.num_features, generator=generator) + 0.5
        return module

    def samples(self, count: int = 4) -> list[Tensor]:
        """Random inputs, the same ones each time."""
        generator = torch.Generator().manual_seed(2)
        return [torch.randn(self.shape, generator=generator) for _ in range(count)]


class Bottleneck(nn.Module):
    """A block of a ResNet-50."""

    def __init__(self, inside: int, width: int, stride: int):
        super().__init__()
        outside = width * 4
        self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outside, 1, bias=False), nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: nn.Module | None = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet50(nn.Module):
    """ResNet-50 for 1,000 classes."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.pool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        blocks: list[nn.Module] = []
        inside = 64
        for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for index in range(count):
                blocks.append(Bottleneck(inside, width, stride if index == 0 else 1))
                inside = width * 4
        self.blocks = nn.Sequential(*blocks)
        self.average, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(2048, 1000)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.average(self.blocks(x)), 1))


class Encoder(nn.Module):
    """A layer of BERT: attention and a network of two layers, each with its sum and its norm."""

    def __init__(self, width: int = 768, heads: int = 12):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x: Tensor) -> Tensor:
        """The heads."""
        return x.view(x.size(0), x.size(1), self.heads, self.size).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(-1, -2)) / self.size**0.5
        heads = torch.matmul(torch.softmax(scores, -1), value)
        heads = heads.permute(0, 2, 1, 3).contiguous().view(x.shape)
        x = self.norm1(self.out(heads) + x)
        return self.norm2(self.down(functional.gelu(self.up(x))) + x)


class BertBase(nn.Module):
    """The twelve layers of BERT-base behind its embeddings."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(Encoder() for _ in range(12)))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class ConvSilu(nn.Module):
    """conv -> norm -> silu"""

    def __init__(self, inside: int, outside: int, size: int = 1, stride: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, size, stride, size // 2, bias=False)
        self.bn, self.act = nn.BatchNorm2d(outside), nn.SiLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.bn(self.conv(x)))


class Residual(nn.Module):
    """Two convolutions, and perhaps a sum."""

    def __init__(self, width: int, add: bool):
        super().__init__()
        self.one, self.two = ConvSilu(width, width, 3), ConvSilu(width, width, 3)
        self.add = add

    def forward(self, x: Tensor) -> Tensor:
        return x + self.two(self.one(x)) if self.add else self.two(self.one(x))


class C2f(nn.Module):
    """YOLOv8's block: two halves, the second in steps, all joined."""

    def __init__(self, inside: int, outside: int, count: int, add: bool):
        super().__init__()
        half = outside // 2
        self.first = ConvSilu(inside, outside)
        self.last = ConvSilu((2 + count) * half, outside)
        self.steps = nn.ModuleList(Residual(half, add) for _ in range(count))

    def forward(self, x: Tensor) -> Tensor:
        parts = list(self.first(x).chunk(2, 1))
        for step in self.steps:
            parts.append(step(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pyramid(nn.Module):
    """YOLOv8's SPPF: maxima of three sizes."""

    def __init__(self, width: int):
        super().__init__()
        self.first, self.last = ConvSilu(width, width // 2), ConvSilu(width * 2, width)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        once = self.pool(x)
        twice = self.pool(once)
        return self.last(torch.cat((x, once, twice, self.pool(twice)), 1))


class Yolov8n(nn.Module):
    """YOLOv8n up to the boxes and classes of its three scales."""

    def __init__(self, classes: int = 80):
        super().__init__()
        self.stem = nn.Sequential(
            ConvSilu(3, 16, 3, 2), ConvSilu(16, 32, 3, 2), C2f(32, 32, 1, True)
        )
        self.p3 = nn.Sequential(ConvSilu(32, 64, 3, 2), C2f(64, 64, 2, True))
        self.p4 = nn.Sequential(ConvSilu(64, 128, 3, 2), C2f(128, 128, 2, True))
        self.p5 = nn.Sequential(ConvSilu(128, 256, 3, 2), C2f(256, 256, 1, True), Pyramid(256))
        self.up4, self.up3 = C2f(384, 128, 1, False), C2f(192, 64, 1, False)
        self.down4, self.down5 = ConvSilu(64, 64, 3, 2), ConvSilu(128, 128, 3, 2)
        self.out4, self.out5 = C2f(192, 128, 1, False), C2f(384, 256, 1, False)
        widths = (64, 128, 256)
        self.boxes = nn.ModuleList(self.head(w, 64, 64) for w in widths)
        self.classes = nn.ModuleList(self.head(w, 80, classes) for w in widths)

    @staticmethod
    def head(inside: int, width: int, outside: int) -> nn.Sequential:
        """What gives one tensor of one scale."""
        first, second = ConvSilu(inside, width, 3), ConvSilu(width, width, 3)
        return nn.Sequential(first, second, nn.Conv2d(width, outside, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        p3 = self.p3(self.stem(x))
        p4 = self.p4(p3)
        p5 = self.p5(p4)
        n4 = self.up4(torch.cat((functional.interpolate(p5, scale_factor=2.0), p4), 1))
        n3 = self.up3(torch.cat((functional.interpolate(n4, scale_factor=2.0), p3), 1))
        n4 = self.out4(torch.cat((self.down4(n3), n4), 1))
        n5 = self.out5(torch.cat((self.down5(n4), p5), 1))
        scales = zip(self.boxes, self.classes, (n3, n4, n5), strict=True)
        return tuple(torch.cat((b(n), c(n)), 1) for b, c, n in scales)


NETWORKS = {
    "resnet50": Network(ResNet50, (1, 3, 224, 224)),
    "bert-base": Network(BertBase, (1, 128, 768)),
    "yolov8n": Network(Yolov8n, (1, 3, 640, 640)),
}
