// RUN: autosplit-opt %s -p 'quant-real-moves' --split-input-file --no-locations | filecheck %s
// RUN: autosplit-opt %s -p 'quant-real-moves' --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// CHECK-LABEL: onnx.graph "pooled"
// CHECK: %[[R:.+]] = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[M:.+]] = onnx.MaxPool "pool" (%[[R]]) -> ["m__real"]
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[M]] {{.*}} : tensor<1x2x2x2xf32> to tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>>
// CHECK-NEXT: quant.dcast %[[Q]]
onnx.graph "pooled" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %s = quant.scast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xui8>
  %m = onnx.MaxPool "pool" (%s) -> ["m"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
  %c = quant.scast %m : tensor<1x2x2x2xui8> to tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>>
  %y = quant.dcast %c : tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x2x2xf32>
  onnx.return %y : tensor<1x2x2x2xf32>
}

// -----
// Integers that are read as other numbers stay integers.
// CHECK-LABEL: onnx.graph "other"
// CHECK: onnx.MaxPool {{.*}} -> tensor<1x2x2x2xui8>
// WHY: MoveReals: onnx.MaxPool (pool): the integers that it moves are read as such, or as other numbers
onnx.graph "other" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %s = quant.scast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xui8>
  %m = onnx.MaxPool "pool" (%s) -> ["m"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
  %c = quant.scast %m : tensor<1x2x2x2xui8> to tensor<1x2x2x2x!quant.uniform<u8:f32, 0.2:3>>
  %y = quant.dcast %c : tensor<1x2x2x2x!quant.uniform<u8:f32, 0.2:3>> to tensor<1x2x2x2xf32>
  onnx.return %y : tensor<1x2x2x2xf32>
}
