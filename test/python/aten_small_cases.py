"""What convert-aten-to-onnx is tested on: elementwise ops, shapes, parts, indices, reductions."""

from __future__ import annotations

from typing import Any

import pytest
from aten_cases import X2, X3, X4, Case, bools, floats, ints

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional
A: Any = torch.ops.aten

POSITIVE = floats(3, 4, low=0.1, high=3.0)
WHOLE = ints(3, 4)
TOUCHY = torch.tensor([-7.0, -3.5, -2.0, -0.5, 0.0, 0.5, 2.0, 3.5, 7.0])
DIVISORS = torch.tensor([2.0, -2.0, 0.5, -3.0, 1.0, 0.3, -0.7, 2.5, -7.0])
WHOLE_DIVISORS = torch.tensor([[3, -3, 2, -2], [7, -7, 5, 1], [-1, 4, -4, 9]])
WHOLE_TOO = "abs ceil floor neg round sign trunc square sin exp sigmoid logical_not bitwise_not"

ACTIVATIONS: dict[str, Case] = {
    name: (function, (X2 * 4,))
    for name, function in {
        "gelu": F.gelu,
        "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
        "hardtanh": lambda x: F.hardtanh(x, -0.5, 1.5),
        "relu6": F.relu6,
        "hardsigmoid": F.hardsigmoid,
        "hardswish": F.hardswish,
        "silu": F.silu,
        "mish": F.mish,
        "relu": F.relu,
        "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
        "elu": lambda x: F.elu(x, 0.7),
        "celu": lambda x: F.celu(x, 0.7),
        "selu": F.selu,
        "softsign": F.softsign,
        "elu of scales": lambda x: A.elu(x, 0.7, 1.2, 0.4),
        "logsigmoid": F.logsigmoid,
        "softplus": F.softplus,
        "softplus of beta": lambda x: F.softplus(x, 2.0, 3.0),
        "threshold": lambda x: F.threshold(x, 0.5, -1.0),
        "hardshrink": lambda x: F.hardshrink(x, 0.7),
        "softshrink": lambda x: F.softshrink(x, 0.7),
        "tanhshrink": F.tanhshrink,
        "glu": lambda x: F.glu(x, 1),
        "softmax": lambda x: F.softmax(x, 0),
        "softmax of integers": lambda x: F.softmax(x.to(torch.int32), -1, dtype=torch.float32),
        "log_softmax": lambda x: F.log_softmax(x, -1),
        "softmax in core": lambda x: A._softmax(x, 1, False),
        "log_softmax in core": lambda x: A._log_softmax(x, 0, False),
        "dropout": lambda x: F.dropout(x, 0.5, False),
    }.items()
}
ACTIVATIONS |= {
    "prelu": (F.prelu, (X4, floats(4))),
    "prelu of one": (F.prelu, (X4, floats(1))),
    "prelu of two": (F.prelu, (X2, floats(6))),
}

UNARY: dict[str, Case] = {
    name: (getattr(torch, name), (x,))
    for names, x in (
        ("abs ceil floor neg round sign trunc isnan isinf square", TOUCHY),
        ("sin cos tan tanh sinh cosh asinh atan erf exp sigmoid exp2 expm1 deg2rad rad2deg", X2),
        ("sqrt rsqrt reciprocal log log2 log10 log1p", POSITIVE),
        ("asin acos atanh", X2 / 3),
        ("acosh", POSITIVE + 1),
        ("logical_not", TOUCHY),
    )
    for name in names.split()
} | {f"{name} of integers": (getattr(torch, name), (WHOLE,)) for name in WHOLE_TOO.split()}

