// RUN: autosplit-opt %s -p top-separate-twins --split-input-file | filecheck %s

// Where sizes vary, an op that reads a value twice reads a copy of it; no two copies are alike.
// CHECK:      %[[X:.*]] = top.Input
// CHECK-NEXT: %[[KEPT:.*]] = top.LeakyRelu(%[[X]]) {alpha = 0.9999999999990905} {{.*}} loc("y/kept")
// CHECK-NEXT: top.Mul(%[[KEPT]], %[[X]])
// CHECK-NEXT: %[[MORE:.*]] = top.LeakyRelu(%[[X]]) {alpha = 0.999999999998181} {{.*}} loc("z/kept")
// CHECK-NEXT: top.Add(%[[MORE]], %[[X]])
builtin.module @net attributes {module.top_run_mode = "DYNAMIC"} {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %y = "top.Mul"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %z = "top.Add"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    func.return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// -----

// CHECK:      top.Mul(%[[Y:.*]], %[[Y]])
builtin.module @net attributes {module.top_run_mode = "STATIC"} {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %y = "top.Mul"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    func.return %y : tensor<2x3xf32>
  }
}
