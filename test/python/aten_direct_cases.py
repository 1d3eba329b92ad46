"""What convert-aten-to-onnx is tested on: overloads that PyTorch's functions seldom call, and other names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from aten_cases import X2, X3, X4, Case, K, Q, bools, floats, ints
from aten_small_cases import WHOLE, WHOLE_DIVISORS

torch: Any = pytest.importorskip("torch")
import_module("torch.ao.quantization.fx._decomposed")
A: Any = torch.ops.aten
D: Any = torch.ops.quantized_decomposed

X5 = floats(1, 2, 3, 4, 5)
STEPS = torch.tensor([0.1, 0.2, 0.05, 0.3])
ZEROS = torch.tensor([0, 3, -4, 7])

SAME = "alias detach detach_copy lift_fresh positive resolve_conj resolve_neg"
OF_ONE = "min numpy_T prod std var"
WITH_NUMBER = (
    "__and__ __or__ __xor__ bitwise_and bitwise_or bitwise_xor div floor_divide sub true_divide"
)

NAMES: dict[str, Case] = {
    # A result that is the input itself has no name of its own.
    **{
        name: (lambda x, i=i, name=name: getattr(A, name)(x * (i + 2)), (X2,))
        for i, name in enumerate(SAME.split())
    },
    **{name: (getattr(A, name), (X2,)) for name in OF_ONE.split()},
    "all": (A.all, (bools(3, 4),)),
    "all.dims": (lambda x: A.all.dims(x, [0, 1]), (bools(3, 4),)),
    "clip": (lambda x: A.clip(x, -0.5, 0.5), (X2,)),
    "clip.Tensor": (A.clip.Tensor, (X2, floats(6, low=-1, high=0), floats(6, low=0, high=1))),
    "clamp_max.Tensor": (A.clamp_max.Tensor, (X2, floats(6))),
    "clamp_min.Tensor": (A.clamp_min.Tensor, (X2, floats(6))),
    "concat": (lambda x, y: A.concat([x, y], 1), (X2, floats(5, 2))),
    "concatenate": (lambda x, y: A.concatenate([x, y], 1), (X2, floats(5, 2))),
    "copies": (lambda x: A.slice_copy.Tensor(A.select_copy.int(x, 1, 2), 1, 0, 5, 2), (X4,)),
    "fill.Scalar": (lambda x: A.fill.Scalar(x, 2.5), (X2,)),
    "zero": (A.zero, (X2,)),
    "fill.Tensor": (A.fill.Tensor, (X2, torch.tensor(2.5))),
    "zeroed empty_like": (lambda x: A.empty_like(x) * 0 == 0, (WHOLE,)),
    "zeroed new_empty": (lambda x: A.new_empty(x, [2, 3]) * 0, (WHOLE,)),
    "zeroed empty_permuted": (
        lambda x: x + A.empty_permuted([6], [0], dtype=torch.int64) * 0,
        (ints(6),),
    ),
    "min.other": (A.min.other, (X2, floats(6))),
    "moveaxis.int": (lambda x: A.moveaxis.int(x, 0, 2), (X4,)),
    "moveaxis.intlist": (lambda x: A.moveaxis.intlist(x, [0, 1], [2, 0]), (X4,)),
    "swapdims": (lambda x: A.swapdims(x, 0, 1), (X2,)),
    "new_ones": (lambda x: A.new_ones(x, [2, 3]), (X2,)),
    "numel": (lambda x: x + A.sym_numel(x), (X2,)),
    "reshape_as": (A.reshape_as, (X2, floats(6, 5))),
    "_reshape_alias": (lambda x: A._reshape_alias(x, [6, 5], [5, 1]), (X2,)),
    "_unsafe_view": (lambda x: A._unsafe_view(x, [6, 5]), (X2,)),
    "eye": (lambda x: x @ A.eye(6), (X2,)),
    "arange.start": (lambda x: x + A.arange.start(2, 8), (X2,)),
    "to.device": (lambda x: A.to.device(x, torch.device("cpu"), torch.float64), (X2,)),
    "to.dtype_layout": (lambda x: A.to.dtype_layout(x, dtype=torch.int32), (X2,)),
    "to.other": (A.to.other, (X2, WHOLE)),
    "vstack": (lambda x, y: A.vstack([x, y]), (floats(3), floats(3))),
    "argsort.stable": (
        lambda x: A.argsort.stable(x, stable=True, dim=1),
        (ints(4, 9, low=0, high=3),),
    ),
    "sort.stable": (
        lambda x: A.sort.stable(x, stable=True, dim=1, descending=True)[1],
        (ints(4, 9, low=0, high=3),),
    ),
    "as_strided of places": (lambda x: A.as_strided(x * 2, [2, 3, 2], [7, 2, 1], 3), (X2,)),
    "as_strided of one": (lambda x: A.as_strided(x * 2, [], [], 4), (X2,)),
    "as_strided": (
        lambda x: A.as_strided(x.mean((2, 3), keepdim=True), [2, 4, 1, 1], [4, 1, 4, 4]),
        (X4,),
    ),
    "unsafe_chunk": (lambda x: torch.cat(A.unsafe_chunk(x, 2, 1)[::-1], 1), (X2,)),
    "unsafe_split": (lambda x: torch.cat(A.unsafe_split.Tensor(x, 4, 1)[::-1], 1), (X2,)),
    "unsafe_split_with_sizes": (
        lambda x: torch.cat(A.unsafe_split_with_sizes(x, [1, 5], 1)[::-1], 1),
        (X2,),
    ),
    "split.sizes": (lambda x: torch.cat(A.split.sizes(x, [1, 5], 1)[::-1], 1), (X2,)),
    "_unsafe_index": (
        lambda x, i: A._unsafe_index.Tensor(x, [None, i]),
        (X2, ints(4, low=0, high=6)),
    ),
    "_unsafe_index_put": (
        lambda x, v: A._unsafe_index_put(x, [torch.tensor([0, 3])], v),
        (X2, floats(2, 6)),
    ),
    "masked_fill.Tensor": (A.masked_fill.Tensor, (X2, bools(6), torch.tensor(2.5))),
    "where.Scalar": (lambda c: A.where.Scalar(c, 1.5, 2.5), (bools(3, 4),)),
    "where.ScalarSelf": (lambda c, x: A.where.ScalarSelf(c, 1.5, x), (bools(5, 6), X2)),
}

NUMBERS: dict[str, Case] = {
    **{
        f"{name}.Scalar of integers": (lambda x, f=name: getattr(A, f).Scalar(x, 3), (WHOLE,))
        for name in WITH_NUMBER.split()
    },
    **{
        f"{name}.Tensor": (getattr(A, name).Tensor, (WHOLE, WHOLE_DIVISORS))
        for name in ("__or__", "__xor__", "multiply", "rsub", "true_divide")
    },
    **{
        f"div.Scalar_mode {mode}": (
            lambda x, mode=mode: A.div.Scalar_mode(x, -2.5, rounding_mode=mode),
            (X2,),
        )
        for mode in ("floor", "trunc", None)
    },
    "remainder.Scalar_Tensor": (lambda x: A.remainder.Scalar_Tensor(7, x), (WHOLE_DIVISORS,)),
    "lerp.Tensor": (A.lerp.Tensor, (X2, floats(6), floats(6))),
    "norm.Scalar": (lambda x: A.norm.Scalar(x, 2), (X2,)),
    "norm.ScalarOpt_dim": (lambda x: A.norm.ScalarOpt_dim(x, 1, [1]), (X2,)),
    "norm.ScalarOpt_dim_dtype": (
        lambda x: A.norm.ScalarOpt_dim_dtype(x, 2, [1], True, dtype=torch.float64),
        (X2,),
    ),
    "std.correction": (lambda x: A.std.correction(x, [1], correction=0), (X2,)),
    **{
        f"{name}{form}": (
            lambda x, name=name, form=form, given=given: torch.stack(
                getattr(getattr(A, name), form or "default")(x, **given)
            ),
            (X2,),
        )
        for name in ("std_mean", "var_mean")
        for form, given in (
            ("", {}),
            ("dim", {"dim": [1]}),
            ("correction", {"dim": [0], "correction": 2}),
        )
    },
}

LAYERS: dict[str, Case] = {
    "addmv": (lambda x, m, v: A.addmv(x, m, v, beta=0.5, alpha=2), (floats(5), X2, floats(6))),
    "conv1d.padding": (
        lambda x, w: A.conv1d.padding(x, w, None, [1], "same"),
        (X3, floats(3, 4, 4)),
    ),
    "conv3d.padding": (
        lambda x, w: A.conv3d.padding(x, w, None, [1, 1, 1], "same"),
        (X5, floats(2, 2, 2, 3, 2)),
    ),
    "native_batch_norm": (
        lambda x, m, v: A.native_batch_norm(x, None, None, m, v, False, 0.1, 1e-5)[0],
        (X4, floats(4), floats(4, low=0.5)),
    ),
    "native_dropout": (lambda x: A.native_dropout(x, 0.5, False)[0], (X2,)),
    "max_pool2d of a long window": (
        lambda x: A.max_pool2d(x, [4, 3], [1, 2], [2, 1], [1, 1], True),
        (X4,),
    ),
    "max_pool1d_with_indices": (lambda x: A.max_pool1d_with_indices(x, [3], [2])[0], (X3,)),
    "adaptive_max_pool1d": (lambda x: A.adaptive_max_pool1d(x, [3])[0], (X3,)),
    "reflection_pad1d": (lambda x: A.reflection_pad1d(x, [2, 1]), (X3,)),
    "reflection_pad3d": (lambda x: A.reflection_pad3d(x, [1, 1, 2, 0, 1, 1]), (X5,)),
    "replication_pad1d": (lambda x: A.replication_pad1d(x, [2, 1]), (X3,)),
    "replication_pad2d": (lambda x: A.replication_pad2d(x, [2, 1, 0, 3]), (X4,)),
    "replication_pad3d": (lambda x: A.replication_pad3d(x, [1, 1, 2, 0, 1, 1]), (X5,)),
    "flash attention": (
        lambda q, k, v: A._scaled_dot_product_flash_attention_for_cpu(q, k, v)[0],
        (Q, K, floats(2, 4, 7, 8)),
    ),
    "grid_sampler_3d": (
        lambda x, g: A.grid_sampler_3d(x, g, 0, 0, False),
        (X5, floats(1, 2, 3, 2, 3, low=-1.1, high=1.1)),
    ),
    **{
        f"{kind} {word}": (
            lambda x, kind=kind, size=size, more=more: getattr(A, kind)(x, size, *more),
            (x,),
        )
        for kind, x, more in (
            ("upsample_nearest1d", X3, ()),
            ("upsample_nearest2d", X4, ()),
            ("upsample_nearest3d", X5, ()),
            ("_upsample_nearest_exact1d", X3, ()),
            ("_upsample_nearest_exact2d", X4, ()),
            ("_upsample_nearest_exact3d", X5, ()),
            ("upsample_linear1d", X3, (False,)),
            ("upsample_bilinear2d", X4, (True,)),
            ("upsample_bicubic2d", X4, (False,)),
            ("upsample_trilinear3d", X5, (False,)),
        )
        for word, size in (
            ("to more", [n + 3 for n in x.shape[2:]]),
            ("to fewer", [max(n - 2, 1) for n in x.shape[2:]]),
        )
    },
    **{
        f"{kind}.vec": (
            lambda x, kind=kind: getattr(A, kind).vec(x, [n + 3 for n in x.shape[2:]], None),
            (x,),
        )
        for kind, x in (
            ("upsample_nearest1d", X3),
            ("upsample_nearest3d", X5),
            ("_upsample_nearest_exact1d", X3),
            ("_upsample_nearest_exact3d", X5),
        )
    },
}

QUANTIZED: dict[str, Case] = {
    "quantize_per_tensor": (
        lambda x: D.quantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8),
        (X4,),
    ),
    "quantize_per_tensor to bytes": (
        lambda x: D.quantize_per_tensor(x, 0.01, 120, 0, 255, torch.uint8),
        (X4,),
    ),
    "quantize_per_tensor.tensor": (
        lambda x, s, z: D.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8),
        (X4, torch.tensor([0.02]), torch.tensor([3])),
    ),
    "quantize_per_channel": (
        lambda x, s, z: D.quantize_per_channel(x, s, z, 1, -128, 127, torch.int8),
        (X4, STEPS, ZEROS),
    ),
    "dequantize_per_tensor": (
        lambda x: D.dequantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8),
        (ints(2, 3, dtype=torch.int8),),
    ),
    "dequantize_per_tensor.tensor": (
        lambda x, s, z: D.dequantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8),
        (ints(2, 3, dtype=torch.int8), torch.tensor(0.02), torch.tensor(3)),
    ),
    "dequantize_per_channel": (
        lambda x, s, z: D.dequantize_per_channel(x, s, z, 0, -128, 127, torch.int8),
        (ints(4, 3, dtype=torch.int8), STEPS, ZEROS),
    ),
    "dequantize_per_channel of a part": (
        lambda x, s: D.dequantize_per_channel(x, s, None, 0, -127, 127, torch.int8),
        (ints(4, 3, dtype=torch.int8), STEPS),
    ),
}