BINARY: dict[str, Case] = {
    "add": (torch.add, (X2, floats(6))),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=0.5), (X2, floats(6))),
    "add number": (lambda x: x + 2, (X2,)),
    "add number to integers": (lambda x: x + 1.5, (WHOLE,)),
    "add integers to floats": (torch.add, (floats(3, 4), WHOLE)),
    "add narrow integers": (torch.add, (WHOLE.to(torch.int32), WHOLE)),
    "add a scalar tensor": (torch.add, (WHOLE.to(torch.int32), torch.tensor(3))),
    "add a scalar float": (torch.add, (WHOLE, torch.tensor(1.5, dtype=torch.float64))),
    "add Booleans": (torch.add, (bools(3, 4), bools(4))),
    "add Booleans to integers": (torch.add, (bools(3, 4), WHOLE)),
    "sub": (lambda x, y: torch.sub(x, y, alpha=2), (X2, floats(6))),
    "sub from a number": (lambda x: 1 - x, (X2,)),
    "rsub": (lambda x: torch.rsub(x, 3, alpha=2), (X2,)),
    "mul": (torch.mul, (X2, floats(6))),
    "mul Booleans": (torch.mul, (bools(3, 4), bools(4))),
    "mul number": (lambda x: x * 0.25, (X2,)),
    "div": (torch.div, (X2, floats(6, low=0.5))),
    "div integers": (torch.div, (WHOLE, WHOLE_DIVISORS)),
    "div number": (lambda x: x / 3, (WHOLE,)),
    "div floor": (lambda x, y: torch.div(x, y, rounding_mode="floor"), (TOUCHY, DIVISORS)),
    "div trunc": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), (TOUCHY, DIVISORS)),
    "div floor integers": (
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        (WHOLE, WHOLE_DIVISORS),
    ),
    "div trunc integers": (
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        (WHOLE, WHOLE_DIVISORS),
    ),
    "floor_divide": (lambda x: x // 3, (WHOLE,)),
    "floor_divide floats": (lambda x: x // 0.3, (TOUCHY,)),
    "remainder": (torch.remainder, (TOUCHY, DIVISORS)),
    "remainder integers": (torch.remainder, (WHOLE, WHOLE_DIVISORS)),
    "remainder number": (lambda x: x % 3, (WHOLE,)),
    "fmod": (torch.fmod, (TOUCHY, DIVISORS)),
    "fmod integers": (torch.fmod, (WHOLE, WHOLE_DIVISORS)),
    **{
        f"pow {n}": (lambda x, n=n: torch.pow(x, n), (POSITIVE,))
        for n in (-2, -1, -0.5, 0, 0.5, 1, 2, 2.5, 3, 4)
    },
    "pow of integers": (lambda x: torch.pow(x, 3), (WHOLE,)),
    "pow of tensors": (torch.pow, (POSITIVE, floats(4))),
    "pow of a number": (lambda x: torch.pow(2, x), (X2,)),
    "maximum": (torch.maximum, (X2, floats(6))),
    "minimum of integers": (torch.minimum, (WHOLE, WHOLE_DIVISORS)),
    "max.other": (torch.max, (X2, floats(6))),
    "clamp": (lambda x: torch.clamp(x, -0.5, 1), (X2,)),
    "clamp low": (lambda x: torch.clamp(x, min=0.25), (X2,)),
    "clamp high": (lambda x: torch.clamp(x, max=0.25), (X2,)),
    "clamp integers": (lambda x: torch.clamp(x, -2, 5), (WHOLE,)),
    "clamp integers by floats": (lambda x: torch.clamp(x, -2.5, 5.5), (WHOLE,)),
    "clamp by tensors": (torch.clamp, (X2, floats(6, low=-1, high=0), floats(6, low=0, high=1))),
    "clamp_min": (lambda x: torch.clamp_min(x, 0.5), (X2,)),
    "clamp_max": (lambda x: torch.clamp_max(x, 0.5), (X2,)),
    "where": (torch.where, (bools(5, 6), X2, floats(6))),
    "where number": (lambda c, x: torch.where(c, x, 0.0), (bools(5, 6), X2)),
    "where of mixed types": (torch.where, (bools(3, 4), WHOLE, POSITIVE)),
    "masked_fill": (lambda x, m: x.masked_fill(m, float("-inf")), (X2, bools(6))),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), (X2, floats(6))),
    "addcmul": (lambda x, y, z: torch.addcmul(x, y, z, value=0.5), (X2, floats(6), floats(5, 1))),
    "addcdiv": (
        lambda x, y, z: torch.addcdiv(x, y, z, value=0.5),
        (X2, floats(6), floats(5, 1, low=1)),
    ),
    **{
        name: (getattr(torch, name), (bools(3, 4), WHOLE))
        for name in ("logical_and", "logical_or", "logical_xor")
    },
    **{
        name: (getattr(torch, name), (WHOLE, WHOLE_DIVISORS))
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
    },
    "bitwise_and of Booleans": (torch.bitwise_and, (bools(3, 4), bools(4))),
    "and": (lambda x, y: x & y, (bools(3, 4), bools(4))),
    **{
        name: (getattr(torch, name), (WHOLE, WHOLE_DIVISORS))
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    },
    **{
        f"{name} number": (lambda x, name=name: getattr(torch, name)(x, 1.5), (WHOLE,))
        for name in ("eq", "ne", "lt", "ge")
    },
    "lt of mixed types": (torch.lt, (WHOLE, POSITIVE)),
    "gt of a scalar tensor": (torch.gt, (WHOLE.to(torch.int32), torch.tensor(1.5))),
}

