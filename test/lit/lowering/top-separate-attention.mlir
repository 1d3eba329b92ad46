// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1684x}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1684x mode=F16}' | filecheck %s --check-prefix=STAYS
// RUN: autosplit-opt %s -p top-separate-attention | filecheck %s --check-prefix=STAYS

// What an attention gives to the projection behind it is copied in F32, on chips that compute it in f16.
// CHECK:      %[[MOVED:.*]] = top.Permute
// CHECK-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[MOVED]]) {{.*}} loc("y/apart")
// CHECK-NEXT: top.MatMul(%[[APART]],
// STAYS-NOT:  top.LeakyRelu
builtin.module @net {
  func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %x = "top.Input"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<4x4xf32> loc("w")
    %none = "top.None"() : () -> none
    %weighing = "top.Softmax"(%x) {axis = 1 : si32} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("weighing")
    %weighed = "top.MatMul"(%weighing, %x, %none) : (tensor<4x4xf32>, tensor<4x4xf32>, none) -> tensor<4x4xf32> loc("weighed")
    %moved = "top.Permute"(%weighed) {order = [1, 0]} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("moved")
    %y = "top.MatMul"(%moved, %w, %none) : (tensor<4x4xf32>, tensor<4x4xf32>, none) -> tensor<4x4xf32> loc("y")
    func.return %y : tensor<4x4xf32>
  }
}
