// RUN: autosplit-opt %s -p 'quant-fold-zero-points' --split-input-file --no-locations | filecheck %s

// The integers are dequantized as if their zero point were 0, and the bias has the rest: -0.1 * 7 * (2 + 4) * 0.5.
// CHECK-LABEL: onnx.graph "conv"
// CHECK: %[[S:.+]] = quant.scast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x2x4x4xui8>
// CHECK-NEXT: %[[Z:.+]] = quant.scast %[[S]] : tensor<1x2x4x4xui8> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>>
// CHECK-NEXT: %[[A:.+]] = quant.dcast %[[Z]]
// CHECK-NEXT: %[[B:.+]] = onnx.initializer "c__bias" () <{value = dense<-2.1{{[0-9]*}}> : tensor<1xf32>}>
// CHECK-NEXT: onnx.Conv "conv" (%[[A]], %{{.+}}, %[[B]]) -> ["c"]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "conv" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["c"] {
    %a = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x2x4x4xf32>
    %w = onnx.initializer "w" () <{value = dense<[[[[2]], [[4]]]]> : tensor<1x2x1x1xi8>}> : () -> tensor<1x2x1x1xi8>
    %q = quant.scast %w : tensor<1x2x1x1xi8> to tensor<1x2x1x1x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<1x2x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<1x2x1x1xf32>
    %c = onnx.Conv "conv" (%a, %r) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
    onnx.return %c : tensor<1x1x4x4xf32>
  }
}

// -----

// Padding is the number 0, and that is the zero point.
// CHECK-LABEL: onnx.graph "padded"
// CHECK: %[[A:.+]] = quant.dcast %x
// CHECK: onnx.Conv "conv" (%[[A]], %{{[^,]+}}) -> ["c"]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "padded" (%x "x" : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["c"] {
    %a = quant.dcast %x : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x1x4x4xf32>
    %w = onnx.initializer "w" () <{value = dense<2> : tensor<1x1x3x3xi8>}> : () -> tensor<1x1x3x3xi8>
    %q = quant.scast %w : tensor<1x1x3x3xi8> to tensor<1x1x3x3x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<1x1x3x3x!quant.uniform<i8:f32, 0.5>> to tensor<1x1x3x3xf32>
    %c = onnx.Conv "conv" (%a, %r) -> ["c"] <{pads = array<i64: 1, 1, 1, 1>}> : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
    onnx.return %c : tensor<1x1x4x4xf32>
  }
}

// -----

// What a MatMul is added to is its bias.
// CHECK-LABEL: onnx.graph "rows"
// CHECK: %[[M:.+]] = onnx.MatMul "product"
// CHECK: onnx.Add "sum" (%[[M]], %m__bias) -> ["s"]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<4x2x!quant.uniform<u8:f32, 0.1:7>>) -> ["s"] {
    %a = quant.dcast %x : tensor<4x2x!quant.uniform<u8:f32, 0.1:7>> to tensor<4x2xf32>
    %w = onnx.initializer "w" () <{value = dense<2> : tensor<2x3xi8>}> : () -> tensor<2x3xi8>
    %q = quant.scast %w : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<2x3x!quant.uniform<i8:f32, 0.5>> to tensor<2x3xf32>
    %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<3xf32>}> : () -> tensor<3xf32>
    %m = onnx.MatMul "product" (%a, %r) -> ["m"] : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %s = onnx.Add "sum" (%m, %b) -> ["s"] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    onnx.return %s : tensor<4x3xf32>
  }
}
