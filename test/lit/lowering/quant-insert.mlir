// RUN: autosplit-opt %s -p quant-insert --split-input-file | filecheck %s

// A range becomes a scale and a zero point, so that 0 is one of the numbers; weights become integers.
// CHECK-LABEL: onnx.graph "product"
// CHECK: %[[W:.+]] = onnx.initializer "w_bytes" {{.*}}dense<[[127, 127], [-127, 0]]> : tensor<2x2xi8>
// CHECK: %[[S:.+]] = quant.scast %[[W]] : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32:1, {
// CHECK: %[[D:.+]] = quant.dcast %[[S]]
// CHECK: %[[Q:.+]] = quant.qcast %x {{.*}}to tensor<1x2x!quant.uniform<u8:f32, 0.01:51>>
// CHECK: %[[X:.+]] = quant.dcast %[[Q]]
// CHECK: onnx.MatMul "m" (%[[X]], %[[D]])
onnx.graph "product" (%x "x" : tensor<1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[1.0, 0.5], [-1.0, 0.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %s = quant.stats %x {layerStats = dense<[-0.51, 2.04]> : tensor<2xf32>, value_names = ["x_stats"]} : tensor<1x2xf32>
  %y = onnx.MatMul "m" (%s, %w) -> ["y"] {quant.operands = array<i64: 0, 1>} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  onnx.return %y : tensor<1x2xf32>
}
