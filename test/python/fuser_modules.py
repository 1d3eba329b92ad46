"""Modules that Intel's extension for PyTorch tests its oneDNN fuser on, as nn.Modules.

They follow the names and op sequences of its two test files, those of version 1.10 and of the last version.
Only torch is imported, so that the extension's own Python can run them too (`benchmarks/ipex/groups.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """A module, and the shapes of what it takes."""

    name: str
    build: Callable[[], nn.Module]
    shapes: tuple[Shape, ...]
    bf16: bool = False
    """Whether the original runs it with bfloat16 in place of float32."""
    skip_kinds: tuple[str, ...] = field(default=())

    def module(self) -> nn.Module:
        """The module with its own random weights, the same ones each time."""
        torch.manual_seed(0)
        return self.build().eval()

    def inputs(self, seed: int = 1) -> tuple[Tensor, ...]:
        """Random inputs; the same seed gives the same ones."""
        generator = torch.Generator().manual_seed(seed)
        return tuple(torch.randn(shape, generator=generator) for shape in self.shapes)


CASES: dict[str, Case] = {}


def _case(name: str, build: Callable[[], nn.Module], *shapes: Shape, bf16: bool = False) -> None:
    CASES[name] = Case(name, build, shapes, bf16)


class Chain(nn.Module):
    """Calls modules and functions one after the other."""

    def __init__(self, *steps: nn.Module | Callable[[Tensor], Tensor]):
        super().__init__()
        self.steps = [s if not isinstance(s, nn.Module) else i for i, s in enumerate(steps)]
        self.held = nn.ModuleDict(
            {str(i): s for i, s in enumerate(steps) if isinstance(s, nn.Module)}
        )

    def forward(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = self.held[str(step)](x) if isinstance(step, int) else step(x)
        return x


def conv(inside: int = 32, outside: int = 32, size: int = 3, **options: object) -> nn.Conv2d:
    """A convolution that keeps the size of the image."""
    return nn.Conv2d(inside, outside, size, padding=size // 2, **options)


IMAGE = (1, 32, 28, 28)

# One op.

_case("conv2d_int8_in_f32_out", conv, IMAGE)
_case("conv2d_int8_in_f32_out_groups", lambda: conv(groups=2, bias=False), IMAGE)
_case("conv3d_int8_in_f32_out", lambda: nn.Conv3d(16, 32, 3, padding=1), (1, 16, 8, 14, 14))
_case("deconv2d_int8_in_f32_out", lambda: nn.ConvTranspose2d(32, 32, 3, stride=2), IMAGE)
_case("deconv3d_int8_in_f32_out", lambda: nn.ConvTranspose3d(16, 32, 3, stride=2), (1, 16, 6, 7, 7))
_case("linear_int8_in_f32_out", lambda: nn.Linear(28, 64), (2, 28))
_case(
    "linear_int8_in_int8_out", lambda: nn.Sequential(nn.Linear(28, 64), nn.Linear(64, 28)), (2, 28)
)
_case(
    "linear_int8_in_bf16_out",
    lambda: nn.Sequential(nn.Linear(28, 64), nn.Linear(64, 28)),
    (2, 28),
    bf16=True,
)


class ConvPool(nn.Module):
    """conv -> max_pool2d -> conv"""

    def __init__(self):
        super().__init__()
        self.first, self.second = conv(), conv()

    def forward(self, x: Tensor) -> Tensor:
        return self.second(functional.max_pool2d(self.first(x), 3, 2, 1))


_case("max_pool2d", ConvPool, IMAGE)


class SharedWeight(nn.Module):
    """Three convolutions by one weight."""

    def __init__(self):
        super().__init__()
        self.conv = conv()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.conv(self.conv(x)) + self.conv(y)


_case("conv_share_dequant_weight", SharedWeight, IMAGE, IMAGE)


class ScalarSum(nn.Module):
    """A sum with a number."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, 1.5)


_case("add_scalar_input", ScalarSum, (4, 8, 16))


