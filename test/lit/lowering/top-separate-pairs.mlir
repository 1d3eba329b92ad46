// RUN: autosplit-opt %s -p top-separate-pairs | filecheck %s
// RUN: autosplit-opt %s -p 'top-separate-pairs{mode=INT8 target=bm1684x}' | filecheck %s

// A limited Relu keeps its limit behind a factor: a copy stands in between. Another Relu needs none.
// CHECK:      %[[LIMITED:.*]] = top.Relu(%{{.*}}) {relu_limit
// CHECK-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[LIMITED]]) {alpha = 1.0} {{.*}} loc("y/apart")
// CHECK-NEXT: top.MulConst(%[[APART]])
// CHECK-NEXT: %[[RELU:.*]] = top.Relu
// CHECK-NEXT: top.AddConst(%[[RELU]])

// Moved, and then a Relu: BM1684 would join the Relu with a product in front, and forget it.
// RUN: autosplit-opt %s -p 'top-separate-pairs{mode=INT8 target=bm1684}' | filecheck %s --check-prefix=MOVED
// MOVED:      %[[TURNED:.*]] = top.Permute
// MOVED-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[TURNED]]) {alpha = 1.0} {{.*}} loc("plain/apart")
// MOVED-NEXT: top.Relu(%[[APART]])
// CHECK:      %[[TURNED:.*]] = top.Permute
// CHECK-NEXT: top.Relu(%[[TURNED]])
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %limited = "top.Relu"(%x) {relu_limit = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("limited")
    %y = "top.MulConst"(%limited) {const_val = 0.125 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %relu = "top.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("relu")
    %z = "top.AddConst"(%relu) {const_val = 0.125 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    %moved = "top.Permute"(%x) {order = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32> loc("moved")
    %plain = "top.Relu"(%moved) : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("plain")
    func.return %y, %z, %plain : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
  }
}
