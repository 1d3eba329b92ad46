// RUN: autosplit-opt %s -p quant-widen-kernels --no-locations --split-input-file | filecheck %s

// A column of zeros on the left meets the padding of the first window. Kernels of other widths stay.
// CHECK: onnx.initializer "y__weights" {{.*}} tensor<1x32x1x3xi8>
// CHECK: onnx.Conv "even" {{.*}}kernel_shape = array<i64: 1, 3>, pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 1, 2>
// CHECK: onnx.Conv "odd" {{.*}}kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "patches" (%x "x" : tensor<1x32x1x4x!quant.uniform<u8:f32, 0.1>>) -> ["y", "z"] {
    %a = quant.dcast %x : tensor<1x32x1x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x32x1x4xf32>
    %w = onnx.initializer "w" () <{value = dense<1> : tensor<1x32x1x2xi8>}> : () -> tensor<1x32x1x2xi8>
    %q = quant.scast %w : tensor<1x32x1x2xi8> to tensor<1x32x1x2x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<1x32x1x2x!quant.uniform<i8:f32, 0.5>> to tensor<1x32x1x2xf32>
    %y = onnx.Conv "even" (%a, %r) -> ["y"] <{dilations = array<i64: 1, 1>, group = 1 : i64, kernel_shape = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2>}> : (tensor<1x32x1x4xf32>, tensor<1x32x1x2xf32>) -> tensor<1x1x1x2xf32>
    %v = onnx.initializer "v" () <{value = dense<1> : tensor<1x32x1x1xi8>}> : () -> tensor<1x32x1x1xi8>
    %s = quant.scast %v : tensor<1x32x1x1xi8> to tensor<1x32x1x1x!quant.uniform<i8:f32, 0.5>>
    %t = quant.dcast %s : tensor<1x32x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<1x32x1x1xf32>
    %z = onnx.Conv "odd" (%a, %t) -> ["z"] <{dilations = array<i64: 1, 1>, group = 1 : i64, kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}> : (tensor<1x32x1x4xf32>, tensor<1x32x1x1xf32>) -> tensor<1x1x1x4xf32>
    onnx.return %y, %z : tensor<1x1x1x2xf32>, tensor<1x1x1x4xf32>
  }
}

// -----

// No kernel reaches the result between two of them: it gets a zero at its end, which is cut off behind the last one.
// CHECK: onnx.initializer "y__weights" {{.*}} tensor<4x1x2xi8>
// CHECK: onnx.ConvTranspose "short" {{.*}}kernel_shape = array<i64: 2>, pads = array<i64: 0, 1>, strides = array<i64: 2>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "gaps" (%x "x" : tensor<1x4x3x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x4x3x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x4x3xf32>
    %w = onnx.initializer "w" () <{value = dense<1> : tensor<4x1x1xi8>}> : () -> tensor<4x1x1xi8>
    %q = quant.scast %w : tensor<4x1x1xi8> to tensor<4x1x1x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<4x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<4x1x1xf32>
    %y = onnx.ConvTranspose "short" (%a, %r) -> ["y"] <{dilations = array<i64: 1>, group = 1 : i64, kernel_shape = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 2>}> : (tensor<1x4x3xf32>, tensor<4x1x1xf32>) -> tensor<1x1x5xf32>
    onnx.return %y : tensor<1x1x5xf32>
  }
}
