// RUN: autosplit-opt %s | autosplit-opt --print-op-generic | autosplit-opt | filecheck %s

// Each kind of op, in the order of the library's codes.

// CHECK: dnnl.Abs(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Abs(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.AbsBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.AbsBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Add(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Add(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.AvgPool(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], exclude_pad = true, kernel = [2, 2], data_format = "NCX"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.AvgPool(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], exclude_pad = true, kernel = [2, 2], data_format = "NCX"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x5x5xf32>
}

// CHECK: dnnl.AvgPoolBackward(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], exclude_pad = false, kernel = [2, 2], data_format = "NCX", src_shape = [2, 4, 6, 6]}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x5x5xf32>
  %y = dnnl.AvgPoolBackward(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], exclude_pad = false, kernel = [2, 2], data_format = "NCX", src_shape = [2, 4, 6, 6]} : (tensor<2x4x5x5xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.BatchNormTrainingBackward(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, data_format = "NCX"}
builtin.module {
  %x, %w, %b, %c, %d = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y, %y_1, %y_2 = dnnl.BatchNormTrainingBackward(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK: dnnl.BatchNormForwardTraining(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, momentum = 0.9, data_format = "NCX"}
builtin.module {
  %x, %w, %b, %c, %d = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y, %y_1, %y_2, %y_3, %y_4 = dnnl.BatchNormForwardTraining(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, momentum = 0.9, data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK: dnnl.BatchNormInference(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, data_format = "NCX"}
builtin.module {
  %x, %w, %b, %c, %d = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.BatchNormInference(%x, %w, %b, %c, %d) {epsilon = 1.0e-05, data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.BiasAdd(%x, %w) {data_format = "NCX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>)
  %y = dnnl.BiasAdd(%x, %w) {data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.BiasAddBackward(%x) {data_format = "NCX"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.BiasAddBackward(%x) {data_format = "NCX"} : (tensor<2x4x6x6xf32>) -> tensor<4xf32>
}

// CHECK: dnnl.Clamp(%x) {min = -1.0, max = 6.0}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Clamp(%x) {min = -1.0, max = 6.0} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.ClampBackward(%x, %w) {min = 0.0, max = 6.0, use_dst = false}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.ClampBackward(%x, %w) {min = 0.0, max = 6.0, use_dst = false} : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Concat(%x, %w) {axis = -1}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x5xf32>)
  %y = dnnl.Concat(%x, %w) {axis = -1} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
}

// CHECK: dnnl.Convolution(%x, %w, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], groups = 2, data_format = "NCX", weights_format = "OIX"}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x2x3x3xf32>, tensor<8xf32>)
  %y = dnnl.Convolution(%x, %w, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], groups = 2, data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x2x3x3xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>
}

// CHECK: dnnl.ConvolutionBackwardData(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", dst_shape = [2, 4, 6, 6]}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x8x4x4xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.ConvolutionBackwardData(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", dst_shape = [2, 4, 6, 6]} : (tensor<2x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.ConvolutionBackwardWeights(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", weights_shape = [8, 4, 3, 3]}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x8x4x4xf32>)
  %y = dnnl.ConvolutionBackwardWeights(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", weights_shape = [8, 4, 3, 3]} : (tensor<2x4x6x6xf32>, tensor<2x8x4x4xf32>) -> tensor<8x4x3x3xf32>
}

// CHECK: dnnl.ConvTranspose(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], groups = 2, data_format = "NCX", weights_format = "IOX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], groups = 2, data_format = "NCX", weights_format = "IOX"} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x6x8x8xf32>
}

// CHECK: dnnl.ConvTransposeBackwardData(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTransposeBackwardData(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX"} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.ConvTransposeBackwardWeights(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX", weights_shape = [4, 3, 3, 3]}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x3x8x8xf32>)
  %y = dnnl.ConvTransposeBackwardWeights(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX", weights_shape = [4, 3, 3, 3]} : (tensor<2x4x6x6xf32>, tensor<2x3x8x8xf32>) -> tensor<4x3x3x3xf32>
}

// CHECK: dnnl.Dequantize(%x) {qtype = "per_channel", axis = 1, scales = [0.1, 0.02, 1.5, 2.0], zps = [0, 1, 2, 3]}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xui8>
  %y = dnnl.Dequantize(%x) {qtype = "per_channel", axis = 1, scales = [0.1, 0.02, 1.5, 2.0], zps = [0, 1, 2, 3]} : (tensor<2x4x6x6xui8>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Divide(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Divide(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.DynamicDequantize(%x, %w, %b) {qtype = "per_channel", axis = 1}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x4x6x6xi8>, tensor<4xf32>, tensor<4xi32>)
  %y = dnnl.DynamicDequantize(%x, %w, %b) {qtype = "per_channel", axis = 1} : (tensor<2x4x6x6xi8>, tensor<4xf32>, tensor<4xi32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.DynamicQuantize(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<1xf32>)
  %y = dnnl.DynamicQuantize(%x, %w) : (tensor<2x4x6x6xf32>, tensor<1xf32>) -> tensor<2x4x6x6xui8>
}

// CHECK: dnnl.Elu(%x) {alpha = 1.0}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Elu(%x) {alpha = 1.0} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.EluBackward(%x, %w) {alpha = 1.0}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.EluBackward(%x, %w) {alpha = 1.0} : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.End(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  dnnl.End(%x) : (tensor<2x4x6x6xf32>) -> ()
}

// CHECK: dnnl.Exp(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Exp(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.GELU(%x) {mode = "gelu_tanh"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.GELU(%x) {mode = "gelu_tanh"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.GELUBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.GELUBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.HardSwish(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.HardSwish(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.HardSwishBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.HardSwishBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Interpolate(%x) {mode = "nearest", scales = [2.0, 2.0], data_format = "NCX"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Interpolate(%x) {mode = "nearest", scales = [2.0, 2.0], data_format = "NCX"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x12x12xf32>
}

// CHECK: dnnl.InterpolateBackward(%x, %w) {mode = "bilinear", sizes = [12, 12], data_format = "NCX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x12x12xf32>)
  %y = dnnl.InterpolateBackward(%x, %w) {mode = "bilinear", sizes = [12, 12], data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<2x4x12x12xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.LayerNorm(%x, %w, %b) {epsilon = 1.0e-06, begin_norm_axis = -1}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %y, %y_1, %y_2 = dnnl.LayerNorm(%x, %w, %b) {epsilon = 1.0e-06, begin_norm_axis = -1} : (tensor<2x4x6x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x4x6x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>)
}

// CHECK: dnnl.LayerNormBackward(%x, %w, %b, %c, %d, %e) :
builtin.module {
  %x, %w, %b, %c, %d, %e = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %y, %y_1, %y_2 = dnnl.LayerNormBackward(%x, %w, %b, %c, %d, %e) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x4x6x6xf32>, tensor<6xf32>, tensor<6xf32>)
}

// CHECK: dnnl.LeakyReLU(%x) {alpha = 0.1}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.LeakyReLU(%x) {alpha = 0.1} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Log(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Log(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.LogSoftmax(%x) {axis = -1}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.LogSoftmax(%x) {axis = -1} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.LogSoftmaxBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.LogSoftmaxBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.MatMul(%x, %w, %b) {transpose_b = true}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x1x3x4xf32>, tensor<5x6x4xf32>, tensor<6xf32>)
  %y = dnnl.MatMul(%x, %w, %b) {transpose_b = true} : (tensor<2x1x3x4xf32>, tensor<5x6x4xf32>, tensor<6xf32>) -> tensor<2x5x3x6xf32>
}

// CHECK: dnnl.Maximum(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Maximum(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.MaxPool(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [2, 2], dilations = [1, 1], data_format = "NCX", rounding_type = "ceil"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.MaxPool(%x) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [2, 2], dilations = [1, 1], data_format = "NCX", rounding_type = "ceil"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x5x5xf32>
}

// CHECK: dnnl.MaxPoolBackward(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [2, 2], data_format = "NCX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x5x5xf32>)
  %y = dnnl.MaxPoolBackward(%x, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [2, 2], data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Minimum(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Minimum(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Mish(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Mish(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.MishBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.MishBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Multiply(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Multiply(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.PReLU(%x, %w) {data_format = "NCX"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>)
  %y = dnnl.PReLU(%x, %w) {data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.PReLUBackward(%x, %w, %b) {data_format = "NCX"}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<2x4x6x6xf32>)
  %y, %y_1 = dnnl.PReLUBackward(%x, %w, %b) {data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<2x4x6x6xf32>) -> (tensor<2x4x6x6xf32>, tensor<4xf32>)
}

// CHECK: dnnl.Quantize(%x) {scales = [0.25], zps = [3]}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Quantize(%x) {scales = [0.25], zps = [3]} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xi8>
}

// CHECK: dnnl.Reciprocal(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Reciprocal(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.ReduceL1(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceL1(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceL2(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceL2(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceMax(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceMax(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceMean(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceMean(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceMin(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceMin(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceProd(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceProd(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReduceSum(%x) {axes = [2, 3], keep_dims = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReduceSum(%x) {axes = [2, 3], keep_dims = false} : (tensor<2x4x6x6xf32>) -> tensor<2x4xf32>
}

// CHECK: dnnl.ReLU(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.ReLU(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.ReLUBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.ReLUBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Reorder(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Reorder(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Round(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Round(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Sigmoid(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Sigmoid(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SigmoidBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.SigmoidBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SoftMax(%x) {axis = 1, mode = "inf_as_zero"}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y, %y_1 = dnnl.SoftMax(%x) {axis = 1, mode = "inf_as_zero"} : (tensor<2x4x6x6xf32>) -> (tensor<2x4x6x6xf32>, tensor<2x1x6x6xf32>)
}

// CHECK: dnnl.SoftMaxBackward(%x, %w) {axis = -1}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.SoftMaxBackward(%x, %w) {axis = -1} : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SoftPlus(%x) {beta = 2.0}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.SoftPlus(%x) {beta = 2.0} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SoftPlusBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.SoftPlusBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Sqrt(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Sqrt(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SqrtBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.SqrtBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Square(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Square(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.SquaredDifference(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.SquaredDifference(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.StaticReshape(%x) {shape = [8, -1], special_zero = false}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.StaticReshape(%x) {shape = [8, -1], special_zero = false} : (tensor<2x4x6x6xf32>) -> tensor<8x36xf32>
}

// CHECK: dnnl.StaticTranspose(%x) {order = [0, 2, 3, 1]}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.StaticTranspose(%x) {order = [0, 2, 3, 1]} : (tensor<2x4x6x6xf32>) -> tensor<2x6x6x4xf32>
}

// CHECK: dnnl.Subtract(%x, %w) {auto_broadcast = "numpy"}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>)
  %y = dnnl.Subtract(%x, %w) {auto_broadcast = "numpy"} : (tensor<2x4x6x6xf32>, tensor<4x1x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Tanh(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Tanh(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.TanhBackward(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.TanhBackward(%x, %w) : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.TypeCast(%x) :
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.TypeCast(%x) : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xbf16>
}

// CHECK: dnnl.Wildcard(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xi32>)
  %y = dnnl.Wildcard(%x, %w) : (tensor<2x4x6x6xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: dnnl.HardSigmoid(%x) {alpha = 0.2, beta = 0.5}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.HardSigmoid(%x) {alpha = 0.2, beta = 0.5} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.HardSigmoidBackward(%x, %w) {alpha = 0.2, beta = 0.5}
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>)
  %y = dnnl.HardSigmoidBackward(%x, %w) {alpha = 0.2, beta = 0.5} : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Select(%x, %w, %b) :
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x1x1x6xi1>, tensor<2x4x6x6xf32>, tensor<1xf32>)
  %y = dnnl.Select(%x, %w, %b) : (tensor<2x1x1x6xi1>, tensor<2x4x6x6xf32>, tensor<1xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Pow(%x) {beta = 2.0}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.Pow(%x) {beta = 2.0} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.GroupNorm(%x, %w, %b) {keep_stats = false, groups = 2, data_format = "NCX"}
builtin.module {
  %x, %w, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.GroupNorm(%x, %w, %b) {keep_stats = false, groups = 2, data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.GenIndex(%x) {axis = 3}
builtin.module {
  %x = "test.op"() : () -> tensor<2x4x6x6xf32>
  %y = dnnl.GenIndex(%x) {axis = 3} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xi32>
}

// CHECK: dnnl.GreaterEqual(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<6xf32>)
  %y = dnnl.GreaterEqual(%x, %w) : (tensor<2x4x6x6xf32>, tensor<6xf32>) -> tensor<2x4x6x6xi1>
}

// CHECK: dnnl.RMSNorm(%x, %w) :
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<6xf32>)
  %y = dnnl.RMSNorm(%x, %w) : (tensor<2x4x6x6xf32>, tensor<6xf32>) -> tensor<2x4x6x6xf32>
}

// CHECK: dnnl.Dropout(%x, %w, %b, %c) :
builtin.module {
  %x, %w, %b, %c = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xf32>)
  %y, %y_1 = dnnl.Dropout(%x, %w, %b, %c) : (tensor<2x4x6x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xf32>) -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xui8>)
}
