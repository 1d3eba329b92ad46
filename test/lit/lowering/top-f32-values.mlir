// RUN: autosplit-opt %s -p 'top-f32-values{mode=F16}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-f32-values{mode=INT8}' | filecheck %s --check-prefix=INT8

// A copy beside what is computed in f32 is as exact, and a Relu behind it is part of it. INT8 gets a Relu with a
// limit wrong whose operand others read.
// CHECK: autosplit.f32 = ["place", "above", "copy"]
// INT8:  autosplit.f32 = ["place", "above", "limited", "copy"]
builtin.module @net attributes {autosplit.f32 = ["place"]} {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %copy = "top.LeakyRelu"(%x) {alpha = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("copy")
    %place = "top.Abs"(%copy) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("place")
    %above = "top.Relu"(%place) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("above")
    %limited = "top.Relu"(%x) {relu_limit = 6.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("limited")
    func.return %above, %limited, %x : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
