"""Small nets of the kinds that convert-aten-to-onnx must take whole, with weights drawn by a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
nn: Any = torch.nn
F: Any = nn.functional

Net = tuple[Callable[[], Any], tuple[Any, ...]]


def picture(*shape: int) -> Any:
    return torch.rand(shape, generator=torch.Generator().manual_seed(1))


def words(*shape: int) -> Any:
    return torch.randint(0, 20, shape, generator=torch.Generator().manual_seed(1))


class Residual(nn.Module):
    """Blocks of a ResNet."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU()
        )
        self.one = nn.Sequential(
            nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU()
        )
        self.two = nn.Sequential(nn.Conv2d(8, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16))
        self.skip = nn.Sequential(nn.Conv2d(8, 16, 1, 2, bias=False), nn.BatchNorm2d(16))
        self.fc = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(self.stem(x), 3, 2, 1)
        x = F.relu(self.two(self.one(x)) + self.skip(x))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Mobile(nn.Module):
    """An inverted residual of a MobileNetV3, and of an EfficientNet: with a gate for each channel."""

    def __init__(self, activation: Any, gate: Any) -> None:
        super().__init__()
        self.activation, self.gate = activation, gate
        self.grow = nn.Sequential(nn.Conv2d(4, 16, 1, bias=False), nn.BatchNorm2d(16, eps=1e-3))
        self.depth = nn.Sequential(
            nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False), nn.BatchNorm2d(16, eps=1e-3)
        )
        self.less, self.more = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)
        self.shrink = nn.Sequential(nn.Conv2d(16, 4, 1, bias=False), nn.BatchNorm2d(4))

    def forward(self, x: Any) -> Any:
        y = self.activation(self.depth(self.activation(self.grow(x))))
        scale = F.adaptive_avg_pool2d(y, 1)
        scale = self.gate(self.more(F.relu(self.less(scale))))
        return x + self.shrink(scale * y)


class Dense(nn.Module):
    """A block and a transition of a DenseNet."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.BatchNorm2d(4 + 2 * i) for i in range(3)])
        self.convs = nn.ModuleList([nn.Conv2d(4 + 2 * i, 2, 3, padding=1) for i in range(3)])
        self.last = nn.Conv2d(10, 5, 1)

    def forward(self, x: Any) -> Any:
        parts = [x]
        for norm, conv in zip(self.norms, self.convs, strict=True):
            parts.append(conv(F.relu(norm(torch.cat(parts, 1)))))
        return F.avg_pool2d(self.last(torch.cat(parts, 1)), 2, 2)


class UNet(nn.Module):
    """A U-Net of two levels: one goes up by a transposed convolution, one by resizing."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)])
        self.middle = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 4, 2, 2)
        self.out = nn.ModuleList([nn.Conv2d(12, 4, 3, padding=1), nn.Conv2d(8, 2, 1)])

    def forward(self, x: Any) -> Any:
        one = F.relu(self.down[0](x))
        two = F.relu(self.down[1](F.max_pool2d(one, 2)))
        low = F.relu(self.middle(F.max_pool2d(two, 2)))
        mid = torch.cat([self.up(low), two], 1)
        wide = F.interpolate(
            self.out[0](mid), size=x.shape[2:], mode="bilinear", align_corners=False
        )
        return self.out[1](torch.cat([wide, one], 1))


class Attention(nn.Module):
    """Attention written out, as BERT has it, with a mask of words that are there."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.qkv = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.out, self.heads = nn.Linear(width, width), heads

    def forward(self, x: Any, mask: Any) -> Any:
        batch, length, width = x.shape
        q, k, v = (
            f(x).view(batch, length, self.heads, width // self.heads).permute(0, 2, 1, 3)
            for f in self.qkv
        )
        scores = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5 + mask
        mixed = (scores.softmax(-1) @ v).permute(0, 2, 1, 3).contiguous()
        return self.out(mixed.view(batch, length, width))


class Bert(nn.Module):
    """Embeddings and a layer of a BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Embedding(12, 16)
        self.attention, self.norm = Attention(16, 4), nn.LayerNorm(16)
        self.grow, self.shrink = nn.Linear(16, 32), nn.Linear(32, 16)
        self.pooler = nn.Linear(16, 16)

    def forward(self, ids: Any, there: Any) -> Any:
        places = torch.arange(ids.shape[1]).expand(ids.shape[0], -1)
        x = self.norm(self.words(ids) + self.places(places))
        mask = (1.0 - there[:, None, None, :].to(torch.float32)) * -10000.0
        x = self.norm(x + self.attention(x, mask))
        x = self.norm(x + self.shrink(F.gelu(self.grow(x))))
        return x, torch.tanh(self.pooler(x[:, 0]))


