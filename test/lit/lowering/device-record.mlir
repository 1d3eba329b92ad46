// RUN: autosplit-opt %s -p 'infer-shapes,measure-shapes,device-place,device-cluster,device-record{layout=NHWC}' | filecheck %s
// RUN: autosplit-opt %s -p 'infer-shapes,device-place,device-cluster,device-record' | filecheck %s --check-prefix=ALONE
// RUN: not autosplit-opt %s -p device-record 2>&1 | filecheck %s --check-prefix=EARLY

// The plan has what the passes noted of its borders; what they did not note is measured.
// CHECK-NOT:  device.notes
// CHECK:      layout = "NHWC", dynamic = false, mode = "F32", tensors = {y = {shape = array<i64: 1, 4>, dtype = "float32"}}
// ALONE:      layout = "NCHW", dynamic = false, mode = "F32", tensors = {y = {shape = array<i64: 1, 4>, dtype = "float32"}}
// EARLY: found no device.plan in the module: run device-cluster first
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 8 : i64, onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x16xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<16x4xf32>}> : () -> tensor<16x4xf32>
    %n = onnx.NonZero "find" (%x) -> ["n"] : (tensor<1x16xf32>) -> tensor<2x?xi64>
    %t = onnx.Transpose "rows" (%n) -> ["t"] : (tensor<2x?xi64>) -> tensor<?x2xi64>
    %g = onnx.GatherND "pick" (%x, %t) -> ["g"] : (tensor<1x16xf32>, tensor<?x2xi64>) -> tensor<?xf32>
    %s = onnx.initializer "s" () <{value = dense<[-1, 16]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %v = onnx.Reshape "view" (%g, %s) -> ["v"] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x16xf32>
    %y = onnx.MatMul "product" (%v, %w) -> ["y"] : (tensor<?x16xf32>, tensor<16x4xf32>) -> tensor<?x4xf32>
    onnx.return %y : tensor<?x4xf32>
  }
}
