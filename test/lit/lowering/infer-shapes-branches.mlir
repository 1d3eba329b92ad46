// RUN: autosplit-opt %s -p infer-shapes | filecheck %s
// RUN: autosplit-opt %s -p infer-shapes,device-place,device-cluster,device-outline -t 'onnx-text{graph=0}' | filecheck %s --check-prefix=TEXT

// An If whose condition the sizes tell says which branch it takes. The branches stay, the other one as it
// makes no sense for these sizes; the sub-model is written with the branch that is taken.
// CHECK:      onnx.If "if" ({{.+}}) -> ["z"] {onnx.taken = "else_branch"} ({
// CHECK:        onnx.Squeeze "one"
// CHECK:        onnx.Neg "other"
// CHECK:      -> tensor<1x3xf32>

// TEXT:     c = Equal (g, one)
// TEXT-NOT: If
// TEXT:     [other] z = Neg (x)
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 8 : i64, onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x3xf32>) -> ["z"] {
    %i = onnx.initializer "one" () <{value = dense<1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %s = onnx.Shape "" (%x) -> ["s"] : (tensor<1x3xf32>) -> !platform.unknown
    %g = onnx.Gather "" (%s, %i) -> ["g"] : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %c = onnx.Equal "" (%g, %i) -> ["c"] : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %z = onnx.If "if" (%c) -> ["z"] ({
      onnx.graph "then" () -> ["a"] {
        %a = onnx.Squeeze "one" (%x, %i) -> ["a"] : (tensor<1x3xf32>, tensor<1xi64>) -> !platform.unknown
        onnx.return %a : !platform.unknown
      }
    }, {
      onnx.graph "else" () -> ["b"] {
        %b = onnx.Neg "other" (%x) -> ["b"] : (tensor<1x3xf32>) -> !platform.unknown
        onnx.return %b : !platform.unknown
      }
    }) : (!platform.unknown) -> !platform.unknown
    onnx.return %z : !platform.unknown
  }
}
