// RUN: autosplit-opt %s -t pt2-program | filecheck %s
// RUN: not autosplit-opt %S/mxnet-symbol.mlir -t pt2-program 2>&1 | filecheck %s --check-prefix=OTHER

// OTHER: the module is of mxnet, expected pytorch

// Parameters and inputs are inputs of the graph, and a node has the arguments that the op has.
// CHECK:      "inputs": [
// CHECK:         "name": "p_bias"
// CHECK:         "name": "x"
// CHECK:      "nodes": [
// CHECK:      "target": "torch.ops.aten.add.Tensor",
// CHECK:      "name": "self",
// CHECK:      "as_tensor": {
// CHECK-NEXT: "name": "x"
// CHECK:      "name": "alpha",
// CHECK-NEXT: "arg": {
// CHECK-NEXT: "as_int": 2
// CHECK:      "kind": 2
// CHECK:      "as_sym_ints": [
// CHECK-NEXT: {
// CHECK-NEXT: "as_name": "sym_size_int"
// CHECK:      "as_int": 8
// CHECK:      "parameter_name": "bias"
// CHECK:      "schema_version": {
// CHECK-NEXT: "major": 8

builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["view"] {
    %p = aten.param "p_bias" () <{node.value = dense<0.0> : tensor<8xf32>, node.kind = "parameter", node.fqn = "bias"}> : () -> tensor<8xf32>
    %x = aten.input "x" () : () -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    %n = aten.sym_size.int "sym_size_int" (%x) <{dim = 0 : i64}> : (tensor<?x8xf32, #platform.dims<["s0", ""]>>) -> tensor<i64>
    %y = aten.add.Tensor "add" (%x, %p) <{alpha = 2 : i64}> : (tensor<?x8xf32, #platform.dims<["s0", ""]>>, tensor<8xf32>) -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    %z = aten.view "view" (%y, %n) <{size = [#aten.value, 8 : i64]}> : (tensor<?x8xf32, #platform.dims<["s0", ""]>>, tensor<i64>) -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
  }
}
