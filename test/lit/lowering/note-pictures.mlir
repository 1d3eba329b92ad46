// RUN: autosplit-opt %s -p 'note-pictures{preprocess="size=letterbox,pad=114"}' | filecheck %s
// RUN: autosplit-opt %s -p note-pictures | filecheck %s --check-prefix=OWN

// What is said of pictures, and that the model divides the bytes by itself.
// CHECK: device.notes = {preprocess = {x = "size=letterbox,pad=114,color=rgb"}, normalizes = {x = "mean=0,scale=0.003921569,{{.*}}"}}
// OWN:   device.notes = {normalizes = {x = "mean=0,scale=0.003921569,{{.*}}"}}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x3x32x32xf32>) -> ["y"] {
    %all = onnx.initializer "all" () <{value = dense<255.0> : tensor<f32>}> : () -> tensor<f32>
    %y = onnx.Div "div" (%x, %all) -> ["y"] : (tensor<1x3x32x32xf32>, tensor<f32>) -> tensor<1x3x32x32xf32>
    onnx.return %y : tensor<1x3x32x32xf32>
  }
}