class Gpt(nn.Module):
    """A block of a GPT-2: its projections as products with an added bias, attention to what came before."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Embedding(12, 16)
        self.weight, self.bias = nn.Parameter(torch.rand(16, 48) / 4), nn.Parameter(torch.rand(48))
        self.norms = nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16)])
        self.grow, self.shrink = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, ids: Any) -> Any:
        batch, length = ids.shape
        x = self.words(ids) + self.places(torch.arange(length))
        flat = torch.addmm(self.bias, self.norms[0](x).view(-1, 16), self.weight)
        parts = flat.view(batch, length, 48).split(16, 2)
        q, k, v = (p.view(batch, length, 2, 8).transpose(1, 2) for p in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + mixed.transpose(1, 2).reshape(batch, length, 16)
        y = F.gelu(self.grow(self.norms[1](x)), approximate="tanh")
        return (x + self.shrink(y)) @ self.words.weight.t()


class Vit(nn.Module):
    """Patches, a class token, and layers of PyTorch's own transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.token = nn.Parameter(torch.rand(1, 1, 16))
        self.places = nn.Parameter(torch.rand(1, 17, 16))
        layer = nn.TransformerEncoderLayer(
            16, 2, 32, batch_first=True, norm_first=True, activation="gelu"
        )
        self.layers, self.head = (
            nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
            nn.Linear(16, 3),
        )

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.layers(x)[:, 0])


class Swin(nn.Module):
    """Attention in shifted windows with a table of relative places."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)
        self.table = nn.Parameter(torch.rand(49, 2))
        self.register_buffer("index", torch.randint(0, 49, (256,)))
        self.merge = nn.Linear(32, 16, bias=False)

    def forward(self, x: Any) -> Any:
        batch, size = x.shape[0], 8
        y = torch.roll(self.norm(x), (-2, -2), (1, 2))
        y = y.view(batch, 2, 4, 2, 4, 8).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, 8)
        q, k, v = self.qkv(y).reshape(-1, 16, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.index].view(16, 16, 2).permute(2, 0, 1).contiguous().unsqueeze(0)
        scores = F.softmax((q * 0.5) @ k.transpose(-2, -1) + bias, -1)
        y = self.out((scores @ v).transpose(1, 2).reshape(-1, 16, 8))
        y = y.view(batch, 2, 2, 4, 4, 8).permute(0, 1, 3, 2, 4, 5).reshape(batch, size, size, 8)
        x = x + torch.roll(y, (2, 2), (1, 2))
        quarters = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.merge(torch.cat(quarters, -1))


class ConvNext(nn.Module):
    """A block of a ConvNeXt: a norm of the channels, between two permutations."""

    def __init__(self) -> None:
        super().__init__()
        self.depth, self.norm = nn.Conv2d(6, 6, 7, padding=3, groups=6), nn.LayerNorm(6, 1e-6)
        self.grow, self.shrink = nn.Linear(6, 24), nn.Linear(24, 6)
        self.scale = nn.Parameter(torch.rand(6, 1, 1))

    def forward(self, x: Any) -> Any:
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        y = self.shrink(F.gelu(self.grow(y))).permute(0, 3, 1, 2)
        return x + self.scale * y


class Pyramid(nn.Module):
    """A detector's pyramid and head: maps of several sizes, their boxes side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.ModuleList([nn.Conv2d(3, 8, 3, 4, 1), nn.Conv2d(8, 8, 3, 2, 1)])
        self.inner = nn.ModuleList([nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1)])
        self.norm, self.boxes = nn.GroupNorm(4, 8), nn.Conv2d(8, 12, 3, padding=1)

    def forward(self, x: Any) -> Any:
        high = F.relu(self.body[0](x))
        low = F.relu(self.body[1](high))
        top = self.inner[1](low)
        maps = [self.inner[0](high) + F.interpolate(top, size=high.shape[-2:], mode="nearest"), top]
        found = []
        for one in maps:
            boxes = self.boxes(F.relu(self.norm(one)))
            n, _, h, w = boxes.shape
            found.append(boxes.view(n, -1, 4, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 4))
        return torch.cat(found, 1)


class Cells(nn.Module):
    """Cells of recurrent layers, one after the other, in a loop of a fixed length."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(8, 6), nn.GRUCell(6, 6, bias=False)
        self.tanh, self.relu = nn.RNNCell(6, 6), nn.RNNCell(6, 6, nonlinearity="relu")

    def forward(self, x: Any) -> Any:
        h = c = g = t = x[:, 0, :6]
        for i in range(x.shape[1]):
            h, c = self.lstm(x[:, i], (h, c))
            g = self.gru(h, g)
            t = self.tanh(g, t)
        return h, c, g, t, self.relu(t)


class Recurrent(nn.Module):
    """Layers with states on a sequence, and a head on the last step."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.LazyLinear(3)
        self.head(self.layer(torch.rand(2, 5, 8))[0])

    def forward(self, x: Any) -> Any:
        y, last = self.layer(x)
        return self.head(y[:, -1]), last


