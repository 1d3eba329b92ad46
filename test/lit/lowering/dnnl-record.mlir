// RUN: autosplit-opt %s --no-locations -p 'dnnl-record{version=3.6 sums=fast}' | filecheck %s
// RUN: sed -e s/xf32/x!onnx.string/g %s | not autosplit-opt -p dnnl-record 2>&1 | filecheck %s --check-prefix=STRINGS

// The plan says which library it is for and what was noted of the inputs. Where an op stands says the rest.
// CHECK: device.plan = {objective = "fixed", sums = "fast", rounding = "close", policy = "patterns", version = "3.6", preprocess = {x = "mean=128"}}
// CHECK-NOT: device.notes
// CHECK-NOT: device.stage
// STRINGS: input 'x' is of strings, and a compiled model takes and gives tensors of numbers
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}, device.plan = {objective = "fixed"}, device.notes = {preprocess = {x = "mean=128"}}} {
  device.func @graph_0 <cpu> (%x "x" : tensor<4xf32>) -> ["y"] {
    %y = onnx.Identity "same" (%x) -> ["y"] {device.accepts = ["cpu"], device.stage = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    device.return %y : tensor<4xf32>
  }
  device.func @main <host> (%x "x" : tensor<4xf32>) -> ["y"] {
    %y = device.call @graph_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    device.return %y : tensor<4xf32>
  }
}