class SixDimensions(nn.Module):
    """A linear layer between windows of six dimensions."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(96, 288)

    def forward(self, x: Tensor) -> Tensor:
        x = x.view(1, 8, 7, 8, 7, 96).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 49, 96)
        return self.linear(x)


_case("reshape_6D_linear", SixDimensions, (1, 56, 56, 96))


class Product(nn.Module):
    """The product of two tensors, of the second transposed if `turned`."""

    def __init__(self, turned: bool = False):
        super().__init__()
        self.turned = turned

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.matmul(x, y.transpose(-1, -2) if self.turned else y)


HEADS = ((4, 4, 16, 32), (4, 4, 32, 16))
_case("bmm_int8_in_f32_out", Product, *HEADS)
_case("3d_bmm_int8_in_f32_out", Product, (4, 16, 32), (4, 32, 16))
_case(
    "strided_bmm_int8_in_bf16_out", lambda: Product(True), (4, 4, 16, 32), (4, 4, 16, 32), bf16=True
)


class Scores(nn.Module):
    """Scores of an attention, and their softmax."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.softmax(torch.matmul(x, y), -1)


_case("mixed_precision_softmax", Scores, *HEADS, bf16=True)

# Chains behind convolutions and linear layers.

ELTWISE: dict[str, Callable[[], nn.Module | Callable[[Tensor], Tensor]]] = {
    "relu": nn.ReLU,
    "relu_": lambda: nn.ReLU(inplace=True),
    "leaky_relu": lambda: nn.LeakyReLU(0.1),
    "leaky_relu_": lambda: nn.LeakyReLU(0.1, inplace=True),
    "sigmoid": lambda: torch.sigmoid,
    "sigmoid_": lambda: torch.sigmoid_,
    "round": lambda: torch.round,
    "abs": lambda: torch.abs,
    "square": lambda: torch.square,
    "exp": lambda: torch.exp,
    "hardswish": nn.Hardswish,
    "hardswish_": lambda: nn.Hardswish(inplace=True),
    "tanh": lambda: torch.tanh,
    "hardtanh": lambda: nn.Hardtanh(-1.0, 1.0),
    "hardtanh_": lambda: nn.Hardtanh(-1.0, 1.0, inplace=True),
    "mish": nn.Mish,
    "silu": nn.SiLU,
    "silu_": lambda: nn.SiLU(inplace=True),
    "gelu": nn.GELU,
}

for _name, _make in ELTWISE.items():
    _case(f"conv2d_{_name}", lambda make=_make: Chain(conv(), make(), conv()), IMAGE)

_case(
    "conv2d_clamp",
    lambda: Chain(
        conv(),
        lambda x: torch.clamp(x, min=-2, max=3),
        conv(),
        lambda x: torch.clamp(x, min=float("-inf"), max=4),
        conv(),
        lambda x: torch.clamp(x, min=-1, max=float("inf")),
        conv(),
        lambda x: torch.clamp_(x, min=-3),
        conv(),
        lambda x: torch.clamp_(x, max=5),
    ),
    IMAGE,
)
_case("deconv_silu", lambda: Chain(nn.ConvTranspose2d(32, 32, 3), nn.SiLU(), conv()), IMAGE)
_case("conv2d_bn", lambda: nn.Sequential(conv(), nn.BatchNorm2d(32)), IMAGE)
_case(
    "conv2d_bn_relu", lambda: Chain(conv(), nn.BatchNorm2d(32), nn.ReLU(), lambda x: x + 0.5), IMAGE
)
_case("linear_bn_1d", lambda: nn.Sequential(nn.Linear(32, 32), nn.BatchNorm1d(32)), (4, 32))
_case(
    "conv_bn_linear_bn",
    lambda: Chain(conv(), nn.BatchNorm2d(32), nn.Linear(28, 64), nn.BatchNorm2d(32)),
    IMAGE,
)
for _name in ("relu", "sigmoid", "gelu", "silu", "tanh", "relu_"):
    for _bias in (True, False):
        _case(
            f"linear_{_name}{'' if _bias else '_no_bias'}",
            lambda make=ELTWISE[_name], bias=_bias: Chain(
                nn.Linear(28, 64, bias=bias), make(), nn.Linear(64, 10, bias=bias)
            ),
            (2, 28),
        )
_case(
    "linear_gelu_bf16",
    lambda: Chain(nn.Linear(28, 64), nn.GELU(), nn.Linear(64, 10)),
    (2, 28),
    bf16=True,
)


