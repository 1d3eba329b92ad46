"""The ops of PyTorch, as data: their schemas.

Generated from the registry of PyTorch 2.13.0 by `python -m autosplit.tools.generate.aten_dialect`; do not
edit.
"""

# Data, written by a program.

from __future__ import annotations

from autosplit.dialects.aten.spec import OpSpec

__all__ = ["OP_TABLE"]

_schemas = """
aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor
aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor
aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor
aten::_assert_async(Tensor self) -> ()
aten::_assert_async.msg(Tensor self, str assert_msg) -> ()
aten::_assert_scalar(Scalar self, str assert_msg) -> ()
aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? \\
dtype=None, *, Device? device=None, Layout? layout=None) -> ()
aten::_conj(Tensor(a) self) -> Tensor(a)
aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, \\
SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool \\
deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor
aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, \\
SymInt[] padding, SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool \\
benchmark, bool deterministic, bool cudnn_enabled) -> Tensor
aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool \\
scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool \\
include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)
aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor
aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor
aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor
aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor
aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor
aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool \\
unsafe=False) -> Tensor
aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, \\
bool unsafe=False) -> Tensor(a!)
aten::_local_scalar_dense(Tensor self) -> Scalar
aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor
aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) \\
running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, \\
Tensor, Tensor)
aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool \\
training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor \\
running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, \\
Tensor, Tensor running_mean_out, Tensor running_var_out)
aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor \\
running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)
aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)
aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float \\
dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor \\
output, Tensor logsumexp)
aten::_shape_as_tensor(Tensor self) -> Tensor
aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor
aten::_stack(Tensor[] tensors, int dim=0) -> Tensor
aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor
aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> \\
Tensor
aten::_unsafe_view(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, \\
float[]? scale_factors) -> Tensor
aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, \\
float[]? scale_factors) -> Tensor
aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor
aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) \\
-> Tensor
aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? \\
scales_w=None) -> Tensor
aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) \\
-> Tensor
aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) \\
-> Tensor
aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor
aten::abs(Tensor self) -> Tensor
aten::abs_(Tensor(a!) self) -> Tensor(a!)
aten::absolute(Tensor self) -> Tensor
aten::absolute_(Tensor(a!) self) -> Tensor(a!)
aten::acos(Tensor self) -> Tensor
aten::acos_(Tensor(a!) self) -> Tensor(a!)
aten::acosh(Tensor self) -> Tensor
aten::acosh_(Tensor(a!) self) -> Tensor(a!)
aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor
aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor
aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor
aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)
aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)
aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)
aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor
aten::addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor(a!)
aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)
aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
aten::addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, \\
Scalar alpha=1) -> Tensor
aten::addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor(a!)
aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
aten::addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor(a!)
aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
aten::addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor(a!)
aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor
aten::alias(Tensor(a) self) -> Tensor(a)
aten::alias_copy(Tensor self) -> Tensor
aten::all(Tensor self) -> Tensor
aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)
aten::angle(Tensor self) -> Tensor
aten::any(Tensor self) -> Tensor
aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None) -> Tensor
aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None) -> Tensor
aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor
aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
aten::argwhere(Tensor self) -> Tensor
aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> \\
Tensor(a)
aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) \\
-> Tensor(a!)
aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) \\
-> Tensor
aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? \\
storage_offset=None) -> Tensor
aten::asin(Tensor self) -> Tensor
aten::asin_(Tensor(a!) self) -> Tensor(a!)
aten::asinh(Tensor self) -> Tensor
aten::asinh_(Tensor(a!) self) -> Tensor(a!)
aten::atan(Tensor self) -> Tensor
aten::atan2(Tensor self, Tensor other) -> Tensor
aten::atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::atan_(Tensor(a!) self) -> Tensor(a!)
aten::atanh(Tensor self) -> Tensor
aten::atanh_(Tensor(a!) self) -> Tensor(a!)
aten::atleast_1d(Tensor(a) self) -> Tensor(a)
aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor(a)[]
aten::atleast_2d(Tensor(a) self) -> Tensor(a)
aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor(a)[]
aten::atleast_3d(Tensor(a) self) -> Tensor(a)
aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor(a)[]
aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool \\
ceil_mode=False, bool count_include_pad=True) -> Tensor
aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool \\
ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool \\
ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> \\
Tensor
aten::baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar \\
beta=1, Scalar alpha=1) -> Tensor
aten::baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) \\
-> Tensor(a!)
aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, \\
Tensor(b!)? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor
aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor
aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor
aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor
aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)
aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)
aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_not(Tensor self) -> Tensor
aten::bitwise_not_(Tensor(a!) self) -> Tensor(a!)
aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::block_diag(Tensor[] tensors) -> Tensor
aten::bmm(Tensor self, Tensor mat2) -> Tensor
aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor
aten::broadcast_tensors(Tensor(a -> *)[] tensors) -> Tensor(a)[]
aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) \\
-> Tensor
aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) \\
-> Tensor
aten::cat(Tensor[] tensors, int dim=0) -> Tensor
aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor
aten::ceil(Tensor self) -> Tensor
aten::ceil_(Tensor(a!) self) -> Tensor(a!)
aten::celu(Tensor self, Scalar alpha=1.) -> Tensor
aten::celu_(Tensor(a!) self, Scalar alpha=1.) -> Tensor(a!)
aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor
aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
aten::clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)
aten::clamp_max(Tensor self, Scalar max) -> Tensor
aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
aten::clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)
aten::clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)
aten::clamp_min(Tensor self, Scalar min) -> Tensor
aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
aten::clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)
aten::clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)
aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
aten::clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)
aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] \\
padding, int[2] stride) -> Tensor
aten::column_stack(Tensor[] tensors) -> Tensor
aten::complex(Tensor real, Tensor imag) -> Tensor
aten::concat(Tensor[] tensors, int dim=0) -> Tensor
aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor
aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor
aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)
aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] \\
padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor
aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str \\
padding="valid", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor
aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] \\
padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str \\
padding="valid", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], \\
SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor
aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], \\
str padding="valid", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor
aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], \\
SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> \\
Tensor
aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, \\
1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] \\
dilation=[1, 1]) -> Tensor
aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, \\
1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, \\
SymInt[3] dilation=[1, 1, 1]) -> Tensor
aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, \\
SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor
aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor
aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor
aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor
aten::copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::cos(Tensor self) -> Tensor
aten::cos_(Tensor(a!) self) -> Tensor(a!)
aten::cosh(Tensor self) -> Tensor
aten::cosh_(Tensor(a!) self) -> Tensor(a!)
aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor
aten::count_nonzero(Tensor self, int? dim=None) -> Tensor
aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor
aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor
aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)
aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)
aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
aten::deg2rad(Tensor self) -> Tensor
aten::deg2rad_(Tensor(a!) self) -> Tensor(a!)
aten::dequantize.self(Tensor self) -> Tensor
aten::dequantize.tensors(Tensor[] tensors) -> Tensor[]
aten::detach(Tensor(a) self) -> Tensor(a)
aten::detach_(Tensor(a!) self) -> Tensor(a!)
aten::detach_copy(Tensor self) -> Tensor
aten::diag(Tensor self, int diagonal=0) -> Tensor
aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)
aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor
aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor
aten::dim(Tensor self) -> int
aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor
aten::div.Scalar(Tensor self, Scalar other) -> Tensor
aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::div.Tensor(Tensor self, Tensor other) -> Tensor
aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)
aten::div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)
aten::divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::divide_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)
aten::divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)
aten::dot(Tensor self, Tensor tensor) -> Tensor
aten::dropout(Tensor(a) input, float p, bool train) -> Tensor(a)
aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)
aten::dstack(Tensor[] tensors) -> Tensor
aten::einsum(str equation, Tensor(a -> *)[] tensors, *, int[]? path=None) -> Tensor(a)
aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
aten::elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)
aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool \\
scale_grad_by_freq=False, bool sparse=False) -> Tensor
aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, \\
int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) \\
-> (Tensor, Tensor, Tensor, Tensor)
aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool \\
scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, \\
int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)
aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::eq.Scalar(Tensor self, Scalar other) -> Tensor
aten::eq.Tensor(Tensor self, Tensor other) -> Tensor
aten::eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::erf(Tensor self) -> Tensor
aten::erf_(Tensor(a!) self) -> Tensor(a!)
aten::erfc(Tensor self) -> Tensor
aten::erfc_(Tensor(a!) self) -> Tensor(a!)
aten::erfinv(Tensor self) -> Tensor
aten::erfinv_(Tensor(a!) self) -> Tensor(a!)
aten::exp(Tensor self) -> Tensor
aten::exp2(Tensor self) -> Tensor
aten::exp2_(Tensor(a!) self) -> Tensor(a!)
aten::exp_(Tensor(a!) self) -> Tensor(a!)
aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
aten::expm1(Tensor self) -> Tensor
aten::expm1_(Tensor(a!) self) -> Tensor(a!)
aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \\
pin_memory=None) -> Tensor
aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None) -> Tensor
aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
aten::fill.Scalar(Tensor self, Scalar value) -> Tensor
aten::fill.Tensor(Tensor self, Tensor value) -> Tensor
aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)
aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)
aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
aten::flip(Tensor self, int[] dims) -> Tensor
aten::fliplr(Tensor self) -> Tensor
aten::flipud(Tensor self) -> Tensor
aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)
aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)
aten::floor(Tensor self) -> Tensor
aten::floor_(Tensor(a!) self) -> Tensor(a!)
aten::floor_divide(Tensor self, Tensor other) -> Tensor
aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::fmax(Tensor self, Tensor other) -> Tensor
aten::fmin(Tensor self, Tensor other) -> Tensor
aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor
aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor
aten::fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::frac(Tensor self) -> Tensor
aten::frac_(Tensor(a!) self) -> Tensor(a!)
aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None) -> Tensor
aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor
aten::ge.Scalar(Tensor self, Scalar other) -> Tensor
aten::ge.Tensor(Tensor self, Tensor other) -> Tensor
aten::ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::gelu(Tensor self, *, str approximate="none") -> Tensor
aten::gelu_(Tensor(a!) self, *, str approximate="none") -> Tensor(a!)
aten::ger(Tensor self, Tensor vec2) -> Tensor
aten::glu(Tensor self, int dim=-1) -> Tensor
aten::greater.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool \\
align_corners) -> Tensor
aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool \\
align_corners) -> Tensor
aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool \\
align_corners) -> Tensor
aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float \\
eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor
aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int \\
num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)
aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float \\
dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? \\
b_hh=None) -> Tensor
aten::gt.Scalar(Tensor self, Scalar other) -> Tensor
aten::gt.Tensor(Tensor self, Tensor other) -> Tensor
aten::gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::hardsigmoid(Tensor self) -> Tensor
aten::hardsigmoid_(Tensor(a!) self) -> Tensor(a!)
aten::hardswish(Tensor self) -> Tensor
aten::hardswish_(Tensor(a!) self) -> Tensor(a!)
aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
aten::hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)
aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::hstack(Tensor[] tensors) -> Tensor
aten::hypot(Tensor self, Tensor other) -> Tensor
aten::hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> \\
Tensor
aten::imag(Tensor(a) self) -> Tensor(a)
aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor
aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> \\
Tensor(a!)
aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor
aten::index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)
aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor
aten::index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
aten::index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)
aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> \\
Tensor(a!)
aten::index_select(Tensor self, int dim, Tensor index) -> Tensor
aten::inner(Tensor self, Tensor other) -> Tensor
aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, \\
Tensor(b!)? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> \\
Tensor
aten::inverse(Tensor self) -> Tensor
aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, \\
bool equal_nan=False) -> Tensor
aten::isfinite(Tensor self) -> Tensor
aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool \\
invert=False) -> Tensor
aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool \\
invert=False) -> Tensor
aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool \\
invert=False) -> Tensor
aten::isinf(Tensor self) -> Tensor
aten::isnan(Tensor self) -> Tensor
aten::item(Tensor self) -> Scalar
aten::kron(Tensor self, Tensor other) -> Tensor
aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor \\
indices)
aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, \\
float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor
aten::le.Scalar(Tensor self, Scalar other) -> Tensor
aten::le.Tensor(Tensor self, Tensor other) -> Tensor
aten::le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
aten::leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)
aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor
aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)
aten::lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)
aten::less.Scalar(Tensor self, Scalar other) -> Tensor
aten::less.Tensor(Tensor self, Tensor other) -> Tensor
aten::less_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::less_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::lift_fresh(Tensor(a) self) -> Tensor(a)
aten::lift_fresh_copy(Tensor self) -> Tensor
aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor
aten::linalg_det(Tensor A) -> Tensor
aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)
aten::linalg_inv(Tensor A) -> Tensor
aten::linalg_matmul(Tensor self, Tensor other) -> Tensor
aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, \\
ScalarType? dtype=None) -> Tensor
aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, \\
ScalarType? dtype=None) -> Tensor
aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor
aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor
aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, \\
ScalarType? dtype=None) -> Tensor
aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::log(Tensor self) -> Tensor
aten::log10(Tensor self) -> Tensor
aten::log10_(Tensor(a!) self) -> Tensor(a!)
aten::log1p(Tensor self) -> Tensor
aten::log1p_(Tensor(a!) self) -> Tensor(a!)
aten::log2(Tensor self) -> Tensor
aten::log2_(Tensor(a!) self) -> Tensor(a!)
aten::log_(Tensor(a!) self) -> Tensor(a!)
aten::log_sigmoid(Tensor self) -> Tensor
aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
aten::logaddexp(Tensor self, Tensor other) -> Tensor
aten::logcumsumexp(Tensor self, int dim) -> Tensor
aten::logical_and(Tensor self, Tensor other) -> Tensor
aten::logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logical_not(Tensor self) -> Tensor
aten::logical_not_(Tensor(a!) self) -> Tensor(a!)
aten::logical_or(Tensor self, Tensor other) -> Tensor
aten::logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logical_xor(Tensor self, Tensor other) -> Tensor
aten::logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::logit(Tensor self, float? eps=None) -> Tensor
aten::logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)
aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, \\
int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)
aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, \\
float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)
aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? \\
b_hh=None) -> (Tensor, Tensor)
aten::lt.Scalar(Tensor self, Scalar other) -> Tensor
aten::lt.Tensor(Tensor self, Tensor other) -> Tensor
aten::lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::mH(Tensor(a) self) -> Tensor(a)
aten::mT(Tensor(a) self) -> Tensor(a)
aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor
aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor
aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)
aten::masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)
aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor
aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)
aten::masked_select(Tensor self, Tensor mask) -> Tensor
aten::matmul(Tensor self, Tensor other) -> Tensor
aten::matrix_H(Tensor(a) self) -> Tensor(a)
aten::max(Tensor self) -> Tensor
aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
aten::max.other(Tensor self, Tensor other) -> Tensor
aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] \\
dilation=[1], bool ceil_mode=False) -> Tensor
aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] \\
padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)
aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] \\
dilation=1, bool ceil_mode=False) -> Tensor
aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] \\
padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] \\
dilation=1, bool ceil_mode=False) -> Tensor
aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] \\
padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
aten::maximum(Tensor self, Tensor other) -> Tensor
aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
aten::median(Tensor self) -> Tensor
aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
aten::meshgrid(Tensor(a -> *)[] tensors) -> Tensor(a)[]
aten::meshgrid.indexing(Tensor(a -> *)[] tensors, *, str indexing) -> Tensor(a)[]
aten::min(Tensor self) -> Tensor
aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
aten::min.other(Tensor self, Tensor other) -> Tensor
aten::minimum(Tensor self, Tensor other) -> Tensor
aten::mish(Tensor self) -> Tensor
aten::mish_(Tensor(a!) self) -> Tensor(a!)
aten::mm(Tensor self, Tensor mat2) -> Tensor
aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor
aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)
aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor
aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor
aten::multiply_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::mv(Tensor self, Tensor vec) -> Tensor
aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
aten::nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> \\
Tensor(a!)
aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> \\
Tensor
aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)
aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, \\
Tensor(b!)? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)
aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt \\
HxW, int group, float eps) -> (Tensor, Tensor, Tensor)
aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, \\
float eps) -> (Tensor, Tensor, Tensor)
aten::ne.Scalar(Tensor self, Scalar other) -> Tensor
aten::ne.Tensor(Tensor self, Tensor other) -> Tensor
aten::ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::neg(Tensor self) -> Tensor
aten::neg_(Tensor(a!) self) -> Tensor(a!)
aten::negative(Tensor self) -> Tensor
aten::negative_(Tensor(a!) self) -> Tensor(a!)
aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None) -> Tensor
aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None) -> Tensor
aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, \\
Device? device=None, bool? pin_memory=None) -> Tensor
aten::nonzero(Tensor self) -> Tensor
aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor
aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor
aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor
aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType \\
dtype) -> Tensor
aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor
aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor
aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor
aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor
aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, \\
ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> \\
Tensor(a!)
aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::not_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::numel(Tensor self) -> int
aten::numpy_T(Tensor(a) self) -> Tensor(a)
aten::one_hot(Tensor self, int num_classes=-1) -> Tensor
aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None) -> Tensor
aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::outer(Tensor self, Tensor vec2) -> Tensor
aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor
aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)
aten::permute_copy(Tensor self, int[] dims) -> Tensor
aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor
aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor
aten::polar(Tensor abs, Tensor angle) -> Tensor
aten::positive(Tensor(a) self) -> Tensor(a)
aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)
aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)
aten::prelu(Tensor self, Tensor weight) -> Tensor
aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor
aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
aten::rad2deg(Tensor self) -> Tensor
aten::rad2deg_(Tensor(a!) self) -> Tensor(a!)
aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None) -> Tensor
aten::rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> \\
Tensor
aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None) -> Tensor
aten::randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=4, \\
Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, \\
ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None) -> Tensor
aten::randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
aten::randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> \\
Tensor
aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? \\
pin_memory=None) -> Tensor
aten::randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=4, Layout? \\
layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
aten::ravel(Tensor(a) self) -> Tensor(a)
aten::real(Tensor(a) self) -> Tensor(a)
aten::reciprocal(Tensor self) -> Tensor
aten::reciprocal_(Tensor(a!) self) -> Tensor(a!)
aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor
aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor
aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor
aten::relu(Tensor self) -> Tensor
aten::relu6(Tensor self) -> Tensor
aten::relu6_(Tensor(a!) self) -> Tensor(a!)
aten::relu_(Tensor(a!) self) -> Tensor(a!)
aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor
aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor
aten::remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::repeat(Tensor self, SymInt[] repeats) -> Tensor
aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor
aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? \\
output_size=None) -> Tensor
aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? \\
output_size=None) -> Tensor
aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor
aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor
aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor
aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::resolve_conj(Tensor(a) self) -> Tensor(a)
aten::resolve_neg(Tensor(a) self) -> Tensor(a)
aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> \\
Tensor
aten::rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, \\
int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)
aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, \\
float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? \\
b_hh=None) -> Tensor
aten::rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, \\
int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)
aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, \\
float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? \\
b_hh=None) -> Tensor
aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor
aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
aten::round(Tensor self) -> Tensor
aten::round.decimals(Tensor self, *, int decimals) -> Tensor
aten::round_(Tensor(a!) self) -> Tensor(a!)
aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)
aten::rsqrt(Tensor self) -> Tensor
aten::rsqrt_(Tensor(a!) self) -> Tensor(a!)
aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None) -> Tensor
aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? \\
attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool \\
enable_gqa=False) -> Tensor
aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor
aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> \\
Tensor
aten::scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> \\
Tensor(a!)
aten::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)
aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
aten::scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) \\
-> Tensor(a!)
aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
aten::scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)
aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool \\
include_self=True) -> Tensor
aten::scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool \\
include_self=True) -> Tensor(a!)
aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool \\
right=False, str? side=None, Tensor? sorter=None) -> Tensor
aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool \\
right=False, str? side=None, Tensor? sorter=None) -> Tensor
aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor
aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor
aten::selu(Tensor self) -> Tensor
aten::selu_(Tensor(a!) self) -> Tensor(a!)
aten::set(Tensor self) -> Tensor
aten::set.source_Storage(Tensor self, Storage source) -> Tensor
aten::set.source_Storage_storage_offset(Tensor self, Storage source, SymInt storage_offset, \\
SymInt[] size, SymInt[] stride=[]) -> Tensor
aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor
aten::set_(Tensor(a!) self) -> Tensor(a!)
aten::set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)
aten::set_.source_Storage_storage_offset(Tensor(a!) self, Storage source, SymInt storage_offset, \\
SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)
aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)
aten::set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, \\
SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)
aten::sgn(Tensor self) -> Tensor
aten::sgn_(Tensor(a!) self) -> Tensor(a!)
aten::sigmoid(Tensor self) -> Tensor
aten::sigmoid_(Tensor(a!) self) -> Tensor(a!)
aten::sign(Tensor self) -> Tensor
aten::sign_(Tensor(a!) self) -> Tensor(a!)
aten::silu(Tensor self) -> Tensor
aten::silu_(Tensor(a!) self) -> Tensor(a!)
aten::sin(Tensor self) -> Tensor
aten::sin_(Tensor(a!) self) -> Tensor(a!)
aten::sinc(Tensor self) -> Tensor
aten::sinc_(Tensor(a!) self) -> Tensor(a!)
aten::sinh(Tensor self) -> Tensor
aten::sinh_(Tensor(a!) self) -> Tensor(a!)
aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt \\
step=1) -> Tensor(a)
aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt \\
step=1) -> Tensor
aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, \\
SymInt step=1) -> Tensor
aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)
aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor \\
values, Tensor indices)
aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]
aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]
aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
aten::sqrt(Tensor self) -> Tensor
aten::sqrt_(Tensor(a!) self) -> Tensor(a!)
aten::square(Tensor self) -> Tensor
aten::square_(Tensor(a!) self) -> Tensor(a!)
aten::squeeze(Tensor(a) self) -> Tensor(a)
aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
aten::squeeze_(Tensor(a!) self) -> Tensor(a!)
aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)
aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)
aten::squeeze_copy(Tensor self) -> Tensor
aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor
aten::stack(Tensor[] tensors, int dim=0) -> Tensor
aten::std(Tensor self, bool unbiased=True) -> Tensor
aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool \\
keepdim=False) -> Tensor
aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool \\
keepdim=False) -> (Tensor, Tensor)
aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, \\
Tensor)
aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? \\
window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? \\
align_to_window=None) -> Tensor
aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? \\
window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? \\
onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor
aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::subtract_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> \\
Tensor
aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)
aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)
aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()
aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()
aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> SymBool
aten::sym_numel(Tensor self) -> SymInt
aten::sym_size.int(Tensor self, int dim) -> SymInt
aten::sym_storage_offset(Tensor self) -> SymInt
aten::sym_stride.int(Tensor self, int dim) -> SymInt
aten::t(Tensor(a) self) -> Tensor(a)
aten::t_(Tensor(a!) self) -> Tensor(a!)
aten::t_copy(Tensor self) -> Tensor
aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor
aten::tan(Tensor self) -> Tensor
aten::tan_(Tensor(a!) self) -> Tensor(a!)
aten::tanh(Tensor self) -> Tensor
aten::tanh_(Tensor(a!) self) -> Tensor(a!)
aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]
aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]
aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor \\
tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor
aten::threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)
aten::tile(Tensor self, SymInt[] dims) -> Tensor
aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool \\
copy=False, MemoryFormat? memory_format=None) -> Tensor(a)
aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, \\
MemoryFormat? memory_format=None) -> Tensor(a)
aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? \\
memory_format=None) -> Tensor(a)
aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, \\
MemoryFormat? memory_format=None) -> Tensor(a)
aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor \\
values, Tensor indices)
aten::trace(Tensor self) -> Tensor
aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)
aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
aten::tril(Tensor self, SymInt diagonal=0) -> Tensor
aten::tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::triu(Tensor self, SymInt diagonal=0) -> Tensor
aten::triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)
aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::true_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::trunc(Tensor self) -> Tensor
aten::trunc_(Tensor(a!) self) -> Tensor(a!)
aten::type_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)
aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)
aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor
aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> \\
Tensor(a!)
aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? \\
dim=None) -> (Tensor, Tensor, Tensor)
aten::unsafe_chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor(a)[]
aten::unsafe_split.Tensor(Tensor(a) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::unsafe_split_with_sizes(Tensor(a) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]
aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)
aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? \\
scale_factors) -> Tensor
aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? \\
scale_factors) -> Tensor
aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? \\
scales=None) -> Tensor
aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? \\
scale_factors) -> Tensor
aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor
aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> \\
Tensor
aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? \\
scales_w=None) -> Tensor
aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> \\
Tensor
aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? \\
scales_h=None, float? scales_w=None) -> Tensor
aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> \\
Tensor
aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? \\
scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor
aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? \\
scale_factors) -> Tensor
aten::var(Tensor self, bool unbiased=True) -> Tensor
aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool \\
keepdim=False) -> Tensor
aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool \\
keepdim=False) -> (Tensor, Tensor)
aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, \\
Tensor)
aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)
aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)
aten::view_as_complex(Tensor(a) self) -> Tensor(a)
aten::view_as_real(Tensor(a) self) -> Tensor(a)
aten::view_copy(Tensor self, SymInt[] size) -> Tensor
aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor
aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
aten::vstack(Tensor[] tensors) -> Tensor
aten::where(Tensor condition) -> Tensor[]
aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor
aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor
aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor
aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor
aten::xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::zero(Tensor self) -> Tensor
aten::zero_(Tensor(a!) self) -> Tensor(a!)
aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, \\
bool? pin_memory=None) -> Tensor
aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? \\
device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) \\
-> (Tensor, Tensor)
quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float \\
eps, ScalarType dtype) -> (Tensor, Tensor)
quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)
quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> \\
(Tensor, Tensor)
quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, \\
float eps, ScalarType dtype) -> (Tensor, Tensor)
quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor
quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, \\
int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? \\
zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType \\
output_dtype) -> Tensor
quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int \\
quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, \\
int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor
quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor \\
zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) \\
-> Tensor
quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int \\
quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor
quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int \\
axis, int quant_min, int quant_max) -> Tensor
quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int \\
axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor
quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, \\
int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor
quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int \\
quant_min, int quant_max, ScalarType dtype) -> Tensor
quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, \\
int quant_min, int quant_max, ScalarType dtype) -> Tensor
quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, \\
Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor
quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int \\
quant_min, int quant_max, ScalarType dtype) -> Tensor
_operator::add(Scalar a, Scalar b) -> Scalar
_operator::and_(bool a, bool b) -> bool
_operator::eq(Scalar a, Scalar b) -> bool
_operator::floordiv(Scalar a, Scalar b) -> Scalar
_operator::ge(Scalar a, Scalar b) -> bool
_operator::gt(Scalar a, Scalar b) -> bool
_operator::le(Scalar a, Scalar b) -> bool
_operator::lshift(Scalar a, Scalar b) -> Scalar
_operator::lt(Scalar a, Scalar b) -> bool
_operator::mod(Scalar a, Scalar b) -> Scalar
_operator::mul(Scalar a, Scalar b) -> Scalar
_operator::ne(Scalar a, Scalar b) -> bool
_operator::neg(Scalar a) -> Scalar
_operator::or_(bool a, bool b) -> bool
_operator::pos(Scalar a) -> Scalar
_operator::pow(Scalar a, Scalar b) -> Scalar
_operator::rshift(Scalar a, Scalar b) -> Scalar
_operator::sub(Scalar a, Scalar b) -> Scalar
_operator::truediv(Scalar a, Scalar b) -> float
math::trunc(Scalar x) -> SymInt
torch::_sym_sqrt(Scalar a) -> float
torch::sym_float(Scalar a) -> float
torch::sym_int(Scalar a) -> SymInt
torch::sym_ite(bool b, Scalar t, Scalar f) -> Scalar
torch::sym_max(Scalar a, Scalar b) -> Scalar
torch::sym_min(Scalar a, Scalar b) -> Scalar
torch::sym_not(bool a) -> bool
torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor
torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, \\
SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor
"""

OP_TABLE: dict[str, OpSpec] = {
    spec.kind: spec for spec in map(OpSpec, _schemas.strip().replace("\\\n", "").splitlines())
}
"""The ops by their type."""
