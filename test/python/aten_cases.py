"""What convert-aten-to-onnx is tested on: functions of PyTorch, and their inputs, by family: layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
A: Any = torch.ops.aten


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    made = torch.Generator().manual_seed(sum(shape) + len(shape))
    return torch.rand(shape, generator=made) * (high - low) + low


def ints(*shape: int, low: int = -9, high: int = 10, dtype: Any = torch.int64) -> Any:
    made = torch.Generator().manual_seed(7)
    return torch.randint(low, high, shape, generator=made).to(dtype)


def bools(*shape: int) -> Any:
    return ints(*shape) > 0


# The cases: what is computed, and on what.

Case = tuple[Callable[..., Any], tuple[Any, ...]]
X4 = floats(2, 4, 6, 7)
X3 = floats(2, 4, 9)
X2 = floats(5, 6)

CONVOLUTIONS: dict[str, Case] = {
    "conv1d": (F.conv1d, (X3, floats(3, 4, 3), floats(3))),
    "conv2d": (
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=(1, 2)),
        (X4, floats(3, 4, 3, 2), floats(3)),
    ),
    "conv2d dilated": (
        lambda x, w: F.conv2d(x, w, dilation=2, padding=1),
        (X4, floats(3, 4, 2, 2)),
    ),
    "conv2d grouped": (lambda x, w: F.conv2d(x, w, groups=4), (X4, floats(8, 1, 2, 2))),
    "conv2d same": (lambda x, w: F.conv2d(x, w, padding="same"), (X4, floats(3, 4, 4, 3))),
    "conv2d same dilated": (
        lambda x, w: F.conv2d(x, w, padding="same", dilation=(1, 2)),
        (X4, floats(3, 4, 4, 2)),
    ),
    "conv2d valid": (
        lambda x, w: F.conv2d(x, w, padding="valid", stride=2),
        (X4, floats(3, 4, 2, 2)),
    ),
    "conv2d single": (F.conv2d, (floats(4, 6, 7), floats(3, 4, 2, 2))),
    "conv3d": (
        lambda x, w: F.conv3d(x, w, padding=1),
        (floats(1, 2, 3, 4, 5), floats(3, 2, 3, 3, 3)),
    ),
    "conv_transpose1d": (
        lambda x, w: F.conv_transpose1d(x, w, stride=2, output_padding=1),
        (X3, floats(4, 3, 3)),
    ),
    "conv_transpose2d": (
        lambda x, w, b: F.conv_transpose2d(
            x, w, b, stride=(2, 3), padding=1, output_padding=(1, 2)
        ),
        (X4, floats(4, 3, 3, 3), floats(3)),
    ),
    "conv_transpose2d grouped": (
        lambda x, w: F.conv_transpose2d(x, w, groups=2, dilation=2),
        (X4, floats(4, 3, 2, 3)),
    ),
    "conv_transpose3d": (F.conv_transpose3d, (floats(1, 2, 3, 4, 5), floats(2, 3, 2, 2, 2))),
    "convolution": (
        lambda x, w: A.convolution(x, w, None, [2, 1], [1, 1], [1, 1], False, [0, 0], 1),
        (X4, floats(3, 4, 3, 3)),
    ),
    "convolution transposed": (
        lambda x, w: A.convolution(x, w, None, [2, 2], [1, 1], [1, 1], True, [1, 0], 2),
        (X4, floats(4, 3, 3, 3)),
    ),
}

PRODUCTS: dict[str, Case] = {
    "linear": (F.linear, (X2, floats(3, 6), floats(3))),
    "linear of three": (F.linear, (floats(2, 5, 6), floats(3, 6), floats(3))),
    "linear of one": (F.linear, (floats(6), floats(3, 6), floats(3))),
    "linear without bias": (F.linear, (floats(2, 5, 6), floats(3, 6))),
    "addmm": (
        lambda x, a, c: torch.addmm(x, a, c, beta=0.5, alpha=2),
        (floats(3), X2, floats(6, 3)),
    ),
    "addmm of beta 0": (
        lambda x, a, c: torch.addmm(x, a, c, beta=0),
        (floats(3), X2, floats(6, 3)),
    ),
    "baddbmm": (
        lambda x, a, c: torch.baddbmm(x, a, c, beta=0.5, alpha=2),
        (floats(2, 5, 3), floats(2, 5, 6), floats(2, 6, 3)),
    ),
    "mm": (torch.mm, (X2, floats(6, 3))),
    "mm of integers": (torch.mm, (ints(5, 6), ints(6, 3))),
    "bmm": (torch.bmm, (floats(2, 5, 6), floats(2, 6, 3))),
    "mv": (torch.mv, (X2, floats(6))),
    "dot": (torch.dot, (floats(6), floats(6))),
    "outer": (torch.outer, (floats(5), floats(6))),
    "matmul 1 2": (torch.matmul, (floats(5), floats(5, 3))),
    "matmul 2 1": (torch.matmul, (X2, floats(6))),
    "matmul 3 2": (torch.matmul, (floats(2, 5, 6), floats(6, 3))),
    "matmul 4 3": (torch.matmul, (floats(2, 3, 5, 6), floats(3, 6, 2))),
    "einsum": (
        lambda x, y: torch.einsum("B H I D, B H J D -> B H I J", x, y),
        (floats(2, 3, 4, 5), floats(2, 3, 6, 5)),
    ),
}

NORMS: dict[str, Case] = {
    "batch_norm": (
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, eps=1e-3),
        (X4, floats(4), floats(4, low=0.5), floats(4), floats(4, low=0.1)),
    ),
    "batch_norm without affine": (
        lambda x, m, v: F.batch_norm(x, m, v),
        (X4, floats(4), floats(4, low=0.5)),
    ),
    "batch_norm of two": (
        lambda x, m, v: F.batch_norm(x, m, v),
        (X2, floats(6), floats(6, low=0.5)),
    ),
    "batch_norm in core": (
        lambda x, m, v, w, b: A._native_batch_norm_legit_no_training(x, w, b, m, v, 0.1, 1e-5)[0],
        (X4, floats(4), floats(4, low=0.5), floats(4), floats(4, low=0.1)),
    ),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (7,), w, b),
        (X4, floats(7), floats(7, low=0.1)),
    ),
    "layer_norm of two": (lambda x, w: F.layer_norm(x, (6, 7), w), (X4, floats(6, 7))),
    "layer_norm without affine": (lambda x: F.layer_norm(x, (7,), eps=1e-3), (X4,)),
    "layer_norm in core": (
        lambda x, w, b: A.native_layer_norm(x, [7], w, b, 1e-5)[0],
        (X4, floats(7), floats(7, low=0.1)),
    ),
    "rms_norm": (lambda x, w: F.rms_norm(x, (7,), w, 1e-5), (X4, floats(7))),
    "rms_norm without eps": (lambda x: F.rms_norm(x, (7,)), (X4,)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), (X4, floats(4), floats(4, low=0.1))),
    "group_norm of three": (lambda x: F.group_norm(x, 2), (X3,)),
    "group_norm in core": (
        lambda x, w, b: A.native_group_norm(x, w, b, 2, 4, 42, 2, 1e-5)[0],
        (X4, floats(4), floats(4, low=0.1)),
    ),
    "instance_norm": (
        lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
        (X4, floats(4), floats(4, low=0.1)),
    ),
    "instance_norm by statistics": (
        lambda x, m, v: F.instance_norm(x, m, v, use_input_stats=False),
        (X4, floats(4), floats(4, low=0.5)),
    ),
}

POOLINGS: dict[str, Case] = {
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2), (X3,)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), (X4,)),
    "max_pool2d dilated": (lambda x: F.max_pool2d(x, (2, 3), 1, dilation=2), (X4,)),
    "max_pool2d ceil": (lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True), (X4,)),
    "max_pool2d ceil in the padding": (
        lambda x: F.max_pool2d(x, 2, 2, 1, ceil_mode=True),
        (floats(1, 2, 5, 5),),
    ),
    "max_pool2d single": (lambda x: F.max_pool2d(x, 2), (floats(4, 6, 7),)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (floats(1, 2, 4, 4, 6),)),
    "max_pool2d in core": (
        lambda x: A.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1])[0],
        (X4,),
    ),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 3, 2, 1), (X3,)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1), (X4,)),
    "avg_pool2d without padding": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        (X4,),
    ),
    "avg_pool2d ceil": (lambda x: F.avg_pool2d(x, 2, 2, ceil_mode=True), (X4,)),
    "avg_pool2d ceil without padding": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        (X4,),
    ),
    "avg_pool2d of a divisor": (lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5), (X4,)),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, 1, 1), (floats(1, 2, 4, 4, 6),)),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 3), (X3,)),
    "adaptive_avg_pool2d to one": (lambda x: F.adaptive_avg_pool2d(x, 1), (X4,)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (3, None)), (X4,)),
    "adaptive_avg_pool2d inexact": (lambda x: F.adaptive_avg_pool2d(x, (4, 3)), (X4,)),
    "adaptive_avg_pool2d larger": (lambda x: F.adaptive_avg_pool2d(x, (9, 10)), (X4,)),
    "adaptive_avg_pool2d single": (lambda x: F.adaptive_avg_pool2d(x, (2, 7)), (floats(4, 6, 7),)),
    "adaptive_avg_pool3d": (
        lambda x: F.adaptive_avg_pool3d(x, (1, 2, 3)),
        (floats(1, 2, 4, 4, 6),),
    ),
    "adaptive_avg_pool2d in core": (lambda x: A._adaptive_avg_pool2d(x, [2, 7]), (X4,)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (3, 1)), (X4,)),
}

RESIZING: dict[str, Case] = {
    f"{mode} {name}": (lambda x, mode=mode, how=how: F.interpolate(x, mode=mode, **how), (x,))
    for mode, x, aligns in (
        ("nearest", X4, (None,)),
        ("nearest-exact", X4, (None,)),
        ("bilinear", X4, (False, True)),
        ("bicubic", X4, (False, True)),
        ("linear", X3, (False, True)),
        ("trilinear", floats(1, 2, 3, 4, 5), (False, True)),
    )
    for aligned in aligns
    for name, how in (
        (f"to a size, aligned {aligned}", {"size": tuple(n + 5 for n in x.shape[2:])}),
        (
            f"to a smaller size, aligned {aligned}",
            {"size": tuple(max(n - 2, 1) for n in x.shape[2:])},
        ),
        (f"by 2, aligned {aligned}", {"scale_factor": 2.0}),
        (f"by 1.5, aligned {aligned}", {"scale_factor": 1.5}),
    )
    for how in ({**how, **({} if aligned is None else {"align_corners": aligned})},)
}
RESIZING |= {
    "bilinear by the ratio": (
        lambda x: F.interpolate(
            x, scale_factor=1.3, mode="bilinear", recompute_scale_factor=True, align_corners=False
        ),
        (X4,),
    ),
    "grid_sample": (
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        (X4, floats(2, 3, 5, 2, low=-1.2, high=1.2)),
    ),
    "grid_sample border": (
        lambda x, g: F.grid_sample(x, g, padding_mode="border", align_corners=True),
        (X4, floats(2, 3, 5, 2, low=-1.2, high=1.2)),
    ),
}

Q, K, V = floats(2, 4, 5, 8), floats(2, 4, 7, 8), floats(2, 4, 7, 6)
OPEN = torch.tensor(
    [[1, 0, 1, 0, 0, 0, 1], [0] * 7, [1] * 7, [0] * 7, [0, 0, 0, 0, 0, 0, 1]], dtype=torch.bool
)
"""A mask, in two of whose rows nothing is seen."""
LOWEST = torch.zeros(5, 7).masked_fill(~OPEN, torch.finfo(torch.float32).min)
LEFT_OUT = torch.where(torch.arange(7) < 4, LOWEST, LOWEST + LOWEST)
"""Both ways to leave keys out, in two rows nothing else."""

ATTENTION: dict[str, Case] = {
    "attention": (F.scaled_dot_product_attention, (Q, K, V)),
    "attention with a mask": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
        (Q, K, V, floats(5, 7)),
    ),
    "attention with a Boolean mask": (
        lambda q, k, v: F.scaled_dot_product_attention(
            q, k, v, torch.ones(5, 7, dtype=torch.bool).tril(2)
        ),
        (Q, K, V),
    ),
    "attention with rows that see nothing": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
        (Q, K, V, OPEN),
    ),
    "attention with rows of -inf": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
        (Q, K, V, torch.zeros(5, 7).masked_fill(~OPEN, -torch.inf)),
    ),
    "attention with rows of the lowest number": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
        (Q, K, V, LOWEST),
    ),
    "attention with rows of the lowest number and of -inf": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
        (Q, K, V, LEFT_OUT),
    ),
    "attention with a mask that is made": (
        lambda q, k, v, m: F.scaled_dot_product_attention(
            q, k, v, (1 - m[:, None, None].float()) * torch.finfo(torch.float32).min
        ),
        (Q, K, V, OPEN[:2]),
    ),
    "attention causal": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        (Q, K, V),
    ),
    "attention of a scale": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3),
        (Q, K, V),
    ),
    "attention of groups": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        (Q, K[:, :2].clone(), V[:, 2:].clone()),
    ),
}
