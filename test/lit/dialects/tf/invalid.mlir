// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'r' has no attribute T, a Relu needs it
%x = "test.op"() : () -> tensor<4xf32>
%y = tf.Relu "r" (%x) : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: attribute strides of 'c' is "SAME", expected a list(int)
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = tf.Conv2D "c" (%x, %x) <{T = f32, strides = "SAME", padding = "SAME"}> : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>

// -----

// CHECK: operand 1 is tensor<4xf32>, which stands behind a !tf.control
%x, %c = "test.op"() : () -> (tensor<4xf32>, !tf.control)
%y = tf.opaque "o" (%c, %x) <{node.op = "MyOp"}> : (!tf.control, tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: 'o' has two results of type !tf.control
%c, %d = tf.opaque "o" () <{node.op = "MyOp"}> : () -> (!tf.control, !tf.control)

// -----

// CHECK: two nodes are called 'x'
tf.graph {
  %x = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
  %y = tf.Relu "x" (%x) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
}

// -----

// CHECK: output 'y:0' is not a tensor of the graph
tf.graph outputs ["y:0"] {
  %x = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
}

// -----

// CHECK: holds test.op, expected only nodes of a model
tf.graph {
  %x = "test.op"() : () -> tensor<*xf32>
}

// -----

// CHECK: depends on its own output, and on no way around is a NextIteration
tf.graph {
  %a = tf.Relu "a" (%b) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %b = tf.Relu "b" (%a) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}
