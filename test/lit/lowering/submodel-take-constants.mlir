// RUN: autosplit-opt %s -p normalize-onnx,submodel-take-constants | filecheck %s

// The number of anchors follows from the size of the input alone: the network does not give it.
// CHECK: device.constants = {anchors = dense<[1, 16]> : tensor<2xi64>}
// CHECK: onnx.graph "g" (%x "x" : tensor<1x16xf32>) -> ["y"]
// CHECK: onnx.return %y : tensor<1x16xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x16xf32>) -> ["y", "anchors"] {
    %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %n = onnx.Shape "shape" (%y) -> ["anchors"] : (tensor<1x16xf32>) -> tensor<2xi64>
    onnx.return %y, %n : tensor<1x16xf32>, tensor<2xi64>
  }
}
