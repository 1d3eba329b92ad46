// RUN: autosplit-opt %s -p 'infer-shapes,device-place{dynamic=true},device-weigh{dynamic=true inputs="x=8x16"}' | filecheck %s
// RUN: autosplit-opt %s -p 'infer-shapes,device-place{dynamic=true},device-weigh' | filecheck %s --check-prefix=ONE

// How many rows there are varies: the work is that of the most rows, not of one.
// CHECK: onnx.MatMul "product" {{.+}} device.work = 512 : i64
// ONE:   onnx.MatMul "product" {{.+}} device.work = 64 : i64
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<?x16xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<16x4xf32>}> : () -> tensor<16x4xf32>
    %y = onnx.MatMul "product" (%x, %w) -> ["y"] : (tensor<?x16xf32>, tensor<16x4xf32>) -> tensor<?x4xf32>
    onnx.return %y : tensor<?x4xf32>
  }
}
