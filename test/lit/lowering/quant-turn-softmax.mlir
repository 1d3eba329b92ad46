// RUN: autosplit-opt %s -p quant-turn-softmax --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p quant-turn-softmax,quant-lift --split-input-file | filecheck %s --check-prefix=LIFT

// The head of a detector: the softmax runs along the dimension that a transpose has moved to the front, so
// that of the two transposes of bytes one is left.
// CHECK-LABEL: onnx.graph "head"
// CHECK-NEXT: %[[B:.+]] = quant.scast %x
// CHECK-NEXT: %[[T:.+]] = onnx.Transpose "" (%[[B]]) -> ["s__turned__bytes"] <{perm = array<i64: 0, 1, 3, 2>}> : (tensor<1x4x16x9xui8>) -> tensor<1x4x9x16xui8>
// CHECK-NEXT: %[[Q:.+]] = quant.scast %[[T]]
// CHECK-NEXT: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[S:.+]] = onnx.Softmax "softmax" (%[[D]]) -> ["s__rows"] <{axis = 3 : i64}>
// CHECK-NEXT: onnx.Transpose "" (%[[S]]) -> ["s"] <{perm = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x9x16xf32>) -> tensor<1x16x4x9xf32>
// CHECK-NEXT: quant.qcast
// LIFT-LABEL: onnx.graph "head"
// LIFT: onnx.Softmax "softmax"
// LIFT-NEXT: quant.qcast
// LIFT: onnx.Transpose {{.*}} : (tensor<1x4x9x16xui8>) -> tensor<1x16x4x9xui8>
onnx.graph "head" (%x "x" : tensor<1x4x16x9x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %b = quant.scast %x : tensor<1x4x16x9x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x4x16x9xui8>
  %t = onnx.Transpose "transpose" (%b) -> ["t"] <{perm = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x16x9xui8>) -> tensor<1x16x4x9xui8>
  %q = quant.scast %t : tensor<1x16x4x9xui8> to tensor<1x16x4x9x!quant.uniform<u8:f32, 0.1:3>>
  %d = quant.dcast %q : tensor<1x16x4x9x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x16x4x9xf32>
  %s = onnx.Softmax "softmax" (%d) -> ["s"] <{axis = 1 : i64}> : (tensor<1x16x4x9xf32>) -> tensor<1x16x4x9xf32>
  %y = quant.qcast %s : tensor<1x16x4x9xf32> to tensor<1x16x4x9x!quant.uniform<u8:f32, 0.00390625>>
  onnx.return %y : tensor<1x16x4x9x!quant.uniform<u8:f32, 0.00390625>>
}

// -----
// Along the last dimension it stays as it is.
// CHECK-LABEL: onnx.graph "last"
// CHECK-NOT: onnx.Transpose
// CHECK: onnx.return
// LIFT-LABEL: onnx.graph "last"
onnx.graph "last" (%x "x" : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>) -> ["s"] {
  %d = quant.dcast %x : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %s = onnx.Softmax "softmax" (%d) -> ["s"] <{axis = -1 : i64}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  onnx.return %s : tensor<2x8xf32>
}

// -----
// Real numbers before and behind it: it belongs to ONNX Runtime.
// CHECK-LABEL: onnx.graph "real"
// CHECK-NOT: onnx.Transpose
// CHECK: onnx.return
// LIFT-LABEL: onnx.graph "real"
onnx.graph "real" (%x "x" : tensor<2x8x3xf32>) -> ["s"] {
  %s = onnx.Softmax "softmax" (%x) -> ["s"] <{axis = 1 : i64}> : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  onnx.return %s : tensor<2x8x3xf32>
}

// -----
// Something else reads the real numbers: the transpose moves them, not the bytes.
// CHECK-LABEL: onnx.graph "shared"
// CHECK-NEXT: quant.dcast
// CHECK-NEXT: onnx.Transpose {{.*}} : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: onnx.Softmax
// CHECK-NEXT: onnx.Transpose
// LIFT-LABEL: onnx.graph "shared"
onnx.graph "shared" (%x "x" : tensor<2x8x3x!quant.uniform<u8:f32, 0.1:3>>) -> ["s", "d"] {
  %d = quant.dcast %x : tensor<2x8x3x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8x3xf32>
  %s = onnx.Softmax "softmax" (%d) -> ["s"] <{axis = 1 : i64}> : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  onnx.return %s, %d : tensor<2x8x3xf32>, tensor<2x8x3xf32>
}
