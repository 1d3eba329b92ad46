// RUN: autosplit-opt %s -p quant-split-dequant --split-input-file | filecheck %s

// A residual: the convolution and the sum each dequantize for themselves.
// CHECK-LABEL: onnx.graph "residual"
// CHECK-NEXT: %[[A:.+]] = quant.dcast %q {node_name = "d", value_names = ["x"]}
// CHECK-NEXT: %[[B:.+]] = quant.dcast %q {node_name = "d", value_names = ["x__copy"]}
// CHECK-NEXT: %[[R:.+]] = onnx.Sigmoid "s" (%[[A]])
// CHECK-NEXT: onnx.Add "add" (%[[R]], %[[B]])
onnx.graph "residual" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1>>) -> ["y"] {
  %d = quant.dcast %q {node_name = "d", value_names = ["x"]} : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %r = onnx.Sigmoid "s" (%d) -> ["r"] : (tensor<4xf32>) -> tensor<4xf32>
  %y = onnx.Add "add" (%r, %d) -> ["y"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// A cast between dequantize and users is copied, and then the dequantize and the cast of the weight.
// CHECK-LABEL: onnx.graph "casts"
// CHECK-COUNT-2: quant.scast
// CHECK-COUNT-2: quant.dcast
// CHECK-COUNT-2: onnx.Cast
// CHECK: onnx.Add
onnx.graph "casts" (%w "w" : tensor<4xi8>) -> ["y"] {
  %q = quant.scast %w : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 0.1>>
  %d = quant.dcast %q {node_name = "d", value_names = ["w_d"]} : tensor<4x!quant.uniform<i8:f32, 0.1>> to tensor<4xf32>
  %c = onnx.Cast "c" (%d) -> ["w_c"] <{to = 16 : i64}> : (tensor<4xf32>) -> tensor<4xbf16>
  %y = onnx.Add "add" (%c, %c) -> ["y"] : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  onnx.return %y : tensor<4xbf16>
}

// -----
// What a caller reads has the model's name, though it is not the first to read it.
// CHECK-LABEL: onnx.graph "output"
// CHECK-NEXT: %[[D:.+]] = quant.dcast %q {value_names = ["d"]}
// CHECK-NEXT: %[[C:.+]] = quant.dcast %q {value_names = ["d__copy"]}
// CHECK-NEXT: onnx.Relu "r" (%[[C]])
// CHECK-NEXT: onnx.return %{{.+}}, %[[D]]
onnx.graph "output" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1>>) -> ["y", "d"] {
  %d = quant.dcast %q {value_names = ["d"]} : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %y = onnx.Relu "r" (%d) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----
// One user each; a quantize may have several; a cast of what is not dequantized is left alone.
// CHECK-LABEL: onnx.graph "alone"
// CHECK-NEXT: quant.qcast
// CHECK-NEXT: quant.dcast
// CHECK-NEXT: quant.scast
// CHECK-NEXT: onnx.Cast
// CHECK-NEXT: onnx.Add
onnx.graph "alone" (%x "x" : tensor<4xf32>) -> ["y", "d", "i"] {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.1>>
  %d = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %i = quant.scast %q : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xui8>
  %c = onnx.Cast "c" (%x) -> ["c"] <{to = 16 : i64}> : (tensor<4xf32>) -> tensor<4xbf16>
  %y = onnx.Add "add" (%c, %c) -> ["y"] : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  onnx.return %y, %d, %i : tensor<4xbf16>, tensor<4xf32>, tensor<4xui8>
}
