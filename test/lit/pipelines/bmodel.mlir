// RUN: autosplit-opt %s --pipeline bmodel | filecheck %s
// RUN: autosplit-opt %s --pipeline bmodel{target=bm1688} | filecheck %s
// RUN: autosplit-opt %s --pipeline bmodel -t top-mlir | filecheck %s --check-prefix=TEXT

// An older opset is brought to the canonical one, shapes that the model computes are constants, and every op of
// Top is called as the ONNX value that it computes.
// CHECK:      builtin.module @net attributes {module.chip = "ALL"
// CHECK:      func.func @main(%[[X:.*]]: tensor<1x2x4x4xf32>) -> tensor<1x48xf32>
// CHECK:      top.Input(%[[X]]) : {{.*}} loc("x")
// CHECK:      top.Weight() : () -> tensor<3x2x1x1xf32> loc("w")
// CHECK:      top.Conv({{.*}}) {kernel_shape = [1, 1]{{.*}}tensor<1x3x4x4xf32> loc("c")
// CHECK:      top.Relu({{.*}}) {relu_limit = 6.0} {{.*}} loc("r")
// CHECK:      top.Reshape({{.*}}) {shape = [1, 48]} {{.*}} loc("y")
// CHECK-NEXT: func.return

// TEXT:       "builtin.module"() <{sym_name = "net"}> ({
// TEXT:         "top.Relu"(%{{[0-9]+}}) {relu_limit = 6.000000e+00 : f64} : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> loc("r")
// TEXT:       module.weight_file = "weights.npz"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 11 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x2x4x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<3x2x1x1xf32>}> : () -> tensor<3x2x1x1xf32>
    %n = onnx.initializer "n" () <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %lo = onnx.initializer "lo" () <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %hi = onnx.initializer "hi" () <{value = dense<6.0> : tensor<f32>}> : () -> tensor<f32>
    %c = onnx.Conv "conv" (%x, %w) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> !platform.unknown
    %r = onnx.Clip "clip" (%c, %lo, %hi) -> ["r"] : (!platform.unknown, tensor<f32>, tensor<f32>) -> !platform.unknown
    %y = onnx.Reshape "view" (%r, %n) -> ["y"] : (!platform.unknown, tensor<2xi64>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
