// RUN: AUTOSPLIT_ROUNDTRIP

// Each kind of op with all of its attributes. Written by `python -m autosplit.tools.generate.top_dialect`.

builtin.module @net attributes {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32", module.top_run_mode = "STATIC", module.weight_file = "weights.npz"} {
func.func @main(%x: tensor<4xf32>) {
  %none = top.None() : () -> none

  // CHECK: %A16Gather = top.A16Gather(%x, %x, %x, %x) {axis = -3, keepdims = true, q_group_size = 3, weight_bits = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("A16Gather")
  %A16Gather = top.A16Gather(%x, %x, %x, %x) {axis = -3, keepdims = true, q_group_size = 3, weight_bits = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("A16Gather")

  // CHECK: %A16MatMul = top.A16MatMul(%x, %x, %x, %x, %none) {right_transpose = true, q_group_size = 3, weight_bits = 3, dq_type = "MXF4"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("A16MatMul")
  %A16MatMul = top.A16MatMul(%x, %x, %x, %x, %none) {right_transpose = true, q_group_size = 3, weight_bits = 3, dq_type = "MXF4"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("A16MatMul")

  // CHECK: %Abs = top.Abs(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Abs")
  %Abs = top.Abs(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Abs")

  // CHECK: %AdaptiveAvgPool = top.AdaptiveAvgPool(%x) {output_size = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("AdaptiveAvgPool")
  %AdaptiveAvgPool = top.AdaptiveAvgPool(%x) {output_size = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("AdaptiveAvgPool")

  // CHECK: %Add = top.Add(%x) {do_relu = true, relu_limit = 0.1, coeff = [0.5, 1.0e-05], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Add")
  %Add = top.Add(%x) {do_relu = true, relu_limit = 0.1, coeff = [0.5, 1.0e-05], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Add")

  // CHECK: %AddConst = top.AddConst(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("AddConst")
  %AddConst = top.AddConst(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("AddConst")

  // CHECK: %Arange = top.Arange(%none, %x, %none) : (none, tensor<4xf32>, none) -> tensor<4xf32> loc("Arange")
  %Arange = top.Arange(%none, %x, %none) : (none, tensor<4xf32>, none) -> tensor<4xf32> loc("Arange")

  // CHECK: %Arccos = top.Arccos(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Arccos")
  %Arccos = top.Arccos(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Arccos")

  // CHECK: %Arctanh = top.Arctanh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Arctanh")
  %Arctanh = top.Arctanh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Arctanh")

  // CHECK: %Arg_a, %Arg_b = top.Arg(%x) {axis = 3, keepdims = true, mode = "ArgMax", select_last_index = true} : (tensor<4xf32>) -> (tensor<4xf32>, none) loc(fused["Arg_a", "Arg_b"])
  %Arg_a, %Arg_b = top.Arg(%x) {axis = 3, keepdims = true, mode = "ArgMax", select_last_index = true} : (tensor<4xf32>) -> (tensor<4xf32>, none) loc(fused["Arg_a", "Arg_b"])

  // CHECK: %Attention = top.Attention(%x, %x, %x, %x, %none, %x, %none, %x, %none, %x, %none, %none) {scale = 0.1, head = 3, dim = 3, scale_param = [0.5, 1.0e-05], zp_param = [1, -2], has_bias = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, tensor<4xf32>, none, tensor<4xf32>, none, tensor<4xf32>, none, none) -> tensor<4xf32> loc("Attention")
  %Attention = top.Attention(%x, %x, %x, %x, %none, %x, %none, %x, %none, %x, %none, %none) {scale = 0.1, head = 3, dim = 3, scale_param = [0.5, 1.0e-05], zp_param = [1, -2], has_bias = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, tensor<4xf32>, none, tensor<4xf32>, none, tensor<4xf32>, none, none) -> tensor<4xf32> loc("Attention")

  // CHECK: %AvgPool = top.AvgPool(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("AvgPool")
  %AvgPool = top.AvgPool(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("AvgPool")

  // CHECK: %BatchNorm = top.BatchNorm(%x, %x, %x, %none, %none) {epsilon = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("BatchNorm")
  %BatchNorm = top.BatchNorm(%x, %x, %x, %none, %none) {epsilon = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("BatchNorm")

  // CHECK: %BatchNormBwd_a, %BatchNormBwd_b, %BatchNormBwd_c = top.BatchNormBwd(%x, %x, %none, %none, %none) {epsilon = 0.1} : (tensor<4xf32>, tensor<4xf32>, none, none, none) -> (tensor<4xf32>, none, none) loc(fused["BatchNormBwd_a", "BatchNormBwd_b", "BatchNormBwd_c"])
  %BatchNormBwd_a, %BatchNormBwd_b, %BatchNormBwd_c = top.BatchNormBwd(%x, %x, %none, %none, %none) {epsilon = 0.1} : (tensor<4xf32>, tensor<4xf32>, none, none, none) -> (tensor<4xf32>, none, none) loc(fused["BatchNormBwd_a", "BatchNormBwd_b", "BatchNormBwd_c"])

  // CHECK: %BatchNormTrain_a, %BatchNormTrain_b, %BatchNormTrain_c, %BatchNormTrain_d, %BatchNormTrain_e = top.BatchNormTrain(%x, %x, %x, %none, %none) {epsilon = 0.1, momentum = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["BatchNormTrain_a", "BatchNormTrain_b", "BatchNormTrain_c", "BatchNormTrain_d", "BatchNormTrain_e"])
  %BatchNormTrain_a, %BatchNormTrain_b, %BatchNormTrain_c, %BatchNormTrain_d, %BatchNormTrain_e = top.BatchNormTrain(%x, %x, %x, %none, %none) {epsilon = 0.1, momentum = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["BatchNormTrain_a", "BatchNormTrain_b", "BatchNormTrain_c", "BatchNormTrain_d", "BatchNormTrain_e"])

  // CHECK: %BinaryConstShift = top.BinaryConstShift(%x) {scale = -3, mode = "Mul", shift = -3, is_reverse = true, saturation = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("BinaryConstShift")
  %BinaryConstShift = top.BinaryConstShift(%x) {scale = -3, mode = "Mul", shift = -3, is_reverse = true, saturation = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("BinaryConstShift")

  // CHECK: %BinaryShift = top.BinaryShift(%x, %x) {mode = "Mul", shift = -3, is_reverse = true, saturation = true, round_mode = "Down"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("BinaryShift")
  %BinaryShift = top.BinaryShift(%x, %x) {mode = "Mul", shift = -3, is_reverse = true, saturation = true, round_mode = "Down"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("BinaryShift")

  // CHECK: %C2CAllReduce = top.C2CAllReduce(%x, %x) {reduce_method = 3, nranks = 3, rank = 3, sccl_algo = 3, chip_map = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("C2CAllReduce")
  %C2CAllReduce = top.C2CAllReduce(%x, %x) {reduce_method = 3, nranks = 3, rank = 3, sccl_algo = 3, chip_map = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("C2CAllReduce")

  // CHECK: %C2CBroadcast = top.C2CBroadcast(%x) {root = 3, nranks = 3, rank = 3, sccl_algo = 3, chip_map = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("C2CBroadcast")
  %C2CBroadcast = top.C2CBroadcast(%x) {root = 3, nranks = 3, rank = 3, sccl_algo = 3, chip_map = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("C2CBroadcast")

  // CHECK: %Cast = top.Cast(%x) {round_mode = "Down", to = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("Cast")
  %Cast = top.Cast(%x) {round_mode = "Down", to = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("Cast")

  // CHECK: %Ceil = top.Ceil(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Ceil")
  %Ceil = top.Ceil(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Ceil")

  // CHECK: %ChunkGatedDeltaRule = top.ChunkGatedDeltaRule(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {num_k_heads = 3, num_v_heads = 3, d = 3, chunk_size = 3, use_qk_l2norm = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ChunkGatedDeltaRule")
  %ChunkGatedDeltaRule = top.ChunkGatedDeltaRule(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {num_k_heads = 3, num_v_heads = 3, d = 3, chunk_size = 3, use_qk_l2norm = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ChunkGatedDeltaRule")

  // CHECK: %Clip = top.Clip(%x) {min = 0.1, max = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Clip")
  %Clip = top.Clip(%x) {min = 0.1, max = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Clip")

  // CHECK: %Compare = top.Compare(%x, %x) {mode = "Xor"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Compare")
  %Compare = top.Compare(%x, %x) {mode = "Xor"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Compare")

  // CHECK: %CompareConst = top.CompareConst(%x) {mode = "Xor", const_val = 0.1, inversed = true, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("CompareConst")
  %CompareConst = top.CompareConst(%x) {mode = "Xor", const_val = 0.1, inversed = true, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("CompareConst")

  // CHECK: %Concat = top.Concat(%x) {axis = -3, do_relu = true, relu_limit = 0.1, only_merge = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Concat")
  %Concat = top.Concat(%x) {axis = -3, do_relu = true, relu_limit = 0.1, only_merge = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Concat")

  // CHECK: %ConcatSlice = top.ConcatSlice(%x, %x) {axis = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ConcatSlice")
  %ConcatSlice = top.ConcatSlice(%x, %x) {axis = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ConcatSlice")

  // CHECK: %ConcatVolume = top.ConcatVolume(%x) {max_disp = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("ConcatVolume")
  %ConcatVolume = top.ConcatVolume(%x) {max_disp = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("ConcatVolume")

  // CHECK: %ConstantFill = top.ConstantFill(%x) {value = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("ConstantFill")
  %ConstantFill = top.ConstantFill(%x) {value = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("ConstantFill")

  // CHECK: %Conv = top.Conv(%x, %x, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, dilations = [1, -2], inserts = [1, -2], do_relu = true, relu_limit = 0.1, dynweight_reorderd = true, weight_is_coeff = 3, do_winograd = true, auto_pad = "VALID", in_int4_scale = 0.1, in_int4_zp = 0.1, out_int8_scale = 0.1, out_int8_zp = 0.1, weight_bits = 3} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Conv")
  %Conv = top.Conv(%x, %x, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, dilations = [1, -2], inserts = [1, -2], do_relu = true, relu_limit = 0.1, dynweight_reorderd = true, weight_is_coeff = 3, do_winograd = true, auto_pad = "VALID", in_int4_scale = 0.1, in_int4_zp = 0.1, out_int8_scale = 0.1, out_int8_zp = 0.1, weight_bits = 3} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Conv")

  // CHECK: %ConvBwd_Weight = top.ConvBwd_Weight(%x, %x, %x) {groups = 3, input_shape = [1, -2], grad_out_shape = [1, -2], kernel_shape = [1, -2], stride = [1, -2], dilations = [1, -2], padding = [1, -2], grad_bias_enable = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ConvBwd_Weight")
  %ConvBwd_Weight = top.ConvBwd_Weight(%x, %x, %x) {groups = 3, input_shape = [1, -2], grad_out_shape = [1, -2], kernel_shape = [1, -2], stride = [1, -2], dilations = [1, -2], padding = [1, -2], grad_bias_enable = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ConvBwd_Weight")

  // CHECK: %Convbwd_a, %Convbwd_b, %Convbwd_c = top.Convbwd(%x, %x, %x) {groups = 3, input_shape = [1, -2], grad_out_shape = [1, -2], kernel_shape = [1, -2], stride = [1, -2], dilations = [1, -2], padding = [1, -2], inserts = [1, -2], grad_input_enable = true, grad_weight_enable = true, grad_bias_enable = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, none, none) loc(fused["Convbwd_a", "Convbwd_b", "Convbwd_c"])
  %Convbwd_a, %Convbwd_b, %Convbwd_c = top.Convbwd(%x, %x, %x) {groups = 3, input_shape = [1, -2], grad_out_shape = [1, -2], kernel_shape = [1, -2], stride = [1, -2], dilations = [1, -2], padding = [1, -2], inserts = [1, -2], grad_input_enable = true, grad_weight_enable = true, grad_bias_enable = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, none, none) loc(fused["Convbwd_a", "Convbwd_b", "Convbwd_c"])

  // CHECK: %Copy = top.Copy(%x) {shape = [1, -2], input_stride = [1, -2], output_stride = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Copy")
  %Copy = top.Copy(%x) {shape = [1, -2], input_stride = [1, -2], output_stride = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Copy")

  // CHECK: %Correlation = top.Correlation(%x) {max_disp = 3, num_groups = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Correlation")
  %Correlation = top.Correlation(%x) {max_disp = 3, num_groups = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Correlation")

  // CHECK: %Cos = top.Cos(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Cos")
  %Cos = top.Cos(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Cos")

  // CHECK: %Cosh = top.Cosh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Cosh")
  %Cosh = top.Cosh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Cosh")

  // CHECK: %Csc = top.Csc(%x) {pixel_format = "text", aligned = true, y_align = 3, w_align = 3, channel_align = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Csc")
  %Csc = top.Csc(%x) {pixel_format = "text", aligned = true, y_align = 3, w_align = 3, channel_align = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Csc")

  // CHECK: %CumSum = top.CumSum(%x, %none) {axis = 3} : (tensor<4xf32>, none) -> tensor<4xf32> loc("CumSum")
  %CumSum = top.CumSum(%x, %none) {axis = 3} : (tensor<4xf32>, none) -> tensor<4xf32> loc("CumSum")

  // CHECK: %Custom_a, %Custom_b = top.Custom(%x) {name = "text", params = [{a = 1 : i64, b = 5.000000e-01 : f64, c = "d"}]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Custom_a", "Custom_b"])
  %Custom_a, %Custom_b = top.Custom(%x) {name = "text", params = [{a = 1 : i64, b = 5.000000e-01 : f64, c = "d"}]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Custom_a", "Custom_b"])

  // CHECK: %Deconv = top.Deconv(%x, %x, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, dilations = [1, -2], output_padding = [1, -2], dynweight_reorderd = true, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Deconv")
  %Deconv = top.Deconv(%x, %x, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, dilations = [1, -2], output_padding = [1, -2], dynweight_reorderd = true, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Deconv")

  // CHECK: %DeformConv2D = top.DeformConv2D(%x, %x, %x, %none, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, deform_group = 3, use_mask = true, dilations = [1, -2], do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("DeformConv2D")
  %DeformConv2D = top.DeformConv2D(%x, %x, %x, %none, %none) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], group = 3, deform_group = 3, use_mask = true, dilations = [1, -2], do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("DeformConv2D")

  // CHECK: %DepackRaw = top.DepackRaw(%x) {padding_h = 3, padding_w = 3, white_level = 0.1, black_level = 0.1, channel_order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("DepackRaw")
  %DepackRaw = top.DepackRaw(%x) {padding_h = 3, padding_w = 3, white_level = 0.1, black_level = 0.1, channel_order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("DepackRaw")

  // CHECK: %Depth2Space = top.Depth2Space(%x) {block_h = 3, block_w = 3, is_CRD = true, is_inversed = true, in_is_NCHW = true, out_is_NCHW = true, swap_cr = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Depth2Space")
  %Depth2Space = top.Depth2Space(%x) {block_h = 3, block_w = 3, is_CRD = true, is_inversed = true, in_is_NCHW = true, out_is_NCHW = true, swap_cr = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Depth2Space")

  // CHECK: %DequantInt = top.DequantInt(%x) {multiplier = [1, -2], shift = [1, -2], lshift = 3, quant_mode = "TFLite", round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("DequantInt")
  %DequantInt = top.DequantInt(%x) {multiplier = [1, -2], shift = [1, -2], lshift = 3, quant_mode = "TFLite", round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("DequantInt")

  // CHECK: %DequantizeLinear = top.DequantizeLinear(%x) {x_scale = [0.5, 1.0e-05], x_zero_point = [1, -2], axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("DequantizeLinear")
  %DequantizeLinear = top.DequantizeLinear(%x) {x_scale = [0.5, 1.0e-05], x_zero_point = [1, -2], axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("DequantizeLinear")

  // CHECK: %DetectionOutput = top.DetectionOutput(%x) {num_classes = 3, background_label_id = 3, nms_threshold = 0.1, top_k = 3, code_type = "CORNER_SIZE", keep_top_k = 3, confidence_threshold = 0.1, share_location = true, variance_encoded_in_target = 0.1, eta = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("DetectionOutput")
  %DetectionOutput = top.DetectionOutput(%x) {num_classes = 3, background_label_id = 3, nms_threshold = 0.1, top_k = 3, code_type = "CORNER_SIZE", keep_top_k = 3, confidence_threshold = 0.1, share_location = true, variance_encoded_in_target = 0.1, eta = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("DetectionOutput")

  // CHECK: %Div = top.Div(%x) {is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Div")
  %Div = top.Div(%x) {is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Div")

  // CHECK: %DivConst = top.DivConst(%x) {const_val = 0.1, is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("DivConst")
  %DivConst = top.DivConst(%x) {const_val = 0.1, is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("DivConst")

  // CHECK: %DtypeCast = top.DtypeCast(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DtypeCast")
  %DtypeCast = top.DtypeCast(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DtypeCast")

  // CHECK: %Einsum = top.Einsum(%x) {mode = "abcd,adbe->acbe"} : (tensor<4xf32>) -> tensor<4xf32> loc("Einsum")
  %Einsum = top.Einsum(%x) {mode = "abcd,adbe->acbe"} : (tensor<4xf32>) -> tensor<4xf32> loc("Einsum")

  // CHECK: %Elu = top.Elu(%x) {alpha = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Elu")
  %Elu = top.Elu(%x) {alpha = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Elu")

  // CHECK: %EmbDenseBwd = top.EmbDenseBwd(%x, %x) {num_weights = -3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("EmbDenseBwd")
  %EmbDenseBwd = top.EmbDenseBwd(%x, %x) {num_weights = -3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("EmbDenseBwd")

  // CHECK: %Erf = top.Erf(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Erf")
  %Erf = top.Erf(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Erf")

  // CHECK: %Exp = top.Exp(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Exp")
  %Exp = top.Exp(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Exp")

  // CHECK: %Expand = top.Expand(%x, %x) {shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Expand")
  %Expand = top.Expand(%x, %x) {shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Expand")

  // CHECK: %FAttention = top.FAttention(%x, %x, %x, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, dim = 3, mq = 3, mk = 3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("FAttention")
  %FAttention = top.FAttention(%x, %x, %x, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, dim = 3, mq = 3, mk = 3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> tensor<4xf32> loc("FAttention")

  // CHECK: %FAttentionLse_a, %FAttentionLse_b = top.FAttentionLse(%x, %x, %x, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, dim = 3, mq = 3, mk = 3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["FAttentionLse_a", "FAttentionLse_b"])
  %FAttentionLse_a, %FAttentionLse_b = top.FAttentionLse(%x, %x, %x, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, dim = 3, mq = 3, mk = 3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["FAttentionLse_a", "FAttentionLse_b"])

  // CHECK: %Flatten = top.Flatten(%x) {start_dim = 3, end_dim = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Flatten")
  %Flatten = top.Flatten(%x) {start_dim = 3, end_dim = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Flatten")

  // CHECK: %FlexAttention_a, %FlexAttention_b = top.FlexAttention(%x, %x, %x, %none, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, qk_d = 3, v_d = 3, mq = 3, mk = 3, has_lse = true, flex_block = -3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["FlexAttention_a", "FlexAttention_b"])
  %FlexAttention_a, %FlexAttention_b = top.FlexAttention(%x, %x, %x, %none, %none, %none) {scale = 0.1, batch = 3, q_head = 3, kv_head = 3, qk_d = 3, v_d = 3, mq = 3, mk = 3, has_lse = true, flex_block = -3, keep_dims = true, mask_size = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["FlexAttention_a", "FlexAttention_b"])

  // CHECK: %Floor = top.Floor(%x) {is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Floor")
  %Floor = top.Floor(%x) {is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Floor")

  // CHECK: %Fp8MatMul = top.Fp8MatMul(%x, %x, %x, %none) {weight_transpose = true, block_size = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Fp8MatMul")
  %Fp8MatMul = top.Fp8MatMul(%x, %x, %x, %none) {weight_transpose = true, block_size = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("Fp8MatMul")

  // CHECK: %FrcnDetection = top.FrcnDetection(%x) {class_num = 3, obj_threshold = 0.1, nms_threshold = 0.1, keep_topk = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("FrcnDetection")
  %FrcnDetection = top.FrcnDetection(%x) {class_num = 3, obj_threshold = 0.1, nms_threshold = 0.1, keep_topk = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("FrcnDetection")

  // CHECK: %GELU = top.GELU(%x) {round_mode = "Down", approx_mode = "sigm"} : (tensor<4xf32>) -> tensor<4xf32> loc("GELU")
  %GELU = top.GELU(%x) {round_mode = "Down", approx_mode = "sigm"} : (tensor<4xf32>) -> tensor<4xf32> loc("GELU")

  // CHECK: %GRU_a, %GRU_b = top.GRU(%x, %x, %x, %none, %none) {hidden_size = 3, bidirectional = true, linear_before_reset = true, batch_first = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, none) loc(fused["GRU_a", "GRU_b"])
  %GRU_a, %GRU_b = top.GRU(%x, %x, %x, %none, %none) {hidden_size = 3, bidirectional = true, linear_before_reset = true, batch_first = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, none) loc(fused["GRU_a", "GRU_b"])

  // CHECK: %Gather = top.Gather(%x, %x) {keepdims = true, axis = -3, is_scalar = true, is_lora = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Gather")
  %Gather = top.Gather(%x, %x) {keepdims = true, axis = -3, is_scalar = true, is_lora = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Gather")

  // CHECK: %GatherElements = top.GatherElements(%x, %x) {axis = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GatherElements")
  %GatherElements = top.GatherElements(%x, %x) {axis = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GatherElements")

  // CHECK: %GatherND = top.GatherND(%x, %x) {indice_dims = 3, batch_dims = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GatherND")
  %GatherND = top.GatherND(%x, %x) {indice_dims = 3, batch_dims = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GatherND")

  // CHECK: %GridSampler = top.GridSampler(%x, %x) {mode = 3, padding_mode = 3, align_corners = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GridSampler")
  %GridSampler = top.GridSampler(%x, %x) {mode = 3, padding_mode = 3, align_corners = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("GridSampler")

  // CHECK: %GroupNorm = top.GroupNorm(%x, %none, %none) {num_groups = 3, eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("GroupNorm")
  %GroupNorm = top.GroupNorm(%x, %none, %none) {num_groups = 3, eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("GroupNorm")

  // CHECK: %GroupNormTrain_a, %GroupNormTrain_b, %GroupNormTrain_c = top.GroupNormTrain(%x, %none, %none) {num_groups = 3, eps = 0.1} : (tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["GroupNormTrain_a", "GroupNormTrain_b", "GroupNormTrain_c"])
  %GroupNormTrain_a, %GroupNormTrain_b, %GroupNormTrain_c = top.GroupNormTrain(%x, %none, %none) {num_groups = 3, eps = 0.1} : (tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["GroupNormTrain_a", "GroupNormTrain_b", "GroupNormTrain_c"])

  // CHECK: %HardSigmoid = top.HardSigmoid(%x) {alpha = 0.1, beta = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("HardSigmoid")
  %HardSigmoid = top.HardSigmoid(%x) {alpha = 0.1, beta = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("HardSigmoid")

  // CHECK: %HardSwish = top.HardSwish(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("HardSwish")
  %HardSwish = top.HardSwish(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("HardSwish")

  // CHECK: %If_a, %If_b = top.If(%x) ({
  %If_a, %If_b = top.If(%x) ({
  // CHECK: top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
    top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // CHECK: }, {
  }, {
  // CHECK: top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
    top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // CHECK: }) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["If_a", "If_b"])
  }) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["If_a", "If_b"])

  // CHECK: %IndexPut = top.IndexPut(%x, %x, %x) {accumulate = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("IndexPut")
  %IndexPut = top.IndexPut(%x, %x, %x) {accumulate = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("IndexPut")

  // CHECK: %Input = top.Input(%x) {shape_tensor = [1, -2], do_preprocess = true, pixel_format = "rggb", channel_format = "nchw", resize_dims = [1, -2], keep_aspect_ratio = true, keep_ratio_mode = "text", pad_value = 3, pad_type = "center", scale = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], customization_format = "text", aligned = true, yuv_type = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("Input")
  %Input = top.Input(%x) {shape_tensor = [1, -2], do_preprocess = true, pixel_format = "rggb", channel_format = "nchw", resize_dims = [1, -2], keep_aspect_ratio = true, keep_ratio_mode = "text", pad_value = 3, pad_type = "center", scale = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], customization_format = "text", aligned = true, yuv_type = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("Input")

  // CHECK: %Insert = top.Insert(%x, %x) {axis = 3, offset = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Insert")
  %Insert = top.Insert(%x, %x) {axis = 3, offset = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Insert")

  // CHECK: %InstanceNorm = top.InstanceNorm(%x, %none, %none) {eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("InstanceNorm")
  %InstanceNorm = top.InstanceNorm(%x, %none, %none) {eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("InstanceNorm")

  // CHECK: %Interp = top.Interp(%x, %none) {mode = "linear", coord_mode = "asymmetric", scale_h = 0.1, scale_w = 0.1} : (tensor<4xf32>, none) -> tensor<4xf32> loc("Interp")
  %Interp = top.Interp(%x, %none) {mode = "linear", coord_mode = "asymmetric", scale_h = 0.1, scale_w = 0.1} : (tensor<4xf32>, none) -> tensor<4xf32> loc("Interp")

  // CHECK: %LRN = top.LRN(%x) {size = 3, alpha = 0.1, beta = 0.1, bias = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("LRN")
  %LRN = top.LRN(%x) {size = 3, alpha = 0.1, beta = 0.1, bias = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("LRN")

  // CHECK: %LSTM_a, %LSTM_b, %LSTM_c = top.LSTM(%x, %x, %x, %none, %none, %none, %none) {hidden_size = 3, bidirectional = true, batch_first = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none, none) -> (tensor<4xf32>, none, none) loc(fused["LSTM_a", "LSTM_b", "LSTM_c"])
  %LSTM_a, %LSTM_b, %LSTM_c = top.LSTM(%x, %x, %x, %none, %none, %none, %none) {hidden_size = 3, bidirectional = true, batch_first = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none, none) -> (tensor<4xf32>, none, none) loc(fused["LSTM_a", "LSTM_b", "LSTM_c"])

  // CHECK: %LayerNorm = top.LayerNorm(%x, %none, %none) {normalized_shape = [1, -2], axis = -3, eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("LayerNorm")
  %LayerNorm = top.LayerNorm(%x, %none, %none) {normalized_shape = [1, -2], axis = -3, eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("LayerNorm")

  // CHECK: %LayerNormBwd_a, %LayerNormBwd_b, %LayerNormBwd_c = top.LayerNormBwd(%x, %x, %x, %x, %none, %none) {normalized_shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, none, none) loc(fused["LayerNormBwd_a", "LayerNormBwd_b", "LayerNormBwd_c"])
  %LayerNormBwd_a, %LayerNormBwd_b, %LayerNormBwd_c = top.LayerNormBwd(%x, %x, %x, %x, %none, %none) {normalized_shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none) -> (tensor<4xf32>, none, none) loc(fused["LayerNormBwd_a", "LayerNormBwd_b", "LayerNormBwd_c"])

  // CHECK: %LayerNormTrain_a, %LayerNormTrain_b, %LayerNormTrain_c = top.LayerNormTrain(%x, %none, %none) {normalized_shape = [1, -2], axis = -3, eps = 0.1} : (tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["LayerNormTrain_a", "LayerNormTrain_b", "LayerNormTrain_c"])
  %LayerNormTrain_a, %LayerNormTrain_b, %LayerNormTrain_c = top.LayerNormTrain(%x, %none, %none) {normalized_shape = [1, -2], axis = -3, eps = 0.1} : (tensor<4xf32>, none, none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["LayerNormTrain_a", "LayerNormTrain_b", "LayerNormTrain_c"])

  // CHECK: %LeakyRelu = top.LeakyRelu(%x) {alpha = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("LeakyRelu")
  %LeakyRelu = top.LeakyRelu(%x) {alpha = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("LeakyRelu")

  // CHECK: %List = top.List(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("List")
  %List = top.List(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("List")

  // CHECK: %Log = top.Log(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Log")
  %Log = top.Log(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Log")

  // CHECK: %LogB = top.LogB(%x) {base = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("LogB")
  %LogB = top.LogB(%x) {base = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("LogB")

  // CHECK: %LogicalAnd = top.LogicalAnd(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("LogicalAnd")
  %LogicalAnd = top.LogicalAnd(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("LogicalAnd")

  // CHECK: %Loop_a, %Loop_b = top.Loop(%none, %none, %x) ({
  %Loop_a, %Loop_b = top.Loop(%none, %none, %x) ({
  // CHECK: top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
    top.Yield(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  // CHECK: }) : (none, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Loop_a", "Loop_b"])
  }) : (none, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Loop_a", "Loop_b"])

  // CHECK: %Lut = top.Lut(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Lut")
  %Lut = top.Lut(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Lut")

  // CHECK: %MaskRCNN_BboxPooler_a, %MaskRCNN_BboxPooler_b = top.MaskRCNN_BboxPooler(%x, %x, %x, %x, %x) {ROI_NUM_LEVELS = 3, ROI_H = 3, ROI_W = 3, CHANNEL_ROI = 3, ROI_SLICE = 3, ROI_PH = 3, ROI_PW = 3, ROI_LEN = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaskRCNN_BboxPooler_a", "MaskRCNN_BboxPooler_b"])
  %MaskRCNN_BboxPooler_a, %MaskRCNN_BboxPooler_b = top.MaskRCNN_BboxPooler(%x, %x, %x, %x, %x) {ROI_NUM_LEVELS = 3, ROI_H = 3, ROI_W = 3, CHANNEL_ROI = 3, ROI_SLICE = 3, ROI_PH = 3, ROI_PW = 3, ROI_LEN = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaskRCNN_BboxPooler_a", "MaskRCNN_BboxPooler_b"])

  // CHECK: %MaskRCNN_GetBboxB_a, %MaskRCNN_GetBboxB_b = top.MaskRCNN_GetBboxB(%x, %x, %x, %x, %x) {threshold_score_eq = 0.1, wh_ratio_log = 0.1, nms_iou_thr = 0.1, delta2bbox_means = 0.1, delta2bbox_stds_0 = 0.1, delta2bbox_stds_1 = 0.1, NUM_INDEXES = 3, NUM_CLASSES = 3, TOPK_ONNX_NMS = 3, NUM_CLASSES_getBboxB = 3, MAX_NMS_LENGTH_GetBboxB = 3, MAX_PER_IMG = 3, MAX_PER_IMG_GetBboxB = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaskRCNN_GetBboxB_a", "MaskRCNN_GetBboxB_b"])
  %MaskRCNN_GetBboxB_a, %MaskRCNN_GetBboxB_b = top.MaskRCNN_GetBboxB(%x, %x, %x, %x, %x) {threshold_score_eq = 0.1, wh_ratio_log = 0.1, nms_iou_thr = 0.1, delta2bbox_means = 0.1, delta2bbox_stds_0 = 0.1, delta2bbox_stds_1 = 0.1, NUM_INDEXES = 3, NUM_CLASSES = 3, TOPK_ONNX_NMS = 3, NUM_CLASSES_getBboxB = 3, MAX_NMS_LENGTH_GetBboxB = 3, MAX_PER_IMG = 3, MAX_PER_IMG_GetBboxB = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaskRCNN_GetBboxB_a", "MaskRCNN_GetBboxB_b"])

  // CHECK: %MaskRCNN_MaskPooler = top.MaskRCNN_MaskPooler(%x, %x, %x, %x, %x, %x, %x) {ROI_NUM_LEVELS = 3, ROI_H = 3, ROI_W = 3, CHANNEL_ROI = 3, ROI_SLICE = 3, ROI_PH = 3, ROI_PW = 3, ROI_LEN = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskRCNN_MaskPooler")
  %MaskRCNN_MaskPooler = top.MaskRCNN_MaskPooler(%x, %x, %x, %x, %x, %x, %x) {ROI_NUM_LEVELS = 3, ROI_H = 3, ROI_W = 3, CHANNEL_ROI = 3, ROI_SLICE = 3, ROI_PH = 3, ROI_PW = 3, ROI_LEN = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskRCNN_MaskPooler")

  // CHECK: %MaskRCNN_RPNGetBboxes = top.MaskRCNN_RPNGetBboxes(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {delta2bbox_mean_0 = 0.1, delta2bbox_mean_1 = 0.1, delta2bbox_mean_2 = 0.1, delta2bbox_mean_3 = 0.1, delta2bbox_std_0 = 0.1, delta2bbox_std_1 = 0.1, delta2bbox_std_2 = 0.1, delta2bbox_std_3 = 0.1, delta2bbox_max_scalar_c = 0.1, iou_threshold = 0.1, conf_threshold = 0.1, MAX_LENGTH_STATIC_STRECHED = 3, NUM_INDEXES = 3, NUM_CLASSES = 3, CHANNEL_RPN_BBOXES = 3, CHANNEL_RPN_SCORES = 3, NMS_PRE = 3, HARDWARE_FACTOR_TOPK = 3, NMS_MAX_LENGTH = 3, TOPK_ONNX_NMS = 3, H_RPN_DYN_MAX = 3, W_RPN_DYN_MAX = 3, MAX_PER_IMG = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskRCNN_RPNGetBboxes")
  %MaskRCNN_RPNGetBboxes = top.MaskRCNN_RPNGetBboxes(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {delta2bbox_mean_0 = 0.1, delta2bbox_mean_1 = 0.1, delta2bbox_mean_2 = 0.1, delta2bbox_mean_3 = 0.1, delta2bbox_std_0 = 0.1, delta2bbox_std_1 = 0.1, delta2bbox_std_2 = 0.1, delta2bbox_std_3 = 0.1, delta2bbox_max_scalar_c = 0.1, iou_threshold = 0.1, conf_threshold = 0.1, MAX_LENGTH_STATIC_STRECHED = 3, NUM_INDEXES = 3, NUM_CLASSES = 3, CHANNEL_RPN_BBOXES = 3, CHANNEL_RPN_SCORES = 3, NMS_PRE = 3, HARDWARE_FACTOR_TOPK = 3, NMS_MAX_LENGTH = 3, TOPK_ONNX_NMS = 3, H_RPN_DYN_MAX = 3, W_RPN_DYN_MAX = 3, MAX_PER_IMG = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskRCNN_RPNGetBboxes")

  // CHECK: %MaskedFill = top.MaskedFill(%x, %x) {inversed = true, const_val = 0.1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskedFill")
  %MaskedFill = top.MaskedFill(%x, %x) {inversed = true, const_val = 0.1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaskedFill")

  // CHECK: %MatMul = top.MatMul(%x, %x, %none) {right_transpose = true, left_transpose = true, output_transpose = true, hdim_is_batch = true, keep_dims = true, do_relu = true, relu_limit = 0.1, is_lora = true, weight_bits = 3, in_int4_scale = 0.1, in_int4_zp = 0.1, out_int8_scale = 0.1, out_int8_zp = 0.1, dq_type = "MXF4", q_group_size = 3} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("MatMul")
  %MatMul = top.MatMul(%x, %x, %none) {right_transpose = true, left_transpose = true, output_transpose = true, hdim_is_batch = true, keep_dims = true, do_relu = true, relu_limit = 0.1, is_lora = true, weight_bits = 3, in_int4_scale = 0.1, in_int4_zp = 0.1, out_int8_scale = 0.1, out_int8_zp = 0.1, dq_type = "MXF4", q_group_size = 3} : (tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("MatMul")

  // CHECK: %MatchTemplate = top.MatchTemplate(%x, %x) {mode = "TM_SQDIFF"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MatchTemplate")
  %MatchTemplate = top.MatchTemplate(%x, %x) {mode = "TM_SQDIFF"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MatchTemplate")

  // CHECK: %Max = top.Max(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Max")
  %Max = top.Max(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Max")

  // CHECK: %MaxConst = top.MaxConst(%x) {const_val = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MaxConst")
  %MaxConst = top.MaxConst(%x) {const_val = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MaxConst")

  // CHECK: %MaxPool = top.MaxPool(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("MaxPool")
  %MaxPool = top.MaxPool(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("MaxPool")

  // CHECK: %MaxPoolWithMask_a, %MaxPoolWithMask_b = top.MaxPoolWithMask(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaxPoolWithMask_a", "MaxPoolWithMask_b"])
  %MaxPoolWithMask_a, %MaxPoolWithMask_b = top.MaxPoolWithMask(%x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], ceil_mode = true, auto_pad = "VALID", is_adaptive = true, keepdims = true, pad_value = 3, count_include_pad = true, do_relu = true, relu_limit = 0.1, round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MaxPoolWithMask_a", "MaxPoolWithMask_b"])

  // CHECK: %MaxPoolingIndicesBwd = top.MaxPoolingIndicesBwd(%x, %x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], dilations = [1, -2], input_shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaxPoolingIndicesBwd")
  %MaxPoolingIndicesBwd = top.MaxPoolingIndicesBwd(%x, %x) {kernel_shape = [1, -2], strides = [1, -2], pads = [1, -2], dilations = [1, -2], input_shape = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaxPoolingIndicesBwd")

  // CHECK: %MaxUnpool = top.MaxUnpool(%x, %x) {scale_h = 3, scale_w = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaxUnpool")
  %MaxUnpool = top.MaxUnpool(%x, %x) {scale_h = 3, scale_w = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("MaxUnpool")

  // CHECK: %MeanRstd_a, %MeanRstd_b, %MeanRstd_c, %MeanRstd_d, %MeanRstd_e, %MeanRstd_f = top.MeanRstd(%x, %x, %x, %x, %x) {eps = 0.1, momentum = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["MeanRstd_a", "MeanRstd_b", "MeanRstd_c", "MeanRstd_d", "MeanRstd_e", "MeanRstd_f"])
  %MeanRstd_a, %MeanRstd_b, %MeanRstd_c, %MeanRstd_d, %MeanRstd_e, %MeanRstd_f = top.MeanRstd(%x, %x, %x, %x, %x) {eps = 0.1, momentum = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc(fused["MeanRstd_a", "MeanRstd_b", "MeanRstd_c", "MeanRstd_d", "MeanRstd_e", "MeanRstd_f"])

  // CHECK: %MeanStdScale = top.MeanStdScale(%x) {quant_mode = "text", customization_format = "text", channel_order = "text", sign = true, scale = [0.5, 1.0e-05], std = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], zero_points = [0.5, 1.0e-05], resize_dims = [1, -2], rounding_mode = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("MeanStdScale")
  %MeanStdScale = top.MeanStdScale(%x) {quant_mode = "text", customization_format = "text", channel_order = "text", sign = true, scale = [0.5, 1.0e-05], std = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], zero_points = [0.5, 1.0e-05], resize_dims = [1, -2], rounding_mode = "text"} : (tensor<4xf32>) -> tensor<4xf32> loc("MeanStdScale")

  // CHECK: %MeshGrid_a, %MeshGrid_b = top.MeshGrid(%x) {is_reverse = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MeshGrid_a", "MeshGrid_b"])
  %MeshGrid_a, %MeshGrid_b = top.MeshGrid(%x) {is_reverse = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["MeshGrid_a", "MeshGrid_b"])

  // CHECK: %Min = top.Min(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Min")
  %Min = top.Min(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Min")

  // CHECK: %MinConst = top.MinConst(%x) {const_val = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MinConst")
  %MinConst = top.MinConst(%x) {const_val = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MinConst")

  // CHECK: %Mish = top.Mish(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mish")
  %Mish = top.Mish(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mish")

  // CHECK: %Mlp = top.Mlp(%x, %x, %x, %x, %none, %none, %none, %none, %none, %none, %none, %none, %none, %none) {right_transpose_gate = true, right_transpose_up = true, right_transpose_down = true, is_expert = true, quantized = true, q_group_size = 3, weight_bits = 3, num_expert = 3, num_expert_per_tok = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none, none, none, none, none, none, none, none) -> tensor<4xf32> loc("Mlp")
  %Mlp = top.Mlp(%x, %x, %x, %x, %none, %none, %none, %none, %none, %none, %none, %none, %none, %none) {right_transpose_gate = true, right_transpose_up = true, right_transpose_down = true, is_expert = true, quantized = true, q_group_size = 3, weight_bits = 3, num_expert = 3, num_expert_per_tok = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, none, none, none, none, none, none, none, none, none) -> tensor<4xf32> loc("Mlp")

  // CHECK: %Mmap2Rgbmap = top.Mmap2Rgbmap(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mmap2Rgbmap")
  %Mmap2Rgbmap = top.Mmap2Rgbmap(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mmap2Rgbmap")

  // CHECK: %Mod = top.Mod(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mod")
  %Mod = top.Mod(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Mod")

  // CHECK: %Mul = top.Mul(%x) {do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Mul")
  %Mul = top.Mul(%x) {do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Mul")

  // CHECK: %MulConst = top.MulConst(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MulConst")
  %MulConst = top.MulConst(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("MulConst")

  // CHECK: %Nms = top.Nms(%x) {center_point_box = 3, max_output_size = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Nms")
  %Nms = top.Nms(%x) {center_point_box = 3, max_output_size = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Nms")

  // CHECK: %NonZero = top.NonZero(%x) {order = "RowMajor"} : (tensor<4xf32>) -> tensor<4xf32> loc("NonZero")
  %NonZero = top.NonZero(%x) {order = "RowMajor"} : (tensor<4xf32>) -> tensor<4xf32> loc("NonZero")

  // CHECK: %Normalize = top.Normalize(%x, %x) {across_spatial = true, channel_shared = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Normalize")
  %Normalize = top.Normalize(%x, %x) {across_spatial = true, channel_shared = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Normalize")

  // CHECK: %PRelu = top.PRelu(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("PRelu")
  %PRelu = top.PRelu(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("PRelu")

  // CHECK: %Pack = top.Pack(%x) {axis = -3, values_count = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Pack")
  %Pack = top.Pack(%x) {axis = -3, values_count = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Pack")

  // CHECK: %Pad = top.Pad(%x, %x) {paddings = [1, -2], val = 0.1, mode = "edge"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Pad")
  %Pad = top.Pad(%x, %x) {paddings = [1, -2], val = 0.1, mode = "edge"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Pad")

  // CHECK: %Permute = top.Permute(%x) {order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Permute")
  %Permute = top.Permute(%x) {order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Permute")

  // CHECK: %PixelNorm = top.PixelNorm(%x, %none, %none) {eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("PixelNorm")
  %PixelNorm = top.PixelNorm(%x, %none, %none) {eps = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("PixelNorm")

  // CHECK: %PoolMask = top.PoolMask(%x) {scale = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("PoolMask")
  %PoolMask = top.PoolMask(%x) {scale = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("PoolMask")

  // CHECK: %Pow = top.Pow(%x) {exponent = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Pow")
  %Pow = top.Pow(%x) {exponent = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Pow")

  // CHECK: %Pow2 = top.Pow2(%x) {const_val = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Pow2")
  %Pow2 = top.Pow2(%x) {const_val = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Pow2")

  // CHECK: %Pow3 = top.Pow3(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Pow3")
  %Pow3 = top.Pow3(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Pow3")

  // CHECK: %Preprocess = top.Preprocess(%x) {quant_mode = "text", customization_format = "text", channel_order = "text", resize_dims = [1, -2], scale = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], sign = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Preprocess")
  %Preprocess = top.Preprocess(%x) {quant_mode = "text", customization_format = "text", channel_order = "text", resize_dims = [1, -2], scale = [0.5, 1.0e-05], mean = [0.5, 1.0e-05], sign = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Preprocess")

  // CHECK: %PriorBox = top.PriorBox(%x) {min_size = [0.5, 1.0e-05], max_size = [0.5, 1.0e-05], aspect_ratios = [0.5, 1.0e-05], variance = [0.5, 1.0e-05], clip = true, step_h = 0.1, step_w = 0.1, img_h = 3, img_w = 3, offset = 0.1, num_priors = 3, use_default_aspect_ratio = true} : (tensor<4xf32>) -> tensor<4xf32> loc("PriorBox")
  %PriorBox = top.PriorBox(%x) {min_size = [0.5, 1.0e-05], max_size = [0.5, 1.0e-05], aspect_ratios = [0.5, 1.0e-05], variance = [0.5, 1.0e-05], clip = true, step_h = 0.1, step_w = 0.1, img_h = 3, img_w = 3, offset = 0.1, num_priors = 3, use_default_aspect_ratio = true} : (tensor<4xf32>) -> tensor<4xf32> loc("PriorBox")

  // CHECK: %Proposal = top.Proposal(%x) {net_input_h = 3, net_input_w = 3, feat_stride = 3, anchor_base_size = 3, rpn_obj_threshold = 0.1, rpn_nms_threshold = 0.1, rpn_nms_post_top_n = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Proposal")
  %Proposal = top.Proposal(%x) {net_input_h = 3, net_input_w = 3, feat_stride = 3, anchor_base_size = 3, rpn_obj_threshold = 0.1, rpn_nms_threshold = 0.1, rpn_nms_post_top_n = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Proposal")

  // CHECK: %QuantizeLinear = top.QuantizeLinear(%x) {y_scale = [0.5, 1.0e-05], y_zero_point = [1, -2], axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("QuantizeLinear")
  %QuantizeLinear = top.QuantizeLinear(%x) {y_scale = [0.5, 1.0e-05], y_zero_point = [1, -2], axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("QuantizeLinear")

  // CHECK: %RMSNorm = top.RMSNorm(%x, %none) {eps = 0.1, weight_keep_f32 = true} : (tensor<4xf32>, none) -> tensor<4xf32> loc("RMSNorm")
  %RMSNorm = top.RMSNorm(%x, %none) {eps = 0.1, weight_keep_f32 = true} : (tensor<4xf32>, none) -> tensor<4xf32> loc("RMSNorm")

  // CHECK: %ROIPooling = top.ROIPooling(%x) {pooled_h = 3, pooled_w = 3, spatial_scale = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("ROIPooling")
  %ROIPooling = top.ROIPooling(%x) {pooled_h = 3, pooled_w = 3, spatial_scale = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("ROIPooling")

  // CHECK: %RandnLike = top.RandnLike(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RandnLike")
  %RandnLike = top.RandnLike(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RandnLike")

  // CHECK: %Range = top.Range(%none, %x, %none) : (none, tensor<4xf32>, none) -> tensor<4xf32> loc("Range")
  %Range = top.Range(%none, %x, %none) : (none, tensor<4xf32>, none) -> tensor<4xf32> loc("Range")

  // CHECK: %Reciprocal = top.Reciprocal(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Reciprocal")
  %Reciprocal = top.Reciprocal(%x) {const_val = 0.1, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Reciprocal")

  // CHECK: %RecurrentGatedDeltaRule = top.RecurrentGatedDeltaRule(%x, %x, %x, %x, %x, %x) {num_k_heads = 3, num_v_heads = 3, d = 3, use_qk_l2norm = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RecurrentGatedDeltaRule")
  %RecurrentGatedDeltaRule = top.RecurrentGatedDeltaRule(%x, %x, %x, %x, %x, %x) {num_k_heads = 3, num_v_heads = 3, d = 3, use_qk_l2norm = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RecurrentGatedDeltaRule")

  // CHECK: %Reduce = top.Reduce(%x) {axes = [1, -2], keepdims = true, mode = "ReduceProd", is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Reduce")
  %Reduce = top.Reduce(%x) {axes = [1, -2], keepdims = true, mode = "ReduceProd", is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Reduce")

  // CHECK: %Relu = top.Relu(%x) {relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Relu")
  %Relu = top.Relu(%x) {relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Relu")

  // CHECK: %Remainder = top.Remainder(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Remainder")
  %Remainder = top.Remainder(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Remainder")

  // CHECK: %Repeat = top.Repeat(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Repeat")
  %Repeat = top.Repeat(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Repeat")

  // CHECK: %RequantFp = top.RequantFp(%x) {scale = [0.5, 1.0e-05], offset = [0.5, 1.0e-05], quant_mode = "OnlyScale", round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("RequantFp")
  %RequantFp = top.RequantFp(%x) {scale = [0.5, 1.0e-05], offset = [0.5, 1.0e-05], quant_mode = "OnlyScale", round_mode = "Down", first_round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("RequantFp")

  // CHECK: %RequantInt = top.RequantInt(%x) {multiplier = [1, -2], rshift = [1, -2], quant_mode = "OnlyScale", round_mode = "Down", rq_axis = -3, fuse_rq = true} : (tensor<4xf32>) -> tensor<4xf32> loc("RequantInt")
  %RequantInt = top.RequantInt(%x) {multiplier = [1, -2], rshift = [1, -2], quant_mode = "OnlyScale", round_mode = "Down", rq_axis = -3, fuse_rq = true} : (tensor<4xf32>) -> tensor<4xf32> loc("RequantInt")

  // CHECK: %Reshape = top.Reshape(%x, %x) {shape = [1, -2], flatten_start_dim = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Reshape")
  %Reshape = top.Reshape(%x, %x) {shape = [1, -2], flatten_start_dim = 3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Reshape")

  // CHECK: %RetinaFaceDetection = top.RetinaFaceDetection(%x) {nms_threshold = 0.1, confidence_threshold = 0.1, keep_topk = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("RetinaFaceDetection")
  %RetinaFaceDetection = top.RetinaFaceDetection(%x) {nms_threshold = 0.1, confidence_threshold = 0.1, keep_topk = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("RetinaFaceDetection")

  // CHECK: %Reverse = top.Reverse(%x) {axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Reverse")
  %Reverse = top.Reverse(%x) {axis = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Reverse")

  // CHECK: %RoiAlign = top.RoiAlign(%x, %x) {mode = "Max", output_height = 3, output_width = 3, sampling_ratio = 3, spatial_scale = 0.1, align_corners = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RoiAlign")
  %RoiAlign = top.RoiAlign(%x, %x) {mode = "Max", output_height = 3, output_width = 3, sampling_ratio = 3, spatial_scale = 0.1, align_corners = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RoiAlign")

  // CHECK: %RoiExtractor = top.RoiExtractor(%x, %x, %x) {mode = "Max", num_levels = 3, output_height = 3, output_width = 3, sampling_ratio = 3, spatial_scales = [0.5, 1.0e-05], align_corners = true, is_static = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RoiExtractor")
  %RoiExtractor = top.RoiExtractor(%x, %x, %x) {mode = "Max", num_levels = 3, output_height = 3, output_width = 3, sampling_ratio = 3, spatial_scales = [0.5, 1.0e-05], align_corners = true, is_static = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("RoiExtractor")

  // CHECK: %Rope = top.Rope(%x, %x, %x) {rope_mode = "contiguous_halves", is_permute_optimize = true, mul1_round_mode = "Down", mul2_round_mode = "Down", add_round_mode = "Down", mul1_shift = -3, mul2_shift = -3, add_shift = -3, mul1_saturation = true, mul2_saturation = true, add_saturation = true, force_f32 = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Rope")
  %Rope = top.Rope(%x, %x, %x) {rope_mode = "contiguous_halves", is_permute_optimize = true, mul1_round_mode = "Down", mul2_round_mode = "Down", add_round_mode = "Down", mul1_shift = -3, mul2_shift = -3, add_shift = -3, mul1_saturation = true, mul2_saturation = true, add_saturation = true, force_f32 = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Rope")

  // CHECK: %Round = top.Round(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Round")
  %Round = top.Round(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Round")

  // CHECK: %Rsqrt = top.Rsqrt(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Rsqrt")
  %Rsqrt = top.Rsqrt(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Rsqrt")

  // CHECK: %Scale = top.Scale(%x, %x, %x) {do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Scale")
  %Scale = top.Scale(%x, %x, %x) {do_relu = true, relu_limit = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Scale")

  // CHECK: %ScaleDotProductAttention = top.ScaleDotProductAttention(%x, %x, %x, %none) {dropout_p = 0.1, is_causal = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("ScaleDotProductAttention")
  %ScaleDotProductAttention = top.ScaleDotProductAttention(%x, %x, %x, %none) {dropout_p = 0.1, is_causal = true, scale = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("ScaleDotProductAttention")

  // CHECK: %ScaleLut = top.ScaleLut(%x) {scale = [0.5, 1.0e-05], bias = [0.5, 1.0e-05], sign = true} : (tensor<4xf32>) -> tensor<4xf32> loc("ScaleLut")
  %ScaleLut = top.ScaleLut(%x) {scale = [0.5, 1.0e-05], bias = [0.5, 1.0e-05], sign = true} : (tensor<4xf32>) -> tensor<4xf32> loc("ScaleLut")

  // CHECK: %ScatterElements = top.ScatterElements(%x, %x, %x) {axis = 3, reduction = 3, nc_can_split = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ScatterElements")
  %ScatterElements = top.ScatterElements(%x, %x, %x) {axis = 3, reduction = 3, nc_can_split = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ScatterElements")

  // CHECK: %ScatterND = top.ScatterND(%x, %x, %x) {reduction = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ScatterND")
  %ScatterND = top.ScatterND(%x, %x, %x) {reduction = -3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("ScatterND")

  // CHECK: %SelectiveScan = top.SelectiveScan(%x, %x, %x, %x, %none) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("SelectiveScan")
  %SelectiveScan = top.SelectiveScan(%x, %x, %x, %x, %none) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none) -> tensor<4xf32> loc("SelectiveScan")

  // CHECK: %Shape = top.Shape(%x) {start = 3, end = 3, step = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Shape")
  %Shape = top.Shape(%x) {start = 3, end = 3, step = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("Shape")

  // CHECK: %ShuffleChannel = top.ShuffleChannel(%x) {group = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("ShuffleChannel")
  %ShuffleChannel = top.ShuffleChannel(%x) {group = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("ShuffleChannel")

  // CHECK: %SiLU = top.SiLU(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("SiLU")
  %SiLU = top.SiLU(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("SiLU")

  // CHECK: %Sigmoid = top.Sigmoid(%x) {scale = 0.1, bias = 0.1, log = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Sigmoid")
  %Sigmoid = top.Sigmoid(%x) {scale = 0.1, bias = 0.1, log = true, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Sigmoid")

  // CHECK: %Sign = top.Sign(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sign")
  %Sign = top.Sign(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sign")

  // CHECK: %Sin = top.Sin(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sin")
  %Sin = top.Sin(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sin")

  // CHECK: %Sinh = top.Sinh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sinh")
  %Sinh = top.Sinh(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sinh")

  // CHECK: %Size = top.Size(%x) {axis = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Size")
  %Size = top.Size(%x) {axis = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Size")

  // CHECK: %Slice = top.Slice(%x, %none, %none, %none) {offset = [1, -2], steps = [1, -2], ends = [1, -2], axes = [1, -2], hasparamConvert_axes = [1, -2]} : (tensor<4xf32>, none, none, none) -> tensor<4xf32> loc("Slice")
  %Slice = top.Slice(%x, %none, %none, %none) {offset = [1, -2], steps = [1, -2], ends = [1, -2], axes = [1, -2], hasparamConvert_axes = [1, -2]} : (tensor<4xf32>, none, none, none) -> tensor<4xf32> loc("Slice")

  // CHECK: %SliceAxis = top.SliceAxis(%x, %x, %x, %none, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, tensor<4xf32>) -> tensor<4xf32> loc("SliceAxis")
  %SliceAxis = top.SliceAxis(%x, %x, %x, %none, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, none, tensor<4xf32>) -> tensor<4xf32> loc("SliceAxis")

  // CHECK: %Softmax = top.Softmax(%x) {axis = -3, log = true, beta = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Softmax")
  %Softmax = top.Softmax(%x) {axis = -3, log = true, beta = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Softmax")

  // CHECK: %SoftmaxBwd = top.SoftmaxBwd(%x, %x) {dim = -3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("SoftmaxBwd")
  %SoftmaxBwd = top.SoftmaxBwd(%x, %x) {dim = -3} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("SoftmaxBwd")

  // CHECK: %Softplus = top.Softplus(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Softplus")
  %Softplus = top.Softplus(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Softplus")

  // CHECK: %Softsign = top.Softsign(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Softsign")
  %Softsign = top.Softsign(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Softsign")

  // CHECK: %Sort_a, %Sort_b = top.Sort(%x) {axis = 3, descending = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Sort_a", "Sort_b"])
  %Sort_a, %Sort_b = top.Sort(%x) {axis = 3, descending = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Sort_a", "Sort_b"])

  // CHECK: %Split_a, %Split_b = top.Split(%x) {axis = -3, num = 3, split_size = [1, -2]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Split_a", "Split_b"])
  %Split_a, %Split_b = top.Split(%x) {axis = -3, num = 3, split_size = [1, -2]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Split_a", "Split_b"])

  // CHECK: %Sqrt = top.Sqrt(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sqrt")
  %Sqrt = top.Sqrt(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Sqrt")

  // CHECK: %Squeeze = top.Squeeze(%x) {axes = [1, -2], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Squeeze")
  %Squeeze = top.Squeeze(%x) {axes = [1, -2], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Squeeze")

  // CHECK: %StridedSlice = top.StridedSlice(%x, %x, %x, %x) {begin_mask = 3, end_mask = 3, ellipsis_mask = 3, new_axis_mask = 3, shrink_axis_mask = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("StridedSlice")
  %StridedSlice = top.StridedSlice(%x, %x, %x, %x) {begin_mask = 3, end_mask = 3, ellipsis_mask = 3, new_axis_mask = 3, shrink_axis_mask = 3} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("StridedSlice")

  // CHECK: %Sub = top.Sub(%x) {is_reverse = true, do_relu = true, relu_limit = 0.1, coeff = [0.5, 1.0e-05], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Sub")
  %Sub = top.Sub(%x) {is_reverse = true, do_relu = true, relu_limit = 0.1, coeff = [0.5, 1.0e-05], is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Sub")

  // CHECK: %SubConst = top.SubConst(%x) {const_val = 0.1, is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("SubConst")
  %SubConst = top.SubConst(%x) {const_val = 0.1, is_reverse = true, do_relu = true, relu_limit = 0.1, is_scalar = true} : (tensor<4xf32>) -> tensor<4xf32> loc("SubConst")

  // CHECK: %SwapChannel = top.SwapChannel(%x) {channel_order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("SwapChannel")
  %SwapChannel = top.SwapChannel(%x) {channel_order = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("SwapChannel")

  // CHECK: %SwapDimInner = top.SwapDimInner(%x) {offset = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("SwapDimInner")
  %SwapDimInner = top.SwapDimInner(%x) {offset = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("SwapDimInner")

  // CHECK: %Swish = top.Swish(%x) {beta = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Swish")
  %Swish = top.Swish(%x) {beta = 0.1, round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Swish")

  // CHECK: %Tan = top.Tan(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Tan")
  %Tan = top.Tan(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Tan")

  // CHECK: %Tanh = top.Tanh(%x) {round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Tanh")
  %Tanh = top.Tanh(%x) {round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Tanh")

  // CHECK: %Tile = top.Tile(%x, %x) {tile = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Tile")
  %Tile = top.Tile(%x, %x) {tile = [1, -2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("Tile")

  // CHECK: %TopK_a, %TopK_b = top.TopK(%x, %x) {axis = 3, K = 3, largest = true, sorted = true, replace_topk_indices = true, use_hau = true} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, none) loc(fused["TopK_a", "TopK_b"])
  %TopK_a, %TopK_b = top.TopK(%x, %x) {axis = 3, K = 3, largest = true, sorted = true, replace_topk_indices = true, use_hau = true} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, none) loc(fused["TopK_a", "TopK_b"])

  // CHECK: %Transpose = top.Transpose(%x) {dim0 = -3, dim1 = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Transpose")
  %Transpose = top.Transpose(%x) {dim0 = -3, dim1 = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Transpose")

  // CHECK: %Trilu = top.Trilu(%x) {upper = -3, diagonal = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Trilu")
  %Trilu = top.Trilu(%x) {upper = -3, diagonal = -3} : (tensor<4xf32>) -> tensor<4xf32> loc("Trilu")

  // CHECK: %Tuple = top.Tuple(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Tuple")
  %Tuple = top.Tuple(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("Tuple")

  // CHECK: %UnTuple_a, %UnTuple_b = top.UnTuple(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["UnTuple_a", "UnTuple_b"])
  %UnTuple_a, %UnTuple_b = top.UnTuple(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["UnTuple_a", "UnTuple_b"])

  // CHECK: %Unpack_a, %Unpack_b = top.Unpack(%x) {axis = -3} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Unpack_a", "Unpack_b"])
  %Unpack_a, %Unpack_b = top.Unpack(%x) {axis = -3} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc(fused["Unpack_a", "Unpack_b"])

  // CHECK: %Unsqueeze = top.Unsqueeze(%x) {axes = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Unsqueeze")
  %Unsqueeze = top.Unsqueeze(%x) {axes = [1, -2]} : (tensor<4xf32>) -> tensor<4xf32> loc("Unsqueeze")

  // CHECK: %Upsample = top.Upsample(%x) {scale_h = 3, scale_w = 3, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Upsample")
  %Upsample = top.Upsample(%x) {scale_h = 3, scale_w = 3, do_relu = true, relu_limit = 0.1} : (tensor<4xf32>) -> tensor<4xf32> loc("Upsample")

  // CHECK: %Variance = top.Variance(%x) {reduce_list = [1, -2], correction = 0.1, keep_dims = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Variance")
  %Variance = top.Variance(%x) {reduce_list = [1, -2], correction = 0.1, keep_dims = true} : (tensor<4xf32>) -> tensor<4xf32> loc("Variance")

  // CHECK: %View = top.View(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("View")
  %View = top.View(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("View")

  // CHECK: %Weight = top.Weight() {scale = [0.5, 1.0e-05], store_mode = "4N", allow_split = [1, -2], indices_idx = [1, -2], indices_slice = [1, -2], path = "text", placeholder = "None", do_compress = true, bias0 = 3, bias1 = 3, is_signed = true, zero_guard = true, inline_bytes = "text"} : () -> tensor<4xf32> loc("Weight")
  %Weight = top.Weight() {scale = [0.5, 1.0e-05], store_mode = "4N", allow_split = [1, -2], indices_idx = [1, -2], indices_slice = [1, -2], path = "text", placeholder = "None", do_compress = true, bias0 = 3, bias1 = 3, is_signed = true, zero_guard = true, inline_bytes = "text"} : () -> tensor<4xf32> loc("Weight")

  // CHECK: %WeightReorder = top.WeightReorder(%x) {reorder_mode = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("WeightReorder")
  %WeightReorder = top.WeightReorder(%x) {reorder_mode = 3} : (tensor<4xf32>) -> tensor<4xf32> loc("WeightReorder")

  // CHECK: %Where = top.Where(%x, %none, %none) {x_is_const = true, y_is_const = true, x_const_val = 0.1, y_const_val = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("Where")
  %Where = top.Where(%x, %none, %none) {x_is_const = true, y_is_const = true, x_const_val = 0.1, y_const_val = 0.1} : (tensor<4xf32>, none, none) -> tensor<4xf32> loc("Where")

  // CHECK: %YoloDetection = top.YoloDetection(%x) {net_input_h = 3, net_input_w = 3, nms_threshold = 0.1, obj_threshold = 0.1, keep_topk = 3, anchors = [0.5, 1.0e-05], version = "yolov26", class_num = 3, num_boxes = 3, agnostic_nms = true} : (tensor<4xf32>) -> tensor<4xf32> loc("YoloDetection")
  %YoloDetection = top.YoloDetection(%x) {net_input_h = 3, net_input_w = 3, nms_threshold = 0.1, obj_threshold = 0.1, keep_topk = 3, anchors = [0.5, 1.0e-05], version = "yolov26", class_num = 3, num_boxes = 3, agnostic_nms = true} : (tensor<4xf32>) -> tensor<4xf32> loc("YoloDetection")

  // CHECK: %Yuv2rgbFormula = top.Yuv2rgbFormula(%x) {src_format = 3, dst_format = 3, image_format = "UINT8", formula_mode = "_601_full", round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Yuv2rgbFormula")
  %Yuv2rgbFormula = top.Yuv2rgbFormula(%x) {src_format = 3, dst_format = 3, image_format = "UINT8", formula_mode = "_601_full", round_mode = "Down"} : (tensor<4xf32>) -> tensor<4xf32> loc("Yuv2rgbFormula")

  func.return
}
}
