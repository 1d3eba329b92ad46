// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1684x}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1684x mode=F16}' | filecheck %s --check-prefix=STAYS
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1684x mode=F16 widened=true}' | filecheck %s
// RUN: autosplit-opt %s -p top-separate-attention | filecheck %s --check-prefix=STAYS
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1688 mode=F16}' | filecheck %s --check-prefix=WEIGHTS
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1688 mode=BF16}' | filecheck %s --check-prefix=WEIGHTS
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1688}' | filecheck %s --check-prefix=STAYS
// RUN: autosplit-opt %s -p 'top-separate-attention{target=bm1688 mode=INT8}' | filecheck %s --check-prefix=STAYS

// What an attention gives to the projection behind it is copied in F32, on chips that compute it in f16.
// CHECK:      %[[MOVED:.*]] = top.Permute
// CHECK-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[MOVED]]) {{.*}} loc("y/apart")
// CHECK-NEXT: top.MatMul(%[[APART]],
// STAYS-NOT:  top.LeakyRelu

// What weighs the values is copied in F16 and BF16, on chips whose one op for all of it cannot be compiled.
// WEIGHTS:      %[[WEIGHING:.*]] = top.Softmax
// WEIGHTS-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[WEIGHING]]) {{.*}} loc("weighed/apart")
// WEIGHTS-NEXT: top.MatMul(%[[APART]],
// WEIGHTS-NOT:  top.LeakyRelu
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
