// RUN: autosplit-opt %s -p quant-correct-biases --split-input-file | filecheck %s

// 0.3 of 127 becomes 0, -0.4 of 127 too: with inputs of 10 and 100 in the mean, 3 and -40 are lost.
// CHECK-LABEL: onnx.graph "conv"
// CHECK:       %[[B:.+]] = onnx.initializer "y__bias" {{.*}}dense<[4.000000e+00, -4.000000e+01]>
// CHECK:       onnx.Conv "c" (%x, %{{.+}}, %[[B]]) -> ["y"] {{.*}}{quant.operands = array<i64: 0, 1>} :
onnx.graph "conv" (%x "x" : tensor<1x2x1x1xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[[[0.3]], [[127.0]]], [[[127.0]], [[-0.4]]]]> : tensor<2x2x1x1xf32>}> : () -> tensor<2x2x1x1xf32>
  %b = onnx.initializer "b" () <{value = dense<[1.0, 0.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %y = onnx.Conv "c" (%x, %w, %b) -> ["y"] {quant.operands = array<i64: 0, 1>, quant.means = array<f64: 10.0, 100.0>} : (tensor<1x2x1x1xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x1x1xf32>
  onnx.return %y : tensor<1x2x1x1xf32>
}

// -----
// A place of the kernel that lies on padding for half of the results loses half as much.
// CHECK-LABEL: onnx.graph "padded"
// CHECK:       dense<1.500000e+00>
// CHECK:       onnx.Conv "c" (%x, %{{.+}}, %{{.+}}) -> ["y"]
onnx.graph "padded" (%x "x" : tensor<1x1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[[0.3, 127.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %y = onnx.Conv "c" (%x, %w) -> ["y"] <{pads = array<i64: 1, 0>}> {quant.operands = array<i64: 0, 1>, quant.means = array<f64: 10.0>} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  onnx.return %y : tensor<1x1x2xf32>
}

// -----
// The bias of a MatMul is what it is added to; where that is none, it gets one, behind which names are as before.
// CHECK-LABEL: onnx.graph "linear"
// CHECK:       %[[B:.+]] = onnx.initializer "m__bias" {{.*}}dense<[4.000000e+00, 1.000000e+00]>
// CHECK:       %[[M:.+]] = onnx.MatMul "m" (%x, %{{.+}}) -> ["m"]
// CHECK:       onnx.Add "a" (%[[M]], %[[B]])
// CHECK:       %[[C:.+]] = onnx.initializer "y__bias" {{.*}}dense<[3.000000e+00, 0.000000e+00]>
// CHECK:       %[[P:.+]] = onnx.MatMul "last" (%{{.+}}, %{{.+}}) -> ["y__product"] {quant.operands = array<i64: 0, 1>}
// CHECK:       onnx.Add "last__sum" (%[[P]], %[[C]]) -> ["y"] :
onnx.graph "linear" (%x "x" : tensor<1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[0.3, 0.0], [127.0, 127.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %m = onnx.MatMul "m" (%x, %w) -> ["m"] {quant.operands = array<i64: 0, 1>, quant.means = array<f64: 10.0, 1.0>} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %a = onnx.Add "a" (%m, %b) -> ["a"] : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %y = onnx.MatMul "last" (%a, %w) -> ["y"] {quant.operands = array<i64: 0, 1>, quant.means = array<f64: 10.0, 1.0>} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  onnx.return %y : tensor<1x2xf32>
}
