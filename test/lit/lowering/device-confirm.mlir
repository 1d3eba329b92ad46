// RUN: autosplit-opt %s --split-input-file -p device-cluster,device-confirm | filecheck %s
// RUN: not autosplit-opt %S/Inputs/confirm-pinned.mlir -p device-cluster,device-confirm 2>&1 | filecheck %s --check-prefix=PINNED
// RUN: not autosplit-opt %S/Inputs/confirm-pinned.mlir -p device-confirm 2>&1 | filecheck %s --check-prefix=EARLY

// What is known of the whole model need not be known in a sub-model, which gets `x` from the CPU with any size:
// `same` leaves the TPU, with the reason, and the model is clustered again. The Relu stays.
// CHECK:      onnx.Relu "relu"
// CHECK-SAME: device.accepts = ["cpu", "tpu"], device.work = 9 : i64, device.stage = 0
// CHECK:      onnx.NonZero "find"
// CHECK-SAME: device.accepts = ["cpu"], device.stage = 1
// CHECK:      onnx.Identity "same"
// CHECK-SAME: device.accepts = ["cpu"]
// CHECK-SAME: device.refused = {tpu = #device.reason<"dynamic-shape", "Identity gives input 'n', whose sizes are unknown">}, device.stage = 1
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "half" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %r = onnx.Relu "relu" (%x) -> ["r"] {device.accepts = ["cpu", "tpu"], device.work = 9 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %n = onnx.NonZero "find" (%r) -> ["n"] {device.accepts = ["cpu"]} : (tensor<1x4xf32>) -> tensor<2x?xi64>
    %y = onnx.Identity "same" (%n) -> ["y"] {device.accepts = ["cpu", "tpu"], device.work = 9 : i64} : (tensor<2x?xi64>) -> tensor<2x?xi64>
    onnx.return %y : tensor<2x?xi64>
  }
}

// PINNED: Identity 'same' is pinned to the TPU, and its sub-model cannot hold it: Identity gives input 'x', whose sizes are unknown; leave the pin out
// EARLY: found no device.plan in the module: run device-cluster first
