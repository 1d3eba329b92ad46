// RUN: autosplit-opt %s -p 'device-place{pins="fir.*=cpu"}' | filecheck %s --check-prefix=CPU
// RUN: autosplit-opt %s -p 'device-place{pins="second=tpu;third=cpu"}' | filecheck %s --check-prefix=TPU
// RUN: autosplit-opt %s -p 'device-place{pins="first=cpu"},device-place{target=bm1684x}' | filecheck %s --check-prefix=X
// RUN: autosplit-opt %s -p 'device-place{dynamic=true target=bm1684x}' | filecheck %s --check-prefix=DYNAMIC
// RUN: autosplit-opt %s -p 'device-place{dynamic=true}' | filecheck %s --check-prefix=ALONE

// A pin takes the other device away, and says that it was the user's wish. It matches whole names.
// CPU:      onnx.Relu "first" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"pinned", "pinned to the CPU by 'fir.*'">}}
// CPU-NEXT: onnx.Relu "second" {{.+}} {device.accepts = ["cpu", "tpu"]}
// TPU:      onnx.Relu "first" {{.+}} {device.accepts = ["cpu", "tpu"]}
// TPU-NEXT: onnx.Relu "second" {{.+}} {device.accepts = ["tpu"], device.refused = {cpu = #device.reason<"pinned", "pinned to the TPU by 'second'">}}
// TPU-NEXT: onnx.Relu "third" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"pinned",

// What BM1684 refuses and BM1684X runs; an earlier placement is replaced.
// CPU:      onnx.Relu "fourth" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"dtype", "Relu has operand 0 ('h') of f16, BM1684 computes
// X:        onnx.Relu "first" {{.+}} {device.accepts = ["cpu", "tpu"]}
// X:        onnx.Relu "fourth" {{.+}} {device.accepts = ["cpu", "tpu"]}

// Sub-models for sizes that vary take what is not known beforehand.
// CPU:      onnx.Relu "fifth" {{.+}}#device.reason<"dynamic-shape",
// DYNAMIC:  onnx.Relu "fifth" {{.+}} {device.accepts = ["cpu", "tpu"]}
// BM1684 has no kernel for this one, but another op that stands in for it.
// ALONE:    onnx.Relu "fifth" {{.+}} {device.accepts = ["cpu", "tpu"]}

builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4xf32>, %o "o" : tensor<?x4xf32>, %h "h" : tensor<1x4xf16>) -> ["y", "z", "c"] {
    %a = onnx.Relu "first" (%x) -> ["a"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %b = onnx.Relu "second" (%a) -> ["b"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = onnx.Relu "third" (%b) -> ["c"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Relu "fourth" (%h) -> ["y"] : (tensor<1x4xf16>) -> tensor<1x4xf16>
    %z = onnx.Relu "fifth" (%o) -> ["z"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
    onnx.return %y, %z, %c : tensor<1x4xf16>, tensor<?x4xf32>, tensor<1x4xf32>
  }
}