SHAPES: dict[str, Case] = {
    "view": (lambda x: x.view(2, -1, 7), (X4,)),
    "reshape": (lambda x: x.reshape(8, 42), (X4,)),
    "view_as": (lambda x, y: x.view_as(y), (X2, floats(6, 5))),
    "flatten": (lambda x: x.flatten(1), (X4,)),
    "flatten all": (lambda x: x.flatten(), (X4,)),
    "flatten some": (lambda x: x.flatten(1, 2), (X4,)),
    "unflatten": (lambda x: x.unflatten(1, (2, 2)), (X4,)),
    "squeeze": (lambda x: x.squeeze(), (floats(1, 4, 1),)),
    "squeeze dim": (lambda x: x.squeeze(-1), (floats(1, 4, 1),)),
    "squeeze nothing": (lambda x: x.squeeze(1), (floats(1, 4, 1),)),
    "squeeze dims": (lambda x: x.squeeze((0, 1)), (floats(1, 4, 1),)),
    "unsqueeze": (lambda x: x.unsqueeze(-1), (X2,)),
    "permute": (lambda x: x.permute(0, 2, -1, 1), (X4,)),
    "transpose": (lambda x: x.transpose(1, -1), (X4,)),
    "t": (lambda x: x.t(), (X2,)),
    "mT": (lambda x: x.mT, (X3,)),
    "swapaxes": (lambda x: x.swapaxes(0, 1), (X2,)),
    "movedim": (lambda x: x.movedim(0, 2), (X4,)),
    "movedim several": (lambda x: x.movedim((0, 1), (-1, 0)), (X4,)),
    "expand": (lambda x: x.expand(3, -1, 6), (floats(5, 1),)),
    "expand_as": (lambda x, y: x.expand_as(y), (floats(6), X2)),
    "broadcast_to": (lambda x: x.broadcast_to(5, 6), (floats(6),)),
    "repeat": (lambda x: x.repeat(2, 1, 3), (X2,)),
    "tile": (lambda x: x.tile(2), (X2,)),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 1), (X2,)),
    "repeat_interleave flat": (lambda x: x.repeat_interleave(2), (X2,)),
    "contiguous": (lambda x: x.transpose(0, 1).contiguous(), (X2,)),
    "clone": (lambda x: x.clone(), (X2,)),
    "to": (lambda x: x.to(torch.int32), (X2,)),
    "to Booleans": (lambda x: x.to(torch.bool), (TOUCHY,)),
    "type_as": (lambda x, y: x.type_as(y), (X2, WHOLE)),
    "half": (lambda x: x.half().float(), (X2,)),
}

