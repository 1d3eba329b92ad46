// RUN: autosplit-opt %s --pipeline place | filecheck %s
// RUN: autosplit-opt %s -p place | filecheck %s
// RUN: autosplit-opt %s -p infer-shapes,device-place,device-cluster | filecheck %s
// RUN: autosplit-opt %s --pipeline 'place{target=bm1684x}' | filecheck %s --check-prefix=X
// RUN: not autosplit-opt %s --pipeline 'place{chip=bm1684x}' 2>&1 | filecheck %s --check-prefix=OPTION

// The model is whole, with a place for each op and the plan. Options go to all passes that have them.
// CHECK:      target = "bm1684",
// CHECK-SAME: stages = [#device.target<tpu, "bm1684">, #device.target<cpu>]
// CHECK:      onnx.graph "g"
// CHECK:      onnx.MatMul "multiply" {{.+}} {device.accepts = ["cpu", "tpu"], device.work = 16 : i64, device.stage = 0 : i64}
// CHECK:      onnx.Cast "half" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"dtype", {{.+}}, device.stage = 1 : i64}
// X:          target = "bm1684x",
// X-SAME:     stages = [#device.target<tpu, "bm1684x">]
// X:          onnx.Cast "half" {{.+}} {device.accepts = ["cpu", "tpu"], device.stage = 0 : i64}
// OPTION:     pipeline 'place': none of its passes has the option 'chip'
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %r = onnx.MatMul "multiply" (%x, %w) -> ["r"] : (tensor<1x4xf32>, tensor<4x4xf32>) -> !platform.unknown
    %y = onnx.Cast "half" (%r) -> ["y"] <{to = 10 : i64}> : (!platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
