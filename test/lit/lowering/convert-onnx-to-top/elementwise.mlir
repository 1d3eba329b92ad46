// RUN: autosplit-opt %s -p convert-onnx-to-top | filecheck %s

// A number is an attribute, another constant a weight, which comes second where order is free; what a chip
// lacks is written out, and ops that only serve another one are called after it.
// CHECK:       top.AddConst(%{{.+}}) {const_val = 2.0}
// CHECK:       top.SubConst(%{{.+}}) {const_val = 2.0, is_reverse = true}
// CHECK:       top.Weight() : () -> tensor<4xf32>
// CHECK:       top.Mul(%{{.+}}, %{{.+}}) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK:       top.MulConst(%{{.+}}) {const_val = -1.0}
// CHECK-NEXT:  top.Floor
// CHECK-NEXT:  top.MulConst(%{{.+}}) {const_val = -1.0}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<2x4xf32>) -> ["y"] {
    %two = onnx.initializer "two" () <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
    %w = onnx.initializer "w" () <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %a = onnx.Add "add" (%x, %two) -> ["a"] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %s = onnx.Sub "sub" (%two, %a) -> ["s"] : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %m = onnx.Mul "mul" (%w, %s) -> ["m"] : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = onnx.Ceil "ceil" (%m) -> ["y"] : (tensor<2x4xf32>) -> tensor<2x4xf32>
    onnx.return %y : tensor<2x4xf32>
  }
}
