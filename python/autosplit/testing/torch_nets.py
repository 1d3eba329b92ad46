"""PyTorch modules for tests: classifiers with activations in place, a transformer block, a U-Net, views.

They are built small, with random weights that do not make values vanish or explode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils import _pytree as pytree

from autosplit.core.weights import Array

UNTYPED: Any = torch
"""PyTorch, for the functions whose types it leaves out."""


class BasicBlock(nn.Module):
    """The block of ResNet-18: two convolutions, and the input added in place."""

    def __init__(self, channels: int, out: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.down: nn.Module | None = None
        if stride != 1 or channels != out:
            self.down = nn.Sequential(
                nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.down is None else self.down(x)
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += shortcut
        return self.relu(y)


class ResNet18(nn.Module):
    """ResNet-18, `width` channels wide at its first layer."""

    def __init__(self, width: int = 16, classes: int = 10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers: list[nn.Module] = []
        channels = width
        for stage in range(4):
            out = width << stage
            layers.append(BasicBlock(channels, out, 1 if stage == 0 else 2))
            layers.append(BasicBlock(out, out))
            channels = out
        self.layers = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layers(x))
        return self.fc(torch.flatten(x, 1))


class SqueezeExcitation(nn.Module):
    """The gate of MobileNetV3: channels scaled by a function of their means."""

    def __init__(self, channels: int, squeezed: int):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.gate = nn.Hardsigmoid(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        scale = F.relu(self.fc1(F.adaptive_avg_pool2d(x, 1)), inplace=True)
        return x * self.gate(self.fc2(scale))


class InvertedResidual(nn.Module):
    """The block of MobileNetV2 and V3: expand, depthwise, gate, project, add."""

    def __init__(
        self, channels: int, out: int, stride: int, act: Callable[[], nn.Module], *, gate: bool
    ):
        super().__init__()
        wide = channels * 4
        layers: list[nn.Module] = [nn.Conv2d(channels, wide, 1, bias=False)]
        layers += [nn.BatchNorm2d(wide), act()]
        layers += [nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False)]
        layers += [nn.BatchNorm2d(wide), act()]
        layers += [SqueezeExcitation(wide, channels)] if gate else []
        layers += [nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out)]
        self.body = nn.Sequential(*layers)
        self.adds = stride == 1 and channels == out

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x) if self.adds else self.body(x)


class MobileNet(nn.Module):
    """MobileNetV2 with ReLU6, or V3 with Hardswish and gates; all activations in place."""

    def __init__(self, version: int = 2, classes: int = 10):
        super().__init__()

        def act() -> nn.Module:
            return nn.ReLU6(inplace=True) if version == 2 else nn.Hardswish(inplace=True)

        def block(channels: int, out: int, stride: int) -> nn.Module:
            return InvertedResidual(channels, out, stride, act, gate=version == 3)

        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), act())
        self.blocks = nn.Sequential(
            block(8, 8, 1), block(8, 16, 2), block(16, 16, 1), block(16, 24, 2), block(24, 24, 1)
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(24, classes))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(x)).mean([2, 3]))


class TransformerBlock(nn.Module):
    """A block as in GPT-2: attention under a causal mask, and two linear layers."""

    def __init__(self, width: int = 32, heads: int = 4, max_steps: int = 16):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.mask: Tensor
        self.register_buffer(
            "mask", torch.tril(torch.ones(max_steps, max_steps)).bool(), persistent=False
        )

    def forward(self, x: Tensor) -> Tensor:
        batch, steps, width = x.shape
        parts = self.qkv(self.ln1(x)).split(width, dim=2)
        q, k, v = (p.view(batch, steps, self.heads, -1).transpose(1, 2) for p in parts)
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(~self.mask[:steps, :steps], float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(batch, steps, width)
        x = x + self.proj(y)
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class UNet(nn.Module):
    """Two steps down and two up, joined by concatenation."""

    def __init__(self, width: int = 8):
        super().__init__()
        self.down1, self.down2 = self._double(3, width), self._double(width, 2 * width)
        self.bottom = self._double(2 * width, 4 * width)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.join2, self.join1 = self._double(4 * width, 2 * width), self._double(3 * width, width)
        self.out = nn.Conv2d(width, 2, 1)

    @staticmethod
    def _double(channels: int, out: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(channels, out, 3, padding=1),
            nn.BatchNorm2d(out),
            nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(out, out, 3, padding=1),
            nn.SiLU(inplace=True),
        )

    def forward(self, x: Tensor) -> Tensor:
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        y = self.up2(self.bottom(F.max_pool2d(b, 2)))
        y = self.join2(torch.cat([y, b], 1))
        y = F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out(self.join1(torch.cat([y, a], 1))))


class WrittenViews(nn.Module):
    """Slices, selections and views that are written to in place."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.conv(x)
        y[:, 0].mul_(2)
        y[:, 1:3] = 0.5
        y.view(y.size(0), -1)[:, ::2].clamp_(-1, 1)
        first, second = y.chunk(2, 1)
        first.add_(second)
        z = torch.zeros_like(y)
        z[:, ::2] = second
        return y.relu_(), z


