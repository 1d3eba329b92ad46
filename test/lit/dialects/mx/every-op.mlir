// RUN: AUTOSPLIT_ROUNDTRIP

// Each kind of op with all of its attributes. Written by `python -m autosplit.tools.generate.mx_dialect`.

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Activation "n" (%x) <{act_type = "tanh"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Activation "n" (%x) <{act_type = "tanh"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.BatchNorm "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.BatchNorm "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.BilinearSampler "n" (%x, %x) <{cudnn_off = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.BilinearSampler "n" (%x, %x) <{cudnn_off = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.BlockGrad "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.BlockGrad "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.CTCLoss "n" (%x, %x, %x) <{use_data_lengths = "True", use_label_lengths = "True", blank_label = "last"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.CTCLoss "n" (%x, %x, %x) <{use_data_lengths = "True", use_label_lengths = "True", blank_label = "last"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Cast "n" (%x) <{dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Cast "n" (%x) <{dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Convolution "n" (%x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Convolution "n" (%x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.Correlation "n" (%x, %x) <{kernel_size = "1", max_displacement = "1", stride1 = "1", stride2 = "1", pad_size = "1", is_multiply = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.Correlation "n" (%x, %x) <{kernel_size = "1", max_displacement = "1", stride1 = "1", stride2 = "1", pad_size = "1", is_multiply = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Crop "n" (%x) <{num_args = "1", offset = "(1, 1)", h_w = "(1, 1)", center_crop = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Crop "n" (%x) <{num_args = "1", offset = "(1, 1)", h_w = "(1, 1)", center_crop = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Deconvolution "n" (%x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", adj = "(1, 1)", target_shape = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Deconvolution "n" (%x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", adj = "(1, 1)", target_shape = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.Dropout "n" (%x) <{p = "0.5", mode = "training", axes = "(1, 1)", cudnn_off = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.Dropout "n" (%x) <{p = "0.5", mode = "training", axes = "(1, 1)", cudnn_off = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Embedding "n" (%x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Embedding "n" (%x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Flatten "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Flatten "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.FullyConnected "n" (%x, %x) <{num_hidden = "1", no_bias = "True", flatten = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.FullyConnected "n" (%x, %x) <{num_hidden = "1", no_bias = "True", flatten = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.GridGenerator "n" (%x) <{transform_type = "warp", target_shape = "(1, 1)"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.GridGenerator "n" (%x) <{transform_type = "warp", target_shape = "(1, 1)"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.GroupNorm "n" (%x, %x, %x) <{num_groups = "1", eps = "0.5", output_mean_var = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.GroupNorm "n" (%x, %x, %x) <{num_groups = "1", eps = "0.5", output_mean_var = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.InstanceNorm "n" (%x, %x, %x) <{eps = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.InstanceNorm "n" (%x, %x, %x) <{eps = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.L2Normalization "n" (%x) <{eps = "0.5", mode = "spatial"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.L2Normalization "n" (%x) <{eps = "0.5", mode = "spatial"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.LRN "n" (%x) <{alpha = "0.5", beta = "0.5", knorm = "0.5", nsize = "1"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.LRN "n" (%x) <{alpha = "0.5", beta = "0.5", knorm = "0.5", nsize = "1"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.LayerNorm "n" (%x, %x, %x) <{axis = "1", eps = "0.5", output_mean_var = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.LayerNorm "n" (%x, %x, %x) <{axis = "1", eps = "0.5", output_mean_var = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.LeakyReLU "n" (%x) <{act_type = "selu", slope = "0.5", lower_bound = "0.5", upper_bound = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.LeakyReLU "n" (%x) <{act_type = "selu", slope = "0.5", lower_bound = "0.5", upper_bound = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.LinearRegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.LinearRegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.LogisticRegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.LogisticRegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.MAERegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.MAERegressionOutput "n" (%x, %x) <{grad_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.MakeLoss "n" (%x) <{grad_scale = "0.5", valid_thresh = "0.5", normalization = "valid"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.MakeLoss "n" (%x) <{grad_scale = "0.5", valid_thresh = "0.5", normalization = "valid"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Pad "n" (%x) <{mode = "reflect", pad_width = "(1, 1)", constant_value = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Pad "n" (%x) <{mode = "reflect", pad_width = "(1, 1)", constant_value = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Pooling "n" (%x) <{kernel = "(1, 1)", pool_type = "sum", global_pool = "True", cudnn_off = "True", pooling_convention = "valid", stride = "(1, 1)", pad = "(1, 1)", p_value = "1", count_include_pad = "True", layout = "NWC"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Pooling "n" (%x) <{kernel = "(1, 1)", pool_type = "sum", global_pool = "True", cudnn_off = "True", pooling_convention = "valid", stride = "(1, 1)", pad = "(1, 1)", p_value = "1", count_include_pad = "True", layout = "NWC"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.RNN "n" (%x, %x, %x, %x) <{state_size = "1", num_layers = "1", bidirectional = "True", mode = "rnn_tanh", p = "0.5", state_outputs = "True", projection_size = "1", lstm_state_clip_min = "0.5", lstm_state_clip_max = "0.5", lstm_state_clip_nan = "True", use_sequence_length = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.RNN "n" (%x, %x, %x, %x) <{state_size = "1", num_layers = "1", bidirectional = "True", mode = "rnn_tanh", p = "0.5", state_outputs = "True", projection_size = "1", lstm_state_clip_min = "0.5", lstm_state_clip_max = "0.5", lstm_state_clip_nan = "True", use_sequence_length = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.ROIPooling "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.ROIPooling "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.Reshape "n" (%x) <{shape = "(1, 1)", reverse = "True", target_shape = "(1, 1)", keep_highest = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.Reshape "n" (%x) <{shape = "(1, 1)", reverse = "True", target_shape = "(1, 1)", keep_highest = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SVMOutput "n" (%x, %x) <{margin = "0.5", regularization_coefficient = "0.5", use_linear = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SVMOutput "n" (%x, %x) <{margin = "0.5", regularization_coefficient = "0.5", use_linear = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SequenceLast "n" (%x, %x) <{use_sequence_length = "True", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SequenceLast "n" (%x, %x) <{use_sequence_length = "True", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SequenceMask "n" (%x, %x) <{use_sequence_length = "True", value = "0.5", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SequenceMask "n" (%x, %x) <{use_sequence_length = "True", value = "0.5", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SequenceReverse "n" (%x, %x) <{use_sequence_length = "True", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SequenceReverse "n" (%x, %x) <{use_sequence_length = "True", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SliceChannel "n" (%x) <{num_outputs = "1", axis = "1", squeeze_axis = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SliceChannel "n" (%x) <{num_outputs = "1", axis = "1", squeeze_axis = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SoftmaxActivation "n" (%x) <{mode = "instance"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SoftmaxActivation "n" (%x) <{mode = "instance"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SoftmaxOutput "n" (%x, %x) <{grad_scale = "0.5", ignore_label = "0.5", multi_output = "True", use_ignore = "True", preserve_shape = "True", normalization = "valid", out_grad = "True", smooth_alpha = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SoftmaxOutput "n" (%x, %x) <{grad_scale = "0.5", ignore_label = "0.5", multi_output = "True", use_ignore = "True", preserve_shape = "True", normalization = "valid", out_grad = "True", smooth_alpha = "0.5"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx.SpatialTransformer "n" (%x, %x) <{target_shape = "(1, 1)", transform_type = "text", sampler_type = "text", cudnn_off = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx.SpatialTransformer "n" (%x, %x) <{target_shape = "(1, 1)", transform_type = "text", sampler_type = "text", cudnn_off = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.SwapAxis "n" (%x) <{dim1 = "1", dim2 = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.SwapAxis "n" (%x) <{dim1 = "1", dim2 = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.UpSampling "n" (%x) <{scale = "1", num_filter = "1", sample_type = "nearest", multi_input_mode = "sum", num_args = "1", workspace = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.UpSampling "n" (%x) <{scale = "1", num_filter = "1", sample_type = "nearest", multi_input_mode = "sum", num_args = "1", workspace = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._arange "n" () <{start = "0.5", stop = "0.5", step = "0.5", repeat = "1", infer_range = "True", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
  %y0 = mx._arange "n" () <{start = "0.5", stop = "0.5", step = "0.5", repeat = "1", infer_range = "True", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_AdaptiveAvgPooling2D "n" (%x) <{output_size = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_AdaptiveAvgPooling2D "n" (%x) <{output_size = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2, %y3 = mx._contrib_BatchNormWithReLU "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2, %y3 = mx._contrib_BatchNormWithReLU "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_BilinearResize2D "n" (%x) <{height = "1", width = "1", scale_height = "0.5", scale_width = "0.5", mode = "to_odd_up", align_corners = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_BilinearResize2D "n" (%x) <{height = "1", width = "1", scale_height = "0.5", scale_width = "0.5", mode = "to_odd_up", align_corners = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_DeformableConvolution "n" (%x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", num_deformable_group = "1", workspace = "1", no_bias = "True", layout = "NCW"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_DeformableConvolution "n" (%x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", num_deformable_group = "1", workspace = "1", no_bias = "True", layout = "NCW"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx._contrib_DeformablePSROIPooling "n" (%x, %x) <{spatial_scale = "0.5", output_dim = "1", group_size = "1", pooled_size = "1", part_size = "1", sample_per_part = "1", trans_std = "0.5", no_trans = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx._contrib_DeformablePSROIPooling "n" (%x, %x) <{spatial_scale = "0.5", output_dim = "1", group_size = "1", pooled_size = "1", part_size = "1", sample_per_part = "1", trans_std = "0.5", no_trans = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_ModulatedDeformableConvolution "n" (%x, %x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", num_deformable_group = "1", workspace = "1", no_bias = "True", im2col_step = "1", layout = "NCW"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_ModulatedDeformableConvolution "n" (%x, %x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", num_deformable_group = "1", workspace = "1", no_bias = "True", im2col_step = "1", layout = "NCW"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_MultiBoxDetection "n" (%x, %x, %x) <{clip = "True", threshold = "0.5", background_id = "1", nms_threshold = "0.5", force_suppress = "True", variances = "(0.5, 0.5)", nms_topk = "1"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_MultiBoxDetection "n" (%x, %x, %x) <{clip = "True", threshold = "0.5", background_id = "1", nms_threshold = "0.5", force_suppress = "True", variances = "(0.5, 0.5)", nms_topk = "1"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_MultiBoxPrior "n" (%x) <{sizes = "(0.5, 0.5)", ratios = "(0.5, 0.5)", clip = "True", steps = "(0.5, 0.5)", offsets = "(0.5, 0.5)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_MultiBoxPrior "n" (%x) <{sizes = "(0.5, 0.5)", ratios = "(0.5, 0.5)", clip = "True", steps = "(0.5, 0.5)", offsets = "(0.5, 0.5)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_MultiBoxTarget "n" (%x, %x, %x) <{overlap_threshold = "0.5", ignore_label = "0.5", negative_mining_ratio = "0.5", negative_mining_thresh = "0.5", minimum_negative_samples = "1", variances = "(0.5, 0.5)"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_MultiBoxTarget "n" (%x, %x, %x) <{overlap_threshold = "0.5", ignore_label = "0.5", negative_mining_ratio = "0.5", negative_mining_thresh = "0.5", minimum_negative_samples = "1", variances = "(0.5, 0.5)"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx._contrib_MultiProposal "n" (%x, %x, %x) <{rpn_pre_nms_top_n = "1", rpn_post_nms_top_n = "1", threshold = "0.5", rpn_min_size = "1", scales = "(0.5, 0.5)", ratios = "(0.5, 0.5)", feature_stride = "1", output_score = "True", iou_loss = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx._contrib_MultiProposal "n" (%x, %x, %x) <{rpn_pre_nms_top_n = "1", rpn_post_nms_top_n = "1", threshold = "0.5", rpn_min_size = "1", scales = "(0.5, 0.5)", ratios = "(0.5, 0.5)", feature_stride = "1", output_score = "True", iou_loss = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_PSROIPooling "n" (%x, %x) <{spatial_scale = "0.5", output_dim = "1", pooled_size = "1", group_size = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_PSROIPooling "n" (%x, %x) <{spatial_scale = "0.5", output_dim = "1", pooled_size = "1", group_size = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx._contrib_Proposal "n" (%x, %x, %x) <{rpn_pre_nms_top_n = "1", rpn_post_nms_top_n = "1", threshold = "0.5", rpn_min_size = "1", scales = "(0.5, 0.5)", ratios = "(0.5, 0.5)", feature_stride = "1", output_score = "True", iou_loss = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx._contrib_Proposal "n" (%x, %x, %x) <{rpn_pre_nms_top_n = "1", rpn_post_nms_top_n = "1", threshold = "0.5", rpn_min_size = "1", scales = "(0.5, 0.5)", ratios = "(0.5, 0.5)", feature_stride = "1", output_score = "True", iou_loss = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_ROIAlign "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5", sample_ratio = "1", position_sensitive = "True", aligned = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_ROIAlign "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5", sample_ratio = "1", position_sensitive = "True", aligned = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_RROIAlign "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5", sampling_ratio = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_RROIAlign "n" (%x, %x) <{pooled_size = "(1, 1)", spatial_scale = "0.5", sampling_ratio = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_SparseEmbedding "n" (%x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_SparseEmbedding "n" (%x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_SyncBatchNorm "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", ndev = "1", key = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_SyncBatchNorm "n" (%x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", ndev = "1", key = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_arange_like "n" (%x) <{start = "0.5", step = "0.5", repeat = "1", ctx = "text", axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_arange_like "n" (%x) <{start = "0.5", step = "0.5", repeat = "1", ctx = "text", axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_boolean_mask "n" (%x, %x) <{axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_boolean_mask "n" (%x, %x) <{axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_box_decode "n" (%x, %x) <{std0 = "0.5", std1 = "0.5", std2 = "0.5", std3 = "0.5", clip = "0.5", format = "corner"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_box_decode "n" (%x, %x) <{std0 = "0.5", std1 = "0.5", std2 = "0.5", std3 = "0.5", clip = "0.5", format = "corner"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx._contrib_box_encode "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx._contrib_box_encode "n" (%x, %x, %x, %x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_box_iou "n" (%x, %x) <{format = "corner"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_box_iou "n" (%x, %x) <{format = "corner"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx._contrib_box_nms "n" (%x) <{overlap_thresh = "0.5", valid_thresh = "0.5", topk = "1", coord_start = "1", score_index = "1", id_index = "1", background_id = "1", force_suppress = "True", in_format = "corner", out_format = "corner"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx._contrib_box_nms "n" (%x) <{overlap_thresh = "0.5", valid_thresh = "0.5", topk = "1", coord_start = "1", score_index = "1", id_index = "1", background_id = "1", force_suppress = "True", in_format = "corner", out_format = "corner"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_dequantize "n" (%x, %x, %x) <{out_type = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_dequantize "n" (%x, %x, %x) <{out_type = "text"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_div_sqrt_dim "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_div_sqrt_dim "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_fft "n" (%x) <{compute_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_fft "n" (%x) <{compute_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_ifft "n" (%x) <{compute_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_ifft "n" (%x) <{compute_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_index_array "n" (%x) <{axes = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_index_array "n" (%x) <{axes = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_interleaved_matmul_encdec_qk "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_interleaved_matmul_encdec_qk "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_interleaved_matmul_encdec_valatt "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_interleaved_matmul_encdec_valatt "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_interleaved_matmul_selfatt_qk "n" (%x) <{heads = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_interleaved_matmul_selfatt_qk "n" (%x) <{heads = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_interleaved_matmul_selfatt_valatt "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_interleaved_matmul_selfatt_valatt "n" (%x, %x) <{heads = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantize "n" (%x, %x, %x) <{out_type = "uint8"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantize "n" (%x, %x, %x) <{out_type = "uint8"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantize_asym "n" (%x) <{min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantize_asym "n" (%x) <{min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantize_v2 "n" (%x) <{out_type = "uint8", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantize_v2 "n" (%x) <{out_type = "uint8", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_act "n" (%x, %x, %x) <{act_type = "tanh"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_act "n" (%x, %x, %x) <{act_type = "tanh"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_batch_norm "n" (%x, %x, %x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_batch_norm "n" (%x, %x, %x, %x, %x, %x, %x) <{eps = "0.5", momentum = "0.5", fix_gamma = "True", use_global_stats = "True", output_mean_var = "True", axis = "1", cudnn_off = "True", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_conv "n" (%x, %x, %x, %x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_conv "n" (%x, %x, %x, %x, %x, %x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)", num_filter = "1", num_group = "1", workspace = "1", no_bias = "True", cudnn_tune = "off", cudnn_off = "True", layout = "NHWC"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_elemwise_add "n" (%x, %x, %x, %x, %x, %x) <{min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_elemwise_add "n" (%x, %x, %x, %x, %x, %x) <{min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_quantized_elemwise_mul "n" (%x, %x, %x, %x, %x, %x) <{min_calib_range = "0.5", max_calib_range = "0.5", enable_float_output = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_quantized_elemwise_mul "n" (%x, %x, %x, %x, %x, %x) <{min_calib_range = "0.5", max_calib_range = "0.5", enable_float_output = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_embedding "n" (%x, %x, %x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_embedding "n" (%x, %x, %x, %x) <{input_dim = "1", output_dim = "1", dtype = "uint8", sparse_grad = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_flatten "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_flatten "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_fully_connected "n" (%x, %x, %x, %x, %x, %x) <{num_hidden = "1", no_bias = "True", flatten = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_fully_connected "n" (%x, %x, %x, %x, %x, %x) <{num_hidden = "1", no_bias = "True", flatten = "True"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_quantized_pooling "n" (%x, %x, %x) <{kernel = "(1, 1)", pool_type = "sum", global_pool = "True", cudnn_off = "True", pooling_convention = "valid", stride = "(1, 1)", pad = "(1, 1)", p_value = "1", count_include_pad = "True", layout = "NWC"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_quantized_pooling "n" (%x, %x, %x) <{kernel = "(1, 1)", pool_type = "sum", global_pool = "True", cudnn_off = "True", pooling_convention = "valid", stride = "(1, 1)", pad = "(1, 1)", p_value = "1", count_include_pad = "True", layout = "NWC"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1, %y2 = mx._contrib_requantize "n" (%x, %x, %x) <{out_type = "uint8", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y0, %y1, %y2 = mx._contrib_requantize "n" (%x, %x, %x) <{out_type = "uint8", min_calib_range = "0.5", max_calib_range = "0.5"}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_round_ste "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_round_ste "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._contrib_sign_ste "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._contrib_sign_ste "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._copy "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._div_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._div_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._eye "n" () <{N = "1", M = "1", k = "1", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
  %y0 = mx._eye "n" () <{N = "1", M = "1", k = "1", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._full "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8", value = "0.5"}> : () -> tensor<4xf32>
  %y0 = mx._full "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8", value = "0.5"}> : () -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._greater "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._greater "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._greater_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._greater_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._greater_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._greater_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._greater_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._greater_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._hypot_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._hypot_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._identity_with_attr_like_rhs "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._identity_with_attr_like_rhs "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._lesser "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._lesser "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._lesser_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._lesser_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._lesser_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._lesser_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._lesser_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._lesser_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._linalg_gemm2 "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", alpha = "0.5", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._linalg_gemm2 "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", alpha = "0.5", axis = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_and_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_and_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_or_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_or_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._logical_xor_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._logical_xor_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._maximum_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._maximum_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._minimum_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._minimum_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._minus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._minus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._mod "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._mod "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._mod_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._mod_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._mul_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._mul_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._not_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._not_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._not_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._not_equal_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._ones "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
  %y0 = mx._ones "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._plus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._plus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._power "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._power "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._power_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._power_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._ravel_multi_index "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._ravel_multi_index "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._rdiv_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._rdiv_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._rminus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._rminus_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._rmod_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._rmod_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._rnn_param_concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._rnn_param_concat "n" (%x) <{num_args = "1", dim = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._rpower_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._rpower_scalar "n" (%x) <{scalar = "0.5", is_int = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._split_v2 "n" (%x) <{indices = "(1, 1)", axis = "1", squeeze_axis = "True", sections = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._split_v2 "n" (%x) <{indices = "(1, 1)", axis = "1", squeeze_axis = "True", sections = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._unravel_index "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx._unravel_index "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx._zeros "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
  %y0 = mx._zeros "n" () <{shape = "(1, 1)", ctx = "text", dtype = "uint8"}> : () -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.abs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.abs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.add_n "n" (%x) <{num_args = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.add_n "n" (%x) <{num_args = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.amp_cast "n" (%x) <{dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.amp_cast "n" (%x) <{dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arccos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arccos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arccosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arccosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arcsin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arcsin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arcsinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arcsinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arctan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arctan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.arctanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.arctanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.argmax "n" (%x) <{axis = "1", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.argmax "n" (%x) <{axis = "1", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.argmax_channel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.argmax_channel "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.argmin "n" (%x) <{axis = "1", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.argmin "n" (%x) <{axis = "1", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.argsort "n" (%x) <{axis = "1", is_ascend = "True", dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.argsort "n" (%x) <{axis = "1", is_ascend = "True", dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.batch_dot "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", forward_stype = "row_sparse"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.batch_dot "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", forward_stype = "row_sparse"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.batch_take "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.batch_take "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_add "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_add "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_axis "n" (%x) <{axis = "(1, 1)", size = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_axis "n" (%x) <{axis = "(1, 1)", size = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_div "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_div "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_greater "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_greater "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_greater_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_greater_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_hypot "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_lesser "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_lesser "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_lesser_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_lesser_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_like "n" (%x, %x) <{lhs_axes = "(1, 1)", rhs_axes = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_like "n" (%x, %x) <{lhs_axes = "(1, 1)", rhs_axes = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_logical_and "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_logical_or "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_logical_xor "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_maximum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_minimum "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_mod "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_mod "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_mul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_mul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_not_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_not_equal "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_power "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_power "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_sub "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_sub "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.broadcast_to "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.broadcast_to "n" (%x) <{shape = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.cbrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.cbrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.ceil "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.ceil "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.clip "n" (%x) <{a_min = "0.5", a_max = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.clip "n" (%x) <{a_min = "0.5", a_max = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.col2im "n" (%x) <{output_size = "(1, 1)", kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.col2im "n" (%x) <{output_size = "(1, 1)", kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.cos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.cos "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.cosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.cosh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.degrees "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.degrees "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.depth_to_space "n" (%x) <{block_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.depth_to_space "n" (%x) <{block_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.diag "n" (%x) <{k = "1", axis1 = "1", axis2 = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.diag "n" (%x) <{k = "1", axis1 = "1", axis2 = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.dot "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", forward_stype = "row_sparse"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.dot "n" (%x, %x) <{transpose_a = "True", transpose_b = "True", forward_stype = "row_sparse"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.elemwise_add "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.elemwise_add "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.elemwise_div "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.elemwise_div "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.elemwise_mul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.elemwise_mul "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.elemwise_sub "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.elemwise_sub "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.erf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.erf "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.erfinv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.erfinv "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.exp "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.exp "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.expand_dims "n" (%x) <{axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.expand_dims "n" (%x) <{axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.expm1 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.expm1 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.fix "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.fix "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.floor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.floor "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.gamma "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.gamma "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.gammaln "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.gammaln "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.gather_nd "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.gather_nd "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.hard_sigmoid "n" (%x) <{alpha = "0.5", beta = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.hard_sigmoid "n" (%x) <{alpha = "0.5", beta = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.im2col "n" (%x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.im2col "n" (%x) <{kernel = "(1, 1)", stride = "(1, 1)", dilate = "(1, 1)", pad = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.log "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.log "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.log10 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.log10 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.log1p "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.log1p "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.log2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.log2 "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.log_softmax "n" (%x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.log_softmax "n" (%x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.logical_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.logical_not "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.make_loss "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.make_loss "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.max "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.max "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.mean "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.mean "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.min "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.min "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.moments "n" (%x) <{axes = "(1, 1)", keepdims = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.moments "n" (%x) <{axes = "(1, 1)", keepdims = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.nanprod "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.nanprod "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.nansum "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.nansum "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.negative "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.negative "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.norm "n" (%x) <{ord = "1", axis = "(1, 1)", out_dtype = "int8", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.norm "n" (%x) <{ord = "1", axis = "(1, 1)", out_dtype = "int8", keepdims = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.one_hot "n" (%x) <{depth = "1", on_value = "0.5", off_value = "0.5", dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.one_hot "n" (%x) <{depth = "1", on_value = "0.5", off_value = "0.5", dtype = "uint8"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.ones_like "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.ones_like "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.pick "n" (%x, %x) <{axis = "1", keepdims = "True", mode = "wrap"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.pick "n" (%x, %x) <{axis = "1", keepdims = "True", mode = "wrap"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.prod "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.prod "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.radians "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.radians "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.rcbrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.rcbrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.reciprocal "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.reciprocal "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.relu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.relu "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.repeat "n" (%x) <{repeats = "1", axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.repeat "n" (%x) <{repeats = "1", axis = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.reshape_like "n" (%x, %x) <{lhs_begin = "1", lhs_end = "1", rhs_begin = "1", rhs_end = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.reshape_like "n" (%x, %x) <{lhs_begin = "1", lhs_end = "1", rhs_begin = "1", rhs_end = "1"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.reverse "n" (%x) <{axis = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.reverse "n" (%x) <{axis = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.rint "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.rint "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.round "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.round "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.rsqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.rsqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.scatter_nd "n" (%x, %x) <{shape = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.scatter_nd "n" (%x, %x) <{shape = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.shape_array "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.shape_array "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sigmoid "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sin "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sinh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.size_array "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.size_array "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.slice "n" (%x) <{begin = "(1, 1)", end = "(1, 1)", step = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.slice "n" (%x) <{begin = "(1, 1)", end = "(1, 1)", step = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.slice_axis "n" (%x) <{axis = "1", begin = "1", end = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.slice_axis "n" (%x) <{axis = "1", begin = "1", end = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.slice_like "n" (%x, %x) <{axes = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.slice_like "n" (%x, %x) <{axes = "(1, 1)"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.smooth_l1 "n" (%x) <{scalar = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.smooth_l1 "n" (%x) <{scalar = "0.5"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.softmax "n" (%x, %x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.softmax "n" (%x, %x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.softmax_cross_entropy "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.softmax_cross_entropy "n" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.softmin "n" (%x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.softmin "n" (%x) <{axis = "1", temperature = "0.5", dtype = "float64", use_length = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.softsign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.softsign "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.sort "n" (%x) <{axis = "1", is_ascend = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.sort "n" (%x) <{axis = "1", is_ascend = "True"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.space_to_depth "n" (%x) <{block_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.space_to_depth "n" (%x) <{block_size = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sqrt "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.square "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.square "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.squeeze "n" (%x) <{axis = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.squeeze "n" (%x) <{axis = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.stack "n" (%x) <{axis = "1", num_args = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.stack "n" (%x) <{axis = "1", num_args = "1"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.sum "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.sum "n" (%x) <{axis = "(1, 1)", keepdims = "True", exclude = "True"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.take "n" (%x, %x) <{axis = "1", mode = "wrap"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.take "n" (%x, %x) <{axis = "1", mode = "wrap"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.tan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.tan "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.tanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.tanh "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.tile "n" (%x) <{reps = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.tile "n" (%x) <{reps = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0, %y1 = mx.topk "n" (%x) <{axis = "1", k = "1", ret_typ = "value", is_ascend = "True", dtype = "uint8"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %y0, %y1 = mx.topk "n" (%x) <{axis = "1", k = "1", ret_typ = "value", is_ascend = "True", dtype = "uint8"}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.transpose "n" (%x) <{axes = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.transpose "n" (%x) <{axes = "(1, 1)"}> : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.trunc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.trunc "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.where "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.where "n" (%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  // CHECK: %y0 = mx.zeros_like "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y0 = mx.zeros_like "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}
