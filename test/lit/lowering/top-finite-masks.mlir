// RUN: autosplit-opt %s -p 'top-finite-masks{mode=BF16}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-finite-masks{mode=INT8}' | filecheck %s --check-prefix=INT8
// RUN: autosplit-opt %s -p top-finite-masks | filecheck %s --check-prefix=F32

// A number that only a Softmax comes of stays so small that the mode can add it; what others read keeps it.
// CHECK:      top.AddConst(%{{.*}}) {const_val = -2.1267647932558654e+37} {{.*}} loc("mask")
// CHECK:      top.AddConst(%{{.*}}) {const_val = -3.0e+38} {{.*}} loc("other")
// INT8:       top.AddConst(%{{.*}}) {const_val = -1048576.0} {{.*}} loc("mask")
// F32:        top.AddConst(%{{.*}}) {const_val = -3.0e+38} {{.*}} loc("mask")

// The infinity that a Where fills in is limited where it is computed, in BF16.
// CHECK:      %[[CAPPED:.*]] = top.MaxConst
// CHECK-NEXT: %[[FINITE:.*]] = top.MinConst(%[[CAPPED]]) {const_val = 2.1267647932558654e+37} {{.*}} loc("fill/finite")
// CHECK-NEXT: top.SubConst(%[[FINITE]])
// INT8-NOT:   top.MinConst
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %mask = "top.AddConst"(%x) {const_val = -3.0e+38 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("mask")
    %y = "top.Softmax"(%mask) {axis = 1 : si32} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %other = "top.AddConst"(%x) {const_val = -3.0e+38 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("other")
    %inverse = "top.Reciprocal"(%x) {const_val = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("inverse")
    %capped = "top.MaxConst"(%inverse) {const_val = 2.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("capped")
    %fill = "top.SubConst"(%capped) {const_val = 2.0 : f64, is_reverse = true} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("fill")
    %z = "top.Softmax"(%fill) {axis = 1 : si32} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    func.return %y, %other, %z : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