class RunningState(nn.Module):
    """Buffers that each run updates: a count, and a mean that moves."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.mean: Tensor
        self.count: Tensor
        self.register_buffer("mean", torch.zeros(8))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.linear(x))
        self.count.add_(1)
        self.mean.mul_(0.9).add_(y.mean(0), alpha=0.1)
        return self.linear(y - self.mean) * self.count


class Lists(nn.Module):
    """Lists of tensors, results that nothing reads, sizes that are computed with."""

    def forward(self, x: Tensor, indices: Tensor) -> dict[str, Tensor | int]:
        parts: list[Tensor] = list(UNTYPED.split(x, [2, 3, 3], dim=1))
        parts[1] = parts[1] + 1
        values, _ = torch.topk(torch.cat([parts[2], parts[0], parts[1]], 1), 3, dim=1)
        rows = x.size(0) * 2
        wide = values.repeat(2, 1).view(rows, 3)
        picked = x[indices, 1]
        return {"stack": torch.stack([wide, wide * 2]), "picked": picked, "rows": rows}


@dataclass(frozen=True)
class TorchCase:
    """A module, its arguments, and which of their sizes are open."""

    module: nn.Module
    args: tuple[Tensor, ...]
    dynamic: tuple[Mapping[int, str], ...] = field(default_factory=tuple)
    """For each argument the names of the open dimensions."""

    def exported(self) -> Any:
        """The program, as `torch.export` makes it before functionalization."""
        dims: dict[str, Any] = {}
        shapes = [
            {i: dims.setdefault(name, torch.export.Dim(name, min=2)) for i, name in open.items()}
            for open in self.dynamic
        ]
        with torch.no_grad():
            return torch.export.export(
                self.module, self.args, dynamic_shapes=tuple(shapes) or None, strict=False
            )

    def feeds(self, names: Sequence[str]) -> dict[str, Array]:
        """The arguments, by the names of a program's inputs."""
        return dict(zip(names, map(as_array, self.args), strict=True))

    def save(self, path: Path) -> Path:
        """The program as a file."""
        torch.export.save(self.exported(), path)
        return path


def as_array(value: Any) -> Array:
    """A tensor, or a number, as an array."""
    return np.asarray(value)


def arrays_of(results: Any) -> list[Array]:
    """The tensors and numbers that a module returned, in order."""
    return [as_array(value) for value in pytree.tree_leaves(results)]


def _settled(module: nn.Module) -> nn.Module:
    """A module for inference whose statistics are not those of a new one."""
    generator = torch.Generator().manual_seed(7)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d) and part.running_var is not None:
            size = part.running_var.shape
            part.running_var.copy_(torch.rand(size, generator=generator) * 0.5 + 0.75)
            assert part.running_mean is not None
            part.running_mean.copy_(torch.randn(size, generator=generator) * 0.1)
    return module.eval()


def _picture(size: int = 32, batch: int = 2) -> Tensor:
    return torch.randn(batch, 3, size, size)


CASES: dict[str, Callable[[], TorchCase]] = {
    "lists": lambda: TorchCase(
        Lists(), (torch.randn(4, 8), torch.tensor([3, 1])), ({0: "batch"}, {})
    ),
    "mobilenet_v2": lambda: TorchCase(MobileNet(2), (_picture(),), ({0: "batch"},)),
    "mobilenet_v3": lambda: TorchCase(MobileNet(3), (_picture(),)),
    "resnet18": lambda: TorchCase(ResNet18(), (_picture(64),), ({0: "batch"},)),
    "running_state": lambda: TorchCase(RunningState(), (torch.randn(4, 8),)),
    "transformer": lambda: TorchCase(TransformerBlock(), (torch.randn(2, 8, 32),), ({0: "batch"},)),
    "unet": lambda: TorchCase(UNet(), (_picture(16),)),
    "written_views": lambda: TorchCase(WrittenViews(), (_picture(8),), ({0: "batch"},)),
}
"""The modules by name."""


def torch_case(name: str, seed: int = 0) -> TorchCase:
    """A module of `CASES` with its weights; the same ones for the same seed."""
    UNTYPED.manual_seed(seed)
    with torch.no_grad():
        case = CASES[name]()
        _settled(case.module)
    return case
