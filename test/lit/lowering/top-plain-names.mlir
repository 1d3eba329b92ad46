// RUN: autosplit-opt %s -p 'top-plain-names{mode=INT8}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-plain-names{mode=F16 tables=true}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-plain-names{mode=F16}' | filecheck %s --check-prefix=KEPT

// A table has one value a line, and words are divided by spaces.
// CHECK: loc("x")
// CHECK: loc("my_value")
// KEPT:  loc("my value")
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %y = "top.Abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("my value")
    func.return %y : tensor<2x3xf32>
  }
}
