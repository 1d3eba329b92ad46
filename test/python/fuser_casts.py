"""The modules of the original's fuser tests that run in bfloat16, as torch.export writes them under autocast.

Quantized by fixed scales, with the casts written out: what is rounded to 8 bits is dequantized to float32 and
cast to bfloat16, and a sum of bfloat16 and float32 is float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed
from torch import Tensor, nn
from torch.nn import functional

UNTYPED: Any = torch
QUANTIZED: Any = UNTYPED.ops.quantized_decomposed
BYTES = (1 / 32, 128, 0, 255, torch.uint8)


def rounded(x: Tensor) -> Tensor:
    """An activation as 8 bits say it, in bfloat16."""
    bits = QUANTIZED.quantize_per_tensor(x.to(torch.float32), *BYTES)
    return QUANTIZED.dequantize_per_tensor(bits, *BYTES).to(torch.bfloat16)


class Linear(nn.Module):
    """A linear layer by a weight of 8 bits, in bfloat16; of an input that is rounded if `rounds`."""

    scales: Tensor
    zeros: Tensor
    weight: Tensor

    def __init__(self, inside: int, outside: int, *, rounds: bool = True):
        super().__init__()
        exact = nn.Linear(inside, outside)
        scales = exact.weight.detach().abs().amax(1) / 127
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", torch.zeros(outside, dtype=torch.int64))
        self.register_buffer(
            "weight", (exact.weight.detach() / scales[:, None]).round().to(torch.int8)
        )
        self.bias = nn.Parameter(exact.bias.detach())
        self.rounds = rounds

    def forward(self, x: Tensor) -> Tensor:
        weight = QUANTIZED.dequantize_per_channel(
            self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        x = rounded(x) if self.rounds else x
        return functional.linear(x, weight.to(torch.bfloat16), self.bias.to(torch.bfloat16))


class Pair(nn.Module):
    """Two linear layers; the second takes what the first makes, in bfloat16."""

    def __init__(self, act: nn.Module, outside: int):
        super().__init__()
        self.one, self.act = Linear(28, 64), act
        self.two = Linear(64, outside, rounds=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.two(self.act(self.one(x)))


class Product(nn.Module):
    """The product of two rounded tensors, of the second transposed if `turned`, and what follows it."""

    def __init__(self, then: Callable[..., Tensor] = lambda x: x, *, turned: bool = False):
        super().__init__()
        self.then, self.turned = then, turned

    def forward(self, x: Tensor, y: Tensor, *more: Tensor) -> Tensor:
        y = y.transpose(-1, -2) if self.turned else y
        return self.then(torch.matmul(rounded(x), rounded(y)), *more)


class LinearSum(nn.Module):
    """linear, plus a tensor of float32, and another linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = Linear(15, 20), Linear(20, 3)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.two(self.one(x) + y)


class Heads(nn.Module):
    """Two linear layers, views of heads, and the product of their results."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = Linear(32, 32), Linear(32, 32)

    def heads(self, x: Tensor) -> Tensor:
        """Views of four heads."""
        return x.view(x.size(0), x.size(1), 4, 8).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        query, key = self.heads(self.query(x)), self.heads(self.key(x))
        return torch.matmul(query, key.transpose(-1, -2))


class Split(nn.Module):
    """One rounded tensor that two linear layers read."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = Linear(32, 32, rounds=False), Linear(32, 16, rounds=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = rounded(torch.relu(x))
        return self.one(x), self.two(x)


BUILT: dict[str, Callable[[], nn.Module]] = {
    "linear_int8_in_bf16_out": lambda: Pair(nn.Identity(), 28),
    "strided_bmm_int8_in_bf16_out": lambda: Product(turned=True),
    "mixed_precision_softmax": lambda: Product(lambda x: torch.softmax(x.to(torch.float32), -1)),
    "linear_gelu_bf16": lambda: Pair(nn.GELU(), 10),
    "linear_dropout_sum_bf16": LinearSum,
    "lift_up_to_quant_bf16": Heads,
    "bmm_div_int8_in_bf16_out": lambda: Product(lambda x: x / 2.0),
    "strided_bmm_div_int8_in_bf16_out": lambda: Product(lambda x: x / 2.0, turned=True),
    "bmm_div_add_int8_bf16": lambda: Product(lambda x, y: x / 2.0 + y),
    "split_dequant_to": Split,
}
