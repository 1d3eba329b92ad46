// RUN: not autosplit-opt %s -p device-outline 2>&1 | filecheck %s
// RUN: not autosplit-opt %s -p device-cluster 2>&1 | filecheck %s --check-prefix=PLACE
// RUN: not autosplit-opt %s -p 'device-place{pins="relu=tpu;view=tpu"}' 2>&1 | filecheck %s --check-prefix=PIN

// Each pass says what it needs before it.
// CHECK: found no device.plan in the module: run device-cluster first
// PLACE: no op has a placement: run device-place first
// PIN:   pin view=tpu: Reshape 'view' cannot run there: Reshape has operand 0 ('d') of f64
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4xf32>, %d "d" : tensor<1x4xf64>) -> ["y", "v"] {
    %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = onnx.initializer "n" () <{value = dense<4> : tensor<1xi64>}> : () -> tensor<1xi64>
    %v = onnx.Reshape "view" (%d, %n) -> ["v"] : (tensor<1x4xf64>, tensor<1xi64>) -> tensor<4xf64>
    onnx.return %y, %v : tensor<1x4xf32>, tensor<4xf64>
  }
}
