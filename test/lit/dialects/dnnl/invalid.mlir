// RUN: autosplit-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// Counts.
// CHECK: has 1 operand, expected 2
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.Add(%a) : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: has 4 operands, expected 2 or 3
builtin.module {
  %a, %b, %c, %d = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  %y = dnnl.MatMul(%a, %b, %c, %d) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// CHECK: has 0 results, expected 1
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  dnnl.ReLU(%a) : (tensor<4xf32>) -> ()
}

// -----
// CHECK: has 0 operands, expected 1 to 64
builtin.module {
  %y = dnnl.Concat() {axis = 0} : () -> tensor<4xf32>
}

// -----
// Attributes.
// CHECK: needs the attribute 'alpha' (f32)
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.Elu(%a) : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: attribute 'auto_broadcast' is 'always', expected one of none, numpy
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.Add(%a, %b) {auto_broadcast = "always"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: dnnl.Convolution has no attribute 'stride' (did you mean 'strides'?)
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {stride = [1, 1]} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: attribute 'axis' is 1 : i32, expected a value of type s64
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = "dnnl.SoftMax"(%a) <{axis = 1 : i32}> : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Element types.
// CHECK: operand 0 (src) has elements of s8, expected f32 or bf16 or f16
builtin.module {
  %a = "test.op"() : () -> (tensor<4xi8>)
  %y = dnnl.ReLU(%a) : (tensor<4xi8>) -> tensor<4xi8>
}

// -----
// CHECK: result 0 (dst) has elements of bf16, those of operand 0 are f32
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.ReLU(%a) : (tensor<4xf32>) -> tensor<4xbf16>
}

// -----
// CHECK: operand 0 (src) has elements of f64, expected f32
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf64>)
  %y = dnnl.Quantize(%a) {scales = [1.0]} : (tensor<4xf64>) -> tensor<4xi8>
}

// -----
// CHECK: casts bf16 to f16, which the library does only by way of f32
builtin.module {
  %a = "test.op"() : () -> (tensor<4xbf16>)
  %y = dnnl.TypeCast(%a) : (tensor<4xbf16>) -> tensor<4xf16>
}

// -----
// CHECK: casts f32 to itself
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.TypeCast(%a) : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: multiplies f32 and gives bf16, expected f32 or f32
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %y = dnnl.MatMul(%a, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xbf16>
}

// -----
// Layouts.
// CHECK: operand 0 has 2 dimensions and 1 stride
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xf32, #dnnl.strided<[1]>>)
  %y = dnnl.ReLU(%a) : (tensor<2x4xf32, #dnnl.strided<[1]>>) -> tensor<2x4xf32>
}

// -----
// CHECK: operand 0 has 2 dimensions and 3 dimensions in the order
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xf32, #dnnl.order<[0, 2, 1]>>)
  %y = dnnl.ReLU(%a) : (tensor<2x4xf32, #dnnl.order<[0, 2, 1]>>) -> tensor<2x4xf32>
}

// -----
// CHECK: an order names each dimension once, found [0, 0]
"test.op"() {l = #dnnl.order<[0, 0]>} : () -> ()

// -----
// CHECK: a layout's number is not negative, found -1
"test.op"() {l = #dnnl.opaque<-1>} : () -> ()

// -----
// Scales and zero points.
// CHECK: scale 0 is 0.0, expected a positive number
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.Quantize(%a) {scales = [0.0]} : (tensor<4xf32>) -> tensor<4xi8>
}

// -----
// CHECK: scale 0 is -0.5, expected a positive number
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.Quantize(%a) {scales = [-0.5]} : (tensor<4xf32>) -> tensor<4xi8>
}

// -----
// CHECK: scale 0 is nan, expected a positive number
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.Quantize(%a) {scales = [nan]} : (tensor<4xf32>) -> tensor<4xi8>
}

// -----
// CHECK: scale 1 is inf, expected a positive number
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xf32>)
  %y = dnnl.Quantize(%a) {qtype = "per_channel", axis = 0, scales = [1.0, inf]} : (tensor<2x4xf32>) -> tensor<2x4xi8>
}

// -----
// CHECK: is per_tensor and has 2 scales
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xi8>)
  %y = dnnl.Dequantize(%a) {scales = [1.0, 2.0]} : (tensor<2x4xi8>) -> tensor<2x4xf32>
}

// -----
// CHECK: has 1 scale and 2 zero points
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xi8>)
  %y = dnnl.Dequantize(%a) {scales = [1.0], zps = [0, 0]} : (tensor<2x4xi8>) -> tensor<2x4xf32>
}

