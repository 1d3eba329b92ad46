// RUN: autosplit-opt %s -p quant-attention --split-input-file | filecheck %s

// The values of all heads are quantized behind the views that put them side by side. The scores get a factor and
// a mask that change nothing, since the library's attention has both.
// CHECK-LABEL: onnx.graph "attention"
// CHECK:      %[[K:.+]] = onnx.Transpose "kt__rows" (%k) -> ["kt__rows"] <{perm = array<i64: 0, 2, 1, 3>}> : (tensor<1x4x2x8xui8>) -> tensor<1x2x4x8xui8>
// CHECK-NEXT: onnx.Transpose "keys" (%[[K]]) -> ["kt"] <{perm = array<i64: 0, 1, 3, 2>}>
// CHECK:      %[[S:.+]] = onnx.MatMul "qk"
// CHECK:      %[[M:.+]] = onnx.Mul {{.*}}(%[[S]], %w__mul_by)
// CHECK:      %[[A:.+]] = onnx.Add {{.*}}(%[[M]], %w__add_by)
// CHECK:      onnx.Softmax "soft" (%[[A]])
// CHECK:      %[[P:.+]] = onnx.MatMul "pv"
// CHECK:      %[[T:.+]] = onnx.Transpose "turn" (%[[P]]) {{.*}} -> tensor<1x4x2x8xf32>
// CHECK:      %[[R:.+]] = onnx.Reshape "join" (%[[T]], %{{.*}}sizes) {{.*}} -> tensor<1x4x16xf32>
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[R]]
// CHECK-NEXT: onnx.return %[[Q]]
onnx.graph "attention" (%q "q" : tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>>, %k "k" : tensor<1x4x2x8xui8>, %v "v" : tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %sizes = onnx.initializer "sizes" () <{value = dense<[1, 4, 16]> : tensor<3xi64>}> : () -> tensor<3xi64>
  %kt = onnx.Transpose "keys" (%k) -> ["kt"] <{perm = array<i64: 0, 2, 3, 1>}> : (tensor<1x4x2x8xui8>) -> tensor<1x2x8x4xui8>
  %ks = quant.scast %kt : tensor<1x2x8x4xui8> to tensor<1x2x8x4x!quant.uniform<u8:f32, 0.1:3>>
  %qf = quant.dcast %q : tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x8xf32>
  %kf = quant.dcast %ks : tensor<1x2x8x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x8x4xf32>
  %vf = quant.dcast %v : tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x8xf32>
  %s = onnx.MatMul "qk" (%qf, %kf) -> ["s"] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = onnx.Softmax "soft" (%s) -> ["w"] <{axis = -1 : i64}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %wq = quant.qcast %w : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.004>>
  %wf = quant.dcast %wq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.004>> to tensor<1x2x4x4xf32>
  %p = onnx.MatMul "pv" (%wf, %vf) -> ["p"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %pq = quant.qcast %p : tensor<1x2x4x8xf32> to tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>>
  %ps = quant.scast %pq : tensor<1x2x4x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x8xui8>
  %t = onnx.Transpose "turn" (%ps) -> ["t"] <{perm = array<i64: 0, 2, 1, 3>}> : (tensor<1x2x4x8xui8>) -> tensor<1x4x2x8xui8>
  %r = onnx.Reshape "join" (%t, %sizes) -> ["r"] : (tensor<1x4x2x8xui8>, tensor<3xi64>) -> tensor<1x4x16xui8>
  %y = quant.scast %r : tensor<1x4x16xui8> to tensor<1x4x16x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %y : tensor<1x4x16x!quant.uniform<u8:f32, 0.1:3>>
}

// -----
// A mask that chooses becomes a summand, one for all scores of the same condition.
// CHECK-LABEL: onnx.graph "masks"
// CHECK:      %[[M:.+]] = onnx.Where {{.*}}(%seen,
// CHECK-NOT:  onnx.Where
// CHECK:      %[[A:.+]] = onnx.Add "mask" (%a, %[[M]])
// CHECK-NEXT: onnx.Softmax "first" (%[[A]])
// CHECK-NEXT: %[[B:.+]] = onnx.Add "again" (%b, %[[M]])
// CHECK-NEXT: onnx.Softmax "second" (%[[B]])
onnx.graph "masks" (%seen "seen" : tensor<1x1x1x4xi1>, %a "a" : tensor<1x2x4x4xf32>, %b "b" : tensor<1x2x4x4xf32>) -> ["y", "z"] {
  %low = onnx.initializer "low" () <{value = dense<-10000.0> : tensor<f32>}> : () -> tensor<f32>
  %s = onnx.Where "mask" (%seen, %a, %low) -> ["s"] : (tensor<1x1x1x4xi1>, tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %y = onnx.Softmax "first" (%s) -> ["y"] <{axis = -1 : i64}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %t = onnx.Where "again" (%seen, %b, %low) -> ["t"] : (tensor<1x1x1x4xi1>, tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %z = onnx.Softmax "second" (%t) -> ["z"] <{axis = -1 : i64}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  onnx.return %y, %z : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----
// A number that is not far below all scores.
// CHECK-LABEL: onnx.graph "near"
// CHECK: onnx.Where "mask" (%seen, %a, %low)
onnx.graph "near" (%seen "seen" : tensor<1x1x1x4xi1>, %a "a" : tensor<1x2x4x4xf32>) -> ["y"] {
  %low = onnx.initializer "low" () <{value = dense<-5.0> : tensor<f32>}> : () -> tensor<f32>
  %s = onnx.Where "mask" (%seen, %a, %low) -> ["s"] : (tensor<1x1x1x4xi1>, tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %y = onnx.Softmax "first" (%s) -> ["y"] <{axis = -1 : i64}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  onnx.return %y : tensor<1x2x4x4xf32>
}

// -----
// Weights of signed bytes from -128 on have a zero point, unsigned ones have none. Others stay.
// CHECK-LABEL: onnx.graph "signed"
// CHECK:      quant.qcast %w {{.*}} to tensor<2x4x!quant.uniform<u8:f32, 0.004>>
// CHECK:      quant.dcast {{.*}} tensor<2x4x!quant.uniform<u8:f32, 0.004>> to tensor<2x4xf32>
// CHECK:      quant.qcast %v {{.*}} to tensor<2x4x!quant.uniform<i8:f32, 0.004:-128>>
onnx.graph "signed" (%x "x" : tensor<2x4xf32>) -> ["a", "b"] {
  %w = onnx.Softmax "soft" (%x) -> ["w"] <{axis = -1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %q = quant.qcast %w : tensor<2x4xf32> to tensor<2x4x!quant.uniform<i8:f32, 0.004:-128>>
  %a = quant.dcast %q : tensor<2x4x!quant.uniform<i8:f32, 0.004:-128>> to tensor<2x4xf32>
  %v = onnx.Sigmoid "gate" (%x) -> ["v"] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = quant.qcast %v : tensor<2x4xf32> to tensor<2x4x!quant.uniform<i8:f32, 0.004:-128>>
  %b = quant.dcast %r : tensor<2x4x!quant.uniform<i8:f32, 0.004:-128>> to tensor<2x4xf32>
  onnx.return %a, %b : tensor<2x4xf32>, tensor<2x4xf32>
}
