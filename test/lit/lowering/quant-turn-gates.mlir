// RUN: autosplit-opt %s -p quant-turn-gates --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p quant-turn-gates --split-input-file --debug-match 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// A gate of two halves of a convolution is computed with the channels last: its operands are transposed, and its result.
// CHECK-LABEL: onnx.graph "gate"
// CHECK:       onnx.Transpose {{.*}} <{perm = array<i64: 0, 2, 1>}> {{.*}} -> tensor<1x8x2xui8>
// CHECK-NOT:   onnx.Transpose
// CHECK:       onnx.Tanh "tanh" {{.*}} -> tensor<1x8x2xf32>
// CHECK:       onnx.Transpose {{.*}} -> tensor<1x8x2xui8>
// CHECK:       onnx.Sigmoid "sigmoid" {{.*}} -> tensor<1x8x2xf32>
// CHECK-NOT:   onnx.Transpose
// CHECK:       onnx.Mul "mul" {{.*}} -> tensor<1x8x2xf32>
// CHECK-NEXT:  %[[Q:.+]] = quant.qcast
// CHECK-NEXT:  %[[S:.+]] = quant.scast %[[Q]]
// CHECK-NEXT:  onnx.Transpose {{.*}} (%[[S]]) {{.*}} -> tensor<1x2x8xui8>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "gate" (%x "x" : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<4x2x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x8xf32>
    %w = quant.dcast %k : tensor<4x2x1x!quant.uniform<i8:f32, 0.01>> to tensor<4x2x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x8xf32>, tensor<4x2x1xf32>) -> tensor<1x4x8xf32>
    %q = quant.qcast %c : tensor<1x4x8xf32> to tensor<1x4x8x!quant.uniform<u8:f32, 0.06:128>>
    %s = quant.scast %q : tensor<1x4x8x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x4x8xui8>
    %0, %1 = onnx.Split "split" (%s, _) -> ["a", "b"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<1x4x8xui8>) -> (tensor<1x2x8xui8>, tensor<1x2x8xui8>)
    %aq = quant.scast %0 : tensor<1x2x8xui8> to tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>>
    %bq = quant.scast %1 : tensor<1x2x8xui8> to tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>>
    %a = quant.dcast %aq : tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x8xf32>
    %b = quant.dcast %bq : tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x8xf32>
    %t = onnx.Tanh "tanh" (%a) -> ["t"] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %tq = quant.qcast %t : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
    %td = quant.dcast %tq : tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>> to tensor<1x2x8xf32>
    %g = onnx.Sigmoid "sigmoid" (%b) -> ["g"] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %gq = quant.qcast %g : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.00392>>
    %gd = quant.dcast %gq : tensor<1x2x8x!quant.uniform<u8:f32, 0.00392>> to tensor<1x2x8xf32>
    %m = onnx.Mul "mul" (%td, %gd) -> ["m"] : (tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %y = quant.qcast %m : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
    onnx.return %y : tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
  }
}

// -----

// What a matrix product makes lies in rows already.
// CHECK-LABEL: onnx.graph "rows"
// CHECK-NOT:   onnx.Transpose
// WHY: TurnGate: onnx.Tanh (tanh): what it reads is not all bytes of convolutions
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<8x8x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x8xf32>
    %w = quant.dcast %k : tensor<8x8x!quant.uniform<i8:f32, 0.01>> to tensor<8x8xf32>
    %c = onnx.MatMul "product" (%xd, %w) -> ["c"] : (tensor<1x2x8xf32>, tensor<8x8xf32>) -> tensor<1x2x8xf32>
    %q = quant.qcast %c : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>>
    %d = quant.dcast %q : tensor<1x2x8x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x8xf32>
    %t = onnx.Tanh "tanh" (%d) -> ["t"] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %y = quant.qcast %t : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
    onnx.return %y : tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
  }
}

// -----

// What convolutions make with their activations is an image too, and its transpose is found once.
// CHECK-LABEL: onnx.graph "fused"
// CHECK:       onnx.Sigmoid "sigmoid" {{.*}} -> tensor<1x2x8xf32>
// CHECK:       onnx.Mul "mul" {{.*}} -> tensor<1x8x2xf32>
// CHECK-NOT:   onnx.Mul
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "fused" (%x "x" : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x8xf32>
    %w = quant.dcast %k : tensor<2x2x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1xf32>
    %a = onnx.Conv "a" (%xd, %w, _) -> ["a"] : (tensor<1x2x8xf32>, tensor<2x2x1xf32>) -> tensor<1x2x8xf32>
    %t = onnx.Tanh "tanh" (%a) -> ["t"] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %tq = quant.qcast %t : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
    %td = quant.dcast %tq : tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>> to tensor<1x2x8xf32>
    %b = onnx.Conv "b" (%xd, %w, _) -> ["b"] : (tensor<1x2x8xf32>, tensor<2x2x1xf32>) -> tensor<1x2x8xf32>
    %g = onnx.Sigmoid "sigmoid" (%b) -> ["g"] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %gq = quant.qcast %g : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.00392>>
    %gd = quant.dcast %gq : tensor<1x2x8x!quant.uniform<u8:f32, 0.00392>> to tensor<1x2x8xf32>
    %m = onnx.Mul "mul" (%td, %gd) -> ["m"] : (tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
    %y = quant.qcast %m : tensor<1x2x8xf32> to tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
    onnx.return %y : tensor<1x2x8x!quant.uniform<u8:f32, 0.0078:128>>
  }
}
