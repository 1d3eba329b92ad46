"""Writes `dialects/aten/table.py` and a lit test, from the registry of an installed PyTorch.

    python -m autosplit.tools.generate.aten_dialect            writes the files
    python -m autosplit.tools.generate.aten_dialect --check    exits with 1 where one is not up to date

The table has PyTorch's own schemas. Where a schema does not say that a result may be an argument itself, or
that an op writes to an argument, `MAY_RETURN` and `MAY_WRITE` do.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from autosplit.core.errors import MissingExtraError
from autosplit.dialects.aten.ops import example
from autosplit.dialects.aten.spec import OpSpec
from autosplit.tools.generate.written import every_op_file, in_dialect, write_files

HEADER = '''"""The ops of PyTorch, as data: their schemas.

Generated from the registry of PyTorch {version} by `python -m autosplit.tools.generate.aten_dialect`; do not
edit.
"""

# Data, written by a program.

from __future__ import annotations

from autosplit.dialects.aten.spec import OpSpec

__all__ = ["OP_TABLE"]

_schemas = """
'''

FOOTER = '''"""

OP_TABLE: dict[str, OpSpec] = {
    spec.kind: spec for spec in map(OpSpec, _schemas.strip().replace("\\\\\\n", "").splitlines())
}
"""The ops by their type."""
'''

_listed = """
__and__ __lshift__ __or__ __rshift__ __xor__ _adaptive_avg_pool2d _adaptive_avg_pool3d _assert_async
_assert_scalar _assert_tensor_metadata _conj _convolution _embedding_bag _fft_c2c _fft_c2r _fft_r2c
_functional_assert_async _functional_assert_scalar _index_put_impl _local_scalar_dense _log_softmax
_native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training
_reshape_alias _scaled_dot_product_flash_attention_for_cpu _shape_as_tensor _softmax _stack _to_copy
_unsafe_index _unsafe_index_put _unsafe_view _upsample_bicubic2d_aa _upsample_bilinear2d_aa
_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d _weight_norm abs absolute
acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool3d add addbmm addcdiv addcmul addmm addmv addr
affine_grid_generator alias alias_copy all amax amin aminmax angle any arange argmax argmin argsort
argwhere as_strided as_strided_copy as_strided_scatter asin asinh atan atan2 atanh atleast_1d atleast_2d
atleast_3d avg_pool1d avg_pool2d avg_pool3d baddbmm batch_norm bernoulli bitwise_and bitwise_left_shift
bitwise_not bitwise_or bitwise_right_shift bitwise_xor block_diag bmm broadcast_tensors broadcast_to
bucketize cat cdist ceil celu channel_shuffle chunk clamp clamp_max clamp_min clip clone col2im
column_stack complex concat concatenate constant_pad_nd contiguous conv1d conv2d conv3d conv_transpose1d
conv_transpose2d conv_transpose3d convolution copy copysign cos cosh cosine_similarity count_nonzero
cross cummax cummin cumprod cumsum deg2rad dequantize detach detach_copy diag diag_embed diagonal
diagonal_copy diagonal_scatter diff dim dist div divide dot dropout dstack einsum elu embedding
embedding_bag empty empty_like empty_permuted empty_strided eq erf erfc erfinv exp exp2 expand expand_as
expand_copy expm1 eye fft_fft fft_fft2 fft_fftn fft_ifft fft_ifft2 fft_ifftn fft_irfft fft_irfft2
fft_rfft fft_rfft2 fill fill_diagonal flatten flip fliplr flipud float_power floor floor_divide fmax
fmin fmod frac full full_like gather ge gelu ger glu greater greater_equal grid_sampler grid_sampler_2d
grid_sampler_3d group_norm gru gru_cell gt hardshrink hardsigmoid hardswish hardtanh hsplit hstack hypot
im2col imag index index_add index_copy index_fill index_put index_select inner instance_norm inverse
isclose isfinite isin isinf isnan item kron kthvalue layer_norm le leaky_relu lerp less less_equal
lift_fresh lift_fresh_copy linalg_cross linalg_det linalg_diagonal linalg_inv linalg_matmul linalg_norm
linalg_solve linalg_vecdot linalg_vector_norm linear linspace log log10 log1p log2 log_sigmoid
log_softmax logaddexp logcumsumexp logical_and logical_not logical_or logical_xor logit logsumexp lstm
lstm_cell lt mH mT masked_fill masked_scatter masked_select matmul matrix_H max max_pool1d
max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices maximum
mean median meshgrid min minimum mish mm moveaxis movedim mul multiply mv nan_to_num nansum narrow
narrow_copy native_batch_norm native_dropout native_group_norm native_layer_norm ne neg negative
new_empty new_empty_strided new_full new_ones new_zeros nonzero nonzero_static norm normal not_equal
numel numpy_T one_hot ones ones_like outer pad permute permute_copy pixel_shuffle pixel_unshuffle polar
positive pow prelu prod rad2deg rand rand_like randint randn randn_like randperm ravel real reciprocal
reflection_pad1d reflection_pad2d reflection_pad3d relu relu6 remainder repeat repeat_interleave
replication_pad1d replication_pad2d replication_pad3d reshape reshape_as resolve_conj resolve_neg
rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round rsqrt rsub scalar_tensor
scaled_dot_product_attention scatter scatter_add scatter_reduce searchsorted select select_copy
select_scatter selu set sgn sigmoid sign silu sin sinc sinh slice slice_copy slice_scatter softmax
softplus softshrink sort split split_copy split_with_sizes split_with_sizes_copy sqrt square squeeze
squeeze_copy stack std std_mean stft sub subtract sum swapaxes swapdims sym_constrain_range
sym_constrain_range_for_size sym_is_contiguous sym_numel sym_size sym_storage_offset sym_stride t t_copy
take_along_dim tan tanh tensor_split tensordot threshold tile to topk trace transpose transpose_copy
tril triu true_divide trunc type_as unbind unbind_copy unflatten unfold unfold_copy uniform
unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy
upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d
upsample_nearest3d upsample_trilinear3d var var_mean view view_as view_as_complex view_as_real view_copy
vsplit vstack where xlogy zero zeros zeros_like
"""

LISTED = frozenset(_listed.split())
"""The ops that the table has, in place too: core ATen, and what programs have before they are decomposed."""

OTHERS = (
    "_operator::add(Scalar a, Scalar b) -> Scalar",
    "_operator::and_(bool a, bool b) -> bool",
    "_operator::eq(Scalar a, Scalar b) -> bool",
    "_operator::floordiv(Scalar a, Scalar b) -> Scalar",
    "_operator::ge(Scalar a, Scalar b) -> bool",
    "_operator::gt(Scalar a, Scalar b) -> bool",
    "_operator::le(Scalar a, Scalar b) -> bool",
    "_operator::lshift(Scalar a, Scalar b) -> Scalar",
    "_operator::lt(Scalar a, Scalar b) -> bool",
    "_operator::mod(Scalar a, Scalar b) -> Scalar",
    "_operator::mul(Scalar a, Scalar b) -> Scalar",
    "_operator::ne(Scalar a, Scalar b) -> bool",
    "_operator::neg(Scalar a) -> Scalar",
    "_operator::or_(bool a, bool b) -> bool",
    "_operator::pos(Scalar a) -> Scalar",
    "_operator::pow(Scalar a, Scalar b) -> Scalar",
    "_operator::rshift(Scalar a, Scalar b) -> Scalar",
    "_operator::sub(Scalar a, Scalar b) -> Scalar",
    "_operator::truediv(Scalar a, Scalar b) -> float",
    "math::trunc(Scalar x) -> SymInt",
    "torch::_sym_sqrt(Scalar a) -> float",
    "torch::sym_float(Scalar a) -> float",
    "torch::sym_int(Scalar a) -> SymInt",
    "torch::sym_ite(bool b, Scalar t, Scalar f) -> Scalar",
    "torch::sym_max(Scalar a, Scalar b) -> Scalar",
    "torch::sym_min(Scalar a, Scalar b) -> Scalar",
    "torch::sym_not(bool a) -> bool",
    "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
)
"""Functions on sizes, which are Python's own, and ops that other packages register."""

