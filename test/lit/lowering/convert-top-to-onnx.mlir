// RUN: autosplit-opt %s -p convert-top-to-onnx --split-input-file | filecheck %s

// Values are called as their locations say; what an op ends in, here a ReLU with a limit, is a node of its own.
// CHECK:      builtin.module attributes {
// CHECK-SAME: onnx.opsets = {ai.onnx = 21 : i64}
// CHECK:      onnx.graph "net" (%x "x" : tensor<1x3x8x8xf32>, %y "y" : tensor<1x3x8x8xf32>) -> ["sum"] {
// CHECK-NEXT:   %[[S:.+]] = onnx.Add "" (%x, %y) -> ["sum/linear"] : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
// CHECK:        %[[L:.+]] = onnx.initializer "sum/low" () <{value = dense<0.000000e+00> : tensor<f32>}>
// CHECK:        %[[H:.+]] = onnx.initializer "sum/high" () <{value = dense<6.000000e+00> : tensor<f32>}>
// CHECK:        %[[R:.+]] = onnx.Clip "" (%[[S]], %[[L]], %[[H]]) -> ["sum"]
// CHECK-NEXT:   onnx.return %[[R]]
builtin.module @net {
  func.func @main(%0: tensor<1x3x8x8xf32>, %1: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
    %x = "top.Input"(%0) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("x")
    %y = "top.Input"(%1) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("y")
    %s = "top.Add"(%x, %y) {do_relu = true, relu_limit = 6.0 : f64} : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("sum")
    func.return %s : tensor<1x3x8x8xf32>
  }
}

// -----
// Booleans and positions are f32, as in Top.
// CHECK-LABEL: onnx.graph "numbers"
// CHECK:       %[[G:.+]] = onnx.Greater "" (%x, %{{.+}}) -> ["large/holds"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
// CHECK-NEXT:  %[[F:.+]] = onnx.Cast "" (%[[G]]) -> ["large"] <{to = 1 : i64}> : (tensor<1x4xi1>) -> tensor<1x4xf32>
// CHECK:       %[[B:.+]] = onnx.Cast "" (%[[F]]) -> ["chosen/cast"] <{to = 9 : i64}> : (tensor<1x4xf32>) -> tensor<1x4xi1>
// CHECK:       onnx.Where "" (%[[B]], %x, %{{.+}}) -> ["chosen"]
// CHECK:       %[[T:.+]], %[[P:.+]] = onnx.TopK "" (%{{.+}}, %{{.+}}) -> ["best/values", "best/positions"]
// CHECK:       onnx.Identity "" (%[[T]]) -> ["best"]
// CHECK:       onnx.Cast "" (%[[P]]) -> ["places"] <{to = 1 : i64}>
builtin.module @numbers {
  func.func @main(%0: tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
    %x = "top.Input"(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("x")
    %none = "top.None"() : () -> none
    %l = "top.CompareConst"(%x) {mode = "Greater", const_val = 0.5 : f64, inversed = false} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("large")
    %c = "top.Where"(%l, %x, %none) {y_is_const = true, y_const_val = -1.0 : f64} : (tensor<1x4xf32>, tensor<1x4xf32>, none) -> tensor<1x4xf32> loc("chosen")
    %v, %i = "top.TopK"(%c) {axis = 1 : i64, K = 2 : i64} : (tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) loc(fused["best", "places"])
    func.return %v, %i : tensor<1x2xf32>, tensor<1x2xf32>
  }
}

// -----
// A view has the shape of its result's type, whatever its attributes say.
// CHECK-LABEL: onnx.graph "views"
// CHECK:       %[[S:.+]] = onnx.initializer "flat/shape" () <{value = dense<[1, 12]> : tensor<2xi64>}>
// CHECK:       onnx.Reshape "" (%x, %[[S]]) -> ["flat"] <{allowzero = 1 : i64}>
builtin.module @views {
  func.func @main(%0: tensor<1x3x4xf32>) -> tensor<1x12xf32> {
    %x = "top.Input"(%0) : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("x")
    %f = "top.Flatten"(%x) {start_dim = 1 : i64} : (tensor<1x3x4xf32>) -> tensor<1x12xf32> loc("flat")
    func.return %f : tensor<1x12xf32>
  }
}
