// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Convolution 'c' has no attribute num_filter, and needs it
%x = "test.op"() : () -> tensor<1x3x4x4xf32>
%y = mx.Convolution "c" (%x, %x, %x) <{kernel = "(3, 3)"}> : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>

// -----

// CHECK: attribute kernel of Convolution 'c' is 'big', expected a tuple of integers
%x = "test.op"() : () -> tensor<1x3x4x4xf32>
%y = mx.Convolution "c" (%x, %x, %x) <{kernel = "big", num_filter = "4"}> : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>

// -----

// CHECK: attribute act_type of Activation 'a' is 'swish', expected one of relu,
%x = "test.op"() : () -> tensor<4xf32>
%y = mx.Activation "a" (%x) <{act_type = "swish"}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: attribute act_type of 'a' is 1 : i64, expected text
%x = "test.op"() : () -> tensor<4xf32>
%y = mx.Activation "a" (%x) <{act_type = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: Convolution 'c' has 3 inputs, expected 2
%x = "test.op"() : () -> tensor<1x3x4x4xf32>
%y = mx.Convolution "c" (%x, %x, %x) <{kernel = "(3, 3)", num_filter = "4", no_bias = "True"}> : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>

// -----

// CHECK: SliceChannel 's' has 1 output, expected 2
%x = "test.op"() : () -> tensor<4xf32>
%y = mx.SliceChannel "s" (%x) <{num_outputs = "2"}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: num_args is -1, expected how many there are of arg
%x = "test.op"() : () -> tensor<4xf32>
%y = mx.Concat "c" (%x) <{num_args = "-1"}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: variable 'x' has 1 input and 1 output, expected none and one
%x = "test.op"() : () -> tensor<4xf32>
%y = mx.null "x" (%x) : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: the value of 'w' is "text", expected a tensor
%w = mx.param "w" () <{node.value = "text", node.kind = "arg"}> : () -> tensor<4xf32>

// -----

// CHECK: parameter 'w' is of kind 'grad', expected arg or aux
%w = mx.param "w" () <{node.value = dense<1.0> : tensor<4xf32>, node.kind = "grad"}> : () -> tensor<4xf32>

// -----

// CHECK: parameter 'w' is stored as 'coo', expected row_sparse or csr
%w = mx.param "w" () <{node.value = dense<1.0> : tensor<4xf32>, node.kind = "arg", node.storage = "coo"}> : () -> tensor<4xf32>

// -----

// CHECK: two values are called 'a_output'
mx.graph {
  %x = mx.null "a_output" () : () -> tensor<4xf32>
  %y = mx.Activation "a" (%x) <{act_type = "relu"}> : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

// CHECK: output 'b_output' is not a tensor of the graph
mx.graph inputs ["x"] outputs ["b_output"] {
  %x = mx.null "x" () : () -> tensor<4xf32>
}

// -----

// CHECK: mx.Activation 'a' reads operand 0 before it is defined
mx.graph {
  %y = mx.Activation "a" (%x) <{act_type = "relu"}> : (tensor<4xf32>) -> tensor<4xf32>
  %x = mx.null "x" () : () -> tensor<4xf32>
}

// -----

// CHECK: holds test.op, expected only nodes of a model
mx.graph {
  %x = "test.op"() : () -> tensor<4xf32>
}
