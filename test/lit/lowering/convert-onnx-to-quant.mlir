// RUN: autosplit-opt %s -p convert-onnx-to-quant --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'convert-onnx-to-quant{operators=false}' --split-input-file | filecheck %s --check-prefix=NODES

// The scales go into the types; the nodes' names stay.
// CHECK-LABEL: onnx.graph "linear"
// CHECK-NEXT: %w = onnx.initializer "w"
// CHECK-NEXT: %[[XQ:.+]] = quant.qcast %x {node_name = "q_x", value_names = ["x_q"], source = {inputs = ["s", "z"]}} : tensor<2x4xf32> to tensor<2x4x!quant.uniform<u8:f32, 0.02:128>>
// CHECK-NEXT: %[[X:.+]] = quant.dcast %[[XQ]] {node_name = "d_x", {{.*}} : tensor<2x4x!quant.uniform<u8:f32, 0.02:128>> to tensor<2x4xf32>
// CHECK-NEXT: %[[WQ:.+]] = quant.scast %w {value_names = ["w"]} : tensor<4x3xi8> to tensor<4x3x!quant.uniform<i8:f32:1, {0.1, 0.2, 0.3}>>
// CHECK-NEXT: %[[W:.+]] = quant.dcast %[[WQ]]
// CHECK-NEXT: onnx.MatMul "mm" (%[[X]], %[[W]])
onnx.graph "linear" (%x "x" : tensor<2x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<2> : tensor<4x3xi8>}> : () -> tensor<4x3xi8>
  %s = onnx.initializer "s" () <{value = dense<0.02> : tensor<f32>}> : () -> tensor<f32>
  %z = onnx.initializer "z" () <{value = dense<128> : tensor<ui8>}> : () -> tensor<ui8>
  %ws = onnx.initializer "ws" () <{value = dense<[0.1, 0.2, 0.3]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %x_q = onnx.QuantizeLinear "q_x" (%x, %s, %z) -> ["x_q"] : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  %x_d = onnx.DequantizeLinear "d_x" (%x_q, %s, %z) -> ["x_d"] : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xf32>
  %w_d = onnx.DequantizeLinear "d_w" (%w, %ws) -> ["w_d"] <{axis = -1 : i64}> : (tensor<4x3xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %y = onnx.MatMul "mm" (%x_d, %w_d) -> ["y"] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  onnx.return %y : tensor<2x3xf32>
}

// -----
// Integers that other nodes read are what they are; without a zero point they are uint8.
// CHECK-LABEL: onnx.graph "pool"
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %x {{.*}} to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1>>
// CHECK-NEXT: %[[I:.+]] = quant.scast %[[Q]] {{.*}} to tensor<1x1x4x4xui8>
// CHECK-NEXT: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[P:.+]] = onnx.MaxPool "pool" (%[[I]])
// CHECK-NEXT: onnx.return %[[P]], %[[I]], %[[D]]
onnx.graph "pool" (%x "x" : tensor<1x1x4x4xf32>) -> ["y", "i", "d"] {
  %s = onnx.initializer "s" () <{value = dense<0.1> : tensor<1xf32>}> : () -> tensor<1xf32>
  %q = onnx.QuantizeLinear "q" (%x, %s) -> ["i"] : (tensor<1x1x4x4xf32>, tensor<1xf32>) -> tensor<1x1x4x4xui8>
  %d = onnx.DequantizeLinear "d" (%q, %s) -> ["d"] : (tensor<1x1x4x4xui8>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  %y = onnx.MaxPool "pool" (%q) -> ["y"] <{kernel_shape = array<i64: 2, 2>}> : (tensor<1x1x4x4xui8>) -> tensor<1x1x3x3xui8>
  onnx.return %y, %q, %d : tensor<1x1x3x3xui8>, tensor<1x1x4x4xui8>, tensor<1x1x4x4xf32>
}

// -----
// Dequantized by other parameters than it was quantized by: the integers lie in between.
// CHECK-LABEL: onnx.graph "other"
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %x {{.*}} to tensor<4x!quant.uniform<i8:f32, 0.1>>
// CHECK-NEXT: %[[I:.+]] = quant.scast %[[Q]] {{.*}} to tensor<4xi8>
// CHECK-NEXT: %[[R:.+]] = quant.scast %[[I]] {{.*}} to tensor<4x!quant.uniform<i8:f32, 0.2>>
// CHECK-NEXT: quant.dcast %[[R]]
onnx.graph "other" (%x "x" : tensor<4xf32>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
  %t = onnx.initializer "t" () <{value = dense<0.2> : tensor<f32>}> : () -> tensor<f32>
  %z = onnx.initializer "z" () <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
  %q = onnx.QuantizeLinear "q" (%x, %s, %z) -> ["q"] : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  %y = onnx.DequantizeLinear "d" (%q, %t, %z) -> ["y"] : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// ONNX Runtime's own op of the same name.
// CHECK-LABEL: onnx.graph "microsoft"
// CHECK-NEXT: quant.qcast %x {node_name = "q", value_names = ["y"], source = {inputs = ["s", "z"], domain = "com.microsoft"}} : tensor<4xf32> to tensor<4x!quant.uniform<u16:f32, 0.1:9>>
onnx.graph "microsoft" (%x "x" : tensor<4xf32>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
  %z = onnx.initializer "z" () <{value = dense<9> : tensor<ui16>}> : () -> tensor<ui16>
  %q = onnx.opaque "q" (%x, %s, %z) -> ["y"] <{op_type = "QuantizeLinear", domain = "com.microsoft"}> : (tensor<4xf32>, tensor<f32>, tensor<ui16>) -> tensor<4xui16>
  onnx.return %q : tensor<4xui16>
}

// -----
// A scale that the model computes.
// CHECK-LABEL: onnx.graph "computed"
// CHECK: onnx.QuantizeLinear {{.*}} {quant.refused = #device.reason<"dynamic-scale", "the scale 's' is computed">}
onnx.graph "computed" (%x "x" : tensor<4xf32>, %s "s" : tensor<f32>) -> ["y"] {
  %q = onnx.QuantizeLinear "q" (%x, %s) -> ["y"] : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  onnx.return %q : tensor<4xui8>
}

// -----
// CHECK-LABEL: onnx.graph "blocks"
// CHECK: onnx.DequantizeLinear {{.*}} {quant.refused = #device.reason<"blocked", "it quantizes in blocks; types have one scale, or one a channel">}
onnx.graph "blocks" (%x "x" : tensor<4x2xi8>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.1> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %y = onnx.DequantizeLinear "d" (%x, %s) -> ["y"] <{axis = 0 : i64, block_size = 2 : i64}> : (tensor<4x2xi8>, tensor<2x2xf32>) -> tensor<4x2xf32>
  onnx.return %y : tensor<4x2xf32>
}

// -----
// CHECK-LABEL: onnx.graph "float8"
// CHECK: onnx.QuantizeLinear {{.*}} {quant.refused = #device.reason<"dtype", "its integers are f8E4M3FN">}
onnx.graph "float8" (%x "x" : tensor<4xf32>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
  %z = onnx.initializer "z" () <{value = #onnx.bits<"00" : tensor<f8E4M3FN>>}> : () -> tensor<f8E4M3FN>
  %q = onnx.QuantizeLinear "q" (%x, %s, %z) -> ["y"] <{saturate = 1 : i64}> : (tensor<4xf32>, tensor<f32>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
  onnx.return %q : tensor<4xf8E4M3FN>
}

// -----
// CHECK-LABEL: onnx.graph "half"
// CHECK: onnx.QuantizeLinear {{.*}} {quant.refused = #device.reason<"dtype", "the scale is float16, the casts are of float32">}
onnx.graph "half" (%x "x" : tensor<4xf16>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f16>}> : () -> tensor<f16>
  %q = onnx.QuantizeLinear "q" (%x, %s) -> ["y"] : (tensor<4xf16>, tensor<f16>) -> tensor<4xui8>
  onnx.return %q : tensor<4xui8>
}

// -----
// CHECK-LABEL: onnx.graph "subnormal"
// CHECK: onnx.QuantizeLinear {{.*}} {quant.refused = #device.reason<"subnormal-scale", "a scale is smaller than any normal float32">}
onnx.graph "subnormal" (%x "x" : tensor<4xf32>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = #onnx.bits<"01000000" : tensor<f32>>}> : () -> tensor<f32>
  %q = onnx.QuantizeLinear "q" (%x, %s) -> ["y"] : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  onnx.return %q : tensor<4xui8>
}

// -----
// Of a tensor without a rank nobody knows which dimension the last one is.
// CHECK-LABEL: onnx.graph "rank"
// CHECK: onnx.QuantizeLinear {{.*}} {quant.refused = #device.reason<"dynamic-shape", "axis -1 of a tensor of unknown rank">}
onnx.graph "rank" (%x "x" : tensor<*xf32>) -> ["y"] {
  %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<2xf32>}> : () -> tensor<2xf32>
  %q = onnx.QuantizeLinear "q" (%x, %s) -> ["y"] <{axis = -1 : i64}> : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xui8>
  onnx.return %q : tensor<*xui8>
}

// -----
// An op on quantized tensors is the op on real numbers between casts; the bias has the product of the scales.
// CHECK-LABEL: onnx.graph "operator"
// CHECK: quant.scast %w {{.*}} to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
// CHECK: quant.scast %b {{.*}} to tensor<2x!quant.uniform<i32:f32:0, {0.25, 0.125}>>
// CHECK: %[[C:.+]] = onnx.Conv "conv" (%{{.+}}, %{{.+}}, %{{.+}}) -> ["y__real"] <{kernel_shape = array<i64: 1, 1>}>
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[C]] {{.*}} to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>
// CHECK-NEXT: quant.scast %[[Q]] {value_names = ["y"]}
// NODES-LABEL: onnx.graph "operator"
// NODES: onnx.QLinearConv
onnx.graph "operator" (%x "x" : tensor<1x1x4x4xui8>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[[[1]]], [[[2]]]]> : tensor<2x1x1x1xi8>}> : () -> tensor<2x1x1x1xi8>
  %b = onnx.initializer "b" () <{value = dense<[7, -7]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
  %t = onnx.initializer "t" () <{value = dense<[0.5, 0.25]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %u = onnx.initializer "u" () <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
  %z = onnx.initializer "z" () <{value = dense<3> : tensor<ui8>}> : () -> tensor<ui8>
  %n = onnx.initializer "n" () <{value = dense<0> : tensor<2xi8>}> : () -> tensor<2xi8>
  %y = onnx.QLinearConv "conv" (%x, %s, %z, %w, %t, %n, %u, %z, %b) -> ["y"] <{kernel_shape = array<i64: 1, 1>}> : (tensor<1x1x4x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x1x1x1xi8>, tensor<2xf32>, tensor<2xi8>, tensor<f32>, tensor<ui8>, tensor<2xi32>) -> tensor<1x2x4x4xui8>
  onnx.return %y : tensor<1x2x4x4xui8>
}

// -----
// One whose scale is computed stays.
// CHECK-LABEL: onnx.graph "computed_operator"
// CHECK-NEXT: onnx.opaque
// NODES-LABEL: onnx.graph "computed_operator"
onnx.graph "computed_operator" (%x "x" : tensor<4xui8>, %s "s" : tensor<f32>, %z "z" : tensor<ui8>) -> ["y"] {
  %y = onnx.opaque "n" (%x, %s, %z, %s, %z) -> ["y"] <{op_type = "QLinearSigmoid", domain = "com.microsoft"}> : (tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  onnx.return %y : tensor<4xui8>
}
