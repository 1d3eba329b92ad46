// RUN: autosplit-opt %s -t 'top-mlir{weight-file="graph_1_weights.npz"}' | filecheck %s
// RUN: autosplit-opt %s -t top-mlir | filecheck --check-prefix=OWN %s

// The generic form with all names, and the archive of the weights.
// CHECK:      "builtin.module"() <{sym_name = "graph_1"}> ({
// CHECK-NEXT:   "func.func"()
// CHECK-NEXT:   ^bb0(%0: tensor<1x8xf32>):
// CHECK-NEXT:     %x = "top.Input"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
// CHECK-NEXT:     %w = "top.Weight"() : () -> tensor<8x2xf32> loc("fc/weights")
// CHECK-NEXT:     %none = "top.None"() : () -> none
// CHECK-NEXT:     %y = "top.MatMul"(%x, %w, %none) {do_relu = true} : (tensor<1x8xf32>, tensor<8x2xf32>, none) -> tensor<1x2xf32> loc("y")
// CHECK-NEXT:     "func.return"(%y) : (tensor<1x2xf32>) -> ()
// CHECK-NEXT:   }) : () -> ()
// CHECK-NEXT: }) {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32", module.top_run_mode = "STATIC", module.weight_file = "graph_1_weights.npz"} : () -> ()
// OWN: module.weight_file = "own.npz"
builtin.module @graph_1 attributes {module.weight_file = "own.npz", module.state = "TOP_F32", module.chip = "ALL", module.platform = "ONNX", module.top_run_mode = "STATIC", platform.stores = [#platform.store<"m.onnx", "b1946ac92492d234">]} {
  func.func @main(%0: tensor<1x8xf32>) -> tensor<1x2xf32> {
    %x = "top.Input"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<8x2xf32> loc("fc/weights")
    %none = "top.None"() : () -> none
    %y = "top.MatMul"(%x, %w, %none) {do_relu = true} : (tensor<1x8xf32>, tensor<8x2xf32>, none) -> tensor<1x2xf32> loc("y")
    func.return %y : tensor<1x2xf32>
  }
}
