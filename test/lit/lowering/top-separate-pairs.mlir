// RUN: autosplit-opt %s -p top-separate-pairs | filecheck %s
// RUN: autosplit-opt %s -p 'top-separate-pairs{mode=INT8 target=bm1684x}' | filecheck %s

// A limited Relu keeps its limit behind a factor: a copy stands in between. Another Relu needs none.
// CHECK:      %[[LIMITED:.*]] = top.Relu(%{{.*}}) {relu_limit
// CHECK-NEXT: %[[APART:.*]] = top.LeakyRelu(%[[LIMITED]]) {alpha = 1.0} {{.*}} loc("y/apart")
// CHECK-NEXT: top.MulConst(%[[APART]])
// CHECK-NEXT: %[[RELU:.*]] = top.Relu
// CHECK-NEXT: top.AddConst(%[[RELU]])
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %limited = "top.Relu"(%x) {relu_limit = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("limited")
    %y = "top.MulConst"(%limited) {const_val = 0.125 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %relu = "top.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("relu")
    %z = "top.AddConst"(%relu) {const_val = 0.125 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    func.return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