// -----
// CHECK: axis 1 has the size 4, there are 3 scales
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xi8>)
  %y = dnnl.Dequantize(%a) {qtype = "per_channel", scales = [1.0, 1.0, 1.0]} : (tensor<2x4xi8>) -> tensor<2x4xf32>
}

// -----
// CHECK: axis 2 is out of range for 2 dimensions
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xi8>)
  %y = dnnl.Dequantize(%a) {qtype = "per_channel", axis = 2, scales = [1.0, 1.0]} : (tensor<2x4xi8>) -> tensor<2x4xf32>
}

// -----
// CHECK: zero point 200 is out of the range of s8
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xi8>)
  %y = dnnl.Dequantize(%a) {scales = [1.0], zps = [200]} : (tensor<2x4xi8>) -> tensor<2x4xf32>
}

// -----
// CHECK: f8_e4m3 has no zero points
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4xf8E4M3FN>)
  %y = dnnl.Dequantize(%a) {scales = [1.0], zps = [0]} : (tensor<2x4xf8E4M3FN>) -> tensor<2x4xf32>
}

// -----
// CHECK: is per_tensor and has scales of [4]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<4xf32>)
  %y = dnnl.DynamicQuantize(%a, %b) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
}

// -----
// CHECK: axis 1 has the size 4, the scales are [3]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<3xf32>)
  %y = dnnl.DynamicQuantize(%a, %b) {qtype = "per_channel"} : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xi8>
}

// -----
// CHECK: has scales of [4] and zero points of [1]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<2x4xf32>, tensor<4xf32>, tensor<1xi32>)
  %y = dnnl.DynamicQuantize(%a, %b, %c) {qtype = "per_channel"} : (tensor<2x4xf32>, tensor<4xf32>, tensor<1xi32>) -> tensor<2x4xi8>
}

// -----
// CHECK: group_shape has 1 number for 2 dimensions
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4xi8>, tensor<2x2xf32>)
  %y = dnnl.DynamicDequantize(%a, %b) {qtype = "per_group", group_shape = [2]} : (tensor<2x4xi8>, tensor<2x2xf32>) -> tensor<2x4xf32>
}

// -----
// Shapes: element by element.
// CHECK: result 0 is [5], expected [4]
builtin.module {
  %a = "test.op"() : () -> (tensor<4xf32>)
  %y = dnnl.ReLU(%a) : (tensor<4xf32>) -> tensor<5xf32>
}

// -----
// CHECK: [4] and [5] do not broadcast
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<4xf32>, tensor<5xf32>)
  %y = dnnl.Add(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
}

// -----
// CHECK: auto_broadcast is none, the operands are [4] and [1]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<4xf32>, tensor<1xf32>)
  %y = dnnl.Add(%a, %b) {auto_broadcast = "none"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
}

// -----
// CHECK: the condition [2, 4] does not broadcast to [4]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<2x4xi1>, tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.Select(%a, %b, %c) : (tensor<2x4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: auto_broadcast is none, the operands are [1], [4], [4]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.Select(%a, %b, %c) {auto_broadcast = "none"} : (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: the slope [3] does not broadcast to [2, 4, 6, 6]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<3xf32>)
  %y = dnnl.PReLU(%a, %b) {data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<3xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// CHECK: bias is [3], expected one number for each of 4 channels
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<3xf32>)
  %y = dnnl.BiasAdd(%a, %b) {data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<3xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// CHECK: gamma is [6], expected one number for each of 4 channels
builtin.module {
  %a, %b, %c, %d, %e = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %y = dnnl.BatchNormInference(%a, %b, %c, %d, %e) {epsilon = 1.0e-05, data_format = "NCX"} : (tensor<2x4x6x6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Shapes: windows.
// CHECK: result 0 is [2, 8, 6, 6], expected [2, 8, 4, 4]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
}

// -----
// CHECK: src [2, 4, 6, 6] and weights [8, 4, 3] differ in rank
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3xf32>) -> tensor<2x8x6x6xf32>
}

// -----
// CHECK: src has 2 dimensions, expected at least 3
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4xf32>, tensor<8x4xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK: src has 4 channels, expected 3 for weights [8, 3, 3, 3] in 1 group
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x3x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: 7 output channels cannot be divided into 2 groups
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<7x2x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", groups = 2} : (tensor<2x4x6x6xf32>, tensor<7x2x3x3xf32>) -> tensor<2x7x4x4xf32>
}

