// RUN: autosplit-opt %s -p quant-lift --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-lift{over=Reshape}' --split-input-file | filecheck %s --check-prefix=RESHAPE

// The heads of an attention: the product is quantized, then its integers are moved.
// CHECK-LABEL: onnx.graph "heads"
// CHECK-NEXT: %sizes = onnx.initializer
// CHECK-NEXT: %[[M:.+]] = onnx.MatMul
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[M]] {node_name = "q", value_names = ["r__quantized"]} : tensor<6x8xf32> to tensor<6x8x!quant.uniform<u8:f32, 0.1:3>>
// CHECK-NEXT: %[[I:.+]] = quant.scast %[[Q]]
// CHECK-NEXT: %[[R:.+]] = onnx.Reshape "reshape" (%[[I]], %sizes) -> ["t__quantized"] : (tensor<6x8xui8>, tensor<3xi64>) -> tensor<6x2x4xui8>
// CHECK-NEXT: %[[T:.+]] = onnx.Transpose "transpose" (%[[R]]) -> ["t_q"] <{perm = array<i64: 1, 0, 2>}> : (tensor<6x2x4xui8>) -> tensor<2x6x4xui8>
// CHECK-NEXT: %[[S:.+]] = quant.scast %[[T]] {value_names = ["t_q"]} : tensor<2x6x4xui8> to tensor<2x6x4x!quant.uniform<u8:f32, 0.1:3>>
// CHECK-NEXT: onnx.return %[[S]]
// RESHAPE-LABEL: onnx.graph "heads"
// RESHAPE: onnx.Reshape
// RESHAPE: onnx.Transpose
// RESHAPE: quant.qcast
onnx.graph "heads" (%a "a" : tensor<6x8xf32>, %b "b" : tensor<8x8xf32>) -> ["y"] {
  %sizes = onnx.initializer "sizes" () <{value = dense<[6, 2, 4]> : tensor<3xi64>}> : () -> tensor<3xi64>
  %m = onnx.MatMul "mm" (%a, %b) -> ["m"] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %r = onnx.Reshape "reshape" (%m, %sizes) -> ["r"] : (tensor<6x8xf32>, tensor<3xi64>) -> tensor<6x2x4xf32>
  %t = onnx.Transpose "transpose" (%r) -> ["t"] <{perm = array<i64: 1, 0, 2>}> : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
  %q = quant.qcast %t {node_name = "q", value_names = ["t_q"]} : tensor<2x6x4xf32> to tensor<2x6x4x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %q : tensor<2x6x4x!quant.uniform<u8:f32, 0.1:3>>
}

// -----
// Something else reads what is viewed: that is no hindrance.
// CHECK-LABEL: onnx.graph "source"
// CHECK-NEXT: quant.qcast %x
// RESHAPE-LABEL: onnx.graph "source"
onnx.graph "source" (%x "x" : tensor<2x3xf32>) -> ["y", "x"] {
  %f = onnx.Flatten "f" (%x) -> ["f"] <{axis = 0 : i64}> : (tensor<2x3xf32>) -> tensor<1x6xf32>
  %q = quant.qcast %f : tensor<1x6xf32> to tensor<1x6x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %q, %x : tensor<1x6x!quant.uniform<u8:f32, 0.1:3>>, tensor<2x3xf32>
}

// -----
// Something else reads the view.
// CHECK-LABEL: onnx.graph "shared"
// CHECK-NEXT: onnx.Transpose
// CHECK-NEXT: quant.qcast
// RESHAPE-LABEL: onnx.graph "shared"
onnx.graph "shared" (%x "x" : tensor<2x3xf32>) -> ["y", "t"] {
  %t = onnx.Transpose "t" (%x) -> ["t"] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %q = quant.qcast %t : tensor<3x2xf32> to tensor<3x2x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %q, %t : tensor<3x2x!quant.uniform<u8:f32, 0.1:3>>, tensor<3x2xf32>
}

// -----
// A scale for each channel.
// CHECK-LABEL: onnx.graph "channels"
// CHECK-NEXT: onnx.Transpose
// CHECK-NEXT: quant.qcast
// RESHAPE-LABEL: onnx.graph "channels"
onnx.graph "channels" (%x "x" : tensor<2x3xf32>) -> ["y"] {
  %t = onnx.Transpose "t" (%x) -> ["t"] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %q = quant.qcast %t : tensor<3x2xf32> to tensor<3x2x!quant.uniform<u8:f32:1, {0.1, 0.2}>>
  onnx.return %q : tensor<3x2x!quant.uniform<u8:f32:1, {0.1, 0.2}>>
}

// -----
// What computes values is not a view.
// CHECK-LABEL: onnx.graph "computes"
// CHECK-NEXT: onnx.Relu
// CHECK-NEXT: quant.qcast
// RESHAPE-LABEL: onnx.graph "computes"
onnx.graph "computes" (%x "x" : tensor<2x3xf32>) -> ["y"] {
  %t = onnx.Relu "t" (%x) -> ["t"] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %q = quant.qcast %t : tensor<2x3xf32> to tensor<2x3x!quant.uniform<u8:f32, 0.1>>
  onnx.return %q : tensor<2x3x!quant.uniform<u8:f32, 0.1>>
}

// -----
// Quantizing what was dequantized by the same type is the integers themselves: only the view is left.
// CHECK-LABEL: onnx.graph "cancelled"
// CHECK-NOT: quant.qcast
// CHECK-NOT: quant.dcast
// CHECK: onnx.Flatten "view" (%{{.+}}) -> ["y"]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "cancelled" (%x "x" : tensor<1x4x1x1x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %d = quant.dcast %x : tensor<1x4x1x1x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x4x1x1xf32>
    %v = onnx.Flatten "view" (%d) -> ["v"] : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
    %y = quant.qcast %v {node_name = "q", value_names = ["y"]} : tensor<1x4xf32> to tensor<1x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// The largest of rounded numbers is the largest one, rounded: the pool is one of bytes.
// CHECK-LABEL: onnx.graph "pooled"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[C]]
// CHECK-NEXT: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[P:.+]] = onnx.MaxPool "pool" (%[[D]])
// CHECK-NEXT: quant.qcast %[[P]]
onnx.graph "pooled" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
  %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
  %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
  %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %p = onnx.MaxPool "pool" (%c) -> ["p"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %y = quant.qcast %p : tensor<1x2x2x2xf32> to tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %y : tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>>
}