PACKAGED = {
    "quantized_decomposed": "torch.ao.quantization.fx._decomposed",
}
"""Namespaces of ops in PyTorch itself that a module registers when it is imported."""

MAY_RETURN = {
    "_unsafe_view": "self",
    "atleast_1d": "self",
    "atleast_2d": "self",
    "atleast_3d": "self",
    "broadcast_tensors": "tensors",
    "dropout": "input",
    "einsum": "tensors",
    "meshgrid": "tensors",
    "type_as": "self",
    "unsafe_chunk": "self",
    "unsafe_split": "self",
    "unsafe_split_with_sizes": "self",
}
"""Ops whose results may be this argument, or views of it, though the schema does not say so."""

MAY_WRITE = {
    "batch_norm": ("running_mean", "running_var"),
    "instance_norm": ("running_mean", "running_var"),
    "native_batch_norm": ("running_mean", "running_var"),
}
"""Ops that may write to these arguments though the schema does not say so."""


def schemas(torch: Any) -> Iterator[str]:
    """The schemas of the ops that the table has, sorted, those of PyTorch first."""
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        space, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        if space in PACKAGED or (
            space == "aten" and (base in LISTED or base.removesuffix("_") in LISTED)
        ):
            packet = getattr(getattr(torch.ops, space), base)
            text = str(getattr(packet, overload or "default")._schema)
            if _is_plain(text):
                yield corrected(text)
    yield from OTHERS


