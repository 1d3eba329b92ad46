// RUN: autosplit-opt %s -p 'top-widen{values=weighed,y beyond=x}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-widen{values=weighed,y}' | filecheck %s --check-prefix=INSIDE
// RUN: autosplit-opt %s -p top-widen | filecheck %s --check-prefix=NONE
// RUN: autosplit-opt %s -p 'widen{target=bm1684x values=y beyond=moved}' | filecheck %s --check-prefix=PARTS
// RUN: autosplit-opt %s -p 'widen{target=bm1688 values=y beyond=moved}' | filecheck %s --check-prefix=OWN

// What is too large, and a copy of what is beyond F16, are computed in f32.
// CHECK: autosplit.f32 = ["x", "weighed", "y", "copy"]
// INSIDE: autosplit.f32 = ["x", "weighed", "y"]
// NONE: autosplit.f32 = ["x"]

// In the pipeline a copy keeps the ops of an attention apart, on chips where they would be one op.
// PARTS: autosplit.f32 = ["x", "y", "y/apart"]
// OWN:   autosplit.f32 = ["x", "y"]
builtin.module @net attributes {autosplit.f32 = ["x"]} {
  func.func @main(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %x = "top.Input"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<4x4xf32> loc("w")
    %none = "top.None"() : () -> none
    %weighing = "top.Softmax"(%x) {axis = 1 : si32} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("weighing")
    %weighed = "top.MatMul"(%weighing, %x, %none) : (tensor<4x4xf32>, tensor<4x4xf32>, none) -> tensor<4x4xf32> loc("weighed")
    %moved = "top.Permute"(%weighed) {order = [1, 0]} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("moved")
    %copy = "top.LeakyRelu"(%x) {alpha = 1.0 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("copy")
    %y = "top.MatMul"(%moved, %w, %none) : (tensor<4x4xf32>, tensor<4x4xf32>, none) -> tensor<4x4xf32> loc("y")
    func.return %y, %copy : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
