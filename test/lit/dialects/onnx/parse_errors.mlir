// RUN: autosplit-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: expected hexadecimal digits, found 'xyz'
%x = onnx.initializer "w" () <{value = #onnx.bits<"xyz" : tensor<f32>>}> : () -> tensor<f32>

// -----

// CHECK: the name of an input
onnx.graph "g" (%x : tensor<4xf32>) -> [] {
  onnx.return
}

// -----

// CHECK: the node's name
%y = onnx.Relu (%x) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