def _is_plain(schema: str) -> bool:
    """Whether a program can have an overload: none that writes to `out`, none with named dimensions."""
    arguments = schema.rpartition(" -> ")[0]
    return "!" not in arguments.partition("*, ")[2] and "Dimname" not in schema


def corrected(schema: str) -> str:
    """A schema with what it does not say of aliases and writes."""
    base = schema.partition("(")[0].partition("::")[2].partition(".")[0]
    if (name := MAY_RETURN.get(base)) is not None and schema.startswith("aten::"):
        left, arrow, right = schema.rpartition(" -> ")
        several = "(a -> *)" if f"Tensor[] {name}" in left else "(a)"
        left = re.sub(rf"Tensor(\[\])? {name}\b", rf"Tensor{several}\1 {name}", left)
        schema = left + arrow + right.replace("Tensor", "Tensor(a)")
    for letter, name in zip("abc", MAY_WRITE.get(base, ()), strict=False):
        schema = re.sub(rf"Tensor(\??) {name}\b", rf"Tensor({letter}!)\1 {name}", schema)
    return schema


def generate() -> str:
    """The text of the table. Raises MissingExtraError if PyTorch is not installed."""
    if find_spec("torch") is None:
        raise MissingExtraError("torch", "torch", "the table of its ops")
    torch: Any = import_module("torch")
    for module in PACKAGED.values():
        import_module(module)
    rows = [row for schema in schemas(torch) for row in _wrapped(schema)]
    return (
        HEADER.format(version=torch.__version__.partition("+")[0]) + "\n".join(rows) + "\n" + FOOTER
    )


def _wrapped(schema: str, width: int = 98) -> Iterator[str]:
    """A schema in lines, all but the last of which end with a backslash."""
    while len(schema) > width:
        end = schema.rindex(" ", 0, width) + 1
        yield schema[:end] + "\\\\"
        schema = schema[end:]
    yield schema


LIT_HEADER = """// RUN: AUTOSPLIT_ROUNDTRIP

// Each op with all of its arguments. Written by `python -m autosplit.tools.generate.aten_dialect`.
"""


def every_op(table: Mapping[str, OpSpec]) -> str:
    """The text of the lit test that has each op once."""
    given = '  %x = "test.op"() : () -> tensor<4xf32>'
    return "\n".join([LIT_HEADER, "builtin.module {", given, *_cases(table.values()), "}", ""])


def _cases(specs: Iterable[OpSpec]) -> Iterator[str]:
    for i, spec in enumerate(specs):
        op, colon, types = example(spec, full=True).rpartition(" : ")
        text = op + colon + re.sub(r"\bT\b", "tensor<4xf32>", types)
        text = re.sub(r"%y(\d+)", rf"%r{i}y\1", text)
        yield f"  // CHECK: {text}\n  {text}"


def files() -> Iterator[tuple[Path, str]]:
    """The table, and the lit test of it as it is then, which the imported one need not be."""
    table = in_dialect("aten/table.py")
    yield table, generate()
    yield every_op_file("aten"), every_op(runpy.run_path(str(table))["OP_TABLE"])


def main(args: list[str] | None = None) -> int:
    """The entry point. Returns 1 where `--check` finds a file out of date."""
    what = "Writes dialects/aten/table.py and a lit test."
    return write_files(what, "aten_dialect", files, args)


if __name__ == "__main__":
    sys.exit(main())
