// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Relu 'r' has 1 results and 2 names for them
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.Relu "r" (%x) -> ["y", "z"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----

// CHECK: returns 1 values and has 2 output names
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["x", "y"] {
  onnx.return %x : tensor<4xf32>
}

// -----

// CHECK: has 1 arguments and 0 input names
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

// CHECK: has 1 regions and 2 names for them
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
