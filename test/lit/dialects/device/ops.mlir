// RUN: AUTOSPLIT_ROUNDTRIP

// An outlined model: two sub-models and the line of calls that runs them. The first is in the generic form, as
// earlier versions wrote plans.
// CHECK-LABEL: device.func @graph_0
// CHECK-SAME: <cpu> ("x" %{{.+}}: tensor<1x8xf32> loc("x")) -> ["h"] {
// CHECK-NEXT: device.return %{{.+}} : tensor<1x8xf32>
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["x"], output_names = ["h"]}> ({
^bb0(%x: tensor<1x8xf32> loc("x")):
  device.return %x : tensor<1x8xf32>
}) : () -> ()

// CHECK-LABEL: device.func @graph_1
// CHECK-SAME: <tpu, "bm1684x"> (%{{.+}} "h" : tensor<1x8xf32>) -> ["y"]
// CHECK-SAME: files = {main = "graph_1.onnx"}
device.func @graph_1 <tpu, "bm1684x"> (%h "h" : tensor<1x8xf32>) -> ["y"] <{files = {main = "graph_1.onnx"}}> {
  device.return %h : tensor<1x8xf32>
}

// CHECK-LABEL: device.func @main
// CHECK-SAME: <host>
// CHECK: %[[H:.+]] = device.call @graph_0(%{{.+}}) : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: %[[Y:.+]] = device.call @graph_1(%[[H]]) : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: device.return %[[Y]] : tensor<1x8xf32>
"device.func"() <{sym_name = "main", target = #device.target<host>, input_names = ["x"], output_names = ["y"]}> ({
^bb0(%x: tensor<1x8xf32> loc("x")):
  %h = device.call @graph_0(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %y = device.call @graph_1(%h) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  device.return %y : tensor<1x8xf32>
}) : () -> ()

// A sub-model without results, and a call of it.
// CHECK-LABEL: device.func @graph_2
// CHECK: device.return
// CHECK-NEXT: }
"device.func"() <{sym_name = "graph_2", target = #device.target<cpu>, input_names = [], output_names = []}> ({
  device.return
}) : () -> ()
// CHECK: device.call @graph_2() : () -> ()
device.call @graph_2() : () -> ()

// An input that is called otherwise than its location, and one without a location.
// CHECK: device.func @graph_3 <cpu> ("a" %{{.+}}: tensor<2xf32> loc("other"), "b" %{{.+}}: tensor<2xf32>) -> ["a"] attributes {device.accepts = ["cpu"]} {
device.func @graph_3 <cpu> ("a" %a: tensor<2xf32> loc("other"), "b" %b: tensor<2xf32>) -> ["a"] attributes {device.accepts = ["cpu"]} {
  device.return %a : tensor<2xf32>
}

// -----

// A cluster that is still in its place; its captures are operands.
// CHECK: %[[X:.+]] = "test.op"() {device.accepts = ["cpu", "tpu"], device.work = 64 : i64} : () -> tensor<1x8xf32>
%x = "test.op"() {device.accepts = ["cpu", "tpu"], device.work = 64 : i64} : () -> tensor<1x8xf32>
// CHECK-NEXT: %[[Y:.+]] = device.region <tpu, "bm1684"> (%[[A:.+]]: tensor<1x8xf32> = %[[X]]) -> (tensor<1x8xf32>) {
// CHECK-NEXT:   device.yield %[[A]] : tensor<1x8xf32>
// CHECK-NEXT: }
%y = "device.region"(%x) <{target = #device.target<tpu, "bm1684">}> ({
^bb0(%a: tensor<1x8xf32>):
  device.yield %a : tensor<1x8xf32>
}) : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: "test.op"(%[[Y]]) {device.moved = #device.reason<"fewest", "one more sub-model for 0.1 % of the work">,
// CHECK-SAME: device.refused = {tpu = #device.reason<"dtype", "operand 0 is \22f64\22">}, device.stage = 2 : i64}
"test.op"(%y) {device.moved = #device.reason<"fewest", "one more sub-model for 0.1 % of the work">, device.refused = {tpu = #device.reason<"dtype", "operand 0 is \"f64\"">}, device.stage = 2 : i64} : (tensor<1x8xf32>) -> ()

// A sub-model in files that autosplit does not read.
// CHECK-LABEL: device.func @graph_foreign
// CHECK-SAME: <{files = {beads = "graph_foreign.beads"}}> {
// CHECK-NEXT: %[[Y:.+]] = device.foreign(%{{.+}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: device.return %[[Y]]
device.func @graph_foreign <cpu> (%beads "x" : tensor<4xf32>) -> ["y"] <{files = {beads = "graph_foreign.beads"}}> {
  %made = device.foreign(%beads) : (tensor<4xf32>) -> tensor<4xf32>
  device.return %made : tensor<4xf32>
}