class SqueezeExcite(nn.Module):
    """conv -> relu -> conv -> sigmoid, times what came in."""

    def __init__(self, gate: Callable[[Tensor], Tensor], *, inplace: bool = False):
        super().__init__()
        self.first, self.down, self.up, self.last = conv(), conv(32, 8, 1), conv(8, 32, 1), conv()
        self.gate, self.inplace = gate, inplace

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        gate = self.gate(self.up(torch.relu(self.down(x.mean((2, 3), keepdim=True)))))
        return self.last(x.mul_(gate) if self.inplace else x * gate)


_case("conv_relu_sigmoid_mul", lambda: SqueezeExcite(torch.sigmoid), IMAGE)


class OwnGate(nn.Module):
    """conv -> its sigmoid, times itself."""

    def __init__(self, gate: Callable[[Tensor], Tensor]):
        super().__init__()
        self.conv, self.gate = conv(), gate

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        return x.mul_(self.gate(x))


_case("conv2d_sigmoid_mul_", lambda: OwnGate(torch.sigmoid), IMAGE)
_case("conv2d_hardsigmoid_mul_", lambda: OwnGate(functional.hardsigmoid), IMAGE)
_case("conv_eltwise_tensor_method", lambda: Chain(conv(), lambda x: x.sigmoid_(), conv()), IMAGE)


class ConvSum(nn.Module):
    """conv -> relu, to which another convolution is added, and a third convolution."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = conv(), conv(), conv()
        self.norms = nn.ModuleList(nn.BatchNorm2d(32) for _ in range(3))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        x = torch.relu(self.norms[0](self.one(x)))
        y = self.norms[1](self.two(y))
        return self.norms[2](self.three(torch.relu(x + y)))


_case("conv2d_sum", ConvSum, IMAGE, IMAGE)


class PlainSum(nn.Module):
    """A sum of two convolutions of three, without anything behind it."""

    def __init__(self):
        super().__init__()
        self.one, self.two = conv(), conv()

    def forward(self, x: Tensor) -> Tensor:
        return self.two(self.one(x) + x)


_case("add_quantization", PlainSum, IMAGE)


class LinearSum(nn.Module):
    """linear -> dropout, plus another tensor, and another linear layer."""

    def __init__(self, *, inplace: bool = False):
        super().__init__()
        self.one, self.two = nn.Linear(15, 20), nn.Linear(20, 3)
        self.dropout, self.inplace = nn.Dropout(), inplace

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        x = self.dropout(self.one(x))
        x = x.add_(y) if self.inplace else x + y
        return self.two(x)


_case("linear_dropout_sum", LinearSum, (2, 15), (2, 20))
_case("linear_sum_inplace", lambda: LinearSum(inplace=True), (2, 15), (2, 20))
_case("linear_dropout_sum_bf16", LinearSum, (2, 15), (2, 20), bf16=True)


class ManySums(nn.Module):
    """Four linear layers, summed."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(15, 20) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        one, two, three, four = (layer(x) for layer in self.layers)
        return (one + two) + (three + four)


_case("linear_with_multiple_add", ManySums, (2, 15))


# Sizes, views, and other readers.


class LateSizes(nn.Module):
    """A size is read of what a linear layer and a ReLU give."""

    def __init__(self):
        super().__init__()
        self.linear, self.last = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.linear(x))
        return self.last(x.view(x.size(0), -1, 64))


_case("defer_size", LateSizes, (2, 3, 32))


class Heads(nn.Module):
    """Two linear layers, views of heads, and the product of their results."""

    def __init__(self, *, softmax: bool = False):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(32, 32)
        self.softmax = softmax

    def heads(self, x: Tensor) -> Tensor:
        """Views of four heads."""
        return x.view(x.size(0), x.size(1), 4, 8).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        query, key = self.heads(self.query(x)), self.heads(self.key(x)).transpose(-1, -2)
        scores = torch.matmul(query, key)
        if not self.softmax:
            return scores
        attended = torch.softmax(scores / 8**0.5, -1) @ self.heads(self.value(x))
        return attended.permute(0, 2, 1, 3).reshape(x.shape)


