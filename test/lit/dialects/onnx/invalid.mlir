// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Relu 'r' has 1 result and 2 names for them
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.Relu "r" (%x) -> ["y", "z"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----

// CHECK: returns 1 value and has 2 output names
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["x", "y"] {
  onnx.return %x : tensor<4xf32>
}

// -----

// CHECK: has 1 argument and 0 input names
"onnx.graph"() <{graph_name = "g", input_names = [], output_names = []}> ({
^bb0(%x : tensor<4xf32>):
  onnx.return
}) : () -> ()

// -----

// CHECK: does not end with onnx.return
onnx.graph "g" (%x "x" : tensor<4xf32>) -> [] {
  "test.termop"(%x) : (tensor<4xf32>) -> ()
}

// -----

// CHECK: initializer 'w' is tensor<2xf32>, its value tensor<3xf32>
%w = onnx.initializer "w" () <{value = dense<1.0> : tensor<3xf32>}> : () -> tensor<2xf32>

// -----

// CHECK: holds one onnx.graph and nothing else
onnx.graph "g" (%c "c" : tensor<i1>) -> [] {
  onnx.If "if" (%c) -> [] ({
    onnx.graph "then" () -> [] {
      onnx.return
    }
  }, {
    %x = onnx.initializer "w" () <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
  }) : (tensor<i1>) -> ()
  onnx.return
}

// -----

// CHECK: has 1 region and 2 names for them
onnx.opaque "p" () -> [] <{op_type = "A", domain = "d", region_names = ["f", "g"]}> ({
  onnx.graph "fn" () -> [] {
    onnx.return
  }
}) : () -> ()

// -----

// CHECK: present does not fit operands
%x = onnx.initializer "w" () <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
"onnx.opaque"(%x) <{node_name = "p", value_names = [], op_type = "A", domain = "d", present = array<i32: 0>}> : (tensor<f32>) -> ()

// -----

// CHECK: the encoding is raw or typed, found 'other'
%x = onnx.initializer "w" () <{value = #onnx.tensor<"", other, dense<1.0> : tensor<f32>>}> : () -> tensor<f32>

// -----

// CHECK: onnx.Relu 'early' reads operand 0 before it is defined
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.Relu "early" (%z) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
  %z = onnx.Relu "late" (%x) -> ["z"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----

// CHECK: onnx.Relu 'inner' reads operand 0 before it is defined
onnx.graph "g" (%c "c" : tensor<i1>, %x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.If "if" (%c) -> ["y"] ({
    onnx.graph "then" () -> ["t"] {
      %t = onnx.Relu "inner" (%z) -> ["t"] : (tensor<4xf32>) -> tensor<4xf32>
      onnx.return %t : tensor<4xf32>
    }
  }, {
    onnx.graph "else" () -> ["x"] {
      onnx.return %x : tensor<4xf32>
    }
  }) : (tensor<i1>) -> tensor<4xf32>
  %z = onnx.Relu "late" (%x) -> ["z"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----

// CHECK: GridSample is of opset 16, the model of opset 15
module attributes {onnx.opsets = {"ai.onnx" = 15 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4x8x8xf32>, %p "p" : tensor<1x2x2x2xf32>) -> ["y"] {
    %y = onnx.GridSample "new" (%x, %p) -> ["y"]
      : (tensor<1x4x8x8xf32>, tensor<1x2x2x2xf32>) -> tensor<1x4x2x2xf32>
    onnx.return %y : tensor<1x4x2x2xf32>
  }
}

// -----

// CHECK: its operands do not fit each other: the image has 4 channels, the kernel is for 3
%x, %w = "test.op"() : () -> (tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32>)
%y = onnx.Conv "c" (%x, %w) -> ["y"] : (tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>

// -----

// CHECK: it takes one element type, not f32 and f16
%x, %w = "test.op"() : () -> (tensor<4xf32>, tensor<4xf16>)
%y = onnx.Add "a" (%x, %w) -> ["y"] : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>

// -----

// CHECK: it gives the element type that it takes, not f16 for f32
%x = "test.op"() : () -> tensor<4xf32>
%y = onnx.Relu "r" (%x) -> ["y"] : (tensor<4xf32>) -> tensor<4xf16>