// -----
// CHECK: groups is 0, expected a number from 1 on
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", groups = 0} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: strides has 1 number for 2 spatial dimensions
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: dilations is [1, 0], expected numbers from 1 on
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 0], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: pads_end is [-1, 0], expected no negative numbers
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [-1, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: the bias is [4], expected [8]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<4xf32>)
  %y = dnnl.Convolution(%a, %b, %c) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<4xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: a window of 7 (dilation 1) is larger than 6 + (0, 0)
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<8x4x7x7xf32>)
  %y = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<2x4x6x6xf32>, tensor<8x4x7x7xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// CHECK: result 0 is [2, 3, 6, 6], expected [2, 3, 8, 8]
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX"} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x6x6xf32>
}

// -----
// CHECK: src has 4 channels, weights [5, 3, 3, 3] need 5
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<5x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX"} : (tensor<2x4x6x6xf32>, tensor<5x3x3x3xf32>) -> tensor<2x3x8x8xf32>
}

// -----
// CHECK: 4 input channels cannot be divided into 3 groups
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX", groups = 3} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x9x8x8xf32>
}

// -----
// CHECK: output_padding has 1 number for 2 spatial dimensions
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "IOX", output_padding = [1]} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x8x8xf32>
}

// -----
// CHECK: the padding (4, 4) leaves nothing of 8 elements
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>)
  %y = dnnl.ConvTranspose(%a, %b) {strides = [1, 1], pads_begin = [4, 4], pads_end = [4, 4], dilations = [1, 1], data_format = "NCX", weights_format = "IOX"} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x8x8xf32>
}

// -----
// CHECK: result 0 is [2, 4, 2, 2], expected [2, 4, 3, 3]
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.MaxPool(%a) {strides = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], kernel = [3, 3], data_format = "NCX", rounding_type = "ceil"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x2x2xf32>
}

// -----
// CHECK: kernel is [0, 3], expected numbers from 1 on
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.MaxPool(%a) {strides = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], kernel = [0, 3], data_format = "NCX"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x2x2xf32>
}

// -----
// CHECK: attribute 'rounding_type' is 'up', expected one of floor, ceil
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.MaxPool(%a) {strides = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], kernel = [3, 3], data_format = "NCX", rounding_type = "up"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x2x2xf32>
}

// -----
// Shapes: products and normalization.
// CHECK: src [3, 4] and weights [5, 6] (transposed: False, False) need one inner size, have 4 and 5
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<3x4xf32>, tensor<5x6xf32>)
  %y = dnnl.MatMul(%a, %b) : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
}

// -----
// CHECK: [2] and [3] do not broadcast
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x3x4xf32>, tensor<3x4x5xf32>)
  %y = dnnl.MatMul(%a, %b) : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK: the bias [5] does not broadcast to [3, 6]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<3x4xf32>, tensor<4x6xf32>, tensor<5xf32>)
  %y = dnnl.MatMul(%a, %b, %c) : (tensor<3x4xf32>, tensor<4x6xf32>, tensor<5xf32>) -> tensor<3x6xf32>
}

// -----
// CHECK: an operand is a scalar, expected matrices or vectors
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<f32>, tensor<4x6xf32>)
  %y = dnnl.MatMul(%a, %b) : (tensor<f32>, tensor<4x6xf32>) -> tensor<6xf32>
}

// -----
// CHECK: keeps its statistics (keep_stats) and has one result, expected three; set keep_stats = false
builtin.module {
  %a = "test.op"() : () -> (tensor<3x4xf32>)
  %y = dnnl.LayerNorm(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
}

// -----
// CHECK: gamma is [3], expected [4]
builtin.module {
  %a, %b, %c = "test.op"() : () -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %y = dnnl.LayerNorm(%a, %b, %c) {keep_stats = false} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x4xf32>
}

// -----
// CHECK: 4 channels cannot be divided into 3 groups
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.GroupNorm(%a) {groups = 3, keep_stats = false, data_format = "NCX"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// CHECK: axis 4 is out of range for 4 dimensions
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.SoftMax(%a) {axis = 4} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Shapes: movement and reduction.
// CHECK: operands [2, 3] and [3, 3] differ outside of axis 1
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x3xf32>)
  %y = dnnl.Concat(%a, %b) {axis = 1} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
}

