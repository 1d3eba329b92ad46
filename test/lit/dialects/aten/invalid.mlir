// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: conv2d 'c' has no argument weight, and needs it
%x = "test.op"() : () -> tensor<1x3x4x4xf32>
%y = aten.conv2d "c" (%x) : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>

// -----

// CHECK: relu 'r' has no argument axis
%x = "test.op"() : () -> tensor<4xf32>
%y = aten.relu "r" (%x) <{axis = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: relu 'r' has 2 operands, and its arguments take 1
%x = "test.op"() : () -> tensor<4xf32>
%y = aten.relu "r" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: argument size of view 'v' has 0 operands and 1 place for them
%x = "test.op"() : () -> tensor<4xf32>
%y = aten.view "v" (%x) <{size = [#aten.value]}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: argument dim of softmax.int 's' is tensor<4xf32>, expected an argument of PyTorch's
%x = "test.op"() : () -> tensor<4xf32>
%y = aten.softmax.int "s" (%x) <{dim = tensor<4xf32>}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: chunk 'c' names 1 result and has 2
%x = "test.op"() : () -> tensor<4xf32>
%y, %z = aten.chunk "c" (%x) -> ["y"] <{chunks = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)

// -----

// CHECK: input 'n' is of kind 'size', expected one of sym_int, sym_float, sym_bool
%n = aten.input "n" () <{node.kind = "size"}> : () -> tensor<i64>

// -----

// CHECK: aten.param 'p' has 1 operand and 1 result, expected none and one
%x = "test.op"() : () -> tensor<4xf32>
%p = aten.param "p" (%x) <{node.ports = ["p"], node.value = dense<0.0> : tensor<4xf32>, node.kind = "buffer", node.fqn = "p"}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: the value of 'p' is 1 : i64, expected a tensor
%p = aten.param "p" () <{node.value = 1 : i64, node.kind = "buffer", node.fqn = "p"}> : () -> tensor<4xf32>

// -----

// CHECK: 'p' is of kind 'weight', expected one of parameter, buffer, temporary, constant
%p = aten.state "p" () <{node.value = dense<0.0> : tensor<4xf32>, node.kind = "weight", node.fqn = "p"}> : () -> tensor<4xf32>

// -----

// CHECK: aten.write_back 'w' has 1 operand and 0 results, expected what is written to, and the value
%x = "test.op"() : () -> tensor<4xf32>
aten.write_back "w" (%x) : (tensor<4xf32>) -> ()

// -----

// CHECK: output 'z' is not a tensor of the graph
aten.graph inputs ["x"] outputs ["z"] {
  %x = aten.input "x" () : () -> tensor<4xf32>
}

// -----

// CHECK: two values are called 'x'
aten.graph {
  %x = aten.input "x" () : () -> tensor<4xf32>
  %y = aten.input "x" () : () -> tensor<4xf32>
}

// -----

// CHECK: holds builtin.unrealized_conversion_cast, expected only nodes of a model
aten.graph {
  %x = aten.input "x" () : () -> tensor<4xf32>
  %y = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<?xf32>
}
