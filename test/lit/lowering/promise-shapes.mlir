// RUN: autosplit-opt %s -p 'infer-shapes,promise-shapes{shapes="n=2,8"}' | filecheck %s
// RUN: autosplit-opt %s -p 'infer-shapes,promise-shapes' | filecheck %s --check-prefix=NONE
// RUN: not autosplit-opt %s -p 'promise-shapes{shapes="m=2,8"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not autosplit-opt %s -p 'promise-shapes{shapes="r=2,8"}' 2>&1 | filecheck %s --check-prefix=KNOWN

// How many values are not zero depends on the data. A promise says it, and what follows is known.
// CHECK: onnx.NonZero "find" {{.+}} {device.promised = ["n"]} {{.+}} -> tensor<2x8xi64>
// CHECK: onnx.Cast "cast" {{.+}} -> tensor<2x8xf32>
// NONE:  onnx.Cast "cast" {{.+}} -> tensor<2x?xf32>
// NAME:  --shape m=2,8: there is no tensor 'm'
// KNOWN: --shape r=2,8: follows from the model to be 1,16
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x16xf32>) -> ["y"] {
    %r = onnx.Relu "relu" (%x) -> ["r"] : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %n = onnx.NonZero "find" (%r) -> ["n"] : (tensor<1x16xf32>) -> tensor<2x?xi64>
    %y = onnx.Cast "cast" (%n) -> ["y"] <{to = 1 : i64}> : (tensor<2x?xi64>) -> tensor<2x?xf32>
    onnx.return %y : tensor<2x?xf32>
  }
}