MOVEMENT: dict[str, Case] = {
    "slice": (lambda x: x[:, 1:3, ::2, -4:], (X4,)),
    "slice beyond": (lambda x: x[:, 2:100], (X4,)),
    "slice nothing": (lambda x: x[:, 3:1], (X4,)),
    "narrow": (lambda x: x.narrow(1, 1, 2), (X4,)),
    "narrow from the end": (lambda x: x.narrow(1, -2, 2), (X4,)),
    "select": (lambda x: x[:, -1], (X4,)),
    "chunk": (lambda x: torch.cat(x.chunk(3, 3)[::-1], 3), (X4,)),
    "chunk with fewer": (lambda x: torch.cat(x.chunk(5, 2)[::-1], 2), (X4,)),
    "split": (lambda x: torch.cat(x.split(4, 2)[::-1], 2), (X4,)),
    "split_with_sizes": (lambda x: torch.cat(x.split((1, 3), 1)[::-1], 1), (X4,)),
    "tensor_split": (lambda x: torch.cat(x.tensor_split(3, 3)[::-1], 3), (X4,)),
    "tensor_split at places": (lambda x: torch.cat(x.tensor_split((1, 4), 3)[::-1], 3), (X4,)),
    "unbind": (lambda x: sum(x.unbind(1)), (X4,)),
    "meshgrid": (lambda x: torch.stack(torch.meshgrid(x[0], x[:, 0], x[0, 0])), (X2,)),
    "meshgrid of columns": (
        lambda x: torch.stack(torch.meshgrid(x[0], x[:, 0], indexing="xy")),
        (X2,),
    ),
    "flip": (lambda x: x.flip(1, -1), (X4,)),
    "roll": (lambda x: x.roll((-2, 3), (2, 3)), (X4,)),
    "roll flat": (lambda x: x.roll(5), (X2,)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), (floats(2, 8, 3, 5),)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), (floats(2, 3, 4, 6),)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), (X4,)),
    "tril": (lambda x: x.tril(-1), (X2,)),
    "triu": (lambda x: x.triu(2), (X2,)),
    "unfold": (lambda x: x.unfold(2, 3, 2), (X4,)),
    "cat": (lambda x, y: torch.cat([x, y], -1), (X2, floats(5, 2))),
    "cat of mixed types": (lambda x, y: torch.cat([x, y]), (POSITIVE, WHOLE)),
    "cat with an empty vector": (lambda x, y: torch.cat([x, y], 1), (X2, floats(0))),
    "stack": (lambda x, y: torch.stack([x, y], -1), (X2, X2 + 1)),
    "hstack": (lambda x, y: torch.hstack([x, y]), (X2, X2 + 1)),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 3), value=0.5), (X4,)),
    "pad negative": (lambda x: F.pad(x, (-1, 2, 0, -3)), (X4,)),
    "pad reflect": (lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"), (X4,)),
    "pad replicate": (lambda x: F.pad(x, (1, 2, 3, 0), mode="replicate"), (X4,)),
    "pad circular": (lambda x: F.pad(x, (1, 2, 3, 0), mode="circular"), (X4,)),
    "pad integers": (lambda x: F.pad(x, (1, 0), value=3), (WHOLE,)),
    "constant_pad_nd": (lambda x: A.constant_pad_nd(x, [1, 0, 2, 1], 2.0), (X4,)),
    "reflection_pad2d": (lambda x: A.reflection_pad2d(x, [1, 2, 3, 0]), (X4,)),
}

