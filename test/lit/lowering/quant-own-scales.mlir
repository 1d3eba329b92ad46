// RUN: autosplit-opt %s -p quant-own-scales | filecheck %s

// A chip is told the steps of what it holds as integers; the pair is gone. The zero point is the least integer:
// no number is negative, which the Relu says that quantizers leave out.
// CHECK: device.border_scales = {qx = ["int8", 2.500000e-01 : f64, 0 : i64]}
// CHECK-SAME: device.value_scales = {qx = ["int8", 2.500000e-01 : f64, 0 : i64], q__relu = ["uint8", 5.000000e-01 : f64, 0 : i64]}
// CHECK: onnx.graph "g" (%qx "qx" : tensor<1x16xf32>) -> ["y"]
// CHECK-NOT: Linear
// CHECK: onnx.Relu
// CHECK-NEXT: onnx.Tanh
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%qx "qx" : tensor<1x16xi8>) -> ["y"] {
    %sx = onnx.initializer "sx" () <{value = dense<0.25> : tensor<f32>}> : () -> tensor<f32>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %z = onnx.initializer "z" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %x = onnx.DequantizeLinear "dqx" (%qx, %sx) -> ["x"] : (tensor<1x16xi8>, tensor<f32>) -> tensor<1x16xf32>
    %r = onnx.Neg "neg" (%x) -> ["r"] : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %q = onnx.QuantizeLinear "q" (%r, %s, %z) -> ["q"] : (tensor<1x16xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x16xui8>
    %d = onnx.DequantizeLinear "dq" (%q, %s, %z) -> ["d"] : (tensor<1x16xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x16xf32>
    %y = onnx.Tanh "tanh" (%d) -> ["y"] : (tensor<1x16xf32>) -> tensor<1x16xf32>
    onnx.return %y : tensor<1x16xf32>
  }
}
