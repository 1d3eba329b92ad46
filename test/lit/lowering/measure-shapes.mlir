// RUN: autosplit-opt %s -p infer-shapes,measure-shapes | filecheck %s
// RUN: not autosplit-opt %S/infer-shapes.mlir -p infer-shapes,measure-shapes 2>&1 | filecheck %s --check-prefix=OPEN

// How much the product computes depends on the data, so that the model is run; what the run told is noted, and the
// types stay open, since another run may tell something else.
// CHECK:      device.notes = {work = {product = 64 : i64}, tensors = {
// CHECK-SAME: y = {shape = array<i64: 1, 4>, dtype = "float32"}
// CHECK:      onnx.MatMul "product" {{.+}} -> tensor<?x4xf32>

// OPEN: input 'x': the model leaves its shape open (tensor<?x3x8x8xf32>); give it, as in --input x=1,3,8,8
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