// -----
// CHECK: operands [2, 3] and [2] differ in rank
builtin.module {
  %a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2xf32>)
  %y = dnnl.Concat(%a, %b) {axis = 1} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x6xf32>
}

// -----
// CHECK: shape [5, -1] does not divide the 24 elements of [2, 12]
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticReshape(%a) {shape = [5, -1], special_zero = false} : (tensor<2x12xf32>) -> tensor<5x5xf32>
}

// -----
// CHECK: shape [5, 5] has 25 elements, src [2, 12] has 24
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticReshape(%a) {shape = [5, 5], special_zero = false} : (tensor<2x12xf32>) -> tensor<5x5xf32>
}

// -----
// CHECK: shape [-1, -1] holds numbers below -1, or several -1
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticReshape(%a) {shape = [-1, -1], special_zero = false} : (tensor<2x12xf32>) -> tensor<2x12xf32>
}

// -----
// CHECK: shape [2, 12, 0] copies dimension 2 of [2, 12]
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticReshape(%a) {shape = [2, 12, 0], special_zero = true} : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
}

// -----
// CHECK: order [0, 0] does not name each of 2 dimensions once
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticTranspose(%a) {order = [0, 0]} : (tensor<2x12xf32>) -> tensor<2x12xf32>
}

// -----
// CHECK: result 0 is [2, 12], expected [12, 2]
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.StaticTranspose(%a) {order = [1, 0]} : (tensor<2x12xf32>) -> tensor<2x12xf32>
}

// -----
// CHECK: axes [2] are out of range for 2 dimensions
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.ReduceSum(%a) {axes = [2]} : (tensor<2x12xf32>) -> tensor<2xf32>
}

// -----
// CHECK: axes [1, -1] name a dimension twice
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.ReduceSum(%a) {axes = [1, -1]} : (tensor<2x12xf32>) -> tensor<2xf32>
}

// -----
// CHECK: takes its axes from the attribute 'axes' or from operand 1, not both
builtin.module {
  %a = "test.op"() : () -> (tensor<2x12xf32>)
  %y = dnnl.ReduceSum(%a) : (tensor<2x12xf32>) -> tensor<2xf32>
}

// -----
// CHECK: needs one of the attributes 'sizes' and 'scales', and not both
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.Interpolate(%a) {mode = "nearest"} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// CHECK: sizes has 1 number for 2 spatial dimensions
builtin.module {
  %a = "test.op"() : () -> (tensor<2x4x6x6xf32>)
  %y = dnnl.Interpolate(%a) {mode = "nearest", sizes = [3]} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Partitions and graphs.
// CHECK: the body takes (tensor<4xf32>), is given (tensor<5xf32>)
builtin.module {
  %x = "test.op"() : () -> tensor<5xf32>
  %y = "dnnl.partition"(%x) <{rule = "r"}> ({
  ^bb0(%a: tensor<4xf32>):
    dnnl.return %a : tensor<4xf32>
  }) : (tensor<5xf32>) -> tensor<4xf32>
}

// -----
// CHECK: the body returns (tensor<4xf32>), is expected to give ()
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  "dnnl.partition"(%x) <{rule = "r"}> ({
  ^bb0(%a: tensor<4xf32>):
    dnnl.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> ()
}

// -----
// CHECK: the body holds test.op; only ops of the dialect may stand there
"dnnl.partition"() <{rule = "r"}> ({
  "test.op"() : () -> ()
  dnnl.return
}) : () -> ()

// -----
// A cycle: an op that reads what only comes later.
// CHECK: dnnl.ReLU reads operand 0 before it is defined; ops stand in the order in which they run, and none runs in a cycle
"dnnl.partition"() <{rule = "r"}> ({
  %a = dnnl.ReLU(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %b = dnnl.ReLU(%a) : (tensor<4xf32>) -> tensor<4xf32>
  dnnl.return
}) : () -> ()

// -----
// CHECK: constants are increasing indices of the 1 operand, found [1]
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = "dnnl.partition"(%x) <{rule = "r", constants = array<i64: 1>}> ({
  ^bb0(%a: tensor<4xf32>):
    dnnl.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
}

// -----
// CHECK: the body ends without dnnl.return
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
  "test.termop"() : () -> ()
}) : () -> ()

// -----
// CHECK: found -2.0 equal numbers, expected 1 to 16777216
%x = "test.op"() : () -> tensor<4xi8>
%y = dnnl.Dequantize(%x) {scales = [-2 x 0.5], zps = [0]} : (tensor<4xi8>) -> tensor<4xf32>