INDEXING: dict[str, Case] = {
    "embedding": (F.embedding, (ints(2, 3, low=0, high=5), floats(5, 4))),
    "embedding with padding": (
        lambda i, w: F.embedding(i, w, padding_idx=-1),
        (ints(2, 3, low=0, high=5), floats(5, 4)),
    ),
    "index_select": (lambda x, i: x.index_select(1, i), (X2, ints(4, low=0, high=6))),
    "gather": (lambda x, i: x.gather(1, i), (X2, ints(5, 3, low=0, high=6))),
    "index": (lambda x, i: x[:, i], (X4, ints(3, low=-4, high=4))),
    "index by a matrix": (lambda x, i: x[i], (X2, ints(2, 3, low=0, high=5))),
    "index of two": (
        lambda x, i, j: x[i, j],
        (X4, ints(3, low=0, high=2), ints(3, low=-4, high=4)),
    ),
    "index of two in the middle": (
        lambda x, i, j: x[:, i, j],
        (X4, ints(3, low=0, high=4), ints(3, low=0, high=6)),
    ),
    "index of two apart": (
        lambda x, i, j: x[:, i, :, j],
        (X4, ints(3, low=0, high=4), ints(3, low=0, high=6)),
    ),
    "index of three broadcast": (
        lambda x, i, j, k: x[i, j, k],
        (X4, ints(3, 1, low=0, high=2), ints(2, low=0, high=4), ints(1, low=0, high=6)),
    ),
    "index_put": (
        lambda x, v: torch.index_put(x, (torch.tensor([0, 3]),), v),
        (X2, floats(2, 6)),
    ),
    "index_put of two": (
        lambda x, v: torch.index_put(x, (torch.tensor([0, 3]), torch.tensor([5, 1])), v),
        (X2, floats(1)),
    ),
    "index_put accumulate": (
        lambda x, v: torch.index_put(x, (torch.tensor([0, 3, 0]),), v, accumulate=True),
        (X2, floats(3, 6)),
    ),
    "scatter": (lambda x, v: x.scatter(1, torch.tensor([[0, 2], [3, 1]]), v), (X2, floats(5, 6))),
    "scatter value": (lambda x: x.scatter(1, torch.tensor([[0, 2], [3, 1]]), 9.0), (X2,)),
    "scatter_add": (
        lambda x, i, v: x.scatter_add(0, i, v),
        (X2, ints(3, 6, low=0, high=5), floats(3, 6)),
    ),
    "slice_scatter": (lambda x, v: x.slice_scatter(v, 1, 2, 5), (X2, floats(5, 3))),
    "slice_scatter to the end": (lambda x, v: x.slice_scatter(v, 1, -3), (X2, floats(5, 3))),
    "slice_scatter in steps": (lambda x, v: x.slice_scatter(v, 1, 0, 6, 2), (X2, floats(5, 3))),
    "select_scatter": (lambda x, v: x.select_scatter(v, 1, -2), (X2, floats(5))),
    "copy": (lambda x, y: A.copy(x, y), (X2, ints(6))),
    "one_hot": (lambda i: F.one_hot(i, 5), (ints(2, 3, low=0, high=5),)),
}

CREATION: dict[str, Case] = {
    "full": (lambda x: x + torch.full((5, 1), 3.5), (X2,)),
    "zeros": (lambda x: torch.cat([x, torch.zeros(2, 6)]), (X2,)),
    "ones": (lambda x: torch.cat([x, torch.ones(2, 6)]), (X2,)),
    "full_like": (lambda x: torch.full_like(x, 2), (X2,)),
    "zeros_like": (lambda x: torch.zeros_like(x, dtype=torch.int32), (X2,)),
    "ones_like": (torch.ones_like, (WHOLE,)),
    "new_zeros": (lambda x: x.new_zeros(3, 2), (WHOLE,)),
    "new_full": (lambda x: x.new_full((3, 2), 7), (X2,)),
    "arange": (lambda x: x + torch.arange(6), (X2,)),
    "arange of floats": (lambda x: x + torch.arange(0.5, 3.5, 0.5), (X2,)),
    "arange backwards": (lambda x: x + torch.arange(5, -1, -1), (X2,)),
    "linspace": (lambda x: x + torch.linspace(-1.3, 0.7, 6), (X2,)),
    "linspace of one": (lambda x: x + torch.linspace(2, 5, 1), (X2,)),
    "linspace of integers": (lambda x: x + torch.linspace(-7, 9, 6, dtype=torch.int64), (X2,)),
    "scalar_tensor": (lambda x: x + A.scalar_tensor(2.5), (X2,)),
    "tensor": (lambda x: x * torch.tensor([1.0, 2, 3, 4, 5, 6]), (X2,)),
    "eye": (lambda x: x @ torch.eye(6, 4), (X2,)),
}