_case("lift_up_quant", Heads, (2, 16, 32))
_case("lift_up_to_quant_bf16", Heads, (2, 16, 32), bf16=True)
_case("mha_pattern_int8_fp32", lambda: Heads(softmax=True), (2, 16, 32))


class TwoReaders(nn.Module):
    """A view that is read twice, once as floats."""

    def __init__(self):
        super().__init__()
        self.linear, self.last = nn.Linear(32, 32), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        view = self.linear(x).view(x.size(0), x.size(1), 4, 8)
        return self.last(view), view


_case("lift_up_quant_unsupported", TwoReaders, (2, 16, 32))


class Wildcard(nn.Module):
    """A convolution that a list holds too."""

    def __init__(self):
        super().__init__()
        self.conv = conv()

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.conv(x)
        return [x, torch.relu(x)]


_case("wildcard", Wildcard, IMAGE)


class Scaled(nn.Module):
    """A product of two tensors, divided, and perhaps a sum."""

    def __init__(self, by: float | str, *, turned: bool = False, add: bool = False):
        super().__init__()
        self.by, self.turned, self.add = by, turned, add

    def forward(self, x: Tensor, y: Tensor, *more: Tensor) -> Tensor:
        product = torch.matmul(x, y.transpose(-1, -2) if self.turned else y)
        divided = product / (more[0] if self.by == "tensor" else self.by)
        return divided + more[-1] if self.add else divided


_case("bmm_div_scalar", lambda: Scaled(2.0), *HEADS)
_case("bmm_div_identity", lambda: Scaled(1.0), *HEADS)
_case("bmm_div_tensor", lambda: Scaled("tensor"), *HEADS, (4, 4, 16, 16))
_case("bmm_div_int8_in_bf16_out", lambda: Scaled(2.0), *HEADS, bf16=True)
_case(
    "strided_bmm_div_int8_in_bf16_out",
    lambda: Scaled(2.0, turned=True),
    (4, 4, 16, 32),
    (4, 4, 16, 32),
    bf16=True,
)
_case("bmm_div_add_int8_fp32", lambda: Scaled(2.0, add=True), *HEADS, (4, 1, 1, 16))
_case("bmm_div_add_int8_bf16", lambda: Scaled(2.0, add=True), *HEADS, (4, 1, 1, 16), bf16=True)


class Split(nn.Module):
    """One tensor that two products read."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(32, 32), nn.Linear(32, 16)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(x)
        return self.one(x), self.two(x)


_case("split_dequant_to", Split, (2, 32), bf16=True)


class FeedForward(nn.Module):
    """layer_norm -> linear -> gelu -> linear, plus what came in."""

    def __init__(self):
        super().__init__()
        self.norm, self.one, self.two = nn.LayerNorm(64), nn.Linear(64, 256), nn.Linear(256, 64)

    def forward(self, x: Tensor) -> Tensor:
        return self.two(functional.gelu(self.one(self.norm(x)))) + x


_case("ffn_residual", FeedForward, (2, 16, 64))


class InPlace(nn.Module):
    """In-place ops whose operand is read again."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.three, self.four = conv(), conv(), conv(), conv()

    def forward(self, x: Tensor) -> Tensor:
        first = self.one(x)
        second = self.two(torch.relu_(first))
        second.add_(first)
        return self.four(torch.sigmoid(self.three(second)))


_case("inplace_computation_accuracy", InPlace, IMAGE)


class ConvReshape(nn.Module):
    """conv -> reshape -> linear"""

    def __init__(self):
        super().__init__()
        self.conv, self.linear = conv(4, 4), nn.Linear(196, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv(x))
        return self.linear(x.reshape(x.size(0), 4, -1))


_case("conv_reshape", ConvReshape, (1, 4, 14, 14))


class AddRecipe(nn.Module):
    """conv -> add -> relu if `relu`, else conv -> add"""

    def __init__(self, relu: bool):
        super().__init__()
        self.conv, self.last, self.relu = conv(), conv(), relu

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        x = self.conv(x) + y
        return self.last(torch.relu(x) if self.relu else x)


_case("add_recipe_relu", lambda: AddRecipe(True), IMAGE, IMAGE)
_case("add_recipe", lambda: AddRecipe(False), IMAGE, IMAGE)
