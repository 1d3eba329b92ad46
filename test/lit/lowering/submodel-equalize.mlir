// RUN: autosplit-opt %s -p submodel-equalize --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'submodel-equalize{equalize=false}' --split-input-file | filecheck %s --check-prefix=OFF

// OFF-NOT: _scaled

// Channels that are large in front and small behind become of one size, by powers of two.
// CHECK:     builtin.module
// CHECK-DAG: %[[W:.+]] = onnx.initializer "w1_scaled" {{.*}}dense<[[1.000000e+00, 2.500000e-01]]>
// CHECK-DAG: %[[V:.+]] = onnx.initializer "w2_scaled" {{.*}}dense<[[1.000000e+00], [2.500000e-01]]>
// CHECK:     onnx.MatMul "m1" (%x, %[[W]])
// CHECK:     onnx.MatMul "m2" (%{{.+}}, %[[V]])
builtin.module {
  onnx.graph "plain" (%x "x" : tensor<3x1xf32>) -> ["y"] {
    %w1 = onnx.initializer "w1" () <{value = dense<[[4.0, 0.0625]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
    %w2 = onnx.initializer "w2" () <{value = dense<[[0.25], [1.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
    %a = onnx.MatMul "m1" (%x, %w1) -> ["a"] : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
    %y = onnx.MatMul "m2" (%a, %w2) -> ["y"] : (tensor<3x2xf32>, tensor<2x1xf32>) -> tensor<3x1xf32>
    onnx.return %y : tensor<3x1xf32>
  }
}

// -----
// What says which steps its values have stays.
// CHECK:     builtin.module attributes
// CHECK-NOT: _scaled
builtin.module attributes {device.value_scales = {"a" = ["int8", 0.5 : f64, 0 : i64]}} {
  onnx.graph "stepped" (%x "x" : tensor<3x1xf32>) -> ["y"] {
    %w1 = onnx.initializer "w1" () <{value = dense<[[4.0, 0.0625]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
    %w2 = onnx.initializer "w2" () <{value = dense<[[0.25], [1.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
    %a = onnx.MatMul "m1" (%x, %w1) -> ["a"] : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
    %y = onnx.MatMul "m2" (%a, %w2) -> ["y"] : (tensor<3x2xf32>, tensor<2x1xf32>) -> tensor<3x1xf32>
    onnx.return %y : tensor<3x1xf32>
  }
}