REDUCTIONS: dict[str, Case] = {
    "sum": (torch.sum, (X4,)),
    "sum of dims": (lambda x: x.sum((1, -1), keepdim=True), (X4,)),
    "sum of integers": (lambda x: x.sum(1), (WHOLE.to(torch.int32),)),
    "sum of Booleans": (lambda x: x.sum(1), (bools(3, 4),)),
    "sum as another type": (lambda x: x.sum(1, dtype=torch.float64), (X2,)),
    "mean": (torch.mean, (X4,)),
    "mean of a picture": (lambda x: x.mean((2, 3), keepdim=True), (X4,)),
    "mean of dims": (lambda x: x.mean((2, 3)), (X4,)),
    "prod": (lambda x: x.prod(1), (X2,)),
    "amax": (lambda x: x.amax((1, 2)), (X4,)),
    "amin": (lambda x: x.amin(1, keepdim=True), (X4,)),
    "max": (torch.max, (X4,)),
    "max.dim": (lambda x: torch.cat([v.float() for v in x.max(1)]), (X2,)),
    "min.dim": (lambda x: x.min(1, keepdim=True)[1], (X2,)),
    "argmax": (lambda x: x.argmax(), (X2,)),
    "argmax of a dim": (lambda x: x.argmax(-1, keepdim=True), (X2,)),
    "argmin": (lambda x: x.argmin(0), (X2,)),
    "any": (torch.any, (bools(3, 4),)),
    "any of a dim": (lambda x: x.any(1, keepdim=True), (WHOLE,)),
    "all": (lambda x: (x > -9).all(1), (WHOLE,)),
    "logsumexp": (lambda x: x.logsumexp(1), (X2,)),
    "vector_norm": (lambda x: torch.linalg.vector_norm(x, 2.0, (-1,), True), (X2,)),
    "vector_norm of order 1": (lambda x: torch.linalg.vector_norm(x, 1.0, (0,)), (X2,)),
    "vector_norm of order inf": (lambda x: torch.linalg.vector_norm(x, float("inf")), (X2,)),
    "norm": (lambda x: x.norm(dim=1), (X2,)),
    "normalize": (F.normalize, (X2,)),
    "var": (lambda x: x.var(1), (X2,)),
    "var of all": (torch.var, (X2,)),
    "var unbiased": (lambda x: x.var((0, 1), unbiased=False, keepdim=True), (X2,)),
    "var of a correction": (lambda x: x.var(1, correction=2), (X2,)),
    "std": (lambda x: x.std(0), (X2,)),
    "var_mean": (lambda x: torch.cat(torch.var_mean(x, 1, correction=0)), (X2,)),
    "topk": (lambda x: torch.cat([v.float() for v in x.topk(3)], 1), (X2,)),
    "topk smallest": (lambda x: x.topk(2, 0, largest=False)[0], (X2,)),
    "sort": (lambda x: torch.cat([v.float() for v in x.sort(1, descending=True)], 1), (X2,)),
    "argsort": (lambda x: x.argsort(0), (X2,)),
    "cumsum": (lambda x: x.cumsum(1), (X2,)),
    "cumsum of Booleans": (lambda x: x.cumsum(0), (bools(3, 4),)),
    "cosine_similarity": (F.cosine_similarity, (X2, X2.flip(0))),
}
