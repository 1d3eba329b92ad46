// RUN: autosplit-opt %s -p quant-turn-resize --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p quant-turn-resize,quant-lift --split-input-file | filecheck %s --check-prefix=LIFT

// An image between convolutions is resized with its channels last; what is transposed are bytes.
// CHECK-LABEL: onnx.graph "linear"
// CHECK: %[[T:.+]] = onnx.Transpose {{.*}}<{perm = array<i64: 0, 2, 3, 1>}> : (tensor<1x2x4x4xui8>) -> tensor<1x4x4x2xui8>
// CHECK: onnx.initializer "r__scales" () <{value = dense<[1.000000e+00, 2.000000e+00, 2.000000e+00, 1.000000e+00]>
// CHECK: %[[R:.+]] = onnx.Resize {{.*}} -> tensor<1x8x8x2xf32>
// CHECK: onnx.Transpose {{.*}}(%[[R]]) -> ["r"] <{perm = array<i64: 0, 3, 1, 2>}>
// LIFT-LABEL: onnx.graph "linear"
// LIFT: %[[R:.+]] = onnx.Resize {{.*}} -> tensor<1x8x8x2xf32>
// LIFT: %[[Q:.+]] = quant.qcast %[[R]]
// LIFT: onnx.Transpose {{.*}} : (tensor<1x8x8x2xui8>) -> tensor<1x2x8x8xui8>
onnx.graph "linear" (%x "x" : tensor<1x2x4x4xf32>, %k "k" : tensor<2x2x1x1xf32>) -> ["y"] {
  %f = onnx.initializer "f" () <{value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %c = onnx.Conv "conv" (%x, %k, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %q = quant.qcast %c : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>
  %d = quant.dcast %q : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xf32>
  %r = onnx.Resize "resize" (%d, _, %f, _) -> ["r"] <{mode = "linear"}> : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x8x8xf32>
  %y = quant.qcast %r : tensor<1x2x8x8xf32> to tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %y : tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>
}

// -----
// What comes from the caller lies row by row, and stays so; so does what is resized another way.
// CHECK-LABEL: onnx.graph "others"
// CHECK-NOT: onnx.Transpose
onnx.graph "others" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>, %c "c" : tensor<1x2x4x4xf32>, %k "k" : tensor<2x2x1x1xf32>) -> ["y", "z"] {
  %f = onnx.initializer "f" () <{value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %d = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xf32>
  %r = onnx.Resize "given" (%d, _, %f, _) -> ["r"] <{mode = "linear"}> : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x8x8xf32>
  %y = quant.qcast %r : tensor<1x2x8x8xf32> to tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>
  %p = onnx.Conv "conv" (%c, %k, _) -> ["p"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %q = quant.qcast %p : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>
  %e = quant.dcast %q : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xf32>
  %s = onnx.Resize "cubic" (%e, _, %f, _) -> ["s"] <{mode = "cubic"}> : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x8x8xf32>
  %z = quant.qcast %s : tensor<1x2x8x8xf32> to tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %y, %z : tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>, tensor<1x2x8x8x!quant.uniform<u8:f32, 0.1:3>>
}
