"""Small modules of PyTorch's, and samples of their arguments, for the tests of `autosplit.quantization`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class Net(nn.Module):
    """Two convolutions and a linear layer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.act = nn.ReLU()
        self.second = nn.Conv2d(16, 16, 3)
        self.act2 = nn.ReLU()
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.act2(self.second(self.act(self.first(x))))
        return self.head(y.mean((2, 3)))


class Residual(nn.Module):
    """A piece of a ResNet: batch norms, activations in place, a shortcut."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)
        )
        self.pool = nn.MaxPool2d(2)
        self.one = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.act = nn.ReLU(inplace=True)
        self.two = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.act2 = nn.ReLU(inplace=True)
        self.head = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.stem(x))
        y = self.norm2(self.two(self.act(self.norm(self.one(x)))))
        y += x
        y = self.act2(y)
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(y, 1), 1))


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self, width: int = 32, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            t.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for t in self.qkv(self.norm(x)).chunk(3, -1)
        )
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Products(nn.Module):
    """Products of two tensors that both vary."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.bmm(a, b) / 4.0


class Named(nn.Module):
    """Has a buffer, takes a keyword and a switch, and returns a dict, a list and a plain number."""

    scale: torch.Tensor

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.register_buffer("scale", torch.tensor([0.5, 2.0] * 4).reshape(1, 8, 1, 1))

    def forward(
        self, image: torch.Tensor, *, mask: torch.Tensor | None = None, double: bool = False
    ) -> dict[str, Any]:
        y = self.conv(image) * self.scale
        if mask is not None:
            y = y * mask
        if double:
            y = y * 2
        return {"map": y, "rest": [y.mean((2, 3)), None, 7]}


class Branching(nn.Module):
    """Looks at numbers to choose what it does, which no exported program can."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x) if x.sum() > 0 else -self.fc(x)


class Counting(nn.Module):
    """Counts its calls in a buffer, and keeps a running mean in another one."""

    count: torch.Tensor
    seen: torch.Tensor

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        self.seen[2:].mul_(0.9).add_(x.mean(0)[2:], alpha=0.1)
        return self.fc(x) + self.seen


@dataclass(frozen=True)
class Case:
    """A module and how it is called."""

    make: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...]

    def module(self) -> nn.Module:
        torch.manual_seed(0)
        module = self.make().eval()
        for part in module.modules():
            if isinstance(part, nn.BatchNorm2d) and part.running_var is not None:
                part.running_var.uniform_(0.5, 2)
        return module

    def samples(self, count: int = 8) -> list[tuple[torch.Tensor, ...]]:
        made = torch.Generator().manual_seed(1)
        return [tuple(torch.randn(s, generator=made) for s in self.shapes) for _ in range(count)]


CASES = {
    "net": Case(Net, ((2, 3, 12, 12),)),
    "residual": Case(Residual, ((2, 3, 24, 24),)),
    "block": Case(Block, ((2, 12, 32),)),
    "bmm": Case(Products, ((3, 8, 16), (3, 16, 8))),
    "named": Case(Named, ((2, 3, 10, 10),)),
}
