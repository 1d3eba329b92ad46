// RUN: autosplit-opt %s -p top-divide-by-roots | filecheck %s
// RUN: autosplit-opt %s -p 'top-divide-by-roots{target=bm1684x}' | filecheck %s --check-prefix=OTHER

// The reciprocal of a root becomes a division by the root, unless a Relu is part of the product; what others
// read stays. A chip with a kernel for the RMSNorm keeps the product.
// CHECK:      %[[ROOT:.*]] = top.Sqrt
// CHECK-NEXT: %[[INVERSE:.*]] = top.Reciprocal(%[[ROOT]])
// CHECK-NEXT: top.Div(%{{.*}}, %[[ROOT]]) : {{.*}} loc("y")
// CHECK-NEXT: top.Mul(%[[INVERSE]], %{{.*}}) {do_relu = true}
// OTHER:      top.Mul
// OTHER:      top.Mul
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %root = "top.Sqrt"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("root")
    %inverse = "top.Reciprocal"(%root) {const_val = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("inverse")
    %y = "top.Mul"(%x, %inverse) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %z = "top.Mul"(%inverse, %x) {do_relu = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    func.return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
