// RUN: AUTOSPLIT_ROUNDTRIP

// Each op with all of its arguments. Written by `python -m autosplit.tools.generate.aten_dialect`.

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %r0y0 = aten.__and__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r0y0 = aten.__and__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r1y0 = aten.__and__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r1y0 = aten.__and__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r2y0 = aten.__lshift__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r2y0 = aten.__lshift__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r3y0 = aten.__lshift__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r3y0 = aten.__lshift__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r4y0 = aten.__or__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r4y0 = aten.__or__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r5y0 = aten.__or__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r5y0 = aten.__or__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r6y0 = aten.__rshift__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r6y0 = aten.__rshift__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r7y0 = aten.__rshift__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r7y0 = aten.__rshift__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r8y0 = aten.__xor__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r8y0 = aten.__xor__.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r9y0 = aten.__xor__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r9y0 = aten.__xor__.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r10y0 = aten._adaptive_avg_pool2d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r10y0 = aten._adaptive_avg_pool2d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r11y0 = aten._adaptive_avg_pool3d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r11y0 = aten._adaptive_avg_pool3d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: aten._assert_async "n" (%x) -> [] : (tensor<4xf32>) -> ()
  aten._assert_async "n" (%x) -> [] : (tensor<4xf32>) -> ()
  // CHECK: aten._assert_async.msg "n" (%x) -> [] <{assert_msg = "text"}> : (tensor<4xf32>) -> ()
  aten._assert_async.msg "n" (%x) -> [] <{assert_msg = "text"}> : (tensor<4xf32>) -> ()
  // CHECK: aten._assert_scalar "n" () -> [] <{self = 5.000000e-01 : f64, assert_msg = "text"}> : () -> ()
  aten._assert_scalar "n" () -> [] <{self = 5.000000e-01 : f64, assert_msg = "text"}> : () -> ()
  // CHECK: aten._assert_tensor_metadata "n" (%x) -> [] <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, device = #aten.device<"cpu">, layout = #aten.layout<"strided">}> : (tensor<4xf32>) -> ()
  aten._assert_tensor_metadata "n" (%x) -> [] <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, device = #aten.device<"cpu">, layout = #aten.layout<"strided">}> : (tensor<4xf32>) -> ()
  // CHECK: %r16y0 = aten._conj "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r16y0 = aten._conj "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r17y0 = aten._convolution "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64, benchmark = true, deterministic = true, cudnn_enabled = true, allow_tf32 = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r17y0 = aten._convolution "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64, benchmark = true, deterministic = true, cudnn_enabled = true, allow_tf32 = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r18y0 = aten._convolution.deprecated "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64, benchmark = true, deterministic = true, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r18y0 = aten._convolution.deprecated "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64, benchmark = true, deterministic = true, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r19y0, %r19y1, %r19y2, %r19y3 = aten._embedding_bag "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true, padding_idx = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r19y0, %r19y1, %r19y2, %r19y3 = aten._embedding_bag "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true, padding_idx = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r20y0 = aten._fft_c2c "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, forward = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r20y0 = aten._fft_c2c "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, forward = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r21y0 = aten._fft_c2r "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, last_dim_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r21y0 = aten._fft_c2r "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, last_dim_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r22y0 = aten._fft_r2c "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, onesided = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r22y0 = aten._fft_r2c "n" (%x) <{dim = array<i64: 2>, normalization = 2 : i64, onesided = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r23y0 = aten._functional_assert_async.msg "n" (%x, %x) <{assert_msg = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r23y0 = aten._functional_assert_async.msg "n" (%x, %x) <{assert_msg = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r24y0 = aten._functional_assert_scalar "n" (%x) <{self = 5.000000e-01 : f64, assert_msg = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r24y0 = aten._functional_assert_scalar "n" (%x) <{self = 5.000000e-01 : f64, assert_msg = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r25y0 = aten._index_put_impl "n" (%x, %x, %x) <{accumulate = true, unsafe = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r25y0 = aten._index_put_impl "n" (%x, %x, %x) <{accumulate = true, unsafe = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r26y0 = aten._index_put_impl_ "n" (%x, %x, %x) <{accumulate = true, unsafe = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r26y0 = aten._index_put_impl_ "n" (%x, %x, %x) <{accumulate = true, unsafe = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r27y0 = aten._local_scalar_dense "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r27y0 = aten._local_scalar_dense "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r28y0 = aten._log_softmax "n" (%x) <{dim = 2 : i64, half_to_float = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r28y0 = aten._log_softmax "n" (%x) <{dim = 2 : i64, half_to_float = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r29y0, %r29y1, %r29y2 = aten._native_batch_norm_legit "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r29y0, %r29y1, %r29y2 = aten._native_batch_norm_legit "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r30y0, %r30y1, %r30y2 = aten._native_batch_norm_legit.no_stats "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r30y0, %r30y1, %r30y2 = aten._native_batch_norm_legit.no_stats "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r31y0, %r31y1, %r31y2, %r31y3, %r31y4 = aten._native_batch_norm_legit_functional "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2", "y3", "y4"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r31y0, %r31y1, %r31y2, %r31y3, %r31y4 = aten._native_batch_norm_legit_functional "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2", "y3", "y4"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r32y0, %r32y1, %r32y2 = aten._native_batch_norm_legit_no_training "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r32y0, %r32y1, %r32y2 = aten._native_batch_norm_legit_no_training "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r33y0 = aten._reshape_alias "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r33y0 = aten._reshape_alias "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r34y0, %r34y1 = aten._scaled_dot_product_flash_attention_for_cpu "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{dropout_p = 5.000000e-01 : f64, is_causal = true, scale = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r34y0, %r34y1 = aten._scaled_dot_product_flash_attention_for_cpu "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{dropout_p = 5.000000e-01 : f64, is_causal = true, scale = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r35y0 = aten._shape_as_tensor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r35y0 = aten._shape_as_tensor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r36y0 = aten._softmax "n" (%x) <{dim = 2 : i64, half_to_float = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r36y0 = aten._softmax "n" (%x) <{dim = 2 : i64, half_to_float = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r37y0 = aten._stack "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r37y0 = aten._stack "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r38y0 = aten._to_copy "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, non_blocking = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r38y0 = aten._to_copy "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, non_blocking = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r39y0 = aten._unsafe_index.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r39y0 = aten._unsafe_index.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r40y0 = aten._unsafe_index_put "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r40y0 = aten._unsafe_index_put "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r41y0 = aten._unsafe_view "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r41y0 = aten._unsafe_view "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r42y0 = aten._upsample_bicubic2d_aa "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r42y0 = aten._upsample_bicubic2d_aa "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r43y0 = aten._upsample_bicubic2d_aa.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r43y0 = aten._upsample_bicubic2d_aa.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r44y0 = aten._upsample_bilinear2d_aa "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r44y0 = aten._upsample_bilinear2d_aa "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r45y0 = aten._upsample_bilinear2d_aa.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r45y0 = aten._upsample_bilinear2d_aa.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r46y0 = aten._upsample_nearest_exact1d "n" (%x) <{output_size = array<i64: 2>, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r46y0 = aten._upsample_nearest_exact1d "n" (%x) <{output_size = array<i64: 2>, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r47y0 = aten._upsample_nearest_exact1d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r47y0 = aten._upsample_nearest_exact1d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r48y0 = aten._upsample_nearest_exact2d "n" (%x) <{output_size = array<i64: 2>, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r48y0 = aten._upsample_nearest_exact2d "n" (%x) <{output_size = array<i64: 2>, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r49y0 = aten._upsample_nearest_exact2d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r49y0 = aten._upsample_nearest_exact2d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r50y0 = aten._upsample_nearest_exact3d "n" (%x) <{output_size = array<i64: 2>, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r50y0 = aten._upsample_nearest_exact3d "n" (%x) <{output_size = array<i64: 2>, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r51y0 = aten._upsample_nearest_exact3d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r51y0 = aten._upsample_nearest_exact3d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r52y0 = aten._weight_norm "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r52y0 = aten._weight_norm "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r53y0 = aten.abs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r53y0 = aten.abs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r54y0 = aten.abs_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r54y0 = aten.abs_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r55y0 = aten.absolute "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r55y0 = aten.absolute "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r56y0 = aten.absolute_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r56y0 = aten.absolute_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r57y0 = aten.acos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r57y0 = aten.acos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r58y0 = aten.acos_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r58y0 = aten.acos_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r59y0 = aten.acosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r59y0 = aten.acosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r60y0 = aten.acosh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r60y0 = aten.acosh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r61y0 = aten.adaptive_avg_pool1d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r61y0 = aten.adaptive_avg_pool1d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r62y0 = aten.adaptive_avg_pool2d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r62y0 = aten.adaptive_avg_pool2d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r63y0 = aten.adaptive_avg_pool3d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r63y0 = aten.adaptive_avg_pool3d "n" (%x) <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r64y0, %r64y1 = aten.adaptive_max_pool1d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r64y0, %r64y1 = aten.adaptive_max_pool1d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r65y0, %r65y1 = aten.adaptive_max_pool2d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r65y0, %r65y1 = aten.adaptive_max_pool2d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r66y0, %r66y1 = aten.adaptive_max_pool3d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r66y0, %r66y1 = aten.adaptive_max_pool3d "n" (%x) -> ["y0", "y1"] <{output_size = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r67y0 = aten.add.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r67y0 = aten.add.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r68y0 = aten.add.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r68y0 = aten.add.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r69y0 = aten.add_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r69y0 = aten.add_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r70y0 = aten.add_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r70y0 = aten.add_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r71y0 = aten.addbmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r71y0 = aten.addbmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r72y0 = aten.addbmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r72y0 = aten.addbmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r73y0 = aten.addcdiv "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r73y0 = aten.addcdiv "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r74y0 = aten.addcdiv_ "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r74y0 = aten.addcdiv_ "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r75y0 = aten.addcmul "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r75y0 = aten.addcmul "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r76y0 = aten.addcmul_ "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r76y0 = aten.addcmul_ "n" (%x, %x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r77y0 = aten.addmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r77y0 = aten.addmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r78y0 = aten.addmm.dtype "n" (%x, %x, %x) <{out_dtype = #aten.dtype<"float32">, beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r78y0 = aten.addmm.dtype "n" (%x, %x, %x) <{out_dtype = #aten.dtype<"float32">, beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r79y0 = aten.addmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r79y0 = aten.addmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r80y0 = aten.addmv "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r80y0 = aten.addmv "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r81y0 = aten.addmv_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r81y0 = aten.addmv_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r82y0 = aten.addr "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r82y0 = aten.addr "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r83y0 = aten.addr_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r83y0 = aten.addr_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r84y0 = aten.affine_grid_generator "n" (%x) <{size = array<i64: 2>, align_corners = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r84y0 = aten.affine_grid_generator "n" (%x) <{size = array<i64: 2>, align_corners = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r85y0 = aten.alias "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r85y0 = aten.alias "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r86y0 = aten.alias_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r86y0 = aten.alias_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r87y0 = aten.all "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r87y0 = aten.all "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r88y0 = aten.all.dim "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r88y0 = aten.all.dim "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r89y0 = aten.all.dims "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r89y0 = aten.all.dims "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r90y0 = aten.amax "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r90y0 = aten.amax "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r91y0 = aten.amin "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r91y0 = aten.amin "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r92y0, %r92y1 = aten.aminmax "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r92y0, %r92y1 = aten.aminmax "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r93y0 = aten.angle "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r93y0 = aten.angle "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r94y0 = aten.any "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r94y0 = aten.any "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r95y0 = aten.any.dim "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r95y0 = aten.any.dim "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r96y0 = aten.any.dims "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r96y0 = aten.any.dims "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r97y0 = aten.arange "n" () <{end = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r97y0 = aten.arange "n" () <{end = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r98y0 = aten.arange.start "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r98y0 = aten.arange.start "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r99y0 = aten.arange.start_step "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, step = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r99y0 = aten.arange.start_step "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, step = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r100y0 = aten.argmax "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r100y0 = aten.argmax "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r101y0 = aten.argmin "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r101y0 = aten.argmin "n" (%x) <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r102y0 = aten.argsort "n" (%x) <{dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r102y0 = aten.argsort "n" (%x) <{dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r103y0 = aten.argsort.stable "n" (%x) <{stable = true, dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r103y0 = aten.argsort.stable "n" (%x) <{stable = true, dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r104y0 = aten.argwhere "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r104y0 = aten.argwhere "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r105y0 = aten.as_strided "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r105y0 = aten.as_strided "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r106y0 = aten.as_strided_ "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r106y0 = aten.as_strided_ "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r107y0 = aten.as_strided_copy "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r107y0 = aten.as_strided_copy "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r108y0 = aten.as_strided_scatter "n" (%x, %x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r108y0 = aten.as_strided_scatter "n" (%x, %x) <{size = array<i64: 2>, stride = array<i64: 2>, storage_offset = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r109y0 = aten.asin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r109y0 = aten.asin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r110y0 = aten.asin_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r110y0 = aten.asin_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r111y0 = aten.asinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r111y0 = aten.asinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r112y0 = aten.asinh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r112y0 = aten.asinh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r113y0 = aten.atan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r113y0 = aten.atan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r114y0 = aten.atan2 "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r114y0 = aten.atan2 "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r115y0 = aten.atan2_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r115y0 = aten.atan2_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r116y0 = aten.atan_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r116y0 = aten.atan_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r117y0 = aten.atanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r117y0 = aten.atanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r118y0 = aten.atanh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r118y0 = aten.atanh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r119y0 = aten.atleast_1d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r119y0 = aten.atleast_1d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r120y0 = aten.atleast_1d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r120y0 = aten.atleast_1d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r121y0 = aten.atleast_2d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r121y0 = aten.atleast_2d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r122y0 = aten.atleast_2d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r122y0 = aten.atleast_2d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r123y0 = aten.atleast_3d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r123y0 = aten.atleast_3d "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r124y0 = aten.atleast_3d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r124y0 = aten.atleast_3d.Sequence "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r125y0 = aten.avg_pool1d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r125y0 = aten.avg_pool1d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r126y0 = aten.avg_pool2d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true, divisor_override = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r126y0 = aten.avg_pool2d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true, divisor_override = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r127y0 = aten.avg_pool3d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true, divisor_override = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r127y0 = aten.avg_pool3d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, ceil_mode = true, count_include_pad = true, divisor_override = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r128y0 = aten.baddbmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r128y0 = aten.baddbmm "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r129y0 = aten.baddbmm.dtype "n" (%x, %x, %x) <{out_dtype = #aten.dtype<"float32">, beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r129y0 = aten.baddbmm.dtype "n" (%x, %x, %x) <{out_dtype = #aten.dtype<"float32">, beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r130y0 = aten.baddbmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r130y0 = aten.baddbmm_ "n" (%x, %x, %x) <{beta = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r131y0 = aten.batch_norm "n" (%x, %x, %x, %x, %x) <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r131y0 = aten.batch_norm "n" (%x, %x, %x, %x, %x) <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r132y0 = aten.bernoulli "n" (%x) <{generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r132y0 = aten.bernoulli "n" (%x) <{generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r133y0 = aten.bernoulli.Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r133y0 = aten.bernoulli.Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r134y0 = aten.bernoulli.p "n" (%x) <{p = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r134y0 = aten.bernoulli.p "n" (%x) <{p = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r135y0 = aten.bernoulli_.Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r135y0 = aten.bernoulli_.Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r136y0 = aten.bernoulli_.float "n" (%x) <{p = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r136y0 = aten.bernoulli_.float "n" (%x) <{p = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r137y0 = aten.bitwise_and.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r137y0 = aten.bitwise_and.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r138y0 = aten.bitwise_and.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r138y0 = aten.bitwise_and.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r139y0 = aten.bitwise_and.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r139y0 = aten.bitwise_and.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r140y0 = aten.bitwise_and_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r140y0 = aten.bitwise_and_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r141y0 = aten.bitwise_and_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r141y0 = aten.bitwise_and_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r142y0 = aten.bitwise_left_shift.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r142y0 = aten.bitwise_left_shift.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r143y0 = aten.bitwise_left_shift.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r143y0 = aten.bitwise_left_shift.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r144y0 = aten.bitwise_left_shift.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r144y0 = aten.bitwise_left_shift.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r145y0 = aten.bitwise_left_shift_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r145y0 = aten.bitwise_left_shift_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r146y0 = aten.bitwise_left_shift_.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r146y0 = aten.bitwise_left_shift_.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r147y0 = aten.bitwise_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r147y0 = aten.bitwise_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r148y0 = aten.bitwise_not_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r148y0 = aten.bitwise_not_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r149y0 = aten.bitwise_or.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r149y0 = aten.bitwise_or.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r150y0 = aten.bitwise_or.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r150y0 = aten.bitwise_or.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r151y0 = aten.bitwise_or.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r151y0 = aten.bitwise_or.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r152y0 = aten.bitwise_or_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r152y0 = aten.bitwise_or_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r153y0 = aten.bitwise_or_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r153y0 = aten.bitwise_or_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r154y0 = aten.bitwise_right_shift.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r154y0 = aten.bitwise_right_shift.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r155y0 = aten.bitwise_right_shift.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r155y0 = aten.bitwise_right_shift.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r156y0 = aten.bitwise_right_shift.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r156y0 = aten.bitwise_right_shift.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r157y0 = aten.bitwise_right_shift_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r157y0 = aten.bitwise_right_shift_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r158y0 = aten.bitwise_right_shift_.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r158y0 = aten.bitwise_right_shift_.Tensor_Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r159y0 = aten.bitwise_xor.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r159y0 = aten.bitwise_xor.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r160y0 = aten.bitwise_xor.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r160y0 = aten.bitwise_xor.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r161y0 = aten.bitwise_xor.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r161y0 = aten.bitwise_xor.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r162y0 = aten.bitwise_xor_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r162y0 = aten.bitwise_xor_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r163y0 = aten.bitwise_xor_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r163y0 = aten.bitwise_xor_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r164y0 = aten.block_diag "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r164y0 = aten.block_diag "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r165y0 = aten.bmm "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r165y0 = aten.bmm "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r166y0 = aten.bmm.dtype "n" (%x, %x) <{out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r166y0 = aten.bmm.dtype "n" (%x, %x) <{out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r167y0 = aten.broadcast_tensors "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r167y0 = aten.broadcast_tensors "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r168y0 = aten.broadcast_to "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r168y0 = aten.broadcast_to "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r169y0 = aten.bucketize.Scalar "n" (%x) <{self = 5.000000e-01 : f64, out_int32 = true, right = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r169y0 = aten.bucketize.Scalar "n" (%x) <{self = 5.000000e-01 : f64, out_int32 = true, right = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r170y0 = aten.bucketize.Tensor "n" (%x, %x) <{out_int32 = true, right = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r170y0 = aten.bucketize.Tensor "n" (%x, %x) <{out_int32 = true, right = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r171y0 = aten.cat "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r171y0 = aten.cat "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r172y0 = aten.cdist "n" (%x, %x) <{p = 5.000000e-01 : f64, compute_mode = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r172y0 = aten.cdist "n" (%x, %x) <{p = 5.000000e-01 : f64, compute_mode = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r173y0 = aten.ceil "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r173y0 = aten.ceil "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r174y0 = aten.ceil_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r174y0 = aten.ceil_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r175y0 = aten.celu "n" (%x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r175y0 = aten.celu "n" (%x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r176y0 = aten.celu_ "n" (%x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r176y0 = aten.celu_ "n" (%x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r177y0 = aten.channel_shuffle "n" (%x) <{groups = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r177y0 = aten.channel_shuffle "n" (%x) <{groups = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r178y0 = aten.chunk "n" (%x) <{chunks = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r178y0 = aten.chunk "n" (%x) <{chunks = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r179y0 = aten.clamp "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r179y0 = aten.clamp "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r180y0 = aten.clamp.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r180y0 = aten.clamp.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r181y0 = aten.clamp_ "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r181y0 = aten.clamp_ "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r182y0 = aten.clamp_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r182y0 = aten.clamp_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r183y0 = aten.clamp_max "n" (%x) <{max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r183y0 = aten.clamp_max "n" (%x) <{max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r184y0 = aten.clamp_max.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r184y0 = aten.clamp_max.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r185y0 = aten.clamp_max_ "n" (%x) <{max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r185y0 = aten.clamp_max_ "n" (%x) <{max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r186y0 = aten.clamp_max_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r186y0 = aten.clamp_max_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r187y0 = aten.clamp_min "n" (%x) <{min = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r187y0 = aten.clamp_min "n" (%x) <{min = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r188y0 = aten.clamp_min.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r188y0 = aten.clamp_min.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r189y0 = aten.clamp_min_ "n" (%x) <{min = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r189y0 = aten.clamp_min_ "n" (%x) <{min = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r190y0 = aten.clamp_min_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r190y0 = aten.clamp_min_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r191y0 = aten.clip "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r191y0 = aten.clip "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r192y0 = aten.clip.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r192y0 = aten.clip.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r193y0 = aten.clip_ "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r193y0 = aten.clip_ "n" (%x) <{min = 5.000000e-01 : f64, max = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r194y0 = aten.clip_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r194y0 = aten.clip_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r195y0 = aten.clone "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r195y0 = aten.clone "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r196y0 = aten.col2im "n" (%x) <{output_size = array<i64: 2>, kernel_size = array<i64: 2>, dilation = array<i64: 2>, padding = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r196y0 = aten.col2im "n" (%x) <{output_size = array<i64: 2>, kernel_size = array<i64: 2>, dilation = array<i64: 2>, padding = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r197y0 = aten.column_stack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r197y0 = aten.column_stack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r198y0 = aten.complex "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r198y0 = aten.complex "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r199y0 = aten.concat "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r199y0 = aten.concat "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r200y0 = aten.concatenate "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r200y0 = aten.concatenate "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r201y0 = aten.constant_pad_nd "n" (%x) <{pad = array<i64: 2>, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r201y0 = aten.constant_pad_nd "n" (%x) <{pad = array<i64: 2>, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r202y0 = aten.contiguous "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r202y0 = aten.contiguous "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r203y0 = aten.conv1d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r203y0 = aten.conv1d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r204y0 = aten.conv1d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r204y0 = aten.conv1d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r205y0 = aten.conv2d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r205y0 = aten.conv2d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r206y0 = aten.conv2d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r206y0 = aten.conv2d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r207y0 = aten.conv3d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r207y0 = aten.conv3d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r208y0 = aten.conv3d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r208y0 = aten.conv3d.padding "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = "text", dilation = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r209y0 = aten.conv_transpose1d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r209y0 = aten.conv_transpose1d "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r210y0 = aten.conv_transpose2d.input "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r210y0 = aten.conv_transpose2d.input "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r211y0 = aten.conv_transpose3d.input "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r211y0 = aten.conv_transpose3d.input "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, output_padding = array<i64: 2>, groups = 2 : i64, dilation = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r212y0 = aten.convolution "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r212y0 = aten.convolution "n" (%x, %x, %x) <{stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, transposed = true, output_padding = array<i64: 2>, groups = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r213y0 = aten.copy "n" (%x, %x) <{non_blocking = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r213y0 = aten.copy "n" (%x, %x) <{non_blocking = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r214y0 = aten.copy_ "n" (%x, %x) <{non_blocking = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r214y0 = aten.copy_ "n" (%x, %x) <{non_blocking = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r215y0 = aten.copysign.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r215y0 = aten.copysign.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r216y0 = aten.copysign.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r216y0 = aten.copysign.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r217y0 = aten.copysign_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r217y0 = aten.copysign_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r218y0 = aten.copysign_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r218y0 = aten.copysign_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r219y0 = aten.cos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r219y0 = aten.cos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r220y0 = aten.cos_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r220y0 = aten.cos_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r221y0 = aten.cosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r221y0 = aten.cosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r222y0 = aten.cosh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r222y0 = aten.cosh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r223y0 = aten.cosine_similarity "n" (%x, %x) <{dim = 2 : i64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r223y0 = aten.cosine_similarity "n" (%x, %x) <{dim = 2 : i64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r224y0 = aten.count_nonzero "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r224y0 = aten.count_nonzero "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r225y0 = aten.count_nonzero.dim_IntList "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r225y0 = aten.count_nonzero.dim_IntList "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r226y0 = aten.cross "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r226y0 = aten.cross "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r227y0, %r227y1 = aten.cummax "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r227y0, %r227y1 = aten.cummax "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r228y0, %r228y1 = aten.cummin "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r228y0, %r228y1 = aten.cummin "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r229y0 = aten.cumprod "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r229y0 = aten.cumprod "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r230y0 = aten.cumprod_ "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r230y0 = aten.cumprod_ "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r231y0 = aten.cumsum "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r231y0 = aten.cumsum "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r232y0 = aten.cumsum_ "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r232y0 = aten.cumsum_ "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r233y0 = aten.deg2rad "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r233y0 = aten.deg2rad "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r234y0 = aten.deg2rad_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r234y0 = aten.deg2rad_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r235y0 = aten.dequantize.self "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r235y0 = aten.dequantize.self "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r236y0 = aten.dequantize.tensors "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r236y0 = aten.dequantize.tensors "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r237y0 = aten.detach "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r237y0 = aten.detach "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r238y0 = aten.detach_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r238y0 = aten.detach_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r239y0 = aten.detach_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r239y0 = aten.detach_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r240y0 = aten.diag "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r240y0 = aten.diag "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r241y0 = aten.diag_embed "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r241y0 = aten.diag_embed "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r242y0 = aten.diagonal "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r242y0 = aten.diagonal "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r243y0 = aten.diagonal_copy "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r243y0 = aten.diagonal_copy "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r244y0 = aten.diagonal_scatter "n" (%x, %x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r244y0 = aten.diagonal_scatter "n" (%x, %x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r245y0 = aten.diff "n" (%x, %x, %x) <{n = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r245y0 = aten.diff "n" (%x, %x, %x) <{n = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r246y0 = aten.dim "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r246y0 = aten.dim "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r247y0 = aten.dist "n" (%x, %x) <{p = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r247y0 = aten.dist "n" (%x, %x) <{p = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r248y0 = aten.div.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r248y0 = aten.div.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r249y0 = aten.div.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r249y0 = aten.div.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r250y0 = aten.div.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r250y0 = aten.div.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r251y0 = aten.div.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r251y0 = aten.div.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r252y0 = aten.div_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r252y0 = aten.div_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r253y0 = aten.div_.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r253y0 = aten.div_.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r254y0 = aten.div_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r254y0 = aten.div_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r255y0 = aten.div_.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r255y0 = aten.div_.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r256y0 = aten.divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r256y0 = aten.divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r257y0 = aten.divide.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r257y0 = aten.divide.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r258y0 = aten.divide.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r258y0 = aten.divide.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r259y0 = aten.divide.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r259y0 = aten.divide.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r260y0 = aten.divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r260y0 = aten.divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r261y0 = aten.divide_.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r261y0 = aten.divide_.Scalar_mode "n" (%x) <{other = 5.000000e-01 : f64, rounding_mode = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r262y0 = aten.divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r262y0 = aten.divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r263y0 = aten.divide_.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r263y0 = aten.divide_.Tensor_mode "n" (%x, %x) <{rounding_mode = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r264y0 = aten.dot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r264y0 = aten.dot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r265y0 = aten.dropout "n" (%x) <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r265y0 = aten.dropout "n" (%x) <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r266y0 = aten.dropout_ "n" (%x) <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r266y0 = aten.dropout_ "n" (%x) <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r267y0 = aten.dstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r267y0 = aten.dstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r268y0 = aten.einsum "n" (%x) <{equation = "text", path = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r268y0 = aten.einsum "n" (%x) <{equation = "text", path = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r269y0 = aten.elu "n" (%x) <{alpha = 5.000000e-01 : f64, scale = 5.000000e-01 : f64, input_scale = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r269y0 = aten.elu "n" (%x) <{alpha = 5.000000e-01 : f64, scale = 5.000000e-01 : f64, input_scale = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r270y0 = aten.elu_ "n" (%x) <{alpha = 5.000000e-01 : f64, scale = 5.000000e-01 : f64, input_scale = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r270y0 = aten.elu_ "n" (%x) <{alpha = 5.000000e-01 : f64, scale = 5.000000e-01 : f64, input_scale = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r271y0 = aten.embedding "n" (%x, %x) <{padding_idx = 2 : i64, scale_grad_by_freq = true, sparse = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r271y0 = aten.embedding "n" (%x, %x) <{padding_idx = 2 : i64, scale_grad_by_freq = true, sparse = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r272y0, %r272y1, %r272y2, %r272y3 = aten.embedding_bag "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r272y0, %r272y1, %r272y2, %r272y3 = aten.embedding_bag "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r273y0, %r273y1, %r273y2, %r273y3 = aten.embedding_bag.padding_idx "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true, padding_idx = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r273y0, %r273y1, %r273y2, %r273y3 = aten.embedding_bag.padding_idx "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2", "y3"] <{scale_grad_by_freq = true, mode = 2 : i64, sparse = true, include_last_offset = true, padding_idx = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r274y0 = aten.empty.memory_format "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : () -> tensor<4xf32>
  %r274y0 = aten.empty.memory_format "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : () -> tensor<4xf32>
  // CHECK: %r275y0 = aten.empty_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r275y0 = aten.empty_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r276y0 = aten.empty_permuted "n" () <{size = array<i64: 2>, physical_layout = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r276y0 = aten.empty_permuted "n" () <{size = array<i64: 2>, physical_layout = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r277y0 = aten.empty_strided "n" () <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r277y0 = aten.empty_strided "n" () <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r278y0 = aten.eq.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r278y0 = aten.eq.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r279y0 = aten.eq.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r279y0 = aten.eq.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r280y0 = aten.eq_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r280y0 = aten.eq_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r281y0 = aten.eq_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r281y0 = aten.eq_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r282y0 = aten.erf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r282y0 = aten.erf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r283y0 = aten.erf_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r283y0 = aten.erf_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r284y0 = aten.erfc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r284y0 = aten.erfc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r285y0 = aten.erfc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r285y0 = aten.erfc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r286y0 = aten.erfinv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r286y0 = aten.erfinv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r287y0 = aten.erfinv_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r287y0 = aten.erfinv_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r288y0 = aten.exp "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r288y0 = aten.exp "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r289y0 = aten.exp2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r289y0 = aten.exp2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r290y0 = aten.exp2_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r290y0 = aten.exp2_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r291y0 = aten.exp_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r291y0 = aten.exp_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r292y0 = aten.expand "n" (%x) <{size = array<i64: 2>, implicit = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r292y0 = aten.expand "n" (%x) <{size = array<i64: 2>, implicit = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r293y0 = aten.expand_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r293y0 = aten.expand_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r294y0 = aten.expand_copy "n" (%x) <{size = array<i64: 2>, implicit = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r294y0 = aten.expand_copy "n" (%x) <{size = array<i64: 2>, implicit = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r295y0 = aten.expm1 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r295y0 = aten.expm1 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r296y0 = aten.expm1_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r296y0 = aten.expm1_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r297y0 = aten.eye "n" () <{n = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r297y0 = aten.eye "n" () <{n = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r298y0 = aten.eye.m "n" () <{n = 2 : i64, m = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r298y0 = aten.eye.m "n" () <{n = 2 : i64, m = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r299y0 = aten.fft_fft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r299y0 = aten.fft_fft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r300y0 = aten.fft_fft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r300y0 = aten.fft_fft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r301y0 = aten.fft_fftn "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r301y0 = aten.fft_fftn "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r302y0 = aten.fft_ifft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r302y0 = aten.fft_ifft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r303y0 = aten.fft_ifft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r303y0 = aten.fft_ifft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r304y0 = aten.fft_ifftn "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r304y0 = aten.fft_ifftn "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r305y0 = aten.fft_irfft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r305y0 = aten.fft_irfft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r306y0 = aten.fft_irfft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r306y0 = aten.fft_irfft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r307y0 = aten.fft_rfft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r307y0 = aten.fft_rfft "n" (%x) <{n = 2 : i64, dim = 2 : i64, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r308y0 = aten.fft_rfft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r308y0 = aten.fft_rfft2 "n" (%x) <{s = array<i64: 2>, dim = array<i64: 2>, norm = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r309y0 = aten.fill.Scalar "n" (%x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r309y0 = aten.fill.Scalar "n" (%x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r310y0 = aten.fill.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r310y0 = aten.fill.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r311y0 = aten.fill_.Scalar "n" (%x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r311y0 = aten.fill_.Scalar "n" (%x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r312y0 = aten.fill_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r312y0 = aten.fill_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r313y0 = aten.fill_diagonal_ "n" (%x) <{fill_value = 5.000000e-01 : f64, wrap = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r313y0 = aten.fill_diagonal_ "n" (%x) <{fill_value = 5.000000e-01 : f64, wrap = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r314y0 = aten.flatten.using_ints "n" (%x) <{start_dim = 2 : i64, end_dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r314y0 = aten.flatten.using_ints "n" (%x) <{start_dim = 2 : i64, end_dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r315y0 = aten.flip "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r315y0 = aten.flip "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r316y0 = aten.fliplr "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r316y0 = aten.fliplr "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r317y0 = aten.flipud "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r317y0 = aten.flipud "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r318y0 = aten.float_power.Scalar "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r318y0 = aten.float_power.Scalar "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r319y0 = aten.float_power.Tensor_Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r319y0 = aten.float_power.Tensor_Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r320y0 = aten.float_power.Tensor_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r320y0 = aten.float_power.Tensor_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r321y0 = aten.float_power_.Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r321y0 = aten.float_power_.Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r322y0 = aten.float_power_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r322y0 = aten.float_power_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r323y0 = aten.floor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r323y0 = aten.floor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r324y0 = aten.floor_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r324y0 = aten.floor_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r325y0 = aten.floor_divide "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r325y0 = aten.floor_divide "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r326y0 = aten.floor_divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r326y0 = aten.floor_divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r327y0 = aten.floor_divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r327y0 = aten.floor_divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r328y0 = aten.floor_divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r328y0 = aten.floor_divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r329y0 = aten.fmax "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r329y0 = aten.fmax "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r330y0 = aten.fmin "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r330y0 = aten.fmin "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r331y0 = aten.fmod.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r331y0 = aten.fmod.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r332y0 = aten.fmod.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r332y0 = aten.fmod.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r333y0 = aten.fmod_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r333y0 = aten.fmod_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r334y0 = aten.fmod_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r334y0 = aten.fmod_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r335y0 = aten.frac "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r335y0 = aten.frac "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r336y0 = aten.frac_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r336y0 = aten.frac_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r337y0 = aten.full "n" () <{size = array<i64: 2>, fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r337y0 = aten.full "n" () <{size = array<i64: 2>, fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r338y0 = aten.full_like "n" (%x) <{fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r338y0 = aten.full_like "n" (%x) <{fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r339y0 = aten.gather "n" (%x, %x) <{dim = 2 : i64, sparse_grad = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r339y0 = aten.gather "n" (%x, %x) <{dim = 2 : i64, sparse_grad = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r340y0 = aten.ge.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r340y0 = aten.ge.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r341y0 = aten.ge.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r341y0 = aten.ge.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r342y0 = aten.ge_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r342y0 = aten.ge_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r343y0 = aten.ge_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r343y0 = aten.ge_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r344y0 = aten.gelu "n" (%x) <{approximate = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r344y0 = aten.gelu "n" (%x) <{approximate = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r345y0 = aten.gelu_ "n" (%x) <{approximate = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r345y0 = aten.gelu_ "n" (%x) <{approximate = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r346y0 = aten.ger "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r346y0 = aten.ger "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r347y0 = aten.glu "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r347y0 = aten.glu "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r348y0 = aten.greater.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r348y0 = aten.greater.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r349y0 = aten.greater.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r349y0 = aten.greater.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r350y0 = aten.greater_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r350y0 = aten.greater_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r351y0 = aten.greater_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r351y0 = aten.greater_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r352y0 = aten.greater_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r352y0 = aten.greater_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r353y0 = aten.greater_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r353y0 = aten.greater_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r354y0 = aten.greater_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r354y0 = aten.greater_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r355y0 = aten.greater_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r355y0 = aten.greater_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r356y0 = aten.grid_sampler "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r356y0 = aten.grid_sampler "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r357y0 = aten.grid_sampler_2d "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r357y0 = aten.grid_sampler_2d "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r358y0 = aten.grid_sampler_3d "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r358y0 = aten.grid_sampler_3d "n" (%x, %x) <{interpolation_mode = 2 : i64, padding_mode = 2 : i64, align_corners = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r359y0 = aten.group_norm "n" (%x, %x, %x) <{num_groups = 2 : i64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r359y0 = aten.group_norm "n" (%x, %x, %x) <{num_groups = 2 : i64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r360y0, %r360y1 = aten.gru.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r360y0, %r360y1 = aten.gru.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r361y0, %r361y1 = aten.gru.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r361y0, %r361y1 = aten.gru.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r362y0 = aten.gru_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r362y0 = aten.gru_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r363y0 = aten.gt.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r363y0 = aten.gt.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r364y0 = aten.gt.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r364y0 = aten.gt.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r365y0 = aten.gt_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r365y0 = aten.gt_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r366y0 = aten.gt_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r366y0 = aten.gt_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r367y0 = aten.hardshrink "n" (%x) <{lambd = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r367y0 = aten.hardshrink "n" (%x) <{lambd = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r368y0 = aten.hardsigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r368y0 = aten.hardsigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r369y0 = aten.hardsigmoid_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r369y0 = aten.hardsigmoid_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r370y0 = aten.hardswish "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r370y0 = aten.hardswish "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r371y0 = aten.hardswish_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r371y0 = aten.hardswish_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r372y0 = aten.hardtanh "n" (%x) <{min_val = 5.000000e-01 : f64, max_val = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r372y0 = aten.hardtanh "n" (%x) <{min_val = 5.000000e-01 : f64, max_val = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r373y0 = aten.hardtanh_ "n" (%x) <{min_val = 5.000000e-01 : f64, max_val = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r373y0 = aten.hardtanh_ "n" (%x) <{min_val = 5.000000e-01 : f64, max_val = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r374y0 = aten.hsplit.array "n" (%x) <{indices = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r374y0 = aten.hsplit.array "n" (%x) <{indices = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r375y0 = aten.hsplit.int "n" (%x) <{sections = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r375y0 = aten.hsplit.int "n" (%x) <{sections = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r376y0 = aten.hstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r376y0 = aten.hstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r377y0 = aten.hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r377y0 = aten.hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r378y0 = aten.hypot_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r378y0 = aten.hypot_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r379y0 = aten.im2col "n" (%x) <{kernel_size = array<i64: 2>, dilation = array<i64: 2>, padding = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r379y0 = aten.im2col "n" (%x) <{kernel_size = array<i64: 2>, dilation = array<i64: 2>, padding = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r380y0 = aten.imag "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r380y0 = aten.imag "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r381y0 = aten.index.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r381y0 = aten.index.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r382y0 = aten.index_add "n" (%x, %x, %x) <{dim = 2 : i64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r382y0 = aten.index_add "n" (%x, %x, %x) <{dim = 2 : i64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r383y0 = aten.index_add_ "n" (%x, %x, %x) <{dim = 2 : i64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r383y0 = aten.index_add_ "n" (%x, %x, %x) <{dim = 2 : i64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r384y0 = aten.index_copy "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r384y0 = aten.index_copy "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r385y0 = aten.index_copy_ "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r385y0 = aten.index_copy_ "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r386y0 = aten.index_fill.int_Scalar "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r386y0 = aten.index_fill.int_Scalar "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r387y0 = aten.index_fill.int_Tensor "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r387y0 = aten.index_fill.int_Tensor "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r388y0 = aten.index_fill_.int_Scalar "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r388y0 = aten.index_fill_.int_Scalar "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r389y0 = aten.index_fill_.int_Tensor "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r389y0 = aten.index_fill_.int_Tensor "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r390y0 = aten.index_put "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r390y0 = aten.index_put "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r391y0 = aten.index_put_ "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r391y0 = aten.index_put_ "n" (%x, %x, %x) <{accumulate = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r392y0 = aten.index_select "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r392y0 = aten.index_select "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r393y0 = aten.inner "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r393y0 = aten.inner "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r394y0 = aten.instance_norm "n" (%x, %x, %x, %x, %x) <{use_input_stats = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r394y0 = aten.instance_norm "n" (%x, %x, %x, %x, %x) <{use_input_stats = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64, cudnn_enabled = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r395y0 = aten.inverse "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r395y0 = aten.inverse "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r396y0 = aten.isclose "n" (%x, %x) <{rtol = 5.000000e-01 : f64, atol = 5.000000e-01 : f64, equal_nan = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r396y0 = aten.isclose "n" (%x, %x) <{rtol = 5.000000e-01 : f64, atol = 5.000000e-01 : f64, equal_nan = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r397y0 = aten.isfinite "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r397y0 = aten.isfinite "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r398y0 = aten.isin.Scalar_Tensor "n" (%x) <{element = 5.000000e-01 : f64, assume_unique = true, invert = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r398y0 = aten.isin.Scalar_Tensor "n" (%x) <{element = 5.000000e-01 : f64, assume_unique = true, invert = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r399y0 = aten.isin.Tensor_Scalar "n" (%x) <{test_element = 5.000000e-01 : f64, assume_unique = true, invert = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r399y0 = aten.isin.Tensor_Scalar "n" (%x) <{test_element = 5.000000e-01 : f64, assume_unique = true, invert = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r400y0 = aten.isin.Tensor_Tensor "n" (%x, %x) <{assume_unique = true, invert = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r400y0 = aten.isin.Tensor_Tensor "n" (%x, %x) <{assume_unique = true, invert = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r401y0 = aten.isinf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r401y0 = aten.isinf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r402y0 = aten.isnan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r402y0 = aten.isnan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r403y0 = aten.item "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r403y0 = aten.item "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r404y0 = aten.kron "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r404y0 = aten.kron "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r405y0, %r405y1 = aten.kthvalue "n" (%x) -> ["y0", "y1"] <{k = 2 : i64, dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r405y0, %r405y1 = aten.kthvalue "n" (%x) -> ["y0", "y1"] <{k = 2 : i64, dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r406y0 = aten.layer_norm "n" (%x, %x, %x) <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64, cudnn_enable = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r406y0 = aten.layer_norm "n" (%x, %x, %x) <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64, cudnn_enable = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r407y0 = aten.le.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r407y0 = aten.le.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r408y0 = aten.le.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r408y0 = aten.le.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r409y0 = aten.le_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r409y0 = aten.le_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r410y0 = aten.le_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r410y0 = aten.le_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r411y0 = aten.leaky_relu "n" (%x) <{negative_slope = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r411y0 = aten.leaky_relu "n" (%x) <{negative_slope = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r412y0 = aten.leaky_relu_ "n" (%x) <{negative_slope = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r412y0 = aten.leaky_relu_ "n" (%x) <{negative_slope = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r413y0 = aten.lerp.Scalar "n" (%x, %x) <{weight = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r413y0 = aten.lerp.Scalar "n" (%x, %x) <{weight = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r414y0 = aten.lerp.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r414y0 = aten.lerp.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r415y0 = aten.lerp_.Scalar "n" (%x, %x) <{weight = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r415y0 = aten.lerp_.Scalar "n" (%x, %x) <{weight = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r416y0 = aten.lerp_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r416y0 = aten.lerp_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r417y0 = aten.less.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r417y0 = aten.less.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r418y0 = aten.less.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r418y0 = aten.less.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r419y0 = aten.less_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r419y0 = aten.less_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r420y0 = aten.less_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r420y0 = aten.less_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r421y0 = aten.less_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r421y0 = aten.less_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r422y0 = aten.less_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r422y0 = aten.less_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r423y0 = aten.less_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r423y0 = aten.less_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r424y0 = aten.less_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r424y0 = aten.less_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r425y0 = aten.lift_fresh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r425y0 = aten.lift_fresh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r426y0 = aten.lift_fresh_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r426y0 = aten.lift_fresh_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r427y0 = aten.linalg_cross "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r427y0 = aten.linalg_cross "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r428y0 = aten.linalg_det "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r428y0 = aten.linalg_det "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r429y0 = aten.linalg_diagonal "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r429y0 = aten.linalg_diagonal "n" (%x) <{offset = 2 : i64, dim1 = 2 : i64, dim2 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r430y0 = aten.linalg_inv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r430y0 = aten.linalg_inv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r431y0 = aten.linalg_matmul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r431y0 = aten.linalg_matmul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r432y0 = aten.linalg_norm "n" (%x) <{ord = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r432y0 = aten.linalg_norm "n" (%x) <{ord = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r433y0 = aten.linalg_norm.ord_str "n" (%x) <{ord = "text", dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r433y0 = aten.linalg_norm.ord_str "n" (%x) <{ord = "text", dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r434y0 = aten.linalg_solve "n" (%x, %x) <{left = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r434y0 = aten.linalg_solve "n" (%x, %x) <{left = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r435y0 = aten.linalg_vecdot "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r435y0 = aten.linalg_vecdot "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r436y0 = aten.linalg_vector_norm "n" (%x) <{ord = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r436y0 = aten.linalg_vector_norm "n" (%x) <{ord = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r437y0 = aten.linear "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r437y0 = aten.linear "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r438y0 = aten.linspace "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r438y0 = aten.linspace "n" () <{start = 5.000000e-01 : f64, end = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r439y0 = aten.linspace.Scalar_Tensor "n" (%x) <{start = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r439y0 = aten.linspace.Scalar_Tensor "n" (%x) <{start = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r440y0 = aten.linspace.Tensor_Scalar "n" (%x) <{end = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r440y0 = aten.linspace.Tensor_Scalar "n" (%x) <{end = 5.000000e-01 : f64, steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r441y0 = aten.linspace.Tensor_Tensor "n" (%x, %x) <{steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r441y0 = aten.linspace.Tensor_Tensor "n" (%x, %x) <{steps = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r442y0 = aten.log "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r442y0 = aten.log "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r443y0 = aten.log10 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r443y0 = aten.log10 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r444y0 = aten.log10_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r444y0 = aten.log10_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r445y0 = aten.log1p "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r445y0 = aten.log1p "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r446y0 = aten.log1p_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r446y0 = aten.log1p_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r447y0 = aten.log2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r447y0 = aten.log2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r448y0 = aten.log2_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r448y0 = aten.log2_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r449y0 = aten.log_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r449y0 = aten.log_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r450y0 = aten.log_sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r450y0 = aten.log_sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r451y0 = aten.log_softmax.int "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r451y0 = aten.log_softmax.int "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r452y0 = aten.logaddexp "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r452y0 = aten.logaddexp "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r453y0 = aten.logcumsumexp "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r453y0 = aten.logcumsumexp "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r454y0 = aten.logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r454y0 = aten.logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r455y0 = aten.logical_and_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r455y0 = aten.logical_and_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r456y0 = aten.logical_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r456y0 = aten.logical_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r457y0 = aten.logical_not_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r457y0 = aten.logical_not_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r458y0 = aten.logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r458y0 = aten.logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r459y0 = aten.logical_or_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r459y0 = aten.logical_or_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r460y0 = aten.logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r460y0 = aten.logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r461y0 = aten.logical_xor_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r461y0 = aten.logical_xor_ "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r462y0 = aten.logit "n" (%x) <{eps = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r462y0 = aten.logit "n" (%x) <{eps = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r463y0 = aten.logit_ "n" (%x) <{eps = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r463y0 = aten.logit_ "n" (%x) <{eps = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r464y0 = aten.logsumexp "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r464y0 = aten.logsumexp "n" (%x) <{dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r465y0, %r465y1, %r465y2 = aten.lstm.data "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r465y0, %r465y1, %r465y2 = aten.lstm.data "n" (%x, %x, %x, %x) -> ["y0", "y1", "y2"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r466y0, %r466y1, %r466y2 = aten.lstm.input "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r466y0, %r466y1, %r466y2 = aten.lstm.input "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r467y0, %r467y1 = aten.lstm_cell "n" (%x, %x, %x, %x, %x, %x) -> ["y0", "y1"] : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r467y0, %r467y1 = aten.lstm_cell "n" (%x, %x, %x, %x, %x, %x) -> ["y0", "y1"] : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r468y0 = aten.lt.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r468y0 = aten.lt.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r469y0 = aten.lt.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r469y0 = aten.lt.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r470y0 = aten.lt_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r470y0 = aten.lt_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r471y0 = aten.lt_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r471y0 = aten.lt_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r472y0 = aten.mH "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r472y0 = aten.mH "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r473y0 = aten.mT "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r473y0 = aten.mT "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r474y0 = aten.masked_fill.Scalar "n" (%x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r474y0 = aten.masked_fill.Scalar "n" (%x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r475y0 = aten.masked_fill.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r475y0 = aten.masked_fill.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r476y0 = aten.masked_fill_.Scalar "n" (%x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r476y0 = aten.masked_fill_.Scalar "n" (%x, %x) <{value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r477y0 = aten.masked_fill_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r477y0 = aten.masked_fill_.Tensor "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r478y0 = aten.masked_scatter "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r478y0 = aten.masked_scatter "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r479y0 = aten.masked_scatter_ "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r479y0 = aten.masked_scatter_ "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r480y0 = aten.masked_select "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r480y0 = aten.masked_select "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r481y0 = aten.matmul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r481y0 = aten.matmul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r482y0 = aten.matrix_H "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r482y0 = aten.matrix_H "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r483y0 = aten.max "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r483y0 = aten.max "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r484y0, %r484y1 = aten.max.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r484y0, %r484y1 = aten.max.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r485y0 = aten.max.other "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r485y0 = aten.max.other "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r486y0 = aten.max_pool1d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r486y0 = aten.max_pool1d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r487y0, %r487y1 = aten.max_pool1d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r487y0, %r487y1 = aten.max_pool1d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r488y0 = aten.max_pool2d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r488y0 = aten.max_pool2d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r489y0, %r489y1 = aten.max_pool2d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r489y0, %r489y1 = aten.max_pool2d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r490y0 = aten.max_pool3d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r490y0 = aten.max_pool3d "n" (%x) <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r491y0, %r491y1 = aten.max_pool3d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r491y0, %r491y1 = aten.max_pool3d_with_indices "n" (%x) -> ["y0", "y1"] <{kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 2>, dilation = array<i64: 2>, ceil_mode = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r492y0 = aten.maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r492y0 = aten.maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r493y0 = aten.mean "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r493y0 = aten.mean "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r494y0 = aten.mean.dim "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r494y0 = aten.mean.dim "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r495y0 = aten.median "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r495y0 = aten.median "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r496y0, %r496y1 = aten.median.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r496y0, %r496y1 = aten.median.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r497y0 = aten.meshgrid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r497y0 = aten.meshgrid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r498y0 = aten.meshgrid.indexing "n" (%x) <{indexing = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  %r498y0 = aten.meshgrid.indexing "n" (%x) <{indexing = "text"}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r499y0 = aten.min "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r499y0 = aten.min "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r500y0, %r500y1 = aten.min.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r500y0, %r500y1 = aten.min.dim "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r501y0 = aten.min.other "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r501y0 = aten.min.other "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r502y0 = aten.minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r502y0 = aten.minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r503y0 = aten.mish "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r503y0 = aten.mish "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r504y0 = aten.mish_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r504y0 = aten.mish_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r505y0 = aten.mm "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r505y0 = aten.mm "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r506y0 = aten.mm.dtype "n" (%x, %x) <{out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r506y0 = aten.mm.dtype "n" (%x, %x) <{out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r507y0 = aten.moveaxis.int "n" (%x) <{source = 2 : i64, destination = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r507y0 = aten.moveaxis.int "n" (%x) <{source = 2 : i64, destination = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r508y0 = aten.moveaxis.intlist "n" (%x) <{source = array<i64: 2>, destination = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r508y0 = aten.moveaxis.intlist "n" (%x) <{source = array<i64: 2>, destination = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r509y0 = aten.movedim.int "n" (%x) <{source = 2 : i64, destination = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r509y0 = aten.movedim.int "n" (%x) <{source = 2 : i64, destination = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r510y0 = aten.movedim.intlist "n" (%x) <{source = array<i64: 2>, destination = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r510y0 = aten.movedim.intlist "n" (%x) <{source = array<i64: 2>, destination = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r511y0 = aten.mul.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r511y0 = aten.mul.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r512y0 = aten.mul.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r512y0 = aten.mul.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r513y0 = aten.mul_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r513y0 = aten.mul_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r514y0 = aten.mul_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r514y0 = aten.mul_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r515y0 = aten.multiply.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r515y0 = aten.multiply.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r516y0 = aten.multiply.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r516y0 = aten.multiply.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r517y0 = aten.multiply_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r517y0 = aten.multiply_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r518y0 = aten.multiply_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r518y0 = aten.multiply_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r519y0 = aten.mv "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r519y0 = aten.mv "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r520y0 = aten.nan_to_num "n" (%x) <{nan = 5.000000e-01 : f64, posinf = 5.000000e-01 : f64, neginf = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r520y0 = aten.nan_to_num "n" (%x) <{nan = 5.000000e-01 : f64, posinf = 5.000000e-01 : f64, neginf = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r521y0 = aten.nan_to_num_ "n" (%x) <{nan = 5.000000e-01 : f64, posinf = 5.000000e-01 : f64, neginf = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r521y0 = aten.nan_to_num_ "n" (%x) <{nan = 5.000000e-01 : f64, posinf = 5.000000e-01 : f64, neginf = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r522y0 = aten.nansum "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r522y0 = aten.nansum "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r523y0 = aten.narrow "n" (%x) <{dim = 2 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r523y0 = aten.narrow "n" (%x) <{dim = 2 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r524y0 = aten.narrow.Tensor "n" (%x, %x) <{dim = 2 : i64, length = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r524y0 = aten.narrow.Tensor "n" (%x, %x) <{dim = 2 : i64, length = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r525y0 = aten.narrow_copy "n" (%x) <{dim = 2 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r525y0 = aten.narrow_copy "n" (%x) <{dim = 2 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r526y0, %r526y1, %r526y2 = aten.native_batch_norm "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r526y0, %r526y1, %r526y2 = aten.native_batch_norm "n" (%x, %x, %x, %x, %x) -> ["y0", "y1", "y2"] <{training = true, momentum = 5.000000e-01 : f64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r527y0, %r527y1 = aten.native_dropout "n" (%x) -> ["y0", "y1"] <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r527y0, %r527y1 = aten.native_dropout "n" (%x) -> ["y0", "y1"] <{p = 5.000000e-01 : f64, train = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r528y0, %r528y1, %r528y2 = aten.native_group_norm "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{N = 2 : i64, C = 2 : i64, HxW = 2 : i64, group = 2 : i64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r528y0, %r528y1, %r528y2 = aten.native_group_norm "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{N = 2 : i64, C = 2 : i64, HxW = 2 : i64, group = 2 : i64, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r529y0, %r529y1, %r529y2 = aten.native_layer_norm "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r529y0, %r529y1, %r529y2 = aten.native_layer_norm "n" (%x, %x, %x) -> ["y0", "y1", "y2"] <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r530y0 = aten.ne.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r530y0 = aten.ne.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r531y0 = aten.ne.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r531y0 = aten.ne.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r532y0 = aten.ne_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r532y0 = aten.ne_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r533y0 = aten.ne_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r533y0 = aten.ne_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r534y0 = aten.neg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r534y0 = aten.neg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r535y0 = aten.neg_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r535y0 = aten.neg_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r536y0 = aten.negative "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r536y0 = aten.negative "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r537y0 = aten.negative_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r537y0 = aten.negative_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r538y0 = aten.new_empty "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r538y0 = aten.new_empty "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r539y0 = aten.new_empty_strided "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r539y0 = aten.new_empty_strided "n" (%x) <{size = array<i64: 2>, stride = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r540y0 = aten.new_full "n" (%x) <{size = array<i64: 2>, fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r540y0 = aten.new_full "n" (%x) <{size = array<i64: 2>, fill_value = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r541y0 = aten.new_ones "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r541y0 = aten.new_ones "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r542y0 = aten.new_zeros "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r542y0 = aten.new_zeros "n" (%x) <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r543y0 = aten.nonzero "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r543y0 = aten.nonzero "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r544y0 = aten.nonzero_static "n" (%x) <{size = 2 : i64, fill_value = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r544y0 = aten.nonzero_static "n" (%x) <{size = 2 : i64, fill_value = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r545y0 = aten.norm.Scalar "n" (%x) <{p = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r545y0 = aten.norm.Scalar "n" (%x) <{p = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r546y0 = aten.norm.ScalarOpt_dim "n" (%x) <{p = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r546y0 = aten.norm.ScalarOpt_dim "n" (%x) <{p = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r547y0 = aten.norm.ScalarOpt_dim_dtype "n" (%x) <{p = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r547y0 = aten.norm.ScalarOpt_dim_dtype "n" (%x) <{p = 5.000000e-01 : f64, dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r548y0 = aten.norm.ScalarOpt_dtype "n" (%x) <{p = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r548y0 = aten.norm.ScalarOpt_dtype "n" (%x) <{p = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r549y0 = aten.normal.Tensor_Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r549y0 = aten.normal.Tensor_Tensor "n" (%x, %x) <{generator = #aten.none}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r550y0 = aten.normal.Tensor_float "n" (%x) <{std = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r550y0 = aten.normal.Tensor_float "n" (%x) <{std = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r551y0 = aten.normal.float_Tensor "n" (%x) <{mean = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r551y0 = aten.normal.float_Tensor "n" (%x) <{mean = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r552y0 = aten.normal.float_float "n" () <{mean = 5.000000e-01 : f64, std = 5.000000e-01 : f64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r552y0 = aten.normal.float_float "n" () <{mean = 5.000000e-01 : f64, std = 5.000000e-01 : f64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r553y0 = aten.normal_ "n" (%x) <{mean = 5.000000e-01 : f64, std = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r553y0 = aten.normal_ "n" (%x) <{mean = 5.000000e-01 : f64, std = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r554y0 = aten.not_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r554y0 = aten.not_equal.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r555y0 = aten.not_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r555y0 = aten.not_equal.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r556y0 = aten.not_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r556y0 = aten.not_equal_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r557y0 = aten.not_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r557y0 = aten.not_equal_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r558y0 = aten.numel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r558y0 = aten.numel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r559y0 = aten.numpy_T "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r559y0 = aten.numpy_T "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r560y0 = aten.one_hot "n" (%x) <{num_classes = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r560y0 = aten.one_hot "n" (%x) <{num_classes = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r561y0 = aten.ones "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r561y0 = aten.ones "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r562y0 = aten.ones_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r562y0 = aten.ones_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r563y0 = aten.outer "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r563y0 = aten.outer "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r564y0 = aten.pad "n" (%x) <{pad = array<i64: 2>, mode = "text", value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r564y0 = aten.pad "n" (%x) <{pad = array<i64: 2>, mode = "text", value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r565y0 = aten.permute "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r565y0 = aten.permute "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r566y0 = aten.permute_copy "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r566y0 = aten.permute_copy "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r567y0 = aten.pixel_shuffle "n" (%x) <{upscale_factor = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r567y0 = aten.pixel_shuffle "n" (%x) <{upscale_factor = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r568y0 = aten.pixel_unshuffle "n" (%x) <{downscale_factor = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r568y0 = aten.pixel_unshuffle "n" (%x) <{downscale_factor = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r569y0 = aten.polar "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r569y0 = aten.polar "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r570y0 = aten.positive "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r570y0 = aten.positive "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r571y0 = aten.pow.Scalar "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r571y0 = aten.pow.Scalar "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r572y0 = aten.pow.Tensor_Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r572y0 = aten.pow.Tensor_Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r573y0 = aten.pow.Tensor_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r573y0 = aten.pow.Tensor_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r574y0 = aten.pow_.Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r574y0 = aten.pow_.Scalar "n" (%x) <{exponent = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r575y0 = aten.pow_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r575y0 = aten.pow_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r576y0 = aten.prelu "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r576y0 = aten.prelu "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r577y0 = aten.prod "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r577y0 = aten.prod "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r578y0 = aten.prod.dim_int "n" (%x) <{dim = 2 : i64, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r578y0 = aten.prod.dim_int "n" (%x) <{dim = 2 : i64, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r579y0 = aten.rad2deg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r579y0 = aten.rad2deg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r580y0 = aten.rad2deg_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r580y0 = aten.rad2deg_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r581y0 = aten.rand "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r581y0 = aten.rand "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r582y0 = aten.rand.generator "n" () <{size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r582y0 = aten.rand.generator "n" () <{size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r583y0 = aten.rand_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r583y0 = aten.rand_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r584y0 = aten.rand_like.generator "n" (%x) <{generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r584y0 = aten.rand_like.generator "n" (%x) <{generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r585y0 = aten.randint "n" () <{high = 2 : i64, size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r585y0 = aten.randint "n" () <{high = 2 : i64, size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r586y0 = aten.randint.generator "n" () <{high = 2 : i64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r586y0 = aten.randint.generator "n" () <{high = 2 : i64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r587y0 = aten.randint.low "n" () <{low = 2 : i64, high = 2 : i64, size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r587y0 = aten.randint.low "n" () <{low = 2 : i64, high = 2 : i64, size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r588y0 = aten.randint.low_generator "n" () <{low = 2 : i64, high = 2 : i64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r588y0 = aten.randint.low_generator "n" () <{low = 2 : i64, high = 2 : i64, size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r589y0 = aten.randn "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r589y0 = aten.randn "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r590y0 = aten.randn.generator "n" () <{size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r590y0 = aten.randn.generator "n" () <{size = array<i64: 2>, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r591y0 = aten.randn_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r591y0 = aten.randn_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r592y0 = aten.randn_like.generator "n" (%x) <{generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r592y0 = aten.randn_like.generator "n" (%x) <{generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r593y0 = aten.randperm "n" () <{n = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r593y0 = aten.randperm "n" () <{n = 2 : i64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r594y0 = aten.randperm.generator "n" () <{n = 2 : i64, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r594y0 = aten.randperm.generator "n" () <{n = 2 : i64, generator = #aten.none, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r595y0 = aten.ravel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r595y0 = aten.ravel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r596y0 = aten.real "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r596y0 = aten.real "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r597y0 = aten.reciprocal "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r597y0 = aten.reciprocal "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r598y0 = aten.reciprocal_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r598y0 = aten.reciprocal_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r599y0 = aten.reflection_pad1d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r599y0 = aten.reflection_pad1d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r600y0 = aten.reflection_pad2d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r600y0 = aten.reflection_pad2d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r601y0 = aten.reflection_pad3d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r601y0 = aten.reflection_pad3d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r602y0 = aten.relu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r602y0 = aten.relu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r603y0 = aten.relu6 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r603y0 = aten.relu6 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r604y0 = aten.relu6_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r604y0 = aten.relu6_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r605y0 = aten.relu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r605y0 = aten.relu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r606y0 = aten.remainder.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r606y0 = aten.remainder.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r607y0 = aten.remainder.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r607y0 = aten.remainder.Scalar_Tensor "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r608y0 = aten.remainder.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r608y0 = aten.remainder.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r609y0 = aten.remainder_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r609y0 = aten.remainder_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r610y0 = aten.remainder_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r610y0 = aten.remainder_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r611y0 = aten.repeat "n" (%x) <{repeats = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r611y0 = aten.repeat "n" (%x) <{repeats = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r612y0 = aten.repeat_interleave.Tensor "n" (%x) <{output_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r612y0 = aten.repeat_interleave.Tensor "n" (%x) <{output_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r613y0 = aten.repeat_interleave.self_Tensor "n" (%x, %x) <{dim = 2 : i64, output_size = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r613y0 = aten.repeat_interleave.self_Tensor "n" (%x, %x) <{dim = 2 : i64, output_size = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r614y0 = aten.repeat_interleave.self_int "n" (%x) <{repeats = 2 : i64, dim = 2 : i64, output_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r614y0 = aten.repeat_interleave.self_int "n" (%x) <{repeats = 2 : i64, dim = 2 : i64, output_size = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r615y0 = aten.replication_pad1d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r615y0 = aten.replication_pad1d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r616y0 = aten.replication_pad2d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r616y0 = aten.replication_pad2d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r617y0 = aten.replication_pad3d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r617y0 = aten.replication_pad3d "n" (%x) <{padding = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r618y0 = aten.reshape "n" (%x) <{shape = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r618y0 = aten.reshape "n" (%x) <{shape = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r619y0 = aten.reshape_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r619y0 = aten.reshape_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r620y0 = aten.resolve_conj "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r620y0 = aten.resolve_conj "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r621y0 = aten.resolve_neg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r621y0 = aten.resolve_neg "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r622y0 = aten.rms_norm "n" (%x, %x) <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r622y0 = aten.rms_norm "n" (%x, %x) <{normalized_shape = array<i64: 2>, eps = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r623y0, %r623y1 = aten.rnn_relu.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r623y0, %r623y1 = aten.rnn_relu.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r624y0, %r624y1 = aten.rnn_relu.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r624y0, %r624y1 = aten.rnn_relu.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r625y0 = aten.rnn_relu_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r625y0 = aten.rnn_relu_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r626y0, %r626y1 = aten.rnn_tanh.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r626y0, %r626y1 = aten.rnn_tanh.data "n" (%x, %x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r627y0, %r627y1 = aten.rnn_tanh.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r627y0, %r627y1 = aten.rnn_tanh.input "n" (%x, %x, %x) -> ["y0", "y1"] <{has_biases = true, num_layers = 2 : i64, dropout = 5.000000e-01 : f64, train = true, bidirectional = true, batch_first = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r628y0 = aten.rnn_tanh_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r628y0 = aten.rnn_tanh_cell "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r629y0 = aten.roll "n" (%x) <{shifts = array<i64: 2>, dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r629y0 = aten.roll "n" (%x) <{shifts = array<i64: 2>, dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r630y0 = aten.rot90 "n" (%x) <{k = 2 : i64, dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r630y0 = aten.rot90 "n" (%x) <{k = 2 : i64, dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r631y0 = aten.round "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r631y0 = aten.round "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r632y0 = aten.round.decimals "n" (%x) <{decimals = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r632y0 = aten.round.decimals "n" (%x) <{decimals = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r633y0 = aten.round_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r633y0 = aten.round_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r634y0 = aten.round_.decimals "n" (%x) <{decimals = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r634y0 = aten.round_.decimals "n" (%x) <{decimals = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r635y0 = aten.rsqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r635y0 = aten.rsqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r636y0 = aten.rsqrt_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r636y0 = aten.rsqrt_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r637y0 = aten.rsub.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r637y0 = aten.rsub.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r638y0 = aten.rsub.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r638y0 = aten.rsub.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r639y0 = aten.scalar_tensor "n" () <{s = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r639y0 = aten.scalar_tensor "n" () <{s = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r640y0 = aten.scaled_dot_product_attention "n" (%x, %x, %x, %x) <{dropout_p = 5.000000e-01 : f64, is_causal = true, scale = 5.000000e-01 : f64, enable_gqa = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r640y0 = aten.scaled_dot_product_attention "n" (%x, %x, %x, %x) <{dropout_p = 5.000000e-01 : f64, is_causal = true, scale = 5.000000e-01 : f64, enable_gqa = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r641y0 = aten.scatter.reduce "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r641y0 = aten.scatter.reduce "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r642y0 = aten.scatter.src "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r642y0 = aten.scatter.src "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r643y0 = aten.scatter.value "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r643y0 = aten.scatter.value "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r644y0 = aten.scatter.value_reduce "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r644y0 = aten.scatter.value_reduce "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r645y0 = aten.scatter_.reduce "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r645y0 = aten.scatter_.reduce "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r646y0 = aten.scatter_.src "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r646y0 = aten.scatter_.src "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r647y0 = aten.scatter_.value "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r647y0 = aten.scatter_.value "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r648y0 = aten.scatter_.value_reduce "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r648y0 = aten.scatter_.value_reduce "n" (%x, %x) <{dim = 2 : i64, value = 5.000000e-01 : f64, reduce = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r649y0 = aten.scatter_add "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r649y0 = aten.scatter_add "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r650y0 = aten.scatter_add_ "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r650y0 = aten.scatter_add_ "n" (%x, %x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r651y0 = aten.scatter_reduce.two "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text", include_self = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r651y0 = aten.scatter_reduce.two "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text", include_self = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r652y0 = aten.scatter_reduce_.two "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text", include_self = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r652y0 = aten.scatter_reduce_.two "n" (%x, %x, %x) <{dim = 2 : i64, reduce = "text", include_self = true}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r653y0 = aten.searchsorted.Scalar "n" (%x, %x) <{self = 5.000000e-01 : f64, out_int32 = true, right = true, side = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r653y0 = aten.searchsorted.Scalar "n" (%x, %x) <{self = 5.000000e-01 : f64, out_int32 = true, right = true, side = "text"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r654y0 = aten.searchsorted.Tensor "n" (%x, %x, %x) <{out_int32 = true, right = true, side = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r654y0 = aten.searchsorted.Tensor "n" (%x, %x, %x) <{out_int32 = true, right = true, side = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r655y0 = aten.select.int "n" (%x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r655y0 = aten.select.int "n" (%x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r656y0 = aten.select_copy.int "n" (%x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r656y0 = aten.select_copy.int "n" (%x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r657y0 = aten.select_scatter "n" (%x, %x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r657y0 = aten.select_scatter "n" (%x, %x) <{dim = 2 : i64, index = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r658y0 = aten.selu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r658y0 = aten.selu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r659y0 = aten.selu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r659y0 = aten.selu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r660y0 = aten.set "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r660y0 = aten.set "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r661y0 = aten.set.source_Storage "n" (%x) <{source = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r661y0 = aten.set.source_Storage "n" (%x) <{source = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r662y0 = aten.set.source_Storage_storage_offset "n" (%x) <{source = #aten.none, storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r662y0 = aten.set.source_Storage_storage_offset "n" (%x) <{source = #aten.none, storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r663y0 = aten.set.source_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r663y0 = aten.set.source_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r664y0 = aten.set_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r664y0 = aten.set_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r665y0 = aten.set_.source_Storage "n" (%x) <{source = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r665y0 = aten.set_.source_Storage "n" (%x) <{source = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r666y0 = aten.set_.source_Storage_storage_offset "n" (%x) <{source = #aten.none, storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r666y0 = aten.set_.source_Storage_storage_offset "n" (%x) <{source = #aten.none, storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r667y0 = aten.set_.source_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r667y0 = aten.set_.source_Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r668y0 = aten.set_.source_Tensor_storage_offset "n" (%x, %x) <{storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r668y0 = aten.set_.source_Tensor_storage_offset "n" (%x, %x) <{storage_offset = 2 : i64, size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r669y0 = aten.sgn "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r669y0 = aten.sgn "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r670y0 = aten.sgn_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r670y0 = aten.sgn_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r671y0 = aten.sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r671y0 = aten.sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r672y0 = aten.sigmoid_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r672y0 = aten.sigmoid_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r673y0 = aten.sign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r673y0 = aten.sign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r674y0 = aten.sign_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r674y0 = aten.sign_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r675y0 = aten.silu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r675y0 = aten.silu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r676y0 = aten.silu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r676y0 = aten.silu_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r677y0 = aten.sin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r677y0 = aten.sin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r678y0 = aten.sin_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r678y0 = aten.sin_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r679y0 = aten.sinc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r679y0 = aten.sinc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r680y0 = aten.sinc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r680y0 = aten.sinc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r681y0 = aten.sinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r681y0 = aten.sinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r682y0 = aten.sinh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r682y0 = aten.sinh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r683y0 = aten.slice.Tensor "n" (%x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r683y0 = aten.slice.Tensor "n" (%x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r684y0 = aten.slice_copy.Tensor "n" (%x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r684y0 = aten.slice_copy.Tensor "n" (%x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r685y0 = aten.slice_scatter "n" (%x, %x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r685y0 = aten.slice_scatter "n" (%x, %x) <{dim = 2 : i64, start = 2 : i64, end = 2 : i64, step = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r686y0 = aten.softmax.int "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r686y0 = aten.softmax.int "n" (%x) <{dim = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r687y0 = aten.softplus "n" (%x) <{beta = 5.000000e-01 : f64, threshold = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r687y0 = aten.softplus "n" (%x) <{beta = 5.000000e-01 : f64, threshold = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r688y0 = aten.softshrink "n" (%x) <{lambd = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r688y0 = aten.softshrink "n" (%x) <{lambd = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r689y0, %r689y1 = aten.sort "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r689y0, %r689y1 = aten.sort "n" (%x) -> ["y0", "y1"] <{dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r690y0, %r690y1 = aten.sort.stable "n" (%x) -> ["y0", "y1"] <{stable = true, dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r690y0, %r690y1 = aten.sort.stable "n" (%x) -> ["y0", "y1"] <{stable = true, dim = 2 : i64, descending = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r691y0 = aten.split.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r691y0 = aten.split.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r692y0 = aten.split.sizes "n" (%x) <{split_size = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r692y0 = aten.split.sizes "n" (%x) <{split_size = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r693y0 = aten.split_copy.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r693y0 = aten.split_copy.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r694y0 = aten.split_with_sizes "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r694y0 = aten.split_with_sizes "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r695y0 = aten.split_with_sizes_copy "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r695y0 = aten.split_with_sizes_copy "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r696y0 = aten.sqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r696y0 = aten.sqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r697y0 = aten.sqrt_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r697y0 = aten.sqrt_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r698y0 = aten.square "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r698y0 = aten.square "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r699y0 = aten.square_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r699y0 = aten.square_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r700y0 = aten.squeeze "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r700y0 = aten.squeeze "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r701y0 = aten.squeeze.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r701y0 = aten.squeeze.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r702y0 = aten.squeeze.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r702y0 = aten.squeeze.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r703y0 = aten.squeeze_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r703y0 = aten.squeeze_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r704y0 = aten.squeeze_.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r704y0 = aten.squeeze_.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r705y0 = aten.squeeze_.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r705y0 = aten.squeeze_.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r706y0 = aten.squeeze_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r706y0 = aten.squeeze_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r707y0 = aten.squeeze_copy.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r707y0 = aten.squeeze_copy.dim "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r708y0 = aten.squeeze_copy.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r708y0 = aten.squeeze_copy.dims "n" (%x) <{dim = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r709y0 = aten.stack "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r709y0 = aten.stack "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r710y0 = aten.std "n" (%x) <{unbiased = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r710y0 = aten.std "n" (%x) <{unbiased = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r711y0 = aten.std.correction "n" (%x) <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r711y0 = aten.std.correction "n" (%x) <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r712y0 = aten.std.dim "n" (%x) <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r712y0 = aten.std.dim "n" (%x) <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r713y0, %r713y1 = aten.std_mean "n" (%x) -> ["y0", "y1"] <{unbiased = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r713y0, %r713y1 = aten.std_mean "n" (%x) -> ["y0", "y1"] <{unbiased = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r714y0, %r714y1 = aten.std_mean.correction "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r714y0, %r714y1 = aten.std_mean.correction "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r715y0, %r715y1 = aten.std_mean.dim "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r715y0, %r715y1 = aten.std_mean.dim "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r716y0 = aten.stft "n" (%x, %x) <{n_fft = 2 : i64, hop_length = 2 : i64, win_length = 2 : i64, normalized = true, onesided = true, return_complex = true, align_to_window = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r716y0 = aten.stft "n" (%x, %x) <{n_fft = 2 : i64, hop_length = 2 : i64, win_length = 2 : i64, normalized = true, onesided = true, return_complex = true, align_to_window = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r717y0 = aten.stft.center "n" (%x, %x) <{n_fft = 2 : i64, hop_length = 2 : i64, win_length = 2 : i64, center = true, pad_mode = "text", normalized = true, onesided = true, return_complex = true, align_to_window = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r717y0 = aten.stft.center "n" (%x, %x) <{n_fft = 2 : i64, hop_length = 2 : i64, win_length = 2 : i64, center = true, pad_mode = "text", normalized = true, onesided = true, return_complex = true, align_to_window = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r718y0 = aten.sub.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r718y0 = aten.sub.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r719y0 = aten.sub.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r719y0 = aten.sub.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r720y0 = aten.sub_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r720y0 = aten.sub_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r721y0 = aten.sub_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r721y0 = aten.sub_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r722y0 = aten.subtract.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r722y0 = aten.subtract.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r723y0 = aten.subtract.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r723y0 = aten.subtract.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r724y0 = aten.subtract_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r724y0 = aten.subtract_.Scalar "n" (%x) <{other = 5.000000e-01 : f64, alpha = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r725y0 = aten.subtract_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r725y0 = aten.subtract_.Tensor "n" (%x, %x) <{alpha = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r726y0 = aten.sum "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r726y0 = aten.sum "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r727y0 = aten.sum.dim_IntList "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r727y0 = aten.sum.dim_IntList "n" (%x) <{dim = array<i64: 2>, keepdim = true, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r728y0 = aten.swapaxes "n" (%x) <{axis0 = 2 : i64, axis1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r728y0 = aten.swapaxes "n" (%x) <{axis0 = 2 : i64, axis1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r729y0 = aten.swapaxes_ "n" (%x) <{axis0 = 2 : i64, axis1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r729y0 = aten.swapaxes_ "n" (%x) <{axis0 = 2 : i64, axis1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r730y0 = aten.swapdims "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r730y0 = aten.swapdims "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r731y0 = aten.swapdims_ "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r731y0 = aten.swapdims_ "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: aten.sym_constrain_range "n" () -> [] <{size = 5.000000e-01 : f64, min = 2 : i64, max = 2 : i64}> : () -> ()
  aten.sym_constrain_range "n" () -> [] <{size = 5.000000e-01 : f64, min = 2 : i64, max = 2 : i64}> : () -> ()
  // CHECK: aten.sym_constrain_range_for_size "n" () -> [] <{size = 5.000000e-01 : f64, min = 2 : i64, max = 2 : i64}> : () -> ()
  aten.sym_constrain_range_for_size "n" () -> [] <{size = 5.000000e-01 : f64, min = 2 : i64, max = 2 : i64}> : () -> ()
  // CHECK: %r734y0 = aten.sym_is_contiguous "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r734y0 = aten.sym_is_contiguous "n" (%x) <{memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r735y0 = aten.sym_numel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r735y0 = aten.sym_numel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r736y0 = aten.sym_size.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r736y0 = aten.sym_size.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r737y0 = aten.sym_storage_offset "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r737y0 = aten.sym_storage_offset "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r738y0 = aten.sym_stride.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r738y0 = aten.sym_stride.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r739y0 = aten.t "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r739y0 = aten.t "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r740y0 = aten.t_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r740y0 = aten.t_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r741y0 = aten.t_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r741y0 = aten.t_copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r742y0 = aten.take_along_dim "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r742y0 = aten.take_along_dim "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r743y0 = aten.tan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r743y0 = aten.tan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r744y0 = aten.tan_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r744y0 = aten.tan_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r745y0 = aten.tanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r745y0 = aten.tanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r746y0 = aten.tanh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r746y0 = aten.tanh_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r747y0 = aten.tensor_split.indices "n" (%x) <{indices = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r747y0 = aten.tensor_split.indices "n" (%x) <{indices = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r748y0 = aten.tensor_split.sections "n" (%x) <{sections = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r748y0 = aten.tensor_split.sections "n" (%x) <{sections = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r749y0 = aten.tensor_split.tensor_indices_or_sections "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r749y0 = aten.tensor_split.tensor_indices_or_sections "n" (%x, %x) <{dim = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r750y0 = aten.tensordot "n" (%x, %x) <{dims_self = array<i64: 2>, dims_other = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r750y0 = aten.tensordot "n" (%x, %x) <{dims_self = array<i64: 2>, dims_other = array<i64: 2>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r751y0 = aten.threshold "n" (%x) <{threshold = 5.000000e-01 : f64, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r751y0 = aten.threshold "n" (%x) <{threshold = 5.000000e-01 : f64, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r752y0 = aten.threshold_ "n" (%x) <{threshold = 5.000000e-01 : f64, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r752y0 = aten.threshold_ "n" (%x) <{threshold = 5.000000e-01 : f64, value = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r753y0 = aten.tile "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r753y0 = aten.tile "n" (%x) <{dims = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r754y0 = aten.to.device "n" (%x) <{device = #aten.device<"cpu">, dtype = #aten.dtype<"float32">, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r754y0 = aten.to.device "n" (%x) <{device = #aten.device<"cpu">, dtype = #aten.dtype<"float32">, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r755y0 = aten.to.dtype "n" (%x) <{dtype = #aten.dtype<"float32">, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r755y0 = aten.to.dtype "n" (%x) <{dtype = #aten.dtype<"float32">, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r756y0 = aten.to.dtype_layout "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r756y0 = aten.to.dtype_layout "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r757y0 = aten.to.other "n" (%x, %x) <{non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r757y0 = aten.to.other "n" (%x, %x) <{non_blocking = true, copy = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r758y0, %r758y1 = aten.topk "n" (%x) -> ["y0", "y1"] <{k = 2 : i64, dim = 2 : i64, largest = true, sorted = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r758y0, %r758y1 = aten.topk "n" (%x) -> ["y0", "y1"] <{k = 2 : i64, dim = 2 : i64, largest = true, sorted = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r759y0 = aten.trace "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r759y0 = aten.trace "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r760y0 = aten.transpose.int "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r760y0 = aten.transpose.int "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r761y0 = aten.transpose_ "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r761y0 = aten.transpose_ "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r762y0 = aten.transpose_copy.int "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r762y0 = aten.transpose_copy.int "n" (%x) <{dim0 = 2 : i64, dim1 = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r763y0 = aten.tril "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r763y0 = aten.tril "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r764y0 = aten.tril_ "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r764y0 = aten.tril_ "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r765y0 = aten.triu "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r765y0 = aten.triu "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r766y0 = aten.triu_ "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r766y0 = aten.triu_ "n" (%x) <{diagonal = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r767y0 = aten.true_divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r767y0 = aten.true_divide.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r768y0 = aten.true_divide.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r768y0 = aten.true_divide.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r769y0 = aten.true_divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r769y0 = aten.true_divide_.Scalar "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r770y0 = aten.true_divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r770y0 = aten.true_divide_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r771y0 = aten.trunc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r771y0 = aten.trunc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r772y0 = aten.trunc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r772y0 = aten.trunc_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r773y0 = aten.type_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r773y0 = aten.type_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r774y0 = aten.unbind.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r774y0 = aten.unbind.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r775y0 = aten.unbind_copy.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r775y0 = aten.unbind_copy.int "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r776y0 = aten.unflatten.int "n" (%x) <{dim = 2 : i64, sizes = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r776y0 = aten.unflatten.int "n" (%x) <{dim = 2 : i64, sizes = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r777y0 = aten.unfold "n" (%x) <{dimension = 2 : i64, size = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r777y0 = aten.unfold "n" (%x) <{dimension = 2 : i64, size = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r778y0 = aten.unfold_copy "n" (%x) <{dimension = 2 : i64, size = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r778y0 = aten.unfold_copy "n" (%x) <{dimension = 2 : i64, size = 2 : i64, step = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r779y0 = aten.uniform "n" (%x) <{from = 5.000000e-01 : f64, to = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r779y0 = aten.uniform "n" (%x) <{from = 5.000000e-01 : f64, to = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r780y0 = aten.uniform_ "n" (%x) <{from = 5.000000e-01 : f64, to = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  %r780y0 = aten.uniform_ "n" (%x) <{from = 5.000000e-01 : f64, to = 5.000000e-01 : f64, generator = #aten.none}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r781y0, %r781y1, %r781y2 = aten.unique_consecutive "n" (%x) -> ["y0", "y1", "y2"] <{return_inverse = true, return_counts = true, dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r781y0, %r781y1, %r781y2 = aten.unique_consecutive "n" (%x) -> ["y0", "y1", "y2"] <{return_inverse = true, return_counts = true, dim = 2 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r782y0 = aten.unsafe_chunk "n" (%x) <{chunks = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r782y0 = aten.unsafe_chunk "n" (%x) <{chunks = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r783y0 = aten.unsafe_split.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r783y0 = aten.unsafe_split.Tensor "n" (%x) <{split_size = 2 : i64, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r784y0 = aten.unsafe_split_with_sizes "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r784y0 = aten.unsafe_split_with_sizes "n" (%x) <{split_sizes = array<i64: 2>, dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r785y0 = aten.unsqueeze "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r785y0 = aten.unsqueeze "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r786y0 = aten.unsqueeze_ "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r786y0 = aten.unsqueeze_ "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r787y0 = aten.unsqueeze_copy "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r787y0 = aten.unsqueeze_copy "n" (%x) <{dim = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r788y0 = aten.upsample_bicubic2d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r788y0 = aten.upsample_bicubic2d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r789y0 = aten.upsample_bicubic2d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r789y0 = aten.upsample_bicubic2d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r790y0 = aten.upsample_bilinear2d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r790y0 = aten.upsample_bilinear2d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r791y0 = aten.upsample_bilinear2d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r791y0 = aten.upsample_bilinear2d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r792y0 = aten.upsample_linear1d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r792y0 = aten.upsample_linear1d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r793y0 = aten.upsample_linear1d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r793y0 = aten.upsample_linear1d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r794y0 = aten.upsample_nearest1d "n" (%x) <{output_size = array<i64: 2>, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r794y0 = aten.upsample_nearest1d "n" (%x) <{output_size = array<i64: 2>, scales = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r795y0 = aten.upsample_nearest1d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r795y0 = aten.upsample_nearest1d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r796y0 = aten.upsample_nearest2d "n" (%x) <{output_size = array<i64: 2>, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r796y0 = aten.upsample_nearest2d "n" (%x) <{output_size = array<i64: 2>, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r797y0 = aten.upsample_nearest2d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r797y0 = aten.upsample_nearest2d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r798y0 = aten.upsample_nearest3d "n" (%x) <{output_size = array<i64: 2>, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r798y0 = aten.upsample_nearest3d "n" (%x) <{output_size = array<i64: 2>, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r799y0 = aten.upsample_nearest3d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r799y0 = aten.upsample_nearest3d.vec "n" (%x) <{output_size = array<i64: 2>, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r800y0 = aten.upsample_trilinear3d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r800y0 = aten.upsample_trilinear3d "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scales_d = 5.000000e-01 : f64, scales_h = 5.000000e-01 : f64, scales_w = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r801y0 = aten.upsample_trilinear3d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r801y0 = aten.upsample_trilinear3d.vec "n" (%x) <{output_size = array<i64: 2>, align_corners = true, scale_factors = array<f64: 5.000000e-01>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r802y0 = aten.var "n" (%x) <{unbiased = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r802y0 = aten.var "n" (%x) <{unbiased = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r803y0 = aten.var.correction "n" (%x) <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r803y0 = aten.var.correction "n" (%x) <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r804y0 = aten.var.dim "n" (%x) <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  %r804y0 = aten.var.dim "n" (%x) <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r805y0, %r805y1 = aten.var_mean "n" (%x) -> ["y0", "y1"] <{unbiased = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r805y0, %r805y1 = aten.var_mean "n" (%x) -> ["y0", "y1"] <{unbiased = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r806y0, %r806y1 = aten.var_mean.correction "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r806y0, %r806y1 = aten.var_mean.correction "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, correction = 5.000000e-01 : f64, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r807y0, %r807y1 = aten.var_mean.dim "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r807y0, %r807y1 = aten.var_mean.dim "n" (%x) -> ["y0", "y1"] <{dim = array<i64: 2>, unbiased = true, keepdim = true}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r808y0 = aten.view "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r808y0 = aten.view "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r809y0 = aten.view.dtype "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r809y0 = aten.view.dtype "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r810y0 = aten.view_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r810y0 = aten.view_as "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r811y0 = aten.view_as_complex "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r811y0 = aten.view_as_complex "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r812y0 = aten.view_as_real "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r812y0 = aten.view_as_real "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r813y0 = aten.view_copy "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r813y0 = aten.view_copy "n" (%x) <{size = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r814y0 = aten.view_copy.dtype "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r814y0 = aten.view_copy.dtype "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r815y0 = aten.vsplit.array "n" (%x) <{indices = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  %r815y0 = aten.vsplit.array "n" (%x) <{indices = array<i64: 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r816y0 = aten.vsplit.int "n" (%x) <{sections = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r816y0 = aten.vsplit.int "n" (%x) <{sections = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r817y0 = aten.vstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r817y0 = aten.vstack "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r818y0 = aten.where "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r818y0 = aten.where "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r819y0 = aten.where.Scalar "n" (%x) <{self = 5.000000e-01 : f64, other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r819y0 = aten.where.Scalar "n" (%x) <{self = 5.000000e-01 : f64, other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r820y0 = aten.where.ScalarOther "n" (%x, %x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r820y0 = aten.where.ScalarOther "n" (%x, %x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r821y0 = aten.where.ScalarSelf "n" (%x, %x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r821y0 = aten.where.ScalarSelf "n" (%x, %x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r822y0 = aten.where.self "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r822y0 = aten.where.self "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r823y0 = aten.xlogy.Scalar_Other "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r823y0 = aten.xlogy.Scalar_Other "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r824y0 = aten.xlogy.Scalar_Self "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r824y0 = aten.xlogy.Scalar_Self "n" (%x) <{self = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r825y0 = aten.xlogy.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r825y0 = aten.xlogy.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r826y0 = aten.xlogy_.Scalar_Other "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  %r826y0 = aten.xlogy_.Scalar_Other "n" (%x) <{other = 5.000000e-01 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r827y0 = aten.xlogy_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r827y0 = aten.xlogy_.Tensor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r828y0 = aten.zero "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r828y0 = aten.zero "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r829y0 = aten.zero_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r829y0 = aten.zero_ "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r830y0 = aten.zeros "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  %r830y0 = aten.zeros "n" () <{size = array<i64: 2>, dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true}> : () -> tensor<4xf32>
  // CHECK: %r831y0 = aten.zeros_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r831y0 = aten.zeros_like "n" (%x) <{dtype = #aten.dtype<"float32">, layout = #aten.layout<"strided">, device = #aten.device<"cpu">, pin_memory = true, memory_format = #aten.memory_format<"channels_last">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r832y0, %r832y1 = aten.quantized_decomposed._choose_qparams_per_token_asymmetric_impl "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r832y0, %r832y1 = aten.quantized_decomposed._choose_qparams_per_token_asymmetric_impl "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r833y0, %r833y1 = aten.quantized_decomposed.choose_qparams.tensor "n" (%x) -> ["y0", "y1"] <{quant_min = 2 : i64, quant_max = 2 : i64, eps = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r833y0, %r833y1 = aten.quantized_decomposed.choose_qparams.tensor "n" (%x) -> ["y0", "y1"] <{quant_min = 2 : i64, quant_max = 2 : i64, eps = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r834y0, %r834y1 = aten.quantized_decomposed.choose_qparams_per_token "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r834y0, %r834y1 = aten.quantized_decomposed.choose_qparams_per_token "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r835y0, %r835y1 = aten.quantized_decomposed.choose_qparams_per_token_asymmetric "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r835y0, %r835y1 = aten.quantized_decomposed.choose_qparams_per_token_asymmetric "n" (%x) -> ["y0", "y1"] <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r836y0, %r836y1 = aten.quantized_decomposed.choose_qparams_symmetric.tensor "n" (%x) -> ["y0", "y1"] <{quant_min = 2 : i64, quant_max = 2 : i64, eps = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r836y0, %r836y1 = aten.quantized_decomposed.choose_qparams_symmetric.tensor "n" (%x) -> ["y0", "y1"] <{quant_min = 2 : i64, quant_max = 2 : i64, eps = 5.000000e-01 : f64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: %r837y0 = aten.quantized_decomposed.convert_element_type.no_fuse "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r837y0 = aten.quantized_decomposed.convert_element_type.no_fuse "n" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r838y0 = aten.quantized_decomposed.dequantize_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r838y0 = aten.quantized_decomposed.dequantize_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r839y0 = aten.quantized_decomposed.dequantize_per_channel_group "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, group_size = 2 : i64, output_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r839y0 = aten.quantized_decomposed.dequantize_per_channel_group "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, group_size = 2 : i64, output_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r840y0 = aten.quantized_decomposed.dequantize_per_tensor "n" (%x) <{scale = 5.000000e-01 : f64, zero_point = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r840y0 = aten.quantized_decomposed.dequantize_per_tensor "n" (%x) <{scale = 5.000000e-01 : f64, zero_point = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r841y0 = aten.quantized_decomposed.dequantize_per_tensor.tensor "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r841y0 = aten.quantized_decomposed.dequantize_per_tensor.tensor "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r842y0 = aten.quantized_decomposed.dequantize_per_tensor.tensor2 "n" (%x, %x, %x, %x, %x) <{dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r842y0 = aten.quantized_decomposed.dequantize_per_tensor.tensor2 "n" (%x, %x, %x, %x, %x) <{dtype = #aten.dtype<"float32">, out_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r843y0 = aten.quantized_decomposed.dequantize_per_token "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, output_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r843y0 = aten.quantized_decomposed.dequantize_per_token "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, output_dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r844y0 = aten.quantized_decomposed.fake_quant_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r844y0 = aten.quantized_decomposed.fake_quant_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r845y0 = aten.quantized_decomposed.quantize_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r845y0 = aten.quantized_decomposed.quantize_per_channel "n" (%x, %x, %x) <{axis = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r846y0 = aten.quantized_decomposed.quantize_per_channel_group "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, group_size = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r846y0 = aten.quantized_decomposed.quantize_per_channel_group "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">, group_size = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r847y0 = aten.quantized_decomposed.quantize_per_tensor "n" (%x) <{scale = 5.000000e-01 : f64, zero_point = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  %r847y0 = aten.quantized_decomposed.quantize_per_tensor "n" (%x) <{scale = 5.000000e-01 : f64, zero_point = 2 : i64, quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r848y0 = aten.quantized_decomposed.quantize_per_tensor.tensor "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r848y0 = aten.quantized_decomposed.quantize_per_tensor.tensor "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r849y0 = aten.quantized_decomposed.quantize_per_tensor.tensor2 "n" (%x, %x, %x, %x, %x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r849y0 = aten.quantized_decomposed.quantize_per_tensor.tensor2 "n" (%x, %x, %x, %x, %x) <{dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r850y0 = aten.quantized_decomposed.quantize_per_token "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r850y0 = aten.quantized_decomposed.quantize_per_token "n" (%x, %x, %x) <{quant_min = 2 : i64, quant_max = 2 : i64, dtype = #aten.dtype<"float32">}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r851y0 = aten.operator.add "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r851y0 = aten.operator.add "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r852y0 = aten.operator.and_ "n" () <{a = true, b = true}> : () -> tensor<4xf32>
  %r852y0 = aten.operator.and_ "n" () <{a = true, b = true}> : () -> tensor<4xf32>
  // CHECK: %r853y0 = aten.operator.eq "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r853y0 = aten.operator.eq "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r854y0 = aten.operator.floordiv "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r854y0 = aten.operator.floordiv "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r855y0 = aten.operator.ge "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r855y0 = aten.operator.ge "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r856y0 = aten.operator.gt "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r856y0 = aten.operator.gt "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r857y0 = aten.operator.le "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r857y0 = aten.operator.le "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r858y0 = aten.operator.lshift "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r858y0 = aten.operator.lshift "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r859y0 = aten.operator.lt "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r859y0 = aten.operator.lt "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r860y0 = aten.operator.mod "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r860y0 = aten.operator.mod "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r861y0 = aten.operator.mul "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r861y0 = aten.operator.mul "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r862y0 = aten.operator.ne "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r862y0 = aten.operator.ne "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r863y0 = aten.operator.neg "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r863y0 = aten.operator.neg "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r864y0 = aten.operator.or_ "n" () <{a = true, b = true}> : () -> tensor<4xf32>
  %r864y0 = aten.operator.or_ "n" () <{a = true, b = true}> : () -> tensor<4xf32>
  // CHECK: %r865y0 = aten.operator.pos "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r865y0 = aten.operator.pos "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r866y0 = aten.operator.pow "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r866y0 = aten.operator.pow "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r867y0 = aten.operator.rshift "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r867y0 = aten.operator.rshift "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r868y0 = aten.operator.sub "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r868y0 = aten.operator.sub "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r869y0 = aten.operator.truediv "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r869y0 = aten.operator.truediv "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r870y0 = aten.math.trunc "n" () <{x = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r870y0 = aten.math.trunc "n" () <{x = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r871y0 = aten.torch._sym_sqrt "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r871y0 = aten.torch._sym_sqrt "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r872y0 = aten.torch.sym_float "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r872y0 = aten.torch.sym_float "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r873y0 = aten.torch.sym_int "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r873y0 = aten.torch.sym_int "n" () <{a = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r874y0 = aten.torch.sym_ite "n" () <{b = true, t = 5.000000e-01 : f64, f = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r874y0 = aten.torch.sym_ite "n" () <{b = true, t = 5.000000e-01 : f64, f = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r875y0 = aten.torch.sym_max "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r875y0 = aten.torch.sym_max "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r876y0 = aten.torch.sym_min "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  %r876y0 = aten.torch.sym_min "n" () <{a = 5.000000e-01 : f64, b = 5.000000e-01 : f64}> : () -> tensor<4xf32>
  // CHECK: %r877y0 = aten.torch.sym_not "n" () <{a = true}> : () -> tensor<4xf32>
  %r877y0 = aten.torch.sym_not "n" () <{a = true}> : () -> tensor<4xf32>
  // CHECK: %r878y0 = aten.torchvision.nms "n" (%x, %x) <{iou_threshold = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r878y0 = aten.torchvision.nms "n" (%x, %x) <{iou_threshold = 5.000000e-01 : f64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %r879y0 = aten.torchvision.roi_align "n" (%x, %x) <{spatial_scale = 5.000000e-01 : f64, pooled_height = 2 : i64, pooled_width = 2 : i64, sampling_ratio = 2 : i64, aligned = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r879y0 = aten.torchvision.roi_align "n" (%x, %x) <{spatial_scale = 5.000000e-01 : f64, pooled_height = 2 : i64, pooled_width = 2 : i64, sampling_ratio = 2 : i64, aligned = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}
