// RUN: autosplit-opt %s -p quant-equalize --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-equalize{equalize=false}' --split-input-file | filecheck %s --check-prefix=OFF
// RUN: autosplit-opt %s -p quant-equalize --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// OFF-NOT: _scaled

// Channels that are large in front and small behind become of one size, by powers of two; the bias with them.
// CHECK-LABEL: onnx.graph "pair"
// CHECK-DAG:   %[[W:.+]] = onnx.initializer "w1_scaled" {{.*}}dense<[[1.000000e+00, 2.500000e-01]]>
// CHECK-DAG:   %[[B:.+]] = onnx.initializer "b1_scaled" {{.*}}dense<[5.000000e-01, 2.500000e-01]>
// CHECK-DAG:   %[[V:.+]] = onnx.initializer "w2_scaled" {{.*}}dense<[[1.000000e+00], [2.500000e-01]]>
// CHECK:       onnx.Gemm "m1" (%x, %[[W]], %[[B]])
// CHECK:       onnx.MatMul "m2" (%{{.+}}, %[[V]])
onnx.graph "pair" (%x "x" : tensor<3x1xf32>) -> ["y"] {
  %w1 = onnx.initializer "w1" () <{value = dense<[[4.0, 0.0625]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
  %b1 = onnx.initializer "b1" () <{value = dense<[2.0, 0.0625]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %w2 = onnx.initializer "w2" () <{value = dense<[[0.25], [1.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
  %a = onnx.Gemm "m1" (%x, %w1, %b1) -> ["a"] : (tensor<3x1xf32>, tensor<1x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %r = onnx.Relu "r" (%a) -> ["r"] : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = onnx.MatMul "m2" (%r, %w2) -> ["y"] : (tensor<3x2xf32>, tensor<2x1xf32>) -> tensor<3x1xf32>
  onnx.return %y : tensor<3x1xf32>
}

// -----
// A depthwise convolution is equalized with both of its neighbours.
// CHECK-LABEL: onnx.graph "depthwise"
// CHECK-DAG: onnx.initializer "w1_scaled" {{.*}}dense<{{\[\[\[\[1.000000e\+00\]\]\], \[\[\[2.500000e-01\]\]\]\]}}>
// CHECK-DAG: onnx.initializer "w2_scaled" {{.*}}dense<{{\[\[\[\[1.000000e\+00\]\]\], \[\[\[2.500000e-01\]\]\]\]}}>
// CHECK-DAG: onnx.initializer "w3_scaled" {{.*}}dense<{{\[\[\[\[1.000000e\+00\]\], \[\[2.500000e-01\]\]\]\]}}>
onnx.graph "depthwise" (%x "x" : tensor<1x1x4x4xf32>) -> ["y"] {
  %w1 = onnx.initializer "w1" () <{value = dense<[[[[16.0]]], [[[0.015625]]]]> : tensor<2x1x1x1xf32>}> : () -> tensor<2x1x1x1xf32>
  %w2 = onnx.initializer "w2" () <{value = dense<[[[[0.25]]], [[[1.0]]]]> : tensor<2x1x1x1xf32>}> : () -> tensor<2x1x1x1xf32>
  %w3 = onnx.initializer "w3" () <{value = dense<[[[[0.25]], [[1.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %a = onnx.Conv "c1" (%x, %w1) -> ["a"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b = onnx.Relu "r1" (%a) -> ["b"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %c = onnx.Conv "c2" (%b, %w2) -> ["c"] <{group = 2 : i64}> : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %d = onnx.Relu "r2" (%c) -> ["d"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = onnx.Conv "c3" (%d, %w3) -> ["y"] : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  onnx.return %y : tensor<1x1x4x4xf32>
}

// -----
// What is clipped does not scale, nor what leaves the model.
// CHECK-LABEL: onnx.graph "clipped"
// CHECK-NOT:   _scaled
// WHY: onnx.MatMul (m1): Clip 'r' does not scale with its operand
// WHY: onnx.MatMul (m2): 'y' leaves the model
onnx.graph "clipped" (%x "x" : tensor<3x1xf32>) -> ["y"] {
  %w1 = onnx.initializer "w1" () <{value = dense<[[4.0, 0.0625]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
  %w2 = onnx.initializer "w2" () <{value = dense<[[0.25, 1.0], [1.0, 1.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %l = onnx.initializer "l" () <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %h = onnx.initializer "h" () <{value = dense<6.0> : tensor<f32>}> : () -> tensor<f32>
  %a = onnx.MatMul "m1" (%x, %w1) -> ["a"] : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %r = onnx.Clip "r" (%a, %l, %h) -> ["r"] : (tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> tensor<3x2xf32>
  %y = onnx.MatMul "m2" (%r, %w2) -> ["y"] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  onnx.return %y : tensor<3x2xf32>
}
