// RUN: autosplit-opt %s -p 'quant-select{skip="c2"}' | filecheck %s

// What stays real reads real numbers, also where another op reads the bytes of the same value.
// CHECK: onnx.Conv "c1" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Conv "c2" {{.*}}{quant.kept = #device.reason<"recipe", "the recipe keeps it in float32">} :
// CHECK: onnx.Conv "c3" {{.*}}{quant.operands = array<i64: 0, 1>}
onnx.graph "shared" (%x "x" : tensor<1x4x4x4xf32>) -> ["y", "z"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x4x1x1xf32>}> : () -> tensor<4x4x1x1xf32>
  %a = onnx.Conv "c1" (%x, %w) -> ["a"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %y = onnx.Conv "c2" (%a, %w) -> ["y"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %z = onnx.Conv "c3" (%a, %w) -> ["z"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  onnx.return %y, %z : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
