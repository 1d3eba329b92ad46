// RUN: autosplit-opt %s -t 'graphdef-text{graph=1}' | filecheck %s
// RUN: not autosplit-opt %s -t 'graphdef-text{graph=7}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not autosplit-opt %s -t graphdef-text 2>&1 | filecheck %s --check-prefix=WHOLE

// NONE: found no device.func @graph_7 in the module
// WHOLE: found no tf.graph; of an outlined module, say which sub-model: graphdef-text{graph=0}

// What a sub-model takes are placeholders, with dtype and shape; nodes stand behind what they read.
// CHECK:      node {
// CHECK-NEXT:   name: "a"
// CHECK-NEXT:   op: "Placeholder"
// CHECK:          key: "dtype"
// CHECK-NEXT:     value {
// CHECK-NEXT:       type: DT_FLOAT
// CHECK:          key: "shape"
// CHECK-NEXT:     value {
// CHECK-NEXT:       shape {
// CHECK-NEXT:         dim {
// CHECK-NEXT:           size: -1
// CHECK-NEXT:         }
// CHECK-NEXT:         dim {
// CHECK-NEXT:           size: 2
// CHECK:      name: "y"
// CHECK-NEXT: op: "Relu"
// CHECK-NEXT: input: "a"
// CHECK:      name: "z"
// CHECK-NEXT: op: "MyOp"
// CHECK-NEXT: input: "y"
// CHECK-NEXT: input: "^y"
// CHECK:      versions {
// CHECK-NEXT:   producer: 27
builtin.module attributes {platform.name = "tensorflow", tf.rest = #platform.proto<"\22\02\08\1B">} {
  "device.func"() <{sym_name = "graph_1", target = #device.target<cpu>, input_names = ["a:0"], output_names = ["z:0"]}> ({
  ^bb0(%a : tensor<?x2xf32>):
    %z = tf.opaque "z" (%y, %c) <{node.op = "MyOp"}> : (tensor<?x2xf32>, !tf.control) -> tensor<?x2xf32>
    %y, %c = tf.Relu "y" (%a) <{T = f32}> : (tensor<?x2xf32>) -> (tensor<?x2xf32>, !tf.control)
    device.return %z : tensor<?x2xf32>
  }) : () -> ()
}
