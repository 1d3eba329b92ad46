// RUN: AUTOSPLIT_ROUNDTRIP

// Bodies are graph regions: ops stand in the order of the file, and loops are cycles.
// CHECK: tf.graph inputs ["x:0"] outputs ["y:0"] {
tf.graph inputs ["x:0"] outputs ["y:0"] {
  // CHECK-NEXT: %[[Y:.+]] = tf.Relu "y" (%[[X:.+]]) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
  %y = tf.Relu "y" (%x) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK-NEXT: %[[X]] = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
  %x = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
}

// -----

// A loop goes back through NextIteration; what is read from outside enters the frame.
// CHECK: tf.graph {
tf.graph {
  // CHECK: %[[MERGE:.+]], %{{.+}} = tf.Merge "m" (%{{.+}}, %[[NEXT:.+]]) <{T = i32, N = 2 : i64}>
  %zero = tf.Const "zero" () <{dtype = i32, value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %e = tf.Enter "e" (%zero) <{T = i32, frame_name = "loop"}> : (tensor<i32>) -> tensor<i32>
  %m, %which = tf.Merge "m" (%e, %n) <{T = i32, N = 2 : i64}> : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %b = tf.Enter "b" (%zero) <{T = i32, frame_name = "loop", is_constant = true}> : (tensor<i32>) -> tensor<i32>
  %less = tf.Less "less" (%m, %b) <{T = i32}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %go = tf.LoopCond "go" (%less) : (tensor<i1>) -> tensor<i1>
  %f, %t = tf.Switch "s" (%m, %go) <{T = i32}> : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>)
  // A constant in a loop waits for something in it: the last result of an op is its control output.
  // CHECK: %[[V:.+]], %[[CONTROL:.+]] = tf.Identity "v" ({{.+}}) <{T = i32}> : (tensor<i32>) -> (tensor<i32>, !tf.control)
  %v, %c = tf.Identity "v" (%t) <{T = i32}> : (tensor<i32>) -> (tensor<i32>, !tf.control)
  // CHECK: tf.Const "limit" (%[[CONTROL]]) <{dtype = i32, value = dense<3> : tensor<i32>}> : (!tf.control) -> tensor<i32>
  %limit = tf.Const "limit" (%c) <{dtype = i32, value = dense<3> : tensor<i32>}> : (!tf.control) -> tensor<i32>
  // CHECK: %[[NEXT]] = tf.NextIteration "n"
  %n = tf.NextIteration "n" (%add) <{T = i32}> : (tensor<i32>) -> tensor<i32>
  %add = tf.AddV2 "add" (%v, %limit) <{T = i32}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %x = tf.Exit "x" (%f) <{T = i32}> : (tensor<i32>) -> tensor<i32>
}

// -----

// What a node has beside inputs and attributes: a device, inputs in unusual spelling, fields not read.
// CHECK: tf.opaque "o" (%{{.+}}) <{node.op = "MyOp", node.device = "/gpu:0", node.inputs = ["a:0"], node.rest = #platform.proto<"2\00">, device = "attribute", node_name = 1 : i64}>
tf.graph {
  %a = tf.Placeholder "a" () <{dtype = !tf.string}> : () -> tensor<*x!tf.string>
  %o = tf.opaque "o" (%a) <{node.op = "MyOp", node.device = "/gpu:0", node.inputs = ["a:0"], node.rest = #platform.proto<"2\00">, device = "attribute", node_name = 1 : i64}> : (tensor<*x!tf.string>) -> !platform.unknown
}

// -----

// Attributes of all kinds.
// CHECK: tf.opaque "o" () <{
// CHECK-SAME: b = true,
// CHECK-SAME: dt = !tf.dtype<11>,
// CHECK-SAME: e = [],
// CHECK-SAME: f = 2.500000e-01 : f32,
// CHECK-SAME: i = -1 : i64,
// CHECK-SAME: is = array<i64: 1, 2>,
// CHECK-SAME: p = #platform.proto<"J\01x">,
// CHECK-SAME: s = "SAME",
// CHECK-SAME: sh = #tf.shape<[1, -1]>,
// CHECK-SAME: shs = [#tf.shape<*>, #tf.shape<[]>],
// CHECK-SAME: ss = ["a", "\FF"],
// CHECK-SAME: t = dense<[1, 2]> : tensor<2xi32>,
// CHECK-SAME: te = #tf.tensor<dense<7> : tensor<4xi32>, 1>,
// CHECK-SAME: ts = [f32, !tf.variant, complex<f32>]}>
// CHECK-SAME: : () -> (!tf.resource, !tf.variant, !tf.control)
%r, %v, %c = tf.opaque "o" () <{node.op = "MyOp", b = true, dt = !tf.dtype<11>, e = [], f = 0.25 : f32, i = -1, is = array<i64: 1, 2>, p = #platform.proto<"J\01x">, s = "SAME", sh = #tf.shape<[1, -1]>, shs = [#tf.shape<*>, #tf.shape<[]>], ss = ["a", "\FF"], t = dense<[1, 2]> : tensor<2xi32>, te = #tf.tensor<dense<7> : tensor<4xi32>, 1>, ts = [f32, !tf.variant, complex<f32>]}> : () -> (!tf.resource, !tf.variant, !tf.control)
