// RUN: autosplit-opt %s -p canonicalize --split-input-file | filecheck %s

// Quantizing what was dequantized by the same parameters gives it back.
// CHECK-LABEL: onnx.graph "same"
// CHECK-NEXT: onnx.return %q
onnx.graph "same" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %d = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.1:3>> to tensor<4xf32>
  %y = quant.qcast %d : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %y : tensor<4x!quant.uniform<u8:f32, 0.1:3>>
}

// -----
// CHECK-LABEL: onnx.graph "there_and_back"
// CHECK-NEXT: onnx.return %i
onnx.graph "there_and_back" (%i "i" : tensor<4xui8>) -> ["y"] {
  %q = quant.scast %i : tensor<4xui8> to tensor<4x!quant.uniform<u8:f32, 0.1:3>>
  %y = quant.scast %q : tensor<4x!quant.uniform<u8:f32, 0.1:3>> to tensor<4xui8>
  onnx.return %y : tensor<4xui8>
}

// -----
// Half rounds to even, and what is too large is the largest.
// CHECK-LABEL: onnx.graph "constant"
// CHECK-NEXT: %[[C:.+]] = onnx.initializer "q" () <{value = dense<[3, 5, 5, 255]> : tensor<4xui8>}>
// CHECK-NEXT: %[[Q:.+]] = quant.scast %[[C]] : tensor<4xui8> to tensor<4x!quant.uniform<u8:f32, 1.0:3>>
// CHECK-NEXT: onnx.return %[[Q]]
onnx.graph "constant" () -> ["y"] {
  %c = onnx.initializer "c" () <{value = dense<[0.5, 1.5, 2.5, 300.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %q = quant.qcast %c {value_names = ["q"]} : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 1.0:3>>
  onnx.return %q : tensor<4x!quant.uniform<u8:f32, 1.0:3>>
}

// -----
// Other parameters: a change of scale, which rounds.
// CHECK-LABEL: onnx.graph "other"
// CHECK: quant.dcast
// CHECK: quant.qcast
onnx.graph "other" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %d = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.1:3>> to tensor<4xf32>
  %y = quant.qcast %d : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.1:4>>
  onnx.return %y : tensor<4x!quant.uniform<u8:f32, 0.1:4>>
}

// -----
// Dequantizing what was quantized is not an identity.
// CHECK-LABEL: onnx.graph "rounds"
// CHECK: quant.qcast
// CHECK: quant.dcast
onnx.graph "rounds" (%x "x" : tensor<4xf32>) -> ["y"] {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.1:3>>
  %y = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.1:3>> to tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// float32 does not tell integers of 32 bits apart.
// CHECK-LABEL: onnx.graph "wide"
// CHECK: quant.dcast
// CHECK: quant.qcast
onnx.graph "wide" (%q "q" : tensor<4x!quant.uniform<i32:f32, 0.1>>) -> ["y"] {
  %d = quant.dcast %q : tensor<4x!quant.uniform<i32:f32, 0.1>> to tensor<4xf32>
  %y = quant.qcast %d : tensor<4xf32> to tensor<4x!quant.uniform<i32:f32, 0.1>>
  onnx.return %y : tensor<4x!quant.uniform<i32:f32, 0.1>>
}

// -----
// 255 times this scale is infinite.
// CHECK-LABEL: onnx.graph "overflow"
// CHECK: quant.dcast
// CHECK: quant.qcast
onnx.graph "overflow" (%q "q" : tensor<4x!quant.uniform<u8:f32, 3.0e38>>) -> ["y"] {
  %d = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 3.0e38>> to tensor<4xf32>
  %y = quant.qcast %d : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 3.0e38>>
  onnx.return %y : tensor<4x!quant.uniform<u8:f32, 3.0e38>>
}

// -----
// Stored integers read by other parameters.
// CHECK-LABEL: onnx.graph "reread"
// CHECK: quant.scast
// CHECK: quant.scast
onnx.graph "reread" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1>>) -> ["y"] {
  %i = quant.scast %q : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xui8>
  %y = quant.scast %i : tensor<4xui8> to tensor<4x!quant.uniform<u8:f32, 0.2>>
  onnx.return %y : tensor<4x!quant.uniform<u8:f32, 0.2>>
}