class Updates(nn.Module):
    """Activations and sums in place, and parts that are written to, as residual nets have them."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)

    def forward(self, x: Any) -> Any:
        y = F.hardtanh_(self.norm(self.conv(x)), 0.0, 1.0)
        y += x
        y[:, 0] = 1
        y[:, 1:3].mul_(2).add_(x[:, :2])
        mask = torch.zeros(1, 1, 8, 8)
        mask[..., 2:6, ::2] = 1
        return F.relu_(y) * mask


class Sizes(nn.Module):
    """What a program computes with the sizes of its input."""

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        pairs = x.reshape(batch * length, width)
        half = x.new_zeros(length // 2 + length % 3 + 2, width)
        most = torch.sym_max(batch, length) + torch.sym_min(length, 3)
        grid = torch.arange(length * 2 - 1, -1, -1) + x.numel()
        return (
            pairs,
            half,
            x.new_zeros(most + 2, width),
            grid,
            torch.full((length,), 0.5) + x[0, :, -1],
        )


NETS: dict[str, Net] = {
    "residual": (Residual, (picture(2, 3, 32, 32),)),
    "mobile v2": (lambda: Mobile(F.relu6, F.sigmoid), (picture(1, 4, 8, 8),)),
    "mobile v3": (lambda: Mobile(F.hardswish, F.hardsigmoid), (picture(1, 4, 8, 8),)),
    "efficient": (lambda: Mobile(F.silu, F.sigmoid), (picture(1, 4, 8, 8),)),
    "dense": (Dense, (picture(1, 4, 8, 8),)),
    "unet": (UNet, (picture(2, 3, 16, 24),)),
    "bert": (Bert, (words(2, 7), torch.tensor([[1] * 7, [1] * 4 + [0] * 3]))),
    "gpt": (Gpt, (words(2, 7),)),
    "vit": (Vit, (picture(2, 3, 16, 16),)),
    "swin": (Swin, (picture(2, 8, 8, 8),)),
    "convnext": (ConvNext, (picture(1, 6, 9, 9),)),
    "pyramid": (Pyramid, (picture(2, 3, 32, 48),)),
    "lstm": (
        lambda: Recurrent(nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)),
        (picture(2, 5, 8),),
    ),
    "gru": (lambda: Recurrent(nn.GRU(8, 6, batch_first=True, bias=False)), (picture(2, 5, 8),)),
    "rnn": (
        lambda: Recurrent(nn.RNN(8, 6, 2, batch_first=True, bidirectional=True)),
        (picture(2, 5, 8),),
    ),
    "rnn relu": (
        lambda: Recurrent(nn.RNN(8, 6, 2, "relu", batch_first=True, bias=False)),
        (picture(2, 5, 8),),
    ),
    "cells": (Cells, (picture(2, 5, 8),)),
    "updates": (Updates, (picture(2, 4, 8, 8),)),
    "sizes": (Sizes, (picture(2, 5, 8),)),
    "decoder": (
        lambda: nn.TransformerDecoderLayer(16, 2, 32, batch_first=True),
        (picture(2, 5, 16), picture(2, 7, 16)),
    ),
}

OPEN: dict[str, Any] = {
    "residual": ({0: "batch"},),
    "bert": ({0: "batch", 1: "length"}, {0: "batch", 1: "length"}),
    "gpt": ({0: "batch", 1: "length"},),
    "vit": ({0: "batch"},),
    "swin": ({0: "batch"},),
    "updates": ({0: "batch"},),
    "unet": ({0: "batch", 2: 4, 3: 4},),
    "pyramid": ({0: "batch"},),
    "sizes": ({0: "batch", 1: "length"},),
    "lstm": ({0: "batch"},),
}
"""The axes of the inputs that may have any size, by name; a number is what it must be a multiple of."""


def net_of(name: str) -> Any:
    """A net for running, the same one each time."""
    return settled(NETS[name][0])


def settled(make: Callable[[], Any]) -> Any:
    """A new net for running, with weights and statistics drawn by a seed."""
    torch.manual_seed(0)
    net = make().eval()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.2, 0.2)
            module.running_var.uniform_(0.6, 1.4)
    return net


def open_shapes(name: str) -> Any:
    """The sizes that a net is exported with as open ones."""
    made: dict[str, Any] = {}

    def dim(axis: int, given: str | int) -> Any:
        if isinstance(given, int):
            return given * torch.export.Dim(f"n{axis}", min=1, max=16)
        return made.setdefault(given, torch.export.Dim(given, min=1, max=12))

    return tuple({axis: dim(axis, d) for axis, d in axes.items()} for axes in OPEN[name])
